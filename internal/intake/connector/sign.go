package connector

import (
	"crypto/hmac"
	"crypto/sha256"
)

// SignSHA256 returns the HMAC of a text with SHA-256, with which many exchanges sign
// requests.
func SignSHA256(secret, text string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
