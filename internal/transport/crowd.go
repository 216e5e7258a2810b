package transport

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// crowd knows the open connections and which of them wait for a request. When
// there are too many it closes the one that has waited longest, so that clients
// who only hold connections cannot keep others out.
type crowd struct {
	limit int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // nil while a request is served
	idle list.List                  // of net.Conn, the longest idle first
}

func newCrowd(limit int) *crowd {
	return &crowd{limit: limit, open: map[net.Conn]*list.Element{}}
}

// observe is told by the server what becomes of a connection.
func (c *crowd) observe(conn net.Conn, state http.ConnState) {
	if stale := c.note(conn, state); stale != nil {
		_ = stale.Close()
	}
}

// note keeps the books and gives a connection that is to be closed, if any.
func (c *crowd) note(conn net.Conn, state http.ConnState) (stale net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.idle.Remove(place)
	}
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
		return nil
	case http.StateActive:
		c.open[conn] = nil
		return nil
	case http.StateNew, http.StateIdle:
		c.open[conn] = c.idle.PushBack(conn)
	}
	if len(c.open) <= c.limit {
		return nil
	}
	oldest := c.idle.Remove(c.idle.Front()).(net.Conn)
	c.open[oldest] = nil // it is counted until the server has noticed
	return oldest
}
