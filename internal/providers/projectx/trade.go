package projectx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// trade is a half turn, which is a fill.
type trade struct {
	ID         remote.Number `json:"id"`
	AccountID  remote.Number `json:"accountId"`
	ContractID string        `json:"contractId"`
	Time       string        `json:"creationTimestamp"`
	Price      remote.Number `json:"price"`
	Fees       remote.Number `json:"fees"`
	Side       *int          `json:"side"`
	Size       remote.Number `json:"size"`
	IsVoided   bool          `json:"voided"`
	OrderID    remote.Number `json:"orderId"`
}

// tradeReader adds the trades of one query to rows.
type tradeReader struct {
	session *remote.Session
	rows    *connector.Rows
	// contracts are those that were looked up.
	contracts map[string]contract
}

// fetch adds an account's trades. ProjectX documents no pages.
func (r tradeReader) fetch(ctx context.Context, accountID string, query connector.Query) error {
	var answer struct {
		Trades remote.Member[[]trade] `json:"trades"`
	}
	err := post(ctx, r.session, tradesPath, map[string]any{
		"accountId": json.Number(accountID),
		// The documentation does not state whether the ends are included.
		"startTimestamp": formatTime(query.From.Add(-time.Second)), "endTimestamp": formatTime(query.To.Add(time.Second)),
	}, &answer)
	if err != nil {
		return err
	}
	if !answer.Trades.IsPresent {
		return remote.Malformed("it has no trades")
	}
	for _, t := range answer.Trades.Value {
		if t.ID == "" || string(t.AccountID) != accountID {
			return remote.Malformed("a trade has no id or is of another account")
		}
		if err := r.add(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// add adds a trade to the rows.
func (r tradeReader) add(ctx context.Context, t trade) error {
	record, isNew := r.rows.Start(string(t.ID))
	if !isNew {
		return nil
	}
	fill := statement.Fill{
		ID: string(t.ID), At: record.Time(t.Time), Quantity: record.Decimal("size", t.Size), Price: record.Decimal("price", t.Price),
		Fees: record.Optional("fee", t.Fees), FeesKnown: t.Fees != "",
	}
	if !record.Failed() && !r.rows.Contains(fill.At) {
		return nil
	}
	if t.IsVoided {
		r.rows.Withdraw(string(t.ID))
		record.Skip(fill.At, "canceled by the broker")
		return nil
	}
	switch {
	case t.Side != nil && *t.Side == 0:
		fill.Side = matching.Buy
	case t.Side != nil && *t.Side == 1:
		fill.Side = matching.Sell
	default:
		record.Fail("The broker's record has a side that is not known.")
	}
	found, err := r.findContract(ctx, t.ContractID)
	if err != nil {
		return err
	}
	fill.SetInstrument(found.instrument)
	if fill.Symbol == "" {
		record.Fail("The broker's record has no contract.")
	}
	if found.warning != "" {
		r.rows.AddMessage("%s", found.warning)
	}
	if numeric, ok := record.Optional("id", t.ID).ToScaled(0); ok {
		record.Order = numeric
	}
	connector.AddDetail(&fill, "order_id", string(t.OrderID))
	record.AddFill(fill, "USD")
	return nil
}

// contract is a futures contract and what the user must know about it.
type contract struct {
	instrument statement.Instrument
	warning    string
}

// findContract looks a contract up. Old contracts may be missing at ProjectX.
func (r tradeReader) findContract(ctx context.Context, id string) (contract, error) {
	if known, ok := r.contracts[id]; ok || id == "" {
		return known, nil
	}
	var answer struct {
		Contract *struct {
			Name      string        `json:"name"`
			TickSize  remote.Number `json:"tickSize"`
			TickValue remote.Number `json:"tickValue"`
		} `json:"contract"`
	}
	err := post(ctx, r.session, contractPath, map[string]string{"contractId": id}, &answer)
	if err != nil && !errors.Is(err, remote.ErrRefused) && !errors.Is(err, remote.ErrNotFound) {
		return contract{}, err
	}
	found := contract{instrument: nameContract(id)}
	if c := answer.Contract; c != nil && c.Name != "" {
		found.instrument = statement.NameFuture(c.Name, instruments.TypeFuture)
		found.instrument.Multiplier = divide(c.TickValue, c.TickSize)
	}
	if !found.instrument.Multiplier.Valid {
		_, found.warning = instruments.DefaultMultiplier(found.instrument.Symbol, instruments.TypeFuture)
	}
	r.contracts[id] = found
	return found, nil
}

// divide returns the value of a point from those of a tick, or none if it is not known.
func divide(value, size remote.Number) decimal.Null {
	v, err := decimal.Parse(string(value))
	s, err2 := decimal.Parse(string(size))
	if err != nil || err2 != nil || v.Sign() <= 0 || s.Sign() <= 0 {
		return decimal.Null{}
	}
	const decimals = 8
	return decimal.Of(v.DivRound(s, decimals))
}

// nameContract returns the contract with an id such as CON.F.US.EP.U26, named as ProjectX
// names it: ESU6.
func nameContract(id string) statement.Instrument {
	i := statement.NameFuture(id, instruments.TypeFuture)
	if c, ok := instruments.ParseFuture(id); ok && c.Delivery.Month != 0 {
		const codes, digit = "FGHJKMNQUVXZ", 10
		i.Symbol = fmt.Sprintf("%s%c%d", c.Root.Symbol, codes[c.Delivery.Month-1], c.Delivery.Year%digit)
	}
	return i
}
