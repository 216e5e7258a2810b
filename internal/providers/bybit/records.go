package bybit

import (
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

// Bybit's market names.
const (
	linear  = "linear"
	inverse = "inverse"
	spot    = "spot"
	option  = "option"
)

type execution struct {
	Symbol      string        `json:"symbol"`
	Side        string        `json:"side"`
	ID          string        `json:"execId"`
	Order       string        `json:"orderId"`
	Price       remote.Number `json:"execPrice"`
	Quantity    remote.Number `json:"execQty"`
	Fee         remote.Number `json:"execFee"`
	FeeRate     remote.Number `json:"feeRate"`
	FeeCurrency string        `json:"feeCurrency"`
	Result      remote.Number `json:"execPnl"`
	Type        string        `json:"execType"`
	Time        remote.Number `json:"execTime"`
	IsMaker     *bool         `json:"isMaker"`
	Sequence    remote.Number `json:"seq"`
}

func (r *run) addExecution(category string, e *execution) {
	record, isNew := r.rows.Start(e.ID)
	if !isNew {
		return
	}
	if e.ID == "" || e.Symbol == "" {
		record.Fail("The broker's record has no id or no symbol.")
	}
	record.Order, _ = strconv.ParseInt(string(e.Sequence), 10, 64)
	switch e.Type {
	case "Trade", "AdlTrade", "BustTrade", "Delivery", "Settle", "BlockTrade", "MovePosition", "FutureSpread":
		r.addFill(record, category, e)
	case "Funding":
		instrument := findInstrument(category, e.Symbol)
		record.AddCash(statement.Cash{
			Type: "interest", Amount: record.Decimal("fee", e.Fee).Neg(), Currency: instrument.Quote, At: record.Millis(e.Time), Note: "funding " + e.Symbol,
		})
	case "CorporateAction":
		at := record.Millis(e.Time)
		if r.rows.Contains(at) {
			r.rows.AddMessage("%s had a corporate action on %s, such as a split. It was left out; change the position by hand.", e.Symbol, at.Format(time.DateOnly))
		}
		record.Skip(at, statement.ReasonSecurities)
	default:
		if at := record.Millis(e.Time); r.rows.Contains(at) {
			record.Fail("The broker's record has an unknown type, %.40q.", e.Type)
		}
	}
}

func (r *run) addFill(record *connector.Record, category string, e *execution) {
	instrument := findInstrument(category, e.Symbol)
	fill := connector.NewFill(instrument)
	fill.ID, fill.At = e.ID, record.Millis(e.Time)
	fill.Quantity, fill.Price = record.Decimal("quantity", e.Quantity), record.Decimal("price", e.Price)
	fill.Side = record.Side(e.Side, "Buy", "Sell")
	if category == inverse {
		r.setResult(record, &fill, e)
	}
	record.ChargeCoins(&fill, instrument, record.Decimal("fee", e.Fee), e.feeCoin(record, category, instrument))
	connector.AddDetail(&fill, "order_id", e.Order)
	if e.IsMaker != nil {
		connector.AddLiquidity(&fill, *e.IsMaker)
	}
	if e.Type != "Trade" {
		connector.AddDetail(&fill, "kind", e.Type)
	}
	record.AddFill(fill, instrument.Quote)
}

// setResult sets the result for a contract settled in its coin, which prices in dollars
// do not give.
func (r *run) setResult(record *connector.Record, fill *statement.Fill, e *execution) {
	if result := record.Optional("result", e.Result); !result.IsZero() {
		fill.StatedPnL = decimal.Of(result)
	}
	if e.Result == "" && !record.Failed() && r.rows.Contains(fill.At) {
		r.rows.AddMessage("%s is settled in its coin, and Bybit did not report results. Import the closed P&L instead.", e.Symbol)
	}
}

// feeCoin returns the fee's coin. Without a name it is the coin a contract is settled in,
// and of a pair the coin that came in, or the other one for what a maker gets.
func (e *execution) feeCoin(record *connector.Record, category string, of statement.Instrument) string {
	if e.FeeCurrency != "" {
		return e.FeeCurrency
	}
	if category != spot {
		return of.Quote
	}
	isRebate := e.IsMaker != nil && *e.IsMaker && record.Optional("fee rate", e.FeeRate).Sign() < 0
	if (e.Side == "Buy") != isRebate {
		return of.Base
	}
	return of.Quote
}

// spotQuotes are the coins Bybit prices others in.
var spotQuotes = strings.Fields("USDT USDC USDE USDR USD1 DAI BTC ETH MNT EUR BRL PLN TRY")

// findInstrument returns a symbol's instrument in a market. Inverse contracts are priced
// in dollars and settled in their coin.
func findInstrument(category, symbol string) statement.Instrument {
	switch category {
	case spot:
		pair := statement.NamePair(symbol, "")
		pair.Base, pair.Quote = statement.SplitPairBy(symbol, spotQuotes)
		return pair
	case inverse:
		coin, _, _ := strings.Cut(strings.ToUpper(symbol), "USD")
		return statement.NewCoinContract(symbol, coin, coin)
	}
	base, quote := splitLinear(strings.ToUpper(symbol))
	return statement.NewCoinContract(symbol, base, quote)
}

// splitLinear returns the coin of a contract or an option, and the one it is settled in:
// BTCUSDT, BTCPERP, BTC-26DEC25, BTCUSDT-26DEC25, BTC-27JUN25-100000-C-USDT.
func splitLinear(symbol string) (base, quote string) {
	name, _, _ := strings.Cut(symbol, "-")
	base, quote = statement.SplitPairBy(strings.TrimSuffix(name, "PERP"), []string{"USDT", "USDC"})
	switch {
	case quote != "":
		return base, quote
	case strings.HasSuffix(symbol, "-USDT"):
		return base, "USDT"
	}
	return base, "USDC"
}

type movement struct {
	ID       string        `json:"id"`
	Symbol   string        `json:"symbol"`
	Type     string        `json:"type"`
	Time     remote.Number `json:"transactionTime"`
	Currency string        `json:"currency"`
	Change   remote.Number `json:"change"`
	Trade    string        `json:"tradeId"`
	Balance  remote.Number `json:"cashBalance"`
}

// addMovement adds a log row. Fills and funding come from the executions.
func (r *run) addMovement(m *movement) {
	kind := ""
	switch base, _, _ := strings.Cut(m.Type, "_"); {
	case strings.HasPrefix(m.Type, "TRANSFER_IN"), strings.HasPrefix(m.Type, "TRANSFER_OUT"), base == "DEPOSIT", base == "WITHDRAW":
		kind = "transfer"
	case base == "INTEREST":
		kind = "interest"
	case base == "BONUS", base == "AIRDROP", m.Type == "FEE_REFUND", m.Type == "AUTO_DEDUCTION", m.Type == "CURRENCY_BUY", m.Type == "CURRENCY_SELL":
		kind = "adjustment"
	case m.Type == "TRADE", m.Type == "SETTLEMENT", m.Type == "DELIVERY", m.Type == "LIQUIDATION", m.Type == "ADL":
		return
	}
	record, isNew := r.rows.Start(strings.Join([]string{"log", m.ID, string(m.Time), m.Type, m.Currency, string(m.Change), m.Trade, string(m.Balance)}, " "))
	if !isNew {
		return
	}
	cash := statement.Cash{
		Type: kind, Amount: record.Decimal("change", m.Change), Currency: m.Currency, At: record.Millis(m.Time), Note: strings.TrimSpace(m.Type + " " + m.Symbol),
	}
	switch kind {
	case "":
		if r.rows.Contains(cash.At) {
			r.rows.AddMessage("Bybit's log has a kind of row that is not known here: %.40q. It was left out; enter it by hand if it moved money.", m.Type)
		}
		record.Skip(cash.At, statement.ReasonIgnored)
		return
	case "transfer":
		cash.Type = statement.TransferType(cash.Amount)
	}
	record.AddCash(cash)
}
