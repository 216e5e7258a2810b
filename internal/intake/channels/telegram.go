package channels

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/base/outbound"
)

const telegramHost = "api.telegram.org"

// telegramSender sends to a chat by a bot of Telegram.
type telegramSender struct{ client *outbound.Client }

// telegramBytes is how long a message may be, in characters.
const telegramBytes = 4096

type telegramMessage struct {
	ChatID  string `json:"chat_id"`
	Text    string `json:"text"`
	Preview struct {
		IsDisabled bool `json:"is_disabled"`
	} `json:"link_preview_options"`
}

func (t telegramSender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	m := p.message()
	body := telegramMessage{ChatID: to[chatKey], Text: shorten(m.plain(), telegramBytes)}
	body.Preview.IsDisabled = true
	address := "https://" + telegramHost + "/bot" + to[tokenKey] + "/sendMessage"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(encode(body)))
	if err != nil {
		return failed(outbound.ErrAddress)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := t.client.Do(request)
	if err != nil {
		// The text of an error may have the address, which contains the key.
		switch {
		case errors.Is(err, outbound.ErrDisabled):
			return failed(outbound.ErrDisabled)
		case errors.Is(err, outbound.ErrRefused):
			return failed(outbound.ErrAddress)
		case errors.Is(err, context.DeadlineExceeded):
			return failed(outbound.ErrTimeout)
		}
		return failed(outbound.ErrConnect)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	reply := outbound.Reply{Status: response.StatusCode, RetryAfter: response.Header.Get("Retry-After")}
	reply.Body, _ = io.ReadAll(response.Body)
	// 401 and 404: the bot does not exist. 403: the user has blocked it.
	o := judge(reply, p.now, http.StatusForbidden, http.StatusUnauthorized, http.StatusNotFound)
	var answer struct {
		Parameters struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if !o.ok && json.Unmarshal(reply.Body, &answer) == nil && answer.Parameters.RetryAfter > 0 {
		o.wait = min(max(o.wait, time.Duration(answer.Parameters.RetryAfter)*time.Second), maxWait)
	}
	return o
}
