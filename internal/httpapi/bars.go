package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/transport"
)

// barSeries is a stored bar series.
type barSeries struct {
	ID         journal.SeriesID  `json:"id"`
	Symbol     string            `json:"symbol"`
	Contract   string            `json:"contract" doc:"The contract of an option; empty otherwise."`
	BarSecs    int64             `json:"bar_secs"`
	PriceKind  market.PriceKind  `json:"price_kind" enum:"trade,bid,ask,mid,reference" doc:"reference: the rates of a currency, which are never the prices of an instrument."`
	VolumeKind market.VolumeKind `json:"volume_kind" enum:"real,ticks,none"`
	Bars       int               `json:"bars"`
	From       time.Time         `json:"from" doc:"The opening of the first bar."`
	To         time.Time         `json:"to" doc:"The opening of the last bar."`
	CreatedAt  time.Time         `json:"created_at"`
}

func shapeSeries(s bars.Series) barSeries {
	return barSeries{
		ID: s.ID, Symbol: s.Symbol, Contract: s.Contract, BarSecs: s.Secs, PriceKind: s.PriceKind, VolumeKind: s.VolumeKind,
		Bars: s.Bars, From: fromSeconds(s.First), To: fromSeconds(s.Last), CreatedAt: s.CreatedAt,
	}
}

func fromSeconds(second int64) time.Time { return time.Unix(second, 0).UTC() }

// barAlias maps a journal symbol to the symbol with its bars.
type barAlias struct {
	ID         journal.BarAliasID `json:"id"`
	Symbol     string             `json:"symbol" doc:"The symbol in the journal."`
	BarsSymbol string             `json:"bars_symbol" doc:"The symbol whose bars it uses."`
	CreatedAt  time.Time          `json:"created_at"`
}

func shapeAlias(a bars.Alias) barAlias { return barAlias(a) }

type aliasRequest struct {
	Symbol     string `json:"symbol" example:"US100"`
	BarsSymbol string `json:"bars_symbol" example:"NQZ26"`
}

// barWindow are bars in columns. All columns have the same length.
type barWindow struct {
	Symbol      string                    `json:"symbol"`
	BarSecs     int64                     `json:"bar_secs" doc:"The length of a bar in seconds. It is longer than asked if there were more than max_points bars; 0 without bars."`
	Scale       int32                     `json:"scale" doc:"The decimals of prices: price = integer / 10^scale."`
	VolumeScale int32                     `json:"volume_scale" doc:"The decimals of volumes."`
	T           []int64                   `json:"t" doc:"The openings of the bars in seconds since 1970."`
	O           []int64                   `json:"o"`
	H           []int64                   `json:"h"`
	L           []int64                   `json:"l"`
	C           []int64                   `json:"c"`
	V           orNull[[]int64]           `json:"v" doc:"Volumes; null if the source has none."`
	PriceKind   orNull[market.PriceKind]  `json:"price_kind" doc:"trade, bid, ask or mid; null without bars."`
	VolumeKind  orNull[market.VolumeKind] `json:"volume_kind" doc:"real, ticks or none; null without bars."`
	SeriesID    orNull[journal.SeriesID]  `json:"series_id" doc:"The series that the bars are made of; null without bars."`
	SeriesOf    orNull[string]            `json:"series_symbol" doc:"The symbol of that series, which may be another notation or an alias."`
	Similar     bool                      `json:"similar" doc:"The bars are those of another contract, such as the continuous one, and your fills lie inside them."`
}

func shapeWindow(symbol string, w bars.Window) barWindow {
	n := len(w.Bars)
	shaped := barWindow{
		Symbol: symbol, T: make([]int64, n), O: make([]int64, n), H: make([]int64, n), L: make([]int64, n), C: make([]int64, n),
		Scale: w.PriceScale, VolumeScale: w.VolumeScale, Similar: w.Similar,
	}
	if n == 0 {
		return shaped
	}
	shaped.BarSecs = w.Secs
	shaped.SeriesID.value, shaped.SeriesOf.value = &w.Series.ID, &w.Series.Symbol
	shaped.PriceKind.value, shaped.VolumeKind.value = &w.Series.PriceKind, &w.Series.VolumeKind
	volumes := make([]int64, n)
	for i, bar := range w.Bars {
		shaped.T[i], shaped.O[i], shaped.H[i], shaped.L[i], shaped.C[i], volumes[i] = bar.Time, bar.Open, bar.High, bar.Low, bar.Close, bar.Volume
	}
	if w.HasVolume {
		shaped.V.value = &volumes
	}
	return shaped
}

type barSecsRange struct{}

func (barSecsRange) bounds() (least, most int) { return 1, 366 * 24 * 60 * 60 }

type barPointRange struct{}

func (barPointRange) bounds() (least, most int) { return 1, bars.MaxPoints }

type priceKinds struct{}

func (priceKinds) values() []market.PriceKind {
	return []market.PriceKind{market.TradePrice, market.BidPrice, market.AskPrice, market.MidPrice}
}

type optionRights struct{}

func (optionRights) values() []instruments.Right {
	return []instruments.Right{instruments.Call, instruments.Put}
}

// barQuery selects the bars in a chart.
type barQuery struct {
	Symbol         string                                     `query:"symbol" required:"true" doc:"The symbol, in any notation: NQZ26, NQ 12-26 and /NQZ6 are the same."`
	InstrumentType string                                     `query:"instrument_type" doc:"The type of the instrument, such as future. It decides whether ES is the future or the share."`
	OptionRight    enumParam[instruments.Right, optionRights] `query:"option_right" doc:"With strike and expiry: the contract of an option whose symbol is the underlying."`
	Strike         string                                     `query:"strike"`
	Expiry         dayParam                                   `query:"expiry"`
	BarSecs        intParam[barSecsRange]                     `query:"bar_secs" doc:"The length of a bar in seconds. A length that is not stored is made of the longest stored one that divides it. Default: the shortest stored."`
	PriceKind      enumParam[market.PriceKind, priceKinds]    `query:"price_kind" doc:"Default: trade if stored, else mid, bid, ask."`
	From           instantParam                               `query:"from" doc:"The earliest opening of a bar, inclusive. Default: the first stored."`
	To             instantParam                               `query:"to" doc:"The latest opening of a bar, inclusive. Default: the last stored."`
	HeldFrom       instantParam                               `query:"held_from" doc:"The start of a trade. Of several series, the one with bars at held_from and held_to is used. Default: the shortest bars between from and to."`
	HeldTo         instantParam                               `query:"held_to" doc:"The end of a trade."`
	MaxPoints      intParam[barPointRange]                    `query:"max_points" doc:"The maximum number of bars, 1 to 2000. If there are more, bars are longer. Default 2000."`
}

func (q barQuery) toQuery() (w bars.WindowQuery, err error) {
	w = bars.WindowQuery{Secs: int64(q.BarSecs.Value), PriceKind: q.PriceKind.Value, MaxPoints: bars.MaxPoints}
	w.Of = instruments.Priced{Type: strings.ToLower(q.InstrumentType), Right: q.OptionRight.Value, Expiry: q.Expiry.Day}
	if w.Of.Symbol, err = journal.CleanSymbol("symbol", q.Symbol); err != nil {
		return w, err
	}
	if q.Strike != "" {
		strike, err := decimal.Parse(q.Strike)
		if err != nil {
			return w, journal.InvalidField("strike", "strike must be a number.")
		}
		w.Of.Strike = decimal.Of(strike)
	}
	if q.MaxPoints.Set {
		w.MaxPoints = q.MaxPoints.Value
	}
	for _, held := range []instantParam{q.HeldFrom, q.HeldTo} {
		if held.at != nil {
			w.Held = append(w.Held, held.at.Unix())
		}
	}
	err = setWindow(&w, q.From, q.To, "")
	return w, err
}

// setWindow sets when the first and the last bar open. The parameters are from and to
// after a prefix.
func setWindow(w *bars.WindowQuery, from, to instantParam, prefix string) error {
	if from.at != nil {
		first := from.at.Unix()
		if from.at.Nanosecond() > 0 {
			first++ // an opening is a whole second
		}
		w.From = &first
	}
	if to.at != nil {
		last := to.at.Unix()
		w.To = &last
	}
	if w.From != nil && w.To != nil && *w.From > *w.To {
		return journal.InvalidField(prefix+"from", "%[1]sfrom must not be after %[1]sto.", prefix)
	}
	return nil
}

func barRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/bars"+path, id, "Bars", summary)
}

// barAPI has the operations on price bars and their imports.
type barAPI struct {
	bars       *bars.Service
	barImports *barimport.Service
	spool      *transport.Spool
}

func (a barAPI) register(api *API) {
	register(api, barRoute(readBars, http.MethodGet, "", "getBars", "Read the bars of a symbol in columns"),
		func(ctx context.Context, in *barQuery) (*body[barWindow], error) {
			query, err := in.toQuery()
			if err != nil {
				return nil, err
			}
			window, err := a.bars.Window(ctx, caller(ctx).UserID, query)
			return answer(shapeWindow(query.Of.Symbol, window), err)
		})
	registerList(api, barRoute(readBars, http.MethodGet, "/series", "listBarSeries", "List the series of bars; X-Quota-Used and X-Quota-Limit count all stored bars"), a.listBarSeries)
	register(api, forEveryAccount(barRoute(writeJournal, http.MethodDelete, "/series/{id}", "deleteBarSeries", "Delete a series with the bars of all imports")),
		func(ctx context.Context, in *ByID[journal.SeriesID]) (*nothing, error) {
			return nil, a.bars.DeleteSeries(ctx, caller(ctx).UserID, in.ID)
		})
	registerList(api, barRoute(readBars, http.MethodGet, "/aliases", "listBarAliases", "List which bars your symbols use"),
		func(ctx context.Context, in *Paging) (*listing[barAlias], error) {
			list, err := a.bars.ListAliases(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeAlias, func(a bars.Alias) string { return string(a.ID) })
		})
	register(api, barRoute(writeJournal, http.MethodPost, "/aliases", "createBarAlias", "Use the bars of another symbol for a symbol"),
		func(ctx context.Context, in *body[aliasRequest]) (*body[barAlias], error) {
			added, err := a.bars.AddAlias(ctx, caller(ctx).UserID, in.Body.Symbol, in.Body.BarsSymbol)
			return answer(shapeAlias(added), err)
		})
	register(api, barRoute(writeJournal, http.MethodDelete, "/aliases/{id}", "deleteBarAlias", "Delete an alias"),
		func(ctx context.Context, in *ByID[journal.BarAliasID]) (*nothing, error) {
			return nil, a.bars.DeleteAlias(ctx, caller(ctx).UserID, in.ID)
		})
	a.registerBarImportRoutes(api)
}

func (a barAPI) listBarSeries(ctx context.Context, in *Paging) (*listing[barSeries], error) {
	owner := caller(ctx).UserID
	list, err := a.bars.ListSeries(ctx, owner)
	if err != nil {
		return nil, err
	}
	used, limit, err := a.bars.Usage(ctx, owner)
	if err != nil {
		return nil, err
	}
	page, err := paginate(in, list, shapeSeries, func(s bars.Series) string { return string(s.ID) })
	if err != nil {
		return nil, err
	}
	page.headers = map[string]string{
		"X-Quota-Used": strconv.FormatInt(used, 10), "X-Quota-Limit": strconv.FormatInt(limit, 10),
	}
	return page, nil
}
