package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fillbook/internal/testkit/mailserver"
)

const (
	mailUser     = "fillbook"
	mailPassword = "canary-mail-password"
	mailText     = "Subject: Test\r\n\r\nFirst line\r\n.\r\n..two dots\r\n"
)

// mailNetwork returns a network whose mail server is a test's, and its log.
func mailNetwork(s *mailserver.Server, way MailTLS, change func(*MailServer)) (*Network, *bytes.Buffer) {
	log := &bytes.Buffer{}
	m := MailServer{
		Host: s.Host, Port: s.Port, From: "Fillbook <journal@example.org>", TLS: way,
		config: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.Host, RootCAs: s.Roots},
	}
	if way != NoTLS {
		m.User, m.Password = mailUser, mailPassword
	}
	if change != nil {
		change(&m)
	}
	return New(Options{Enabled: true, Mail: m, Log: slog.New(slog.NewTextHandler(log, nil))}), log
}

func signedIn(o mailserver.Options) mailserver.Options {
	o.User, o.Password = mailUser, mailPassword
	if o.Auth == "" {
		o.Auth = "PLAIN LOGIN"
	}
	return o
}

// TestMailIsSent hands a mail over in every way: STARTTLS, TLS from the start, none; signed
// in by PLAIN and by LOGIN.
func TestMailIsSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server mailserver.Options
		way    MailTLS
		user   string
	}{
		"STARTTLS":         {signedIn(mailserver.Options{StartTLS: true}), StartTLS, mailUser},
		"STARTTLS, LOGIN":  {signedIn(mailserver.Options{StartTLS: true, Auth: "LOGIN"}), StartTLS, mailUser},
		"implicit TLS":     {signedIn(mailserver.Options{Implicit: true}), ImplicitTLS, mailUser},
		"without anything": {mailserver.Options{}, NoTLS, ""},
	} {
		server := mailserver.Start(t, c.server)
		network, _ := mailNetwork(server, c.way, nil)
		if err := network.SendMail(t.Context(), "trader@example.org", []byte(mailText)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := server.Take()
		if len(got) != 1 || got[0].From != "journal@example.org" || got[0].To != "trader@example.org" ||
			got[0].Text != strings.ReplaceAll(mailText, "\r\n", "\n") || got[0].Encrypted != (c.way != NoTLS) || got[0].User != c.user {
			t.Errorf("%s: received %+v", name, got)
		}
	}
}

// TestMailIsRefused: each refusal is an error of its kind, with the server's code and
// without its text, and neither the error nor the log has the password.
func TestMailIsRefused(t *testing.T) {
	t.Parallel()
	starttls := signedIn(mailserver.Options{StartTLS: true})
	answering := func(command, reply string) mailserver.Options {
		o := starttls
		o.Replies = map[string]string{command: reply}
		return o
	}
	for name, c := range map[string]struct {
		server mailserver.Options
		way    MailTLS
		change func(*MailServer)
		want   string
	}{
		"busy":                    {answering("CONNECT", "421 too many connections"), StartTLS, nil, "SMTP 421"},
		"not offered":             {signedIn(mailserver.Options{}), StartTLS, nil, "TLS"},
		"STARTTLS refused":        {answering("STARTTLS", "454 TLS not available"), StartTLS, nil, "SMTP 454"},
		"unknown certificate":     {starttls, StartTLS, func(m *MailServer) { m.config = nil }, "TLS"},
		"certificate, implicit":   {signedIn(mailserver.Options{Implicit: true}), ImplicitTLS, func(m *MailServer) { m.config = nil }, "TLS"},
		"no TLS where expected":   {signedIn(mailserver.Options{}), ImplicitTLS, nil, "TLS"},
		"wrong password":          {starttls, StartTLS, func(m *MailServer) { m.Password = "canary-other" }, "SMTP 535"},
		"wrong password, LOGIN":   {signedIn(mailserver.Options{StartTLS: true, Auth: "LOGIN"}), StartTLS, func(m *MailServer) { m.Password = "canary-other" }, "SMTP 535"},
		"sign-in not offered":     {mailserver.Options{StartTLS: true}, StartTLS, nil, "SMTP 502"},
		"sender":                  {answering("MAIL", "553 sender not allowed"), StartTLS, nil, "SMTP 553"},
		"recipient unknown":       {answering("RCPT", "550 5.1.1 no such user"), StartTLS, nil, "SMTP 550"},
		"greylisted":              {answering("RCPT", "451 4.7.1 try again later"), StartTLS, nil, "SMTP 451"},
		"text not accepted":       {answering("DATA", "554 no valid recipients"), StartTLS, nil, "SMTP 554"},
		"refused after the text":  {answering("END", "552 too large"), StartTLS, nil, "SMTP 552"},
		"closed after the text":   {answering("END", "close"), StartTLS, nil, "connection failed"},
		"closed at the beginning": {answering("CONNECT", "close"), StartTLS, nil, "connection failed"},
	} {
		server := mailserver.Start(t, c.server)
		network, log := mailNetwork(server, c.way, c.change)
		err := network.SendMail(t.Context(), "trader@example.org", []byte(mailText))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if strings.Contains(log.String(), "canary") || !strings.Contains(log.String(), server.Host) {
			t.Errorf("%s: the log is %s", name, log)
		}
		if got := server.Take(); len(got) != 0 {
			t.Errorf("%s: accepted %+v", name, got)
		}
	}
}

// TestMailServerHangs: a server that says nothing is left after the time limit.
func TestMailServerHangs(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"CONNECT", "EHLO", "RCPT", "END"} {
		server := mailserver.Start(t, mailserver.Options{Replies: map[string]string{command: ""}})
		network, _ := mailNetwork(server, NoTLS, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := network.SendMail(ctx, "trader@example.org", []byte(mailText))
		cancel()
		if !errors.Is(err, ErrTimeout) {
			t.Errorf("silent at %s: %v", command, err)
		}
	}
}

// TestMailIsAcceptedWithoutFarewell: a server that fails after it accepted the mail does not
// make it be sent again.
func TestMailIsAcceptedWithoutFarewell(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{Replies: map[string]string{"QUIT": "close"}})
	network, _ := mailNetwork(server, NoTLS, nil)
	if err := network.SendMail(t.Context(), "trader@example.org", []byte(mailText)); err != nil {
		t.Error(err)
	}
	if got := server.Take(); len(got) != 1 {
		t.Errorf("received %+v", got)
	}
}

// TestMailAddressesAddNoCommands: a line end in an address does not reach the server.
func TestMailAddressesAddNoCommands(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{})
	network, _ := mailNetwork(server, NoTLS, nil)
	if err := network.SendMail(t.Context(), "a@example.org>\r\nRCPT TO:<b@example.org", []byte(mailText)); err == nil {
		t.Errorf("sent %+v", server.Take())
	}
}

func TestMailSettings(t *testing.T) {
	t.Parallel()
	good := MailServer{Host: "mail.example.org", From: "a@example.org", TLS: StartTLS}
	for name, change := range map[string]func(*MailServer){
		"sender":           func(m *MailServer) { m.From = "fillbook" },
		"line end":         func(m *MailServer) { m.From = "a@example.org\r\nBcc: b@example.org" },
		"TLS":              func(m *MailServer) { m.TLS = "x" },
		"port":             func(m *MailServer) { m.Port = 70000 },
		"password in text": func(m *MailServer) { m.TLS, m.Password = NoTLS, mailPassword },
	} {
		m := good
		change(&m)
		if m.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for way, port := range map[MailTLS]int{StartTLS: 587, ImplicitTLS: 465, NoTLS: 587} {
		m := good
		m.TLS = way
		if err := m.Check(); err != nil || m.port() != port {
			t.Errorf("%s: port %d, %v", way, m.port(), err)
		}
	}
	off := New(Options{Mail: good})
	if err := off.SendMail(t.Context(), "a@example.org", nil); !errors.Is(err, ErrDisabled) {
		t.Error(err)
	}
	if err := New(Options{Enabled: true}).SendMail(t.Context(), "a@example.org", nil); !errors.Is(err, ErrDisabled) {
		t.Error(err)
	}
}
