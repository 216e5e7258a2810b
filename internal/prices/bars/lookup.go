package bars

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// Lookup finds the series with an instrument's prices.
type Lookup struct {
	series  []Series
	byKey   map[string][]int
	aliases map[string]string
	// references are the reference rate series. They are not in series, because no
	// instrument has these prices.
	references []Series
	// samples are the numbers of the series with sample prices.
	samples map[int64]bool
}

// SampleLayout is the layout of an import with sample prices, which came with a demo
// account. Their series are only used for fills inside their bars.
const SampleLayout = "Demo journal"

// listSamples returns the numbers of the owner's series with sample prices.
func listSamples(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[int64]bool, error) {
	list, err := db.List(ctx, tx, db.Single[int64], `SELECT DISTINCT r.series FROM bar_imports i
		JOIN bar_ranges r ON r.user_id = i.user_id AND r.import = i.number
		WHERE i.user_id = $1 AND i.layout = $2 AND i.status = $3 ORDER BY r.series`, owner, SampleLayout, Committed)
	samples := make(map[int64]bool, len(list))
	for _, number := range list {
		samples[number] = true
	}
	return samples, err
}

// LoadLookup reads the owner's series and aliases. It runs inside a transaction.
func LoadLookup(ctx context.Context, tx *db.Tx, owner journal.UserID) (*Lookup, error) {
	series, err := ListSeries(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	aliases, err := ListAliases(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	l := &Lookup{byKey: map[string][]int{}, aliases: map[string]string{}}
	if len(series) > 0 {
		if l.samples, err = listSamples(ctx, tx, owner); err != nil {
			return nil, err
		}
	}
	for _, s := range series {
		if s.PriceKind == market.ReferencePrice {
			l.references = append(l.references, s)
		} else {
			l.series = append(l.series, s)
		}
	}
	for i, s := range l.series {
		key := instruments.SeriesKey(s.Symbol, time.Unix(s.Last, 0).UTC())
		l.byKey[key] = append(l.byKey[key], i)
	}
	for _, a := range aliases {
		l.aliases[a.Symbol] = a.BarsSymbol
	}
	return l, nil
}

// Match is a series that may have an instrument's prices.
type Match struct {
	Series
	// Similar reports whether the prices are another contract's or samples, which is right
	// only if the fills lie inside the bars; see [FillsFit].
	Similar bool
}

// Find returns the series in all lengths and price kinds for an instrument traded at a
// time, the best match first: its own contract, then a future's continuous one. For a
// future without a month, contracts with its root follow.
func (l *Lookup) Find(of instruments.Priced, at time.Time) []Match {
	of = l.resolve(of)
	own, fallbacks := of.PriceKeys(at)
	found := l.appendKey(nil, own, false)
	if hasOwnSymbol(of) {
		for i := range l.series {
			if l.series[i].Symbol == of.Symbol && !containsSeries(found, l.series[i].ID) {
				found = append(found, Match{Series: l.series[i], Similar: l.samples[l.series[i].number]})
			}
		}
	}
	for _, key := range fallbacks {
		found = l.appendKey(found, key, true)
	}
	if root, ok := of.FutureRoot(); ok {
		found = l.appendRoot(found, root)
	}
	return found
}

// resolve replaces the symbol of an instrument with an alias.
func (l *Lookup) resolve(of instruments.Priced) instruments.Priced {
	symbol, ok := l.aliases[strings.ToUpper(of.Symbol)]
	if !ok {
		return of
	}
	return instruments.Priced{Symbol: symbol, Type: typeOfAlias(of.Type, symbol)}
}

// hasOwnSymbol reports whether bars with an instrument's exact symbol are its prices. A
// symbol such as NQZ6 may be a CFD's.
func hasOwnSymbol(of instruments.Priced) bool {
	return of.Type != instruments.TypeFuture && of.Type != instruments.TypeOption
}

// typeOfAlias returns an alias target's type: a future stays one only if the symbol is a
// future's.
func typeOfAlias(instrument, symbol string) string {
	if _, ok := instruments.ParseFuture(symbol); instrument == instruments.TypeFuture && ok {
		return instrument
	}
	return ""
}

func (l *Lookup) appendKey(found []Match, key string, similar bool) []Match {
	for _, i := range l.byKey[key] {
		if !containsSeries(found, l.series[i].ID) {
			found = append(found, Match{Series: l.series[i], Similar: similar || l.samples[l.series[i].number]})
		}
	}
	return found
}

func (l *Lookup) appendRoot(found []Match, root string) []Match {
	for i := range l.series {
		key := instruments.SeriesKey(l.series[i].Symbol, time.Unix(l.series[i].Last, 0).UTC())
		if of, ok := instruments.KeyRoot(key); ok && of == root && !containsSeries(found, l.series[i].ID) {
			found = append(found, Match{Series: l.series[i], Similar: true})
		}
	}
	return found
}

func containsSeries(list []Match, id journal.SeriesID) bool {
	return slices.ContainsFunc(list, func(m Match) bool { return m.ID == id })
}

// FindKey returns the stored series a series in a file continues: with the same length
// and price kind, and the symbol in any notation.
func (l *Lookup) FindKey(key Key, last int64) (Series, bool) {
	if key.PriceKind == market.ReferencePrice {
		i := slices.IndexFunc(l.references, func(s Series) bool { return s.Key == key })
		if i < 0 {
			return Series{}, false
		}
		return l.references[i], true
	}
	for i := range l.series {
		if l.series[i].Key == key {
			return l.series[i], true
		}
	}
	for _, i := range l.byKey[instruments.SeriesKey(key.Symbol, time.Unix(last, 0).UTC())] {
		if s := l.series[i]; s.Secs == key.Secs && s.PriceKind == key.PriceKind && s.Contract == key.Contract {
			return s, true
		}
	}
	return Series{}, false
}

// FindReference returns the series with a currency's reference rates, if the owner has
// one. It runs inside a transaction.
func FindReference(ctx context.Context, tx *db.Tx, owner journal.UserID, currency string) (series Series, found bool, err error) {
	series, err = findSeries(ctx, tx, owner, Key{
		Symbol: market.ReferenceSymbol(currency), Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice,
	})
	if errors.Is(err, db.ErrNoRows) {
		return Series{}, false, nil
	}
	return series, err == nil, err
}

// Names returns the names under which prices may be found for an instrument traded at a
// time, similar prices last. A series has the names in SeriesNames; one shared name is a
// match.
func (l *Lookup) Names(of instruments.Priced, at time.Time) (own, similar []string) {
	of = l.resolve(of)
	key, fallbacks := of.PriceKeys(at)
	own = []string{key}
	if hasOwnSymbol(of) {
		own = append(own, symbolName(of.Symbol))
	}
	if root, ok := of.FutureRoot(); ok {
		fallbacks = append(fallbacks, rootName(root))
	}
	return own, fallbacks
}

// SeriesNames returns the names for a series with the symbol, whose last bar opens at
// last; see [Lookup.Names].
func SeriesNames(symbol string, last int64) []string {
	key := instruments.SeriesKey(symbol, time.Unix(last, 0).UTC())
	names := []string{key, symbolName(symbol)}
	if root, ok := instruments.KeyRoot(key); ok {
		names = append(names, rootName(root))
	}
	return names
}

func symbolName(symbol string) string { return "symbol " + strings.ToUpper(symbol) }
func rootName(root string) string     { return "root " + root }

// leastFit is the share of fills required to lie inside their bar, in percent.
const leastFit = 90

// FillsFit reports whether enough fills lie inside a block's bars to believe that they
// are the traded prices. Fills without a bar do not count; without any other the answer
// is false.
func FillsFit(block market.Block, fills []market.Fill) bool {
	inside, checked := market.CountInside(block, fills)
	return checked > 0 && 100*inside >= leastFit*checked
}
