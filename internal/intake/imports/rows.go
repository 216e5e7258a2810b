package imports

import (
	"cmp"
	"maps"
	"slices"

	"fillbook/internal/intake/statement"
)

// RowCounts counts a file's data rows by their result. The counts sum up to Data.
type RowCounts struct {
	Data        int `json:"data" doc:"Data rows of the file: the sum of the other counts."`
	Fills       int `json:"fills" doc:"Rows with at least one new fill, and rows that add to one, such as its costs."`
	Cash        int `json:"cash" doc:"Other rows with a new cash transaction."`
	Annotations int `json:"annotations" doc:"Other rows with notes, tags or prices for a trade."`
	Skipped     int `json:"skipped" doc:"Rows that were left out for a reason; see skipped_reasons."`
	Errors      int `json:"errors" doc:"Rows that could not be read or stored; see errors."`
}

// SkippedRow is a skipped data row and the reason.
type SkippedRow struct {
	Row    int    `json:"row" doc:"The data row, counted from 1."`
	Reason string `json:"reason" doc:"A short phrase; duplicate is a row whose fills or cash are stored already, completed one that completes a stored fill, deleted by hand one whose fill or cash was deleted, withdrawn by the broker one whose fill the broker has canceled or replaced."`
}

// SkippedReason counts the rows skipped for one reason.
type SkippedReason struct {
	Reason string `json:"reason"`
	Rows   int    `json:"rows"`
}

// RowReport lists the results of all data rows in a file.
type RowReport struct {
	Counts RowCounts
	// Skipped lists the first skipped rows, Reasons counts all of them.
	Skipped []SkippedRow
	Reasons []SkippedReason
}

// The reasons in this package. Others are in the statement.
const (
	reasonDuplicate  = "duplicate"
	reasonCompleted  = "completed"
	reasonDeleted    = "deleted by hand"
	reasonWithdrawn  = "withdrawn by the broker"
	reasonZeroAmount = "amount of zero"
	reasonOther      = "other reasons"
)

const (
	// maxSkippedRows is how many skipped rows a report lists.
	maxSkippedRows = 200
	// maxSkippedReasons is how many reasons a report counts separately.
	maxSkippedReasons = 50
)

// rowClass is a data row's result. Among several the highest counts.
type rowClass uint8

const (
	rowUnclaimed rowClass = iota
	rowSkipped
	rowError
	rowAnnotation
	rowDeleted
	rowWithdrawn
	rowDuplicate
	rowCompleted
	rowCash
	rowFill
)

// rowClasses holds each data row's class; index 0 is not used.
type rowClasses []rowClass

func (c rowClasses) raise(row int, class rowClass) {
	if row > 0 && row < len(c) {
		c[row] = max(c[row], class)
	}
}

// knownRows reports which fills and cash rows in a plan are already stored, which fills
// complete the stored one, and which are left out because the user deleted them or the
// broker withdrew them.
type knownRows struct {
	fills, completed, deleted, withdrawn, cash, cashDeleted []bool
}

// classify returns the class for every data row in the plan.
func (p *plan) classify(known knownRows) rowClasses {
	classes := make(rowClasses, p.rows+1)
	for _, s := range p.skipped {
		classes.raise(s.Row, rowSkipped)
	}
	for _, problem := range p.problems {
		classes.raise(problem.Row, rowError)
	}
	for _, m := range p.annotations {
		classes.raise(m.Row, rowAnnotation)
	}
	for i, row := range p.fillRows {
		class := classOf(known.fills[i], rowFill)
		if known.completed[i] {
			class = rowCompleted
		}
		if known.deleted[i] {
			class = rowDeleted
		}
		if known.withdrawn[i] {
			class = rowWithdrawn
		}
		classes.raise(row, class)
	}
	for i, row := range p.cashRows {
		class := classOf(known.cash[i], rowCash)
		if known.cashDeleted[i] {
			class = rowDeleted
		}
		classes.raise(row, class)
	}
	for row, into := range p.joined {
		if into > 0 && into < len(classes) {
			classes.raise(row, classes[into])
		}
	}
	return classes
}

func classOf(known bool, class rowClass) rowClass {
	if known {
		return rowDuplicate
	}
	return class
}

// report counts the data rows in the plan; see classify.
func (p *plan) report(known knownRows) RowReport {
	reasons := make(map[int]string, len(p.skipped))
	for _, s := range p.skipped {
		reasons[s.Row] = s.Reason
	}
	r := RowReport{Counts: RowCounts{Data: p.rows}, Skipped: []SkippedRow{}}
	counts := map[string]int{}
	for row, class := range p.classify(known) {
		switch {
		case row == 0:
		case class == rowFill:
			r.Counts.Fills++
		case class == rowCash:
			r.Counts.Cash++
		case class == rowAnnotation:
			r.Counts.Annotations++
		case class == rowError:
			r.Counts.Errors++
		case class == rowDuplicate:
			r.skip(row, reasonDuplicate, counts)
		case class == rowCompleted:
			r.skip(row, reasonCompleted, counts)
		case class == rowDeleted:
			r.skip(row, reasonDeleted, counts)
		case class == rowWithdrawn:
			r.skip(row, reasonWithdrawn, counts)
		default:
			r.skip(row, cmp.Or(reasons[row], statement.NothingInRow), counts)
		}
	}
	r.Reasons = countReasons(counts)
	return r
}

func (r *RowReport) skip(row int, reason string, counts map[string]int) {
	r.Counts.Skipped++
	counts[reason]++
	if len(r.Skipped) < maxSkippedRows {
		r.Skipped = append(r.Skipped, SkippedRow{Row: row, Reason: reason})
	}
}

// countReasons returns the reasons by their number of rows. Beyond maxSkippedReasons the
// rarest are counted together.
func countReasons(counts map[string]int) []SkippedReason {
	list := []SkippedReason{}
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, SkippedReason{Reason: reason, Rows: counts[reason]})
	}
	slices.SortStableFunc(list, func(a, b SkippedReason) int { return b.Rows - a.Rows })
	if len(list) <= maxSkippedReasons {
		return list
	}
	rest := SkippedReason{Reason: reasonOther}
	for _, r := range list[maxSkippedReasons-1:] {
		rest.Rows += r.Rows
	}
	return append(list[:maxSkippedReasons-1], rest)
}

// add returns the sum of a batch's report and a further delivery's, whose rows are
// numbered after the earlier ones.
func (r RowReport) add(next RowReport, earlierRows int) RowReport {
	sum := RowReport{Counts: RowCounts{
		Data: r.Counts.Data + next.Counts.Data, Fills: r.Counts.Fills + next.Counts.Fills, Cash: r.Counts.Cash + next.Counts.Cash,
		Annotations: r.Counts.Annotations + next.Counts.Annotations, Skipped: r.Counts.Skipped + next.Counts.Skipped,
		Errors: r.Counts.Errors + next.Counts.Errors,
	}}
	sum.Skipped = slices.Clone(r.Skipped)
	for _, s := range next.Skipped[:min(len(next.Skipped), maxSkippedRows-len(r.Skipped))] {
		sum.Skipped = append(sum.Skipped, SkippedRow{Row: earlierRows + s.Row, Reason: s.Reason})
	}
	counts := map[string]int{}
	for _, reason := range slices.Concat(r.Reasons, next.Reasons) {
		counts[reason.Reason] += reason.Rows
	}
	sum.Reasons = countReasons(counts)
	return sum
}

// backupReport counts a backup's records, which have no row numbers. Records neither new
// nor known could not be read or stored.
func backupReport(data, fills, cash, known int) RowReport {
	counts := RowCounts{Data: data, Fills: fills, Cash: cash, Skipped: known, Errors: data - fills - cash - known}
	r := RowReport{Counts: counts, Skipped: []SkippedRow{}, Reasons: []SkippedReason{}}
	if known > 0 {
		r.Reasons = []SkippedReason{{Reason: reasonDuplicate, Rows: known}}
	}
	return r
}
