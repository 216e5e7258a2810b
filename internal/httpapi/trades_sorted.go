package httpapi

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/ledger"
)

// TradeSort is the order in a trade list.
type TradeSort struct {
	Sort  enumParam[ledger.SortKey, sortKeys] `query:"sort" doc:"The field to sort by; trades without a value come last. Without it: newest first."`
	Order enumParam[string, sortOrders]       `query:"order" doc:"The direction of sort. Default asc. Without sort: desc is newest first, asc oldest first."`
}

type (
	sortKeys   struct{}
	sortOrders struct{}
)

func (sortKeys) values() []ledger.SortKey { return ledger.SortKeys() }
func (sortOrders) values() []string       { return []string{"asc", "desc"} }

// order returns the order; nil means newest first. byOpening reports which instant
// decides without sort.
func (in TradeSort) order(byOpening bool) *ledger.Sort {
	key, order := in.Sort.Value, in.Order.Value
	switch {
	case key == "" && order != "asc":
		return nil
	case key == "" && byOpening:
		key = ledger.SortOpenedAt
	case key == "":
		key = ledger.SortListedAt
	}
	return &ledger.Sort{By: key, Down: order == "desc"}
}

// rankKeys returns a record's keys in a sorted list. They contain the order, because a
// cursor is valid in one order only.
func rankKeys(order ledger.Sort, at ledger.RankedTrade) []string {
	value := at.Text
	if at.Number.Valid {
		value = at.Number.Decimal.String()
	}
	return append([]string{orderName(order), value}, tradeKeys(at.Place)...)
}

func orderName(order ledger.Sort) string {
	if order.Down {
		return "-" + string(order.By)
	}
	return string(order.By)
}

// decodeRankCursor parses a cursor with rankKeys. It returns nil if none.
func (p *Paging) decodeRankCursor(order ledger.Sort) (*ledger.RankedTrade, error) {
	keys, err := p.decodeCursor(2 + tradeKeyCount)
	if err != nil || keys == nil {
		return nil, err
	}
	place, err := parseTradeCursor(keys[2:])
	if err != nil {
		return nil, err
	}
	at := &ledger.RankedTrade{Place: *place}
	switch {
	case keys[0] != orderName(order):
		return nil, invalidCursor()
	case order.By == ledger.SortSymbol:
		at.Text = keys[1]
	case keys[1] != "":
		number, err := decimal.ParseExact(keys[1])
		if err != nil {
			return nil, invalidCursor()
		}
		at.Number = decimal.Of(number)
	}
	return at, nil
}
