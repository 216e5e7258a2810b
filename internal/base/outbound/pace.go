package outbound

import (
	"container/list"
	"context"
	"errors"
	"net/http"
	"path"
	"sync"
	"time"
)

// ErrBusy means too many requests to a provider are waiting.
var ErrBusy = errors.New("too many requests to the provider are waiting")

const (
	// burstGap is the time between requests in a burst.
	burstGap = time.Second
	// patience is how long a run waits before it gives its worker to another one.
	patience = time.Second
	// usualWaiting is how many requests to a provider may wait. Beyond it, each caller may
	// have one, up to maxWaiting.
	usualWaiting = 32
	maxWaiting   = 1000
	// maxMeters is how many meters are kept before unused ones are deleted.
	maxMeters = 1000
)

// Bucket is a provider's limit per minute, by request weight.
type Bucket struct {
	// Name identifies the bucket in [Cost].
	Name string
	// PerMinute is the weight in a minute. A minute can have one more request, and the
	// Burst.
	PerMinute int
	// Burst is the weight sent in advance after a pause.
	Burst int
	// PerOwner reports whether the provider counts each account, and not this server's
	// address. All of a user's accounts share the limit.
	PerOwner bool
}

// Cost is what a request weighs.
type Cost struct {
	// Path is the request path. A * in it is any text without a slash.
	Path string
	// Weights are by bucket name.
	Weights map[string]int
}

// Caller is who sends a request.
type Caller struct {
	// Owner is a user's key. Requests from several users take turns.
	Owner string
	// Pause is called before a long wait. It lets others work meanwhile, and returns a
	// function waiting until the caller may go on. It may be nil.
	Pause func() (resume func(context.Context) error)
}

type callerKey struct{}

// WithCaller returns a context for a caller's requests.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Pacer spreads requests evenly, so no minute has more than a provider allows. Users take
// turns. A canceled request leaves its place to others. It is safe for concurrent use.
type Pacer struct {
	buckets []Bucket
	costs   []Cost

	mu      sync.Mutex
	meters  map[meterKey]*meter
	waiting int
	owners  map[string]*ownerQueue // only owners with waiting requests
	turns   list.List              // *ownerQueue elements, the next first
	timer   *time.Timer            // for the next grant; nil if none is planned
}

type meterKey struct {
	bucket int
	owner  string // empty if all share the bucket
}

// meter is a bucket's state.
type meter struct {
	next time.Time // when everything sent is paid for
	last time.Time // when the last request was sent
}

// ownerQueue has an owner's waiting requests, oldest first.
type ownerQueue struct {
	owner   string
	waiting list.List // *ticket elements
	turn    *list.Element
}

// ticket is a waiting request.
type ticket struct {
	charges []charge
	granted chan struct{}
}

// charge is a request's weight in one bucket.
type charge struct {
	key    meterKey
	weight int
}

// NewPacer returns a Pacer.
func NewPacer(limits Limits) *Pacer {
	p := &Pacer{meters: map[meterKey]*meter{}, owners: map[string]*ownerQueue{}, costs: limits.Costs}
	if limits.PerMinute > 0 {
		p.buckets = append(p.buckets, Bucket{PerMinute: limits.PerMinute, Burst: limits.Burst})
	}
	p.buckets = append(p.buckets, limits.Buckets...)
	return p
}

// Wait returns when a request may be sent.
func (p *Pacer) Wait(request *http.Request) error {
	ctx := request.Context()
	if err := ctx.Err(); err != nil {
		return err
	}
	caller, _ := ctx.Value(callerKey{}).(Caller)
	t, element, err := p.enqueue(caller.Owner, p.charge(request.URL.Path, caller.Owner))
	if err != nil {
		return err
	}
	if err := t.wait(ctx, caller.Pause); err != nil {
		p.leave(caller.Owner, t, element)
		return err
	}
	return nil
}

// charge returns what a request weighs in each bucket.
func (p *Pacer) charge(requestPath, owner string) (charges []charge) {
	for i, bucket := range p.buckets {
		key, weight := meterKey{bucket: i}, p.weigh(bucket.Name, requestPath)
		if bucket.PerOwner {
			key.owner = owner
		}
		if weight > 0 {
			charges = append(charges, charge{key, weight})
		}
	}
	return charges
}

// weigh returns a request's weight in a bucket. In the unnamed bucket, which counts
// requests, it is 1.
func (p *Pacer) weigh(bucket, requestPath string) int {
	if bucket == "" {
		return 1
	}
	for _, cost := range p.costs {
		if isMatch, err := path.Match(cost.Path, requestPath); err == nil && isMatch {
			return cost.Weights[bucket]
		}
	}
	return 0
}

// enqueue adds a request to its owner's and grants those whose time has come.
func (p *Pacer) enqueue(owner string, charges []charge) (*ticket, *list.Element, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	queue := p.owners[owner]
	if p.waiting >= maxWaiting || p.waiting >= usualWaiting && queue != nil {
		return nil, nil, ErrBusy
	}
	if queue == nil {
		queue = &ownerQueue{owner: owner}
		queue.turn = p.turns.PushBack(queue)
		p.owners[owner] = queue
	}
	t := &ticket{charges: charges, granted: make(chan struct{})}
	element := queue.waiting.PushBack(t)
	p.waiting++
	p.grant()
	return t, element, nil
}

// wait waits until the ticket is granted.
func (t *ticket) wait(ctx context.Context, pause func() func(context.Context) error) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	resume := func(context.Context) error { return nil }
	if pause != nil {
		resume = pause()
	}
	select {
	case <-t.granted:
		return resume(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave removes an unsent request. If it was granted, its weight is given back.
func (p *Pacer) leave(owner string, t *ticket, element *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-t.granted:
		for _, c := range t.charges {
			if m := p.meters[c.key]; m != nil {
				m.next = m.next.Add(-p.gap(c))
			}
		}
	default:
		queue := p.owners[owner]
		queue.waiting.Remove(element)
		p.endTurn(queue)
	}
	p.grant()
}

// endTurn updates the queues after a request has left one.
func (p *Pacer) endTurn(queue *ownerQueue) {
	p.waiting--
	if queue.waiting.Len() == 0 {
		p.turns.Remove(queue.turn)
		delete(p.owners, queue.owner)
	}
}

// grant grants the requests whose time has come, by turns, and plans the next grant.
func (p *Pacer) grant() {
	now := time.Now()
	p.dropUnused(now)
	var next time.Time
	for turn := p.turns.Front(); turn != nil; {
		queue, after := turn.Value.(*ownerQueue), turn.Next()
		front := queue.waiting.Front()
		t := front.Value.(*ticket)
		at := p.earliest(t)
		switch {
		case !at.After(now):
			p.take(t, now)
			close(t.granted)
			queue.waiting.Remove(front)
			p.turns.MoveToBack(turn)
			p.endTurn(queue)
			after, next = p.turns.Front(), time.Time{} // what was too early may be later now
		case next.IsZero() || at.Before(next):
			next = at
		}
		turn = after
	}
	p.plan(now, next)
}

// plan schedules a grant call at a time, unless it is zero.
func (p *Pacer) plan(now, at time.Time) {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if !at.IsZero() {
		p.timer = time.AfterFunc(at.Sub(now), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.grant()
		})
	}
}

// earliest returns when a request may be sent.
func (p *Pacer) earliest(t *ticket) (at time.Time) {
	for _, c := range t.charges {
		m, bucket := p.meters[c.key], p.buckets[c.key.bucket]
		if m == nil {
			continue
		}
		at = latest(at, m.next.Add(-bucket.unit()*time.Duration(bucket.Burst)))
		if bucket.Burst > 0 {
			at = latest(at, m.last.Add(min(burstGap, bucket.unit())))
		}
	}
	return at
}

// take counts a sent request.
func (p *Pacer) take(t *ticket, now time.Time) {
	for _, c := range t.charges {
		m := p.meters[c.key]
		if m == nil {
			m = &meter{}
			p.meters[c.key] = m
		}
		m.next, m.last = latest(m.next, now).Add(p.gap(c)), now
	}
}

// gap returns the time a charge takes.
func (p *Pacer) gap(c charge) time.Duration {
	return p.buckets[c.key.bucket].unit() * time.Duration(c.weight)
}

// unit returns the time a weight of 1 takes.
func (b Bucket) unit() time.Duration { return time.Minute / time.Duration(b.PerMinute) }

// dropUnused deletes meters without effect.
func (p *Pacer) dropUnused(now time.Time) {
	if len(p.meters) < maxMeters {
		return
	}
	for key, m := range p.meters {
		if m.next.Before(now) && m.last.Add(burstGap).Before(now) {
			delete(p.meters, key)
		}
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
