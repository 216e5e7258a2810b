package statement

import (
	"slices"
	"strings"
	"unicode"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// headerWordsOf returns the words in a column name, in lower case.
func headerWordsOf(header string) []string {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(strings.ToLower(strings.Join(parse.HeaderWords(header), " ")), split)
}

// containsPart reports whether a text contains any part.
func containsPart(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// costTargetOf returns the cost named by a column: fees or commission. It returns false
// for any other name.
func costTargetOf(header string) (Target, bool) {
	if len(header) > longestHeader || strings.Contains(header, "%") {
		return "", false
	}
	if m, ok := meaningOf(header); ok {
		return m.target, m.target == TargetFees || m.target == TargetCommission
	}
	words := headerWordsOf(withoutBrackets(header))
	if slices.ContainsFunc(words, func(w string) bool { return notCostWords[w] }) {
		return "", false
	}
	key := strings.Join(words, " ")
	switch {
	case containsPart(key, commissionParts):
		return TargetCommission, true
	case containsPart(key, costParts) || slices.ContainsFunc(words, func(w string) bool { return costWords[w] }):
		return TargetFees, true
	}
	return "", false
}

// costColumn is a cost column with the sizes in it, row by row.
type costColumn struct {
	column  int
	target  Target
	chosen  bool // by the user
	isTotal bool // by its name
	values  []decimal.Decimal
}

// addCostColumns maps every unmapped column named like a cost: all are costs of the fill.
// A column that sums others is left out.
func (r *mappedReader) addCostColumns() {
	m := r.mapping
	all := r.findCostColumns()
	list := r.dropRepeated(all)
	for _, c := range all {
		if !slices.ContainsFunc(list, func(l costColumn) bool { return l.column == c.column }) {
			r.repeated = append(r.repeated, c.column)
		}
	}
	names := columnNames(r.header)
	var added []string
	for _, target := range []Target{TargetFees, TargetCommission} {
		if strings.HasPrefix(m[target], "=") {
			continue
		}
		var parts []string
		for _, c := range list {
			if c.target != target {
				continue
			}
			parts = append(parts, names[c.column])
			if !r.isMapped(c.column) {
				added = append(added, `"`+names[c.column]+`"`)
			}
		}
		if len(parts) > 0 {
			m[target] = strings.Join(parts, "+")
		} else {
			delete(m, target) // another column has these costs too
		}
	}
	if len(added) > 0 {
		r.Out.Warn("Columns that were added to the costs by their names: %s.", strings.Join(added, ", "))
	}
}

// costNames returns the columns summed up as a cost. A column may have a plus in its own
// name.
func (r *table) costNames(col Col) []Col {
	if col == "" || strings.HasPrefix(col, "=") {
		return nil
	}
	if _, whole := r.index[HeaderKey(col)]; whole {
		return []Col{col}
	}
	return strings.Split(col, "+")
}

// isMapped reports whether the mapping uses a column, some targets aside.
func (r *mappedReader) isMapped(column int, except ...Target) bool {
	for target, name := range r.mapping {
		if strings.HasPrefix(name, "=") || slices.Contains(except, target) {
			continue
		}
		if slices.ContainsFunc(r.costNames(name), func(part Col) bool { return slices.Contains(r.columnsNamed(part), column) }) {
			return true
		}
	}
	return false
}

// findCostColumns lists the cost columns: the mapped ones, and those with a name for
// costs, numbers and no other use.
func (r *mappedReader) findCostColumns() []costColumn {
	m := r.mapping
	var list []costColumn
	for i, header := range r.header {
		target, isCost := costTargetOf(header)
		mapped, chosen := false, false
		for _, t := range []Target{TargetFees, TargetCommission} {
			if slices.ContainsFunc(r.costNames(m[t]), func(name Col) bool { return slices.Contains(r.columnsNamed(name), i) }) {
				target, mapped, chosen = t, true, r.Hints.Mapping[t] != ""
			}
		}
		if !mapped && (!isCost || r.isMappedElsewhere(i) || !r.hasCosts(i)) {
			continue
		}
		key := strings.Join(headerWordsOf(header), " ")
		list = append(list, costColumn{column: i, target: target, chosen: chosen, isTotal: containsPart(key, totalParts), values: r.costSizes(i)})
	}
	return list
}

// isMappedElsewhere reports whether the mapping uses a column for something else than a
// cost.
func (r *mappedReader) isMappedElsewhere(column int) bool {
	for target, name := range r.mapping {
		if target != TargetFees && target != TargetCommission && !strings.HasPrefix(name, "=") && slices.Contains(r.columnsNamed(name), column) {
			return true
		}
	}
	return false
}

// hasCosts reports whether most values in a column are numbers or percentages, and it has
// some.
func (r *table) hasCosts(i int) bool {
	return r.hasValue(i, func(v string) bool { return !parse.Blank(v) }) && isMost(r.values(i), func(v string) bool {
		_, err := parse.Number(v, parse.Unsettled)
		_, isPercent := parse.Percent(v, parse.Unsettled)
		return err == nil || isPercent || parse.Blank(v)
	})
}

// costSizes returns the sizes in a column's first rows.
func (r *table) costSizes(i int) []decimal.Decimal {
	list := make([]decimal.Decimal, min(len(r.rows), maxContentRows))
	for n := range list {
		if cells := r.rows[n].Cells; i < len(cells) {
			if v, err := parse.Number(cells[i], r.separator(i)); err == nil {
				list[n] = v.Abs()
			}
		}
	}
	return list
}

// dropRepeated leaves out columns repeating costs from others: a sum, or the parts in a
// sum. The user's columns stay.
func (r *mappedReader) dropRepeated(list []costColumn) []costColumn {
	for i := range list {
		parts, keepsSum := list[i].findParts(list)
		if parts == nil {
			continue
		}
		isPart := func(c costColumn) bool {
			return !c.chosen && slices.ContainsFunc(parts, func(p costColumn) bool { return p.column == c.column })
		}
		isLeftOut := func(c costColumn) bool { return c.column == list[i].column }
		if keepsSum || list[i].chosen {
			isLeftOut = isPart
		}
		left := slices.DeleteFunc(slices.Clone(list), isLeftOut)
		if len(left) == len(list) {
			continue
		}
		if keepsSum {
			r.Out.Warn("Column %q was taken to include the other costs, as it is higher in every row.", r.header[list[i].column])
		}
		return r.dropRepeated(left)
	}
	return list
}

// findParts returns the columns that sum up to this one in every row: all others, or some
// for a column named like a sum. keepsSum reports that the sum has further costs, missing
// from the other columns.
func (c *costColumn) findParts(list []costColumn) (parts []costColumn, keepsSum bool) {
	others := slices.DeleteFunc(slices.Clone(list), func(o costColumn) bool { return o.column == c.column || o.isTotal && !c.isTotal })
	const fewest, most = 2, 10
	switch {
	case len(others) >= fewest && c.isSumOf(others):
		return others, false
	case !c.isTotal || len(others) == 0 || len(others) > most:
		return nil, false
	}
	for set := 1; set < 1<<len(others); set++ {
		var some []costColumn
		for i := range others {
			if set&(1<<i) != 0 {
				some = append(some, others[i])
			}
		}
		if c.isSumOf(some) {
			return some, false
		}
	}
	if c.exceeds(others) {
		return others, true
	}
	return nil, false
}

// isSumOf reports whether a column's values are sums of others, to the cent, and not all
// 0.
func (c *costColumn) isSumOf(others []costColumn) bool {
	some := false
	for row, v := range c.values {
		if sumAt(others, row).Sub(v).Abs().Cmp(hundredth) > 0 {
			return false
		}
		some = some || !v.IsZero()
	}
	return some
}

// exceeds reports whether a sum is above all others together in every row.
func (c *costColumn) exceeds(others []costColumn) bool {
	some := false
	for row, v := range c.values {
		switch sum := sumAt(others, row); v.Cmp(sum) {
		case -1:
			return false
		case 1:
			some = some || !sum.IsZero()
		}
	}
	return some
}

func sumAt(columns []costColumn, row int) decimal.Decimal {
	sum := decimal.Zero
	for _, c := range columns {
		sum = sum.Add(c.values[row])
	}
	return sum
}
