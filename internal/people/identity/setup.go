package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// ErrOtherSecret is returned if the database was created with another secret
// than the one the program was started with.
var ErrOtherSecret = errors.New("the database was created with another secret: start with the same SVC_JWT_SECRET, or the same secret file in the data directory; " +
	"second factors and share links cannot be decrypted with a new one")

// CheckSecret stores the fingerprint of the secret at the first start and
// returns [ErrOtherSecret] at later starts with another secret. Otherwise the
// server would start and fail for each user with a second factor.
func (s *Service) CheckSecret(ctx context.Context) error {
	current := s.keys.Fingerprint()
	var stored []byte
	read := func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT fingerprint FROM instance_secret WHERE id = 1`).Scan(&stored)
	}
	err := s.db.Peek(ctx, read)
	if errors.Is(err, db.ErrNoRows) {
		err = s.db.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO instance_secret (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, current)
			if err != nil {
				return err
			}
			return read(tx)
		})
	}
	if err != nil {
		return fmt.Errorf("checking the secret: %w", err)
	}
	if !bytes.Equal(stored, current) {
		return ErrOtherSecret
	}
	return nil
}

// SetupStatus is the public state of an installation.
type SetupStatus struct {
	// NeedsSetup is true until the first user exists.
	NeedsSetup bool
	// RegistrationOpen is false before the setup, even if the setting is true.
	RegistrationOpen  bool
	UserCount         int
	MinPasswordLength int
}

// SetupStatus reads the state from the database on every call, so several servers always
// agree.
func (s *Service) SetupStatus(ctx context.Context) (SetupStatus, error) {
	status := SetupStatus{MinPasswordLength: MinPasswordLength}
	var isSetUp bool
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM instance), (SELECT COUNT(*) FROM users)`).
			Scan(&isSetUp, &status.UserCount)
	})
	if err != nil {
		return SetupStatus{}, fmt.Errorf("reading the setup status: %w", err)
	}
	status.NeedsSetup = !isSetUp
	status.RegistrationOpen = isSetUp && s.options.RegistrationOpen
	return status, nil
}

func newAlreadySetUp() error {
	return journal.Conflict("This installation is already set up. Sign in instead.")
}

// Setup creates the first user, an owner, and signs them in. Only one caller can succeed:
// the instance row's primary key decides, also between two servers on one database.
// inside may be nil; it runs in the same transaction.
func (s *Service) Setup(ctx context.Context, client Client, address string, password secrets.Secret,
	inside func(context.Context, *db.Tx, journal.UserID) error,
) (User, TokenPair, error) {
	status, err := s.SetupStatus(ctx)
	if err != nil {
		return User{}, TokenPair{}, err
	}
	if !status.NeedsSetup {
		return User{}, TokenPair{}, newAlreadySetUp()
	}
	return s.createAndSignIn(ctx, client, address, password, ActionSetup, func(tx *db.Tx, to email, hash string) (User, error) {
		first, err := s.claimInstance(ctx, tx)
		if err != nil {
			return User{}, err
		}
		if !first {
			return User{}, newAlreadySetUp()
		}
		user, err := s.insertUser(ctx, tx, to, hash, true)
		if err != nil || inside == nil {
			return user, err
		}
		return user, inside(ctx, tx, user.ID)
	})
}

// claimInstance inserts the instance row and reports whether it did not exist.
// A second writer waits here until the first has committed.
func (s *Service) claimInstance(ctx context.Context, tx *db.Tx) (bool, error) {
	n, err := tx.Exec(ctx, `INSERT INTO instance (id, set_up_at) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, db.Micros(s.clock()))
	return n == 1, err
}

// Register creates a user and signs them in, if registration is open. The password is
// hashed before the address is looked up, so the response time does not reveal whether
// the address is in use.
func (s *Service) Register(ctx context.Context, client Client, address string, password secrets.Secret) (User, TokenPair, error) {
	status, err := s.SetupStatus(ctx)
	if err != nil {
		return User{}, TokenPair{}, err
	}
	if !status.RegistrationOpen {
		return User{}, TokenPair{}, journal.Forbidden("Registration is closed. Ask an owner to add you.")
	}
	return s.createAndSignIn(ctx, client, address, password, ActionRegister, func(tx *db.Tx, to email, hash string) (User, error) {
		return s.insertUser(ctx, tx, to, hash, false)
	})
}

// createAndSignIn checks the credentials, hashes the password, and in one
// transaction inserts the user and opens a session.
func (s *Service) createAndSignIn(ctx context.Context, client Client, address string, password secrets.Secret, action Action,
	insert func(tx *db.Tx, to email, hash string) (User, error),
) (User, TokenPair, error) {
	client = client.clean()
	to, hash, err := s.newCredentials(ctx, client, address, password)
	if err != nil {
		return User{}, TokenPair{}, err
	}
	var user User
	var pair TokenPair
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		var err error
		if user, err = insert(tx, to, hash); err != nil {
			return err
		}
		if pair, err = s.openSession(ctx, tx, user, client); err != nil {
			return err
		}
		self := Principal{UserID: user.ID, PublicID: user.PublicID}
		return s.record(ctx, tx, self, client, action, string(user.PublicID))
	})
	if err != nil {
		return User{}, TokenPair{}, err
	}
	return user, pair, nil
}

// newCredentials checks a new user's address and password and returns the password hash.
func (s *Service) newCredentials(ctx context.Context, client Client, address string, password secrets.Secret) (email, string, error) {
	to, err := parseEmail(address)
	if err != nil {
		return email{}, "", err
	}
	if err := checkPassword("password", password, to.typed); err != nil {
		return email{}, "", err
	}
	hash, err := s.hasher.hash(ctx, client.IP, password)
	return to, hash, err
}
