package imports

import (
	"errors"
	"maps"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Problem says why a row of the file was left out. Row counts the data rows
// from 1.
type Problem struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}

// plan is what a statement means for an account: rows that the ledger takes,
// and the rows that it would not.
type plan struct {
	fills []ledger.CheckedFill
	// index finds the place of a fill that something is written on.
	index       map[*statement.Fill]int
	cash        []ledger.NewCash
	annotations []*statement.Annotations
	problems    []Problem
	// rows counts the data rows of the file. fillRows and cashRows are the rows
	// of fills and cash; the other two are those of the statement.
	rows               int
	fillRows, cashRows []int
	skipped            []statement.Skip
	joined             map[int]int
}

// leftOut is the place of a fill that the plan does not have.
const leftOut = -1

// newPlan puts a statement into the ledger's words. Whatever the ledger would
// refuse is found here, row by row, so that the good rows can go in, and taken
// out of the statement. Who has no use for the statement's fills any more lets
// go of them, as a long file should not be held twice.
func newPlan(s *statement.Statement, account ledger.Account) *plan {
	p := &plan{
		index: make(map[*statement.Fill]int, len(s.Annotations)), rows: s.Rows, skipped: s.Skipped, joined: s.Joined,
		fillRows: make([]int, 0, len(s.Fills)),
	}
	for _, problem := range s.Problems {
		p.problems = append(p.problems, Problem(problem))
	}
	refused := map[int]bool{}
	all := make([]ledger.CheckedFill, len(s.Fills))
	for i, f := range s.Fills {
		var err error
		if all[i], err = newFill(f).ToChecked(); err != nil && !refused[f.Row] {
			refused[f.Row] = true
			p.problems = append(p.problems, Problem{Row: f.Row, Message: sentence(err)})
		}
	}
	for _, m := range s.Annotations {
		p.index[m.Fill] = leftOut
	}
	p.fills = all[:0]
	taken := s.Fills[:0]
	for i, f := range s.Fills {
		if refused[f.Row] { // a round trip goes in whole or not at all
			continue
		}
		if _, annotated := p.index[f]; annotated {
			p.index[f] = len(p.fills)
		}
		p.fills, p.fillRows = append(p.fills, all[i]), append(p.fillRows, f.Row)
		taken = append(taken, f)
	}
	s.Fills = taken
	warnOneSided(s)
	p.takeCash(s, account)
	p.planAnnotations(s)
	return p
}

// takeMarks plans what was written on the trades of the fills that go in.
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

// warnOneSided warns about a file that only buys or only sells: nothing in it
// closes a position, which mostly means that its side was misread.
func warnOneSided(s *statement.Statement) {
	const fewest = 2
	if len(s.Fills) < fewest {
		return
	}
	side := s.Fills[0].Side
	for _, f := range s.Fills {
		if f.Side != side || f.Effect == statement.Closing {
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

// empty tells that there is nothing to import.
func (p *plan) empty() bool { return len(p.fills) == 0 && len(p.cash) == 0 }

func newFill(f *statement.Fill) ledger.NewFill {
	return ledger.NewFill{
		Symbol: f.Symbol, InstrumentType: f.Type, Side: f.Side, Quantity: f.Quantity, Price: f.Price,
		Fees: f.Fees, Commission: f.Commission, Multiplier: f.Multiplier, StatedPnL: f.StatedPnL,
		ExecutedAt: f.At, ExternalID: f.ID, Details: details(f), Facts: factsOf(f),
	}
}

// factsOf returns how well an uploaded file knows the values of a fill.
func factsOf(f *statement.Fill) ledger.Facts {
	facts := ledger.FactsRecorded | ledger.Uploaded
	for _, known := range []struct {
		is   bool
		fact ledger.Facts
	}{
		{f.FeesKnown, ledger.FeesStated},
		{f.CommissionKnown, ledger.CommissionStated},
		{f.Multiplier.Valid && !f.MultiplierAssumed, ledger.MultiplierStated},
		{f.NoSeconds, ledger.MinutePrecision},
		{f.NoTime, ledger.DayPrecision},
		{f.ZoneAssumed, ledger.ZoneAssumed},
		{f.PartialQuantity, ledger.PartialQuantity},
	} {
		if known.is {
			facts |= known.fact
		}
	}
	return facts
}

// details puts the contract beside whatever else the file told of the fill.
func details(f *statement.Fill) map[string]string {
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

// sentence gives the words of a refusal that a person may see.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*journal.Error](err); ok {
		return refusal.Message
	}
	return "This row cannot be stored."
}
