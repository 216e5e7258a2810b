package backup

import (
	"context"
	"strconv"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// Units are the strategies that count as one. Its functions run inside a transaction.
type Units struct {
	// Find returns a function for the accepted or manual strategy of a trade, which returns
	// nil for trades by themselves.
	Find func(ctx context.Context, tx *db.Tx, owner journal.UserID) (func(journal.TradeID) *strategybook.Strategy, error)
	// Select returns a function that reports whether a trade's unit passes a filter's
	// conditions; nil means all do.
	Select TradeSelector
}

// unitTable has one row for each strategy that counts as one, and for every other trade, in
// the order of the newest of its trades. Its headers differ from those of trades, so it is
// not imported as a list of trades.
var unitTable = table{"Units", []string{
	"Unit", "Account", "Underlying", "Kind", "Name", "Direction", "Status", "Legs", "Opened", "Closed", "Credit", "Max Profit", "Max Loss",
	"Gross P&L", "Costs", "Net P&L", "Realized While Open", "Currency", "Initial Risk", "R Multiple", "Setups", "Tags", "Notes",
}, (*tableReader).unitRows}

// unitRows writes the units that pass the filter, each whole. Dates and the status test the
// unit itself.
func (t *tableReader) unitRows(write rowWriter) error {
	find, err := t.units.Find(t.ctx, t.tx, t.owner)
	if err != nil {
		return err
	}
	filter := &t.query.Filter
	passes, err := t.units.Select(t.ctx, t.tx, t.owner, *filter)
	if err != nil {
		return err
	}
	query := t.query
	query.Filter.Scope.Period, query.Filter.Status = journal.Period{}, ""
	query.Filter.Conditions = filter.WithoutLabels().WithoutSequence() // these test the units
	written := map[string]bool{}
	return t.list(t.ctx, t.tx, t.owner, query, func(v *tradeview.View) error {
		if passes != nil && !passes(v.ID) {
			return nil
		}
		s := find(v.ID)
		if s == nil {
			listed := v.OpenedAt
			if v.ClosedAt != nil && !filter.ByOpening {
				listed = *v.ClosedAt
			}
			if !filter.Status.Includes(v.Open()) || !filter.Scope.Period.Contains(listed) {
				return nil
			}
			return write(t.withConverted(t.aloneRow(v), func() *ConvertedTrade { return t.convert(v) }))
		}
		if written[s.ID] {
			return nil
		}
		written[s.ID] = true
		if !s.IsListed(filter) {
			return nil
		}
		return write(t.withConverted(t.strategyRow(s), func() *ConvertedTrade { return t.convertMembers(s) }))
	})
}

// withConverted adds the columns of amounts in another currency, if one was requested.
func (t *tableReader) withConverted(cells []cell, convert func() *ConvertedTrade) []cell {
	if t.convert == nil {
		return cells
	}
	return append(cells, convert().cells()...)
}

func statusCell(isOpen bool) cell {
	if isOpen {
		return text(string(ledger.StatusOpen))
	}
	return text(string(ledger.StatusClosed))
}

// aloneRow returns the row of a trade by itself.
func (t *tableReader) aloneRow(v *tradeview.View) []cell {
	return []cell{
		text("trade"), text(t.accounts[v.Account].Name), text(v.Instrument.Symbol), text(string(strategies.Single)), {}, text(string(v.Direction)), statusCell(v.Open()), whole(1),
		instant(v.OpenedAt), optionalInstant(v.ClosedAt), {}, {}, {},
		optionalNumber(v.GrossPnL), number(v.Costs()), optionalNumber(v.NetPnL), realizedCell(v.Open(), v.RealizedPnL), text(v.Currency),
		optionalNumber(v.Derived.InitialRisk), optionalNumber(v.Derived.RMultiple),
		text(joinNames(v.Annotations.Setups, t.setups)), text(joinNames(v.Annotations.Tags, t.tags)), text(v.Annotations.Notes),
	}
}

// strategyRow returns the row of a strategy.
func (t *tableReader) strategyRow(s *strategybook.Strategy) []cell {
	net, gross, costs, realized := s.Result()
	closed := s.ClosedAt()
	return []cell{
		text("strategy"), text(t.accounts[s.Account.ID].Name), text(s.Underlying), text(string(s.Kind)), text(s.Record.Name), text(string(s.Direction)),
		statusCell(closed == nil), {kind: numberCell, text: strconv.Itoa(len(s.Legs()))},
		instant(s.OpenedAt()), optionalInstant(closed), number(s.Credit()), optionalNumber(s.Payoff.MaxProfit), optionalNumber(s.Payoff.MaxLoss),
		optionalNumber(gross), number(costs), optionalNumber(net), realizedCell(closed == nil, realized), text(s.Account.BaseCurrency),
		optionalNumber(s.EffectiveRisk()), optionalNumber(s.RMultiple()),
		text(joinNames(s.Record.Setups, t.setups)), text(joinNames(s.Record.Tags, t.tags)), text(s.Record.Notes),
	}
}

func realizedCell(isOpen bool, realized decimal.Decimal) cell {
	if !isOpen {
		return cell{}
	}
	return number(realized)
}

// convertMembers returns a strategy's result in another currency: the sum over its trades,
// each at its own rate. It is absent while one is open, and nil if a rate is missing.
func (t *tableReader) convertMembers(s *strategybook.Strategy) *ConvertedTrade {
	sum := ConvertedTrade{GrossPnL: decimal.Of(decimal.Zero), NetPnL: decimal.Of(decimal.Zero)}
	for _, m := range s.Legs() {
		part := t.convert(&tradeview.View{Trade: ledger.Trade{
			ID: m.Trade, Account: s.Account.ID, Currency: s.Account.BaseCurrency, ClosedAt: m.ClosedAt, GrossPnL: m.Gross, NetPnL: m.Net,
		}})
		if part == nil {
			return nil
		}
		sum.Currency = part.Currency
		sum.GrossPnL = addKnown(sum.GrossPnL, part.GrossPnL)
		sum.NetPnL = addKnown(sum.NetPnL, part.NetPnL)
	}
	return &sum
}

// addKnown returns the sum of two amounts, absent if one is.
func addKnown(a, b decimal.Null) decimal.Null {
	if !a.Valid || !b.Valid {
		return decimal.Null{}
	}
	return decimal.Of(a.Decimal.Add(b.Decimal))
}
