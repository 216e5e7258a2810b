package channels

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
)

// secretPrefix begins the secrets of webhooks.
const secretPrefix = "whsec_"

// parseSecret returns the bytes of a webhook's secret.
func parseSecret(text string) ([]byte, error) {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, journal.InvalidField(secretKey, "secret must be whsec_ and 24 to 64 bytes in base64.")
	}
	return key, nil
}

// sign returns the signature of a delivery as Standard Webhooks defines it: over the id, the
// time of the attempt in seconds, and the body.
func sign(key []byte, id string, at int64, body string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + strconv.FormatInt(at, 10) + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signatures returns the signatures with the secret and, for a day, with the one before it.
func signatures(values map[string]string, p *parcel) string {
	secrets := []string{values[secretKey]}
	if until, err := time.Parse(time.RFC3339, values[oldUntilKey]); err == nil && p.now.Before(until) {
		secrets = append(secrets, values[oldSecretKey])
	}
	var list []string
	for _, text := range secrets {
		if key, err := parseSecret(text); err == nil {
			list = append(list, sign(key, p.eventID, p.now.Unix(), p.body))
		}
	}
	return strings.Join(list, " ")
}

// webhookSender sends signed bodies, as Standard Webhooks defines it.
type webhookSender struct{ client *outbound.UserClient }

func (w webhookSender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	signed := signatures(to, p)
	if signed == "" {
		return outcome{err: "no secret"}
	}
	reply, err := post(ctx, w.client, to[urlKey], p.body, map[string]string{
		"webhook-id": p.eventID, "webhook-timestamp": strconv.FormatInt(p.now.Unix(), 10), "webhook-signature": signed,
	})
	if err != nil {
		return failed(err)
	}
	return judge(reply, p.now)
}
