package coinbase

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"strings"
	"time"

	"fillbook/internal/intake/connector"
)

// tokenLife is how long a token is valid.
const tokenLife = 2 * time.Minute

// tokenMargin is how long before it is sent a token is valid, for a clock that is ahead.
const tokenMargin = 10 * time.Second

// signer signs tokens with a user's private key.
type signer struct {
	algorithm string
	sign      func(message []byte) ([]byte, error)
}

// parseKey returns the signer for a private key: one for ES256 in PEM, or one for Ed25519
// in PEM or as 32 or 64 bytes in base64. Users also paste a PEM whose line ends are \n.
func parseKey(text string) (signer, error) {
	if block, _ := pem.Decode([]byte(strings.ReplaceAll(text, `\n`, "\n"))); block != nil {
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return newECSigner(key)
		}
		switch key, _ := x509.ParsePKCS8PrivateKey(block.Bytes); key := key.(type) {
		case *ecdsa.PrivateKey:
			return newECSigner(key)
		case ed25519.PrivateKey:
			return newEdSigner(key), nil
		}
		return signer{}, errKey()
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != ed25519.SeedSize && len(raw) != ed25519.PrivateKeySize {
		return signer{}, errKey()
	}
	return newEdSigner(ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])), nil
}

func errKey() error {
	return connector.SetupError("The private key cannot be read. Copy the whole text from Coinbase, with its first and last line if it has any.")
}

func newECSigner(key *ecdsa.PrivateKey) (signer, error) {
	if key.Curve != elliptic.P256() {
		return signer{}, errKey()
	}
	return signer{algorithm: "ES256", sign: func(message []byte) ([]byte, error) {
		digest := sha256.Sum256(message)
		r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
		if err != nil {
			return nil, err
		}
		const half = 32
		signature := make([]byte, 2*half)
		r.FillBytes(signature[:half])
		s.FillBytes(signature[half:])
		return signature, nil
	}}, nil
}

func newEdSigner(key ed25519.PrivateKey) signer {
	return signer{algorithm: "EdDSA", sign: func(message []byte) ([]byte, error) { return ed25519.Sign(key, message), nil }}
}

// newToken returns the token for one request, whose method, host and path are the
// address.
func newToken(key signer, name, address string, at time.Time) (string, error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it never fails
	header := map[string]any{"alg": key.algorithm, "typ": "JWT", "kid": name, "nonce": hex.EncodeToString(nonce)}
	claims := map[string]any{
		"sub": name, "iss": "cdp", "nbf": at.Unix(), "exp": at.Add(tokenLife).Unix(), "uri": address,
	}
	var parts []string
	for _, part := range []any{header, claims} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	message := strings.Join(parts, ".")
	signature, err := key.sign([]byte(message))
	if err != nil {
		return "", err
	}
	return message + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
