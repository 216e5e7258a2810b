// Package outbound sends Fillbook's requests to other servers. It is the only package
// that does, and a test checks it.
//
// Nothing is sent unless the operator allows it. A client sends to a fixed list of hosts, or
// to any public one, over TLS, and refuses redirects and non-public addresses. A [UserClient]
// sends to the addresses that users enter. Answers are bounded in size and time. Neither
// request addresses nor headers are logged, because they may contain
// keys.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Errors for requests not sent, or whose answer was refused.
var (
	// ErrDisabled means the operator does not allow outbound requests.
	ErrDisabled = errors.New("outbound requests are disabled")
	// ErrRefused means a client may not send the request.
	ErrRefused = errors.New("outbound request refused")
	// ErrTooLarge means an answer has more bytes than allowed.
	ErrTooLarge = errors.New("the answer is too large")
)

// Options are a [Network]'s settings.
type Options struct {
	// Enabled allows requests.
	Enabled bool
	// Endpoints are other provider addresses; see [ParseEndpoints].
	Endpoints Endpoints
	// Private are the addresses that are not public and that users' addresses may name.
	Private Private
	// Lookup returns the addresses of a host without TLS, before any request; nil means
	// as the system does.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Mail is the mail server.
	Mail MailServer
	// Version is the program version, for the user agent.
	Version string
	Log     *slog.Logger
}

// Limits for one request.
const (
	maxBytes       = 32 << 20
	maxHeaderBytes = 64 << 10
	connectTime    = 10 * time.Second
	headerTime     = 20 * time.Second
	wholeTime      = time.Minute
)

// Network makes clients. It is safe for concurrent use.
type Network struct {
	options Options
	guarded *http.Client
	// direct connects to any address. It sends only to configured endpoints.
	direct    *http.Client
	maxBytes  int64
	wholeTime time.Duration
}

// New returns a Network.
func New(options Options) *Network {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Lookup == nil {
		options.Lookup = net.DefaultResolver.LookupNetIP
	}
	return &Network{
		options: options, guarded: newHTTPClient(refusePrivate), direct: newHTTPClient(nil), maxBytes: maxBytes, wholeTime: wholeTime,
	}
}

// Enabled reports whether requests are allowed.
func (n *Network) Enabled() bool { return n.options.Enabled }

// newHTTPClient returns a client without proxies, cookies and redirects.
func newHTTPClient(control controlFunc) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime, Control: control}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: connectTime, ResponseHeaderTimeout: headerTime, MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2: true, MaxConnsPerHost: 4, MaxIdleConns: 8, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Client sends requests to one provider's hosts. It is safe for concurrent use.
type Client struct {
	network  *Network
	provider string
	hosts    []string
	anyHost  bool
	endpoint *url.URL // nil unless the provider has another address
	pacer    *Pacer
	maxBytes int64
	maxTime  time.Duration
}

// Limits are a client's limits.
type Limits struct {
	// PerMinute is how many requests are sent in a minute; 0 means no limit.
	PerMinute int
	// Burst is how many requests may be sent before their time after a pause. A minute can
	// have so many more.
	Burst int
	// Buckets are limits by weight, and Costs what requests weigh in them.
	Buckets []Bucket
	Costs   []Cost
	// MaxBytes is how long an answer may be, and MaxTime how long a request may take; 0
	// means the usual limit.
	MaxBytes int64
	MaxTime  time.Duration
}

// Client returns a client for a provider's hosts, sending at most perMinute requests a
// minute; 0 means no limit. Use one client for all users: they share the limit.
func (n *Network) Client(provider string, hosts []string, perMinute int) *Client {
	return n.LimitedClient(provider, hosts, Limits{PerMinute: perMinute})
}

// LimitedClient is [Network.Client] with further limits.
func (n *Network) LimitedClient(provider string, hosts []string, limits Limits) *Client {
	return &Client{
		network: n, provider: provider, hosts: slices.Clone(hosts), endpoint: n.options.Endpoints[provider],
		pacer: NewPacer(limits), maxBytes: cmp.Or(limits.MaxBytes, n.maxBytes), maxTime: cmp.Or(limits.MaxTime, n.wholeTime),
	}
}

// PublicClient returns a client that sends to any public host, at the usual port of https.
// name is in the log.
func (n *Network) PublicClient(name string, limits Limits) *Client {
	c := n.LimitedClient(name, nil, limits)
	c.anyHost = true
	return c
}

// Enabled reports whether requests are allowed.
func (c *Client) Enabled() bool { return c.network.Enabled() }

// Do sends a request and returns its answer, whose body the caller must close. Errors
// contain neither the request's path nor its query.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if !c.network.Enabled() {
		return nil, ErrDisabled
	}
	if err := c.check(request.URL); err != nil {
		return nil, err
	}
	if err := c.pacer.Wait(request); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(request.Context(), c.maxTime)
	started := time.Now()
	response, err := c.send(request.Clone(ctx))
	log := c.network.options.Log.With("provider", c.provider, "host", request.URL.Host, "method", request.Method)
	if err != nil {
		cancel()
		log.Info("outbound request failed", "duration", time.Since(started), "error", err)
		return nil, err
	}
	log.Debug("outbound request", "duration", time.Since(started), "status", response.StatusCode)
	response.Body = &limitedBody{body: response.Body, left: c.maxBytes, cancel: cancel}
	return response, nil
}

// check returns the reason why the client does not send to an address.
func (c *Client) check(to *url.URL) error {
	switch {
	case to.Scheme != "https":
		return fmt.Errorf("%w: %s is not https", ErrRefused, to.Scheme)
	case to.User != nil:
		return fmt.Errorf("%w: the address contains a user name", ErrRefused)
	case c.anyHost && to.Port() != "" && to.Port() != "443":
		return fmt.Errorf("%w: %s is not the port of https", ErrRefused, to.Port())
	case !c.anyHost && !slices.Contains(c.hosts, to.Host):
		return fmt.Errorf("%w: %s is not a host of %s", ErrRefused, to.Host, c.provider)
	}
	return nil
}

func (c *Client) send(request *http.Request) (*http.Response, error) {
	host, client := request.URL.Host, c.network.guarded
	if c.endpoint != nil {
		client = c.network.direct
		request.URL.Scheme, request.URL.Host = c.endpoint.Scheme, c.endpoint.Host
	}
	request.Host = ""
	request.Header.Set("User-Agent", "Fillbook/"+c.network.options.Version)
	response, err := client.Do(request)
	if err != nil {
		// The text of a url.Error has the whole address, which may contain keys.
		if withURL, ok := errors.AsType[*url.Error](err); ok {
			err = withURL.Err
		}
		return nil, fmt.Errorf("%s %s: %w", request.Method, host, err)
	}
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%w: %s answered with a redirect", ErrRefused, host)
	}
	return response, nil
}

// limitedBody is an answer's body. It returns ErrTooLarge after too many bytes, and
// releases the request timeout when it is closed.
type limitedBody struct {
	body   io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

// Read implements [io.Reader].
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// Only another byte shows that the answer does not end here.
		var more [1]byte
		n, err := b.body.Read(more[:])
		if n > 0 {
			return 0, ErrTooLarge
		}
		return 0, err
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.body.Read(p)
	b.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (b *limitedBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}

// Endpoints are other provider addresses, by name.
type Endpoints map[string]*url.URL

// ParseEndpoints parses pairs such as alpaca=https://proxy.example.org:8443: scheme, host
// and port, without a path. Unknown names are an error.
func ParseEndpoints(pairs, known []string) (Endpoints, error) {
	endpoints := Endpoints{}
	for _, pair := range pairs {
		name, address, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || !slices.Contains(known, name) {
			return nil, fmt.Errorf("%q does not begin with the name of a provider: use %s", pair, strings.Join(known, ", "))
		}
		to, err := url.Parse(address)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" ||
			*to != (url.URL{Scheme: to.Scheme, Host: to.Host}) {
			return nil, fmt.Errorf("%q is not an address such as https://proxy.example.org:8443, without a path", pair)
		}
		if endpoints[name] != nil {
			return nil, fmt.Errorf("%q names %s a second time", pair, name)
		}
		endpoints[name] = to
	}
	return endpoints, nil
}
