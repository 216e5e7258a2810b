package identity

import (
	"context"
	"fmt"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// operatorPrincipal is the caller for commands run on the server.
func operatorPrincipal() Principal { return Principal{Credential: CredentialCLI} }

func newNotOwner() error { return journal.Forbidden("Only an owner of this installation may do this.") }

// requireOwner checks within the transaction that the caller is still an owner.
// The operator need not be a user.
func requireOwner(ctx context.Context, tx *db.Tx, caller Principal) error {
	if caller.Credential == CredentialCLI {
		return nil
	}
	var isAdmin bool
	err := tx.QueryRow(ctx, `SELECT COALESCE((SELECT is_admin FROM users WHERE number = $1), FALSE)`, caller.UserID).Scan(&isAdmin)
	if err == nil && !isAdmin {
		return newNotOwner()
	}
	return err
}

// lockOwners locks the rows of all owners in a fixed order and returns their ids. Only
// the lock holder can change who is an owner: if two owners demote each other, the second
// finds only one left.
func lockOwners(ctx context.Context, tx *db.Tx, caller Principal) ([]journal.UserID, error) {
	owners, err := db.List(ctx, tx, db.Single[journal.UserID], `SELECT number FROM users WHERE is_admin = TRUE ORDER BY number`+tx.Lock())
	if err != nil {
		return nil, fmt.Errorf("locking the owners: %w", err)
	}
	if caller.Credential != CredentialCLI && !slices.Contains(owners, caller.UserID) {
		return nil, newNotOwner()
	}
	return owners, nil
}

// isLastOwner reports whether the user is the only owner.
func isLastOwner(owners []journal.UserID, id journal.UserID) bool {
	return len(owners) == 1 && owners[0] == id
}

// lockUser locks and returns another user's row. check may be nil; it may
// reject the change.
func lockUser(ctx context.Context, tx *db.Tx, id journal.PublicID, check func(User) error) (User, error) {
	user, err := scanUser(tx.QueryRow(ctx, `SELECT `+userColumns+` FROM users WHERE id = $1`+tx.Lock(), id))
	if err != nil {
		return User{}, toNotFound(err, "user")
	}
	if user.LastSeenAt, err = readLastSeen(ctx, tx, user.ID); err == nil && check != nil {
		err = check(user)
	}
	return user, err
}

// CreateUser creates a user who is not an owner. It works even if registration
// is closed.
func (s *Service) CreateUser(ctx context.Context, caller Principal, client Client, address string, password secrets.Secret) (User, error) {
	to, hash, err := s.newCredentials(ctx, client, address, password)
	if err != nil {
		return User{}, err
	}
	var user User
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := requireOwner(ctx, tx, caller); err != nil {
			return err
		}
		var err error
		if user, err = s.insertUser(ctx, tx, to, hash, false); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionUserCreate, string(user.PublicID))
	})
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// SetAdmin makes a user an owner, or removes this role; the last owner cannot be removed.
// check may be nil; it is called with the stored user and may return an error.
func (s *Service) SetAdmin(ctx context.Context, caller Principal, client Client, id journal.PublicID, isAdmin bool, check func(User) error) (User, error) {
	var user User
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		owners, err := lockOwners(ctx, tx, caller)
		if err != nil {
			return err
		}
		if user, err = lockUser(ctx, tx, id, check); err != nil || user.IsAdmin == isAdmin {
			return err
		}
		if !isAdmin && isLastOwner(owners, user.ID) {
			return newLastOwner()
		}
		user.IsAdmin = isAdmin
		if _, err := tx.Exec(ctx, `UPDATE users SET is_admin = $2 WHERE number = $1`, user.ID, isAdmin); err != nil {
			return fmt.Errorf("changing an owner: %w", err)
		}
		action := ActionUserDemote
		if isAdmin {
			action = ActionUserPromote
		}
		return s.record(ctx, tx, caller, client, action, string(id))
	})
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// DeleteUser deletes a user and everything they own. It cannot be undone. Users
// cannot delete themselves, and the last owner cannot be deleted. check may be
// nil; it is called with the stored user and may return an error. inside may be
// nil; it runs in the same transaction before the deletion.
func (s *Service) DeleteUser(
	ctx context.Context, caller Principal, client Client, id journal.PublicID, check func(User) error,
	inside func(context.Context, *db.Tx, journal.UserID) error,
) error {
	var number journal.UserID
	err := s.db.View(ctx, func(tx *db.Tx) error {
		if err := requireOwner(ctx, tx, caller); err != nil {
			return err
		}
		return toNotFound(tx.QueryRow(ctx, `SELECT number FROM users WHERE id = $1`, id).Scan(&number), "user")
	})
	if err != nil {
		return err
	}
	return s.db.UpdateInParts(ctx, int64(number), func(tx *db.Tx) error {
		owners, err := lockOwners(ctx, tx, caller)
		if err != nil {
			return err
		}
		user, err := lockUser(ctx, tx, id, check)
		if err != nil {
			return err
		}
		if user.ID == caller.UserID {
			return journal.Conflict("You cannot delete yourself. Ask another owner.")
		}
		if isLastOwner(owners, user.ID) {
			return newLastOwner()
		}
		if inside != nil {
			if err := inside(ctx, tx, user.ID); err != nil {
				return err
			}
		}
		if err := tx.BeginLastPart(ctx); err != nil {
			return err
		}
		if err := s.record(ctx, tx, caller, client, ActionUserDelete, string(id)); err != nil {
			return err
		}
		if err := s.db.Finish(ctx, tx); err != nil {
			return err
		}
		return deleteUser(ctx, tx, caller, user.ID)
	})
}

// deleteUser deletes a user's row. It is the last statement in a transaction in parts,
// whose log it deletes too. Owners may have changed since the first part, so it checks
// them again.
func deleteUser(ctx context.Context, tx *db.Tx, caller Principal, id journal.UserID) error {
	deleted, err := tx.Exec(ctx, `DELETE FROM users WHERE number = $1
		AND (is_admin = FALSE OR EXISTS (SELECT 1 FROM users AS o WHERE o.is_admin = TRUE AND o.number <> $1))
		AND ($2 OR EXISTS (SELECT 1 FROM users AS c WHERE c.is_admin = TRUE AND c.number = $3))`,
		id, caller.Credential == CredentialCLI, caller.UserID)
	switch {
	case err != nil:
		return fmt.Errorf("deleting a user: %w", err)
	case deleted > 0:
		return nil
	}
	if err := requireOwner(ctx, tx, caller); err != nil {
		return err
	}
	return newLastOwner()
}

func newLastOwner() error {
	return journal.Conflict("This is the last owner. Make another user an owner first.")
}

// AdminResetPassword sets a user's password without the current one and ends
// their sessions. Their second factor and access tokens stay. A caller with an
// access token cannot reset their own password: the holder of a leaked token
// could sign in with it and keep access after the token is revoked.
func (s *Service) AdminResetPassword(ctx context.Context, caller Principal, client Client, id journal.PublicID, next secrets.Secret) error {
	user, err := s.User(ctx, id)
	if err != nil {
		return err
	}
	if user.ID == caller.UserID {
		if err := caller.RequireSession(); err != nil {
			return err
		}
	}
	return s.resetPassword(ctx, caller, client, user, next)
}

func (s *Service) resetPassword(ctx context.Context, caller Principal, client Client, user User, next secrets.Secret) error {
	if err := checkPassword("new_password", next, user.Email); err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, client.IP, next)
	if err != nil {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if err := requireOwner(ctx, tx, caller); err != nil {
			return err
		}
		if err := replacePassword(ctx, tx, user.ID, hash); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionPasswordReset, string(user.PublicID))
	})
}

// CreateUserByOperator creates a user from the command line. An installation's first user
// is always an owner.
func (s *Service) CreateUserByOperator(ctx context.Context, address string, password secrets.Secret, admin bool) (User, error) {
	to, hash, err := s.newCredentials(ctx, Client{}, address, password)
	if err != nil {
		return User{}, err
	}
	var user User
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		first, err := s.claimInstance(ctx, tx)
		if err != nil {
			return err
		}
		if user, err = s.insertUser(ctx, tx, to, hash, admin || first); err != nil {
			return err
		}
		return s.record(ctx, tx, operatorPrincipal(), Client{}, ActionUserCreate, string(user.PublicID))
	})
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// ResetPasswordByEmail sets a password from the command line and ends the
// user's sessions.
func (s *Service) ResetPasswordByEmail(ctx context.Context, address string, password secrets.Secret) error {
	user, err := s.UserByEmail(ctx, address)
	if err != nil {
		return err
	}
	return s.resetPassword(ctx, operatorPrincipal(), Client{}, user, password)
}

// DisableTOTPByEmail turns off the second factor for a user who lost their authenticator;
// there are no recovery codes. It also resets the wrong code count. It succeeds if the
// second factor is already off.
func (s *Service) DisableTOTPByEmail(ctx context.Context, address string) error {
	user, err := s.UserByEmail(ctx, address)
	if err != nil {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return s.disableTOTP(ctx, tx, operatorPrincipal(), Client{}, user)
	})
}

// UserByEmail returns the user with an email address, for commands.
func (s *userStore) UserByEmail(ctx context.Context, address string) (User, error) {
	to, err := parseEmail(address)
	if err != nil {
		return User{}, journal.NotFound("user")
	}
	var user User
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		user, err = scanUser(tx.QueryRow(ctx, `SELECT `+userColumns+` FROM users WHERE email_key = $1`, to.key))
		return err
	})
	return user, toNotFound(err, "user")
}
