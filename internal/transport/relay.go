package transport

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// relayMemory is how much of a response is kept in memory for its client.
	// The rest is written to the spool.
	relayMemory = 256 << 10
	// relayStep is how much is sent to the client at once.
	relayStep = 64 << 10
	// clientPatience is how long a complete response stays in memory before its rest is
	// written to the spool. Most clients have read it by then.
	clientPatience = 100 * time.Millisecond
)

// relay sends a response at the client's rate while the handler writes at its own, so the
// handler's resources, such as a database snapshot, do not wait for the client. It has
// one writer.
type relay struct {
	to    http.ResponseWriter
	spool *Spool
	user  string
	pacer writePacer
	sent  chan struct{} // closed when the sender has ended

	mu      sync.Mutex
	changed *sync.Cond
	memory  []byte // to be sent next, from start on
	start   int
	file    *spoolFile
	read    int64 // from the file
	written int64
	ended   bool // the writer has finished
	err     error
}

func newRelay(to http.ResponseWriter, spool *Spool, user string) *relay {
	r := &relay{to: to, spool: spool, user: user, sent: make(chan struct{})}
	r.changed = sync.NewCond(&r.mu)
	spool.updateUse(user, func(use *spoolUse) { use.responses++ })
	go r.send()
	return r
}

// Write accepts a part of the response. It waits for the client only if the
// spool is full, which is allowed for few responses at a time.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	if !r.fitsInMemory(p) {
		if err := r.writeToFile(p); err != nil {
			return r.waitForClient(p, err)
		}
		r.changed.Broadcast()
		return len(p), nil
	}
	r.appendToMemory(p)
	r.changed.Broadcast()
	return len(p), nil
}

// writeAll accepts a complete response, as the only write. It returns when p is no
// longer used: when the sender has taken everything, or after clientPatience, when
// the rest is in the spool.
func (r *relay) writeAll(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory = p
	r.changed.Broadcast()
	late := false
	timer := time.AfterFunc(clientPatience, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.changed.Broadcast()
	})
	defer timer.Stop()
	for r.err == nil && r.unsent() > 0 && !late {
		r.changed.Wait()
	}
	rest := r.memory[r.start:]
	r.memory, r.start = nil, 0
	if r.err != nil || len(rest) == 0 {
		return
	}
	if err := r.writeToFile(rest); err != nil {
		_, _ = r.waitForClient(rest, err)
	}
	r.changed.Broadcast()
}

// appendToMemory keeps a part in memory. It reuses the space of sent parts before it asks
// for more.
func (r *relay) appendToMemory(p []byte) {
	if r.start > 0 && len(r.memory)+len(p) > cap(r.memory) {
		r.memory = append(r.memory[:0], r.memory[r.start:]...)
		r.start = 0
	}
	r.memory = append(r.memory, p...)
}

// unsent returns how many bytes in memory are to be sent.
func (r *relay) unsent() int { return len(r.memory) - r.start }

// fitsInMemory reports whether a part may be kept in memory. It may not while
// the file has unsent data, which must be sent first.
func (r *relay) fitsInMemory(p []byte) bool {
	return r.read == r.written && r.unsent()+len(p) <= relayMemory
}

// writeToFile appends a part to the file. It releases the lock meanwhile: the
// sender reads only what was written before.
func (r *relay) writeToFile(p []byte) (err error) {
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

// waitForClient waits until the client has read everything written so far, then keeps the
// part in memory. cause is the spool's error.
func (r *relay) waitForClient(p []byte, cause error) (int, error) {
	select {
	case r.spool.stalled <- struct{}{}:
		defer func() { <-r.spool.stalled }()
	default:
		return 0, fmt.Errorf("sending to a slow client: %w", cause)
	}
	for r.err == nil && (r.read != r.written || r.unsent() > 0) {
		r.changed.Wait()
	}
	if r.err != nil {
		return 0, r.err
	}
	r.appendToMemory(p)
	r.changed.Broadcast()
	return len(p), nil
}

// finish waits until the client has read everything.
func (r *relay) finish() error {
	r.mu.Lock()
	r.ended = true
	r.changed.Broadcast()
	r.mu.Unlock()
	return r.close()
}

// abort stops sending to the client.
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
	r.spool.updateUse(r.user, func(use *spoolUse) { use.responses-- })
	if r.file != nil {
		_ = r.file.Close()
	}
	return r.err
}

// relayBuffers are buffers with relayStep bytes.
var relayBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, relayStep)
	return &buffer
}}

// send is the goroutine that writes to the client.
func (r *relay) send() {
	defer close(r.sent)
	defer func() {
		if fault := recover(); fault != nil { // a panic in this goroutine would end the process
			r.fail(fmt.Errorf("sending a response: %v", fault))
		}
	}()
	buffer := relayBuffers.Get().(*[]byte)
	defer relayBuffers.Put(buffer)
	for {
		part, err := r.next(*buffer)
		if err == nil && len(part) == 0 {
			return
		}
		if err == nil {
			r.pacer.extendDeadline(r.to, len(part))
			_, err = r.to.Write(part)
		}
		if err != nil {
			r.fail(err)
			return
		}
	}
}

// next waits for the next part to send. It is empty at the end.
func (r *relay) next(buffer []byte) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && r.unsent() == 0 && r.read == r.written && !r.ended {
		r.changed.Wait()
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case r.unsent() > 0:
		n := copy(buffer, r.memory[r.start:])
		if r.start += n; r.unsent() == 0 {
			r.memory, r.start = r.memory[:0], 0
		}
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
