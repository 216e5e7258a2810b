package transport

// Buckets tells how many keys a limiter remembers.
func (l *Limiter) Buckets() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}

// MaxBuckets is the most that it may remember.
const MaxBuckets = maxBuckets

// The limits of a form, for tests that stand exactly on them.
const (
	MaxParts = maxParts
	MaxField = maxField
)

// KeepWhole is the longest answer that is held back.
const KeepWhole = keepWhole
