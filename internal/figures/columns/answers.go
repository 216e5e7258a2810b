package columns

import (
	"strconv"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// maxAnswers is the most answers to cache.
const maxAnswers = 128

// answerKey identifies a query about some accounts.
type answerKey struct{ accounts, text string }

// cachedAnswer is the latest answer to a query. A write to an account does not remove it:
// the versions differ, and the next answer replaces it.
type cachedAnswer struct {
	version string // the accounts' version
	value   any
}

// cacheState returns the snapshot's accounts, and their version with the owner's
// breakeven tolerance.
func (b *Snapshot) cacheState() (names, version string) {
	names, version = accountsState(b.owner, b.Accounts)
	return names, string(b.Tolerance.Stored) + b.Version + version + b.ratesVersion
}

// accountsState returns account names and their version, for keys.
func accountsState(owner journal.UserID, accounts []ledger.Account) (names, version string) {
	var ids, revisions strings.Builder
	ids.WriteString(strconv.FormatInt(int64(owner), 10))
	for _, a := range accounts {
		ids.WriteString("|" + string(a.ID))
		revisions.WriteString("|" + strconv.FormatInt(a.Revision, 10))
	}
	return ids.String(), revisions.String()
}

// LoadOrCompute returns the result of compute, and caches it until the snapshot's
// accounts change. The text must identify the query: everything the result depends on
// besides the accounts. The caller must not modify the result.
func LoadOrCompute[T any](s *Service, b *Snapshot, text string, compute func() T) T {
	value, _ := LoadOrTry(s, b, text, func() (T, error) { return compute(), nil })
	return value
}

// LoadOrTry is [LoadOrCompute] for a computation that may fail. An error is not cached.
func LoadOrTry[T any](s *Service, b *Snapshot, text string, compute func() (T, error)) (T, error) {
	accounts, version := b.cacheState()
	key := answerKey{accounts, text}
	if answer, ok := s.answers.Get(key); ok && answer.version == version {
		return answer.value.(T), nil // the text decides the type
	}
	value, err := compute()
	if err == nil {
		s.answers.Put(key, &cachedAnswer{version, value}, 1)
	}
	return value, err
}
