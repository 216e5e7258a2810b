package watch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errUnreachable means the server did not give a usable answer. The same request may
// succeed later.
var errUnreachable = errors.New("the server cannot be reached")

// refusal is the server's refusal to accept a request.
type refusal struct {
	Status  int
	Code    string
	Message string
	Field   string
	// RetryAfter is when the server asks for the request again; 0 if it does not.
	RetryAfter time.Duration
}

func (r *refusal) Error() string { return r.Message }

// client calls a server's API.
type client struct {
	server, token, agent string
	http                 *http.Client
	timeout              time.Duration
}

// maxAnswer bounds the answers read.
const maxAnswer = 64 << 20

func newClient(config *Config, version string, timeout time.Duration) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() // it is documented
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if config.CAFile != "" {
		pem, err := os.ReadFile(config.CAFile)
		if err != nil {
			return nil, configError("reading ca_file: %w", err)
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, configError("%s contains no certificate in PEM form", config.CAFile)
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	return &client{
		server: config.Server, token: config.Token, agent: "fillbook-watch/" + version, timeout: timeout,
		http: &http.Client{
			Transport: transport,
			// A redirect would turn an upload into a GET, or show the token to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// handlerTransport sends requests to a handler in this process.
type handlerTransport struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t handlerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	recorded := httptest.NewRecorder()
	inner := request.Clone(request.Context())
	inner.RemoteAddr = "127.0.0.1:0"
	t.handler.ServeHTTP(recorded, inner)
	return recorded.Result(), nil
}

// get requests a resource and decodes it.
func (c *client) get(ctx context.Context, path string, answer any) error {
	_, err := c.call(ctx, http.MethodGet, path, nil, "", answer)
	return err
}

// call sends a request and decodes the answer. It returns the answer's headers.
func (c *client) call(ctx context.Context, method, path string, body *form, key string, answer any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var content io.Reader = http.NoBody
	if body != nil {
		content = bytes.NewReader(body.content)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, content)
	if err != nil {
		return nil, configError("server: %w", err)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", c.agent)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", body.contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, shorten(err))
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: the answer was cut off: %w", errUnreachable, err)
	}
	if response.StatusCode/100 != 2 {
		return nil, describeStatus(response, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return nil, fmt.Errorf("%w: the answer of %s is not that of Fillbook", errUnreachable, c.server)
	}
	return response.Header, nil
}

// shorten removes the address from a request error.
func shorten(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// describeStatus returns the error for an answer that is not a success.
func describeStatus(response *http.Response, text []byte) error {
	if response.StatusCode/100 == 3 {
		return configError("the server redirects to %s. Use the new address as server", response.Header.Get("Location"))
	}
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Details struct {
				Field string `json:"field"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Code == "" {
		// Not an answer from Fillbook: a proxy whose server is down, for example.
		return fmt.Errorf("%w: it answers %s", errUnreachable, response.Status)
	}
	r := &refusal{Status: response.StatusCode, Code: body.Error.Code, Message: oneLine(body.Error.Message), Field: body.Error.Details.Field}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.RetryAfter = min(time.Duration(seconds)*time.Second, maxBackoff)
	}
	return classify(r)
}

// classify returns a refusal's error for the whole agent, or the refusal if it is about
// one request.
func classify(r *refusal) error {
	switch {
	case r.Status == http.StatusUnauthorized:
		return configError("the server refused the token. Create a new one in the browser under Settings, Access tokens, and put it into the configuration")
	case r.Status == http.StatusForbidden:
		return configError("the token may not do this: %w", r)
	case r.Status == http.StatusTooManyRequests, r.Status > http.StatusInternalServerError, r.RetryAfter > 0:
		return fmt.Errorf("%w: %w", errUnreachable, r)
	}
	return r
}

// oneLine returns a text from the server in one line with bounded length.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if runes := []rune(text); len(runes) > 500 {
		text = string(runes[:500]) + "…"
	}
	return text
}

// account is an account visible to the token.
type account struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"base_currency"`
}

func (c *client) accounts(ctx context.Context) (list []account, err error) {
	err = c.get(ctx, "/api/v1/accounts", &list)
	if r, ok := errors.AsType[*refusal](err); ok && r.Status == http.StatusNotFound {
		return nil, configError("there is no Fillbook at %s", c.server)
	}
	return list, err
}

// layout is how files with one layout were last imported in the browser.
type layout struct {
	Signature string            `json:"signature"`
	Zone      string            `json:"source_tz"`
	Order     string            `json:"date_order"`
	Mapping   map[string]string `json:"column_mapping"`
}

// layouts returns the remembered layouts, or none if the server does not have them.
func (c *client) layouts(ctx context.Context) (map[string]layout, error) {
	var list []layout
	err := c.get(ctx, "/api/v1/import-layouts", &list)
	if errors.Is(err, errUnreachable) {
		return nil, err
	}
	found := map[string]layout{}
	for _, l := range list {
		found[l.Signature] = l
	}
	return found, nil
}

// takesOrigin reports whether the server takes the form field origin, which its
// description then lists.
func (c *client) takesOrigin(ctx context.Context) (bool, error) {
	type schema struct {
		Properties map[string]any `json:"properties"`
	}
	var description struct {
		Paths map[string]struct {
			Post struct {
				Body struct {
					Content map[string]struct {
						Schema schema `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"paths"`
	}
	err := c.get(ctx, "/openapi.json", &description)
	if errors.Is(err, errUnreachable) {
		return false, err
	}
	_, taken := description.Paths["/api/v1/imports/commit"].Post.Body.Content["multipart/form-data"].Schema.Properties["origin"]
	return taken, nil
}

// preview is the part of the server's preview used by the agent.
type preview struct {
	Source         string            `json:"source"`
	Broker         string            `json:"detected_broker"`
	Signature      string            `json:"layout_signature"`
	Headers        []string          `json:"headers"`
	Suggested      map[string]string `json:"suggested_mapping"`
	Missing        []string          `json:"missing_mapping"`
	DateOrder      string            `json:"date_order"`
	ZoneFrom       string            `json:"source_tz_from"`
	Rows           int               `json:"row_count"`
	NewRows        int               `json:"new_rows"`
	Duplicates     int               `json:"duplicates"`
	Completed      int               `json:"completed"`
	CashRows       int               `json:"cash_rows"`
	CashDuplicates int               `json:"cash_duplicates"`
	Errors         []rowError        `json:"errors"`
	ErrorCount     int               `json:"error_count"`
	Journal        *struct{}         `json:"journal_summary"`
	Currency       *struct {
		File     string `json:"file"`
		Account  string `json:"account"`
		Mismatch bool   `json:"mismatch"`
	} `json:"currency"`
}

type rowError struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}

// result is the part of the server's answer to an import used by the agent.
type result struct {
	Import       string     `json:"import_batch_id"`
	Inserted     int        `json:"inserted"`
	Skipped      int        `json:"skipped"`
	Completed    int        `json:"completed"`
	Trades       int        `json:"trades"`
	CashInserted int        `json:"cash_inserted"`
	Errors       []rowError `json:"errors"`
	ErrorCount   int        `json:"error_count"`
}

func (c *client) preview(ctx context.Context, up upload) (p preview, err error) {
	_, err = c.call(ctx, http.MethodPost, "/api/v1/imports", up.form(), "", &p)
	return p, err
}

// commit imports a file. A repetition with the same key has no second effect: it
// returns the first answer, and replayed is true.
func (c *client) commit(ctx context.Context, up upload, key string) (r result, replayed bool, err error) {
	header, err := c.call(ctx, http.MethodPost, "/api/v1/imports/commit", up.form(), key, &r)
	return r, header.Get("Idempotent-Replayed") != "", err
}

// isCommitted reports whether an import is stored and was not reversed.
func (c *client) isCommitted(ctx context.Context, id string) (bool, error) {
	var batch struct {
		Status string `json:"status"`
	}
	err := c.get(ctx, "/api/v1/imports/"+url.PathEscape(id), &batch)
	if r, ok := errors.AsType[*refusal](err); ok && r.Status == http.StatusNotFound {
		return false, nil
	}
	return batch.Status == "committed", err
}

// upload is a file with its form fields.
type upload struct {
	name    string
	content []byte
	fields  map[string]string
}

// key identifies the request: it is the same for the same file with the same
// fields, whenever and by whichever agent it is sent.
func (u upload) key() string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(u.fields)) {
		fmt.Fprintf(&all, "%q=%q\n", name, u.fields[name])
	}
	return "watch-" + hashContent([]byte(all.String() + hashContent(u.content)))[:32]
}

// form is an encoded multipart form.
type form struct {
	content     []byte
	contentType string
}

func (u upload) form() *form {
	var content bytes.Buffer
	writer := multipart.NewWriter(&content)
	// Writing to memory does not fail.
	for _, name := range slices.Sorted(maps.Keys(u.fields)) {
		_ = writer.WriteField(name, u.fields[name])
	}
	part, _ := writer.CreateFormFile("file", u.name)
	_, _ = part.Write(u.content)
	_ = writer.Close()
	return &form{content.Bytes(), writer.FormDataContentType()}
}
