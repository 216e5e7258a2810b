package httpapi

import (
	"context"
	"runtime"
	"time"

	"fillbook/internal/base/fairqueue"
	"fillbook/internal/transport"
)

// queues limit concurrent work. Users take turns in each.
type queues struct {
	// uploads limits the large bodies being received from one user.
	uploads *fairqueue.Queue
	// imports limits the files being read, planned and written.
	imports *fairqueue.Queue
	// attachments limits the files being checked and stored.
	attachments *fairqueue.Queue
	// answers limits the complete lists being written, so short requests find a free
	// database connection.
	answers *fairqueue.Queue
	// exports limits the files being written: one for each user.
	exports *fairqueue.Queue
	// deliveries limits the hook deliveries being stored.
	deliveries *fairqueue.Queue
	// providers limits one user's requests waiting for another server.
	providers *fairqueue.Queue
}

// providerRate is how often a user may let the server ask another one at once: to test a
// key, or for a price.
var providerRate = transport.Rate{PerSecond: 1.0 / 6, Burst: 20}

// beginProviderCall waits until a user may let the server ask another one. The returned
// function must be called once.
func (a *API) beginProviderCall(ctx context.Context) (release func(), err error) {
	user := transport.RequestOf(ctx).User
	if err := a.providerLimit.Take(user); err != nil {
		return nil, err
	}
	release, err = a.queues.providers.Acquire(ctx, user)
	return release, transport.QueueError(err)
}

func newQueues(importsPerUser int) queues {
	return queues{
		uploads:     fairqueue.New(fairqueue.Options{MaxPerKey: 8, MaxWaiting: 50, MaxWait: 30 * time.Second}),
		imports:     fairqueue.New(fairqueue.Options{MaxActive: 8, MaxPerKey: importsPerUser, MaxWaiting: 50, MaxWait: time.Minute}),
		attachments: fairqueue.New(fairqueue.Options{MaxActive: 4, MaxPerKey: 2, MaxWaiting: 50, MaxWait: time.Minute}),
		exports:     fairqueue.New(fairqueue.Options{MaxActive: exportPlaces, MaxPerKey: 1, MaxWaiting: 20, MaxWait: time.Minute}),
		answers:     fairqueue.New(fairqueue.Options{MaxActive: answerPlaces(), MaxPerKey: 2, MaxWaiting: 200, MaxWait: 30 * time.Second}),
		// A delivery is never refused for its rate: as many wait as there are connections.
		deliveries: fairqueue.New(fairqueue.Options{MaxActive: 4, MaxPerKey: 1, MaxWaiting: 2000, MaxWait: time.Minute}),
		providers:  fairqueue.New(fairqueue.Options{MaxPerKey: 2, MaxWaiting: 8, MaxWait: 30 * time.Second}),
	}
}

// answerPlaces returns how many long answers are written at once: enough to keep
// the processors busy, and fewer than the database connections for reading.
func answerPlaces() int { return min(4, runtime.GOMAXPROCS(0)+1) }

// exportPlaces is how many exports are written at once.
const exportPlaces = 2
