package history

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/journal"
)

// ErrUnreadable means that a file is not an export of the history.
var ErrUnreadable = errors.New("the file is not an export of the history")

// BrokenError names the first broken change of an export.
type BrokenError struct {
	Line   int
	Change string
	Reason string
}

// Error returns a sentence for the user.
func (e *BrokenError) Error() string {
	switch {
	case e.Line == 0:
		return e.Reason
	case e.Change == "":
		return fmt.Sprintf("line %d: the change %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d: change %s %s", e.Line, e.Change, e.Reason)
}

// Verified is what [Verify] has read.
type Verified struct {
	Changes int
	// IsPartial reports that the export leaves out changes of the user's own stream, so these
	// cannot be missed.
	IsPartial bool
}

// Verify recomputes the hashes of an exported history and returns what it has. head, if not
// empty, is the hash of a stream or of all streams, now or earlier: it must occur. Text that
// differs in spacing or in the order of members is the same.
func Verify(file io.Reader, head string) (Verified, error) {
	v := &verifier{in: bufio.NewReader(file), ends: map[journal.AccountID]*streamEnd{}, head: head, found: head == ""}
	if err := v.readFirst(); err != nil {
		return Verified{}, err
	}
	for {
		text, err := v.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = v.check(text)
		}
		if err != nil {
			return v.Verified, err
		}
	}
	if !v.IsPartial && v.stated != v.all().String() && !v.isEnd(v.stated) {
		return v.Verified, &BrokenError{Reason: "The last changes are missing: the file's own head does not occur at its end."}
	}
	if !v.found {
		return v.Verified, &BrokenError{Reason: "The given head does not occur in the file: changes are missing or were altered."}
	}
	return v.Verified, nil
}

// verifier recomputes the hashes of an export.
type verifier struct {
	Verified
	in     *bufio.Reader
	line   int
	last   int64  // position
	stated string // the head in the first line
	ends   map[journal.AccountID]*streamEnd
	head   string
	found  bool
}

// readLine returns the next line that is not empty, or io.EOF.
func (v *verifier) readLine() ([]byte, error) {
	for {
		text, err := v.in.ReadBytes('\n')
		v.line++
		if len(text) > 0 && string(text) != "\n" {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (v *verifier) readFirst() error {
	text, err := v.readLine()
	if err != nil {
		return ErrUnreadable
	}
	var first struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Head    string `json:"head"`
		Partial bool   `json:"partial"`
	}
	if err := json.Unmarshal(text, &first); err != nil || first.Format != ExportFormat || first.Version != 1 {
		return ErrUnreadable
	}
	v.stated, v.IsPartial = first.Head, first.Partial
	v.match(v.all())
	return nil
}

// exportedLine is a change in an export.
type exportedLine struct {
	Header   jsontext.Value `json:"header"`
	Content  jsontext.Value `json:"content"`
	Sum      string         `json:"content_sha256"`
	Previous string         `json:"previous_hash"`
	Hash     string         `json:"hash"`
}

// check recomputes the hash of a line and compares it with the change before it.
func (v *verifier) check(text []byte) error {
	var line exportedLine
	var head struct {
		Account *journal.AccountID `json:"account_id"`
		Seq     int64              `json:"seq"`
		ID      string             `json:"id"`
	}
	if json.Unmarshal(text, &line) != nil || json.Unmarshal(line.Header, &head) != nil || line.Header.Canonicalize() != nil {
		return fmt.Errorf("%w: line %d cannot be read", ErrUnreadable, v.line)
	}
	v.Changes++
	account := journal.AccountID("")
	if head.Account != nil {
		account = *head.Account
	}
	end := v.ends[account]
	if end == nil {
		end = &streamEnd{}
		v.ends[account] = end
	}
	broken := func(reason string) error { return &BrokenError{Line: v.line, Change: head.ID, Reason: reason} }
	sum, err := line.contentSum()
	if err != nil {
		return broken("has a content that does not match its hash.")
	}
	previous, isHash := parseHash(line.Previous)
	_, _, position, isID := journal.UnpackID(head.ID)
	isChained := !v.IsPartial || account != ""
	switch {
	case !isHash || isChained && (previous != end.hash || head.Seq != end.seq+1):
		return broken("does not follow the change before it: one was removed, added or moved.")
	case chain(previous, line.Header, sum).String() != line.Hash:
		return broken("was altered: its hash is another one.")
	case !isID || position <= v.last:
		return broken("is not in the order of the commits: it was moved.")
	}
	v.last = position
	end.hash, _ = parseHash(line.Hash)
	end.seq = head.Seq
	v.match(end.hash)
	if !v.found {
		v.match(v.all())
	}
	return nil
}

// contentSum returns the hash of the content, which must be the stated one. An erased content
// has only that.
func (l *exportedLine) contentSum() (Hash, error) {
	stated, ok := parseHash(l.Sum)
	if !ok || l.Content == nil {
		return Hash{}, errContent
	}
	if l.Content.Kind() == 'n' {
		return stated, nil
	}
	if err := l.Content.Canonicalize(); err != nil {
		return Hash{}, err
	}
	if sha256.Sum256(l.Content) != stated {
		return Hash{}, errContent
	}
	return stated, nil
}

func parseHash(text string) (h Hash, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(h) {
		return h, false
	}
	copy(h[:], raw)
	return h, true
}

// match compares a hash with the head that must occur.
func (v *verifier) match(h Hash) {
	if v.head == h.String() {
		v.found = true
	}
}

// all returns the hash over all streams.
func (v *verifier) all() (h Hash) {
	sum := sha256.New()
	for _, account := range slices.Sorted(maps.Keys(v.ends)) {
		_, _ = sum.Write(v.ends[account].hash[:])
	}
	sum.Sum(h[:0])
	return h
}

// isEnd reports whether a hash is a stream's last.
func (v *verifier) isEnd(hash string) bool {
	for _, end := range v.ends {
		if end.hash.String() == hash {
			return true
		}
	}
	return false
}
