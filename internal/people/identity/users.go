package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// User is a person who can sign in.
type User struct {
	ID       journal.UserID
	PublicID journal.PublicID
	// Email is the address as entered, without surrounding spaces.
	Email string
	// IsAdmin reports whether the user is an owner of the installation.
	IsAdmin     bool
	CreatedAt   time.Time
	TOTPEnabled bool
	// LastSeenAt is the time of the last authenticated request, to the minute; nil before
	// the first. It is set by [Service.User] and [Service.Users] only.
	LastSeenAt *time.Time
}

// account is a user with their credentials.
type account struct {
	User
	passwordHash string
	totpSecret   []byte // encrypted
	userState           // only if it was locked
}

// userState is the part of user_states for the second factor.
type userState struct {
	totpFailures  int
	failuresSince time.Time
}

const (
	userColumns    = `number, id, email, is_admin, created_at, totp_secret IS NOT NULL`
	accountColumns = userColumns + `, password_hash, totp_secret`
)

func (u *User) columns() []any {
	return []any{&u.ID, &u.PublicID, &u.Email, &u.IsAdmin, db.Instant(&u.CreatedAt), &u.TOTPEnabled}
}

func (a *account) columns() []any {
	return append(a.User.columns(), &a.passwordHash, &a.totpSecret)
}

func scanUser(row db.Scanner) (User, error) {
	var u User
	err := row.Scan(u.columns()...)
	return u, err
}

func scanAccount(row db.Scanner) (account, error) {
	var a account
	err := row.Scan(a.columns()...)
	return a, err
}

// newUserDeleted returns the error for a caller whose user was deleted after
// authentication.
func newUserDeleted() error {
	return journal.Unauthorized("This user no longer exists. Sign in again.")
}

// explainDeleted converts the error from a row referring to a deleted user.
func explainDeleted(err error) error {
	if errors.Is(err, db.ErrMissing) {
		return newUserDeleted()
	}
	return err
}

// Me returns the signed-in user.
func (s *userStore) Me(ctx context.Context, id journal.UserID) (User, error) {
	a, err := s.account(ctx, id)
	return a.User, err
}

// User returns a user by public id.
func (s *userStore) User(ctx context.Context, id journal.PublicID) (User, error) {
	var user User
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		if user, err = scanUser(tx.QueryRow(ctx, `SELECT `+userColumns+` FROM users WHERE id = $1`, id)); err != nil {
			return err
		}
		user.LastSeenAt, err = readLastSeen(ctx, tx, user.ID)
		return err
	})
	return user, toNotFound(err, "user")
}

func readLastSeen(ctx context.Context, tx *db.Tx, id journal.UserID) (at *time.Time, err error) {
	err = tx.QueryRow(ctx, `SELECT last_seen_at FROM user_states WHERE user_id = $1`, id).Scan(db.NullInstant(&at))
	return at, err
}

// Users returns all users, oldest first.
func (s *userStore) Users(ctx context.Context) ([]User, error) {
	users, _, err := s.UserPage(ctx, UserQuery{})
	return users, err
}

// UserQuery selects users by their position in the list, oldest first.
type UserQuery struct {
	// After is the previous page's last user: creation and id; an empty id is the start.
	After struct {
		At time.Time
		ID string
	}
	// Limit is the most users to return; 0 means all.
	Limit int
}

// UserPage returns a page of users, oldest first. With a limit it also counts all users
// in the same snapshot.
func (s *userStore) UserPage(ctx context.Context, query UserQuery) (users []User, total int, err error) {
	s.flushBriefly(ctx)
	text, args := `SELECT `+userColumns+` FROM users`, []any{}
	if query.After.ID != "" {
		text += ` WHERE (created_at, id) > ($1, $2)`
		args = append(args, db.Micros(query.After.At), query.After.ID)
	}
	text += ` ORDER BY created_at, id`
	if query.Limit > 0 {
		args = append(args, query.Limit)
		text += db.Limit(len(args))
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if users, err = db.List(ctx, tx, scanUser, text, args...); err != nil {
			return err
		}
		if err := setLastSeen(ctx, tx, users); err != nil || query.Limit == 0 {
			return err
		}
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM users`).Scan(&total)
	})
	return users, total, err
}

// setLastSeen sets when each user was last seen.
func setLastSeen(ctx context.Context, tx *db.Tx, users []User) error {
	seen := make(map[journal.UserID]*time.Time, len(users))
	for part := range slices.Chunk(users, 500) {
		ids := make([]journal.UserID, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		var args []any
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var id journal.UserID
			var at *time.Time
			err := row.Scan(&id, db.NullInstant(&at))
			seen[id] = at
			return err
		}, `SELECT user_id, last_seen_at FROM user_states WHERE user_id IN `+db.In(&args, ids), args...)
		if err != nil {
			return err
		}
	}
	for i := range users {
		users[i].LastSeenAt = seen[users[i].ID]
	}
	return nil
}

// account reads the signed-in user's row.
func (s *userStore) account(ctx context.Context, id journal.UserID) (account, error) {
	var a account
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		a, err = scanAccount(tx.QueryRow(ctx, `SELECT `+accountColumns+` FROM users WHERE number = $1`, id))
		return err
	})
	if errors.Is(err, db.ErrNoRows) {
		return account{}, newUserDeleted()
	}
	return a, err
}

// lockAccount locks a user's state and reads the user.
func lockAccount(ctx context.Context, tx *db.Tx, id journal.UserID) (account, error) {
	state, err := lockState(ctx, tx, id)
	var a account
	if err == nil {
		a, err = scanAccount(tx.QueryRow(ctx, `SELECT `+accountColumns+` FROM users WHERE number = $1`, id))
	}
	if errors.Is(err, db.ErrNoRows) {
		return account{}, newUserDeleted()
	}
	a.userState = state
	return a, err
}

// PublicID returns a user's public id, within a transaction.
func PublicID(ctx context.Context, tx *db.Tx, id journal.UserID) (public journal.PublicID, err error) {
	err = tx.QueryRow(ctx, `SELECT id FROM users WHERE number = $1`, id).Scan(&public)
	return public, toNotFound(err, "user")
}

// UserNumber returns the number of the user with a public id, or 0 if none,
// within a transaction.
func UserNumber(ctx context.Context, tx *db.Tx, public journal.PublicID) (id journal.UserID, err error) {
	err = tx.QueryRow(ctx, `SELECT number FROM users WHERE id = $1`, public).Scan(&id)
	if errors.Is(err, db.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// lockState locks and reads a user's state. Whatever depends on a user's credentials
// locks it first, and not the row in users, of which each node in a distributed database
// has a copy.
func lockState(ctx context.Context, tx *db.Tx, id journal.UserID) (state userState, err error) {
	err = tx.QueryRow(ctx, `SELECT totp_failures, totp_failures_since FROM user_states WHERE user_id = $1`+tx.Lock(), id).
		Scan(&state.totpFailures, db.Instant(&state.failuresSince))
	return state, err
}

// insertUser inserts a user within a transaction. The unique key on the
// normalized address decides between two users with the same one.
func (s *userStore) insertUser(ctx context.Context, tx *db.Tx, address email, hash string, isAdmin bool) (User, error) {
	user := User{PublicID: journal.NewID[journal.PublicID](), Email: address.typed, IsAdmin: isAdmin, CreatedAt: s.clock()}
	err := tx.QueryRow(ctx, `INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING number`,
		user.PublicID, address.typed, address.key, hash, isAdmin, db.Micros(user.CreatedAt)).Scan(&user.ID)
	if errors.Is(err, db.ErrConflict) {
		return User{}, journal.Conflict("This email address is already in use.")
	}
	if err != nil {
		return User{}, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO user_states (user_id) VALUES ($1)`, user.ID)
	return user, err
}

// toNotFound converts a missing row to a not-found error naming the record kind.
func toNotFound(err error, what string) error {
	if errors.Is(err, db.ErrNoRows) {
		return journal.NotFound(what)
	}
	return err
}

// maxEmailBytes is the longest valid email address.
const maxEmailBytes = 254

// email is an address as entered, and the key by which it is compared.
type email struct {
	typed string
	key   string
}

// parseEmail normalizes an address: it trims spaces, checks length and format, and
// lower-cases the key. Go does this because the databases differ for letters beyond
// ASCII.
func parseEmail(text string) (email, error) {
	typed := strings.TrimSpace(text)
	if len(typed) > maxEmailBytes {
		return email{}, journal.InvalidField("email", "The email address must be at most %d bytes long.", maxEmailBytes)
	}
	local, domain, _ := strings.Cut(typed, "@")
	if !utf8.ValidString(typed) || strings.ContainsFunc(typed, isInvalidInEmail) || !isDotted(local) || !isDotted(domain) {
		return email{}, journal.InvalidField("email", "The email address must look like name@example.com.")
	}
	return email{typed: typed, key: strings.ToLower(typed)}, nil
}

// isInvalidInEmail reports whether a character is not allowed in addresses: spaces,
// control and invisible characters, and mail header punctuation.
func isInvalidInEmail(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`"(),:;<>[\]`, r)
}

// isDotted reports whether one side of an address consists of words joined by
// dots.
func isDotted(text string) bool {
	return text != "" && !strings.Contains(text, "@") &&
		!strings.HasPrefix(text, ".") && !strings.HasSuffix(text, ".") && !strings.Contains(text, "..")
}
