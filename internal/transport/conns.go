package transport

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// connTracker is a listener limiting the open connections. It tracks which connections
// wait for their client: for a request, for its rest, or for the client to read the
// response. Above evictAbove connections, a new one closes the connection whose client
// has been silent longest, so clients holding idle connections cannot block others. It
// never closes a connection whose request is being handled, or whose client was silent
// for less than minSilence: a request may be on its way.
type connTracker struct {
	net.Listener
	limit, evictAbove int

	mu      sync.Mutex
	freed   *sync.Cond // signaled when a connection or the listener is closed
	open    int
	waiting list.List // *trackedConn elements, the longest silent first
	closed  bool
}

func newConnTracker(listener net.Listener, limit, evictAbove int) *connTracker {
	t := &connTracker{Listener: listener, limit: limit, evictAbove: evictAbove}
	t.freed = sync.NewCond(&t.mu)
	return t
}

// Accept waits until fewer than limit connections are open, and for the next
// connection.
func (t *connTracker) Accept() (net.Conn, error) {
	for !t.waitForSlot() {
		t.update(func() {}) // some may have been silent long enough by now
	}
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tracked := &trackedConn{Conn: conn, tracker: t}
	t.update(func() { t.open++ })
	return tracked, nil
}

// waitForSlot reports whether another connection may be accepted. It waits up to a tenth
// of minSilence.
func (t *connTracker) waitForSlot() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open < t.limit || t.closed {
		return true
	}
	timer := time.AfterFunc(minSilence/10, func() {
		t.mu.Lock() // Wait has begun when this returns; an earlier broadcast would be lost
		defer t.mu.Unlock()
		t.freed.Broadcast()
	})
	defer timer.Stop()
	t.freed.Wait()
	return t.open < t.limit || t.closed
}

// Close closes the listener and ends a waiting Accept.
func (t *connTracker) Close() error {
	t.mu.Lock()
	t.closed = true
	t.freed.Broadcast()
	t.mu.Unlock()
	return t.Listener.Close()
}

// update calls change with the lock held, then closes silent connections above
// the limit.
func (t *connTracker) update(change func()) {
	t.mu.Lock()
	change()
	var silent []*trackedConn
	for t.open-len(silent) > t.evictAbove && t.waiting.Len() > 0 {
		conn := t.waiting.Front().Value.(*trackedConn)
		if time.Since(conn.since) < minSilence {
			break
		}
		t.waiting.Remove(conn.element)
		conn.element = nil
		silent = append(silent, conn)
	}
	t.mu.Unlock()
	for _, conn := range silent {
		_ = conn.Close()
	}
}

// trackedConn is a connection counted by a connTracker. Its state is guarded by the
// tracker's lock.
type trackedConn struct {
	net.Conn
	tracker *connTracker
	element *list.Element // in tracker.waiting; nil if the server does not wait for the client
	since   time.Time     // when it was added to tracker.waiting
	busy    bool          // the request is complete and being handled
	reading bool
	writing bool
	closed  bool
}

// Read reads from the client; the server waits for the client meanwhile.
func (c *trackedConn) Read(p []byte) (int, error) {
	c.tracker.update(func() { c.reading = true; c.refresh() })
	n, err := c.Conn.Read(p)
	c.tracker.update(func() { c.reading = false; c.refresh() })
	return n, err
}

// Write writes to the client; the server waits for the client meanwhile.
func (c *trackedConn) Write(p []byte) (int, error) {
	c.tracker.update(func() { c.writing = true; c.refresh() })
	n, err := c.Conn.Write(p)
	c.tracker.update(func() { c.writing = false; c.refresh() })
	return n, err
}

// Close closes the connection and removes it from the tracker. Further calls do
// nothing to the tracker.
func (c *trackedConn) Close() error {
	c.tracker.update(func() {
		if c.closed {
			return
		}
		c.closed = true
		c.refresh()
		c.tracker.open--
		c.tracker.freed.Signal()
	})
	return c.Conn.Close()
}

// CloseWrite closes the connection's sending side, so the client can read a response sent
// before its request was complete.
func (c *trackedConn) CloseWrite() error {
	if tcp, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return tcp.CloseWrite()
	}
	return nil
}

// setBusy sets whether a request is being handled. The server does not wait for
// the client then.
func (c *trackedConn) setBusy(busy bool) {
	c.tracker.update(func() { c.busy = busy; c.refresh() })
}

// refresh adds the connection to the end of the waiting list, or removes it. While a
// request is being handled, net/http reads only to detect a disconnected client.
func (c *trackedConn) refresh() {
	waits := !c.closed && (c.writing || c.reading && !c.busy)
	if waits == (c.element != nil) {
		return
	}
	if waits {
		c.element, c.since = c.tracker.waiting.PushBack(c), time.Now()
		return
	}
	c.tracker.waiting.Remove(c.element)
	c.element = nil
}

// minSilence is how long a client must have been silent before its connection
// is closed for another one.
const minSilence = time.Second

type connKey struct{}

// withConn is the http.Server's ConnContext.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// setConnBusy sets whether ctx's request is being handled. It does nothing for requests
// without a tracked connection, as in tests.
func setConnBusy(ctx context.Context, busy bool) {
	if conn, ok := ctx.Value(connKey{}).(*trackedConn); ok {
		conn.setBusy(busy)
	}
}

// trackIdle is the http.Server's ConnState: an idle connection waits for its client
// again.
func trackIdle(conn net.Conn, state http.ConnState) {
	if tracked, ok := conn.(*trackedConn); ok && state == http.StateIdle {
		tracked.setBusy(false)
	}
}
