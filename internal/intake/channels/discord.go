package channels

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"fillbook/internal/base/outbound"
)

// discordSender sends to a webhook of Discord.
type discordSender struct{ client *outbound.UserClient }

// discordBytes is how long a message may be.
const discordBytes = 2000

type discordMessage struct {
	Content string `json:"content"`
	// AllowedMentions with an empty list: a name in a text notifies no one.
	AllowedMentions struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`
}

func (d discordSender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	m := p.message()
	body := discordMessage{Content: shorten(m.plain(), discordBytes)}
	body.AllowedMentions.Parse = []string{}
	address, err := url.Parse(to[urlKey])
	if err != nil {
		return failed(outbound.ErrAddress)
	}
	query := address.Query()
	query.Set("wait", "true")
	address.RawQuery = query.Encode()
	reply, err := post(ctx, d.client, address.String(), encode(body), nil)
	if err != nil {
		return failed(err)
	}
	o := judge(reply, p.now, http.StatusNotFound)
	var limit struct {
		RetryAfter float64 `json:"retry_after"`
	}
	if reply.Status == http.StatusTooManyRequests && json.Unmarshal(reply.Body, &limit) == nil && limit.RetryAfter > 0 {
		o.wait = max(o.wait, time.Duration(min(limit.RetryAfter, maxWait.Seconds())*float64(time.Second)))
	}
	return o
}
