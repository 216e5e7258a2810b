package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// This file groups streams between which corporate actions move positions. Such streams are
// always grouped together and as a whole: they are few and small, and a change to one can
// change what moves to the others.
//
// A position that moved is a stream of its own, with the instrument that it has now and a
// lineage. Its fills are grouped there, and keep the stream of their instrument in stated.

// isSplit reports whether the action converts positions and leaves their symbol.
func (a *CorporateAction) isSplit() bool {
	return a.Kind == ActionSplit || a.Kind == ActionStockDividend
}

// actsOnOptions reports whether the action acts on options of its symbol.
func (a *CorporateAction) actsOnOptions() bool {
	return a.AppliesTo != ScopeShares && a.Kind != ActionSpinOff && (!a.isSplit() || a.wholeRatio() > 0)
}

// actsOnShares reports whether the action acts on instruments other than options.
func (a *CorporateAction) actsOnShares() bool { return a.AppliesTo != ScopeOptions }

// wholeRatio returns how many new units replace an old one, 0 if that is not a whole number.
func (a *CorporateAction) wholeRatio() int64 {
	if a.RatioNew%a.RatioOld != 0 {
		return 0
	}
	return a.RatioNew / a.RatioOld
}

// actsOnKey reports whether the action acts on positions in an instrument.
func (a *CorporateAction) actsOnKey(key streamKey) bool {
	switch {
	case a.Symbol != key.symbol:
		return false
	case key.kind == instruments.TypeOption:
		return a.actsOnOptions() && (key.expiry == "" || key.expiry >= string(a.EffectiveOn))
	}
	return key.hasShares() && a.actsOnShares()
}

// targetOf returns the instrument that a position in key becomes, or from which a spin-off
// opens one, and false if the action does not act on it.
func (a *CorporateAction) targetOf(key streamKey) (streamKey, bool) {
	if !a.actsOnKey(key) {
		return key, false
	}
	if a.NewSymbol != "" {
		key.symbol = a.NewSymbol
	} else if key.kind == instruments.TypeOption && key.strike != "" {
		strike, err := decimal.ParseExact(key.strike)
		if err != nil {
			return key, false
		}
		const cents = 2
		key.strike = strike.Mul(decimal.New(a.RatioOld)).DivRound(decimal.New(a.RatioNew), cents).String()
	}
	return key, true
}

// links reports whether the action moves positions between instruments of a class.
func (a *CorporateAction) links(isOption bool) bool {
	if isOption {
		return a.actsOnOptions()
	}
	return a.actsOnShares() && !a.isSplit()
}

// hasLink reports whether actions may move positions to or from an instrument.
func (set *streamSet) hasLink(key streamKey) bool {
	return slices.ContainsFunc(set.actions, func(a CorporateAction) bool {
		return a.links(key.kind == instruments.TypeOption) && (a.actsOnKey(key) || a.NewSymbol == key.symbol && a.NewSymbol != "")
	})
}

// isLinked reports whether the stream is grouped together with others.
func (set *streamSet) isLinked(s *stream) bool {
	return s.linked || s.key.lineage != "" || set.hasLink(s.key)
}

// withoutLineage returns the key of the instrument's own stream.
func (k streamKey) withoutLineage() streamKey {
	k.lineage = ""
	return k
}

// linkedNode is an instrument among linked ones. Its stream is nil if it has none.
type linkedNode struct {
	key    streamKey
	stream *stream
	fills  []*fill
	group  int // the least place among the nodes it is connected with
}

// linkedStreams are the instruments that links connect, and the streams of their lineages.
type linkedStreams struct {
	nodes    []*linkedNode
	links    []matching.Link
	lineages map[int64]*stream
	byKey    map[streamKey]int
}

// findLinked returns the instruments connected with those of some streams.
func (set *streamSet) findLinked(ctx context.Context, seeds []*stream) (*linkedStreams, error) {
	l := &linkedStreams{lineages: map[int64]*stream{}, byKey: map[streamKey]int{}}
	var symbols []string
	add := func(symbol string) {
		if symbol != "" && !slices.Contains(symbols, symbol) {
			symbols = append(symbols, symbol)
		}
	}
	for _, s := range seeds {
		add(s.key.symbol)
		if s.key.lineage == "" {
			l.addNode(s.key, s)
		}
	}
	moved, err := set.movedStreams(ctx)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(symbols); i++ {
		for k := range set.actions {
			if a := &set.actions[k]; a.NewSymbol != "" && (a.Symbol == symbols[i] || a.NewSymbol == symbols[i]) {
				add(a.Symbol)
				add(a.NewSymbol)
			}
		}
		for _, m := range moved { // positions that actions moved which are gone
			if m.stated.key.symbol == symbols[i] || m.group.key.symbol == symbols[i] {
				add(m.stated.key.symbol)
				add(m.group.key.symbol)
			}
		}
	}
	numbers, err := db.ListIn(ctx, set.tx, symbols, db.Single[int64],
		`SELECT number FROM streams WHERE user_id = $1 AND account = $2 AND symbol IN $keys`, set.owner, set.account.number)
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		s, err := set.streamNumbered(ctx, number)
		if err != nil {
			return nil, err
		}
		if s.key.lineage == "" {
			l.addNode(s.key, s)
		} else {
			l.lineages[number] = s
		}
	}
	l.addLinks(set.actions)
	for _, m := range moved {
		if _, known := l.lineages[m.group.number]; known {
			l.connect(l.addNode(m.stated.key, m.stated), l.addNode(m.group.key.withoutLineage(), nil))
		}
	}
	l.keepConnected(seeds)
	return l, nil
}

// movedStream is a stream with fills that are grouped in another.
type movedStream struct{ stated, group *stream }

func (set *streamSet) movedStreams(ctx context.Context) (list []movedStream, err error) {
	type pair struct{ stated, group int64 }
	pairs, err := db.List(ctx, set.tx, func(row db.Scanner) (p pair, err error) {
		err = row.Scan(&p.stated, &p.group)
		return p, err
	}, `SELECT DISTINCT stated, stream FROM executions WHERE user_id = $1 AND account = $2 AND stated IS NOT NULL ORDER BY stated, stream`,
		set.owner, set.account.number)
	for _, p := range pairs {
		var m movedStream
		if m.stated, err = set.streamNumbered(ctx, p.stated); err != nil {
			return nil, err
		}
		if m.group, err = set.streamNumbered(ctx, p.group); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, err
}

// addNode returns an instrument's place; s may be nil.
func (l *linkedStreams) addNode(key streamKey, s *stream) int {
	place, known := l.byKey[key]
	if !known {
		place = len(l.nodes)
		l.byKey[key] = place
		l.nodes = append(l.nodes, &linkedNode{key: key, group: place})
	}
	if l.nodes[place].stream == nil {
		l.nodes[place].stream = s
	}
	return place
}

// connect makes two nodes' groups one.
func (l *linkedStreams) connect(a, b int) {
	from, to := l.nodes[a].group, l.nodes[b].group
	for _, n := range l.nodes {
		if n.group == from {
			n.group = to
		}
	}
}

// addLinks adds what the actions do, in order, and the instruments to which they lead. An
// action acts on all instruments at once: what a split moves to a lower strike is not moved
// again by it.
func (l *linkedStreams) addLinks(actions []CorporateAction) {
	for i := range actions {
		a := &actions[i]
		var links []matching.Link
		for from := range len(l.nodes) { // not those that it adds
			target, acts := a.targetOf(l.nodes[from].key)
			if !acts {
				continue
			}
			link := matching.Link{Event: a.conversion(), From: from, To: l.addNode(target, nil), SpinOff: a.Kind == ActionSpinOff}
			link.CostShare = a.CostShare
			if link.From != link.To {
				l.connect(link.From, link.To)
			}
			links = append(links, link)
		}
		slices.SortStableFunc(links, func(x, y matching.Link) int { return l.strikeOf(x.From).Cmp(l.strikeOf(y.From)) })
		l.links = append(l.links, links...)
	}
}

func (l *linkedStreams) strikeOf(place int) decimal.Decimal {
	return l.nodes[place].key.toInstrument().Strike.Or(decimal.Zero)
}

// keepConnected drops the nodes and lineages that no link connects with some streams.
func (l *linkedStreams) keepConnected(seeds []*stream) {
	wanted := map[int]bool{}
	for _, s := range seeds {
		if place, known := l.byKey[s.key.withoutLineage()]; known {
			wanted[l.nodes[place].group] = true
		}
	}
	places := make([]int, len(l.nodes))
	var nodes []*linkedNode
	l.byKey = map[streamKey]int{}
	for i, n := range l.nodes {
		if places[i] = -1; wanted[n.group] {
			places[i], l.byKey[n.key] = len(nodes), len(nodes)
			nodes = append(nodes, n)
		}
	}
	l.nodes = nodes
	l.links = slices.DeleteFunc(l.links, func(link matching.Link) bool { return places[link.From] < 0 })
	for i := range l.links {
		l.links[i].From, l.links[i].To = places[l.links[i].From], places[l.links[i].To]
	}
	for number, s := range l.lineages {
		if _, kept := l.byKey[s.key.withoutLineage()]; !kept {
			delete(l.lineages, number)
		}
	}
}

// streams returns the nodes' streams and the lineages, by number.
func (l *linkedStreams) streams() (numbers []int64) {
	for _, n := range l.nodes {
		if n.stream != nil {
			numbers = append(numbers, n.stream.number)
		}
	}
	for number := range l.lineages {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// regroupLinked computes the trades of linked streams after their changes, and of all that
// are linked with them. It writes nothing but new streams.
func (set *streamSet) regroupLinked(ctx context.Context, list []*changes, into *regrouping) error {
	seeds := make([]*stream, len(list))
	removed, whole := map[int64]bool{}, false
	for i, c := range list {
		c.sort()
		into.flagClosings(c)
		seeds[i], whole = c.stream, whole || c.whole
		for seq := range c.removedSeqs {
			removed[seq] = true
		}
	}
	linked, err := set.findLinked(ctx, seeds)
	if err != nil {
		return err
	}
	numbers := linked.streams()
	old, err := db.ListIn(ctx, set.tx, numbers, scanTradeRow, tradeSelect+` WHERE user_id = $1 AND stream IN $keys`, set.owner)
	if err != nil {
		return err
	}
	fills, err := db.ListIn(ctx, set.tx, numbers, set.scanFill, fillSelect+` WHERE user_id = $1 AND stream IN $keys`, set.owner)
	if err != nil {
		return err
	}
	fills = slices.DeleteFunc(fills, func(f *fill) bool { return removed[f.seq] })
	byStream := map[int64][]*tradeRow{}
	slices.SortFunc(old, func(a, b *tradeRow) int { return cmp.Or(cmp.Compare(a.stream, b.stream), a.First.Compare(b.First)) })
	for _, t := range old {
		byStream[t.stream] = append(byStream[t.stream], t)
	}
	into.old = append(into.old, old...)
	for _, c := range list {
		fills = append(fills, c.added...)
		into.removed = append(into.removed, c.removed...)
		for _, f := range c.removed {
			if f.links = (links{}); !f.belongsToNoTrade() {
				f.links = findLinks(byStream[f.grouped()], f.position())
			}
		}
	}
	for _, f := range fills {
		if f.state == stored && !f.belongsToNoTrade() {
			f.links = findLinks(byStream[f.grouped()], f.position())
		}
	}
	for _, number := range numbers {
		into.keys[number] = set.byNumber[number].key
		into.outdated = append(into.outdated, stretch{stream: number, to: endOfStream})
	}
	into.anchorOld(byStream, fills)
	return set.groupLinked(ctx, linked, fills, into)
}

// anchorOld records which fill, or which event, opened each stored trade.
func (r *regrouping) anchorOld(byStream map[int64][]*tradeRow, fills []*fill) {
	if r.anchors == nil {
		r.anchors = map[string]string{}
	}
	for number, trades := range byStream {
		for _, t := range trades {
			if t.First.Seq == 0 {
				r.anchors[string(t.id)] = eventAnchor(r.keys[number], t.First.At)
			}
		}
	}
	for _, list := range [][]*fill{fills, r.removed} {
		for _, f := range list {
			for _, t := range byStream[f.grouped()] {
				if t.First == f.position() {
					r.anchors[string(t.id)] = string(f.id)
				}
			}
		}
	}
}

// eventAnchor names the event that opens a trade.
func eventAnchor(key streamKey, at int64) string {
	return fmt.Sprint("event ", key.orderKey(), " ", at)
}

// groupLinked groups fills of linked streams.
func (set *streamSet) groupLinked(ctx context.Context, linked *linkedStreams, fills []*fill, into *regrouping) error {
	slices.SortFunc(fills, byPosition)
	nodeOf := map[int64]int{}
	for i, n := range linked.nodes {
		if n.stream != nil {
			nodeOf[n.stream.number] = i
		}
	}
	streams, rows := make([][]matching.Fill, len(linked.nodes)), make([][]*fill, len(linked.nodes))
	for _, f := range fills {
		into.fills, into.byID[string(f.id)] = append(into.fills, f), f
		switch {
		case !f.kind.OnlyCloses():
			f.unmatched = decimal.Zero
		case f.state == stored && f.belongsToNoTrade():
			if into.apart == nil {
				into.apart = map[*fill]bool{}
			}
			into.apart[f] = true
		}
		at, known := nodeOf[f.stream]
		if !known {
			return fmt.Errorf("execution %s is in a stream of another instrument; run fillbook check", f.id)
		}
		streams[at], rows[at] = append(streams[at], f.toMatching()), append(rows[at], f)
	}
	if into.second != nil {
		maps.Copy(into.second, linked.recomputeLinked(rows))
	}
	for _, lineage := range matching.GroupLinked(streams, linked.links, into.recordClosure) {
		if err := set.addLineage(ctx, linked, lineage, into); err != nil {
			return err
		}
	}
	return nil
}

// addLineage adds a lineage's trades, and moves its fills to its stream.
func (set *streamSet) addLineage(ctx context.Context, linked *linkedStreams, l matching.Lineage, into *regrouping) error {
	n := linked.nodes[l.Stream]
	if len(l.Fills)+len(l.Trades) == 0 && (n.stream == nil || len(n.stream.events) == 0) {
		return nil
	}
	s, err := set.lineageStream(ctx, n, l)
	if err != nil {
		return err
	}
	into.keys[s.number] = s.key
	if !slices.EqualFunc(s.events, l.Events, matching.Event.Equal) {
		s.events = l.Events
		into.changedEvents = append(into.changedEvents, s)
	}
	for _, one := range l.Fills {
		f := into.byID[one.ID]
		group := int64(0)
		if f.stream != s.number {
			group = s.number
		}
		if f.group != group {
			f.group = group
			if f.state == stored || f.state == restored {
				into.moved = append(into.moved, f)
			}
		}
	}
	if into.extra == nil {
		into.extra = map[int]tradeExtra{}
	}
	for i := range l.Trades {
		extra := tradeExtra{anchor: eventAnchor(s.key, l.Trades[i].First.At)}
		if parts := l.Trades[i].Parts; len(parts) > 0 && l.Trades[i].First == into.byID[parts[0].FillID].position() {
			extra.anchor = parts[0].FillID
		}
		shown := linked.nodes[l.EndedIn[i]]
		if shown != n && shown.stream != nil {
			extra.shown = shown.stream.number
		}
		extra.symbols = into.symbolsOf(&l.Trades[i], shown.key.symbol, set)
		into.extra[len(into.trades)] = extra
		into.trades, into.streams = append(into.trades, l.Trades[i]), append(into.streams, s.number)
	}
	return nil
}

// tradeExtra is what a trade in linked streams has besides: see tradeRow.
type tradeExtra struct {
	shown   int64
	symbols string
	anchor  string
}

// symbolsOf returns the symbols of a trade's fills and the one that it has now as they are
// stored, empty for one.
func (r *regrouping) symbolsOf(t *matching.Trade, now string, set *streamSet) string {
	list := []string{now}
	for i := len(t.Parts) - 1; i >= 0; i-- {
		if s := set.byNumber[r.byID[t.Parts[i].FillID].stream]; s != nil && !slices.Contains(list, s.key.symbol) {
			list = append(list, s.key.symbol)
		}
	}
	if len(list) == 1 {
		return ""
	}
	return "\n" + strings.Join(list, "\n") + "\n"
}

// lineageStream returns the stream of a lineage, and creates it if necessary.
func (set *streamSet) lineageStream(ctx context.Context, n *linkedNode, l matching.Lineage) (*stream, error) {
	key := n.key
	if l.Moved {
		key.lineage = "event"
		if len(l.Fills) > 0 {
			key.lineage = strconv.FormatInt(l.Fills[0].Seq, 10)
		}
	} else if n.stream != nil {
		return n.stream, nil
	}
	create := set.streamFor
	if set.dry {
		create = set.streamForPreview
	}
	s, err := create(ctx, key)
	if err == nil && !l.Moved {
		n.stream = s
	}
	return s, err
}

// moveFills writes in which streams stored fills are grouped now.
func (b *book) moveFills(ctx context.Context) error {
	rows := make([][]any, len(b.moved))
	for i, f := range b.moved {
		rows[i] = []any{f.grouped(), f.storedStated(), int64(b.owner), b.account.number, f.at, f.seq}
	}
	if err := b.tx.UpdateMany(ctx, "executions", []string{"stream", "stated"}, []string{"user_id", "account", "executed_at", "seq"}, rows); err != nil {
		return err
	}
	for _, s := range b.changedEvents {
		if err := b.updateEvents(ctx, s); err != nil {
			return err
		}
	}
	b.moved, b.changedEvents = nil, nil
	return nil
}
