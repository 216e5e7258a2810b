package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// Trip is a finished or open trade described by one row: two fills in a position of their
// own.
type Trip struct {
	Symbol, Type            string
	Short                   bool
	Quantity                decimal.Decimal
	Open, Close             parse.Moment // Close is zero while it is open
	OpenPrice               decimal.Decimal
	ClosePrice              decimal.Null
	Fees, Commission        decimal.Decimal // costs are positive
	Multiplier              decimal.Null
	Right                   string
	Strike                  decimal.Null
	Expiry                  journal.Day
	GrossPnL, NetPnL        decimal.Null // what the file says, before and after costs
	ID                      string
	TrustPnL                bool // the stated result counts whatever the prices: forex, CFDs, foreign money
	Details                 map[string]string
	OpenFillID, CloseFillID string
	CloseKind               matching.Kind // the exit's
}

// Trip emits a round trip's fills as a separate position, and returns the opening one for
// annotations.
//
// The stated result counts wherever prices do not give exactly the same, however near
// they are. If the file has only the result after costs, and prices are certain, the
// difference is the costs.
func (w *Row) Trip(t Trip) *Fill {
	lot := t.lot(w.r)
	open := Fill{
		Symbol: t.Symbol, Type: t.Type, Side: matching.Buy, Quantity: t.Quantity, Price: t.OpenPrice, At: t.Open.At,
		DateOnly: t.Open.DateOnly, Effect: parse.Opening, Multiplier: t.Multiplier, Right: t.Right, Strike: t.Strike,
		Expiry: t.Expiry, Lot: lot, Details: t.Details, ID: t.OpenFillID,
	}
	if t.ID != "" && open.ID == "" {
		open.ID = t.ID + "/open"
	}
	exit := open
	exit.Effect, exit.Side = parse.Closing, matching.Sell
	if t.Short {
		open.Side, exit.Side = matching.Sell, matching.Buy
	}
	first := w.Fill(open)
	if t.Close.At.IsZero() || !t.ClosePrice.Valid {
		first.Commission, first.Fees = t.Commission, t.Fees
		return first
	}
	exit.Price, exit.At, exit.DateOnly, exit.Kind = t.ClosePrice.Decimal, t.Close.At, t.Close.DateOnly, t.CloseKind
	exit.ID = t.CloseFillID
	if t.ID != "" && exit.ID == "" {
		exit.ID = t.ID + "/close"
	}
	exit.Fees, exit.Commission = t.Fees, t.Commission
	w.stateResult(&t, first, &exit)
	if exit.At.Before(first.At) {
		w.Fail("It closes before it opens.")
	}
	w.Fill(exit)
	return first
}

// stateResult sets the trade's result.
func (w *Row) stateResult(t *Trip, open, exit *Fill) {
	costs := exit.Fees.Add(exit.Commission)
	stated := t.GrossPnL
	if !stated.Valid && t.NetPnL.Valid {
		stated = decimal.Of(t.NetPnL.Decimal.Add(costs))
	}
	if !stated.Valid {
		return
	}
	computed := exit.Price.Sub(open.Price).Mul(open.Quantity).Mul(open.effectiveMultiplier())
	if t.Short {
		computed = computed.Neg()
	}
	off := computed.Sub(stated.Decimal)
	switch {
	case off.IsZero() && !t.TrustPnL:
		return
	case !t.TrustPnL && !t.GrossPnL.Valid && costs.IsZero() && plausibleCosts(off, open):
		exit.Fees = off
		return
	}
	exit.StatedPnL = stated
}

// plausibleCosts reports whether the gap between price and result may be costs: the
// instrument's multiplier is certain, and the gap is a cent or more and less than 2 % of
// the traded value. A smaller gap is a rounded price.
func plausibleCosts(gap decimal.Decimal, open *Fill) bool {
	if open.Type != "" && open.Type != instruments.TypeStock && open.Type != instruments.TypeOption && open.Type != instruments.TypeFuture {
		return false
	}
	if gap.Cmp(hundredth) < 0 {
		return false
	}
	traded := open.Price.Mul(open.Quantity).Mul(open.effectiveMultiplier()).Abs()
	return gap.Mul(decimal.New(50)).Cmp(traded) < 0
}

// lot names the position: by the file's own id, or by the row's values and how often they
// occurred before.
func (t *Trip) lot(r *Reader) string {
	if t.ID != "" {
		return t.ID
	}
	text := strings.Join([]string{
		t.Symbol, t.Type, strconv.FormatBool(t.Short), t.Quantity.String(), t.Open.At.String(), t.Close.At.String(),
		t.OpenPrice.String(), t.ClosePrice.String(), t.Right, t.Strike.String(), string(t.Expiry),
	}, "|")
	r.lots[text]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d", text, r.lots[text]))
	return hex.EncodeToString(sum[:6])
}

// NonZero returns a number from a file in which 0 means none, as platforms write it for
// an absent stop or target.
func NonZero(n decimal.Null) decimal.Null {
	if n.Decimal.IsZero() {
		return decimal.Null{}
	}
	return n
}

// Grade reads a grade from 1 to 5; 0 means none.
func Grade(text string) annotations.Grade {
	n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
	if err != nil || n < 1 || n > annotations.MaxGrade {
		return 0
	}
	return annotations.Grade(n)
}

// List splits a list cell.
func List(text string) []string {
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' || r == '\n' }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
