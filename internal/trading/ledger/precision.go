package ledger

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/matching"
)

// byArrivalTime compares arrivals by their instants.
func byArrivalTime(a, b *arrival) int { return cmp.Compare(a.at, b.at) }

func startOfSecond(a *arrival) matching.Position {
	return matching.Position{At: a.at - a.at%second}
}

// matchPrecision matches arrivals with stored fills whose times have a
// different precision.
func (d *deduper) matchPrecision(ctx context.Context, arrivals []*arrival) error {
	if err := d.matchCoarseFills(ctx, arrivals); err != nil {
		return err
	}
	isCoarse := func(a *arrival) bool { return a.precision() > second }
	for key, list := range groupUnknown(arrivals, isCoarse) {
		s, err := d.b.findStream(ctx, *key)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		if err := d.matchCoarseArrivals(ctx, s, list); err != nil {
			return err
		}
	}
	return nil
}

// matchCoarseArrivals matches one stream's coarse arrivals with the stored fills in the
// period each covers.
func (d *deduper) matchCoarseArrivals(ctx context.Context, s *stream, list []*arrival) error {
	cursor, err := d.openStored(ctx, s)
	if err != nil {
		return err
	}
	cursor.seek(matching.Position{At: list[0].at})
	held := map[deal]*fillQueue{} // fills that several arrivals may match
	end := list[0].at
	for _, a := range list {
		from, to := max(end, a.at), a.at+a.precision()
		if from < to {
			for _, f := range cursor.between(from, to) {
				queueOf(held, newDeal(f)).add(f)
			}
			end = to
		}
		a.known = d.claimFrom(held[newDeal(a.fill)], a, func(f *fill) bool { return f.at < a.at }, (*fill).sameFill)
	}
	return cursor.err
}

// comparedFills reads fills to compare arrivals with.
var comparedFills = `SELECT ` + comparedColumns + ` FROM executions `

const coarseBetween = `
	WHERE user_id = $1 AND account = $2 AND (facts & 48) <> 0 AND executed_at > $3 AND executed_at <= $4
	ORDER BY executed_at, seq`

// matchCoarseFills matches arrivals with stored fills whose time has no seconds or only a
// day.
func (d *deduper) matchCoarseFills(ctx context.Context, arrivals []*arrival) error {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	isFiner := func(a *arrival) bool { return a.precision() < day }
	for _, a := range arrivals {
		if a.known == nil && isFiner(a) {
			first, last = min(first, a.at), max(last, a.at)
		}
	}
	if first > last {
		return nil
	}
	list, err := db.List(ctx, d.b.tx, d.b.newFillReader((*fill).scanCompared).read, comparedFills+d.b.tx.Using("executions_coarse")+coarseBetween,
		d.b.owner, d.b.account.number, first-day, last)
	if err != nil || len(list) == 0 {
		return err
	}
	byStream := map[int64][]*fill{}
	for _, f := range list {
		byStream[f.stream] = append(byStream[f.stream], f)
	}
	for key, list := range groupUnknown(arrivals, isFiner) {
		s, err := d.b.findStream(ctx, *key)
		if err != nil {
			return err
		}
		if s != nil {
			d.matchCoarseStream(list, byStream[s.number])
		}
	}
	return nil
}

// matchCoarseStream matches one stream's arrivals with its coarse fills.
func (d *deduper) matchCoarseStream(list []*arrival, stored []*fill) {
	queues := newFillQueues(stored)
	for _, a := range list {
		a.known = d.claimFrom(queues[newDeal(a.fill)], a, func(f *fill) bool { return f.at <= a.at-day }, (*fill).sameFill)
	}
}

// editedFill is an edited fill and its original instant.
type editedFill struct {
	*fill
	at int64
}

// sameSecond compares the original instant with an arrival's. If the user changed the
// time, the original one has a fraction only if it is not 0.
func (o editedFill) sameSecond(a *fill) bool {
	original := &fillTime{at: o.at}
	if o.at == o.fill.at {
		original.facts = o.facts & ZeroFraction
	}
	return original.sameSecond(&a.fillTime)
}

const editedFillsWhere = `WHERE user_id = $1 AND account = $2 AND origin IS NOT NULL ORDER BY origin, seq`

func (d *deduper) loadOrigins(ctx context.Context) error {
	list, err := db.List(ctx, d.b.tx, d.b.scanFill, fillSelect+editedFillsWhere, d.b.owner, d.b.account.number)
	d.origins = make(map[string][]editedFill, len(list))
	for _, f := range list {
		key, at := splitOrigin(f.origin)
		d.origins[key] = append(d.origins[key], editedFill{f, at})
	}
	return err
}

// splitOrigin returns a content key with its instant truncated to the second,
// and the instant.
func splitOrigin(key string) (bySecond string, at int64) {
	start := 0
	for bars := 0; bars < 6 && start < len(key); start++ {
		switch key[start] {
		case '\\':
			start++
		case '|':
			bars++
		}
	}
	if start >= len(key) {
		return key, 0
	}
	text, rest, _ := strings.Cut(key[start:], "|")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return key, 0
	}
	return key[:start] + strconv.FormatInt(at/second, 10) + "|" + rest, at
}

// claimEdited claims an edited fill that arrived with an arrival's content. It drops
// claimed fills from their list's front.
func (d *deduper) claimEdited(origins map[string][]editedFill, bySecond string, a *arrival) *fill {
	list := origins[bySecond]
	for len(list) > 0 && d.claimed.has(list[0].seq) {
		list = list[1:]
	}
	origins[bySecond] = list
	var among []*fill
	for _, o := range list[:min(len(list), maxCompared)] {
		if o.sameSecond(a.fill) {
			among = append(among, o.fill)
		}
	}
	return d.claim(among, a, always)
}

// matchOrigins matches arrivals with edited fills' original content.
func (d *deduper) matchOrigins(key streamKey, list []*arrival) {
	if len(d.origins) == 0 {
		return
	}
	for _, a := range list {
		if a.known != nil {
			continue
		}
		bySecond, _ := splitOrigin(a.contentKey(key))
		a.known = d.claimEdited(d.origins, bySecond, a)
	}
}
