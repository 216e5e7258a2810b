// Package secrets derives every key from one root secret, and keeps secrets out of logs.
//
// The root secret is set by the operator or created by [LoadOrCreate] at the first start.
// It is never used directly: [Keys] derives one key for each purpose (HKDF with a label),
// so the token signing key cannot open sealed values, and a leaked key reveals nothing
// about another.
//
// [Secret] is the type for passwords, tokens and codes in memory: it cannot be printed by
// accident.
package secrets

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// MinRoot is the minimum root secret length, in bytes.
const MinRoot = 32

const (
	keySize = 32 // AES-256, HMAC-SHA256
	// sealVersion is the first byte in every sealed value. A future format will have the
	// next number, so both can be opened.
	sealVersion = 1
)

// ErrSealed means a sealed value cannot be opened: it was changed, moved to another row,
// or sealed with another root secret.
var ErrSealed = errors.New("the sealed value does not open with this secret")

// Keys derives keys from the root secret, one for each purpose. It is safe for
// concurrent use.
type Keys struct {
	root []byte
	jwt  []byte
}

// NewKeys returns the keys for a root secret, which must have at least [MinRoot] bytes.
func NewKeys(root []byte) (*Keys, error) {
	if len(root) < MinRoot {
		return nil, fmt.Errorf("the secret has %d bytes and needs at least %d", len(root), MinRoot)
	}
	k := &Keys{root: bytes.Clone(root)}
	var err error
	k.jwt, err = k.derive("jwt", keySize)
	return k, err
}

// derive returns the key for a purpose.
func (k *Keys) derive(label string, size int) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, k.root, nil, "fillbook/"+label, size)
	if err != nil {
		return nil, fmt.Errorf("deriving the key %q: %w", label, err)
	}
	return key, nil
}

// JWT returns the key for signing access tokens.
func (k *Keys) JWT() []byte { return k.jwt }

// Fingerprint identifies the root secret without revealing it. It is
// stored in the database to detect a start with the wrong secret.
func (k *Keys) Fingerprint() []byte {
	return k.MAC("fingerprint")[:16]
}

// Seal encrypts and authenticates a value (AES-256-GCM, random nonce) with the label's
// key. aad identifies where the value belongs, such as a row; it cannot be opened with
// another aad.
func (k *Keys) Seal(label, aad string, plaintext []byte) ([]byte, error) {
	aead, err := k.aead(label)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("generating a nonce: %w", err)
	}
	sealed := append([]byte{sealVersion}, nonce...)
	return aead.Seal(sealed, nonce, plaintext, []byte(aad)), nil
}

// Open returns what [Keys.Seal] sealed with the same label and aad,
// or [ErrSealed].
func (k *Keys) Open(label, aad string, sealed []byte) ([]byte, error) {
	aead, err := k.aead(label)
	if err != nil {
		return nil, err
	}
	start := 1 + aead.NonceSize()
	if len(sealed) < start || sealed[0] != sealVersion {
		return nil, ErrSealed
	}
	plaintext, err := aead.Open(nil, sealed[1:start], sealed[start:], []byte(aad))
	if err != nil {
		return nil, ErrSealed
	}
	return plaintext, nil
}

// Reseal opens a value with one root secret and seals it with another, for the
// same place. It returns [ErrSealed] if the first cannot open it.
func Reseal(from, to *Keys, label, aad string, sealed []byte) ([]byte, error) {
	plaintext, err := from.Open(label, aad, sealed)
	if err != nil {
		return nil, err
	}
	return to.Seal(label, aad, plaintext)
}

func (k *Keys) aead(label string) (cipher.AEAD, error) {
	key, err := k.derive("seal/"+label, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// MAC returns the HMAC-SHA256 over the parts with the label's key. Each part is prefixed
// with its length, so ("ab", "c") and ("a", "bc") differ.
func (k *Keys) MAC(label string, parts ...[]byte) []byte {
	key, err := k.derive("mac/"+label, keySize)
	if err != nil {
		panic(err) // fails only for keys too long for HKDF
	}
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = mac.Write(part)
	}
	return mac.Sum(nil)
}
