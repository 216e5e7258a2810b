package ledger

// A file decides how many fills and cash transactions have the same content and instant,
// and how many are stored. Queues hand out each stored one once without comparing every
// row with every stored one.

// claimQueue are stored records that a file's rows may be, the first first.
type claimQueue[T comparable] struct{ list []T }

func (q *claimQueue[T]) add(record T) { q.list = append(q.list, record) }

// take returns the first unclaimed record, and claims it.
func (q *claimQueue[T]) take(claimed map[T]bool) (record T, found bool) {
	for q != nil && len(q.list) > 0 {
		first := q.list[0]
		q.list = q.list[1:]
		if !claimed[first] {
			claimed[first] = true
			return first, true
		}
	}
	return record, false
}

// queueOf returns a key's queue, which it creates if necessary.
func queueOf[K comparable, Q any](queues map[K]*Q, key K) *Q {
	q := queues[key]
	if q == nil {
		q = new(Q)
		queues[key] = q
	}
	return q
}

// deal is what a stream's equal fills share besides their time.
type deal struct{ side, quantity, price string }

func newDeal(f *fill) deal {
	return deal{side: string(f.side), quantity: f.quantity.String(), price: f.comparedPrice().String()}
}

// timedDeal is a deal at an instant, written with fractional seconds or not.
type timedDeal struct {
	deal
	at          int64
	hasFraction bool
}

func newTimedDeal(f *fill) timedDeal { return timedDeal{newDeal(f), f.at, f.hasFraction()} }

// fillQueue are stored fills that arrivals may be, without and with a broker's id.
type fillQueue struct{ plain, identified []*fill }

func newFillQueues(stored []*fill) map[deal]*fillQueue {
	queues := map[deal]*fillQueue{}
	for _, f := range stored {
		queueOf(queues, newDeal(f)).add(f)
	}
	return queues
}

func (q *fillQueue) add(f *fill) {
	if f.externalID == "" {
		q.plain = append(q.plain, f)
	} else {
		q.identified = append(q.identified, f)
	}
}

// maxCompared is how many stored fills with one content an arrival is compared with, if
// their times differ.
const maxCompared = 256

// claimFrom is [deduper.claim] among a queue's fills. It drops claimed fills, and those
// no later arrival can be, from the queue's front.
func (d *deduper) claimFrom(q *fillQueue, a *arrival, isPast func(*fill) bool, same func(*fill, *fill) bool) *fill {
	if q == nil {
		return nil
	}
	lists := []*[]*fill{&q.plain}
	if a.externalID == "" {
		lists = append(lists, &q.identified)
	}
	for _, list := range lists {
		for len(*list) > 0 && (d.claimed.has((*list)[0].seq) || isPast((*list)[0])) {
			*list = (*list)[1:]
		}
		if f := d.claim((*list)[:min(len(*list), maxCompared)], a, same); f != nil {
			return f
		}
	}
	return nil
}

// neverPast reports false: arrivals are in no order.
func neverPast(*fill) bool { return false }

func always(*fill, *fill) bool { return true }
