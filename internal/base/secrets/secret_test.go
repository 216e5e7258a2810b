package secrets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"fillbook/internal/base/secrets"
)

const canary = "hunter2-canary"

func TestSecretIsNotPrinted(t *testing.T) {
	secret := secrets.Secret(canary)
	holder := struct {
		Name     string
		Password secrets.Secret
		Others   []secrets.Secret
		ByName   map[string]secrets.Secret
	}{"x", secret, []secrets.Secret{secret}, map[string]secrets.Secret{"a": secret}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T is not %v", "%10s", "%t", "%c"} {
		for _, value := range []any{secret, &secret, holder, &holder} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
				t.Errorf("%s of a %T gives %s", verb, value, text)
			}
		}
	}
	if got := fmt.Sprint(secret); got != "[redacted]" {
		t.Errorf("a secret prints as %q", got)
	}
}

func TestSecretIsNotLogged(t *testing.T) {
	secret := secrets.Secret(canary)
	var out bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		log := slog.New(handler)
		log.Info("login", "password", secret, "body", map[string]any{"p": secret}, "struct", struct{ P secrets.Secret }{secret})
		log.Error("failed", "error", fmt.Errorf("with %s: %w", secret, fmt.Errorf("%v", secret)))
	}
	if strings.Contains(out.String(), canary) {
		t.Errorf("the log contains the secret:\n%s", out.String())
	}
	if strings.Count(out.String(), "[redacted]") < 8 {
		t.Errorf("the log does not contain the placeholder:\n%s", out.String())
	}
}

func TestSecretMarshalsRedactedAndDecodesWhole(t *testing.T) {
	var body struct{ Password secrets.Secret }
	if err := json.Unmarshal([]byte(`{"password":"`+canary+`"}`), &body); err != nil {
		t.Fatal(err)
	}
	if body.Password.Reveal() != canary {
		t.Errorf("decoded %q", body.Password.Reveal())
	}
	text, err := json.Marshal(map[string]any{"a": body, "b": body.Password, "c": []any{&body.Password}})
	if err != nil || strings.Contains(string(text), canary) {
		t.Errorf("marshals as %s, %v", text, err)
	}
}
