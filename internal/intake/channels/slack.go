package channels

import (
	"context"
	"net/http"
	"strings"

	"fillbook/internal/base/outbound"
)

// slackSender sends to an incoming webhook of Slack, or of a service with the same format.
type slackSender struct{ client *outbound.UserClient }

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (s slackSender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	m := p.message()
	body := map[string]string{"text": slackEscapes.Replace(shorten(m.plain(), 4000))}
	reply, err := post(ctx, s.client, to[urlKey], encode(body), nil)
	if err != nil {
		return failed(err)
	}
	o := judge(reply, p.now, http.StatusNotFound)
	switch word := strings.TrimSpace(string(reply.Body)); {
	case o.ok:
	case word == "no_service", word == "channel_is_archived", word == "action_prohibited":
		o.isGone = true
	}
	return o
}
