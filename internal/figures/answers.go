package figures

import (
	"strconv"
	"strings"
	"sync"
)

// maxAnswers is how many answers are kept.
const maxAnswers = 128

// answerCache keeps what was computed of late: of each question about some accounts
// the latest answer, with the revisions of the accounts that it is for. A write
// makes no answer wrong: it is not found any more, and the next one takes its
// place.
type answerCache struct {
	mu      sync.Mutex
	entries map[answerKey]*cachedAnswer
	clock   uint64
}

// answerKey is what was asked of which accounts.
type answerKey struct{ accounts, text string }

type cachedAnswer struct {
	version string // of the accounts
	value   any
	used    uint64
}

func newAnswers() *answerCache { return &answerCache{entries: map[answerKey]*cachedAnswer{}} }

func (a *answerCache) get(q answerKey, version string) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.entries[q]
	if k == nil || k.version != version {
		return nil, false
	}
	a.clock++
	k.used = a.clock
	return k.value, true
}

func (a *answerCache) put(q answerKey, version string, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	a.entries[q] = &cachedAnswer{version, value, a.clock}
	if len(a.entries) <= maxAnswers {
		return
	}
	oldest := q
	for other, k := range a.entries {
		if k.used < a.entries[oldest].used {
			oldest = other
		}
	}
	delete(a.entries, oldest)
}

// cacheState returns which accounts the book is about, and which version of them and
// of the owner's breakeven tolerance it shows. The columns may be newer than the
// accounts, when others wrote since the snapshot began: such a mixture is a state
// of its own, and must not be taken for the newer one.
func (b *Snapshot) cacheState() (names, version string) {
	var ids, revisions strings.Builder
	ids.WriteString(string(b.owner))
	revisions.Write(b.Tolerance.Stored)
	for i, a := range b.Accounts {
		ids.WriteString("|" + string(a.ID))
		revisions.WriteString("|" + strconv.FormatInt(a.Revision, 10) + ":" + strconv.FormatInt(b.revisions[i], 10))
	}
	return ids.String(), revisions.String()
}

// LoadOrCompute gives what compute gives, and remembers it as long as the accounts of
// the book stay as they are. The text must tell everything that the answer
// depends on beside the accounts. Nobody may change what it gives.
func LoadOrCompute[T any](s *Service, b *Snapshot, text string, compute func() T) T {
	accounts, version := b.cacheState()
	q := answerKey{accounts, text}
	if value, ok := s.answers.get(q, version); ok {
		return value.(T) //nolint:forcetypeassert // a question has one kind of answer
	}
	value := compute()
	s.answers.put(q, version, value)
	return value
}
