package connector_test

import (
	"encoding/hex"
	"testing"

	"fillbook/internal/intake/connector"
)

// TestSignSHA256 uses the second test case of RFC 4231.
func TestSignSHA256(t *testing.T) {
	t.Parallel()
	got := hex.EncodeToString(connector.SignSHA256("Jefe", "what do ya want for nothing?"))
	if want := "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
