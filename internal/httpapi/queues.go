package httpapi

import (
	"runtime"
	"time"

	"fillbook/internal/fairqueue"
)

// queues limit the work that is done at the same time. Users take turns in each.
type queues struct {
	// uploads limits the large bodies of one user that are being received.
	uploads *fairqueue.Queue
	// imports limits the files that are read, planned and written.
	imports *fairqueue.Queue
	// attachments limits the files that are checked and stored.
	attachments *fairqueue.Queue
	// answers limits the complete lists and exports that are being written, so
	// that short requests find a free database connection.
	answers *fairqueue.Queue
	// deliveries limits the deliveries to hooks that are stored.
	deliveries *fairqueue.Queue
}

func newQueues(importsPerUser int) queues {
	return queues{
		uploads:     fairqueue.New(fairqueue.Options{MaxPerKey: 8, MaxWaiting: 50, MaxWait: 30 * time.Second}),
		imports:     fairqueue.New(fairqueue.Options{MaxActive: 8, MaxPerKey: importsPerUser, MaxWaiting: 50, MaxWait: time.Minute}),
		attachments: fairqueue.New(fairqueue.Options{MaxActive: 4, MaxPerKey: 2, MaxWaiting: 50, MaxWait: time.Minute}),
		answers:     fairqueue.New(fairqueue.Options{MaxActive: answerPlaces(), MaxPerKey: 2, MaxWaiting: 200, MaxWait: 30 * time.Second}),
		// A delivery is never refused for its rate: as many wait as there are connections.
		deliveries: fairqueue.New(fairqueue.Options{MaxActive: 4, MaxPerKey: 1, MaxWaiting: 2000, MaxWait: time.Minute}),
	}
}

// answerPlaces returns how many long answers are written at once: enough to keep
// the processors busy, and fewer than the database connections for reading.
func answerPlaces() int { return min(4, runtime.GOMAXPROCS(0)+1) }
