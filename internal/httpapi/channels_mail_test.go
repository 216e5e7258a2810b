package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/outbound"
	"fillbook/internal/testkit"
	"fillbook/internal/testkit/mailserver"
)

// mailsFrom returns the settings that send mails by a server of the test.
func mailsFrom(server *mailserver.Server, from string) func(*settle) {
	return func(s *settle) {
		s.outbound = outbound.New(outbound.Options{
			Enabled: true, Log: s.api.Log,
			Mail: outbound.MailServer{Host: server.Host, Port: server.Port, From: from, TLS: outbound.NoTLS},
		})
	}
}

// readMail parses a mail, with its decoded text.
func readMail(t *testing.T, m mailserver.Mail) (mail.Header, string) {
	t.Helper()
	parsed, err := mail.ReadMessage(strings.NewReader(m.Text))
	if err != nil {
		t.Fatalf("%v: %s", err, m.Text)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header, string(text)
}

// TestEmailChannel has the mail that an address receives, and what refusals of the mail
// server do: each is tried again by the schedule, as the same mail.
func TestEmailChannel(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, engine *db.DB) {
		server := mailserver.Start(t, mailserver.Options{})
		w := newWorld(t, engine, mailsFrom(server, "Büro <journal@example.org>"))
		d := w.trader()
		d.client = w.as(d.made("/access-tokens", more{"name": "test", "scope": "full"}).text("token")) // the clock moves beyond a session
		if kinds := d.get("/channels/kinds"); kinds.text("6.kind") != "email" || !strings.Contains(kinds.json("6"), `"available":true`) {
			t.Errorf("the kinds are %s", kinds.body)
		}
		for _, address := range []string{"", "fillbook", "a@example.org\r\nBcc: b@example.org", "a@example.org, b@example.org"} {
			d.post("/channels", more{"kind": "email", "address": address}).wantField("address")
		}
		made := d.made("/channels", more{"kind": "email", "address": "canary-user@example.org", "events": []string{"trade.closed"}}).is("host", `"example.org"`)
		path := "/channels/" + made.text("id")
		if text := string(d.get(path).body); strings.Contains(text, "canary-user") {
			t.Errorf("the channel shows the address: %s", text)
		}
		d.post(path+"/test", nil).want(http.StatusOK).is("ok", `true`).is("status", `250`)
		tested := server.Take()
		if len(tested) != 1 || tested[0].From != "journal@example.org" || tested[0].To != "canary-user@example.org" {
			t.Fatalf("received %+v", tested)
		}
		header, text := readMail(t, tested[0])
		from, err := header.AddressList("From")
		subject, _ := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
		if err != nil || from[0].Name != "Büro" || from[0].Address != "journal@example.org" || header.Get("To") != "canary-user@example.org" ||
			subject != "Fillbook: Test from Fillbook" || header.Get("Auto-Submitted") != "auto-generated" || !strings.HasSuffix(header.Get("Message-Id"), "@example.org>") ||
			!strings.HasPrefix(header.Get("Content-Type"), "text/plain") || !strings.HasPrefix(text, "Test from Fillbook") {
			t.Errorf("the mail is %s, %v", tested[0].Text, err)
		}
		if at, err := header.Date(); err != nil || !at.Equal(w.clock.Now().Truncate(time.Second)) {
			t.Errorf("the date is %s, %v", at, err)
		}
		for _, line := range strings.Split(tested[0].Text, "\n") {
			if len(line) > 998 || strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
				t.Errorf("the line %q", line)
			}
		}

		server.Answer(map[string]string{"RCPT": "550 5.1.1 canary no such user"})
		d.post(path+"/test", nil).want(http.StatusOK).is("ok", `false`).is("status", `550`).is("error", `"SMTP 550"`)
		server.Answer(map[string]string{"RCPT": "451 4.7.1 canary try later"})
		d.roundTrip("AAPL")
		w.deliver()
		d.get(path+"/deliveries").is("0.state", `"pending"`).is("0.attempts", `1`).is("0.last_status", `451`).is("0.last_error", `"SMTP 451"`)
		server.Answer(map[string]string{"CONNECT": "close"})
		w.clock.Advance(6 * time.Second)
		w.deliver()
		d.get(path+"/deliveries").is("0.state", `"pending"`).is("0.attempts", `2`).is("0.last_status", `null`).is("0.last_error", `"connection failed"`)
		server.Answer(nil)
		w.clock.Advance(4 * time.Minute)
		w.deliver()
		if early := server.Take(); len(early) != 0 {
			t.Errorf("sent before its time: %+v", early)
		}
		w.clock.Advance(2 * time.Minute)
		w.deliver()
		delivered := d.get(path+"/deliveries").is("0.state", `"delivered"`).is("0.attempts", `3`).is("0.last_status", `250`)
		got := server.Take()
		if len(got) != 1 {
			t.Fatalf("%d mails", len(got))
		}
		header, text = readMail(t, got[0])
		if header.Get("Message-Id") != "<"+delivered.text("0.event_id")+"@example.org>" || strings.Contains(text, "canary") {
			t.Errorf("the mail is %s", got[0].Text)
		}
		if text := w.log.String(); strings.Contains(text, "canary-user") {
			t.Errorf("the log has the address: %s", text)
		}
	})
}

// telegramBot is a server that speaks as much of Telegram's interface as a bot needs.
func telegramBot(t *testing.T) (*receiver, *outbound.Network) {
	t.Helper()
	r, _ := newReceiver(t)
	at, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	return r, outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"telegram": at}})
}

// TestTelegramChannel has the message that a chat receives, and the refusals of Telegram:
// 429 says in its body when to come back, 401, 403 and 404 switch the channel off.
func TestTelegramChannel(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, engine *db.DB) {
		r, network := telegramBot(t)
		w := newWorld(t, engine, func(s *settle) { s.outbound = network })
		d := w.trader()
		d.client = w.as(d.made("/access-tokens", more{"name": "test", "scope": "full"}).text("token")) // the clock moves beyond a session
		const token = "123:canary-bot"
		for field, body := range map[string]more{
			"token": {"kind": "telegram", "chat_id": "42"}, "chat_id": {"kind": "telegram", "token": token}, "url": {"kind": "telegram", "token": token, "chat_id": "42", "url": r.URL},
		} {
			d.post("/channels", body).wantField(field)
		}
		for _, bad := range []string{"1/../2", "1?x=1", "1#x", "1 2", "1%2f2", "x\ny"} {
			d.post("/channels", more{"kind": "telegram", "token": bad, "chat_id": "42"}).wantField("token")
		}
		path := "/channels/" + d.made("/channels", more{"kind": "telegram", "token": token, "chat_id": "-1001", "events": []string{"trade.closed"}}).
			is("host", `"api.telegram.org"`).is("secret", `null`).text("id")
		r.take()
		d.post(path+"/test", nil).want(http.StatusOK).is("ok", `true`).is("status", `200`)
		got := r.take()
		if len(got) != 1 || got[0].path != "/bot"+token+"/sendMessage" || got[0].header.Get("Content-Type") != "application/json" {
			t.Fatalf("received %+v", got)
		}
		var message map[string]any
		if err := json.Unmarshal([]byte(got[0].body), &message); err != nil || len(message) != 3 || message["chat_id"] != "-1001" ||
			!strings.HasPrefix(fmt.Sprint(message["text"]), "Test from Fillbook") || fmt.Sprint(message["link_preview_options"]) != "map[is_disabled:true]" {
			t.Errorf("the message is %s, %v", got[0].body, err)
		}

		r.answerText(http.StatusTooManyRequests, `{"ok":false,"error_code":429,"description":"canary","parameters":{"retry_after":600}}`)
		d.roundTrip("AAPL")
		w.deliver()
		d.get(path+"/deliveries").is("0.state", `"pending"`).is("0.attempts", `1`).is("0.last_status", `429`).is("0.last_error", `"HTTP 429"`)
		r.answerText(http.StatusBadGateway, `<html>`)
		w.clock.Advance(10*time.Minute - time.Second)
		w.deliver()
		if early := r.take(); len(early) != 1 {
			t.Errorf("%d requests before the end of retry_after", len(early))
		}
		w.clock.Advance(time.Second)
		w.deliver()
		d.get(path+"/deliveries").is("0.attempts", `2`).is("0.last_status", `502`)
		r.answerText(http.StatusFound, ``)
		w.clock.Advance(6 * time.Minute)
		w.deliver()
		d.get(path+"/deliveries").is("0.attempts", `3`).is("0.last_error", `"refused address"`)
		r.answerText(http.StatusBadRequest, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`)
		w.clock.Advance(34 * time.Minute)
		w.deliver()
		d.get(path).is("enabled", `true`)
		d.get(path+"/deliveries").is("0.state", `"pending"`).is("0.attempts", `4`)
		r.answerText(http.StatusOK, `{"ok":true}`)
		w.clock.Advance(3 * time.Hour)
		w.deliver()
		d.get(path+"/deliveries").is("0.state", `"delivered"`).is("0.attempts", `5`)

		for i, status := range []int{http.StatusForbidden, http.StatusUnauthorized, http.StatusNotFound} {
			r.answerText(status, `{"ok":false,"description":"canary"}`)
			d.fills("AAPL", 10*i+200, "buy 1@10", "sell 1@11")
			w.deliver()
			d.get(path+"/deliveries").is("0.state", `"failed"`).is("0.last_status", fmt.Sprint(status))
			if message := d.get(path).is("enabled", `false`).text("message"); !strings.Contains(message, fmt.Sprint(status)) {
				t.Errorf("the channel says %q", message)
			}
			d.patch(path, more{"enabled": true}).want(http.StatusOK)
		}
		r.Close()
		failed := d.post(path+"/test", nil).want(http.StatusOK).is("ok", `false`).is("error", `"connection failed"`)
		if all := string(failed.body) + string(d.get(path+"/deliveries").body) + w.log.String(); strings.Contains(all, "canary") {
			t.Error("an answer or the log has the bot's token, or Telegram's text")
		}
	})
}
