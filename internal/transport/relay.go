package transport

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// relayMemory is how much of an answer waits in memory for its client; what
	// is beyond it waits in the spool.
	relayMemory = 256 << 10
	// relayStep is how much is read from the spool at once.
	relayStep = 64 << 10
)

// relay sends an answer at the client's pace while its writer goes on at its
// own, so that nothing that the writer holds, such as a snapshot of the
// database, waits for the client. There is one writer.
type relay struct {
	to    http.ResponseWriter
	spool *Spool
	user  string
	pace  pace
	sent  chan struct{} // closed when the sender has ended

	mu      sync.Mutex
	changed *sync.Cond
	memory  []byte // the next to be sent
	file    *spoolFile
	read    int64 // of the file
	written int64
	ended   bool // the writer has written everything
	err     error
}

func newRelay(to http.ResponseWriter, spool *Spool, user string) *relay {
	r := &relay{to: to, spool: spool, user: user, sent: make(chan struct{})}
	r.changed = sync.NewCond(&r.mu)
	spool.change(user, func(use *spoolUse) { use.answers++ })
	go r.send()
	return r
}

// Write takes a part of the answer. It waits for the client only where there is
// no room in the spool, which is allowed to few answers at a time.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	if !r.fits(p) {
		if err := r.spill(p); err != nil {
			return r.stall(p, err)
		}
		r.changed.Broadcast()
		return len(p), nil
	}
	r.memory = append(r.memory, p...)
	r.changed.Broadcast()
	return len(p), nil
}

// fits reports whether a part may wait in memory: only if nothing is in the
// file, which would have to be sent before it.
func (r *relay) fits(p []byte) bool {
	return r.read == r.written && len(r.memory)+len(p) <= relayMemory
}

// spill appends a part to the file. The lock is released meanwhile: the sender
// reads only what was written before.
func (r *relay) spill(p []byte) (err error) {
	if r.file == nil {
		if r.file, err = r.spool.create(r.user); err != nil {
			return err
		}
	}
	if r.read == r.written {
		r.read, r.written = 0, 0
	}
	at := r.written
	r.mu.Unlock()
	err = r.file.writeAt(p, at)
	r.mu.Lock()
	if err == nil {
		r.written = at + int64(len(p))
	}
	return err
}

// stall waits until the client has taken what was written, then keeps a part in
// memory. cause is why it could not go to the spool.
func (r *relay) stall(p []byte, cause error) (int, error) {
	select {
	case r.spool.stalled <- struct{}{}:
		defer func() { <-r.spool.stalled }()
	default:
		return 0, fmt.Errorf("answering a slow client: %w", cause)
	}
	for r.err == nil && (r.read != r.written || len(r.memory) > 0) {
		r.changed.Wait()
	}
	if r.err != nil {
		return 0, r.err
	}
	r.memory = append(r.memory, p...)
	r.changed.Broadcast()
	return len(p), nil
}

// finish waits until the client has taken everything.
func (r *relay) finish() error {
	r.mu.Lock()
	r.ended = true
	r.changed.Broadcast()
	r.mu.Unlock()
	return r.close()
}

// abort gives up: the client gets nothing more.
func (r *relay) abort() {
	r.mu.Lock()
	if r.err == nil {
		r.err = http.ErrAbortHandler
	}
	r.changed.Broadcast()
	r.mu.Unlock()
	_ = http.NewResponseController(r.to).SetWriteDeadline(time.Now())
	_ = r.close()
}

// close waits for the sender and removes the file.
func (r *relay) close() error {
	<-r.sent
	r.spool.change(r.user, func(use *spoolUse) { use.answers-- })
	if r.file != nil {
		_ = r.file.Close()
	}
	return r.err
}

// send is the sender's goroutine.
func (r *relay) send() {
	defer close(r.sent)
	defer func() {
		if fault := recover(); fault != nil { // on its own it would end the process
			r.fail(fmt.Errorf("sending an answer: %v", fault))
		}
	}()
	buffer := make([]byte, relayStep)
	for {
		part, err := r.next(buffer)
		if err == nil && len(part) == 0 {
			return
		}
		if err == nil {
			r.pace.send(r.to, len(part))
			_, err = r.to.Write(part)
		}
		if err != nil {
			r.fail(err)
			return
		}
	}
}

// next waits for the next part to send; it is empty at the end.
func (r *relay) next(buffer []byte) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && len(r.memory) == 0 && r.read == r.written && !r.ended {
		r.changed.Wait()
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.memory) > 0:
		n := copy(buffer, r.memory)
		r.memory = r.memory[n:]
		r.changed.Broadcast()
		return buffer[:n], nil
	case r.read == r.written:
		return nil, nil
	}
	part := buffer[:min(int64(len(buffer)), r.written-r.read)]
	n, err := r.file.ReadAt(part, r.read)
	if n < len(part) && err == nil {
		err = io.ErrUnexpectedEOF
	}
	if n == len(part) {
		err = nil
	}
	r.read += int64(n)
	r.changed.Broadcast()
	return part[:n], err
}

func (r *relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.changed.Broadcast()
}
