package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"
)

// client is an HTTP client for a server. It disables compression, so response sizes are
// comparable.
type client struct {
	base  string
	token string
	http  *http.Client
}

func newClient(base string) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, IdleConnTimeout: time.Minute}
	return &client{base: base, http: &http.Client{Transport: transport}}
}

// withToken returns the same client with another token.
func (c *client) withToken(token string) *client { return &client{c.base, token, c.http} }

// reply is one exchange, from before the request was sent until the answer's last byte
// was read.
type reply struct {
	status int
	took   time.Duration
	bytes  int64
	body   []byte
	err    error // also for an error status
}

// decode parses the answer as JSON.
func (r reply) decode(value any) error {
	if r.err != nil {
		return r.err
	}
	return json.Unmarshal(r.body, value)
}

// request is a request to send; keep is set if its answer is needed.
type request struct {
	method, path, mediaType string
	body                    []byte
	keep                    bool
}

func (c *client) do(ctx context.Context, q request) (r reply) {
	built, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, bytes.NewReader(q.body))
	if err != nil {
		return reply{err: err}
	}
	if q.mediaType != "" {
		built.Header.Set("Content-Type", q.mediaType)
	}
	if c.token != "" {
		built.Header.Set("Authorization", "Bearer "+c.token)
	}
	begin := time.Now()
	defer func() { r.took = time.Since(begin) }()
	response, err := c.http.Do(built)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close() //nolint:errcheck // only read
	r.status = response.StatusCode
	if good := r.status < 300; good && !q.keep {
		r.bytes, r.err = io.Copy(io.Discard, response.Body)
		return r
	}
	r.body, r.err = io.ReadAll(response.Body)
	r.bytes = int64(len(r.body))
	if r.err == nil && r.status >= 300 {
		r.err = fmt.Errorf("%s %s: status %d: %.300s", q.method, q.path, r.status, r.body)
	}
	return r
}

// get reads an answer to its end and discards it.
func (c *client) get(ctx context.Context, path string) reply {
	return c.do(ctx, request{method: http.MethodGet, path: path})
}

// fetch reads an answer and keeps it.
func (c *client) fetch(ctx context.Context, path string) reply {
	return c.do(ctx, request{method: http.MethodGet, path: path, keep: true})
}

func (c *client) remove(ctx context.Context, path string) reply {
	return c.do(ctx, request{method: http.MethodDelete, path: path})
}

// send sends a value as JSON and keeps the answer.
func (c *client) send(ctx context.Context, method, path string, value any) reply {
	text, err := json.Marshal(value)
	if err != nil {
		return reply{err: err}
	}
	return c.do(ctx, request{method, path, "application/json", text, true})
}

// upload is a file in an import request's form, built before the time is measured.
type upload struct {
	mediaType string
	body      []byte
}

func newUpload(account string, file []byte) upload { return newNamedUpload(account, "fills.csv", file) }

func newNamedUpload(account, name string, file []byte) upload {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("account_id", account) // writing to memory does not fail
	part, _ := form.CreateFormFile("file", name)
	_, _ = part.Write(file)
	_ = form.Close()
	return upload{form.FormDataContentType(), body.Bytes()}
}

func (c *client) preview(ctx context.Context, u upload) reply {
	return c.do(ctx, request{http.MethodPost, api + "/imports", u.mediaType, u.body, true})
}

func (c *client) commit(ctx context.Context, u upload) reply {
	return c.do(ctx, request{http.MethodPost, api + "/imports/commit", u.mediaType, u.body, true})
}

const api = "/api/v1"

// committed contains the used fields in a commit's answer.
type committed struct {
	Batch    string `json:"import_batch_id"`
	Inserted int    `json:"inserted"`
}

// createAccount creates an account and returns its id.
func (c *client) createAccount(ctx context.Context, name string) (string, error) {
	var made struct{ ID string }
	err := c.send(ctx, http.MethodPost, api+"/accounts", map[string]any{"name": name, "starting_balance": 100_000}).decode(&made)
	return made.ID, err
}

// The credentials of the user the bench works as.
const (
	email    = "bench@example.org"
	password = "a password for the bench"
)

// signIn returns a user's session token; setUp creates the first user and returns one.
func (c *client) signIn(ctx context.Context, email string) (string, error) {
	return c.requestToken(ctx, "/auth/login", email)
}

func (c *client) setUp(ctx context.Context) (string, error) {
	return c.requestToken(ctx, "/setup", email)
}

func (c *client) requestToken(ctx context.Context, path, email string) (string, error) {
	var pair struct {
		Token string `json:"access_token"`
	}
	err := c.withToken("").send(ctx, http.MethodPost, api+path, map[string]any{"email": email, "password": password}).decode(&pair)
	return pair.Token, err
}

// accessToken creates a personal access token, which outlives a session.
func (c *client) accessToken(ctx context.Context) (string, error) {
	var made struct{ Token string }
	err := c.send(ctx, http.MethodPost, api+"/access-tokens", map[string]any{"name": "bench"}).decode(&made)
	return made.Token, err
}

// createShareLink creates a public link and returns its path.
func (c *client) createShareLink(ctx context.Context, account string) (string, error) {
	var made struct{ Token string }
	err := c.send(ctx, http.MethodPost, api+"/share-links", map[string]any{"account_id": account, "show_amounts": true}).decode(&made)
	return api + "/public/share/" + made.Token, err
}
