package connector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"

	"fillbook/internal/base/remote"
)

const (
	// maxRows is how many rows end a delivery, unless a query has another number.
	maxRows = 2000
	// maxPages is how many pages end a delivery.
	maxPages = 100
)

// Stream is a list of records in pages.
type Stream struct {
	// Name identifies the stream among those of a connector.
	Name string
	// Fetch adds the records of the page at a position, which is empty for the first one,
	// and returns the next page's position, which is empty after the last one.
	Fetch func(ctx context.Context, position string) (next string, err error)
}

// progress is where a delivery ended.
type progress struct {
	Stream   string `json:"stream"`
	Position string `json:"position,omitempty"`
}

// state is the state of a delivery of [Rows.Walk].
type state struct {
	Progress *progress         `json:"progress,omitempty"`
	Kept     map[string]string `json:"kept,omitempty"`
}

// parseState returns a query's state. An unreadable one is as good as none: the period is
// fetched from its start, and known records are recognized.
func parseState(query Query) (s state) {
	if json.Unmarshal([]byte(query.State), &s) != nil {
		return state{}
	}
	if !query.IsContinued {
		s.Progress = nil
	}
	return s
}

// Kept returns what the last delivery has kept for later ones; see [Rows.Walk].
func Kept(query Query) map[string]string {
	if kept := parseState(query).Kept; kept != nil {
		return kept
	}
	return map[string]string{}
}

// Walk fetches streams one after the other, page by page, beginning where the last
// delivery of the query ended. After enough rows or pages, or an error, the delivery is
// partial and ends with the last complete page. kept is stored with the delivery and may be
// nil.
func (r *Rows) Walk(ctx context.Context, kept map[string]string, streams []Stream) (Delivery, error) {
	w := &walk{rows: r, kept: kept, streams: streams}
	w.index, w.position = findProgress(parseState(r.query).Progress, streams)
	delivery, err := w.fetchAll(ctx)
	if err != nil && w.pages == 0 && w.position != "" && isStale(err) {
		// The position may be of a run some time ago.
		w.index, w.position = 0, ""
		delivery, err = w.fetchAll(ctx)
	}
	return delivery, err
}

// isStale reports whether a page may have been refused because of its position.
func isStale(err error) bool {
	return errors.Is(err, remote.ErrRefused) || errors.Is(err, remote.ErrNotFound)
}

// walk is the state of [Rows.Walk].
type walk struct {
	rows    *Rows
	kept    map[string]string
	streams []Stream
	// index and position are those of the next page.
	index    int
	position string
	pages    int
}

// fetchAll fetches pages until all streams have ended, there are enough, or one fails.
func (w *walk) fetchAll(ctx context.Context) (Delivery, error) {
	enough := cmp.Or(w.rows.query.MaxRows, maxRows)
	for w.index < len(w.streams) {
		if w.pages > 0 && (w.rows.Len() >= enough || w.pages >= maxPages) {
			return w.partial(nil)
		}
		before := w.rows.mark()
		keptBefore := maps.Clone(w.kept)
		if err := w.fetchPage(ctx); err != nil {
			if w.pages == 0 {
				return Delivery{}, err
			}
			w.rows.reset(before)
			w.kept = keptBefore
			return w.partial(err)
		}
	}
	delivery := w.rows.Delivery()
	var err error
	delivery.State, err = encodeState(state{Kept: w.kept})
	return delivery, err
}

// fetchPage fetches the next page.
func (w *walk) fetchPage(ctx context.Context) error {
	next, err := w.streams[w.index].Fetch(ctx, w.position)
	if err != nil {
		return err
	}
	if next != "" && next == w.position {
		return remote.Malformed("its next page is the same page")
	}
	w.pages++
	if w.position = next; next == "" {
		w.index++
	}
	return nil
}

// partial returns a delivery after which the walk goes on.
func (w *walk) partial(stopped error) (Delivery, error) {
	delivery := w.rows.Delivery()
	delivery.IsPartial, delivery.Stopped = true, stopped
	var err error
	delivery.State, err = encodeState(state{Progress: &progress{Stream: w.streams[w.index].Name, Position: w.position}, Kept: w.kept})
	return delivery, err
}

// findProgress returns the stream and the position to begin with.
func findProgress(p *progress, streams []Stream) (index int, position string) {
	if p != nil {
		for i, stream := range streams {
			if stream.Name == p.Stream {
				return i, p.Position
			}
		}
	}
	return 0, ""
}

func encodeState(s state) (string, error) {
	if s.Progress == nil && len(s.Kept) == 0 {
		return "", nil
	}
	text, err := json.Marshal(s)
	return string(text), err
}
