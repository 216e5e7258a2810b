package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"
)

// TestRootCertificatesAreEmbedded loads the root certificates in a process whose system
// has none, as in the container image. They are needed to verify a PostgreSQL server's
// certificate.
func TestRootCertificatesAreEmbedded(t *testing.T) {
	if os.Getenv("TEST_LOAD_ROOTS") != "" {
		roots, err := x509.SystemCertPool()
		if err != nil {
			t.Fatal(err)
		}
		if roots.Equal(x509.NewCertPool()) {
			t.Fatal("no root certificates")
		}
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	command.Env = append(os.Environ(), "TEST_LOAD_ROOTS=1", "SSL_CERT_FILE=/nonexistent", "SSL_CERT_DIR=/nonexistent")
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
