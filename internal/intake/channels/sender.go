package channels

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/outbound"
)

// sender sends by one kind of channels.
type sender interface {
	send(ctx context.Context, to map[string]string, p *parcel) outcome
}

// parcel is one attempt of a delivery.
type parcel struct {
	eventID string
	now     time.Time // of this attempt
	body    string
}

// message returns the message that kinds other than webhooks send.
func (p *parcel) message() (m message) {
	if err := json.Unmarshal([]byte(p.body), &m); err != nil {
		return message{Title: "Fillbook", Text: "This message cannot be read."}
	}
	return m
}

// text returns the message as plain text.
func (m *message) plain() string {
	parts := []string{m.Title}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	if strings.Contains(m.Link, "://") {
		parts = append(parts, m.Link)
	}
	return strings.Join(parts, "\n")
}

// outcome is how an attempt ended.
type outcome struct {
	ok bool
	// status is the server's answer; 0 if there was none.
	status int
	// err says what failed, in a few words.
	err string
	// isGone reports that the address will never work again.
	isGone bool
	// wait is how long the server wants to be left alone.
	wait time.Duration
}

// sendTime is how long one request may take.
const sendTime = 15 * time.Second

// failed returns the outcome of a request without an answer.
func failed(err error) outcome { return outcome{err: err.Error()} }

// maxWait bounds what Retry-After can ask for.
const maxWait = 24 * time.Hour

// judge returns what an answer means. gone are the statuses besides 410 by which a service
// says that the address no longer exists.
func judge(reply outbound.Reply, now time.Time, gone ...int) outcome {
	o := outcome{status: reply.Status, ok: reply.Status >= 200 && reply.Status < 300}
	if o.ok {
		return o
	}
	o.err = "HTTP " + strconv.Itoa(reply.Status)
	if reply.Status >= 300 && reply.Status < 400 {
		o.err = "redirect (HTTP " + strconv.Itoa(reply.Status) + ")"
	}
	o.wait = parseRetryAfter(reply.RetryAfter, now)
	for _, status := range append(gone, http.StatusGone) {
		o.isGone = o.isGone || reply.Status == status
	}
	return o
}

// parseRetryAfter returns the wait in a header Retry-After: seconds or a time.
func parseRetryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), maxWait)
	}
	return 0
}

// post sends JSON to a user's address.
func post(ctx context.Context, client *outbound.UserClient, address, body string, header map[string]string) (outbound.Reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return outbound.Reply{}, outbound.ErrAddress
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	return client.Do(request)
}

// shorten returns a text with at most some bytes, and whole characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
