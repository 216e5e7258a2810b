package identity

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

func TestUsersAreListedOldestFirst(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		f.clock.Advance(time.Second)
		created, err := f.CreateUser(ctx, owner, home, " Guest@Example.com", goodPass)
		must(t, err)
		if created.IsAdmin || created.Email != "Guest@Example.com" || !created.CreatedAt.Equal(f.clock.Now()) {
			t.Errorf("created %+v", created)
		}
		guest := f.caller(f.login(guestEmail))
		f.turnOnTOTP(guest)
		users, err := f.Users(ctx)
		must(t, err)
		if len(users) != 2 || users[0].ID != owner.UserID || users[1].ID != created.ID || !users[1].TOTPEnabled || users[0].TOTPEnabled {
			t.Errorf("got %+v", users)
		}
		one, err := f.User(ctx, created.PublicID)
		must(t, err)
		if diff := cmp.Diff(users[1], one); diff != "" {
			t.Error(diff)
		}
		_, err = f.User(ctx, "unknown")
		notFound(t, err)
	})
}

func TestCreateUser(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.options.RegistrationOpen = false
		owner, _ := f.owner()
		user, err := f.CreateUser(ctx, owner, home, guestEmail, goodPass)
		must(t, err)
		_, err = f.CreateUser(ctx, owner, home, "GUEST@example.com", goodPass)
		conflict(t, err)
		_, err = f.CreateUser(ctx, owner, home, "nonsense", goodPass)
		invalid(t, err, "email")
		_, err = f.CreateUser(ctx, owner, home, "third@example.com", "short")
		invalid(t, err, "password")
		_, err = f.CreateUser(ctx, Principal{UserID: user.ID, IsAdmin: true}, home, "third@example.com", goodPass)
		forbidden(t, err) // what the row says counts
		_, err = f.CreateUser(ctx, Principal{UserID: 1 << 30, IsAdmin: true}, home, "third@example.com", goodPass)
		forbidden(t, err)
	})
}

func TestLastOwnerCannotBeRemoved(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		_, err := f.SetAdmin(ctx, owner, home, owner.PublicID, false, nil)
		conflict(t, err)
		conflict(t, f.DeleteUser(ctx, owner, home, owner.PublicID, nil, nil))
		conflict(t, f.DeleteUser(ctx, operatorPrincipal(), home, owner.PublicID, nil, nil))
		_, err = f.SetAdmin(ctx, operatorPrincipal(), home, owner.PublicID, false, nil)
		conflict(t, err)

		user, err := f.SetAdmin(ctx, owner, home, guest.PublicID, true, nil)
		must(t, err)
		if !user.IsAdmin || user.ID != guest.UserID {
			t.Errorf("promoted %+v", user)
		}
		conflict(t, f.DeleteUser(ctx, owner, home, owner.PublicID, nil, nil)) // oneself, even so
		user, err = f.SetAdmin(ctx, owner, home, owner.PublicID, false, nil)
		must(t, err)
		if user.IsAdmin {
			t.Errorf("demoted %+v", user)
		}
		_, err = f.SetAdmin(ctx, owner, home, guest.PublicID, false, nil)
		forbidden(t, err) // no owner any more, whatever the principal says
		forbidden(t, f.DeleteUser(ctx, owner, home, guest.PublicID, nil, nil))
		must(t, f.DeleteUser(ctx, guest, home, owner.PublicID, nil, nil))
		notFound(t, f.DeleteUser(ctx, guest, home, owner.PublicID, nil, nil))
		_, err = f.SetAdmin(ctx, guest, home, owner.PublicID, true, nil)
		notFound(t, err)
	})
}

func TestOwnersDemoteEachOther(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		a, _ := f.owner()
		b, _ := f.guest(guestEmail)
		for round := range 50 {
			f.exec(`UPDATE users SET is_admin = TRUE WHERE number IN ($1, $2)`, a.UserID, b.UserID)
			errs := runConcurrently(2, func(i int) error {
				caller, target := a, b
				if i == 1 {
					caller, target = b, a
				}
				_, err := f.SetAdmin(ctx, caller, home, target.PublicID, false, nil)
				return err
			})
			if n := f.count(`SELECT COUNT(*) FROM users WHERE is_admin = TRUE`); n != 1 || countSuccesses(errs) != 1 {
				t.Fatalf("round %d: %d owners are left, %v", round, n, errs)
			}
		}
	})
}

func TestOwnersDeleteEachOther(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		a, _ := f.owner()
		for round := range 8 {
			b, _ := f.guest(guestEmail)
			f.exec(`UPDATE users SET is_admin = TRUE WHERE number = $1`, b.UserID)
			errs := runConcurrently(3, func(i int) (err error) {
				switch i {
				case 0:
					return f.DeleteUser(ctx, a, home, b.PublicID, nil, nil)
				case 1:
					return f.DeleteUser(ctx, b, home, a.PublicID, nil, nil)
				}
				_, err = f.SetAdmin(ctx, a, home, a.PublicID, false, nil)
				return err
			})
			if n := f.count(`SELECT COUNT(*) FROM users WHERE is_admin = TRUE`); n < 1 {
				t.Fatalf("round %d: no owner is left, %v", round, errs)
			}
			f.exec(`DELETE FROM users`)
			f.exec(`DELETE FROM instance`)
			a, _ = f.owner()
		}
	})
}

func TestCheckCanRejectChangesOfUsers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		stale := errors.New("stale")
		refuse := func(stored User) error {
			if stored.ID != guest.UserID || stored.IsAdmin {
				t.Errorf("check was called with %+v", stored)
			}
			return stale
		}
		if _, err := f.SetAdmin(ctx, owner, home, guest.PublicID, true, refuse); !errors.Is(err, stale) {
			t.Errorf("got %v", err)
		}
		if err := f.DeleteUser(ctx, owner, home, guest.PublicID, refuse, nil); !errors.Is(err, stale) {
			t.Errorf("got %v", err)
		}
		if user, err := f.User(ctx, guest.PublicID); err != nil || user.IsAdmin {
			t.Errorf("a rejected change left %+v, %v", user, err)
		}
		must(t, f.DeleteUser(ctx, owner, home, guest.PublicID, func(User) error { return nil }, nil))
	})
}

func TestAdminResetPassword(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, pair := f.guest(guestEmail)
		_, token, err := f.MintAccessToken(ctx, guest, home, NewToken{Name: "cron"})
		must(t, err)
		notFound(t, f.AdminResetPassword(ctx, owner, home, "unknown", otherPass))
		invalid(t, f.AdminResetPassword(ctx, owner, home, guest.PublicID, "short"), "new_password")
		invalid(t, f.AdminResetPassword(ctx, owner, home, guest.PublicID, guestEmail), "new_password")
		forbidden(t, f.AdminResetPassword(ctx, guest, home, owner.PublicID, otherPass))
		must(t, f.AdminResetPassword(ctx, owner, home, guest.PublicID, otherPass))
		_, err = f.Refresh(ctx, home, pair.RefreshToken)
		unauthorized(t, err)
		f.caller(pair)
		_, err = f.Authenticate(ctx, token.Reveal(), home)
		must(t, err)
		_, err = f.Login(ctx, home, guestEmail, goodPass, "")
		unauthorized(t, err)
		_, err = f.Login(ctx, home, guestEmail, otherPass, "")
		must(t, err)
	})
}

func TestOperatorCreatesFirstUserAsOwner(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		user, err := f.CreateUserByOperator(ctx, ownerEmail, goodPass, false)
		must(t, err)
		if !user.IsAdmin {
			t.Error("the first user is not an owner")
		}
		status, err := f.SetupStatus(ctx)
		must(t, err)
		if status.NeedsSetup || status.UserCount != 1 {
			t.Errorf("got %+v", status)
		}
		_, _, err = f.Setup(ctx, home, "late@example.com", goodPass, nil)
		conflict(t, err)
		for address, admin := range map[string]bool{"second@example.com": false, "third@example.com": true} {
			user, err := f.CreateUserByOperator(ctx, address, goodPass, admin)
			must(t, err)
			if user.IsAdmin != admin {
				t.Errorf("%s: %+v", address, user)
			}
		}
		_, err = f.CreateUserByOperator(ctx, ownerEmail, goodPass, false)
		conflict(t, err)
		_, err = f.CreateUserByOperator(ctx, "fourth@example.com", "1234567890", false)
		invalid(t, err, "password")
	})
}

func TestSetupAndOperatorAtOnceCreateOneFirstUser(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		errs := runConcurrently(2, func(i int) (err error) {
			if i == 0 {
				_, _, err = f.Setup(t.Context(), home, ownerEmail, goodPass, nil)
			} else {
				_, err = f.CreateUserByOperator(t.Context(), guestEmail, goodPass, false)
			}
			return err
		})
		must(t, errs[1])
		if n := f.count(`SELECT COUNT(*) FROM users WHERE is_admin = TRUE`); n != 1 {
			t.Errorf("%d owners, setup returned %v", n, errs[0])
		}
	})
}

func TestOperatorResetsCredentials(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, pair := f.owner()
		secret := f.turnOnTOTP(owner)
		for range wrongCodeBudget {
			wrongCodeInside(t, f.DisableTOTP(ctx, owner, home, goodPass, f.wrongCode(secret)))
		}
		for _, unknown := range []string{"nobody@example.com", "nonsense", ""} {
			notFound(t, f.DisableTOTPByEmail(ctx, unknown))
			notFound(t, f.ResetPasswordByEmail(ctx, unknown, otherPass))
		}
		must(t, f.DisableTOTPByEmail(ctx, "OWNER@example.com"))
		must(t, f.DisableTOTPByEmail(ctx, ownerEmail))
		f.login(ownerEmail)
		f.turnOnTOTP(owner) // the wrong codes are forgiven

		invalid(t, f.ResetPasswordByEmail(ctx, ownerEmail, "short"), "new_password")
		must(t, f.ResetPasswordByEmail(ctx, " Owner@example.com", otherPass))
		_, err := f.Refresh(ctx, home, pair.RefreshToken)
		unauthorized(t, err)
		_, err = f.Login(ctx, home, ownerEmail, otherPass, "")
		wantRefusal(t, err, journal.KindUnauthorized, "totp_required")
	})
}

func TestOperatorWorksBesideARunningServer(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			options := testkit.Options(t, engine)
			open := func() *db.DB {
				d, err := db.Open(t.Context(), options)
				must(t, err)
				t.Cleanup(func() { _ = d.Close() })
				return d
			}
			server := newFixture(t, open())
			owner, _ := server.owner()
			server.turnOnTOTP(owner)
			cli := New(open(), nil, server.clock.Now, nil, Options{PasswordCost: cheap}) // the secret stays with the server
			must(t, cli.DisableTOTPByEmail(t.Context(), ownerEmail))
			server.login(ownerEmail)
			must(t, cli.ResetPasswordByEmail(t.Context(), ownerEmail, otherPass))
			_, err := cli.CreateUserByOperator(t.Context(), guestEmail, goodPass, false)
			must(t, err)
			server.login(guestEmail)
		})
	}
}
