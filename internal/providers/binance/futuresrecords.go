package binance

import (
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

type income struct {
	Symbol   string        `json:"symbol"`
	Type     string        `json:"incomeType"`
	Amount   remote.Number `json:"income"`
	Currency string        `json:"asset"`
	Time     remote.Number `json:"time"`
	ID       remote.Number `json:"tranId"`
	Trade    remote.Number `json:"tradeId"`
}

// addIncome adds what moved money without a fill, and notes symbol and commission for the
// rest.
func (r *futuresRun) addIncome(i *income) {
	r.noteSymbol(i.Symbol)
	kind := classifyIncome(i.Type)
	if kind == "result" {
		if amount, err := decimal.Parse(string(i.Amount)); err == nil && i.Type == "COMMISSION" && i.Trade != "" {
			r.commissions[i.Symbol+":"+string(i.Trade)] = amount.Neg()
		}
		return
	}
	record, isNew := r.rows.Start(strings.Join([]string{i.Type, string(i.ID), i.Symbol, i.Currency, string(i.Trade), string(i.Amount)}, " "))
	if !isNew {
		return
	}
	cash := statement.Cash{
		Type: kind, Amount: record.Decimal("amount", i.Amount), Currency: i.Currency, At: record.Millis(i.Time), Note: strings.TrimSpace(i.Type + " " + i.Symbol),
	}
	switch kind {
	case "":
		if r.rows.Contains(cash.At) {
			r.rows.AddMessage("Binance has a kind of income that is not known here: %.40q. It was left out; enter it by hand if it moved money.", i.Type)
		}
		record.Skip(cash.At, statement.ReasonIgnored)
		return
	case "transfer":
		cash.Type = statement.TransferType(cash.Amount)
	}
	record.AddCash(cash)
}

// classifyIncome returns the cash type for an income type: transfer, result for income
// that comes with the fills, or an empty text for an unknown one.
func classifyIncome(text string) string {
	switch text {
	case "REALIZED_PNL", "COMMISSION":
		return "result"
	case "TRANSFER", "INTERNAL_TRANSFER", "CROSS_COLLATERAL_TRANSFER", "STRATEGY_UMFUTURES_TRANSFER":
		return "transfer"
	case "FUNDING_FEE":
		return "interest"
	case "WELCOME_BONUS", "INSURANCE_CLEAR", "REFERRAL_KICKBACK", "AUTO_EXCHANGE", "POSITION_LIMIT_INCREASE_FEE", "FEE_RETURN":
		return "adjustment"
	}
	isAdjustment := strings.HasSuffix(text, "_REBATE") || strings.HasSuffix(text, "_REWARD") || strings.HasPrefix(text, "OPTIONS_") ||
		strings.HasPrefix(text, "COIN_SWAP_") || strings.HasPrefix(text, "DELIVERED_")
	if isAdjustment {
		return "adjustment"
	}
	return ""
}

type futuresTrade struct {
	Symbol       string        `json:"symbol"`
	ID           remote.Number `json:"id"`
	Order        remote.Number `json:"orderId"`
	Side         string        `json:"side"`
	PositionSide string        `json:"positionSide"`
	Price        remote.Number `json:"price"`
	Quantity     remote.Number `json:"qty"`
	Fee          remote.Number `json:"commission"`
	FeeCurrency  string        `json:"commissionAsset"`
	IsMaker      bool          `json:"maker"`
	Time         remote.Number `json:"time"`
}

// addTrades adds a page of fills, and returns the symbol's next position, or an empty
// text.
func (r *futuresRun) addTrades(symbol string, page []futuresTrade) (string, error) {
	for i := range page {
		t := &page[i]
		if t.Symbol != symbol || t.ID == "" {
			return "", remote.Malformed("a fill is of another symbol or has no id")
		}
		r.addTrade(t)
	}
	if len(page) < pageSize {
		return "", nil
	}
	last := page[len(page)-1]
	id, err := strconv.ParseInt(string(last.ID), 10, 64)
	millis, timeErr := strconv.ParseInt(string(last.Time), 10, 64)
	if err != nil || timeErr != nil {
		return "", remote.Malformed("a fill has no id or no time")
	}
	if !time.UnixMilli(millis).Before(r.query.To) {
		return "", nil
	}
	return symbol + " " + strconv.FormatInt(id+1, 10), nil
}

func (r *futuresRun) addTrade(t *futuresTrade) {
	id := t.Symbol + ":" + string(t.ID) // unique for each symbol only
	record, isNew := r.rows.Start(id)
	if !isNew {
		return
	}
	instrument := statement.NameCoinContract(t.Symbol, "")
	fill := connector.NewFill(instrument)
	fill.ID, fill.At = id, record.Millis(t.Time)
	fill.Quantity, fill.Price = record.Decimal("quantity", t.Quantity), record.Decimal("price", t.Price)
	fill.Side = record.Side(t.Side, "BUY", "SELL")
	if t.PositionSide == "LONG" || t.PositionSide == "SHORT" {
		fill.Lot = strings.ToLower(t.PositionSide) // hedge mode: two positions in one symbol
	}
	record.ChargeCoins(&fill, instrument, r.findCost(record, t, id), t.FeeCurrency)
	connector.AddDetail(&fill, "order_id", string(t.Order))
	connector.AddLiquidity(&fill, t.IsMaker)
	record.AddFill(fill, instrument.Quote)
}

// The possible signs for a cost.
const (
	costPositive = "+"
	costNegative = "-"
)

// findCost returns a fill's commission; costs are positive. Binance's documentation shows
// a cost as a negative commission, its live data are reported to have it positive. The
// income, which is what moved, decides. Without it, the sign is the one an earlier fill
// had. Takers always pay.
func (r *futuresRun) findCost(record *connector.Record, t *futuresTrade, id string) decimal.Decimal {
	stated := record.Decimal("commission", t.Fee)
	if cost, isKnown := r.commissions[id]; isKnown && cost.Abs().Equal(stated.Abs()) && !stated.IsZero() {
		if r.kept[signKey] = costPositive; !cost.Equal(stated) {
			r.kept[signKey] = costNegative
		}
		return cost
	}
	switch {
	case !t.IsMaker:
		return stated.Abs()
	case r.kept[signKey] == costNegative:
		return stated.Neg()
	}
	return stated
}
