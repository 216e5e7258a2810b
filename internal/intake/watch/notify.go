package watch

import (
	"errors"
	"os"

	"github.com/fsnotify/fsnotify"
)

// Notifier reports changes to files. It only makes the agent faster: everything is found
// by scans too, because network drives report nothing and bursts of changes get lost.
type Notifier interface {
	// Add reports changes in a directory from now on. Adding it again does nothing.
	Add(dir string) error
	// Changes are the paths of changed files. An empty path means changes got lost.
	Changes() <-chan string
	Close() error
}

// maxNotified is how many files a directory may have to be added. Some systems
// need an open file for each.
const maxNotified = 500

// systemNotifier is the operating system's Notifier.
type systemNotifier struct {
	watcher *fsnotify.Watcher
	changes chan string
	lost    bool // a change is not in changes yet
}

// NewNotifier returns the operating system's Notifier.
func NewNotifier() (Notifier, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &systemNotifier{watcher: watcher, changes: make(chan string, 256)}
	go n.forward()
	return n, nil
}

// forward passes changes on and never waits, because the system would drop
// changes then. It drops them itself and says so.
func (n *systemNotifier) forward() {
	events, failures := n.watcher.Events, n.watcher.Errors
	for events != nil || failures != nil {
		select {
		case event, open := <-events:
			if !open {
				events = nil
			} else if event.Op != fsnotify.Chmod {
				n.pass(event.Name)
			}
		case _, open := <-failures:
			if !open {
				failures = nil
			} else {
				n.lost = true
				n.pass("")
			}
		}
	}
}

func (n *systemNotifier) pass(path string) {
	if n.lost {
		path = ""
	}
	select {
	case n.changes <- path:
		n.lost = false
	default:
		n.lost = true
	}
}

func (n *systemNotifier) Add(dir string) error {
	if needsFilePerEntry {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > maxNotified {
			return errors.Join(err, errors.ErrUnsupported)
		}
	}
	return n.watcher.Add(dir)
}

func (n *systemNotifier) Changes() <-chan string { return n.changes }

func (n *systemNotifier) Close() error { return n.watcher.Close() }
