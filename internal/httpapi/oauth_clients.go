package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/lru"
	"fillbook/internal/base/outbound"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// The limits of what apps state about themselves.
const (
	maxClientName   = 100
	maxRedirects    = 10
	maxRedirectURI  = 1000
	maxClientID     = 500
	maxDocumentKept = 1000 // documents in memory
	minDocumentAge  = time.Hour
	maxDocumentAge  = 24 * time.Hour
)

// documentLimits are the limits of fetching documents of apps.
var documentLimits = outbound.Limits{PerMinute: 30, Burst: 10, MaxBytes: 5 << 10, MaxTime: 5 * time.Second}

// appClients finds apps: those that registered, and, if requests to other servers are
// allowed, those whose id is the address of a document about them.
type appClients struct {
	identity  *identity.Service
	clock     journal.Clock
	documents *outbound.Client
	kept      *lru.Cache[string, *keptDocument]
}

type keptDocument struct {
	app   identity.AppClient
	until time.Time
}

func newAppClients(people *identity.Service, clock journal.Clock, network *outbound.Network) *appClients {
	if network == nil {
		network = outbound.New(outbound.Options{})
	}
	return &appClients{
		identity: people, clock: clock, documents: network.PublicClient("apps", documentLimits),
		kept: lru.New[string, *keptDocument](maxDocumentKept),
	}
}

// find returns the app with an id, or an [identity.AppRefusal] with a sentence for a person.
func (c *appClients) find(ctx context.Context, id string) (identity.AppClient, error) {
	unknown := &identity.AppRefusal{Code: "invalid_client", Message: "The app is unknown here. Remove the connection in the app and add it again."}
	if id == "" || len(id) > maxClientID {
		return identity.AppClient{}, unknown
	}
	if !isDocumentID(id) {
		app, err := c.identity.RegisteredApp(ctx, id)
		if errors.Is(err, db.ErrNoRows) {
			return app, unknown
		}
		return app, err
	}
	if !c.documents.Enabled() {
		return identity.AppClient{}, unknown
	}
	app, err := c.readDocument(ctx, id)
	if err != nil {
		return app, &identity.AppRefusal{Code: "invalid_client", Message: "The app’s description at " + id + " can’t be read."}
	}
	return app, nil
}

// isDocumentID reports whether a client's id is the address of a document.
func isDocumentID(id string) bool {
	at, err := url.Parse(id)
	return err == nil && at.Scheme == "https" && at.Host != "" && at.User == nil && !strings.Contains(id, "#") &&
		len(at.Path) > 1 && path.Clean(at.Path) == strings.TrimSuffix(at.Path, "/")
}

var errBadDocument = errors.New("the document does not describe the app")

// readDocument returns an app that a document describes. Documents are kept for a while.
func (c *appClients) readDocument(ctx context.Context, id string) (identity.AppClient, error) {
	now := c.clock()
	if found, ok := c.kept.Get(id); ok && now.Before(found.until) {
		return found.app, nil
	}
	app, age, err := c.fetchDocument(ctx, id)
	if err != nil {
		return identity.AppClient{}, err
	}
	c.kept.Put(id, &keptDocument{app, now.Add(age)}, 1)
	return app, nil
}

func (c *appClients) fetchDocument(ctx context.Context, id string) (app identity.AppClient, age time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return app, 0, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.documents.Do(request)
	if err != nil {
		return app, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return app, 0, err
	}
	var document struct {
		ID           string   `json:"client_id"`
		Name         string   `json:"client_name"`
		RedirectURIs []string `json:"redirect_uris"`
	}
	if err := transport.Unmarshal(text, &document); err != nil {
		return app, 0, err
	}
	if response.StatusCode != http.StatusOK || document.ID != id {
		return app, 0, errBadDocument
	}
	name, err := checkClientName(document.Name)
	if err == nil {
		err = checkRedirects(document.RedirectURIs)
	}
	return identity.AppClient{ID: id, Name: name, RedirectURIs: document.RedirectURIs}, documentAge(response.Header.Get("Cache-Control")), err
}

var maxAge = lazyregexp.New(`(?i)(?:^|[ ,])max-age="?(\d{1,9})`)

// documentAge returns how long a document is kept.
func documentAge(cacheControl string) time.Duration {
	found := maxAge().FindStringSubmatch(cacheControl)
	if found == nil {
		return minDocumentAge
	}
	seconds, _ := strconv.Atoi(found[1]) // nine digits
	return min(max(time.Duration(seconds)*time.Second, minDocumentAge), maxDocumentAge)
}

// checkClientName returns an app's name, cleaned. It may be empty.
func checkClientName(name string) (string, error) {
	clean, err := journal.CleanName("client_name", name)
	if err != nil || utf8.RuneCountInString(clean) > maxClientName {
		return "", &identity.AppRefusal{Code: "invalid_client_metadata", Message: "client_name must be one line of at most " + strconv.Itoa(maxClientName) + " characters."}
	}
	return clean, nil
}

// checkRedirects returns an error unless an app may continue at all addresses.
func checkRedirects(addresses []string) error {
	if len(addresses) == 0 || len(addresses) > maxRedirects {
		return &identity.AppRefusal{Code: "invalid_redirect_uri", Message: "redirect_uris must have 1 to " + strconv.Itoa(maxRedirects) + " addresses."}
	}
	for _, address := range addresses {
		if !isRedirect(address) {
			return &identity.AppRefusal{
				Code:    "invalid_redirect_uri",
				Message: "A redirect URI must be https, http at localhost, or the scheme of an app, without a fragment and a user name.",
			}
		}
	}
	return nil
}

// appSchemes are known private schemes of apps that do not follow the rule of a domain in
// reverse.
var appSchemes = []string{"claude", "code-oss", "cursor", "goose", "raycast", "vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "zed"}

// isRedirect reports whether an app may continue at an address.
func isRedirect(address string) bool {
	if len(address) > maxRedirectURI || strings.ContainsAny(address, "#\\") || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	to, err := url.Parse(address)
	if err != nil || to.User != nil {
		return false
	}
	switch to.Scheme {
	case "https":
		return to.Hostname() != ""
	case "http":
		return isLoopback(to.Hostname())
	}
	return slices.Contains(appSchemes, to.Scheme) || strings.Contains(to.Scheme, ".")
}

// matchesRedirect reports whether an address is the registered one. At this machine's own
// names the port is ignored, because programs take a free one (RFC 8252).
func matchesRedirect(registered, address string) bool {
	if registered == address {
		return true
	}
	a, errA := url.Parse(registered)
	b, errB := url.Parse(address)
	if errA != nil || errB != nil || !isRedirect(address) || a.Scheme != "http" || !isLoopback(a.Hostname()) {
		return false
	}
	port := b.Port()
	b.Host = strings.TrimSuffix(b.Host, ":"+port)
	a.Host = strings.TrimSuffix(a.Host, ":"+a.Port())
	return *a == *b
}

// redirectHost returns where an app continues, for people: the host, or the scheme of an app.
func redirectHost(address string) string {
	to, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if to.Scheme == "https" || to.Scheme == "http" {
		return to.Host
	}
	return to.Scheme + "://" + to.Host
}
