package channels

import (
	"context"
	"strings"

	"fillbook/internal/base/outbound"
)

// gotifySender sends to an application of a Gotify server.
type gotifySender struct{ client *outbound.UserClient }

type gotifyMessage struct {
	Title    string         `json:"title"`
	Message  string         `json:"message"`
	Priority int            `json:"priority"`
	Extras   map[string]any `json:"extras,omitempty"`
}

func (g gotifySender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	m := p.message()
	body := gotifyMessage{Title: shorten(m.Title, 250), Message: shorten(textOr(m), 4096), Priority: 5}
	if m.Urgent {
		body.Priority = 8
	}
	if link := clickable(m.Link); link != "" {
		body.Extras = map[string]any{"client::notification": map[string]any{"click": map[string]any{"url": link}}}
	}
	address := strings.TrimRight(to[urlKey], "/") + "/message"
	reply, err := post(ctx, g.client, address, encode(body), map[string]string{"X-Gotify-Key": to[tokenKey]})
	if err != nil {
		return failed(err)
	}
	return judge(reply, p.now)
}
