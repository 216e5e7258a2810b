package figures

import (
	"strconv"
	"strings"
	"sync"
)

// keptAnswers is how many answers are kept.
const keptAnswers = 128

// answers keeps what was computed of late: of each question about some accounts
// the latest answer, with the revisions of the accounts that it is for. A write
// makes no answer wrong: it is not found any more, and the next one takes its
// place.
type answers struct {
	mu    sync.Mutex
	kept  map[question]*kept
	clock uint64
}

// question is what was asked of which accounts.
type question struct{ accounts, text string }

type kept struct {
	version string // of the accounts
	value   any
	used    uint64
}

func newAnswers() *answers { return &answers{kept: map[question]*kept{}} }

func (a *answers) get(q question, version string) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.kept[q]
	if k == nil || k.version != version {
		return nil, false
	}
	a.clock++
	k.used = a.clock
	return k.value, true
}

func (a *answers) put(q question, version string, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	a.kept[q] = &kept{version, value, a.clock}
	if len(a.kept) <= keptAnswers {
		return
	}
	oldest := q
	for other, k := range a.kept {
		if k.used < a.kept[oldest].used {
			oldest = other
		}
	}
	delete(a.kept, oldest)
}

// state returns which accounts the book is about, and which version of them and
// of the owner's breakeven tolerance it shows. The columns may be newer than the
// accounts, when others wrote since the snapshot began: such a mixture is a state
// of its own, and must not be taken for the newer one.
func (b *Book) state() (names, version string) {
	var ids, revisions strings.Builder
	ids.WriteString(string(b.owner))
	revisions.Write(b.Tolerance.Stored)
	for i, a := range b.Accounts {
		ids.WriteString("|" + string(a.ID))
		revisions.WriteString("|" + strconv.FormatInt(a.Revision, 10) + ":" + strconv.FormatInt(b.revisions[i], 10))
	}
	return ids.String(), revisions.String()
}

// Answer gives what compute gives, and remembers it as long as the accounts of
// the book stay as they are. The text must tell everything that the answer
// depends on beside the accounts. Nobody may change what it gives.
func Answer[T any](s *Service, b *Book, text string, compute func() T) T {
	accounts, version := b.state()
	q := question{accounts, text}
	if value, ok := s.answers.get(q, version); ok {
		return value.(T) //nolint:forcetypeassert // a question has one kind of answer
	}
	value := compute()
	s.answers.put(q, version, value)
	return value
}
