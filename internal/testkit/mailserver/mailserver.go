// Package mailserver is a mail server on this machine for tests. It speaks as much of SMTP
// as a client needs to hand over a mail, and refuses where a test says so.
package mailserver

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options are how a server behaves.
type Options struct {
	// Implicit makes every connection begin with TLS. StartTLS offers it.
	Implicit, StartTLS bool
	// Auth are the offered mechanisms, for example "PLAIN LOGIN". User and Password are
	// what is accepted.
	Auth, User, Password string
	// Replies are the answers to commands instead of the usual ones, by the command's first
	// word, CONNECT for the greeting, and END for the mail's end. A reply without text means
	// that the server is silent, and "close" that it closes the connection.
	Replies map[string]string
}

// Mail is a mail that a server accepted.
type Mail struct {
	From, To string
	Text     string
	// Encrypted and User are how it was sent.
	Encrypted bool
	User      string
}

// Server is a running server. It is safe for concurrent use.
type Server struct {
	Host string
	Port int
	// Roots contains the server's own certificate.
	Roots *x509.CertPool

	listener net.Listener
	config   *tls.Config
	mu       sync.Mutex
	options  Options
	mails    []Mail
	open     map[net.Conn]bool
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, listener: listener, options: options, open: map[net.Conn]bool{}}
	if s.config, s.Roots, err = newCertificate(); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open[connection] = true
			s.mu.Unlock()
			running.Go(func() { s.serve(connection) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.mu.Lock()
		for connection := range s.open {
			_ = connection.Close()
		}
		s.mu.Unlock()
		running.Wait()
	})
	return s
}

// newCertificate returns a certificate for this machine, and the pool that trusts it.
func newCertificate() (*tls.Config, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail server of a test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, roots, nil
}

// Answer sets the replies for later commands; see [Options].
func (s *Server) Answer(replies map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Replies = replies
}

// Take returns the mails since the last call.
func (s *Server) Take() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.mails
	s.mails = nil
	return taken
}

// conversation is one connection.
type conversation struct {
	*Server
	connection net.Conn
	text       *textproto.Reader
	mail       Mail
}

func (s *Server) serve(connection net.Conn) {
	defer func() {
		_ = connection.Close()
		s.mu.Lock()
		delete(s.open, connection)
		s.mu.Unlock()
	}()
	_ = connection.SetDeadline(time.Now().Add(time.Minute))
	c := &conversation{Server: s, connection: connection}
	if s.options.Implicit {
		c.encrypt()
	}
	c.read()
	_ = c.reply("CONNECT", "220 mail.example.org")
	for {
		line, err := c.text.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		if !c.handle(strings.ToUpper(verb), rest) {
			return
		}
	}
}

func (c *conversation) read() { c.text = textproto.NewReader(bufio.NewReader(c.connection)) }

func (c *conversation) encrypt() {
	c.connection, c.mail.Encrypted = tls.Server(c.connection, c.config), true
}

// reply sends the usual answer or the test's, and reports whether the usual one was sent.
func (c *conversation) reply(command, usual string) bool {
	c.mu.Lock()
	other, changed := c.options.Replies[command]
	c.mu.Unlock()
	switch {
	case !changed:
		_, err := io.WriteString(c.connection, usual+"\r\n")
		return err == nil
	case other == "close":
		_ = c.connection.Close()
	case other != "":
		_, _ = io.WriteString(c.connection, other+"\r\n")
	}
	return false
}

// handle answers a command, and reports whether the conversation goes on.
func (c *conversation) handle(verb, rest string) bool {
	switch verb {
	case "EHLO":
		c.reply(verb, c.greeting())
	case "STARTTLS":
		if c.reply(verb, "220 go ahead") {
			c.encrypt()
			c.read()
		}
	case "AUTH":
		c.signIn(rest)
	case "MAIL":
		if c.reply(verb, "250 ok") {
			c.mail.From = address(rest)
		}
	case "RCPT":
		if c.reply(verb, "250 ok") {
			c.mail.To = address(rest)
		}
	case "DATA":
		if c.reply(verb, "354 go ahead") {
			c.accept()
		}
	case "QUIT":
		_ = c.reply(verb, "221 bye")
		return false
	default:
		_ = c.reply(verb, "250 ok")
	}
	return true
}

func (c *conversation) greeting() string {
	lines := []string{"mail.example.org"}
	if c.options.StartTLS && !c.mail.Encrypted {
		lines = append(lines, "STARTTLS")
	}
	if c.options.Auth != "" && (c.mail.Encrypted || !c.options.StartTLS) {
		lines = append(lines, "AUTH "+c.options.Auth)
	}
	for i := range lines {
		separator := "-"
		if i == len(lines)-1 {
			separator = " "
		}
		lines[i] = "250" + separator + lines[i]
	}
	return strings.Join(lines, "\r\n")
}

// signIn answers AUTH PLAIN and AUTH LOGIN.
func (c *conversation) signIn(arguments string) {
	if c.options.Auth == "" {
		_ = c.reply("REFUSED", "502 5.5.1 no sign-in here")
		return
	}
	var user, password string
	mechanism, first, _ := strings.Cut(arguments, " ")
	if mechanism == "PLAIN" {
		parts := strings.Split(decode(first), "\x00")
		if len(parts) == 3 {
			user, password = parts[1], parts[2]
		}
	} else {
		user, password = c.ask("Username:"), c.ask("Password:")
	}
	if user != c.options.User || password != c.options.Password {
		_ = c.reply("REFUSED", "535 5.7.8 authentication failed for "+user)
		return
	}
	if c.reply("AUTH", "235 ok") {
		c.mail.User = user
	}
}

// ask sends a prompt of AUTH LOGIN and returns the answer.
func (c *conversation) ask(prompt string) string {
	_, _ = fmt.Fprintf(c.connection, "334 %s\r\n", base64.StdEncoding.EncodeToString([]byte(prompt)))
	line, _ := c.text.ReadLine()
	return decode(line)
}

func decode(text string) string {
	decoded, _ := base64.StdEncoding.DecodeString(text)
	return string(decoded)
}

// address returns the address in FROM:<a@example.org>.
func address(text string) string {
	_, rest, _ := strings.Cut(text, "<")
	found, _, _ := strings.Cut(rest, ">")
	return found
}

// accept reads a mail until its end.
func (c *conversation) accept() {
	text, err := c.text.ReadDotBytes()
	if err != nil || !c.reply("END", "250 stored") {
		return
	}
	c.mail.Text = string(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mails = append(c.mails, c.mail)
}
