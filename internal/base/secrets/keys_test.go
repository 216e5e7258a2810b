package secrets_test

import (
	"bytes"
	"errors"
	"testing"

	"fillbook/internal/base/secrets"
)

func newTestKeys(t *testing.T, fill byte) *secrets.Keys {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte{fill}, secrets.MinRoot))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestNewKeysRefusesAShortRoot(t *testing.T) {
	if _, err := secrets.NewKeys(make([]byte, secrets.MinRoot-1)); err == nil {
		t.Error("31 bytes were accepted")
	}
	if _, err := secrets.NewKeys(make([]byte, secrets.MinRoot)); err != nil {
		t.Errorf("32 bytes were refused: %v", err)
	}
}

func TestKeysDifferByPurposeAndRoot(t *testing.T) {
	a, b := newTestKeys(t, 1), newTestKeys(t, 2)
	seen := map[string]string{}
	for name, key := range map[string][]byte{
		"a jwt": a.JWT(), "b jwt": b.JWT(), "a fingerprint": a.Fingerprint(), "b fingerprint": b.Fingerprint(),
		"a mac x": a.MAC("x"), "b mac x": b.MAC("x"), "a mac y": a.MAC("y"), "a mac jwt": a.MAC("jwt"),
		"root": bytes.Repeat([]byte{1}, secrets.MinRoot),
	} {
		if other, ok := seen[string(key)]; ok {
			t.Errorf("%s equals %s", name, other)
		}
		seen[string(key)] = name
	}
	if again := newTestKeys(t, 1); !bytes.Equal(a.JWT(), again.JWT()) || !bytes.Equal(a.Fingerprint(), again.Fingerprint()) {
		t.Error("the same root results in different keys")
	}
	if len(a.JWT()) != 32 {
		t.Errorf("the signing key has %d bytes", len(a.JWT()))
	}
}

func TestKeysKeepTheirOwnRoot(t *testing.T) {
	root := bytes.Repeat([]byte{7}, secrets.MinRoot)
	keys, err := secrets.NewKeys(root)
	if err != nil {
		t.Fatal(err)
	}
	before := keys.MAC("x")
	clear(root)
	if !bytes.Equal(before, keys.MAC("x")) {
		t.Error("the caller's slice is shared")
	}
}

func TestSealedOpensOnlyAtItsPlace(t *testing.T) {
	keys := newTestKeys(t, 1)
	sealed, err := keys.Seal("totp", "row 1", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the sealed value contains the plaintext")
	}
	open, err := keys.Open("totp", "row 1", sealed)
	if err != nil || string(open) != "secret" {
		t.Fatalf("opened %q, %v", open, err)
	}
	refused := func(name string, keys *secrets.Keys, label, aad string, sealed []byte) {
		t.Helper()
		if _, err := keys.Open(label, aad, sealed); !errors.Is(err, secrets.ErrSealed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("another row", keys, "totp", "row 2", sealed)
	refused("another purpose", keys, "share", "row 1", sealed)
	refused("another root", newTestKeys(t, 2), "totp", "row 1", sealed)
	refused("nothing", keys, "totp", "row 1", nil)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		refused("a flipped bit", keys, "totp", "row 1", changed)
		refused("cut short", keys, "totp", "row 1", sealed[:i])
	}
}

func TestSealIsRandomAndVersioned(t *testing.T) {
	keys := newTestKeys(t, 1)
	a, _ := keys.Seal("totp", "row", []byte("same"))
	b, _ := keys.Seal("totp", "row", []byte("same"))
	if bytes.Equal(a, b) {
		t.Error("two seals of one value are equal")
	}
	if a[0] != 1 || b[0] != 1 {
		t.Errorf("the version byte is %d and %d", a[0], b[0])
	}
	empty, err := keys.Seal("totp", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if open, err := keys.Open("totp", "", empty); err != nil || len(open) != 0 {
		t.Errorf("an empty value opens as %q, %v", open, err)
	}
}

func TestMACFramesItsParts(t *testing.T) {
	keys := newTestKeys(t, 1)
	sums := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"abc"}, {"ab", "c"}, {"a", "bc"}, {"a", "b", "c"}, {"abc", ""}} {
		var args [][]byte
		for _, part := range parts {
			args = append(args, []byte(part))
		}
		sum := string(keys.MAC("x", args...))
		if other, ok := sums[sum]; ok {
			t.Errorf("%q and %q give the same sum", parts, other)
		}
		sums[sum] = parts
	}
}

func TestReseal(t *testing.T) {
	t.Parallel()
	old, err := secrets.NewKeys(bytes.Repeat([]byte("o"), secrets.MinRoot))
	if err != nil {
		t.Fatal(err)
	}
	next, err := secrets.NewKeys(bytes.Repeat([]byte("n"), secrets.MinRoot))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := old.Seal("totp", "row 1", []byte("the secret"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := secrets.Reseal(old, next, "totp", "row 1", sealed)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := next.Open("totp", "row 1", again); err != nil || string(text) != "the secret" {
		t.Errorf("the new secret opens %q, %v", text, err)
	}
	if _, err := old.Open("totp", "row 1", again); !errors.Is(err, secrets.ErrSealed) {
		t.Errorf("the old secret still opens it: %v", err)
	}
	for place, from := range map[string]*secrets.Keys{"row 2": old, "row 1": next} {
		if _, err := secrets.Reseal(from, next, "totp", place, sealed); !errors.Is(err, secrets.ErrSealed) {
			t.Errorf("resealed what cannot be opened: %v", err)
		}
	}
}
