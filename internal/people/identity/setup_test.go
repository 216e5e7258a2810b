package identity

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

func TestSetupCreatesTheFirstOwner(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		status, err := f.SetupStatus(ctx)
		must(t, err)
		want := SetupStatus{NeedsSetup: true, MinPasswordLength: 10}
		if diff := cmp.Diff(want, status); diff != "" {
			t.Error(diff)
		}
		user, pair, err := f.Setup(ctx, home, " Owner@Example.com ", goodPass, nil)
		must(t, err)
		if user.Email != "Owner@Example.com" || !user.IsAdmin || !pair.IsAdmin || user.TOTPEnabled || user.LastSeenAt != nil {
			t.Errorf("got %+v", user)
		}
		if caller := f.caller(pair); caller.UserID != user.ID || !caller.IsAdmin || caller.Email != user.Email || caller.Credential != CredentialSession {
			t.Errorf("the owner is %+v", caller)
		}
		status, err = f.SetupStatus(ctx)
		must(t, err)
		want = SetupStatus{RegistrationOpen: true, UserCount: 1, MinPasswordLength: 10}
		if diff := cmp.Diff(want, status); diff != "" {
			t.Error(diff)
		}
		before := f.hashes()
		_, _, err = f.Setup(ctx, home, guestEmail, goodPass, nil)
		conflict(t, err)
		_, _, err = f.Setup(ctx, home, "nonsense", "short", nil)
		conflict(t, err)
		if f.hashes() != before {
			t.Error("a password was hashed for a setup that could not succeed")
		}
	})
}

func TestConcurrentSetupsCreateOneOwner(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		errs := runConcurrently(8, func(i int) error {
			_, _, err := f.Setup(ctx, home, string(rune('a'+i))+"@example.com", goodPass, nil)
			return err
		})
		if countSuccesses(errs) != 1 {
			t.Fatalf("%d winners: %v", countSuccesses(errs), errs)
		}
		for _, err := range errs {
			if err != nil {
				conflict(t, err)
			}
		}
		if n := f.count(`SELECT COUNT(*) FROM users`); n != 1 {
			t.Errorf("%d users", n)
		}
	})
}

func TestSetupRunsInsideInItsTransaction(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		failure := errors.New("no account")
		var tried journal.UserID
		_, _, err := f.Setup(ctx, home, ownerEmail, goodPass, func(_ context.Context, _ *db.Tx, id journal.UserID) error {
			tried = id
			return failure
		})
		if !errors.Is(err, failure) || tried == 0 {
			t.Fatalf("got %v for user %d", err, tried)
		}
		status, err := f.SetupStatus(ctx)
		must(t, err)
		if !status.NeedsSetup || status.UserCount != 0 {
			t.Errorf("a failed setup left %+v", status)
		}
		user, _, err := f.Setup(ctx, home, ownerEmail, goodPass, func(ctx context.Context, tx *db.Tx, id journal.UserID) error {
			_, err := tx.Exec(ctx, `INSERT INTO preferences (user_id, key, value) VALUES ($1, 'inside', 'true')`, id)
			return err
		})
		must(t, err)
		prefs, err := f.Preferences(ctx, user.ID)
		must(t, err)
		if string(prefs.Values["inside"]) != "true" {
			t.Errorf("inside stored %v", prefs.Values)
		}
	})
}

func TestSetupChecksItsInput(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, _, err := f.Setup(t.Context(), home, "owner", goodPass, nil)
		invalid(t, err, "email")
		_, _, err = f.Setup(t.Context(), home, ownerEmail, "short", nil)
		invalid(t, err, "password")
		if status, _ := f.SetupStatus(t.Context()); !status.NeedsSetup {
			t.Error("a rejected setup counts")
		}
	})
}

func TestRegister(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		_, _, err := f.Register(ctx, home, guestEmail, goodPass)
		forbidden(t, err) // before the setup, although registration is open
		f.owner()
		user, pair, err := f.Register(ctx, home, guestEmail, goodPass)
		must(t, err)
		if user.IsAdmin || pair.IsAdmin || f.caller(pair).IsAdmin {
			t.Error("a registered user is an owner")
		}
		before := f.hashes()
		_, _, err = f.Register(ctx, home, " GUEST@example.COM", goodPass)
		conflict(t, err)
		if f.hashes() != before+1 {
			t.Error("the work differs for an address in use")
		}
		_, _, err = f.Register(ctx, home, "third@example.com", "third@example.com")
		invalid(t, err, "password")
		f.options.RegistrationOpen = false
		_, _, err = f.Register(ctx, home, "third@example.com", goodPass)
		forbidden(t, err)
	})
}

func TestRegisterOneAddressOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		errs := runConcurrently(6, func(int) error {
			_, _, err := f.Register(t.Context(), home, guestEmail, goodPass)
			return err
		})
		if countSuccesses(errs) != 1 {
			t.Errorf("%d of 6 registered one address: %v", countSuccesses(errs), errs)
		}
	})
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		service := func(fill byte) *Service {
			return New(d, testKeys(t, fill), testkit.NewClock().Now, nil, Options{})
		}
		for _, err := range runConcurrently(4, func(int) error { return service(1).CheckSecret(t.Context()) }) {
			must(t, err)
		}
		if err := service(2).CheckSecret(t.Context()); !errors.Is(err, ErrOtherSecret) {
			t.Errorf("another secret: %v", err)
		}
		must(t, service(1).CheckSecret(t.Context()))
	})
}

func TestParseEmail(t *testing.T) {
	for _, text := range []string{
		"a@b", "owner@localhost", "first.last+tag@sub.example.com", "jürgen@müller.de", "o'neil@example.com",
		"  padded@example.com\t",
	} {
		if _, err := parseEmail(text); err != nil {
			t.Errorf("%q was rejected: %v", text, err)
		}
	}
	for _, text := range []string{
		"", " ", "@", "a@", "@b", "a", "a@b@c", "a b@c.de", "a@b c.de", "a@b\x00.de", "a@b\n.de", "a@.de", "a@de.", "a@d..e",
		".a@b.de", "a.@b.de", "a\u200b@b.de", "a@b\xff.de", "<a@b.de>", `"a"@b.de`, "a@b.de,c@d.de", "a@[::1]",
		strings.Repeat("a", 250) + "@b.de",
	} {
		if _, err := parseEmail(text); err == nil {
			t.Errorf("%q was accepted", text)
		} else {
			invalid(t, err, "email")
		}
	}
	got, err := parseEmail(" Jürgen.ÄRGER@Example.COM ")
	must(t, err)
	if got.typed != "Jürgen.ÄRGER@Example.COM" || got.key != "jürgen.ärger@example.com" {
		t.Errorf("got %+v", got)
	}
}

func TestAddressesAreComparedWithoutCase(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		_, _, err := f.Register(t.Context(), home, "Ärger@Example.com", goodPass)
		must(t, err)
		_, _, err = f.Register(t.Context(), home, "ärger@example.com", goodPass)
		conflict(t, err)
		for _, address := range []string{"ÄRGER@EXAMPLE.COM", " ärger@example.com "} {
			f.login(address)
			must(t, f.DisableTOTPByEmail(t.Context(), address))
			must(t, f.ResetPasswordByEmail(t.Context(), address, goodPass))
		}
	})
}
