package ledger_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestRandomHistory makes random journals by random writes: fills one by one and in bulk,
// in any time order, edited, moved, deleted, whole trades deleted, imports reversed.
// After every write the stored trades must be what grouping all fills from scratch gives,
// to the last digit, and what was written on a trade must be where one of its fills still
// is. Trades have checkpoints after every few fills. make soak tries many more.
func TestRandomHistory(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		rapid.Check(t, testkit.LimitChecks(checksOf(database, 30), func(rt *rapid.T) {
			m := newModel(rt, newFixture(t, database))
			m.ledger.SetCheckpointInterval(rapid.IntRange(2, 5).Draw(rt, "checkpoint interval"))
			for range rapid.IntRange(1, 14).Draw(rt, "writes") {
				m.step(rt)
			}
			m.fixture.sound()
			m.fixture.checkRealized()
			m.fixture.checkPositions()
			m.fixture.remove()
		}))
	})
}

// model is a journal under test with a note on every trade.
type model struct {
	*fixture
	t       *rapid.T
	batches []journal.BatchID
	before  state
	notes   map[string]journal.TradeID // where each note is
	orphans map[string]bool
	deleted map[string]bool
	made    int
	split   *ledger.CorporateAction // nil for none
}

// state is the ledger's content.
type state struct {
	fills  map[journal.ExecutionID]ledger.Execution
	trades map[journal.TradeID]ledger.Trade
	// members are each trade's fills.
	members map[journal.TradeID]map[journal.ExecutionID]bool
}

func newModel(t *rapid.T, d *fixture) *model {
	m := &model{fixture: d, t: t, notes: map[string]journal.TradeID{}, orphans: map[string]bool{}, deleted: map[string]bool{}}
	d.onChange = m.moveNotes
	m.before = m.read()
	return m
}

// moveNotes moves notes as follow requires.
func (m *model) moveNotes(change ledger.TradeChanges) {
	if change.AccountDeleted {
		return
	}
	for _, id := range change.Created {
		m.made++
		m.notes[fmt.Sprintf("note %d", m.made)] = id
	}
	gone := map[journal.TradeID]bool{}
	for _, id := range change.Removed {
		gone[id] = true
	}
	for note, id := range m.notes {
		if !gone[id] {
			continue
		}
		for _, merge := range change.Merged {
			if merge.From == id {
				m.notes[note] = merge.Into
			}
		}
		if slices.ContainsFunc(change.Orphaned, func(o ledger.Orphan) bool { return o.Trade == id }) {
			m.orphans[note] = true
		}
		if slices.Contains(change.Deleted, id) {
			m.deleted[note] = true
		}
	}
}

// step makes one random write and looks at the result.
func (m *model) step(t *rapid.T) {
	was := maps.Clone(m.notes)
	var asked journal.TradeID
	switch rapid.SampledFrom([]string{"add", "add", "bulk", "edit", "edit", "delete", "trade", "reverse", "all", "split"}).Draw(t, "write") {
	case "add":
		m.add(t)
	case "bulk":
		batch := journal.NewID[journal.BatchID]()
		m.batches = append(m.batches, batch)
		m.insert(batch, rapid.SliceOfN(rapid.Custom(drawFill), 1, 12).Draw(t, "fills")...)
	case "edit":
		m.edit(t)
	case "delete":
		if id, ok := draw(t, m.before.fills); ok {
			must(m, m.ledger.DeleteExecution(context.Background(), m.owner, id, nil))
		}
	case "trade":
		if id, ok := draw(t, m.before.trades); ok {
			asked = id
			must(m, m.ledger.DeleteTrade(context.Background(), m.owner, id, nil))
		}
	case "reverse":
		if len(m.batches) > 0 {
			m.reverse(rapid.SampledFrom(m.batches).Draw(t, "batch"))
		}
	case "split":
		m.toggleSplit(t)
	case "all":
		changed, err := m.ledger.RegroupAll(context.Background(), m.owner, m.account)
		must(m, err)
		if changed != 0 {
			t.Fatalf("regrouping everything changed %d trades", changed)
		}
	}
	after := m.read()
	m.verify(t, after)
	m.sound()
	m.verifyNotes(t, was, after, asked)
	m.before = after
}

// toggleSplit records a split of AAPL, whose day in Darwin begins in the middle of the
// fills' minutes, or changes or deletes it.
func (m *model) toggleSplit(t *rapid.T) {
	ctx := context.Background()
	n, d := rapid.SampledFrom([]int64{1, 2, 3, 102918}).Draw(t, "new"), rapid.SampledFrom([]int64{1, 3, 10, 100_000}).Draw(t, "old")
	change := ledger.ActionChange{
		Kind: journal.Some(ledger.ActionSplit), Symbol: journal.Some("AAPL"), RatioNew: journal.Some(n), RatioOld: journal.Some(d),
		EffectiveOn: journal.Some(journal.Day("2026-01-06")), Zone: journal.Some("Australia/Darwin"), AppliesTo: journal.Some(ledger.ScopeShares),
	}
	var err error
	switch {
	case m.split == nil:
		var a ledger.CorporateAction
		a, err = m.ledger.CreateAction(ctx, m.owner, change)
		m.split = &a
	case rapid.Bool().Draw(t, "change"):
		*m.split, err = m.ledger.ChangeAction(ctx, m.owner, m.split.ID, change, nil)
	default:
		err = m.ledger.DeleteAction(ctx, m.owner, m.split.ID, nil)
		m.split = nil
	}
	must(m, err)
}

// splitsOf returns the splits that act on an instrument.
func (m *model) splitsOf(i ledger.Instrument) []matching.Event {
	if m.split == nil || i.Symbol != "AAPL" || i.Type != "stock" {
		return nil
	}
	return []matching.Event{{At: db.Micros(m.split.At()), New: m.split.RatioNew, Old: m.split.RatioOld}}
}

func (m *model) add(t *rapid.T) {
	in := drawFill(t)
	in.AllowDuplicate = true
	added, err := m.ledger.AddExecution(context.Background(), m.owner, m.account, in)
	must(m, err)
	stored, err := m.ledger.Execution(context.Background(), m.owner, added.ID)
	must(m, err)
	if diff := cmp.Diff(stored, added.Execution); diff != "" {
		t.Fatalf("added and stored differ: %s", diff)
	}
}

func (m *model) edit(t *rapid.T) {
	id, ok := draw(t, m.before.fills)
	if !ok {
		return
	}
	in := drawFill(t)
	var c ledger.ExecutionChange
	for _, field := range rapid.SliceOfN(rapid.SampledFrom(
		[]string{"instrument", "side", "quantity", "price", "costs", "time", "stated", "words"}), 1, 3).Draw(t, "fields") {
		switch field {
		case "instrument":
			c.Symbol, c.InstrumentType = journal.Some(in.Symbol), journal.Some(in.InstrumentType)
			c.Details = journal.Some(in.Details)
			c.Price, c.Kind, c.BasisEstimated = journal.Some(in.Price), journal.Some(in.Kind), journal.Some(in.BasisEstimated)
		case "side":
			c.Side = journal.Some(in.Side)
		case "quantity":
			c.Quantity = journal.Some(in.Quantity)
		case "price":
			if kind := m.before.fills[id].Kind; kind != matching.KindAssignment && kind != matching.KindExercise {
				c.Price = journal.Some(in.Price.Abs())
			}
		case "costs":
			c.Fees, c.Commission = journal.Some(in.Fees), journal.Some(in.Commission)
		case "time":
			c.ExecutedAt = journal.Some(in.ExecutedAt)
		case "stated":
			c.StatedPnL = journal.Opt[decimal.Decimal]{Set: true, Null: !in.StatedPnL.Valid, Value: in.StatedPnL.Decimal}
		case "words":
			c.ExternalID = journal.Some("id-" + string(id))
		}
	}
	changed, err := m.ledger.UpdateExecution(context.Background(), m.owner, id, c, nil)
	must(m, err)
	stored, err := m.ledger.Execution(context.Background(), m.owner, id)
	must(m, err)
	if diff := cmp.Diff(stored, changed); diff != "" {
		t.Fatalf("changed and stored differ: %s", diff)
	}
}

// drawFill draws a fill with few instruments, instants and sizes, so positions meet zero
// and instants repeat, and with awkward decimals.
func drawFill(t *rapid.T) ledger.NewFill {
	f := ledger.NewFill{
		Side:       rapid.SampledFrom([]matching.Side{matching.Buy, matching.Sell}).Draw(t, "side"),
		Quantity:   decimal.Must(rapid.SampledFrom([]string{"1", "1", "2", "3", "0.5", "0.000000000000000001", "1.000000000000000001", "7"}).Draw(t, "quantity")),
		Price:      decimal.Must(rapid.SampledFrom([]string{"10", "10.1", "0", "0.333333333333333333", "123456.789"}).Draw(t, "price")),
		Fees:       decimal.Must(rapid.SampledFrom([]string{"0", "0", "1", "0.01", "-0.005", "0.000000000000000003"}).Draw(t, "fees")),
		Commission: decimal.Must(rapid.SampledFrom([]string{"0", "0", "1.1"}).Draw(t, "commission")),
		ExecutedAt: minute(rapid.IntRange(-4, 5).Draw(t, "minute")),
	}
	switch rapid.IntRange(0, 4).Draw(t, "instrument") {
	case 0, 1:
		f.Symbol = "AAPL"
	case 2:
		f.Symbol, f.InstrumentType = "ESZ5", "future"
		if rapid.Bool().Draw(t, "negative") {
			f.Price = f.Price.Neg()
		}
	case 3:
		f.Symbol, f.InstrumentType = "AAPL", "option"
		f.Details = map[string]string{"option_right": "call", "strike": "150.5", "expiry": "2026-06-19", "venue": "X"}
	case 4:
		f.Symbol, f.Details = "AAPL", map[string]string{"lot": "7"}
	}
	if rapid.IntRange(0, 9).Draw(t, "has stated") == 0 {
		f.StatedPnL = decimal.Of(decimal.Must("6.6225"))
	}
	if rapid.IntRange(0, 2).Draw(t, "special") == 0 {
		drawKind(t, &f)
	} else {
		f.Closes = rapid.Bool().Draw(t, "closes")
	}
	return f
}

// drawKind draws another kind that the fill's instrument can have.
func drawKind(t *rapid.T, f *ledger.NewFill) {
	kinds := []matching.Kind{matching.KindOpening, matching.KindRemoval, matching.KindSettlement}
	if f.InstrumentType == "option" {
		kinds = matching.Kinds()[1:]
	}
	f.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	switch f.Kind {
	case matching.KindOpening:
		f.BasisEstimated = rapid.Bool().Draw(t, "estimated")
	case matching.KindAssignment, matching.KindExercise:
		f.Price, f.EventID = decimal.Zero, "event 1"
	default:
	}
}

func draw[K ~string, V any](t *rapid.T, from map[K]V) (K, bool) {
	if len(from) == 0 {
		return "", false
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(from))).Draw(t, "record"), true
}

// read returns all the fixture's data.
func (m *model) read() state {
	s := state{
		fills:   map[journal.ExecutionID]ledger.Execution{},
		trades:  map[journal.TradeID]ledger.Trade{},
		members: map[journal.TradeID]map[journal.ExecutionID]bool{},
	}
	for _, e := range m.executions() {
		s.fills[e.ID] = e
		for _, id := range e.TradeIDs {
			if s.members[id] == nil {
				s.members[id] = map[journal.ExecutionID]bool{}
			}
			s.members[id][e.ID] = true
		}
	}
	for _, t := range m.trades() {
		s.trades[t.ID] = t
	}
	return s
}

// verify compares the stored trades with those all fills make.
func (m *model) verify(t *rapid.T, s state) {
	streams := map[string][]matching.Fill{}
	events := map[string][]matching.Event{}
	for _, e := range s.fills {
		key := fmt.Sprintf("%+v", e.Instrument)
		events[key] = m.splitsOf(e.Instrument)
		streams[key] = append(streams[key], matching.Fill{
			ID: string(e.ID), At: db.Micros(e.ExecutedAt), Seq: e.Cursor.Arrival, Side: e.Side, Quantity: e.Quantity, Price: e.Price,
			Multiplier: e.Multiplier, Fees: e.Fees, Commission: e.Commission, StatedPnL: e.StatedPnL, Kind: e.Kind,
		})
	}
	seen := map[journal.TradeID]bool{}
	for key, fills := range streams {
		slices.SortFunc(fills, matching.CompareFills)
		grouping := matching.Grouping{Events: events[key], ReportClosing: func(c matching.Closure) {
			e := s.fills[journal.ExecutionID(c.FillID)]
			if !e.Unmatched.Equal(c.Leftover) || e.Kind == matching.KindRemoval && !e.Price.Equal(c.Price) {
				t.Fatalf("execution %s leaves %s over at %s, want %+v", e.ID, e.Unmatched, e.Price, c)
			}
			if apart := c.Leftover.Equal(e.Quantity); apart != (len(e.TradeIDs) == 0) {
				t.Fatalf("execution %s of which %s is left over has the trades %v", e.ID, c.Leftover, e.TradeIDs)
			}
		}}
		for want := range grouping.Walk(slices.Values(fills)) {
			id := s.identity(t, want)
			if seen[id] {
				t.Fatalf("two trades have the id %s", id)
			}
			seen[id] = true
			compare(t, s.trades[id], want)
		}
		if len(events[key]) == 0 {
			cashEffect(t, s, fills)
		}
	}
	if len(seen) != len(s.trades) || len(s.members) != len(s.trades) {
		t.Fatalf("%d trades are stored, %d are linked, %d should be", len(s.trades), len(s.members), len(seen))
	}
}

// identity finds the one trade all parts are linked to.
func (s state) identity(t *rapid.T, want matching.Trade) (id journal.TradeID) {
	for _, part := range want.Parts {
		links := s.fills[journal.ExecutionID(part.FillID)].TradeIDs
		link := links[0]
		if part.Role == matching.Opening {
			link = links[len(links)-1]
		}
		if id == "" {
			id = link
		}
		if id != link {
			t.Fatalf("fills of one trade are linked to %s and %s", id, link)
		}
	}
	if len(s.members[id]) != len(want.Parts) {
		t.Fatalf("trade %s has %d fills linked, want %d", id, len(s.members[id]), len(want.Parts))
	}
	return id
}

func compare(t *rapid.T, got ledger.Trade, want matching.Trade) {
	type figures struct {
		Direction                                                    matching.Direction
		Opened, Last                                                 int64
		QtyOpened, QtyRemaining, Entry, Exit, Size, AvgEntry, Factor decimal.Decimal
		Volume, AvgExit, Gross, Net, Return                          decimal.Null
		Fees, Commission, Realized                                   decimal.Decimal
		Count                                                        int
		EndedBy                                                      matching.Kind
		Removed                                                      bool
	}
	stored := figures{
		got.Direction, db.Micros(got.OpenedAt), 0, got.QtyOpened, got.QtyRemaining, got.EntryNotional, got.ExitNotional, got.EntrySize,
		got.AvgEntry, got.Multiplier, got.Volume, got.AvgExit, got.GrossPnL, got.NetPnL, got.ReturnPct, got.Fees, got.Commission, got.RealizedPnL,
		got.Executions, got.EndedBy, got.Removed,
	}
	if got.ClosedAt != nil {
		stored.Last = db.Micros(*got.ClosedAt)
	}
	closedAt, _ := want.ClosedAt()
	made := figures{
		want.Direction, want.OpenedAt(), closedAt, want.QtyOpened, want.QtyRemaining, want.EntryNotional, want.ExitNotional, want.EntrySize,
		want.AvgEntry, want.Multiplier, want.Rate.Convert(want.Volume), want.AvgExit, want.GrossPnL, want.NetPnL, want.ReturnPct, want.FeesTotal, want.Commission,
		want.RealizedPnL, len(want.Parts), want.EndedBy, want.Removed,
	}
	if diff := cmp.Diff(made, stored); diff != "" {
		t.Fatalf("trade %s: %s", got.ID, diff)
	}
}

// cashEffect compares a flat stream's results with the money its fills moved.
func cashEffect(t *rapid.T, s state, fills []matching.Fill) {
	var moved, position, net decimal.Decimal
	trades := map[journal.TradeID]bool{}
	for _, f := range fills {
		if f.StatedPnL.Valid || f.Kind != matching.KindTrade {
			return
		}
		value := f.Quantity.Mul(f.Price).Mul(f.Multiplier)
		if f.Side == matching.Buy {
			moved, position = moved.Sub(value), position.Add(f.Quantity)
		} else {
			moved, position = moved.Add(value), position.Sub(f.Quantity)
		}
		moved = moved.Sub(f.Fees).Sub(f.Commission)
		for _, id := range s.fills[journal.ExecutionID(f.ID)].TradeIDs {
			trades[id] = true
		}
	}
	for id := range trades {
		net = net.Add(s.trades[id].NetPnL.Decimal)
	}
	if position.IsZero() && !net.Equal(moved) {
		t.Fatalf("the trades made %s, the fills moved %s", net, moved)
	}
}

// verifyNotes makes sure that every note is on a trade holding one of the fills it was on
// before the write, or was let go for a reason.
func (m *model) verifyNotes(t *rapid.T, was map[string]journal.TradeID, after state, asked journal.TradeID) {
	for note, old := range was {
		survivors := 0
		shared := false
		for fill := range m.before.members[old] {
			if e, ok := after.fills[fill]; ok && len(e.TradeIDs) > 0 {
				survivors++
				shared = shared || after.members[m.notes[note]][fill]
			}
		}
		switch {
		case m.deleted[note]:
			if old != asked {
				t.Fatalf("%s was deleted, although the user did not delete it", note)
			}
			delete(m.notes, note)
		case m.orphans[note]:
			if survivors > 0 {
				t.Fatalf("%s was orphaned with %d fills left", note, survivors)
			}
			delete(m.notes, note)
		case !shared:
			t.Fatalf("%s moved from %s to %s, which has none of its fills", note, old, m.notes[note])
		}
	}
	held := map[journal.TradeID]bool{}
	for note, id := range m.notes {
		if _, ok := after.trades[id]; !ok {
			t.Fatalf("%s is on trade %s, which was removed", note, id)
		}
		held[id] = true
	}
	if len(held) != len(after.trades) {
		t.Fatalf("%d trades, but only %d ever were new", len(after.trades), len(held))
	}
}
