package identity

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/secrets"
	"fillbook/internal/testkit"
)

func TestEveryChangeOfCredentialsIsRecorded(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		step := func(err error) { t.Helper(); must(t, err); f.clock.Advance(time.Second) }
		f.clock.Advance(time.Second)
		_, err := f.ChangePassword(ctx, guest, home, otherPass, "some other password")
		forbidden(t, err)
		f.clock.Advance(time.Second)
		pair, err := f.ChangePassword(ctx, guest, home, goodPass, otherPass)
		step(err)
		guest = f.caller(pair)
		step(f.AdminResetPassword(ctx, owner, home, guest.PublicID, goodPass))
		token, _, err := f.MintAccessToken(ctx, guest, home, NewToken{Name: "cron"})
		step(err)
		step(f.RevokeAccessToken(ctx, guest, home, token.ID, nil))
		_, err = f.SetAdmin(ctx, owner, home, guest.PublicID, true, nil)
		step(err)
		_, err = f.SetAdmin(ctx, owner, home, guest.PublicID, true, nil)
		step(err) // no change, no event
		_, err = f.SetAdmin(ctx, owner, home, guest.PublicID, false, nil)
		step(err)
		secret := f.turnOnTOTP(guest)
		_, err = f.Login(ctx, home, guestEmail, goodPass, f.wrongCode(secret))
		wrongCodeAtLogin(t, err)
		f.clock.Advance(time.Second)
		step(f.DisableTOTP(ctx, guest, home, goodPass, f.code(secret, 0)))
		step(f.EndSession(ctx, owner, home, owner.SessionID, nil))
		pair, err = f.Login(ctx, home, guestEmail, goodPass, "")
		step(err)
		step(f.Logout(ctx, f.caller(pair), Client{}, ""))
		step(f.DeleteUser(ctx, owner, home, guest.PublicID, nil, nil))
		created, err := f.CreateUser(ctx, owner, home, guestEmail, goodPass)
		step(err)
		want := []string{
			"setup ok", "register ok", "password_change wrong_password", "password_change ok", "password_reset ok",
			"access_token_mint ok", "access_token_revoke ok", "user_promote ok", "user_demote ok", "totp_enable ok",
			"login wrong_code", "totp_disable ok", "session_end ok", "login ok", "logout ok", "user_delete ok", "user_create ok",
		}
		if diff := cmp.Diff(want, f.events()); diff != "" {
			t.Error(diff)
		}
		events, err := f.Audit(ctx, AuditQuery{Limit: 1})
		must(t, err)
		wantEvent := AuditEvent{
			ID: events[0].ID, At: f.clock.Now().Add(-time.Second), UserID: owner.UserID, Actor: owner.PublicID, Action: ActionUserCreate, Outcome: OutcomeOK,
			Credential: CredentialSession, Target: string(created.PublicID), IP: home.IP, UserAgent: home.UserAgent, RequestID: home.RequestID,
		}
		if diff := cmp.Diff(wantEvent, events[0]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTheOperatorIsRecorded(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		_, err := f.CreateUserByOperator(ctx, ownerEmail, goodPass, true)
		must(t, err)
		must(t, f.ResetPasswordByEmail(ctx, ownerEmail, otherPass))
		must(t, f.DisableTOTPByEmail(ctx, ownerEmail))
		events, err := f.Audit(ctx, AuditQuery{})
		must(t, err)
		if len(events) != 3 {
			t.Fatalf("got %+v", events)
		}
		for _, event := range events {
			if event.Credential != CredentialCLI || event.UserID != 0 || event.Actor != "" || event.Target == "" {
				t.Errorf("got %+v", event)
			}
		}
	})
}

func TestRejectedChangeLeavesNoEvent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		before := len(f.events())
		_, err := f.SetAdmin(t.Context(), owner, home, owner.PublicID, false, nil)
		conflict(t, err)
		notFound(t, f.DeleteUser(t.Context(), owner, home, "unknown", nil, nil))
		if got := f.events(); len(got) != before {
			t.Errorf("got %q", got)
		}
	})
}

func TestAuditPages(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		for i := range 7 {
			if i%2 == 0 {
				f.clock.Advance(time.Second) // so that some share their instant
			}
			must(t, f.db.Update(ctx, func(tx *db.Tx) error {
				return RecordAudit(ctx, tx, NewAuditEvent(f.clock.Now(), operatorPrincipal(), home, "test", fmt.Sprint(i)))
			}))
		}
		whole, err := f.Audit(ctx, AuditQuery{})
		must(t, err)
		var paged []AuditEvent
		query := AuditQuery{Limit: 2}
		for {
			page, err := f.Audit(ctx, query)
			must(t, err)
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
			last := page[len(page)-1]
			query.Before = AuditCursor{At: last.At, ID: last.ID}
		}
		if _, total, err := f.AuditPage(ctx, query); len(whole) != 7 || total != 7 || err != nil {
			t.Fatalf("%d events, %d counted, %v", len(whole), total, err)
		}
		if diff := cmp.Diff(whole, paged); diff != "" {
			t.Error(diff)
		}
		for i := range whole[1:] {
			if whole[i].At.Before(whole[i+1].At) {
				t.Error("not newest first")
			}
		}
	})
}

func TestEventNeedsIDAndTime(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		err := f.db.Update(t.Context(), func(tx *db.Tx) error { return RecordAudit(t.Context(), tx, AuditEvent{Action: "test"}) })
		if err == nil {
			t.Error("an event without id and time was stored")
		}
	})
}

// TestNoCredentialIsStoredOrLoggedInClear lets every kind of secret pass through a
// service and then looks for them in everything it left behind.
func TestNoCredentialIsStoredOrLoggedInClear(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	clock := testkit.NewClock()
	d := testkit.Open(t, db.SQLite)
	keys := testKeys(t, 1)
	f := &fixture{
		Service: New(d, keys, clock.Now, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Options{RegistrationOpen: true, PasswordCost: cheap}),
		t:       t, clock: clock,
	}
	ctx := t.Context()
	caller, pair := f.owner()
	canaries := map[string]string{"password": goodPass.Reveal(), "access token": pair.AccessToken.Reveal(), "refresh token": pair.RefreshToken.Reveal()}
	next, err := f.Refresh(ctx, home, pair.RefreshToken)
	must(t, err)
	canaries["second refresh token"] = next.RefreshToken.Reveal()
	_, token, err := f.MintAccessToken(ctx, caller, home, NewToken{Name: "cron"})
	must(t, err)
	_, err = f.Authenticate(ctx, token.Reveal(), home)
	must(t, err)
	canaries["personal access token"] = token.Reveal()
	canaries["the token after its prefix"] = token.Reveal()[prefixLength:]
	secret := f.turnOnTOTP(caller)
	raw, err := parseTOTPSecret(secrets.Secret(secret))
	must(t, err)
	canaries["second factor"], canaries["second factor in bytes"] = secret, string(raw)
	wrong := "wrong password canary"
	_, err = f.Login(ctx, crook, ownerEmail, secrets.Secret(wrong), "")
	unauthorized(t, err)
	_, err = f.Login(ctx, crook, "unknown-canary@example.com", secrets.Secret(wrong), "")
	unauthorized(t, err)
	canaries["wrong password"], canaries["unknown address"] = wrong, "unknown-canary"
	canaries["root secret"], canaries["signing key"] = strings.Repeat("\x01", 32), string(keys.JWT())
	must(t, f.Close(ctx))

	left := log.Bytes()
	files, err := filepath.Glob(d.Path() + "*")
	must(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		left = append(left, content...)
	}
	if !bytes.Contains(left, []byte(ownerEmail)) || len(files) < 2 {
		t.Fatalf("unexpected files: %q", files)
	}
	for name, canary := range canaries {
		if bytes.Contains(left, []byte(canary)) {
			t.Errorf("the %s is stored or logged in plain text", name)
		}
	}
}

// TestAuditCount: the event count is exact on every page, although past days are counted
// once, and leaves out events about to be deleted.
func TestAuditCount(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.owner()
		insert := func() {
			t.Helper()
			must(t, f.db.Update(ctx, func(tx *db.Tx) error {
				return RecordAudit(ctx, tx, f.event(operatorPrincipal(), Client{}, ActionLogin, ""))
			}))
		}
		check := func() {
			t.Helper()
			stored := f.count(`SELECT COUNT(*) FROM audit_events WHERE at >= $1`, db.Micros(f.clock.Now().Add(-auditRetention)))
			for range 2 {
				events, total, err := f.AuditPage(ctx, AuditQuery{})
				must(t, err)
				if total != stored || len(events) != stored {
					t.Errorf("%s: %d events listed and %d counted, %d are stored", f.clock.Now(), len(events), total, stored)
				}
			}
		}
		for day := range 12 {
			for range day % 3 {
				insert()
			}
			check()
			f.clock.Advance(17 * time.Hour)
		}
		f.clock.Advance(auditRetention - 5*24*time.Hour)
		insert()
		check()
		must(t, f.Sweep(ctx))
		check()
		f.clock.Advance(3 * 24 * time.Hour)
		check()
	})
}

// TestUserPages lists users in pages, some of whom were created at the same
// instant.
func TestUserPages(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.owner()
		for i := range 6 {
			f.exec(`INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at) VALUES ($1, $1, $1, '', FALSE, $2)`,
				fmt.Sprint("user", i), i/2)
		}
		whole, err := f.Users(ctx)
		must(t, err)
		var paged []User
		for query := (UserQuery{Limit: 3}); ; {
			page, total, err := f.UserPage(ctx, query)
			must(t, err)
			if total != 7 || len(page) > 3 {
				t.Fatalf("a page of %d users of %d", len(page), total)
			}
			if paged = append(paged, page...); len(page) < 3 {
				break
			}
			query.After.At, query.After.ID = page[2].CreatedAt, string(page[2].PublicID)
		}
		if diff := cmp.Diff(whole, paged); diff != "" || len(whole) != 7 {
			t.Errorf("%d users: %s", len(whole), diff)
		}
	})
}

// TestSweepDeletesManyRows: a sweep deletes more rows than one statement does.
func TestSweepDeletesManyRows(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const old = 2100
		must(t, f.db.Update(t.Context(), func(tx *db.Tx) error {
			rows := make([][]any, old)
			for i := range rows {
				rows[i] = []any{0, fmt.Sprint(i), int64(i / 7), "", "", "", "", "", "", "", ""}
			}
			_, err := tx.InsertMany(t.Context(), "audit_events",
				[]string{"user_id", "id", "at", "actor", "action", "outcome", "credential", "target", "ip", "user_agent", "request_id"}, "", rows)
			return err
		}))
		must(t, f.Sweep(t.Context()))
		if n := f.count(`SELECT COUNT(*) FROM audit_events`); n != 0 {
			t.Errorf("%d of %d events are left", n, old)
		}
	})
}
