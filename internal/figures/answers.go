package figures

import (
	"strconv"
	"strings"
	"sync"
)

// keptAnswers is how many answers are kept.
const keptAnswers = 128

// answers keeps what was computed of late. An answer is found by the question
// and the revisions of the accounts that it is about, so that a write makes no
// answer wrong: it only makes the next question another one.
type answers struct {
	mu    sync.Mutex
	kept  map[string]*kept
	clock uint64
}

type kept struct {
	value any
	used  uint64
}

func newAnswers() *answers { return &answers{kept: map[string]*kept{}} }

func (a *answers) get(key string) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.kept[key]
	if k == nil {
		return nil, false
	}
	a.clock++
	k.used = a.clock
	return k.value, true
}

func (a *answers) put(key string, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	a.kept[key] = &kept{value, a.clock}
	if len(a.kept) <= keptAnswers {
		return
	}
	oldest := key
	for other, k := range a.kept {
		if k.used < a.kept[oldest].used {
			oldest = other
		}
	}
	delete(a.kept, oldest)
}

// version names the state of the accounts that the book shows. The columns may
// be newer than the accounts, when others wrote since the snapshot began: such a
// mixture is a state of its own, and must not be taken for the newer one.
func (b *Book) version() string {
	var text strings.Builder
	text.WriteString(string(b.owner))
	for i, a := range b.Accounts {
		text.WriteString("|" + string(a.ID) + ":" + strconv.FormatInt(a.Revision, 10) + ":" + strconv.FormatInt(b.revisions[i], 10))
	}
	return text.String()
}

// Answer gives what compute gives, and remembers it as long as the accounts of
// the book stay as they are. The question must tell everything that the answer
// depends on beside the accounts. Nobody may change what it gives.
func Answer[T any](s *Service, b *Book, question string, compute func() T) T {
	key := b.version() + "?" + question
	if value, ok := s.answers.get(key); ok {
		return value.(T) //nolint:forcetypeassert // a question has one kind of answer
	}
	value := compute()
	s.answers.put(key, value)
	return value
}
