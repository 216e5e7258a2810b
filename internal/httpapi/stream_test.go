package httpapi_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"fillbook/internal/httpapi"
)

// TestListsAreWrittenInChunks as they were read: whole, in order, and no further
// than both sides go.
func TestListsAreWrittenInChunks(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	const chunk = httpapi.Chunk
	for _, c := range []struct {
		name            string
		records         int
		failsToRead     int // which record cannot be read
		failsToWrite    int // which part cannot be written
		written, atMost int // written records, and how many may be read for them
		err             error
	}{
		{name: "nothing"},
		{name: "less than a part", records: 7, written: 7, atMost: 7},
		{name: "a part", records: chunk, written: chunk, atMost: chunk},
		{name: "parts and a rest", records: 3*chunk + 7, written: 3*chunk + 7, atMost: 3*chunk + 7},
		{name: "the first record fails", records: 7, failsToRead: 1, err: broken},
		{name: "a record of the first part fails", records: chunk, failsToRead: 7, atMost: 6, err: broken},
		{name: "a later record fails", records: 3 * chunk, failsToRead: chunk + 7, written: chunk, atMost: chunk + 6, err: broken},
		{name: "the first part fails", records: 9 * chunk, failsToWrite: 1, atMost: 2 * chunk, err: broken},
		{name: "a later part fails", records: 9 * chunk, failsToWrite: 3, written: 2 * chunk, atMost: 4 * chunk, err: broken},
		{name: "the last part fails", records: chunk + 7, failsToWrite: 2, written: chunk, atMost: chunk + 7, err: broken},
	} {
		read, parts := 0, 0
		var written []int
		err := httpapi.WriteInChunks(func(emit func(int) error) error {
			for i := range c.records {
				if i+1 == c.failsToRead {
					return broken
				}
				read++
				if err := emit(i); err != nil {
					return err
				}
			}
			return nil
		}, func(part []int) error {
			if parts++; parts == c.failsToWrite {
				return broken
			}
			written = append(written, part...)
			return nil
		})
		if !errors.Is(err, c.err) || len(written) != c.written || read > c.atMost {
			t.Errorf("%s: %v, %d of %d records written, want %v, %d of at most %d", c.name, err, len(written), read, c.err, c.written, c.atMost)
		}
		if !slices.IsSorted(written) || len(written) > 0 && written[0] != 0 {
			t.Errorf("%s: not in order", c.name)
		}
	}
}

// TestPanicInAChunkFailsTheRequest and does not end the server.
func TestPanicInAChunkFailsTheRequest(t *testing.T) {
	t.Parallel()
	defer func() {
		if fault := recover(); fault != "broken" {
			t.Errorf("the request ended with %v", fault)
		}
	}()
	_ = httpapi.WriteInChunks(func(emit func(int) error) error {
		for i := range 9 * httpapi.Chunk {
			if err := emit(i); err != nil {
				return err
			}
		}
		return nil
	}, func([]int) error { panic("broken") })
	t.Error("the panic was lost")
}

// TestNothingIsWrittenAfterAnError: if reading panics, the current part is written first,
// because its writer goes away afterwards.
func TestNothingIsWrittenAfterAnError(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	var written atomic.Bool
	defer func() {
		if recover() == nil || !written.Load() {
			t.Error("the panic was lost, or did not wait")
		}
	}()
	_ = httpapi.WriteInChunks(func(emit func(int) error) error {
		for i := range httpapi.Chunk {
			if err := emit(i); err != nil {
				return err
			}
		}
		<-begun
		go close(ended)
		panic("broken")
	}, func([]int) error {
		close(begun)
		<-ended
		written.Store(true)
		return nil
	})
}
