package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// ErrOtherSecret tells that the database was made with another secret than
// the program was started with.
var ErrOtherSecret = errors.New("this database was made with another secret: start with the SVC_JWT_SECRET, or the secret file in the data directory, that it was made with; " +
	"with a new secret nobody's second factor or share link could be read")

// CheckSecret stores the fingerprint of the secret at the first start and
// refuses every later start with another secret by [ErrOtherSecret]: better
// not to start than to fail for each user with a second factor.
func (s *Service) CheckSecret(ctx context.Context) error {
	mine := s.keys.Fingerprint()
	var stored []byte
	read := func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT fingerprint FROM instance_secret WHERE id = 1`).Scan(&stored)
	}
	err := s.db.Peek(ctx, read)
	if errors.Is(err, db.ErrNoRows) {
		err = s.db.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO instance_secret (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, mine)
			if err != nil {
				return err
			}
			return read(tx)
		})
	}
	if err != nil {
		return fmt.Errorf("checking the secret: %w", err)
	}
	if !bytes.Equal(stored, mine) {
		return ErrOtherSecret
	}
	return nil
}

// SetupStatus is what everybody may know about an installation.
type SetupStatus struct {
	// NeedsSetup is true until the first user exists.
	NeedsSetup bool
	// RegistrationOpen is false while there is no user, whatever the setting.
	RegistrationOpen  bool
	UserCount         int
	MinPasswordLength int
}

// SetupStatus reads the state from the database each time, so that several
// instances never disagree about it.
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

func alreadySetUp() error {
	return journal.Conflict("This installation is already set up; sign in instead.")
}

// Setup makes the first user, an owner, and signs them in. Exactly one caller
// ever wins: the primary key of the instance row decides, also between two
// servers on one database. inside, which may be nil, runs in the same
// transaction, so that what it makes for the first user exists with them or not
// at all.
func (s *Service) Setup(ctx context.Context, client Client, address string, password secrets.Secret,
	inside func(context.Context, *db.Tx, journal.UserID) error,
) (User, TokenPair, error) {
	status, err := s.SetupStatus(ctx)
	if err != nil {
		return User{}, TokenPair{}, err
	}
	if !status.NeedsSetup {
		return User{}, TokenPair{}, alreadySetUp()
	}
	return s.enrol(ctx, client, address, password, ActionSetup, func(tx *db.Tx, to email, hash string) (User, error) {
		first, err := s.claimInstance(ctx, tx)
		if err != nil {
			return User{}, err
		}
		if !first {
			return User{}, alreadySetUp()
		}
		user, err := s.insertUser(ctx, tx, to, hash, true)
		if err != nil || inside == nil {
			return user, err
		}
		return user, inside(ctx, tx, user.ID)
	})
}

// claimInstance writes the one instance row and tells whether it was ours to
// write. A second writer waits here until the first has committed.
func (s *Service) claimInstance(ctx context.Context, tx *db.Tx) (bool, error) {
	n, err := tx.Exec(ctx, `INSERT INTO instance (id, set_up_at) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, db.Micros(s.clock()))
	return n == 1, err
}

// Register makes a user for a stranger and signs them in, where that is
// allowed. The password is hashed before the address is looked at, so that the
// time of an answer does not tell whether the address is taken.
func (s *Service) Register(ctx context.Context, client Client, address string, password secrets.Secret) (User, TokenPair, error) {
	status, err := s.SetupStatus(ctx)
	if err != nil {
		return User{}, TokenPair{}, err
	}
	if !status.RegistrationOpen {
		return User{}, TokenPair{}, journal.Forbidden("Registration is closed; ask an owner to add you.")
	}
	return s.enrol(ctx, client, address, password, ActionRegister, func(tx *db.Tx, to email, hash string) (User, error) {
		return s.insertUser(ctx, tx, to, hash, false)
	})
}

// enrol is what setup and registration share: check, hash, and in one
// transaction insert and sign in.
func (s *Service) enrol(ctx context.Context, client Client, address string, password secrets.Secret, action Action,
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
		self := Principal{UserID: user.ID}
		return s.record(ctx, tx, self, client, action, string(user.ID))
	})
	if err != nil {
		return User{}, TokenPair{}, err
	}
	return user, pair, nil
}

// newCredentials checks an address and a password for a new user and hashes
// the password.
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
