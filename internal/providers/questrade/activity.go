package questrade

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// activity is an entry of the account's history. It has no id, and its days are
// midnights in Toronto.
type activity struct {
	Date        string        `json:"transactionDate"`
	Action      string        `json:"action"`
	Symbol      string        `json:"symbol"`
	Description string        `json:"description"`
	Currency    string        `json:"currency"`
	Quantity    remote.Number `json:"quantity"`
	Price       remote.Number `json:"price"`
	NetAmount   remote.Number `json:"netAmount"`
	Type        string        `json:"type"`
}

// kinds are the kinds of activities, by type and action, as Questrade's files are read.
var kinds = []statement.Word{
	{Kind: statement.KindExpiry, Words: "* exp"},
	{Kind: statement.KindAssignment, Words: "* asn"},
	{Kind: statement.KindExercise, Words: "* exr"},
	{Kind: statement.KindTrade, Words: "trades*"},
	{Kind: statement.KindBuy, Words: "dividend reinvestment*"},
	{Kind: statement.KindDeposit, Words: "deposits*"},
	{Kind: statement.KindWithdrawal, Words: "withdrawals*"},
	{Kind: statement.KindDividend, Words: "dividends*"},
	{Kind: statement.KindInterest, Words: "interest*"},
	{Kind: statement.KindFee, Words: "fees and rebates*"},
	{Kind: statement.KindExchange, Words: "fx conversion*"},
	{Kind: statement.KindTransfer, Words: "transfers*"},
	{Kind: statement.KindAdjustment, Words: "*"},
}

// activityMargin is how far an activity's day may be from the time Questrade selects it
// by.
const activityMargin = 3 * 24 * time.Hour

// fetchActivities adds the query's cash, and the fills that are not executions.
func (r reader) fetchActivities(ctx context.Context) error {
	var answer struct {
		Activities remote.Member[[]activity] `json:"activities"`
	}
	if err := get(ctx, r.session, r.path+"/activities", r.window(activityMargin), &answer); err != nil {
		return err
	}
	if !answer.Activities.IsPresent {
		return remote.Malformed("it has no activities")
	}
	counts := map[activity]int{}
	for _, a := range answer.Activities.Value {
		counts[a]++
		if record, isNew := r.rows.Start(""); isNew {
			a.add(r.rows, record, counts[a])
		}
	}
	return nil
}

// toronto is the zone of Questrade's days.
var toronto = func() *time.Location {
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		panic("questrade: the zone of Toronto is missing: " + err.Error())
	}
	return zone
}()

// add adds the activity, which is one of several equal ones.
func (a activity) add(rows *connector.Rows, record *connector.Record, number int) {
	at := record.Time(a.Date)
	if !record.Failed() && !rows.Contains(at) {
		return
	}
	amount, quantity := record.Optional("net amount", a.NetAmount), record.Optional("quantity", a.Quantity)
	kind := statement.FindKind(kinds, a.Type+" "+a.Action)
	switch {
	case kind == statement.KindTrade: // it is an execution
	case kind == statement.KindExpiry, kind == statement.KindAssignment, kind == statement.KindExercise:
		fill := a.newFill(record, quantity, number)
		if kind == statement.KindExercise || kind == statement.KindExpiry && quantity.Sign() < 0 {
			fill.Side = matching.Sell
		}
		record.AddFill(fill, strings.ToUpper(a.Currency))
	case kind == statement.KindBuy && quantity.Sign() > 0:
		fill := a.newFill(record, quantity, number)
		if fill.Price = record.Optional("price", a.Price); fill.Price.IsZero() {
			fill.Price = amount.Abs().DivAverage(quantity)
		}
		record.AddFill(fill, strings.ToUpper(a.Currency))
	case amount.IsZero() && !quantity.IsZero():
		if !record.Failed() {
			rows.AddMessage("%s of %s on %s was skipped: it is not a trade. Adjust your position manually if it changed.",
				cmp.Or(a.Type, a.Action), cmp.Or(a.Symbol, "an unnamed security"), at.In(toronto).Format(time.DateOnly))
		}
		record.Skip(at, statement.ReasonSecurities)
	default:
		record.AddCash(statement.Cash{
			Type: statement.CashType(kind, amount, ""), Amount: amount, Currency: a.Currency, At: at, Note: strings.Join(strings.Fields(a.Description), " "),
		})
	}
}

// newFill returns a fill known only by day: a purchase at the day's end, after the day's
// trades, at a price of 0.
func (a activity) newFill(record *connector.Record, quantity decimal.Decimal, number int) statement.Fill {
	record.Select()
	fill := newFill(record, a.Symbol)
	fill.ID, fill.Side, fill.Quantity, fill.NoTime = a.newID(number), matching.Buy, quantity.Abs(), true
	fill.At = record.Time(a.Date).In(toronto).AddDate(0, 0, 1).Add(-time.Second).UTC()
	connector.AddDetail(&fill, "action", a.Action)
	return fill
}

// newID returns an id that is the same each time the activity is fetched.
func (a activity) newID(number int) string {
	const length = 12
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%s|%s|%s|%d", a.Date, a.Type, a.Action, a.Symbol, a.Quantity, a.NetAmount, number))
	return "activity:" + hex.EncodeToString(sum[:length])
}
