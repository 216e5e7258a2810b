package barimport

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// plan is what importing a file would store.
type plan struct {
	layout     string
	rows       int
	errors     []Problem
	errorCount int
	warnings   []string
	groups     []*group
	byKey      map[groupKey]*group
}

// groupKey has the values shared by a group's series.
type groupKey struct {
	bars.Key
	layout string
}

// group is one series' bars, from one file or from several in an archive.
type group struct {
	layout string
	series *files.Series
	key    bars.Key
	volume market.VolumeKind
	clock  files.Clock

	// first and last are the first and the last time by the file's clock.
	first, last int64
	// stored is the series the bars are added to, if isStored.
	stored   bars.Series
	isStored bool

	// fills are the symbol's fills around the file's period, in order.
	fills          []market.Fill
	similar        bool
	instrumentType string

	reading             market.Reading
	zoneKnown           bool
	stampKnown          bool
	isZoneIgnored       bool // a zone was given for times without need
	proposed            *market.Proposal
	overlaps, conflicts int
	counted             tally
}

// maxErrors is how many errors are listed.
const maxErrors = 200

// plan reads a file and decides how its times and prices are meant.
func (s *Service) plan(ctx context.Context, owner journal.UserID, up Upload, scratch func() (files.Scratch, error)) (*plan, error) {
	chosen, err := up.parse()
	if err != nil {
		return nil, err
	}
	list, err := s.readFiles(ctx, owner, up, chosen, scratch)
	if err != nil {
		return nil, err
	}
	p := &plan{byKey: map[groupKey]*group{}}
	for _, file := range list {
		p.addFile(file, len(list) > 1, chosen)
	}
	if err := p.checkRateOptions(chosen); err != nil {
		return nil, err
	}
	if err := p.chooseSymbol(chosen.symbol); err != nil {
		return nil, err
	}
	var zone *time.Location
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if zone, err = userZone(ctx, tx, owner); err != nil {
			return err
		}
		return p.load(ctx, tx, owner)
	})
	if err == nil {
		err = p.checkKeys()
	}
	if err != nil {
		return nil, err
	}
	for _, g := range p.groups {
		g.decide(chosen, zone)
	}
	p.shareReadings()
	return p, nil
}

// addFile adds a file's series to the groups.
func (p *plan) addFile(file *files.File, isArchive bool, chosen choices) {
	if file.Refused != nil {
		p.warnings = append(p.warnings, fmt.Sprintf("%s is left out: %s.", file.Name, file.Refused))
	}
	p.layout = cmp.Or(p.layout, file.Layout)
	p.rows += file.Rows
	p.errorCount += file.ErrorCount
	for _, e := range file.Errors {
		problem := Problem{Row: e.Row, Message: e.Reason}
		if isArchive {
			problem.File = file.Name
		}
		if len(p.errors) < maxErrors {
			p.errors = append(p.errors, problem)
		}
	}
	for _, s := range file.Series {
		if chosen.secs > 0 && s.PriceKind != market.ReferencePrice {
			s.Secs = chosen.secs
		}
		p.addSeries(file.Layout, s)
	}
}

func (p *plan) addSeries(layout string, s *files.Series) {
	key := bars.Key{Symbol: s.Symbol, Contract: instruments.OptionContract(s.Symbol), Secs: s.Secs, PriceKind: s.PriceKind}
	first, last := s.Range()
	g := p.byKey[groupKey{key, layout}]
	if g == nil {
		g = &group{layout: layout, series: s, key: key, volume: s.VolumeKind, clock: s.Clock, first: first, last: last}
		p.byKey[groupKey{key, layout}] = g
		p.groups = append(p.groups, g)
		return
	}
	g.series.Absorb(s)
	g.first, g.last = min(g.first, first), max(g.last, last)
	g.volume = g.series.VolumeKind
}

// hasRates reports whether a file has reference rates for currencies.
func (p *plan) hasRates() bool { return slices.ContainsFunc(p.groups, (*group).isRates) }

// isRates reports whether the group has reference rates. What is found with fills is not
// found for them, because no fill has their prices.
func (g *group) isRates() bool { return g.key.PriceKind == market.ReferencePrice }

// checkRateOptions returns an error if an option would change reference rates: their
// values and days are as they were published.
func (p *plan) checkRateOptions(chosen choices) error {
	if !p.hasRates() {
		return nil
	}
	for _, option := range []struct {
		name    string
		isGiven bool
	}{{"stamp", chosen.stamp != nil}, {"bar_secs", chosen.secs > 0}, {"price_scale", chosen.scale != nil}} {
		if option.isGiven {
			return journal.InvalidField(option.name, "The file has reference rates of currencies, which are read as they are. Leave out %s.", option.name)
		}
	}
	return nil
}

// chooseSymbol renames the only symbol in a file, or chooses one of several. Symbols for
// reference rates are not renamed.
func (p *plan) chooseSymbol(symbol string) error {
	if symbol == "" {
		return nil
	}
	names := map[string]bool{}
	for _, g := range p.groups {
		names[g.key.Symbol] = true
	}
	if len(names) > 1 || p.hasRates() {
		if !names[symbol] {
			return journal.InvalidField("symbol", "The file has no symbol %s. Leave symbol empty to import all.", symbol)
		}
		p.groups = slices.DeleteFunc(p.groups, func(g *group) bool { return g.key.Symbol != symbol })
	}
	for _, g := range p.groups {
		g.key.Symbol, g.key.Contract = symbol, instruments.OptionContract(symbol)
	}
	return nil
}

// load finds each group's stored series and fills.
func (p *plan) load(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	lookup, err := bars.LoadLookup(ctx, tx, owner)
	if err != nil {
		return err
	}
	traded, err := ledger.TradedInstruments(ctx, tx, owner)
	if err != nil {
		return err
	}
	last := p.groups[0].last
	for _, g := range p.groups {
		last = max(last, g.last)
	}
	users := indexTraded(lookup, traded, last)
	for _, g := range p.groups {
		if g.stored, g.isStored = lookup.FindKey(g.key, g.last); g.isStored {
			g.key = g.stored.Key // the same instrument in another notation
		}
		if g.isRates() {
			continue
		}
		if err := g.loadFills(ctx, tx, owner, users); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys returns an error if two groups' bars would be stored in one series. Archive
// files in different layouts may have different zones, so they can't be joined.
func (p *plan) checkKeys() error {
	seen := map[bars.Key]bool{}
	for _, g := range p.groups {
		if g.key.Symbol != "" && seen[g.key] {
			return journal.InvalidField("file", "The archive has bars of %s in different layouts. Import its files one by one.", g.key.Symbol)
		}
		seen[g.key] = true
	}
	return nil
}

// tradedIndex has the journal's instruments by their price names.
type tradedIndex struct {
	own, similar map[string][]ledger.TradedInstrument
}

func indexTraded(lookup *bars.Lookup, traded []ledger.TradedInstrument, last int64) tradedIndex {
	index := tradedIndex{own: map[string][]ledger.TradedInstrument{}, similar: map[string][]ledger.TradedInstrument{}}
	at := time.Unix(last, 0).UTC()
	for _, t := range traded {
		own, similar := lookup.Names(toPriced(t.Instrument), at)
		for _, name := range own {
			index.own[name] = append(index.own[name], t)
		}
		for _, name := range similar {
			index.similar[name] = append(index.similar[name], t)
		}
	}
	return index
}

func toPriced(i ledger.Instrument) instruments.Priced {
	return instruments.Priced{Symbol: i.Symbol, Type: i.Type, Right: instruments.Right(i.OptionRight), Strike: i.Strike, Expiry: i.Expiry}
}

// find returns the instruments using a symbol's bars. If it finds only those with similar
// prices, similar is true.
func (x tradedIndex) find(symbol string, last int64) (list []ledger.TradedInstrument, similar bool) {
	names := bars.SeriesNames(symbol, last)
	for _, from := range []map[string][]ledger.TradedInstrument{x.own, x.similar} {
		byNumber := map[int64]ledger.TradedInstrument{}
		for _, name := range names {
			for _, t := range from[name] {
				byNumber[t.Number] = t
			}
		}
		if len(byNumber) > 0 {
			for _, number := range slices.Sorted(maps.Keys(byNumber)) {
				list = append(list, byNumber[number])
			}
			return list, similar
		}
		similar = true
	}
	return nil, false
}

const (
	micros = 1_000_000
	// farthest is how far a zone is from UTC, in seconds, and a bar more.
	farthest = 15 * 60 * 60
)

// loadFills reads the fills whose time may lie in the file, whatever its zone is.
func (g *group) loadFills(ctx context.Context, tx *db.Tx, owner journal.UserID, users tradedIndex) error {
	traded, similar := users.find(g.key.Symbol, g.last)
	if len(traded) == 0 {
		return nil
	}
	g.similar, g.instrumentType = similar, traded[0].Type
	var numbers []int64
	for _, t := range traded {
		numbers = append(numbers, t.Number)
	}
	list, err := ledger.FillPrices(ctx, tx, owner, numbers, (g.first-farthest-g.key.Secs)*micros, (g.last+farthest+g.key.Secs)*micros)
	for _, f := range list {
		if f.HasPreciseTime() || f.HasMinute() && g.key.Secs >= 60 {
			g.fills = append(g.fills, market.Fill{At: f.At, Price: f.Price})
		}
	}
	return err
}

func (g *group) calendar() market.Calendar { return bars.CalendarOf(g.instrumentType, g.key.Symbol) }

// decide chooses the reading: what the user or the file says, and for the rest what the
// fills prove.
func (g *group) decide(chosen choices, userZone *time.Location) {
	if chosen.zone != nil && g.key.Secs < secondsOfDay && !g.clock.IsUTC {
		g.clock.Zone = chosen.zone
	}
	g.isZoneIgnored = chosen.zone != nil && g.clock.IsUTC && chosen.zone.String() != time.UTC.String()
	if chosen.stamp != nil {
		g.clock.Stamp, g.clock.StampKnown = *chosen.stamp, true
	}
	g.zoneKnown, g.stampKnown = g.clock.Zone != nil, g.clock.StampKnown
	g.reading = market.Reading{Zone: time.UTC, Stamp: g.clock.Stamp, PriceScale: decimal.New(1)}
	if g.zoneKnown {
		g.reading.Zone = g.clock.Zone
	}
	if chosen.scale != nil {
		g.reading.PriceScale = *chosen.scale
	}
	if len(g.fills) == 0 || g.key.Secs == 0 {
		return
	}
	free := anyReading(userZone)
	if g.clock.IsUTC {
		free = market.Choices{Zones: []*time.Location{time.UTC}, OnlyZones: true}
	}
	found := g.findReading(g.knownReading(free, chosen.scale))
	g.propose(found, free)
	if found.Inside == 0 {
		return
	}
	if !g.zoneKnown {
		g.reading.Zone, g.zoneKnown = found.Zone, found.IsZoneCertain()
	}
	isCertain := found.IsCertain(market.LeastFillsForStamp)
	if !g.stampKnown {
		g.reading.Stamp, g.stampKnown = found.Stamp, isCertain
	}
	if chosen.scale == nil && isCertain {
		g.reading.PriceScale = found.PriceScale
	}
}

const secondsOfDay = 24 * 60 * 60

// anyReading returns the choices for an unknown file.
func anyReading(userZone *time.Location) market.Choices {
	free := market.Choices{LastZones: commonZones}
	if userZone != nil {
		free.Zones = append(free.Zones, userZone)
	}
	return free
}

// knownReading returns the remaining choices.
func (g *group) knownReading(known market.Choices, scale *decimal.Decimal) market.Choices {
	if g.zoneKnown {
		known.Zones, known.LastZones, known.OnlyZones = []*time.Location{g.clock.Zone}, nil, true
	}
	if g.stampKnown {
		known.Stamps = []market.Stamp{g.clock.Stamp}
	}
	if scale != nil {
		known.Scales = []decimal.Decimal{*scale}
	}
	return known
}

// propose sets the proposal: the reading found within the known facts, or a better one if
// they do not fit.
func (g *group) propose(found market.Proposal, free market.Choices) {
	if found.Checked == 0 || 10*found.Inside < 9*found.Checked {
		if other := g.findReading(free); other.Inside > found.Inside {
			found = other
		}
		if split := g.findSplit(free); split.Inside > found.Inside {
			found = split
		}
	}
	if found.Inside > 0 {
		g.proposed = &found
	}
}

// findSplit returns the reading with a stock split ratio, if the fills prove one. It is
// only proposed, because bars after the split have other prices.
func (g *group) findSplit(free market.Choices) market.Proposal {
	choices := g.knownReading(free, nil)
	choices.Scales = market.SplitRatios()
	found := g.findReading(choices)
	if found.Checked < market.LeastFillsForZone || 10*found.Inside < 9*found.Checked {
		return market.Proposal{}
	}
	return found
}

func (g *group) findReading(c market.Choices) market.Proposal {
	if g.key.Secs >= secondsOfDay {
		// Daily bars have no zone, and a day in UTC is not a day on the exchange.
		c = market.Choices{Zones: []*time.Location{time.UTC}, OnlyZones: true, Stamps: []market.Stamp{market.OpenStamp}, Scales: c.Scales}
	}
	most := maxSample
	if !c.OnlyZones && g.key.Secs < 60 {
		most = 2 * market.LeastFillsForStamp // second bars are many
	}
	fills := market.SpreadFills(g.fills, most)
	return market.FindReading(g.sampleBars(fills, c), fills, c)
}

// maxSample is how many fills are compared at most.
const maxSample = 200

// sampleBars returns the bars to compare with fills: those around each fill in any zone,
// or in the known one, and the file's first and last.
func (g *group) sampleBars(fills []market.Fill, c market.Choices) market.Block {
	near := []market.Range{{From: g.first, To: g.first + 1}, {From: g.last, To: g.last + 1}}
	for _, fill := range fills {
		second, radius := fill.At/micros, int64(farthest)
		if c.OnlyZones {
			_, offset := time.Unix(second, 0).In(c.Zones[0]).Zone()
			second, radius = second+int64(offset), 60
		}
		near = append(near, market.Range{From: second - radius - g.key.Secs, To: second + radius + 2*g.key.Secs})
	}
	near = market.Union(near, 0)
	all := market.Block{Secs: g.key.Secs}
	for block := range g.series.BlocksWithin(func(of market.Range) bool { return overlaps(near, of) }) {
		block.Bars = slices.DeleteFunc(block.Bars, func(b market.Bar) bool {
			return !overlaps(near, market.Range{From: b.Time, To: b.Time + 1})
		})
		if len(block.Bars) > 0 {
			all = market.MergeBlocks(all, block)
		}
	}
	all.Secs = g.key.Secs
	return all
}

// overlaps reports whether a range overlaps one in a list, which is in order and without
// overlaps.
func overlaps(list []market.Range, r market.Range) bool {
	at, _ := slices.BinarySearchFunc(list, r.From, func(l market.Range, from int64) int {
		if l.To <= from {
			return -1
		}
		return 1
	})
	return at < len(list) && list[at].From < r.To
}

// shareReadings sets the zone and the stamp for series without enough fills to those
// proved by the fills in another series with the same layout: the files in an archive
// come from one program.
func (p *plan) shareReadings() {
	best := map[string]*group{}
	for _, g := range p.groups {
		if g.clock.Zone != nil && g.clock.StampKnown || !g.zoneKnown || !g.stampKnown || g.proposed == nil {
			continue
		}
		if other := best[g.layout]; other == nil || g.proposed.Inside > other.proposed.Inside {
			best[g.layout] = g
		}
	}
	for _, g := range p.groups {
		proved := best[g.layout]
		if proved == nil || g.key.Secs >= secondsOfDay {
			continue
		}
		if !g.zoneKnown {
			g.reading.Zone, g.zoneKnown = proved.reading.Zone, true
		}
		if !g.stampKnown {
			g.reading.Stamp, g.stampKnown = proved.reading.Stamp, true
		}
	}
}

// missing returns the option a commit needs, or an empty text.
func (p *plan) missing() string {
	for _, g := range p.groups {
		switch {
		case g.key.Symbol == "":
			return "symbol"
		case g.key.Secs == 0:
			return "bar_secs"
		case !g.zoneKnown:
			return "tz"
		case !g.stampKnown:
			return "stamp"
		}
	}
	return ""
}

// measure counts a group's bars for a preview.
func (g *group) measure(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	g.overlaps, g.conflicts = 0, 0
	if g.key.Secs == 0 {
		g.counted = tally{bars: g.series.Count(), first: g.first, last: g.last}
		return nil
	}
	for block := range g.tally() {
		if !g.isStored || !g.zoneKnown || !g.stampKnown {
			continue
		}
		counts, err := bars.CompareBlock(ctx, tx, owner, g.stored, block)
		if err != nil {
			return err
		}
		g.overlaps, g.conflicts = g.overlaps+counts.Replaced+counts.Unchanged, g.conflicts+counts.Replaced
	}
	return nil
}

func (p *plan) result() Result {
	r := Result{Layout: p.layout, Rows: p.rows, Errors: p.errors, ErrorCount: p.errorCount, Missing: p.missing(), Warnings: slices.Clone(p.warnings)}
	for _, g := range p.groups {
		s := g.describe()
		r.Series = append(r.Series, s)
		if g.isZoneIgnored {
			r.Warnings = append(r.Warnings, s.Symbol+": tz is not used. The times of the file say their distance from UTC.")
		}
		r.Warnings = append(r.Warnings, s.warnings()...)
	}
	if len(r.Warnings) > maxErrors {
		r.Warnings = r.Warnings[:maxErrors]
	}
	return r
}

func (g *group) describe() Series {
	s := Series{
		Key: g.key, VolumeKind: g.volume, Layout: g.layout, Bars: g.counted.bars, First: g.counted.first, Last: g.counted.last,
		Reading: g.reading, ZoneKnown: g.zoneKnown, StampKnown: g.stampKnown, Similar: g.similar,
		FillsInside: g.counted.inside, Overlaps: g.overlaps, Conflicts: g.conflicts, Repeated: g.series.Conflicts, Proposed: g.proposed,
	}
	for _, fill := range g.fills {
		if second := fill.At / micros; second >= s.First && second < s.Last+s.Secs {
			s.FillsChecked++
		}
	}
	if g.key.Secs > 0 && g.key.Secs <= secondsOfDay && !g.isRates() { // a day without a rate is a holiday
		s.Gaps, s.GapDays = g.counted.days.gaps()
	}
	return s
}

// warnings returns what a user should look at, each as a sentence.
func (s Series) warnings() (list []string) {
	if s.Repeated > 0 {
		list = append(list, fmt.Sprintf("%s: %d bars come twice with different values. The later ones are used.", s.Symbol, s.Repeated))
	}
	if s.ZoneKnown && s.StampKnown && 10*s.FillsInside < 9*s.FillsChecked {
		list = append(list, fmt.Sprintf("%s: only %d of %d fills lie inside their bar. Check the time zone, the stamp and whether the prices are adjusted.",
			s.Symbol, s.FillsInside, s.FillsChecked))
	}
	return list
}
