package statement

import "errors"

// ErrStopped says that reading was ended by [Hints.Stop].
var ErrStopped = errors.New("reading the file was stopped")

// isStopped reports whether the reading is to end.
func (h *Hints) isStopped() bool {
	select {
	case <-h.Stop:
		return true
	default:
		return false
	}
}

// result returns the finished statement, unless the reading was stopped.
func (r *Reader) result() (*Statement, error) {
	if r.Hints.isStopped() {
		return nil, ErrStopped
	}
	return r.finish(), nil
}
