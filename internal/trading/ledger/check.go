package ledger

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/matching/oracle"
)

// RegroupAll groups an account's fills again and returns how many trades differed from
// the stored ones. Trades keep their ids, unless their rows are lost. It is needed only to
// repair an inconsistent ledger.
func (s *Service) RegroupAll(ctx context.Context, owner journal.UserID, account journal.AccountID) (changed int, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withBook(ctx, tx, owner, account, func(b *book) error {
			numbers, err := b.streamNumbers(ctx)
			if err != nil {
				return err
			}
			if err := b.regroupStreams(ctx, numbers); err != nil {
				return err
			}
			changed = len(b.change.Created) + len(b.change.Changed) + len(b.change.Removed)
			return b.clearLostCashLinks(ctx)
		})
	})
	return changed, err
}

// regroupStreams groups some streams again.
func (b *book) regroupStreams(ctx context.Context, numbers []int64) error {
	for _, number := range numbers {
		found, err := b.streamNumbered(ctx, number)
		if err != nil {
			return err
		}
		if err := b.regroupChanges(ctx, &changes{stream: found, whole: true}); err != nil {
			return err
		}
	}
	return nil
}

func (a *accountRows) streamNumbers(ctx context.Context) ([]int64, error) {
	return db.List(ctx, a.tx, db.Single[int64],
		`SELECT number FROM streams WHERE user_id = $1 AND account = $2 ORDER BY number`, a.owner, a.account.number)
}

// Problem is an inconsistency in the stored data.
type Problem struct {
	User    journal.UserID
	Account journal.AccountID
	// Record is the id of the trade, execution or cash row; empty for a problem with the
	// whole account.
	Record string
	// What is one sentence.
	What string
}

// Check reads every journal and reports inconsistencies: each trade is recomputed from
// its fills twice, by package matching and by the oracle, and compared with its row;
// counters, imports and links must agree with the rows. It changes nothing. Memory does not grow with the journals,
// because it reads one segment between two flat points at a time. An error means that the
// check could not run; inconsistencies are only reported.
func (s *Service) Check(ctx context.Context, report func(Problem)) error {
	all, err := listOwnedAccounts(ctx, s.db, currentRules+1)
	if err != nil {
		return err
	}
	for _, o := range all {
		err := s.db.View(ctx, func(tx *db.Tx) error { return checkAccount(ctx, tx, o.user, o.account, report) })
		if err != nil && !journal.IsKind(err, journal.KindNotFound) { // not found: deleted meanwhile
			return err
		}
	}
	return nil
}

// ownedAccount is any user's account.
type ownedAccount struct {
	user    journal.UserID
	account journal.AccountID
}

// listOwnedAccounts lists all users' accounts computed by rules before the given ones.
func listOwnedAccounts(ctx context.Context, d *db.DB, rules int) ([]ownedAccount, error) {
	return db.Get(ctx, d.Peek, func(tx *db.Tx) ([]ownedAccount, error) {
		return db.List(ctx, tx, func(row db.Scanner) (o ownedAccount, err error) {
			err = row.Scan(&o.user, &o.account)
			return o, err
		}, `SELECT user_id, id FROM accounts WHERE rules < $1 ORDER BY user_id, number`, rules)
	})
}

// checker checks one account.
type checker struct {
	*book
	report func(Problem)
}

func checkAccount(ctx context.Context, tx *db.Tx, user journal.UserID, account journal.AccountID, report func(Problem)) error {
	b, err := readBook(ctx, tx, user, account)
	if err != nil {
		return err
	}
	c := &checker{book: b, report: report}
	numbers, err := b.streamNumbers(ctx)
	if err != nil {
		return err
	}
	if err := c.loadActions(ctx); err != nil {
		return err
	}
	c.dry = true
	var linked []*changes
	for _, number := range numbers {
		s, err := c.streamNumbered(ctx, number)
		if err != nil {
			return err
		}
		if err := c.checkOrderKey(ctx, s); err != nil {
			return err
		}
		if s.linked = c.isLinked(s) || slices.ContainsFunc(s.events, isLinkedEvent); s.linked {
			linked = append(linked, &changes{stream: s})
			continue
		}
		if err := c.checkStream(ctx, s); err != nil {
			return err
		}
	}
	lost, err := c.hasLostStreams(ctx)
	if err != nil {
		return err
	}
	if !lost { // else they can't be grouped, and checkRows names the fills
		if err := c.checkLinked(ctx, linked); err != nil {
			return err
		}
	}
	if err := c.checkSources(ctx); err != nil {
		return err
	}
	return c.checkRows(ctx)
}

// hasLostStreams reports whether the instrument of a fill that an action moved is missing.
func (c *checker) hasLostStreams(ctx context.Context) (lost bool, err error) {
	err = c.tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM executions WHERE user_id = $1 AND account = $2 AND stated IS NOT NULL
			AND stated NOT IN (SELECT number FROM streams WHERE user_id = $1 AND account = $2))`, c.owner, c.account.number).Scan(&lost)
	return lost, err
}

// checkSources compares fills having several sources with the merged source values.
func (c *checker) checkSources(ctx context.Context) error {
	numbers, err := db.List(ctx, c.tx, db.Single[int64],
		`SELECT DISTINCT seq FROM fill_sources WHERE user_id = $1 AND account = $2 ORDER BY seq`,
		c.owner, c.account.number)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(numbers, 1000) {
		fills, err := c.sourcedFills(ctx, part)
		if err != nil {
			return err
		}
		sources, err := c.loadSources(ctx, part)
		if err != nil {
			return err
		}
		for seq, f := range fills {
			if after, _ := f.rebuild(sources[seq]); !sameRow(f, after) {
				c.reportProblem(string(f.id), "The execution differs from its sources.")
			}
		}
	}
	return nil
}

func (c *checker) reportProblem(record, format string, args ...any) {
	c.report(Problem{User: c.owner, Account: c.account.ID, Record: record, What: fmt.Sprintf(format, args...)})
}

// checkStream checks one stream, segment by segment.
func (c *checker) checkStream(ctx context.Context, s *stream) error {
	events, err := c.loadEvents(ctx, s.key)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(events, s.events, matching.Event.Equal) {
		c.reportProblem("", "The events of instrument %s differ from its corporate actions.", s.key.symbol)
	}
	checkpoints, err := c.loadCheckpoints(ctx, s)
	if err != nil {
		return err
	}
	fills := &fillCursor{set: c.streamSet, ctx: ctx, changes: &changes{stream: s, whole: true}, columns: forGrouping}
	trades := &tradeCursor{set: c.streamSet, ctx: ctx, stream: s}
	fills.seek(matching.Position{})
	trades.seek(matching.Position{})
	for {
		part := nextSegment(fills, s.events)
		if fills.err != nil {
			return fills.err
		}
		if len(part) == 0 {
			break
		}
		if err := c.checkSegment(s, part, trades, checkpoints); err != nil {
			return err
		}
	}
	if len(checkpoints) > 0 {
		c.reportProblem("", "Instrument %s has %d checkpoints that are not inside a trade.", s.key.symbol, len(checkpoints))
	}
	for t := trades.next(); t != nil; t = trades.next() {
		c.reportProblem(string(t.id), "The trade has no fills.")
	}
	return trades.err
}

// checkLinked checks the streams between which actions move positions, all at once.
func (c *checker) checkLinked(ctx context.Context, list []*changes) error {
	if len(list) == 0 {
		return nil
	}
	r := newRegrouping(0)
	r.second = map[string]oracle.LinkedTrade{}
	if err := c.regroupLinked(ctx, list, r); err != nil {
		return err
	}
	for _, s := range r.changedEvents {
		c.reportProblem("", "The events of instrument %s differ from its corporate actions.", s.key.symbol)
	}
	for _, f := range slices.Concat(r.moved, r.reclosed) {
		c.reportProblem(string(f.id), "The execution is not in the position to which corporate actions moved it, or closes another quantity.")
	}
	type place struct {
		stream int64
		first  matching.Position
	}
	stored := map[place]*tradeRow{}
	for _, t := range r.old {
		stored[place{t.stream, t.First}] = t
	}
	for i := range r.trades {
		t := &r.trades[i]
		at := place{r.streams[i], t.First}
		was := stored[at]
		delete(stored, at)
		if was == nil {
			c.reportProblem("", "The trade in %s that begins at %s is missing.", r.keys[at.stream].symbol, db.FromMicros(t.First.At))
			continue
		}
		second, known := r.second[linkedTradeKey(t, r.extra[i].anchor)]
		var recomputed []oracle.Trade
		if known {
			recomputed = append(recomputed, second.Trade)
		}
		c.checkTrade(was, r.row(i, was.id), recomputed, 0)
	}
	for _, t := range stored {
		c.reportProblem(string(t.id), "The trade has no fills.")
	}
	return nil
}

// linkedTradeKey distinguishes trades of linked streams: by their fills, or by the event that
// opened one without any, and by their direction. A fill can close what an event opened and
// open the opposite: then both trades have that fill alone.
func linkedTradeKey(t *matching.Trade, anchor string) string {
	ids := make([]string, len(t.Parts))
	for i, p := range t.Parts {
		ids[i] = p.FillID
	}
	return linkedKey(t.Direction == matching.Long, ids, anchor)
}

func linkedKey(long bool, fills []string, anchor string) string {
	key := strings.Join(fills, " ")
	if len(fills) == 0 {
		key = anchor
	}
	return fmt.Sprint(long, " ", key)
}

// recomputeLinked computes linked streams' trades a second time.
func (l *linkedStreams) recomputeLinked(streams [][]*fill) map[string]oracle.LinkedTrade {
	fills, links := make([][]oracle.Fill, len(streams)), make([]oracle.Link, len(l.links))
	for i, list := range streams {
		for _, f := range list {
			fills[i] = append(fills[i], f.toOracle())
		}
	}
	rat := func(n decimal.Null) *big.Rat {
		if !n.Valid {
			return nil
		}
		return n.Decimal.Rat()
	}
	for i, link := range l.links {
		links[i] = oracle.Link{
			Split: oracle.Split{At: link.At, New: link.New, Old: link.Old}, From: link.From, To: link.To, SpinOff: link.SpinOff,
			Cash: rat(link.Cash), CostShare: rat(link.CostShare),
		}
	}
	trades, _ := oracle.RecomputeLinked(fills, links)
	found := make(map[string]oracle.LinkedTrade, len(trades))
	for _, t := range trades {
		found[linkedKey(t.Long, t.FillIDs, eventAnchor(l.nodes[t.Stream].key, t.OpenedAt))] = t
	}
	return found
}

// checkOrderKey compares a stream's stored order key with the computed one.
func (c *checker) checkOrderKey(ctx context.Context, s *stream) error {
	var key string
	err := c.tx.QueryRow(ctx, `SELECT order_key FROM streams WHERE user_id = $1 AND number = $2`, c.owner, s.number).Scan(&key)
	if err == nil && key != s.key.orderKey() {
		c.reportProblem("", "The order key of instrument %s is wrong.", s.key.symbol)
	}
	return err
}

// nextSegment reads fills up to the next one leaving the position flat.
func nextSegment(fills *fillCursor, events []matching.Event) []*fill {
	var part []*fill
	var position decimal.Decimal
	for f := fills.next(); f != nil; f = fills.next() {
		for ; len(events) > 0 && events[0].At <= f.at; events = events[1:] {
			if sign := position.Sign(); len(part) > 0 && sign != 0 {
				position = events[0].Apply(position.Abs()).Mul(decimal.New(int64(sign)))
			}
		}
		part = append(part, f)
		moved := f.quantity.Sub(f.unmatched) // checked with the segment
		if f.side == matching.Sell {
			moved = moved.Neg()
		}
		position = position.Add(moved)
		if position.IsZero() {
			break
		}
	}
	return part
}

// loadCheckpoints returns a stream's stored checkpoints.
func (c *checker) loadCheckpoints(ctx context.Context, s *stream) (map[matching.Position]string, error) {
	found := map[matching.Position]string{}
	err := db.Each(ctx, c.tx, func(row db.Scanner) error {
		var at matching.Position
		var state string
		err := row.Scan(&at.At, &at.Seq, &state)
		found[at] = state
		return err
	}, `SELECT executed_at, seq, state FROM trade_checkpoints WHERE user_id = $1 AND stream = $2 ORDER BY executed_at, seq`, c.owner, s.number)
	return found, err
}

// groupFills groups a segment's fills and compares what is stored with fills that only
// close, and the stored checkpoints, which it removes from the map.
func (c *checker) groupFills(
	s *stream, fills []matching.Fill, byID map[string]*fill, checkpoints map[matching.Position]string,
) []matching.Trade {
	grouping := matching.Grouping{Events: s.events}
	if len(checkpoints) > 0 {
		grouping.Every, grouping.Report = 1, func(want matching.Checkpoint) {
			stored, found := checkpoints[want.Last()]
			if found && stored != want.String() {
				i, _ := slices.BinarySearchFunc(fills, want.Last(), func(f matching.Fill, p matching.Position) int { return f.Position().Compare(p) })
				c.reportProblem(fills[i].ID, "The checkpoint of instrument %s at %s differs from its fills.", s.key.symbol, db.FromMicros(want.Last().At))
			}
			delete(checkpoints, want.Last())
		}
	}
	grouping.ReportClosing = func(want matching.Closure) {
		f := byID[want.FillID]
		if !f.unmatched.Equal(want.Leftover) || f.kind == matching.KindRemoval && !f.price.Equal(want.Price) {
			c.reportProblem(want.FillID, "What the execution closes differs from the fills before it.")
		}
	}
	return slices.Collect(grouping.Walk(slices.Values(fills)))
}

// checkSegment compares a segment's stored trades with those its fills form.
func (c *checker) checkSegment(s *stream, part []*fill, trades *tradeCursor, checkpoints map[matching.Position]string) error {
	grouped := make([]matching.Fill, len(part))
	oracleFills := make([]oracle.Fill, len(part))
	for i, f := range part {
		grouped[i], oracleFills[i] = f.toMatching(), f.toOracle()
	}
	recomputed := oracle.Recompute(oracleFills, toOracleSplits(s.events)...)
	byID := make(map[string]*fill, len(part))
	for _, f := range part {
		byID[string(f.id)] = f
	}
	for i, want := range c.groupFills(s, grouped, byID, checkpoints) {
		t := trades.nextBefore(matching.Position{At: want.First.At, Seq: want.First.Seq + 1})
		if trades.err != nil {
			return trades.err
		}
		if t == nil {
			c.reportProblem(string(part[0].id), "The trade that begins at %s is missing.", db.FromMicros(want.First.At))
			continue
		}
		first := byID[want.Parts[0].FillID]
		c.checkTrade(t, newTradeRow(t.id, s.number, &want, first.opening()), recomputed, i)
	}
	return nil
}

// checkTrade compares a stored trade with both recomputations.
func (c *checker) checkTrade(t, want *tradeRow, recomputed []oracle.Trade, i int) {
	if !want.equal(t) {
		c.reportProblem(string(t.id), "The trade differs from its fills.")
	}
	if i >= len(recomputed) || !matchesOracle(t, recomputed[i]) {
		c.reportProblem(string(t.id), "The trade differs from the second computation of its fills.")
	}
}

// matchesOracle reports whether a stored trade equals the oracle's.
func matchesOracle(t *tradeRow, o oracle.Trade) bool {
	return (t.Direction == matching.Long) == o.Long && int(t.count) == len(o.FillIDs) &&
		t.QtyOpened.Rat().Cmp(o.Opened) == 0 && t.QtyRemaining.Rat().Cmp(o.Remaining) == 0 &&
		t.EntryNotional.Rat().Cmp(o.Entry) == 0 && t.ExitNotional.Rat().Cmp(o.Exit) == 0 &&
		(o.EndedBy == "" || t.EndedBy.String() == o.EndedBy) && t.Removed == o.Removed &&
		t.FeesTotal.Rat().Cmp(o.Fees) == 0 && t.Commission.Rat().Cmp(o.Commission) == 0 &&
		equalNull(t.GrossPnL, o.Gross) && equalNull(t.NetPnL, o.Net) && t.RealizedPnL.Rat().Cmp(o.Realized) == 0 &&
		t.AvgEntry.Rat().Cmp(o.EntryPrice) == 0 && equalNull(t.AvgExit, o.ExitPrice) && t.EntrySize.Rat().Cmp(o.Size) == 0 &&
		equalNull(t.ReturnPct, o.Return) && equalNull(t.Rate.Convert(t.Volume), o.Volume)
}

func equalNull(n decimal.Null, r *big.Rat) bool {
	if r == nil || !n.Valid {
		return r == nil && !n.Valid
	}
	return n.Decimal.Rat().Cmp(r) == 0
}

func toOracleSplits(events []matching.Event) []oracle.Split {
	list := make([]oracle.Split, len(events))
	for i, s := range events {
		list[i] = oracle.Split{At: s.At, New: s.New, Old: s.Old}
	}
	return list
}

func (f *fill) toOracle() oracle.Fill {
	o := oracle.Fill{
		ID: string(f.id), Kind: f.kind.String(), At: f.at, Seq: f.seq, Buy: f.side == matching.Buy, Quantity: f.quantity.Rat(), Price: f.price.Rat(),
		Multiplier: f.multiplier.Rat(), Fees: f.fees.Rat(), Commission: f.commission.Rat(),
	}
	if f.stated.Valid {
		o.Stated = f.stated.Decimal.Rat()
	}
	return o
}

// rowChecks find rows that contradict others. Each query returns the wrong rows for a
// user and an account number: executed_at, seq and id for executions, the id for other
// tables.
var rowChecks = []struct{ what, query string }{
	{"The execution's instrument is missing.", `
		SELECT executed_at, seq, id FROM executions WHERE user_id = $1 AND account = $2 AND (NOT EXISTS (SELECT 1 FROM streams
			WHERE streams.user_id = $1 AND streams.account = $2 AND streams.number = executions.stream)
			OR stated IS NOT NULL AND NOT EXISTS (SELECT 1 FROM streams
			WHERE streams.user_id = $1 AND streams.account = $2 AND streams.number = executions.stated)) ORDER BY executed_at, seq`},
	{"The trade's instrument is missing.", `
		SELECT id FROM trades WHERE user_id = $1 AND account = $2 AND (NOT EXISTS (SELECT 1 FROM streams
			WHERE streams.user_id = $1 AND streams.account = $2 AND streams.number = trades.stream)
			OR shown IS NOT NULL AND NOT EXISTS (SELECT 1 FROM streams
			WHERE streams.user_id = $1 AND streams.account = $2 AND streams.number = trades.shown)) ORDER BY id`},
	{"The trade's revision is greater than the account's.", `
		SELECT id FROM trades WHERE user_id = $1 AND account = $2
			AND revision > (SELECT revision FROM accounts WHERE user_id = $1 AND number = $2) ORDER BY id`},
	{"The trade's revision is missing from the change log.", `
		SELECT id FROM trades WHERE user_id = $1 AND account = $2
			AND revision > (SELECT logged_since FROM accounts WHERE user_id = $1 AND number = $2)
			AND NOT EXISTS (SELECT 1 FROM trade_log WHERE trade_log.user_id = $1 AND trade_log.account = $2
				AND trade_log.revision = trades.revision AND trade_log.trade_id = trades.id) ORDER BY id`},
	{"The execution belongs to no trade, and its instrument does not say so.", `
		SELECT executed_at, seq, id FROM executions WHERE user_id = $1 AND account = $2 AND unmatched IS NOT NULL
			AND stream IN (SELECT number FROM streams WHERE user_id = $1 AND has_closings IS NULL) ORDER BY executed_at, seq`},
	{"The execution's number in the account is greater than the account's counter.", `
		SELECT executed_at, seq, id FROM executions WHERE user_id = $1 AND account = $2
			AND seq >= (SELECT next_seq FROM accounts WHERE user_id = $1 AND number = $2) ORDER BY executed_at, seq`},
	{"The execution's arrival number is greater than the account's counter.", `
		SELECT executed_at, seq, id FROM executions WHERE user_id = $1 AND account = $2 AND (arrival < 1
			OR arrival > (SELECT arrivals FROM accounts WHERE user_id = $1 AND number = $2)) ORDER BY executed_at, seq`},
	{"The cash transaction is linked to a trade that is not in the account.", `
		SELECT id FROM cash_transactions WHERE user_id = $1 AND account = $2 AND trade_id IS NOT NULL
			AND trade_id NOT IN (SELECT id FROM trades WHERE user_id = $1 AND account = $2) ORDER BY id`},
	{"The number of the import's executions differs from its counters.", `
		SELECT batch_id FROM import_spans WHERE user_id = $1 AND account = $2 AND last_seq - first_seq + 1 - removed <>
			(SELECT COUNT(*) FROM executions WHERE executions.user_id = $1 AND executions.account = $2
				AND executed_at >= first_at AND executed_at <= last_at AND seq >= first_seq AND seq <= last_seq)
		ORDER BY first_seq`},
	{"Two imports have the same execution numbers.", `
		SELECT batch_id FROM import_spans AS early WHERE user_id = $1 AND account = $2 AND EXISTS (
			SELECT 1 FROM import_spans AS late WHERE late.user_id = $1 AND late.account = $2
				AND late.first_seq > early.first_seq AND late.first_seq <= early.last_seq) ORDER BY first_seq`},
	{"The execution's facts and its sources disagree.", `
		SELECT executed_at, seq, id FROM executions WHERE user_id = $1 AND account = $2 AND ((facts & 512) <> 0) <> EXISTS (
			SELECT 1 FROM fill_sources WHERE fill_sources.user_id = $1 AND fill_sources.account = $2
				AND fill_sources.seq = executions.seq) ORDER BY executed_at, seq`},
	{"The sources belong to a missing execution.", `
		SELECT seq FROM fill_sources WHERE user_id = $1 AND account = $2 AND NOT EXISTS (
			SELECT 1 FROM executions WHERE executions.user_id = $1 AND executions.account = $2
				AND (executions.facts & 512) <> 0 AND executions.seq = fill_sources.seq) ORDER BY seq`},
}

// scanRecord reads a record's id.
func scanRecord(row db.Scanner) (string, error) {
	var id any
	err := row.Scan(&id)
	if bytes, ok := id.([]byte); ok && len(bytes) == 16 {
		return journal.UUIDText([16]byte(bytes)), err
	}
	return fmt.Sprint(id), err
}

// scanExecutionRecord reads an execution's id.
func (c *checker) scanExecutionRecord(row db.Scanner) (string, error) {
	var f fill
	err := row.Scan(&f.at, &f.seq, &f.id)
	f.setID(&c.account)
	return string(f.id), err
}

func (c *checker) checkRows(ctx context.Context) error {
	for _, check := range rowChecks {
		scan := scanRecord
		if strings.Contains(check.query, "SELECT executed_at, seq, id ") {
			scan = c.scanExecutionRecord
		}
		wrong, err := db.List(ctx, c.tx, scan, check.query, c.owner, c.account.number)
		if err != nil {
			return err
		}
		for _, id := range slices.Compact(wrong) {
			c.reportProblem(id, "%s", check.what)
		}
	}
	return nil
}
