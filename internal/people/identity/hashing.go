package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"fillbook/internal/base/fairqueue"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// PasswordCost is the cost of one argon2id hash.
type PasswordCost struct {
	MemoryKiB uint32
	Passes    uint32
}

// DefaultPasswordCost returns the minimum of OWASP and ASVS: 19 MiB, two
// passes. It takes about 40 ms.
func DefaultPasswordCost() PasswordCost { return PasswordCost{MemoryKiB: 19 * 1024, Passes: 2} }

const (
	saltSize = 16
	tagSize  = 32
	// lanes is argon2's parallelism. With 1, a hash uses one core, so the number of slots
	// limits how much of the machine logins use.
	lanes = 1

	maxHashSlots    = 4
	defaultHashWait = 20 * time.Second
	// maxHashQueue is how many hashes per client address may wait.
	maxHashQueue = 250
)

// errPasswordHash is returned for a stored hash in an unknown format.
var errPasswordHash = errors.New("the stored password hash is malformed")

// hasher computes password hashes, a limited number at a time because each uses memory.
// The others wait in a queue shared fairly between client addresses.
type hasher struct {
	cost  PasswordCost
	slots int
	queue *fairqueue.Queue
	after func()       // called after each hash
	work  atomic.Int64 // KiB used so far, for tests
}

func newHasher(options Options) *hasher {
	h := &hasher{cost: options.PasswordCost, slots: options.HashSlots, after: options.AfterHash}
	if h.after == nil {
		h.after = func() {}
	}
	if h.cost == (PasswordCost{}) {
		h.cost = DefaultPasswordCost()
	}
	wait := options.HashWait
	if wait <= 0 {
		wait = defaultHashWait
	}
	if h.slots <= 0 {
		h.slots = min(maxHashSlots, runtime.GOMAXPROCS(0))
	}
	h.queue = fairqueue.New(fairqueue.Options{MaxActive: h.slots, MaxWaiting: maxHashQueue, MaxWait: wait})
	return h
}

// acquire waits for a slot and returns its release function. It returns an error if the
// queue is full or the wait too long.
func (h *hasher) acquire(ctx context.Context, address string) (release func(), err error) {
	release, err = h.queue.Acquire(ctx, address)
	if errors.Is(err, fairqueue.ErrBusy) {
		return nil, &journal.Error{
			Kind: journal.KindUnavailable, Code: "unavailable", RetryAfter: hashRetryAfter, Err: err,
			Message: "Too many sign-ins are waiting. Try again in a few seconds.",
		}
	}
	return release, err
}

// hashRetryAfter is the Retry-After for attempts rejected because the queue is full.
const hashRetryAfter = 5 * time.Second

// hash returns the PHC string of a password with the configured cost.
func (h *hasher) hash(ctx context.Context, address string, password secrets.Secret) (string, error) {
	release, err := h.acquire(ctx, address)
	if err != nil {
		return "", err
	}
	defer release()
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails; see crypto/rand
	return phc{cost: h.cost, salt: salt, tag: h.derive(password, h.cost, salt)}.String(), nil
}

// matches reports whether a password has the stored hash.
func (h *hasher) matches(ctx context.Context, address string, password secrets.Secret, stored string) (bool, error) {
	release, err := h.acquire(ctx, address)
	if err != nil {
		return false, err
	}
	defer release()
	return h.verify(password, stored)
}

// verify is matches for a caller holding a slot. An empty hash, for an unknown user,
// costs the same work and never matches.
func (h *hasher) verify(password secrets.Secret, stored string) (bool, error) {
	if stored == "" {
		h.derive(password, h.cost, make([]byte, saltSize))
		return false, nil
	}
	want, err := parsePHC(stored)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(h.derive(password, want.cost, want.salt), want.tag) == 1, nil
}

func (h *hasher) derive(password secrets.Secret, cost PasswordCost, salt []byte) []byte {
	h.work.Add(int64(cost.MemoryKiB) * int64(cost.Passes))
	defer h.after()
	return argon2.IDKey([]byte(password.Reveal()), salt, cost.Passes, cost.MemoryKiB, lanes, tagSize)
}

// isWeak reports whether a stored hash has a lower cost than a new one.
func (h *hasher) isWeak(stored string) bool {
	have, err := parsePHC(stored)
	return err == nil && (have.cost.MemoryKiB < h.cost.MemoryKiB || have.cost.Passes < h.cost.Passes)
}

// phc is a password hash in the string format of the Password Hashing
// Competition, which includes its parameters.
type phc struct {
	cost PasswordCost
	salt []byte
	tag  []byte
}

// String returns $argon2id$v=19$m=…,t=…,p=1$salt$tag.
func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.MemoryKiB, p.cost.Passes, lanes,
		base64.RawStdEncoding.EncodeToString(p.salt), base64.RawStdEncoding.EncodeToString(p.tag))
}

// Limits for a stored hash, so a damaged row cannot exhaust the machine.
const (
	maxMemoryKiB = 1 << 20
	maxPasses    = 32
)

func parsePHC(text string) (phc, error) {
	fields := strings.Split(text, "$")
	if len(fields) != 6 || fields[0] != "" || fields[1] != "argon2id" || fields[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, errPasswordHash
	}
	var p phc
	if _, err := fmt.Sscanf(fields[3]+" ", "m=%d,t=%d,p=1 ", &p.cost.MemoryKiB, &p.cost.Passes); err != nil {
		return phc{}, errPasswordHash
	}
	var saltErr, tagErr error
	p.salt, saltErr = base64.RawStdEncoding.DecodeString(fields[4])
	p.tag, tagErr = base64.RawStdEncoding.DecodeString(fields[5])
	if saltErr != nil || tagErr != nil || len(p.tag) != tagSize || !p.cost.isValid() {
		return phc{}, errPasswordHash
	}
	return p, nil
}

func (c PasswordCost) isValid() bool {
	return c.MemoryKiB >= 8 && c.MemoryKiB <= maxMemoryKiB && c.Passes >= 1 && c.Passes <= maxPasses
}
