package ledger

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// The record types of the history.
var (
	accountHistory = history.NewType("account", fields.List[Account]{
		fields.NewText("name", func(a *Account) *string { return &a.Name }),
		fields.NewText("broker", func(a *Account) *string { return &a.Broker }),
		fields.NewText("account_type", func(a *Account) *string { return &a.Type }),
		fields.NewText("base_currency", func(a *Account) *string { return &a.BaseCurrency }),
		fields.NewAmount("starting_balance", func(a *Account) *decimal.Decimal { return &a.StartingBalance }),
	}, history.Of[Account]{
		ID: func(a *Account) string { return string(a.ID) }, Label: func(a *Account) string { return a.Name },
		Account: func(a *Account) *journal.AccountID { return &a.ID },
	})
	executionHistory = history.NewType("execution", fields.List[Execution]{
		fields.NewText("symbol", func(e *Execution) *string { return &e.Instrument.Symbol }),
		fields.NewText("instrument_type", func(e *Execution) *string { return &e.Instrument.Type }),
		fields.NewText("side", func(e *Execution) *matching.Side { return &e.Side }),
		fields.NewAmount("quantity", func(e *Execution) *decimal.Decimal { return &e.Quantity }),
		fields.NewAmount("price", func(e *Execution) *decimal.Decimal { return &e.Price }),
		fields.NewAmount("fees", func(e *Execution) *decimal.Decimal { return &e.Fees }),
		fields.NewAmount("commission", func(e *Execution) *decimal.Decimal { return &e.Commission }),
		fields.NewAmount("multiplier", func(e *Execution) *decimal.Decimal { return &e.Multiplier }),
		fields.NewNumber("stated_pnl", func(e *Execution) *decimal.Null { return &e.StatedPnL }),
		fields.NewTime("executed_at", func(e *Execution) *time.Time { return &e.ExecutedAt }),
		fields.NewLink("external_id", func(e *Execution) **string { return &e.ExternalID }),
		fields.NewShown("details", showDetails).SetAs(setDetails),
		fields.NewShown("kind", func(e *Execution) any { return e.Kind.String() }).SetAs(setKind),
		fields.NewText("event_id", func(e *Execution) *string { return &e.EventID }),
		fields.NewFlag("basis_estimated", func(e *Execution) *bool { return &e.BasisEstimated }),
		// Names with a dot are not shown to users: an undo needs the values.
		fields.NewFlag(".closes", func(e *Execution) *bool { return &e.Closes }),
		fields.NewShown(".facts", showFacts).SetAs(setFacts).AsSet(),
		fields.NewText(".origin", func(e *Execution) *string { return &e.Origin }),
	}, history.Of[Execution]{
		ID: func(e *Execution) string { return string(e.ID) }, Label: func(e *Execution) string { return e.Instrument.Symbol },
		Account: func(e *Execution) *journal.AccountID { return &e.Account },
		Related: relatedTrades,
	})
	cashHistory = history.NewType("cash_transaction", cashTable.Fields, history.Of[cashRow]{
		ID: func(c *cashRow) string { return string(c.ID) }, Label: func(c *cashRow) string { return string(c.Type) },
		Account: func(c *cashRow) *journal.AccountID { return &c.Account },
	})
)

func showDetails(e *Execution) any {
	if len(e.Details) == 0 {
		return nil
	}
	text, err := json.Marshal(e.Details, json.Deterministic(true))
	if err != nil {
		panic(err) // texts always marshal
	}
	return jsontext.Value(text)
}

// showFacts returns the facts as a list of bits.
func showFacts(e *Execution) any {
	var bits []int
	for bit := range 16 {
		if e.Facts>>bit&1 != 0 {
			bits = append(bits, bit)
		}
	}
	return fields.ShowList(bits)
}

// setFacts sets the facts to a list of bits. The last one is the sign of two stored bytes.
func setFacts(e *Execution, value jsontext.Value) error {
	var bits []int
	if err := json.Unmarshal(value, &bits); err != nil {
		return err
	}
	var stored int16
	for _, bit := range bits {
		stored |= 1 << bit
	}
	e.Facts = Facts(stored)
	return nil
}

// setKind sets an execution's kind to one in the history.
func setKind(e *Execution, value jsontext.Value) (err error) {
	var name string
	if value.Kind() == 'n' {
		e.Kind = 0
		return nil
	}
	if err := json.Unmarshal(value, &name); err != nil {
		return err
	}
	e.Kind, err = matching.ParseKind(name)
	return err
}

// setDetails sets an execution's details to those in the history.
func setDetails(e *Execution, value jsontext.Value) error {
	e.Details = nil
	if value.Kind() == 'n' {
		return nil
	}
	return json.Unmarshal(value, &e.Details)
}

// relatedTrades makes a fill's changes part of its trades' histories.
func relatedTrades(e *Execution) (keys []history.Key) {
	for _, id := range e.TradeIDs {
		keys = append(keys, history.Key{Type: "trade", ID: string(id)})
	}
	return keys
}

// recordFills records new fills and changed ones. Those of an import go with it, so only the
// changed ones are listed.
func (b *book) recordFills(arrivals []*arrival, known *knownFills, from importSource) error {
	if from.batch == "" {
		for _, a := range arrivals {
			if a.known != nil {
				continue
			}
			e, err := a.toExecution(b.account, *a.key, nil, a.next)
			if err != nil {
				return err
			}
			executionHistory.Created(b.tx, b.owner, &e)
		}
	}
	for _, c := range known.changed {
		if err := b.recordChanged(c.before, c.after, c.key, c.key); err != nil {
			return err
		}
	}
	return nil
}

// recordChanged records that a fill has changed.
func (b *book) recordChanged(before, after *fill, was, is streamKey) error {
	old, err := before.toExecution(b.account, was, nil, before.links)
	if err != nil {
		return err
	}
	next, err := after.toExecution(b.account, is, nil, after.next)
	if err != nil {
		return err
	}
	executionHistory.Updated(b.tx, b.owner, &old, &next)
	return nil
}

// keepFills records the deletion of fills and keeps their rows.
func (b *book) keepFills(ctx context.Context, fills []*fill) error {
	for _, f := range fills {
		e, err := b.describe(ctx, f, f.links)
		if err != nil {
			return err
		}
		executionHistory.Deleted(b.tx, b.owner, &e)
		if err := b.keepStreams(ctx, map[int64]bool{f.stream: true}); err != nil {
			return err
		}
		for _, table := range []string{"executions", "fill_sources"} {
			where, args := `account = $2 AND seq = $3`, []any{b.account.number, f.seq}
			if table == "executions" {
				where, args = where+` AND executed_at = $4`, append(args, f.at)
			}
			if err := history.Keep(ctx, b.tx, b.owner, table, where, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// LabelTrades returns the symbols of trades, by which users know them. It is a step.
func LabelTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]string, error) {
	labels := make(map[string]string, len(ids))
	keys := make([]journal.TradeID, len(ids))
	for i, id := range ids {
		keys[i] = journal.TradeID(id)
	}
	err := db.EachIn(ctx, tx, keys, func(row db.Scanner) error {
		var id journal.TradeID
		var symbol string
		err := row.Scan(&id, &symbol)
		labels[string(id)] = symbol
		return err
	}, `SELECT trades.id, streams.symbol FROM trades JOIN streams ON streams.user_id = trades.user_id AND streams.number = trades.stream
		WHERE trades.user_id = $1 AND trades.id IN $keys`, owner)
	return labels, err
}

// overrideOf is an override with its account.
type overrideOf struct {
	Override
	account journal.AccountID
}

var overrideHistory = history.NewType("instrument", fields.List[overrideOf]{
	fields.NewAmount("multiplier", func(o *overrideOf) *decimal.Decimal { return &o.Multiplier }),
	fields.NewNumber("tick_size", func(o *overrideOf) *decimal.Null { return &o.TickSize }),
}, history.Of[overrideOf]{
	ID: func(o *overrideOf) string { return string(o.account) + " " + o.Root }, Label: func(o *overrideOf) string { return o.Root },
	Account: func(o *overrideOf) *journal.AccountID { return &o.account },
})

// recordOverrides records the differences between an account's overrides.
func recordOverrides(tx *db.Tx, owner journal.UserID, a Account, before, after []Override) {
	history.Describe(tx, owner, history.Description{Action: history.Settings})
	known := map[string]Override{}
	for _, o := range before {
		known[o.Root] = o
	}
	for _, o := range after {
		next := overrideOf{o, a.ID}
		if old, ok := known[o.Root]; ok {
			overrideHistory.Updated(tx, owner, &overrideOf{old, a.ID}, &next)
		} else {
			overrideHistory.Created(tx, owner, &next)
		}
		delete(known, o.Root)
	}
	for _, o := range before {
		if _, left := known[o.Root]; left {
			overrideHistory.Deleted(tx, owner, &overrideOf{o, a.ID})
		}
	}
}
