package httpapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// enrolled is a user with a second factor.
type enrolled struct {
	w      *world
	client *client
	secret string
}

// enrol switches the owner's second factor on and waits until the used code has expired.
func (w *world) enrol(owner *client) enrolled {
	w.t.Helper()
	secret := owner.post("/me/totp/start", nil).want(http.StatusOK).text("secret")
	owner.post("/me/totp/confirm", map[string]any{"secret": secret, "code": totpCode(w.t, secret, w.clock.Now())}).wantNone()
	w.clock.Advance(time.Minute)
	return enrolled{w, owner, secret}
}

// code returns the code this many steps from now.
func (e enrolled) code(steps int) string {
	e.w.t.Helper()
	return totpCode(e.w.t, e.secret, e.w.clock.Now().Add(time.Duration(steps)*30*time.Second))
}

// wrongCode returns a code that is wrong at every step near now.
func (e enrolled) wrongCode() string {
	e.w.t.Helper()
	for n := 0; ; n++ {
		code := strings.Repeat(strconv.Itoa(n), 6)
		if code != e.code(-1) && code != e.code(0) && code != e.code(1) {
			return code
		}
	}
}

func TestTOTPStart(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		first := owner.post("/me/totp/start", nil).want(http.StatusOK).wantKeys("", "secret", "otpauth_url")
		address, err := url.Parse(first.text("otpauth_url"))
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		if address.Scheme != "otpauth" || address.Host != "totp" || query.Get("secret") != first.text("secret") || query.Get("issuer") != "Fillbook" ||
			query.Get("digits") != "6" || query.Get("period") != "30" || query.Get("algorithm") != "SHA1" || !strings.Contains(address.Path, ownerEmail) {
			t.Errorf("the address is %s", address)
		}
		if len(first.text("secret")) != 32 { // 20 bytes in base32
			t.Errorf("the secret is %q", first.text("secret"))
		}
		if owner.post("/me/totp/start", nil).text("secret") == first.text("secret") {
			t.Error("two candidates are the same")
		}
		// Nothing is stored: logging in needs no code.
		if owner.get("/me").value("totp_enabled") != false || w.count(`SELECT COUNT(*) FROM users WHERE totp_secret IS NOT NULL`) != 0 {
			t.Error("a candidate is stored")
		}
		w.logIn(ownerEmail, ownerPassword)
	})
}

func TestTOTPConfirm(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		secret := owner.post("/me/totp/start", nil).text("secret")
		code := totpCode(t, secret, w.clock.Now())
		confirm := func(secret, code string) *reply {
			return owner.post("/me/totp/confirm", map[string]any{"secret": secret, "code": code})
		}
		wrong := "000000"
		if code == wrong {
			wrong = "111111"
		}
		confirm(secret, wrong).wantError(http.StatusBadRequest, "totp_invalid").wantShape()
		confirm(secret, "").wantError(http.StatusBadRequest, "totp_invalid")
		confirm(secret, totpCode(t, secret, w.clock.Now().Add(-time.Minute))).wantError(http.StatusBadRequest, "totp_invalid")
		// A weak candidate is refused, whatever its code.
		for _, weak := range []string{"", "AA", "AAAAAAAA", "not base32!", strings.Repeat("A", 200)} {
			confirm(weak, "123456").wantField("secret")
		}
		if owner.get("/me").value("totp_enabled") != false {
			t.Fatal("a refused confirmation switched it on")
		}
		confirm(secret, code).wantNone()
		if owner.get("/me").value("totp_enabled") != true || owner.get("/admin/users").value("0.totp_enabled") != true {
			t.Error("totp_enabled is not true")
		}
		confirm(secret, code).wantError(http.StatusConflict, "conflict")
		owner.post("/me/totp/start", nil).wantError(http.StatusConflict, "conflict")
	})
}

func TestTOTPLogin(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		e := w.enrol(w.setUp())
		w.tryLogin(ownerEmail, ownerPassword, "").wantError(http.StatusUnauthorized, "totp_required").wantShape()
		w.tryLogin(ownerEmail, ownerPassword, e.wrongCode()).wantError(http.StatusUnauthorized, "totp_invalid").wantShape()
		// The password is checked first; a wrong one reveals nothing about the code.
		wrong := w.tryLogin("unknown@example.org", "wrong", "")
		w.tryLogin(ownerEmail, "wrong", "").wantSame(wrong)
		w.tryLogin(ownerEmail, "wrong", e.wrongCode()).wantSame(wrong)
		w.tryLogin(ownerEmail, "wrong", e.code(0)).wantSame(wrong)
		// And it does not spend the code either.
		pair := w.tryLogin(ownerEmail, ownerPassword, e.code(0)).want(http.StatusOK).wantPair(true)
		w.refresh(pair.text("refresh_token")).want(http.StatusOK) // a session goes on without a code
	})
}

func TestTOTPCodesWorkOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		secret := owner.post("/me/totp/start", nil).text("secret")
		code := totpCode(t, secret, w.clock.Now())
		owner.post("/me/totp/confirm", map[string]any{"secret": secret, "code": code}).wantNone()
		e := enrolled{w, owner, secret}
		login := func(code string) *reply { return w.tryLogin(ownerEmail, ownerPassword, code) }
		login(code).wantError(http.StatusUnauthorized, "totp_invalid") // spent by the confirmation
		w.clock.Advance(30 * time.Second)
		login(e.code(0)).want(http.StatusOK)
		login(e.code(0)).wantError(http.StatusUnauthorized, "totp_invalid")
		w.clock.Advance(29 * time.Second)
		login(e.code(-1)).wantError(http.StatusUnauthorized, "totp_invalid") // older than a used one
		login(e.code(1)).want(http.StatusOK)                                 // a fast phone
		login(e.code(0)).wantError(http.StatusUnauthorized, "totp_invalid")  // has been used since
	})
}

func TestTOTPSkew(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		e := w.enrol(w.setUp())
		for _, c := range []struct{ steps, status int }{{-2, 401}, {2, 401}, {-3, 401}, {-1, 200}} {
			t.Log("steps", c.steps)
			w.tryLogin(ownerEmail, ownerPassword, e.code(c.steps)).want(c.status)
		}
		w.clock.Advance(2 * time.Minute)
		code := e.code(0)
		w.tryLogin(ownerEmail, ownerPassword, code[:3]+" "+code[3:]).want(http.StatusOK) // as apps show it
	})
}

// TestTOTPCodeInParallel lets five callers use one code at the same moment.
func TestTOTPCodeInParallel(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		e := w.enrol(w.setUp())
		code := e.code(0)
		replies := atOnce(5, func(int) *reply { return w.tryLogin(ownerEmail, ownerPassword, code) })
		if got := tally(replies); got[http.StatusOK] != 1 || got[http.StatusUnauthorized] != 4 {
			t.Errorf("statuses %v", got)
		}
	})
}

// TestTOTPWrongCodesAreCounted returns ten tries an hour, wherever they are
// made; the right code is not heard afterwards.
func TestTOTPWrongCodesAreCounted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		e := w.enrol(w.setUp())
		disable := func(code string) *reply {
			return e.client.post("/me/totp/disable", map[string]any{"password": ownerPassword, "code": code})
		}
		for range 5 {
			w.tryLogin(ownerEmail, ownerPassword, e.wrongCode()).wantError(http.StatusUnauthorized, "totp_invalid")
			disable(e.wrongCode()).wantError(http.StatusBadRequest, "totp_invalid")
		}
		limited := w.tryLogin(ownerEmail, ownerPassword, e.code(0)).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
		if limited.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		disable(e.code(0)).wantError(http.StatusTooManyRequests, "rate_limited")
		w.clock.Advance(time.Hour)
		w.tryLogin(ownerEmail, ownerPassword, e.code(0)).want(http.StatusOK)
	})
}

func TestTOTPDisable(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		disable := func(password, code string) *reply {
			return owner.post("/me/totp/disable", map[string]any{"password": password, "code": code})
		}
		disable(ownerPassword, "123456").wantError(http.StatusConflict, "conflict").wantShape()
		e := w.enrol(owner)
		code := e.code(0)
		disable("wrong", code).wantError(http.StatusForbidden, "forbidden").wantShape()
		disable("", code).wantError(http.StatusForbidden, "forbidden")
		disable(ownerPassword, e.wrongCode()).wantError(http.StatusBadRequest, "totp_invalid").wantShape()
		disable(ownerPassword, "").wantError(http.StatusBadRequest, "totp_invalid")
		if owner.get("/me").value("totp_enabled") != true {
			t.Fatal("a refused call switched it off")
		}
		w.tryLogin(ownerEmail, ownerPassword, code).want(http.StatusOK)
		disable(ownerPassword, code).wantError(http.StatusBadRequest, "totp_invalid") // used at the login
		w.clock.Advance(30 * time.Second)
		disable(ownerPassword, e.code(0)).wantNone()
		if owner.get("/me").value("totp_enabled") != false {
			t.Error("it is still on")
		}
		w.logIn(ownerEmail, ownerPassword)
		disable(ownerPassword, e.code(0)).wantError(http.StatusConflict, "conflict")
		w.enrol(owner) // and on again
	})
}

// TestTOTPEndsOtherSessions signs out who had only the password.
func TestTOTPEndsOtherSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		mine, other := w.logIn(ownerEmail, ownerPassword), w.logIn(ownerEmail, ownerPassword)
		w.enrol(w.as(mine.text("access_token")))
		w.refresh(other.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
		w.refresh(mine.text("refresh_token")).want(http.StatusOK)
	})
}

// TestTOTPSecretIsSealed looks for the secret where it is stored.
func TestTOTPSecretIsSealed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		w.enrol(owner)
		// A sealed secret opens for its own user only.
		w.exec(`UPDATE users SET totp_secret = (SELECT totp_secret FROM users WHERE email = $1) WHERE email = $2`, ownerEmail, "anna@example.org")
		if anna.get("/me").value("totp_enabled") != true {
			t.Fatal("the secret was not moved")
		}
		w.tryLogin("anna@example.org", passwordOf("anna@example.org"), "123456").wantError(http.StatusInternalServerError, "internal")
	})
}
