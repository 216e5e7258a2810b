package httpapi

import (
	"runtime"
	"time"

	"fillbook/internal/fairqueue"
)

// queues are where requests wait for what is scarce. Users take turns in each.
type queues struct {
	// uploads bounds the large bodies of one user that are being received.
	uploads *fairqueue.Queue
	// imports bounds the files that are read, planned and written.
	imports *fairqueue.Queue
	// attachments bounds the files that are checked and stored.
	attachments *fairqueue.Queue
	// answers bounds the whole lists and exports that are being made, which
	// leaves readers of the database to short requests.
	answers *fairqueue.Queue
}

func newQueues(importsPerUser int) queues {
	return queues{
		uploads:     fairqueue.New(fairqueue.Options{MaxPerKey: 8, MaxWaiting: 50, MaxWait: 30 * time.Second}),
		imports:     fairqueue.New(fairqueue.Options{MaxActive: 8, MaxPerKey: importsPerUser, MaxWaiting: 50, MaxWait: time.Minute}),
		attachments: fairqueue.New(fairqueue.Options{MaxActive: 4, MaxPerKey: 2, MaxWaiting: 50, MaxWait: time.Minute}),
		answers:     fairqueue.New(fairqueue.Options{MaxActive: answerPlaces(), MaxPerKey: 2, MaxWaiting: 200, MaxWait: 30 * time.Second}),
	}
}

// answerPlaces is how many long answers are made at once: enough to keep the
// processors busy, and fewer than the readers of the database.
func answerPlaces() int { return min(4, runtime.GOMAXPROCS(0)+1) }
