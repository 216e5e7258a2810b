package connector

import (
	"cmp"
	"context"
	"encoding/json"

	"fillbook/internal/remote"
)

const (
	// maxRows is how many rows end a delivery, unless a query has another number.
	maxRows = 2000
	// maxPages is how many pages end a delivery.
	maxPages = 100
)

// Stream is a list of records that comes in pages.
type Stream struct {
	// Name identifies the stream among those of a connector.
	Name string
	// Fetch adds the records of the page at a position, which is empty for the first one,
	// and returns the position of the next page, which is empty after the last one.
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

// parseState returns the state of a query. One that cannot be read is as good as none:
// the time is fetched from its beginning, and what is known is recognized.
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
// delivery of the query ended. After enough rows or pages the delivery is partial. kept is
// stored with the delivery and may be nil.
func (r *Rows) Walk(ctx context.Context, kept map[string]string, streams []Stream) (Delivery, error) {
	first, position := findProgress(parseState(r.query).Progress, streams)
	enough := cmp.Or(r.query.MaxRows, maxRows)
	pages := 0
	for i, stream := range streams[first:] {
		for {
			next, err := stream.Fetch(ctx, position)
			if err != nil {
				return Delivery{}, err
			}
			if next != "" && next == position {
				return Delivery{}, remote.Malformed("its next page is the same page")
			}
			position = next
			pages++
			isLast := next == "" && first+i == len(streams)-1
			if !isLast && (r.Len() >= enough || pages >= maxPages) {
				return r.partial(kept, streams[first+i:], position)
			}
			if next == "" {
				break
			}
		}
	}
	delivery := r.Delivery()
	var err error
	delivery.State, err = encodeState(state{Kept: kept})
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

// partial returns a delivery after which the first of some streams goes on at a position,
// or the second one begins if the position is empty.
func (r *Rows) partial(kept map[string]string, streams []Stream, position string) (Delivery, error) {
	if position == "" {
		streams = streams[1:]
	}
	delivery := r.Delivery()
	delivery.IsPartial = true
	var err error
	delivery.State, err = encodeState(state{Progress: &progress{Stream: streams[0].Name, Position: position}, Kept: kept})
	return delivery, err
}

func encodeState(s state) (string, error) {
	if s.Progress == nil && len(s.Kept) == 0 {
		return "", nil
	}
	text, err := json.Marshal(s)
	return string(text), err
}
