package files

import (
	"bytes"
	"io"
)

// Scratch is a temporary file.
type Scratch interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// maxHeld is how many encoded bytes stay in memory: some million bars.
const maxHeld = 16 << 20

// blockStore keeps encoded blocks: the first ones in memory, the others in a temporary
// file. The space of merged blocks is not used again in the file.
type blockStore struct {
	open    func() (Scratch, error)
	file    Scratch
	end     int64 // the file's end
	held    int64 // bytes in memory
	maxHeld int64
	buffer  []byte
}

// storedText is an encoded block, in memory or, if text is nil, in the file.
type storedText struct {
	text []byte
	at   int64
	size int
}

// save keeps a copy of an encoded block. If it cannot be written, as on a full disk, it
// stays in memory.
func (s *blockStore) save(text []byte) storedText {
	if s.held+int64(len(text)) > s.maxHeld && s.openFile() {
		if _, err := s.file.WriteAt(text, s.end); err == nil {
			at := s.end
			s.end += int64(len(text))
			return storedText{at: at, size: len(text)}
		}
	}
	s.held += int64(len(text))
	return storedText{text: bytes.Clone(text)}
}

func (s *blockStore) openFile() bool {
	if s.file != nil || s.open == nil {
		return s.file != nil
	}
	var err error
	if s.file, err = s.open(); err != nil {
		s.file, s.open = nil, nil
	}
	return s.file != nil
}

// load returns an encoded block, which is valid until the next call.
func (s *blockStore) load(stored storedText) []byte {
	if stored.text != nil {
		return stored.text
	}
	if cap(s.buffer) < stored.size {
		s.buffer = make([]byte, stored.size)
	}
	s.buffer = s.buffer[:stored.size]
	if _, err := s.file.ReadAt(s.buffer, stored.at); err != nil {
		panic("files: reading the temporary file: " + err.Error())
	}
	return s.buffer
}
