package backup

import (
	"fmt"
	"slices"

	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

// BarAlias maps a symbol to the symbol whose bars it uses.
type BarAlias struct {
	Symbol     string  `json:"symbol"`
	BarsSymbol string  `json:"bars_symbol"`
	CreatedAt  Instant `json:"created_at,omitzero"`
}

// BarSeries are a symbol's price bars.
type BarSeries struct {
	Symbol     string            `json:"symbol"`
	Contract   string            `json:"contract,omitzero"`
	BarSecs    int64             `json:"bar_secs"`
	PriceKind  market.PriceKind  `json:"price_kind"`
	VolumeKind market.VolumeKind `json:"volume_kind"`
	// Ranges are the covered periods: from and to in seconds, in turn.
	Ranges []int64 `json:"ranges"`
	// Blocks are the encoded bars; see [market.Block].
	Blocks [][]byte `json:"blocks"`
}

func (e *exporter) writeBarAliases() error {
	aliases, err := bars.ListAliases(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "bar_aliases", aliases, func(a bars.Alias) BarAlias {
		return BarAlias{Symbol: a.Symbol, BarsSymbol: a.BarsSymbol, CreatedAt: Instant{a.CreatedAt}}
	})
}

// writeBars writes the bars if they were asked for.
func (e *exporter) writeBars() (err error) {
	var list []bars.Series
	if e.scope.Bars {
		if list, err = bars.ListSeries(e.ctx, e.tx, e.owner); err != nil {
			return err
		}
	}
	return e.list("bars", func() error {
		for _, s := range list {
			if err := e.writeBarSeries(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeBarSeries writes a [BarSeries] block by block: one series may have all bars.
func (e *exporter) writeBarSeries(s bars.Series) error {
	ranges, err := bars.Ranges(e.ctx, e.tx, e.owner, s)
	if err != nil {
		return err
	}
	out := BarSeries{Symbol: s.Symbol, Contract: s.Contract, BarSecs: s.Secs, PriceKind: s.PriceKind, VolumeKind: s.VolumeKind, Ranges: []int64{}}
	for _, r := range ranges {
		out.Ranges = append(out.Ranges, r.From, r.To)
	}
	return e.streamElement(out, "blocks", func() error {
		return bars.EachBlock(e.ctx, e.tx, e.owner, s, func(block market.Block) error { return e.element(block.AppendTo(nil)) })
	})
}

// restoreBars adds the missing bars.
func (r *restorer) restoreBars() error {
	file := bars.NewImport{FileName: "Backup", Layout: "Fillbook"}
	for _, place := range uniteSeries(r.Document.Bars) {
		series, err := r.missingBars(place.BarSeries)
		if err := r.accept("Series of bars", place.place, err); err != nil {
			return err
		}
		if err == nil && series.Blocks != nil {
			file.Series = append(file.Series, series)
		}
	}
	if len(file.Series) == 0 {
		return nil
	}
	done, err := bars.Restore(r.ctx, r.tx, r.Owner, r.now, r.BarsLimit, file)
	r.result.Bars = done.Inserted
	return r.accept("Bars", 0, err)
}

// restoreBarAliases adds aliases for symbols without one.
func (r *restorer) restoreBarAliases() error {
	list := make([]bars.Alias, len(r.Document.BarAliases))
	for i, a := range r.Document.BarAliases {
		list[i] = bars.Alias{Symbol: a.Symbol, BarsSymbol: a.BarsSymbol, CreatedAt: a.CreatedAt.instantOr(r.now)}
	}
	restored, err := bars.RestoreAliases(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	for i, done := range restored {
		if err := r.accept("Alias of bars", i, done.Err); err != nil {
			return err
		}
		if done.Added {
			r.result.BarAliases++
		}
	}
	return nil
}

// placedSeries is a series with its place in the file.
type placedSeries struct {
	BarSeries
	place int
}

// uniteSeries returns the file's series in order, each once. A file not written by
// Fillbook may repeat a series.
func uniteSeries(list []BarSeries) (united []placedSeries) {
	first := map[bars.Key]int{}
	for i, s := range list {
		key := bars.Key{Symbol: s.Symbol, Contract: s.Contract, Secs: s.BarSecs, PriceKind: s.PriceKind}
		if at, seen := first[key]; seen && united[at].VolumeKind == s.VolumeKind {
			united[at].Ranges, united[at].Blocks = append(united[at].Ranges, s.Ranges...), append(united[at].Blocks, s.Blocks...)
			continue
		}
		first[key] = len(united)
		s.Ranges, s.Blocks = slices.Clip(s.Ranges), slices.Clip(s.Blocks)
		united = append(united, placedSeries{s, i})
	}
	return united
}

// missingBars returns the bars of a series not stored yet. If all are stored, its blocks
// are nil.
func (r *restorer) missingBars(s BarSeries) (bars.NewSeries, error) {
	series := bars.NewSeries{
		Key:        bars.Key{Symbol: s.Symbol, Contract: s.Contract, Secs: s.BarSecs, PriceKind: s.PriceKind},
		VolumeKind: s.VolumeKind,
	}
	if len(s.Ranges)%2 != 0 {
		return series, journal.InvalidField("ranges", "ranges must have pairs of times.")
	}
	for i := 0; i < len(s.Ranges); i += 2 {
		series.Ranges = append(series.Ranges, market.Range{From: s.Ranges[i], To: s.Ranges[i+1]})
	}
	if err := series.Check(); err != nil {
		return series, err
	}
	var list []market.Block
	for i, data := range s.Blocks {
		block, err := market.DecodeBlock(data, nil)
		if err != nil || block.Secs != s.BarSecs || len(block.Bars) == 0 {
			return series, journal.InvalidField("blocks", "Block %d is damaged.", i+1)
		}
		list = append(list, block)
	}
	missing, err := bars.Missing(r.ctx, r.tx, r.Owner, series.Key, list)
	if err != nil {
		return series, fmt.Errorf("comparing bars: %w", err)
	}
	if len(missing) > 0 {
		series.Blocks = slices.Values(missing)
	}
	return series, nil
}
