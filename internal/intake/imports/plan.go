package imports

import (
	"errors"
	"maps"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
)

// Problem is the reason why a row was not imported. Row counts the data rows from 1.
type Problem struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}

// plan contains a statement's rows for an account, and the problems in the others.
type plan struct {
	fills []ledger.CheckedFill
	// index is the position of annotated fills in fills.
	index       map[*statement.Fill]int
	cash        []ledger.NewCash
	annotations []*statement.Annotations
	// actions are the file's corporate actions, and held the fills of shares on which they
	// depend, by symbol.
	actions  []statement.Action
	held     map[string][]plannedFill
	problems []Problem
	// rows counts the file's data rows. fillRows and cashRows are the rows with fills and
	// cash; the other two are the statement's.
	rows               int
	fillRows, cashRows []int
	skipped            []statement.Skip
	joined             map[int]int
	// withdrawn and replaced belong to a delivery; see [Delivery].
	withdrawn []string
	// part receives a delivery's rows; it is nil for a file.
	part     *ledger.Part
	replaced map[string]string
}

// leftOut is the index for a fill outside the plan.
const leftOut = -1

// newPlan converts a statement to ledger fills and cash. Rows the ledger would reject
// become problems and are removed from the statement, so the valid rows can be stored.
// Callers should set s.Fills to nil afterwards to release their memory.
func newPlan(s *statement.Statement, account ledger.Account, origin Origin) *plan {
	p := &plan{
		index: make(map[*statement.Fill]int, len(s.Annotations)), rows: s.Rows, skipped: s.Skipped, joined: s.Joined,
	}
	for _, problem := range s.Problems {
		p.problems = append(p.problems, Problem(problem))
	}
	all, rows, invalid := checkFills(s.Fills, origin.sourceFacts())
	p.fills, p.fillRows = all, rows
	if len(invalid) > 0 {
		p.refuseRows(s, invalid)
	}
	for _, m := range s.Annotations {
		p.index[m.Fill] = leftOut
	}
	if len(p.index) > 0 {
		for i, f := range s.Fills {
			if _, annotated := p.index[f]; annotated {
				p.index[f] = i
			}
		}
	}
	if origin.isFile() {
		warnOneSided(s)
	}
	p.takeCash(s, account)
	p.takeActions(s)
	p.planAnnotations(s)
	return p
}

// refuseRows removes rows with an invalid fill: a round trip is stored completely or not
// at all.
func (p *plan) refuseRows(s *statement.Statement, invalid []Problem) {
	refused := map[int]bool{}
	for _, problem := range invalid {
		if !refused[problem.Row] {
			refused[problem.Row] = true
			p.problems = append(p.problems, problem)
		}
	}
	n := 0
	for i, f := range s.Fills {
		if !refused[f.Row] {
			s.Fills[n], p.fills[n], p.fillRows[n] = f, p.fills[i], f.Row
			n++
		}
	}
	s.Fills, p.fills, p.fillRows = s.Fills[:n], p.fills[:n], p.fillRows[:n]
}

// minChecked is the number of fills from which they are checked in two parts at the same
// time.
const minChecked = 2000

// checkFills returns the fills in their stored form, their rows, and the problems with
// those the ledger would reject, in fill order. The facts apply to all fills from the
// source.
func checkFills(fills []*statement.Fill, facts ledger.Facts) (checked []ledger.CheckedFill, rows []int, invalid []Problem) {
	checked, rows = make([]ledger.CheckedFill, len(fills)), make([]int, len(fills))
	half := len(fills)
	if half >= minChecked {
		half /= 2
	}
	var rest []Problem
	parallel.Run(
		func() { invalid = checkInto(checked[:half], rows[:half], fills[:half], facts) },
		func() { rest = checkInto(checked[half:], rows[half:], fills[half:], facts) },
	)
	return checked, rows, append(invalid, rest...)
}

// checkInto is checkFills for one part.
func checkInto(checked []ledger.CheckedFill, rows []int, fills []*statement.Fill, facts ledger.Facts) (invalid []Problem) {
	checker := ledger.NewFillChecker()
	for i, f := range fills {
		fill := newFill(f, facts)
		rows[i] = f.Row
		var err error
		if checked[i], err = checker.Check(&fill); err != nil {
			invalid = append(invalid, Problem{Row: f.Row, Message: sentence(err)})
		}
	}
	return invalid
}

// planAnnotations plans the annotations for trades with stored fills.
func (p *plan) planAnnotations(s *statement.Statement) {
	for _, m := range s.Annotations {
		if p.index[m.Fill] == leftOut {
			continue
		}
		for _, reason := range cleanAnnotations(m) {
			p.problems = append(p.problems, Problem{Row: m.Row, Message: reason})
		}
		if !m.IsEmpty() {
			p.annotations = append(p.annotations, m)
		}
	}
	s.Annotations = p.annotations
}

// warnOneSided warns about a file without a preset that only buys or only sells: nothing
// in it closes a position, mostly because its side was misread.
func warnOneSided(s *statement.Statement) {
	const fewest = 2
	if !s.ByNames || len(s.Fills) < fewest {
		return
	}
	side := s.Fills[0].Side
	for _, f := range s.Fills {
		if f.Side != side || f.Effect == parse.Closing {
			return
		}
	}
	s.Warn("Every fill in this file is a %s, so nothing in it closes a position. Check which column holds the side.", side)
}

func (p *plan) takeCash(s *statement.Statement, account ledger.Account) {
	for _, c := range s.Cash {
		switch {
		case c.Amount.IsZero():
			p.skipped = append(p.skipped, statement.Skip{Row: c.Row, Reason: reasonZeroAmount})
		case c.Currency != "" && !strings.EqualFold(c.Currency, account.BaseCurrency):
			p.problems = append(p.problems, Problem{c.Row, "This cash row is in " + c.Currency + ", the account is in " + account.BaseCurrency + "."})
		default:
			row := ledger.NewCash{Type: ledger.CashType(c.Type), Amount: c.Amount, OccurredAt: c.At, Note: c.Note}
			if err := row.Check(account.BaseCurrency); err != nil {
				p.problems = append(p.problems, Problem{c.Row, sentence(err)})
				continue
			}
			p.cash, p.cashRows = append(p.cash, row), append(p.cashRows, c.Row)
		}
	}
}

// takeFills returns the fills and removes them from the plan, so their memory can be
// released while they are stored.
func (p *plan) takeFills() []ledger.CheckedFill {
	fills := p.fills
	p.fills = nil
	return fills
}

// isEmpty reports whether there is nothing to import.
func (p *plan) isEmpty() bool { return len(p.fills) == 0 && len(p.cash) == 0 && len(p.actions) == 0 }

func newFill(f *statement.Fill, facts ledger.Facts) ledger.NewFill {
	return ledger.NewFill{
		Symbol: f.Symbol, InstrumentType: f.Type, Side: f.Side, Quantity: f.Quantity, Price: f.Price,
		Fees: f.Fees, Commission: f.Commission, Multiplier: f.Multiplier, StatedPnL: f.StatedPnL,
		ExecutedAt: f.At, ExternalID: f.ID, Details: details(f), Facts: facts | factsOf(f),
		Kind: f.Kind, EventID: f.EventID, BasisEstimated: f.BasisEstimated, Closes: f.Closes(),
	}
}

// factsOf returns the facts about a fill's values.
func factsOf(f *statement.Fill) (facts ledger.Facts) {
	for _, known := range []struct {
		is   bool
		fact ledger.Facts
	}{
		{f.FeesKnown, ledger.FeesStated},
		{f.CommissionKnown, ledger.CommissionStated},
		{f.Multiplier.Valid && !f.MultiplierAssumed, ledger.MultiplierStated},
		{f.NoSeconds, ledger.MinutePrecision},
		{f.NoTime, ledger.DayPrecision},
		{f.ZeroFraction, ledger.ZeroFraction},
		{f.ZoneAssumed, ledger.ZoneAssumed},
		{f.PartialQuantity, ledger.PartialQuantity},
	} {
		if known.is {
			facts |= known.fact
		}
	}
	return facts
}

// details returns a fill's details together with its contract.
func details(f *statement.Fill) map[string]string {
	if len(f.Details) == 0 && f.Right == "" && !f.Strike.Valid && f.Expiry == "" && f.Lot == "" {
		return nil
	}
	list := maps.Clone(f.Details)
	set := func(key, value string) {
		if value == "" {
			return
		}
		if list == nil {
			list = map[string]string{}
		}
		list[key] = value
	}
	set("option_right", f.Right)
	if f.Strike.Valid {
		set("strike", f.Strike.String())
	}
	set("expiry", string(f.Expiry))
	set("lot", f.Lot)
	if len(list) == 0 {
		return nil
	}
	return list
}

// sentence returns an error's message for the user.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*journal.Error](err); ok {
		return refusal.Message
	}
	return "This row cannot be stored."
}
