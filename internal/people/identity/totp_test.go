package identity

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

func wrongCodeAtLogin(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindUnauthorized, "totp_invalid")
}

func wrongCodeInside(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindInvalid, "totp_invalid")
}

func TestCodesOfTheRFC(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		got, err := codeAt(secret, at/30)
		if err != nil || got != want {
			t.Errorf("at %d: %s, %v; want %s", at, got, err, want)
		}
	}
}

func TestStartTOTPStoresNothing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.options.Issuer = "My Journal & Co"
		caller, _ := f.guestWithOddAddress()
		one, err := f.StartTOTP(ctx, caller.UserID)
		must(t, err)
		two, err := f.StartTOTP(ctx, caller.UserID)
		must(t, err)
		if one.Secret == two.Secret {
			t.Error("two candidates are equal")
		}
		if raw, err := parseTOTPSecret(secrets.Secret(one.Secret)); err != nil || len(raw) != 20 {
			t.Errorf("the candidate has %d bytes, %v", len(raw), err)
		}
		if user, _ := f.Me(ctx, caller.UserID); user.TOTPEnabled || f.count(`SELECT COUNT(*) FROM users WHERE totp_secret IS NOT NULL`) != 0 {
			t.Error("a candidate was stored")
		}
		f.login("a+b#c?d&e@example.com")
		assertOtpauth(t, one)
	})
}

func (f *fixture) guestWithOddAddress() (Principal, TokenPair) {
	f.t.Helper()
	f.owner()
	return f.guest("a+b#c?d&e@example.com")
}

func assertOtpauth(t *testing.T, candidate TOTPCandidate) {
	t.Helper()
	parsed, err := url.Parse(candidate.URL)
	must(t, err)
	if parsed.Scheme != "otpauth" || parsed.Host != "totp" || parsed.Path != "/My Journal & Co:a+b#c?d&e@example.com" {
		t.Errorf("the URL is %s", candidate.URL)
	}
	want := url.Values{"secret": {candidate.Secret}, "issuer": {"My Journal & Co"}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	if diff := cmp.Diff(want, parsed.Query()); diff != "" {
		t.Error(diff)
	}
	if strings.ContainsAny(candidate.URL, "+ ") {
		t.Errorf("apps would show the plus signs of %s", candidate.URL)
	}
}

func TestConfirmTOTP(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, here := f.owner()
		elsewhere := f.login(ownerEmail)
		candidate, err := f.StartTOTP(ctx, caller.UserID)
		must(t, err)
		secret := secrets.Secret(candidate.Secret)
		for _, bad := range secretsOf("", "AA", "JBSWY3DPEHPK3PXP", "not base32!", strings.Repeat("A", 112), candidate.Secret+"1") {
			invalid(t, f.ConfirmTOTP(ctx, caller, home, bad, "123456"), "secret")
		}
		wrongCodeInside(t, f.ConfirmTOTP(ctx, caller, home, secret, f.wrongCode(candidate.Secret)))
		wrongCodeInside(t, f.ConfirmTOTP(ctx, caller, home, secret, ""))
		if user, _ := f.Me(ctx, caller.UserID); user.TOTPEnabled {
			t.Fatal("a wrong code turned it on")
		}
		code := f.code(candidate.Secret, 0)
		spaced := secrets.Secret(strings.ToLower(candidate.Secret[:8]) + " " + candidate.Secret[8:] + "====")
		must(t, f.ConfirmTOTP(ctx, caller, home, spaced, code[:3]+" "+code[3:]))
		if user, _ := f.Me(ctx, caller.UserID); !user.TOTPEnabled {
			t.Fatal("a right code did not turn it on")
		}
		conflict(t, f.ConfirmTOTP(ctx, caller, home, secret, code))
		_, err = f.StartTOTP(ctx, caller.UserID)
		conflict(t, err)

		_, err = f.Refresh(ctx, home, elsewhere.RefreshToken)
		unauthorized(t, err) // that session was started with the password alone
		_, err = f.Refresh(ctx, home, here.RefreshToken)
		must(t, err)
		_, err = f.Login(ctx, home, ownerEmail, goodPass, code)
		wrongCodeAtLogin(t, err) // confirming has spent it
		f.clock.Advance(totpPeriod)
		_, err = f.Login(ctx, home, ownerEmail, goodPass, f.code(candidate.Secret, 0))
		must(t, err)
	})
}

func TestLoginWithASecondFactor(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		secret := f.turnOnTOTP(caller)
		login := func(password, code secrets.Secret) error {
			_, err := f.Login(ctx, home, ownerEmail, password, code)
			return err
		}
		wantRefusal(t, login(goodPass, ""), journal.KindUnauthorized, "totp_required")
		unauthorized(t, login("wrong password", ""))
		unauthorized(t, login("wrong password", f.code(secret, 0)))
		wrongCodeAtLogin(t, login(goodPass, f.wrongCode(secret)))
		wrongCodeAtLogin(t, login(goodPass, f.code(secret, -2)))
		wrongCodeAtLogin(t, login(goodPass, f.code(secret, 2)))
		must(t, login(goodPass, f.code(secret, 0))) // none of the failures has spent it
		wrongCodeAtLogin(t, login(goodPass, f.code(secret, 0)))
		must(t, login(goodPass, f.code(secret, 1))) // a phone that is ahead
		wrongCodeAtLogin(t, login(goodPass, f.code(secret, 0)))
		f.clock.Advance(3 * totpPeriod)
		must(t, login(goodPass, f.code(secret, -1))) // a phone that is behind
		f.clock.Advance(-2 * totpPeriod)
		wrongCodeAtLogin(t, login(goodPass, f.code(secret, 0))) // a clock set back opens nothing again
	})
}

func TestOneCodeStartsOneSession(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		caller, _ := f.owner()
		secret := f.turnOnTOTP(caller)
		for range 3 {
			code := f.code(secret, 0)
			errs := runConcurrently(5, func(int) error {
				_, err := f.Login(t.Context(), home, ownerEmail, goodPass, code)
				return err
			})
			if countSuccesses(errs) != 1 {
				t.Fatalf("%d logins with one code: %v", countSuccesses(errs), errs)
			}
			for _, err := range errs {
				if err != nil {
					wrongCodeAtLogin(t, err)
				}
			}
			f.clock.Advance(totpPeriod)
		}
	})
}

func TestWrongCodesAreLimited(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		secret := f.turnOnTOTP(caller)
		login := func(code secrets.Secret) error {
			_, err := f.Login(ctx, home, ownerEmail, goodPass, code)
			return err
		}
		for range 5 {
			wrongCodeAtLogin(t, login(f.wrongCode(secret)))
			wrongCodeInside(t, f.DisableTOTP(ctx, caller, home, goodPass, f.wrongCode(secret)))
			f.clock.Advance(time.Minute)
		}
		if wait := limited(t, login(f.code(secret, 0))); wait != 55*time.Minute {
			t.Errorf("the wait is %s", wait)
		}
		limited(t, f.DisableTOTP(ctx, caller, home, goodPass, f.code(secret, 0)))
		unauthorized(t, func() error {
			_, err := f.Login(ctx, home, ownerEmail, "wrong password", f.code(secret, 0))
			return err
		}())

		restarted := &fixture{Service: New(f.db, f.keys, f.clock.Now, nil, Options{PasswordCost: cheap}), t: t, clock: f.clock}
		_, err := restarted.Login(ctx, home, ownerEmail, goodPass, f.code(secret, 0))
		limited(t, err) // a restart does not open the budget again

		f.clock.Advance(55 * time.Minute)
		wrongCodeAtLogin(t, login(f.wrongCode(secret)))
		must(t, login(f.code(secret, 0)))
	})
}

func TestWrongCodesAtConfirmCountToo(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		candidate, err := f.StartTOTP(ctx, caller.UserID)
		must(t, err)
		errs := runConcurrently(wrongCodeBudget+5, func(int) error {
			return f.ConfirmTOTP(ctx, caller, home, secrets.Secret(candidate.Secret), f.wrongCode(candidate.Secret))
		})
		wrong := 0
		for _, err := range errs {
			if journal.IsKind(err, journal.KindInvalid) {
				wrong++
			} else {
				limited(t, err)
			}
		}
		if wrong != wrongCodeBudget {
			t.Errorf("%d wrong codes were checked", wrong)
		}
		limited(t, f.ConfirmTOTP(ctx, caller, home, secrets.Secret(candidate.Secret), f.code(candidate.Secret, 0)))
	})
}

func TestDisableTOTP(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		conflict(t, f.DisableTOTP(ctx, caller, home, goodPass, "123456"))
		secret := f.turnOnTOTP(caller)
		forbidden(t, f.DisableTOTP(ctx, caller, home, otherPass, f.code(secret, 0)))
		wrongCodeInside(t, f.DisableTOTP(ctx, caller, home, goodPass, f.wrongCode(secret)))
		wrongCodeInside(t, f.DisableTOTP(ctx, caller, home, goodPass, f.code(secret, -1))) // spent by confirming
		must(t, f.DisableTOTP(ctx, caller, home, goodPass, f.code(secret, 0)))
		conflict(t, f.DisableTOTP(ctx, caller, home, goodPass, f.code(secret, 1)))
		f.login(ownerEmail)
		again := f.turnOnTOTP(caller)
		if again == secret {
			t.Error("the second secret is the first")
		}
		_, err := f.Login(ctx, home, ownerEmail, goodPass, f.code(again, 0))
		must(t, err)
	})
}

func TestSecretCannotBeCopiedToAnotherUser(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		secret := f.turnOnTOTP(owner)
		guest, _ := f.guest(guestEmail)
		f.exec(`UPDATE users SET totp_secret = (SELECT totp_secret FROM users WHERE number = $1) WHERE number = $2`, owner.UserID, guest.UserID)
		_, err := f.Login(t.Context(), home, guestEmail, goodPass, f.code(secret, 0))
		if err == nil || journal.IsKind(err, journal.KindUnauthorized) {
			t.Errorf("a copied secret: %v", err)
		}
	})
}

func TestPasswordResetsKeepTheSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		secret := f.turnOnTOTP(guest)
		must(t, f.AdminResetPassword(ctx, owner, home, guest.PublicID, otherPass))
		_, err := f.Login(ctx, home, guestEmail, otherPass, "")
		wantRefusal(t, err, journal.KindUnauthorized, "totp_required")
		_, err = f.Login(ctx, home, guestEmail, otherPass, f.code(secret, 0))
		must(t, err)
	})
}
