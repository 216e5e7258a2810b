package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Limits for a request to a user's address.
const (
	userConnectTime = 5 * time.Second
	userWholeTime   = 15 * time.Second
	userMaxBytes    = 64 << 10
	maxURL          = 2048
)

// UserClient sends requests to addresses that users enter. It connects to public addresses
// over TLS, and to those that the operator opened; the address is checked for each
// connection. It follows no redirects. It is safe for concurrent use.
type UserClient struct {
	network   *Network
	secure    *http.Client
	plain     *http.Client
	wholeTime time.Duration
}

// UserClient returns a client for users' addresses.
func (n *Network) UserClient() *UserClient {
	return &UserClient{
		network: n, secure: newUserHTTPClient(n.options.Private.control(true)), plain: newUserHTTPClient(n.options.Private.control(false)),
		wholeTime: userWholeTime,
	}
}

func newUserHTTPClient(control controlFunc) *http.Client {
	client := newHTTPClient(control)
	transport := client.Transport.(*http.Transport) //nolint:forcetypeassert // newHTTPClient made it
	transport.DialContext = (&net.Dialer{Timeout: userConnectTime, Control: control}).DialContext
	transport.TLSHandshakeTimeout = userConnectTime
	transport.DisableKeepAlives, transport.DisableCompression = true, true
	return client
}

// Reply is the answer of a user's server.
type Reply struct {
	Status     int
	RetryAfter string // the header
	Body       []byte // at most 64 KiB; incomplete if it came too slowly
}

// Errors of a request to a user's server. Their texts are shown to users.
var (
	ErrAddress  = errors.New("refused address")
	ErrTimeout  = errors.New("time-out")
	ErrTLS      = errors.New("TLS")
	ErrConnect  = errors.New("connection failed")
	errNoDomain = errors.New("unknown host")
)

// Do sends a request and reads the answer. The body is read to 64 KiB or until the time
// limit; the status counts in any case. An error is one of this package, without details of
// the server.
func (c *UserClient) Do(request *http.Request) (Reply, error) {
	if !c.network.Enabled() {
		return Reply{}, ErrDisabled
	}
	if err := c.network.CheckURL(request.URL.String()); err != nil {
		return Reply{}, ErrAddress
	}
	ctx, cancel := context.WithTimeout(request.Context(), c.wholeTime)
	defer cancel()
	request = request.Clone(ctx)
	request.Header.Set("User-Agent", "Fillbook/"+c.network.options.Version)
	client := c.secure
	if request.URL.Scheme == "http" {
		client = c.plain
	}
	response, err := client.Do(request)
	if err != nil {
		c.network.options.Log.Info("request to a user's address failed", "host", request.URL.Hostname(), "error", hideURL(err))
		return Reply{}, classify(err)
	}
	defer response.Body.Close() //nolint:errcheck // the answer is complete, or not needed
	reply := Reply{Status: response.StatusCode, RetryAfter: response.Header.Get("Retry-After")}
	reply.Body, _ = io.ReadAll(io.LimitReader(response.Body, userMaxBytes))
	return reply, nil
}

// hideURL returns an error without the address, which may contain keys.
func hideURL(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}

// classify returns the kind of a failure without its details.
func classify(err error) error {
	var timeout interface{ Timeout() bool }
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var name *net.DNSError
	switch {
	case errors.Is(err, ErrRefused):
		return ErrAddress
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ErrTimeout
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return ErrTLS
	case errors.As(err, &name):
		return errNoDomain
	}
	return ErrConnect
}

// CheckURL returns the reason why no request is sent to an address, as far as the address
// itself shows it.
func (n *Network) CheckURL(text string) error {
	if len(text) > maxURL {
		return fmt.Errorf("it has more than %d characters", maxURL)
	}
	if strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsAny(text, " \\") {
		return errors.New("it contains a character that addresses do not have")
	}
	to, err := url.Parse(text)
	switch {
	case err != nil || to.Hostname() == "" || to.Opaque != "":
		return errors.New("it is not an address such as https://example.org/path")
	case to.Scheme != "https" && to.Scheme != "http":
		return errors.New("it must begin with https://")
	case to.User != nil:
		return errors.New("it contains a user name")
	case to.Fragment != "" || strings.Contains(text, "#"):
		return errors.New("it contains a fragment (#)")
	case to.Scheme == "http" && n.options.Private.IsEmpty():
		return errors.New("it must begin with https://")
	}
	return n.checkHost(to)
}

// CheckPlainHost returns the reason why an address without TLS is refused: a host that is a
// name must be one of the addresses that the operator opened. It asks for the name's
// addresses, so it must not be called in a transaction.
func (n *Network) CheckPlainHost(ctx context.Context, text string) error {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "http" {
		return nil //nolint:nilerr // CheckURL reports it
	}
	host, port := strings.TrimSuffix(to.Hostname(), "."), uint16(80)
	if text := to.Port(); text != "" {
		parsed, err := netip.ParseAddrPort("0.0.0.0:" + text)
		if err != nil {
			return nil //nolint:nilerr // CheckURL reports it
		}
		port = parsed.Port()
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil // CheckURL has checked the number
	}
	ctx, cancel := context.WithTimeout(ctx, userConnectTime)
	defer cancel()
	found, err := n.options.Lookup(ctx, "ip", host)
	isOutside := func(a netip.Addr) bool { return !n.options.Private.allows(netip.AddrPortFrom(a, port)) }
	if err != nil || len(found) == 0 || slices.ContainsFunc(found, isOutside) {
		return errors.New("it must begin with https://, because its host is not in the network that the administrator opened")
	}
	return nil
}

// checkHost checks a host that is written as a number, and the port.
func (n *Network) checkHost(to *url.URL) error {
	port := uint16(443)
	if to.Scheme == "http" {
		port = 80
	}
	host := strings.TrimSuffix(to.Hostname(), ".")
	if text := to.Port(); text != "" {
		parsed, err := netip.ParseAddrPort("0.0.0.0:" + text)
		if err != nil || parsed.Port() == 0 {
			return errors.New("its port is not a number")
		}
		port = parsed.Port()
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		if isNumber(host[strings.LastIndexByte(host, '.')+1:]) {
			return errors.New("its host is a number in an unusual form")
		}
		if host == "" || strings.EqualFold(host, "localhost") {
			return errors.New("its host is not allowed")
		}
		return nil // the address is checked for each connection
	}
	if address.Zone() != "" || n.options.Private.control(to.Scheme == "https")("tcp", netip.AddrPortFrom(address, port).String(), nil) != nil {
		return errors.New("its host is not allowed")
	}
	return nil
}

// isNumber reports whether the last part of a host makes it a number: resolvers read
// 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 as addresses.
func isNumber(label string) bool {
	digits := label
	if len(label) > 1 && (label[:2] == "0x" || label[:2] == "0X") {
		digits = strings.Trim(label[2:], "abcdefABCDEF0123456789")
		return digits == ""
	}
	return label != "" && strings.Trim(digits, "0123456789") == ""
}
