package enrollments

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

// progressMemory is the limit for checkpoints, in bytes.
const progressMemory = 64 << 20

// Among the latest wideGap trades there is a checkpoint every narrowGap trades, before them
// every wideGap trades.
const (
	narrowGap = 256
	wideGap   = 4096
)

// SetCheckpointGaps sets the gaps between checkpoints, in trades, for tests. It must be
// called before use.
func (s *Service) SetCheckpointGaps(narrow, wide int) { s.narrowGap, s.wideGap = narrow, wide }

// progressKey identifies the progress of an enrollment. With bars, the bounds of open profit
// come and go with open trades and change all states, so there are two.
type progressKey struct {
	enrollment journal.EnrollmentID
	bounded    bool
}

// progress has an enrollment's checkpoints at a revision of its account. It never changes.
type progress struct {
	revision    int64
	facts       string // the enrollment's
	until       int64
	cash        []programs.Cash
	checkpoints []checkpoint
	// previous is the progress at an earlier revision, for evaluations that began before a
	// write; it shares most checkpoints. It may be nil.
	previous *progress
}

// maxPrevious is how many earlier revisions are kept.
const maxPrevious = 3

// at returns the latest progress at a revision or before, or nil.
func (p *progress) at(revision int64) *progress {
	for p != nil && p.revision > revision {
		p = p.previous
	}
	return p
}

// cut returns the progress with n earlier revisions at most.
func (p *progress) cut(n int) *progress {
	if p == nil || n == 0 {
		return nil
	}
	out := *p
	out.previous = p.previous.cut(n - 1)
	return &out
}

// checkpoint is a state with the trades opened before it, since the checkpoint before.
type checkpoint struct {
	*programs.Checkpoint
	trades []uint64 // hashes of ids, in order; two trades with one hash cost time only
}

var hashSeed = maphash.MakeSeed()

func hashTrade(id journal.TradeID) uint64 { return maphash.String(hashSeed, string(id)) }

// bytes returns the approximate size in memory. Earlier revisions share nearly all.
func (p *progress) bytes() int {
	const head, perTrade, perCash = 1 << 10, 8, 32
	n := head + len(p.facts) + perCash*len(p.cash)
	var before *programs.Checkpoint
	for _, c := range p.checkpoints {
		n += c.Bytes(before) + perTrade*len(c.trades)
		before = c.Checkpoint
	}
	return n
}

// progressStep evaluates an enrollment, from its last valid checkpoint on.
type progressStep struct {
	service    *Service
	tx         *db.Tx
	owner      journal.UserID
	account    ledger.Account
	enrollment journal.EnrollmentID
	key        string
	program    *programs.Program
	facts      *programs.Facts // without trades
}

func (s *progressStep) evaluate(ctx context.Context) (*programs.Result, error) {
	slices.SortStableFunc(s.facts.Cash, compareCash)
	for _, bounded := range []bool{false, true} {
		latest, _ := s.service.progress.Get(progressKey{s.enrollment, bounded})
		old := latest.at(s.account.Revision)
		if old == nil || old.facts != s.key {
			continue
		}
		result, err := s.goOn(ctx, old)
		if err != nil || result != nil {
			return result, err
		}
	}
	// What happens later is needed for the time until which the result holds.
	trades, err := s.service.loadTrades(ctx, s.tx, s.owner, s.account, s.facts.StartedAt, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	s.facts.Trades = trades
	result, made, _ := programs.EvaluateFrom(s.program, s.facts, nil, s.service.listMarks(0, math.MinInt64, trades))
	s.store(nil, made, trades, result)
	return result, nil
}

// goOn evaluates from the last checkpoint before which nothing changed, and returns nil
// if no checkpoint is left.
func (s *progressStep) goOn(ctx context.Context, old *progress) (*programs.Result, error) {
	changes, known, err := s.findChanges(ctx, old)
	if err != nil || !known {
		return nil, err
	}
	for k := len(old.checkpoints) - 1; k >= 0; k-- {
		c := old.checkpoints[k]
		if c.At > s.facts.Until || c.At > changes.before {
			continue
		}
		carried, isSame, err := s.loadCarried(ctx, c.Checkpoint, changes)
		if err != nil {
			return nil, err
		}
		if !isSame {
			continue
		}
		later, err := s.service.loadTrades(ctx, s.tx, s.owner, s.account, c.At, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		s.facts.Trades = append(carried, later...)
		before := 0
		for _, c := range old.checkpoints[:k+1] {
			before += len(c.trades)
		}
		result, made, fit := programs.EvaluateFrom(s.program, s.facts, c.Checkpoint, s.service.listMarks(before, c.At, later))
		switch fit {
		case programs.Fits:
			s.store(updateCarried(old.checkpoints[:k+1], carried, changes), made, later, result)
			return result, nil
		case programs.OtherBounds:
			return nil, nil
		case programs.EndsBefore:
		}
	}
	return nil, nil
}

// changes are what a journal's writes changed since a revision.
type changes struct {
	// before is an instant before which nothing changed, but for the trades in touched.
	before  int64
	touched map[journal.TradeID]touchedTrade
}

// touchedTrade is a trade that changed.
type touchedTrade struct {
	// knownFrom is the first checkpoint before which the trade was opened, in its old state.
	knownFrom int
	exists    bool
	openedAt  int64 // in its present state
}

// findChanges returns what changed. known is false if that cannot be found out.
func (s *progressStep) findChanges(ctx context.Context, old *progress) (c changes, known bool, err error) {
	ids, known, err := ledger.TouchedSince(ctx, s.tx, s.owner, s.account.ID, old.revision)
	if err != nil || !known {
		return c, false, err
	}
	opened, err := ledger.FindOpenings(ctx, s.tx, s.owner, s.account, ids)
	if err != nil {
		return c, false, err
	}
	c = changes{before: firstDifference(old.cash, s.facts.Cash), touched: make(map[journal.TradeID]touchedTrade, len(ids))}
	for _, id := range ids {
		hash := hashTrade(id)
		from := slices.IndexFunc(old.checkpoints, func(c checkpoint) bool {
			_, found := slices.BinarySearch(c.trades, hash)
			return found
		})
		if from < 0 {
			from = len(old.checkpoints)
		}
		at, exists := opened[id]
		c.touched[id] = touchedTrade{knownFrom: from, exists: exists, openedAt: at}
	}
	// A trade that was opened before a checkpoint and is not carried by it ended before it.
	for k, cp := range old.checkpoints {
		carried := make(map[journal.TradeID]bool, len(cp.Carried))
		for i := range cp.Carried {
			carried[cp.Carried[i].ID] = true
		}
		for id, t := range c.touched {
			wasBefore, isBefore := t.knownFrom <= k, t.exists && t.openedAt < cp.At
			if (wasBefore || isBefore) && !carried[id] {
				c.before = min(c.before, cp.At-1)
			}
		}
		if c.before < cp.At {
			break
		}
	}
	return c, true, nil
}

// loadCarried returns the trades that a checkpoint carries, in their present state. isSame is
// false if one changed before the checkpoint.
func (s *progressStep) loadCarried(ctx context.Context, c *programs.Checkpoint, changes changes) (list []programs.Trade, isSame bool, err error) {
	list = slices.Clone(c.Carried)
	var ids []journal.TradeID
	for i := range list {
		if t, isTouched := changes.touched[list[i].ID]; isTouched {
			if !t.exists {
				return nil, false, nil
			}
			ids = append(ids, list[i].ID)
		}
	}
	if len(ids) == 0 {
		return list, true, nil
	}
	flows, err := ledger.FindTradeFlows(ctx, s.tx, s.owner, s.account, ids)
	if err != nil {
		return nil, false, err
	}
	trades, err := s.service.toTrades(ctx, s.tx, s.owner, s.account, flows)
	if err != nil || len(trades) != len(ids) {
		return nil, false, err
	}
	for i := range trades {
		place := c.FindCarried(trades[i].ID)
		if !c.HasSameStart(place, &trades[i]) {
			return nil, false, nil
		}
		list[place] = trades[i]
	}
	return list, true, nil
}

// updateCarried returns checkpoints with the present state of the trades that they carry. What
// a checkpoint carries and did not change before the last one, the last one carries, too.
func updateCarried(list []checkpoint, carried []programs.Trade, c changes) []checkpoint {
	if len(c.touched) == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range carried {
		if _, isTouched := c.touched[carried[i].ID]; !isTouched {
			continue
		}
		for k := len(list) - 1; k >= 0; k-- {
			place := list[k].FindCarried(carried[i].ID)
			if place < 0 {
				break // it was opened later
			}
			list[k].Checkpoint = list[k].WithCarried(place, &carried[i])
		}
	}
	return list
}

// store keeps the checkpoints of an evaluation that went on from the last kept one. later are
// the trades opened since.
func (s *progressStep) store(kept []checkpoint, made []*programs.Checkpoint, later []programs.Trade, result *programs.Result) {
	key := progressKey{s.enrollment, result.OpenBounded}
	latest, _ := s.service.progress.Get(key)
	if latest != nil && latest.facts == s.key && (latest.until > s.facts.Until || latest.revision > s.account.Revision) {
		return // a question about the past
	}
	fresh := &progress{revision: s.account.Revision, facts: s.key, until: s.facts.Until, cash: s.facts.Cash, checkpoints: slices.Clone(kept)}
	fresh.previous = latest.cut(maxPrevious)
	total := len(later)
	for _, c := range kept {
		total += len(c.trades)
	}
	for _, c := range made {
		n := 0
		for n < len(later) && later[n].OpenedAt < c.At {
			n++
		}
		hashes := make([]uint64, n)
		for i := range hashes {
			hashes[i] = hashTrade(later[i].ID)
		}
		slices.Sort(hashes)
		fresh.checkpoints, later = append(fresh.checkpoints, checkpoint{c, hashes}), later[n:]
	}
	fresh.thin(total, s.service.wideGap)
	s.service.progress.Put(key, fresh, fresh.bytes())
}

// thin drops checkpoints that are closer to each other than a gap, but for the latest. total
// is how many trades there are.
func (p *progress) thin(total, gap int) {
	var kept []checkpoint
	place, last := 0, 0 // the trades before this checkpoint and before the last kept one
	var waiting []uint64
	for _, c := range p.checkpoints {
		place += len(c.trades)
		c.trades = append(waiting, c.trades...)
		if len(waiting) > 0 {
			slices.Sort(c.trades)
		}
		if waiting = nil; place/gap == last/gap && place <= total-gap {
			waiting = slices.Clip(c.trades)
			continue
		}
		kept, last = append(kept, c), place
	}
	p.checkpoints = kept
}

func compareCash(a, b programs.Cash) int { return cmp.Compare(a.At, b.At) }

// listMarks returns the instants of new checkpoints. before is how many trades were opened
// before the given ones, and from the last checkpoint's instant.
func (s *Service) listMarks(before int, from int64, trades []programs.Trade) (marks []int64) {
	total := before + len(trades)
	for i := range trades {
		place, at := before+i, trades[i].OpenedAt
		if at > from && (place%s.wideGap == 0 || place%s.narrowGap == 0 && place > total-s.wideGap) && (len(marks) == 0 || marks[len(marks)-1] < at) {
			marks = append(marks, at)
		}
	}
	return marks
}

// firstDifference returns an instant before which two lists in order are the same.
func firstDifference(a, b []programs.Cash) int64 {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return b[i].At
		case i >= len(b):
			return a[i].At
		case a[i].At != b[i].At || !a[i].Amount.Equal(b[i].Amount):
			return min(a[i].At, b[i].At)
		}
	}
	return math.MaxInt64
}
