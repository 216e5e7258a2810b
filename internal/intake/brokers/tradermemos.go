package brokers

import (
	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
)

// traderMemosTrades is the table of trades that TraderMemos and Stonk Journal
// write. Date is when the trade was closed, and the return is after fees, which
// have no column.
var traderMemosTrades = s.Preset{
	Broker: "TraderMemos", Export: "trades", Evidence: s.SampleFile, Format: s.JournalTrades,
	Header: s.Cols("Date;Symbol;Status;Market;Side;Qty;Entry;Exit;Entry Total;Return ($);Open Date"),
	Layout: &s.Layout{
		Symbol: "Symbol", Namer: s.NameWithoutExchange, Type: "Market", Multiplier: "@multiplier", Side: "Side", Quantity: "Qty",
		NetResult: "Return ($)", Prepare: prepareTraderMemos, Adjust: addTraderMemosDividends,
		RoundTrip:         s.RoundTrip{OpenTime: "Open Date|Date", OpenPrice: "Entry", CloseTime: "Date", ClosePrice: "Exit"},
		AnnotationColumns: s.AnnotationColumns{Notes: "Notes", Tags: "Tags", Setups: "Setup", Confidence: "Confidence", Stop: "Stop", Target: "Target"},
	},
}

// prepareTraderMemos computes the multiplier from the total that was paid.
func prepareTraderMemos(w *s.Row) {
	if each := s.RoundWorth(w.Decimal("Entry Total").Abs(), w.Decimal("Entry").Mul(w.Decimal("Qty")).Abs()); each.Valid {
		w.Set("multiplier", each.String())
	}
}

// addTraderMemosDividends adds what the position paid while it was held as cash.
// A return that is higher than the one by prices includes it.
func addTraderMemosDividends(w *s.Row, r *s.Record) {
	t, paid := r.Trip, w.Decimal("Dividends")
	if paid.IsZero() || t.Close.At.IsZero() {
		return
	}
	if t.NetPnL.Valid && t.NetPnL.Decimal.Cmp(t.ResultByPrices()) > 0 {
		t.NetPnL = decimal.Of(t.NetPnL.Decimal.Sub(paid))
	}
	r.Also = append(r.Also, s.Record{Cash: &s.Cash{Type: "dividend", Amount: paid, At: t.Close.At, Note: t.Symbol}})
}
