package channels

import (
	"context"

	"fillbook/internal/base/outbound"
)

// ntfySender publishes to a topic of an ntfy server.
type ntfySender struct{ client *outbound.UserClient }

// ntfyBytes is how long a message may be; servers make a longer one a file.
const ntfyBytes = 4096

type ntfyMessage struct {
	Topic    string `json:"topic"`
	Title    string `json:"title"`
	Message  string `json:"message"`
	Priority int    `json:"priority"`
	Click    string `json:"click,omitempty"`
}

func (n ntfySender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	m := p.message()
	body := ntfyMessage{Topic: to[topicKey], Title: shorten(m.Title, 250), Message: shorten(textOr(m), ntfyBytes), Priority: 3, Click: clickable(m.Link)}
	if m.Urgent {
		body.Priority = 4
	}
	header := map[string]string{}
	if to[tokenKey] != "" {
		header["Authorization"] = "Bearer " + to[tokenKey]
	}
	reply, err := post(ctx, n.client, to[urlKey], encode(body), header)
	if err != nil {
		return failed(err)
	}
	return judge(reply, p.now)
}

// textOr returns a message's text, or its title if it has none.
func textOr(m message) string {
	if m.Text == "" {
		return m.Title
	}
	return m.Text
}

// clickable returns a link if it is a whole address.
func clickable(link string) string {
	if len(link) > 0 && link[0] == '/' {
		return ""
	}
	return link
}
