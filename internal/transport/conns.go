package transport

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// connTracker is a listener that bounds the open connections. It knows which of
// them wait for their client: for a request, for the rest of one, or for the
// client to take the answer. From crowded connections on, a new one closes the
// connection whose client has been silent for longest, so that clients who only
// hold connections cannot keep others out. A connection whose request is being
// worked on is never closed, nor is one whose client was heard of a moment ago:
// its request may be on its way.
type connTracker struct {
	net.Listener
	limit, crowded int

	mu      sync.Mutex
	room    *sync.Cond // signaled when a connection or the listener is closed
	open    int
	waiting list.List // of *trackedConn, the longest silent first
	closed  bool
}

func newConnTracker(listener net.Listener, limit, crowded int) *connTracker {
	t := &connTracker{Listener: listener, limit: limit, crowded: crowded}
	t.room = sync.NewCond(&t.mu)
	return t
}

// Accept waits for room and for the next connection.
func (t *connTracker) Accept() (net.Conn, error) {
	for !t.hasRoom() {
		t.update(func() {}) // some may have been silent for long enough by now
	}
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tracked := &trackedConn{Conn: conn, tracker: t}
	t.update(func() { t.open++ })
	return tracked, nil
}

// hasRoom reports whether another connection may be accepted. It waits a little
// for that.
func (t *connTracker) hasRoom() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open < t.limit || t.closed {
		return true
	}
	timer := time.AfterFunc(silence/10, t.room.Broadcast)
	defer timer.Stop()
	t.room.Wait()
	return t.open < t.limit || t.closed
}

// Close closes the listener and ends a waiting Accept.
func (t *connTracker) Close() error {
	t.mu.Lock()
	t.closed = true
	t.room.Broadcast()
	t.mu.Unlock()
	return t.Listener.Close()
}

// update changes the state under the lock, then closes the connections that are
// too many.
func (t *connTracker) update(change func()) {
	t.mu.Lock()
	change()
	var silent []*trackedConn
	for t.open-len(silent) > t.crowded && t.waiting.Len() > 0 {
		conn := t.waiting.Front().Value.(*trackedConn)
		if time.Since(conn.since) < silence {
			break
		}
		t.waiting.Remove(conn.place)
		conn.place = nil
		silent = append(silent, conn)
	}
	t.mu.Unlock()
	for _, conn := range silent {
		_ = conn.Close()
	}
}

// trackedConn is a connection that a connTracker counts. Its state is guarded by
// the tracker's lock.
type trackedConn struct {
	net.Conn
	tracker *connTracker
	place   *list.Element // in tracker.waiting; nil while nobody waits for the client
	since   time.Time     // when it got its place
	busy    bool          // the request has arrived whole and is worked on
	reading bool
	writing bool
	closed  bool
}

// Read reads from the client, for whom the server waits meanwhile.
func (c *trackedConn) Read(p []byte) (int, error) {
	c.tracker.update(func() { c.reading = true; c.refresh() })
	n, err := c.Conn.Read(p)
	c.tracker.update(func() { c.reading = false; c.refresh() })
	return n, err
}

// Write sends to the client, for whom the server waits meanwhile.
func (c *trackedConn) Write(p []byte) (int, error) {
	c.tracker.update(func() { c.writing = true; c.refresh() })
	n, err := c.Conn.Write(p)
	c.tracker.update(func() { c.writing = false; c.refresh() })
	return n, err
}

// Close closes the connection and frees its place. Closing it again is harmless.
func (c *trackedConn) Close() error {
	c.tracker.update(func() {
		if c.closed {
			return
		}
		c.closed = true
		c.refresh()
		c.tracker.open--
		c.tracker.room.Signal()
	})
	return c.Conn.Close()
}

// CloseWrite ends our side of the connection, so that the client can read an
// answer that was given before its request had arrived.
func (c *trackedConn) CloseWrite() error {
	if tcp, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return tcp.CloseWrite()
	}
	return nil
}

// setBusy says whether a request is being worked on, in which case the server
// does not wait for the client.
func (c *trackedConn) setBusy(busy bool) {
	c.tracker.update(func() { c.busy = busy; c.refresh() })
}

// refresh puts the connection on the list of those that wait for their client,
// as the last one, or takes it off. While a request is worked on, net/http reads
// only to notice that the client has gone.
func (c *trackedConn) refresh() {
	waits := !c.closed && (c.writing || c.reading && !c.busy)
	if waits == (c.place != nil) {
		return
	}
	if waits {
		c.place, c.since = c.tracker.waiting.PushBack(c), time.Now()
		return
	}
	c.tracker.waiting.Remove(c.place)
	c.place = nil
}

// silence is how long a client must have said nothing before its connection is
// closed for another one.
const silence = time.Second

type connKey struct{}

// withConn is the http.Server's ConnContext.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// setConnBusy says whether the request of ctx is being worked on. It does
// nothing where the request came by another way, as in tests.
func setConnBusy(ctx context.Context, busy bool) {
	if conn, ok := ctx.Value(connKey{}).(*trackedConn); ok {
		conn.setBusy(busy)
	}
}

// followState is the http.Server's ConnState: an idle connection waits for its
// client again.
func followState(conn net.Conn, state http.ConnState) {
	if tracked, ok := conn.(*trackedConn); ok && state == http.StateIdle {
		tracked.setBusy(false)
	}
}
