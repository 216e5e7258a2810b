package okx

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

// OKX's instrument types.
const (
	spot    = "SPOT"
	margin  = "MARGIN"
	swap    = "SWAP"
	futures = "FUTURES"
	option  = "OPTION"
)

// The bill types that are cash. Bills for trades, deliveries, liquidations and
// settlements are the same money as the fills.
const (
	transfer      = "1"
	interest      = "7"
	funding       = "8"
	profitSharing = "18"
)

type fill struct {
	Type         string        `json:"instType"`
	Instrument   string        `json:"instId"`
	Trade        string        `json:"tradeId"`
	Order        string        `json:"ordId"`
	ID           string        `json:"billId"`
	SubType      string        `json:"subType"`
	Price        remote.Number `json:"fillPx"`
	Quantity     remote.Number `json:"fillSz"`
	Side         string        `json:"side"`
	PositionSide string        `json:"posSide"`
	Liquidity    string        `json:"execType"`
	Result       remote.Number `json:"fillPnl"`
	FeeCurrency  string        `json:"feeCcy"`
	Fee          remote.Number `json:"fee"`
	Time         remote.Number `json:"ts"`
	FilledAt     remote.Number `json:"fillTime"`
}

func (f fill) billID() string { return f.ID }

// addFill adds a fill. OKX selects fills by the time of their bill, which is a little
// later than the fill.
func (r *run) addFill(ctx context.Context, f fill) error {
	record, isNew := r.rows.Start(f.ID)
	if !isNew {
		return nil
	}
	billed := record.Millis(f.Time)
	if !record.Failed() && !r.rows.Contains(billed) {
		return nil
	}
	if f.Instrument == "" {
		record.Fail("The broker's record has no instrument.")
		return nil
	}
	record.Select()
	instrument, isSized, err := r.findInstrument(ctx, &f)
	if err != nil {
		return err
	}
	row := connector.NewFill(instrument)
	row.ID, row.At, row.MultiplierAssumed = f.ID, billed, !isSized
	if f.FilledAt != "" {
		row.At = record.Millis(f.FilledAt)
	}
	row.Quantity, row.Price = record.Decimal("quantity", f.Quantity), record.Decimal("price", f.Price)
	row.Side = record.Side(f.Side, "buy", "sell")
	if result := record.Optional("result", f.Result); !result.IsZero() && (!isSized || r.isInverse(&f)) {
		row.StatedPnL = decimal.Of(result)
	}
	if f.PositionSide == "long" || f.PositionSide == "short" {
		row.Lot = f.PositionSide // hedge mode: two positions in one instrument
	}
	record.ChargeCoins(&row, instrument, record.Decimal("fee", f.Fee).Neg(), f.FeeCurrency)
	f.addDetails(&row)
	record.Order, _ = strconv.ParseInt(f.ID, 10, 64)
	record.AddFill(row, instrument.Quote)
	return nil
}

func (f *fill) addDetails(row *statement.Fill) {
	connector.AddDetail(row, "order_id", f.Order)
	connector.AddDetail(row, "trade_id", f.Trade)
	connector.AddDetail(row, "kind", nameSubType(f.SubType))
	if f.Liquidity == "M" || f.Liquidity == "T" {
		connector.AddLiquidity(row, f.Liquidity == "M")
	}
}

// nameSubType returns the kind of a fill that was not an order of the user, or an empty
// text.
func nameSubType(text string) string {
	number, _ := strconv.Atoi(text)
	for _, kind := range []struct {
		first, last int
		name        string
	}{
		{100, 107, "liquidation"}, {112, 113, "delivery"}, {125, 128, "auto-deleveraging"}, {204, 209, "block trade"}, {324, 329, "moved position"},
	} {
		if number >= kind.first && number <= kind.last {
			return kind.name
		}
	}
	return ""
}

// size is what one contract is worth, in the coin that is traded or in dollars.
type size struct {
	multiplier string
	// settled is the coin in which results are paid, and kind is linear or inverse, or empty
	// for options.
	settled, kind string
}

// family returns the name that contracts of one size have in common: BTC-USDT of
// BTC-USDT-SWAP and BTC-USDT-260327.
func (f *fill) family() string {
	parts := strings.SplitN(f.Instrument, "-", 3)
	return strings.Join(parts[:min(2, len(parts))], "-")
}

func (f *fill) sizeKey() string { return f.Type + " " + f.family() }

func (f *fill) isPair() bool { return f.Type == spot || f.Type == margin }

func (r *run) isInverse(f *fill) bool { return r.sizes[f.sizeKey()].kind == "inverse" }

// findInstrument returns a fill's instrument. It returns false if the contract's size is
// not known.
func (r *run) findInstrument(ctx context.Context, f *fill) (of statement.Instrument, isSized bool, err error) {
	if f.isPair() {
		return statement.NamePair(f.Instrument, ""), true, nil
	}
	of = statement.NameCoinContract(f.Instrument, "")
	found, isKnown := r.sizes[f.sizeKey()]
	if !isKnown {
		if found, err = r.loadSize(ctx, f); err != nil {
			return of, false, err
		}
		r.sizes[f.sizeKey()] = found
	}
	if found.multiplier == "" {
		r.rows.AddMessage("OKX no longer lists %s, so that the size of a contract is not known. OKX's own results were used.", f.Instrument)
		return of, false, nil
	}
	multiplier, err := decimal.Parse(found.multiplier)
	if err != nil || multiplier.Sign() <= 0 {
		return of, false, remote.Malformed("an instrument has no size")
	}
	of.Multiplier = decimal.Of(multiplier)
	if found.settled != "" {
		of.Quote = found.settled
	}
	return of, true, nil
}

// loadSize returns the size of a family's contracts. It is kept, because OKX does not
// list contracts that have ended.
func (r *run) loadSize(ctx context.Context, f *fill) (size, error) {
	const values = 3
	if parts := strings.Split(r.kept[f.sizeKey()], " "); len(parts) == values {
		return size{multiplier: parts[0], settled: parts[1], kind: parts[2]}, nil
	}
	type instrument struct {
		Value      remote.Number `json:"ctVal"`
		Multiplier remote.Number `json:"ctMult"`
		Settled    string        `json:"settleCcy"`
		Kind       string        `json:"ctType"`
	}
	list, err := send[instrument](ctx, r.session, instrumentsPath, map[string]string{"instType": f.Type, "instFamily": f.family()})
	switch {
	case errors.Is(err, remote.ErrNotFound) || err == nil && len(list) == 0:
		return size{}, nil
	case err != nil:
		return size{}, err
	}
	first := list[0]
	value, err := decimal.Parse(string(first.Value))
	if err != nil {
		return size{}, remote.Malformed("an instrument has no size")
	}
	if first.Multiplier != "" {
		factor, err := decimal.Parse(string(first.Multiplier))
		if err != nil {
			return size{}, remote.Malformed("an instrument has no size")
		}
		value = value.Mul(factor)
	}
	if value.Sign() <= 0 {
		return size{}, remote.Malformed("an instrument has no size")
	}
	found := size{multiplier: value.String(), settled: strings.ToUpper(first.Settled), kind: first.Kind}
	r.kept[f.sizeKey()] = strings.Join([]string{found.multiplier, found.settled, found.kind}, " ")
	return found, nil
}

type movement struct {
	ID             string        `json:"billId"`
	Type           string        `json:"type"`
	Instrument     string        `json:"instId"`
	Currency       string        `json:"ccy"`
	Change         remote.Number `json:"balChg"`
	PositionChange remote.Number `json:"posBalChg"`
	Time           remote.Number `json:"ts"`
}

func (m movement) billID() string { return m.ID }

// addBill adds a bill of cash. Funding of an isolated position changes the position's
// balance.
func (r *run) addBill(_ context.Context, m movement) error {
	record, isNew := r.rows.Start("bill " + m.ID)
	if !isNew {
		return nil
	}
	cash := statement.Cash{Amount: record.Decimal("change", m.Change), Currency: m.Currency, At: record.Millis(m.Time)}
	switch m.Type {
	case transfer:
		cash.Type, cash.Note = statement.TransferType(cash.Amount), "transfer"
	case interest:
		cash.Type, cash.Note = "interest", "interest"
	case funding:
		if cash.Amount.IsZero() {
			cash.Amount = record.Optional("change", m.PositionChange)
		}
		cash.Type, cash.Note = "interest", "funding"
	case profitSharing:
		cash.Type, cash.Note = "adjustment", "profit sharing"
	default:
		return nil // OKX returned another type than the query asked for
	}
	cash.Note = strings.TrimSpace(cash.Note + " " + m.Instrument)
	record.AddCash(cash)
	return nil
}
