package identity

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

func TestPasswordRules(t *testing.T) {
	const address = "long.name.here@example.com"
	taken := []string{
		"correct horse battery", "ten chars!", "  ten ch  ", "äöüßäöüßäx", "パスワードは十文字ある", "abcdefghij1",
		"1234567890x", "x0987654321", "qwertyuiop!", "aaaaaaaaab", strings.Repeat("long words ", 90), "Abababababa", "1213141516",
		"long.name.here2@example.com", "example.com",
	}
	for _, text := range taken {
		if err := checkPassword("password", secrets.Secret(text), address); err != nil {
			t.Errorf("%q was rejected: %v", text, err)
		}
	}
	refusedOnes := map[string][]string{
		"at least": {"", "nine char", "äöüßäöüßä", "パスワードは短い", "\U0001F600\U0001F600"},
		"at most":  {strings.Repeat("ab", 513)},
		"repeated": {"aaaaaaaaaa", strings.Repeat("é", 30), "          "},
		"a sequence of": {
			"1234567890", "0123456789", "9876543210", "0987654321", "34567890123456", "5432109876",
			"abcdefghij", "ZYXWVUTSRQ", "xyzabcdefgh", "qwertyuiop", "QWERTYUIOP", "poiuytrewq", "asdfghjklz", "qwertzuiop",
			"azertyuiop", "1qaz2wsx3edc", "qwertyuiopasdfghjklzxcvbnm", "1234567890qwertyuiop", strings.Repeat("0123456789", 20),
		},
		"email":  {address, "LONG.name.here@example.com", "long.name.here"},
		"common": {"password123", "Password123!", "1q2w3e4r5t", "administrator", "fillbook123"},
	}
	for reason, texts := range refusedOnes {
		for _, text := range texts {
			err := checkPassword("new_password", secrets.Secret(text), address)
			if err == nil {
				t.Errorf("%q was accepted", text)
				continue
			}
			invalid(t, err, "new_password")
			if !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: %v does not contain %q", text, err, reason)
			}
			if strings.Contains(err.Error(), text) && text != "" {
				t.Errorf("the error repeats the password %q: %v", text, err)
			}
		}
	}
}

func TestCommonPasswordsAreLongEnough(t *testing.T) {
	lines := strings.Fields(commonPasswords)
	seen := map[string]bool{}
	for _, line := range lines {
		if len(line) < MinPasswordLength || line != strings.ToLower(line) || seen[line] {
			t.Errorf("%q is too short, not in lower case or there twice", line)
		}
		seen[line] = true
	}
	if len(lines) < 100 {
		t.Errorf("only %d lines", len(lines))
	}
}

func TestDefaultHashIsArgon2id(t *testing.T) {
	h := newHasher(Options{})
	hash, err := h.hash(t.Context(), "", goodPass)
	must(t, err)
	const head = "$argon2id$v=19$m=19456,t=2,p=1$"
	if !strings.HasPrefix(hash, head) {
		t.Fatalf("the default hash is %s", hash)
	}
	parsed, err := parsePHC(hash)
	must(t, err)
	if len(parsed.salt) != 16 || len(parsed.tag) != 32 {
		t.Errorf("salt of %d bytes, tag of %d", len(parsed.salt), len(parsed.tag))
	}
	if again, _ := h.hash(t.Context(), "", goodPass); again == hash {
		t.Error("two hashes of one password are equal")
	}
	if ok, err := h.matches(t.Context(), "", goodPass, hash); err != nil || !ok {
		t.Errorf("the password does not match its hash: %v", err)
	}
	if h.isWeak(hash) {
		t.Error("a new hash counts as weak")
	}
}

func TestHashOfAnotherProgram(t *testing.T) {
	// The vector of the argon2 command line tool: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
	const vector = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := newHasher(Options{})
	if ok, err := h.matches(t.Context(), "", "password", vector); err != nil || !ok {
		t.Errorf("got %v, %v", ok, err)
	}
	if ok, err := h.matches(t.Context(), "", "Password", vector); err != nil || ok {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestHashComparesExactlyWhatWasSent(t *testing.T) {
	h := newHasher(Options{PasswordCost: cheap})
	hash, err := h.hash(t.Context(), "", " Päss word ")
	must(t, err)
	for _, text := range secretsOf("Päss word", " Päss word", " päss word ", " Pa\u0308ss word ", " Pass word ", "") {
		if ok, _ := h.matches(t.Context(), "", text, hash); ok {
			t.Errorf("%q matches", text.Reveal())
		}
	}
	// What lies beyond the 72nd byte counts, as it would not with bcrypt.
	long := strings.Repeat("x", 100)
	hash, err = h.hash(t.Context(), "", secrets.Secret(long+"a"))
	must(t, err)
	if ok, _ := h.matches(t.Context(), "", secrets.Secret(long+"b"), hash); ok {
		t.Error("the end of a long password is cut off")
	}
}

func TestMalformedHashesAreRejected(t *testing.T) {
	h := newHasher(Options{PasswordCost: cheap})
	good, err := h.hash(t.Context(), "", goodPass)
	must(t, err)
	for _, text := range []string{
		"plain", "$2a$10$abcdefghijklmnopqrstuv", "$argon2id$", good + "$", good[1:], strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=18", 1), strings.Replace(good, "m=64", "m=99999999", 1), strings.Replace(good, "m=64", "m=-1", 1),
		strings.Replace(good, "t=1", "t=0", 1), strings.Replace(good, "t=1", "t=999", 1), strings.Replace(good, "p=1", "p=2", 1),
		good[:len(good)-4], good + "AAAA",
	} {
		if ok, err := h.matches(t.Context(), "", goodPass, text); ok || err == nil {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
		if h.isWeak(text) {
			t.Errorf("%q counts as weak", text)
		}
	}
}

func TestAfterHash(t *testing.T) {
	t.Parallel()
	hashes := 0
	h := newHasher(Options{PasswordCost: cheap, AfterHash: func() { hashes++ }})
	stored, err := h.hash(t.Context(), "", goodPass)
	must(t, err)
	_, err = h.matches(t.Context(), "", goodPass, stored)
	must(t, err)
	if hashes != 2 {
		t.Errorf("AfterHash was called %d times, want 2", hashes)
	}
}

func TestHashSlotsAreBounded(t *testing.T) {
	h := newHasher(Options{PasswordCost: cheap, HashSlots: 2, HashWait: 20_000_000})
	one, err := h.acquire(t.Context(), "")
	must(t, err)
	two, err := h.acquire(t.Context(), "")
	must(t, err)
	_, err = h.hash(t.Context(), "", goodPass)
	refusal := wantRefusal(t, err, journal.KindUnavailable, "unavailable")
	if refusal.RetryAfter <= 0 {
		t.Error("the error has no RetryAfter")
	}
	one()
	if _, err := h.hash(t.Context(), "", goodPass); err != nil {
		t.Errorf("a free slot was not used: %v", err)
	}
	two()
	if slots := newHasher(Options{}).slots; slots < 1 || slots > 4 {
		t.Errorf("%d slots by default", slots)
	}
}

// TestCorrectLoginsWaitForASlot starts 200 logins at once; none may be rejected.
func TestCorrectLoginsWaitForASlot(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		before := f.hashes()
		errs := runConcurrently(200, func(int) error {
			_, err := f.Login(t.Context(), home, ownerEmail, goodPass, "")
			return err
		})
		if n := countSuccesses(errs); n != 200 || f.hashes()-before != 200 {
			t.Errorf("%d of 200 logins succeeded with %d hashes: %v", n, f.hashes()-before, errors.Join(errs...))
		}
	})
}

// TestHashSlotsAreFairBetweenAddresses checks that a client with many waiting calls does
// not delay another address by all of them.
func TestHashSlotsAreFairBetweenAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(Options{PasswordCost: cheap, HashSlots: 1})
		release, err := h.acquire(t.Context(), "crowd")
		must(t, err)
		order := make(chan string, 50)
		hash := func(address string) {
			go func() {
				free, err := h.acquire(t.Context(), address)
				must(t, err)
				order <- address
				free()
			}()
			synctest.Wait()
		}
		for range 40 {
			hash("crowd")
		}
		hash("single")
		release()
		synctest.Wait()
		for place := range 2 {
			if <-order == "single" {
				return
			}
			if place == 1 {
				t.Error("the other address waits for more than one call of the first")
			}
		}
	})
}

func TestChangePassword(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, old := f.owner()
		elsewhere := f.login(ownerEmail)
		_, err := f.ChangePassword(ctx, caller, home, otherPass, "new and much longer")
		forbidden(t, err)
		_, err = f.ChangePassword(ctx, caller, home, goodPass, "short")
		invalid(t, err, "new_password")
		_, err = f.ChangePassword(ctx, caller, home, goodPass, ownerEmail)
		invalid(t, err, "new_password")

		fresh, err := f.ChangePassword(ctx, caller, home, goodPass, otherPass)
		must(t, err)
		if !fresh.IsAdmin {
			t.Error("the new tokens do not have IsAdmin")
		}
		for _, pair := range []TokenPair{old, elsewhere} {
			_, err := f.Refresh(ctx, home, pair.RefreshToken)
			unauthorized(t, err)
			f.caller(pair) // access tokens live out their quarter of an hour
		}
		_, err = f.Refresh(ctx, home, fresh.RefreshToken)
		must(t, err)
		sessions, err := f.Sessions(ctx, caller.UserID)
		must(t, err)
		if len(sessions) != 1 {
			t.Errorf("%d sessions are left", len(sessions))
		}
		_, err = f.Login(ctx, home, ownerEmail, goodPass, "")
		unauthorized(t, err)
		_, err = f.Login(ctx, home, ownerEmail, otherPass, "")
		must(t, err)
	})
}

func TestChangePasswordTwiceAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		caller, _ := f.owner()
		next := secretsOf("the first new one", "the second new one", "the third new one")
		pairs := make([]TokenPair, len(next))
		errs := runConcurrently(len(next), func(i int) (err error) {
			pairs[i], err = f.ChangePassword(t.Context(), caller, home, goodPass, next[i])
			return err
		})
		if countSuccesses(errs) != 1 {
			t.Fatalf("%d changes succeeded with one password: %v", countSuccesses(errs), errs)
		}
		for i, err := range errs {
			_, refreshed := f.Refresh(t.Context(), home, pairs[i].RefreshToken)
			_, entered := f.Login(t.Context(), home, ownerEmail, next[i], "")
			if (err == nil) != (refreshed == nil) || (err == nil) != (entered == nil) {
				t.Errorf("change %d: %v, its pair %v, its password %v", i, err, refreshed, entered)
			}
		}
	})
}

func TestAccessTokensOfProgramsCannotChangeCredentials(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		caller.Credential = CredentialToken
		_, err := f.ChangePassword(ctx, caller, home, goodPass, otherPass)
		forbidden(t, err)
		forbidden(t, f.ConfirmTOTP(ctx, caller, home, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "123456"))
		forbidden(t, f.DisableTOTP(ctx, caller, home, goodPass, "123456"))
		_, _, err = f.MintAccessToken(ctx, caller, home, NewToken{Name: "child"})
		forbidden(t, err)
		f.login(ownerEmail)
	})
}

func TestWeakHashesAreReplacedAtLogin(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		weak := newHasher(Options{PasswordCost: PasswordCost{MemoryKiB: 32, Passes: 1}})
		caller, old := f.owner()
		hash, err := weak.hash(t.Context(), "", goodPass)
		must(t, err)
		f.exec(`UPDATE users SET password_hash = $2 WHERE number = $1`, caller.UserID, hash)

		_, err = f.Login(t.Context(), home, ownerEmail, otherPass, "")
		unauthorized(t, err)
		if now := f.storedHash(caller.UserID); now != hash {
			t.Error("a wrong password changed the hash")
		}
		errs := runConcurrently(4, func(int) error {
			_, err := f.Login(t.Context(), home, ownerEmail, goodPass, "")
			return err
		})
		if countSuccesses(errs) != 4 {
			t.Errorf("concurrent logins with a weak hash: %v", errs)
		}
		if now := f.storedHash(caller.UserID); !strings.Contains(now, "m=64,t=1") {
			t.Errorf("the hash is still %s", now)
		}
		f.login(ownerEmail)
		_, err = f.Refresh(t.Context(), home, old.RefreshToken)
		must(t, err) // a stronger hash is no new password
	})
}

func (f *fixture) storedHash(id journal.UserID) string {
	f.t.Helper()
	var hash string
	must(f.t, f.db.Peek(f.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(f.t.Context(), `SELECT password_hash FROM users WHERE number = $1`, id).Scan(&hash)
	}))
	return hash
}
