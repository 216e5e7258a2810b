package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/secrets"
)

// MailTLS is how the connection to the mail server is encrypted.
type MailTLS string

// The ways.
const (
	StartTLS    MailTLS = "starttls"
	ImplicitTLS MailTLS = "implicit"
	NoTLS       MailTLS = "none"
)

// MailServer is the operator's mail server. It may be anywhere, also inside the network.
type MailServer struct {
	Host     string // empty for none
	Port     int    // 0 for the usual one
	User     string
	Password secrets.Secret
	From     string
	TLS      MailTLS
	// config replaces the TLS configuration in tests.
	config *tls.Config
}

// Check returns an error for settings that cannot work.
func (m *MailServer) Check() error {
	if m.Host == "" {
		return nil
	}
	if _, err := mail.ParseAddress(m.From); err != nil || strings.ContainsAny(m.From, "\r\n") {
		return errors.New("SVC_SMTP_FROM is not a mail address")
	}
	switch {
	case m.TLS != StartTLS && m.TLS != ImplicitTLS && m.TLS != NoTLS:
		return errors.New("SVC_SMTP_TLS must be starttls, implicit or none")
	case m.Port < 0 || m.Port > 65535:
		return errors.New("SVC_SMTP_PORT must be between 1 and 65535")
	case m.TLS == NoTLS && m.Password != "":
		return errors.New("SVC_SMTP_PASSWORD must not be set with SVC_SMTP_TLS=none: it would be sent unencrypted")
	}
	return nil
}

func (m *MailServer) port() int {
	switch {
	case m.Port != 0:
		return m.Port
	case m.TLS == ImplicitTLS:
		return 465
	}
	return 587
}

// mailTime is how long sending a mail may take.
const mailTime = 30 * time.Second

// MailError is a refusal by the mail server.
type MailError struct{ Code int }

// Error returns the code: the text of the server is not shown.
func (e *MailError) Error() string { return fmt.Sprintf("SMTP %d", e.Code) }

// MailFrom returns the sender of mails, or an empty text without a mail server.
func (n *Network) MailFrom() string {
	if n.options.Mail.Host == "" {
		return ""
	}
	return n.options.Mail.From
}

// SendMail sends a message, with its headers, to an address.
func (n *Network) SendMail(ctx context.Context, to string, message []byte) error {
	if !n.Enabled() || n.options.Mail.Host == "" {
		return ErrDisabled
	}
	err := n.options.Mail.send(ctx, to, message)
	if err == nil {
		return nil
	}
	n.options.Log.Info("sending a mail failed", "host", n.options.Mail.Host, "error", err)
	var refusal *textproto.Error
	if errors.As(err, &refusal) {
		return &MailError{refusal.Code}
	}
	if errors.Is(err, ErrTLS) {
		return ErrTLS
	}
	return classify(err)
}

func (m *MailServer) send(ctx context.Context, to string, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	config := m.config
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: m.Host}
	}
	dialer := &net.Dialer{Timeout: connectTime}
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(m.Host, strconv.Itoa(m.port())))
	if err != nil {
		return err
	}
	defer connection.Close() //nolint:errcheck // the mail was accepted or not
	deadline, _ := ctx.Deadline()
	if err := connection.SetDeadline(deadline); err != nil {
		return err
	}
	if m.TLS == ImplicitTLS {
		connection = tls.Client(connection, config)
	}
	client, err := smtp.NewClient(connection, m.Host)
	if err != nil {
		return err
	}
	if err := m.prepare(client, config); err != nil {
		return err
	}
	return deliver(client, m.From, to, message)
}

// prepare encrypts the connection and signs in.
func (m *MailServer) prepare(client *smtp.Client, config *tls.Config) error {
	if m.TLS == StartTLS {
		if found, _ := client.Extension("STARTTLS"); !found {
			return fmt.Errorf("%w: the mail server does not offer STARTTLS", ErrTLS)
		}
		if err := client.StartTLS(config); err != nil {
			return err
		}
	}
	if m.User == "" {
		return nil
	}
	_, offered := client.Extension("AUTH")
	if !strings.Contains(offered, "PLAIN") && strings.Contains(offered, "LOGIN") {
		return client.Auth(&loginAuth{m.User, m.Password.Reveal()})
	}
	return client.Auth(smtp.PlainAuth("", m.User, m.Password.Reveal(), m.Host))
}

func deliver(client *smtp.Client, from, to string, message []byte) error {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return err
	}
	if err := client.Mail(sender.Address); err != nil {
		return err
	}
	if err := client.Rcpt(to); err != nil {
		return err
	}
	body, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := body.Write(message); err != nil {
		return err
	}
	if err := body.Close(); err != nil {
		return err
	}
	_ = client.Quit() // the mail is accepted
	return nil
}

// loginAuth is the mechanism LOGIN, which some servers have instead of PLAIN.
type loginAuth struct{ user, password string }

// Start implements [smtp.Auth].
func (a *loginAuth) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS {
		return "", nil, fmt.Errorf("%w: the connection is not encrypted", ErrTLS)
	}
	return "LOGIN", nil, nil
}

// Next implements [smtp.Auth].
func (a *loginAuth) Next(prompt []byte, more bool) ([]byte, error) {
	switch {
	case !more:
		return nil, nil
	case strings.HasPrefix(strings.ToLower(string(prompt)), "user"):
		return []byte(a.user), nil
	}
	return []byte(a.password), nil
}
