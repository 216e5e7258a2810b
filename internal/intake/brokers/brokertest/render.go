package brokertest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/matching"
)

// Render writes a statement for a person to check line by line.
func Render(s *statement.Statement, found statement.Detection) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s / %s, %s, %s, rows %d, zone %s", s.Broker, found.Preset.Export, s.Format, s.Source, s.Rows, s.Zone)
	if s.DateOrder != "" {
		fmt.Fprintf(&b, ", %s", s.DateOrder)
	}
	fmt.Fprintf(&b, "\nbecause %s\n", found.Reason)
	if s.Account != (statement.Account{}) {
		fmt.Fprintf(&b, "account %q type %q currency %q\n", s.Account.Name, s.Account.Type, s.Account.Currency)
	}
	for _, f := range s.Fills {
		b.WriteString(fill(f))
	}
	for _, c := range s.Cash {
		fmt.Fprintf(&b, "%3d cash %s %s %s at %s %q\n", c.Row, c.Type, c.Amount, c.Currency, journal.FormatInstant(c.At), c.Note)
	}
	for _, m := range s.Annotations {
		b.WriteString(renderAnnotations(m))
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "%3d problem %s\n", p.Row, p.Message)
	}
	for _, k := range s.Skipped {
		fmt.Fprintf(&b, "%3d skipped %s\n", k.Row, k.Reason)
	}
	for _, a := range s.Actions {
		b.WriteString(renderAction(a))
	}
	for _, u := range s.UnknownKinds {
		chosen := ""
		if u.Kind != "" {
			chosen = ", read as " + string(u.Kind)
		}
		fmt.Fprintf(&b, "unknown kind %q in %d rows, such as %q%s\n", u.Word, u.Rows, u.Example, chosen)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	for _, t := range s.Totals {
		fmt.Fprintf(&b, "total %s stated %s computed %s\n", t.Item, t.Stated, t.Computed)
	}
	return b.String()
}

func renderAction(a statement.Action) string {
	var b strings.Builder
	symbol := a.Symbol
	if symbol == "" {
		symbol = strings.Join(a.Candidates, " or ")
	}
	fmt.Fprintf(&b, "%3d %s of %s on %s", a.Row, strings.ReplaceAll(string(a.Kind), "_", " "), symbol, a.Day)
	if a.NewSymbol != "" {
		fmt.Fprintf(&b, " to %s", a.NewSymbol)
	}
	if a.New == 0 {
		fmt.Fprintf(&b, " adds %s", a.Came)
	} else {
		fmt.Fprintf(&b, " is %d for %d", a.New, a.Old)
	}
	if a.Cash.Valid {
		fmt.Fprintf(&b, " and %s a share", a.Cash)
	}
	if !a.Left.IsZero() {
		fmt.Fprintf(&b, " if %s were held", a.Left)
	}
	if a.SharesOnly {
		b.WriteString(", shares only")
	}
	if a.OptionsOnly {
		b.WriteString(", options only")
	}
	return b.String() + "\n"
}

func fill(f *statement.Fill) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%3d %s %s %s @ %s at %s", f.Row, f.Side, f.Quantity, contract(f), f.Price, journal.FormatInstant(f.At))
	if f.DateOnly {
		b.WriteString(" (day)")
	}
	optional := func(name string, n decimal.Null) {
		if n.Valid {
			fmt.Fprintf(&b, " %s %s", name, n)
		}
	}
	optional("x", f.Multiplier)
	optional("fees", decimal.Null{Decimal: f.Fees, Valid: !f.Fees.IsZero()})
	optional("commission", decimal.Null{Decimal: f.Commission, Valid: !f.Commission.IsZero()})
	optional("pnl", f.StatedPnL)
	optional("position", f.PositionAfter)
	optional("flow", f.StatedCashFlow)
	switch f.Effect {
	case parse.Opening:
		b.WriteString(" opening")
	case parse.Closing:
		b.WriteString(" closing")
	case parse.EffectUnknown:
	}
	if f.Kind != matching.KindTrade {
		fmt.Fprintf(&b, " kind %s", f.Kind)
	}
	if f.EventID != "" {
		fmt.Fprintf(&b, " event %q", f.EventID)
	}
	if f.Lot != "" {
		fmt.Fprintf(&b, " lot %s", f.Lot)
	}
	if f.ID != "" {
		fmt.Fprintf(&b, " id %s", f.ID)
	}
	for _, key := range slices.Sorted(maps.Keys(f.Details)) {
		fmt.Fprintf(&b, " %s=%q", key, f.Details[key])
	}
	return b.String() + "\n"
}

func contract(f *statement.Fill) string {
	text := f.Symbol
	if f.Type != "" {
		text = f.Type + " " + text
	}
	if f.Right != "" {
		text += fmt.Sprintf(" %s %s %s", f.Right, f.Strike, f.Expiry)
	}
	return text
}

// rendered are the annotations with a fixed place in the text. Others follow if they have
// a value.
var rendered = map[string]bool{
	"notes": true, "initial_risk": true, "stop_price": true, "target_price": true, "last_stop": true, "mae": true, "mfe": true,
	"emotional_state": true, "confidence": true, "trade_quality": true, "reviewed_at": true,
}

func renderAnnotations(m *statement.Annotations) string {
	last := ""
	if m.LastStop.Valid {
		last = " last stop " + m.LastStop.String()
	}
	text := fmt.Sprintf("%3d annotations notes %q tags %q mistakes %q setups %q risk %s stop %s target %s%s mae %s mfe %s emotion %q confidence %d quality %d",
		m.Row, m.Notes, m.Tags, m.Mistakes, m.Setups, m.InitialRisk, m.StopPrice, m.TargetPrice, last, m.MAE, m.MFE, m.EmotionalState, m.Confidence, m.TradeQuality)
	if m.ReviewedAt != nil {
		text += " reviewed " + journal.FormatInstant(*m.ReviewedAt)
	}
	var further strings.Builder
	for _, f := range annotations.Fields {
		if !rendered[f.Name] && !f.IsEmpty(&m.Values) {
			fmt.Fprintf(&further, " %s %v", f.Name, reflect.ValueOf(f.At(&m.Values)).Elem())
		}
	}
	return text + further.String() + "\n"
}
