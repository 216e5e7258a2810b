package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"fillbook/internal/base/db"
)

// sealedLife is a user with everything encrypted or signed with the secret.
type sealedLife struct {
	access, refresh, pat, share, second string
}

func liveSealed(t *testing.T, p *process) sealedLife {
	t.Helper()
	pair := p.must("POST", "/setup", "", someone, http.StatusCreated)
	life := sealedLife{access: pair["access_token"].(string), refresh: pair["refresh_token"].(string)}
	life.pat = p.must("POST", "/access-tokens", life.access, map[string]any{"name": "cron"}, http.StatusCreated)["token"].(string)
	p.must("POST", "/accounts", life.access, map[string]any{"name": "Main"}, http.StatusCreated)
	life.share = p.must("POST", "/share-links", life.access, map[string]any{}, http.StatusCreated)["token"].(string)
	life.second = p.must("POST", "/me/totp/start", life.access, nil, http.StatusOK)["secret"].(string)
	p.must("POST", "/me/totp/confirm", life.access, map[string]any{"secret": life.second, "code": codeOf(t, life.second, 0)}, http.StatusNoContent)
	return life
}

// codeOf returns an authenticator's code some steps from now.
func codeOf(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// wantAlive checks that everything works except for the old access token.
func (life sealedLife) wantAlive(t *testing.T, p *process) {
	t.Helper()
	p.must("GET", "/me", life.access, nil, http.StatusUnauthorized)
	p.must("GET", "/me", life.pat, nil, http.StatusOK)
	p.must("GET", "/public/share/"+life.share, "", nil, http.StatusOK)
	pair := p.must("POST", "/auth/refresh", "", map[string]any{"refresh_token": life.refresh}, http.StatusOK)
	login := map[string]any{"email": someone["email"], "password": someone["password"], "totp_code": codeOf(t, life.second, 1)}
	p.must("POST", "/auth/login", "", login, http.StatusOK)
	// The list opens what is sealed: the owner can copy the link again.
	reader := &victim{t: t, p: p, token: pair["access_token"].(string)}
	if links := reader.list("/share-links"); len(links) != 1 || links[0]["token"] != life.share {
		t.Errorf("the share link is not listed with its token: %v", links)
	}
	isRotation := func(event map[string]any) bool {
		return event["action"] == "secret_rotate" && event["credential"] == "cli"
	}
	if events := reader.list("/admin/audit"); !slices.ContainsFunc(events, isRotation) {
		t.Errorf("the audit log has no event of the change: %v", events)
	}
}

func TestRotateSecret(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := append(engineEnv(t, engine), "SVC_SHARE_LINKS_ENABLED=true")
		dir := strings.TrimPrefix(env[0], "SVC_DATA_DIR=")
		p := serve(t, env)
		life := liveSealed(t, p)
		if engine == db.SQLite {
			output, err := program(t, env, "rotate-secret").CombinedOutput()
			if err == nil || !strings.Contains(string(output), "stop it first") {
				t.Errorf("with a running server: %v\n%s", err, output)
			}
		}
		p.stop()
		first := readText(t, filepath.Join(dir, secretFile))
		mustRun(t, env, "rotate-secret")
		second := readText(t, filepath.Join(dir, secretFile))
		kept, _ := filepath.Glob(filepath.Join(dir, secretFile+".before-*"))
		if second == first || len(kept) != 1 || readText(t, kept[0]) != first {
			t.Fatalf("the secret was not replaced, or the old one not kept: %v", kept)
		}

		// A crash after the database changed and before the file did: the
		// server refuses, and the command finishes its work.
		rename(t, filepath.Join(dir, secretFile), filepath.Join(dir, secretFile+".next"))
		rename(t, kept[0], filepath.Join(dir, secretFile))
		if output, err := program(t, env, "serve").CombinedOutput(); err == nil {
			t.Fatalf("the server started with the old secret\n%s", output)
		}
		mustRun(t, env, "rotate-secret")
		if got := readText(t, filepath.Join(dir, secretFile)); got != second {
			t.Fatal("the second run created another secret instead of completing the change")
		}

		p = serve(t, env)
		life.wantAlive(t, p)
		p.stop()
	})
}

// TestRotateGivenSecret rotates a secret set by the operator.
func TestRotateGivenSecret(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := append(engineEnv(t, engine), "SVC_SHARE_LINKS_ENABLED=true")
		old := slices.Concat(env, []string{"SVC_JWT_SECRET=" + strings.Repeat("old ", 10)})
		p := serve(t, old)
		life := liveSealed(t, p)
		p.stop()
		output, err := program(t, old, "rotate-secret").CombinedOutput()
		if err == nil || !strings.Contains(string(output), "--new-secret-file") {
			t.Fatalf("without a new secret: %v\n%s", err, output)
		}
		file := filepath.Join(t.TempDir(), "new.txt")
		if err := os.WriteFile(file, []byte(strings.Repeat("new ", 10)), 0o600); err != nil {
			t.Fatal(err)
		}
		mustRun(t, old, "rotate-secret", "--new-secret-file", file)
		mustRun(t, old, "rotate-secret", "--new-secret-file", file) // again changes nothing
		p = serve(t, slices.Concat(env, []string{"SVC_JWT_SECRET_FILE=" + file}))
		life.wantAlive(t, p)
		p.stop()
		wrong := slices.Concat(env, []string{"SVC_JWT_SECRET=" + strings.Repeat("what", 10)})
		other := filepath.Join(t.TempDir(), "other.txt")
		if err := os.WriteFile(other, []byte(strings.Repeat("else", 10)), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := program(t, wrong, "rotate-secret", "--new-secret-file", other).CombinedOutput(); err == nil {
			t.Errorf("a wrong old secret was accepted\n%s", output)
		}
	})
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	p := serve(t, env)
	here := "--http-addr=" + strings.TrimPrefix(p.address, "http://")
	mustRun(t, env, "healthcheck", here)
	p.stop()
	command := program(t, env, "healthcheck", here)
	if output, _ := command.CombinedOutput(); command.ProcessState.ExitCode() != exitFailed {
		t.Errorf("the health check passes without a server: %s", output)
	}
	for listening, want := range map[string]string{
		":8080": "127.0.0.1:8080", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "127.0.0.1:80", "10.1.2.3:80": "10.1.2.3:80",
	} {
		if got, err := localAddress(listening); err != nil || got != want {
			t.Errorf("%s is reached at %s, %v, want %s", listening, got, err, want)
		}
	}
}

func mustRun(t *testing.T, env []string, args ...string) {
	t.Helper()
	if output, err := program(t, env, args...).CombinedOutput(); err != nil {
		t.Fatalf("fillbook %v: %v\n%s", args, err, output)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
