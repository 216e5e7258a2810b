package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func account(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password}
}

// wantStatus requires this setup status and nothing else.
func (w *world) wantStatus(needsSetup, registrationOpen bool, users int) {
	w.t.Helper()
	got := w.anonymous().get("/setup/status").want(http.StatusOK).
		wantKeys("", "needs_setup", "registration_open", "user_count", "min_password_length")
	if got.value("needs_setup") != needsSetup || got.value("registration_open") != registrationOpen ||
		got.text("user_count") != fmt.Sprint(users) || got.text("min_password_length") != "10" {
		w.t.Fatalf("the status is %s, want needs_setup %v, registration_open %v, %d users", got.body, needsSetup, registrationOpen, users)
	}
}

func TestSetupStatus(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.wantStatus(true, false, 0)
		owner := w.setUp()
		w.wantStatus(false, false, 1)
		w.addUser(owner, "anna@example.org")
		w.wantStatus(false, false, 2)
		owner.delete("/admin/users/" + owner.userID("anna@example.org")).wantNone()
		w.wantStatus(false, false, 1)
	})
}

func TestSetupStatusIsNeverLimited(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		for range 50 {
			w.wantStatus(true, false, 0)
		}
	}, authFailures(0.1, 1))
}

func TestSetup(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		made := w.anonymous().post("/setup", account("  Owner@Example.org ", ownerPassword)).want(http.StatusCreated).wantPair(true).
			wantKeys("", "access_token", "refresh_token", "is_admin", "token_type", "expires_in", "id", "email", "account")
		if made.text("email") != "Owner@Example.org" || made.value("account") != nil {
			t.Errorf("made %s", made.body)
		}
		me := w.as(made.text("access_token")).get("/me").want(http.StatusOK).wantKeys("", "id", "email", "is_admin", "created_at", "totp_enabled")
		if me.text("id") != made.text("id") || me.value("is_admin") != true || me.value("totp_enabled") != false || me.text("created_at") != "2026-03-10T15:04:05Z" {
			t.Errorf("me is %s", me.body)
		}
		w.refresh(made.text("refresh_token")).want(http.StatusOK)
		w.anonymous().post("/setup", account("second@example.org", ownerPassword)).wantError(http.StatusConflict, "conflict")
		w.anonymous().post("/setup", account(ownerEmail, ownerPassword)).wantError(http.StatusConflict, "conflict")
		w.wantStatus(false, false, 1)
	})
}

// TestSetupRace: one of eight callers wins.
func TestSetupRace(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		replies := atOnce(8, func(i int) *reply {
			return w.anonymous().post("/setup", account(fmt.Sprintf("owner%d@example.org", i), ownerPassword))
		})
		if got := tally(replies); got[http.StatusCreated] != 1 || got[http.StatusConflict] != 7 {
			t.Errorf("statuses %v", got)
		}
		for _, r := range replies {
			if r.status == http.StatusConflict {
				r.wantError(http.StatusConflict, "conflict").wantShape()
			} else {
				r.wantPair(true)
			}
		}
		w.wantStatus(false, false, 1)
		if n := w.count(`SELECT COUNT(*) FROM users WHERE is_admin`); n != 1 {
			t.Errorf("%d owners", n)
		}
	})
}

// TestRefusedSetupStoresNothing lets the next try still win.
func TestRefusedSetupStoresNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.anonymous().post("/setup", account(ownerEmail, "short")).wantField("password")
		w.anonymous().post("/setup", account("nonsense", ownerPassword)).wantField("email")
		w.wantStatus(true, false, 0)
		w.setUp()
	})
}

func TestRegistrationClosed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.anonymous().post("/auth/register", account("anna@example.org", "password of anna")).wantError(http.StatusForbidden, "forbidden")
		w.setUp()
		w.anonymous().post("/auth/register", account("anna@example.org", "password of anna")).wantError(http.StatusForbidden, "forbidden")
		w.wantStatus(false, false, 1)
	})
}

func TestRegistrationOpen(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		// Registering does not create the first user.
		w.wantStatus(true, false, 0)
		w.anonymous().post("/auth/register", account("anna@example.org", "password of anna")).wantError(http.StatusForbidden, "forbidden")
		w.setUp()
		w.wantStatus(false, true, 1)
		made := w.anonymous().post("/auth/register", map[string]any{"email": "anna@example.org", "password": "password of anna", "is_admin": true}).
			want(http.StatusCreated).wantPair(false).
			wantKeys("", "access_token", "refresh_token", "is_admin", "token_type", "expires_in", "id", "email")
		anna := w.as(made.text("access_token"))
		if me := anna.get("/me").want(http.StatusOK); me.value("is_admin") != false || me.text("id") != made.text("id") {
			t.Errorf("me is %s", me.body)
		}
		anna.get("/admin/users").wantError(http.StatusForbidden, "forbidden")
		w.refresh(made.text("refresh_token")).want(http.StatusOK)
		for _, email := range []string{"anna@example.org", "ANNA@Example.ORG", " anna@example.org\t"} {
			w.anonymous().post("/auth/register", account(email, "another password")).wantError(http.StatusConflict, "conflict")
		}
		w.wantStatus(false, true, 2)
	}, openRegistration)
}

// TestRegistrationRace: one of several callers gets the address.
func TestRegistrationRace(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		replies := atOnce(6, func(i int) *reply {
			email := "anna@example.org"
			if i%2 == 1 {
				email = strings.ToUpper(email)
			}
			return w.anonymous().post("/auth/register", account(email, "password of anna"))
		})
		if got := tally(replies); got[http.StatusCreated] != 1 || got[http.StatusConflict] != 5 {
			t.Errorf("statuses %v", got)
		}
	}, openRegistration)
}

func TestInvalidEmailAddresses(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for _, email := range []string{
			"", " ", "anna", "anna@", "@example.org", "anna@@example.org", "a b@example.org", "anna@exa mple.org", "anna@example.org\nBcc: x@y.z",
			"anna\u200b@example.org", "<anna@example.org>", strings.Repeat("a", 250) + "@example.org",
		} {
			t.Run(email, func(t *testing.T) {
				w.anonymous().in(t).post("/auth/register", account(email, "password of anna")).wantField("email")
				owner.in(t).post("/admin/users", account(email, "password of anna")).wantField("email")
			})
		}
		w.anonymous().post("/auth/register", account("änna+trading@exämple.org", "password of anna")).want(http.StatusCreated)
	}, openRegistration)
}

// TestPasswordRules holds the rules in all five places where a password is set.
func TestPasswordRules(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		bad := map[string]string{
			"empty":                  "",
			"nine characters":        "ninechars",
			"nine wide characters":   "üüööääßßé",
			"1025 bytes":             strings.Repeat("ab", 512) + "c",
			"one character repeated": "aaaaaaaaaaaaaaa",
			"a wide one repeated":    strings.Repeat("é", 12),
			"digits in a row":        "0123456789",
			"and round again":        "1234567890",
			"backwards":              "9876543210",
			"keys in a row":          "qwertyuiop",
			"keys in capitals":       "QWERTYUIOP",
			"letters in a row":       "abcdefghijkl",
			"the own address":        "annabella@example.org",
			"in capitals":            "ANNABELLA@example.org",
		}
		for name, password := range bad {
			w.anonymous().post("/setup", account("annabella@example.org", password)).wantField("password")
			t.Log(name)
		}
		w.anonymous().post("/setup", account("annabella@example.org", ownerPassword)).want(http.StatusCreated)
		owner := w.as(w.logIn("annabella@example.org", ownerPassword).text("access_token"))
		id := owner.get("/me").text("id")
		for name, password := range bad {
			t.Run(name, func(t *testing.T) {
				nobody, owner := w.anonymous().in(t), owner.in(t)
				if !strings.Contains(name, "own address") && !strings.Contains(name, "capitals") {
					nobody.post("/auth/register", account("bert@example.org", password)).wantField("password")
					owner.post("/admin/users", account("bert@example.org", password)).wantField("password")
				}
				owner.put("/me/password", map[string]any{"current_password": ownerPassword, "new_password": password}).wantField("new_password")
				owner.post("/admin/users/"+id+"/password", map[string]any{"new_password": password}).wantField("new_password")
			})
		}
		good := []string{
			"tencharss.", "zehn Ä ö ß", strings.Repeat("ab", 512), "qwertyuiop2", " leading and trailing ", "😀😁😂😃😄😅😆😇😈😉",
		}
		for i, password := range good {
			email := fmt.Sprintf("good%d@example.org", i)
			w.anonymous().post("/auth/register", account(email, password)).want(http.StatusCreated)
			w.logIn(email, password)
			if trimmed := strings.TrimSpace(password); trimmed != password { // taken as it was sent
				w.tryLogin(email, trimmed, "").wantError(http.StatusUnauthorized, "unauthorized")
			}
		}
	}, openRegistration)
}

// TestSetupMakesTheFirstAccount along with the first user, or neither.
func TestSetupMakesTheFirstAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		with := func(trading any) map[string]any {
			return map[string]any{"email": ownerEmail, "password": ownerPassword, "account": trading}
		}
		w.anonymous().post("/setup", with(map[string]any{"broker": "nameless"})).wantError(http.StatusBadRequest, "bad_request")
		w.anonymous().post("/setup", with("an account")).wantField("account")
		w.wantStatus(true, false, 0)
		made := w.anonymous().post("/setup", with(map[string]any{"name": "Main", "base_currency": "eur"})).want(http.StatusCreated).wantPair(true)
		if made.text("account.name") != "Main" || made.text("account.base_currency") != "EUR" {
			t.Errorf("made %s", made.body)
		}
		list := w.as(made.text("access_token")).get("/accounts").want(http.StatusOK)
		if list.count("") != 1 || list.text("0.id") != made.text("account.id") {
			t.Errorf("the accounts are %s", list.body)
		}
	})
}
