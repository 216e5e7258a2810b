package assistants

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fillbook/internal/transport"
)

// ErrRefused marks a configuration that the user must change: no token, or a refused one.
var ErrRefused = errors.New("cannot connect to the journal")

// Forwarder passes messages between a client on standard input and output and a server. It
// reads line by line, because the SDK's own transport ends on a line that is not JSON.
type Forwarder struct {
	address string
	token   string
	client  *http.Client

	mu      sync.Mutex // guards output and version
	output  io.Writer
	version string // of the protocol, as negotiated
}

// forwardTimeout is longer than the server's limit for a call.
const forwardTimeout = 60 * time.Second

// NewForwarder returns a forwarder to a server. caFile names further certificates to trust; it
// may be empty.
func NewForwarder(server, token, caFile string, output io.Writer) (*Forwarder, error) {
	address, err := url.Parse(strings.TrimRight(server, "/"))
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fmt.Errorf("%w: --server must be an address such as https://journal.example.org", ErrRefused)
	}
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return nil, fmt.Errorf("%w: a token is needed, in the file of --token-file or in SVC_TOKEN", ErrRefused)
	}
	dialer := http.DefaultTransport.(*http.Transport).Clone() // it is documented
	if caFile != "" {
		if dialer.TLSClientConfig, err = trust(caFile); err != nil {
			return nil, err
		}
	}
	f := &Forwarder{address: strings.TrimSuffix(address.String(), "/mcp") + "/mcp", token: token, output: output}
	f.client = &http.Client{Timeout: forwardTimeout, Transport: dialer, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this address only
	}}
	return f, nil
}

func trust(file string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%w: %s has no certificate", ErrRefused, file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// Check sends one request, so that a wrong token or address is reported at the start.
func (f *Forwarder) Check(ctx context.Context) error {
	status, body, err := f.post(ctx, message{Method: "tools/list", ID: jsontext.Value("1")}, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	switch {
	case err != nil:
		return fmt.Errorf("server not reached: %w", withoutAddress(err))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("%w: %s", ErrRefused, describeError(status, body))
	case status == http.StatusNotFound:
		return errors.New("this server has no /mcp: set SVC_MCP=true there")
	case status != http.StatusOK:
		return errors.New(describeError(status, body))
	}
	return nil
}

// withoutAddress returns an error without the request's method and address.
func withoutAddress(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// maxForwarded is the longest line. The server accepts 1 MiB.
const maxForwarded = 2 << 20

// forwardedAtOnce limits the calls that run at the same time.
const forwardedAtOnce = 8

// Run forwards messages until the input ends.
func (f *Forwarder) Run(ctx context.Context, input io.Reader) error {
	lines := bufio.NewReaderSize(input, 64<<10)
	places := make(chan struct{}, forwardedAtOnce)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		line, err := readLine(lines)
		if sent, isMessage := f.parse(line); isMessage {
			places <- struct{}{}
			forward := func() {
				f.forward(ctx, sent, line)
				<-places
			}
			if sent.Method == "initialize" { // later messages need its answer
				forward()
			} else {
				running.Go(forward)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns a line without its end. A line that is too long is returned cut.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if len(line) <= maxForwarded {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// message is what the forwarder reads of a message.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Name string         `json:"name"`
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
}

// parse reads a line. A line that is no message is answered, a blank one skipped.
func (f *Forwarder) parse(line []byte) (sent message, isMessage bool) {
	if len(line) == 0 {
		return sent, false
	}
	if len(line) > maxForwarded || transport.CheckJSON(line) != nil || line[0] != '{' {
		f.write(newError(nil, -32700, "The line is not a JSON-RPC message."))
		return sent, false
	}
	_ = json.Unmarshal(line, &sent) // members with other types stay empty, and the server refuses them
	return sent, true
}

// forward sends a message and writes the answer.
func (f *Forwarder) forward(ctx context.Context, sent message, line []byte) {
	status, body, err := f.post(ctx, sent, line)
	answer := jsontext.Value(bytes.TrimSpace(body))
	switch {
	case err != nil:
		answer = newError(sent.ID, -32000, "The journal could not be reached.")
	case len(answer) == 0 && status/100 == 2: // a notification
		return
	case !isAnswer(answer):
		answer = newError(sent.ID, -32000, describeError(status, body))
	case sent.Method == "initialize":
		f.setVersion(answer)
	}
	if sent.ID == nil && status/100 != 2 { // notifications have no answer
		return
	}
	f.write(answer)
}

// isAnswer reports whether a body is a JSON-RPC message.
func isAnswer(body jsontext.Value) bool {
	parsed, err := decode[object](body)
	return err == nil && parsed.text("jsonrpc") == "2.0"
}

// setVersion stores the version in the answer to initialize: later requests name it.
func (f *Forwarder) setVersion(answer jsontext.Value) {
	parsed, err := decode[object](answer)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = parsed.object("result").text("protocolVersion")
}

// versionOf returns the version of a message: its own, or the negotiated one.
func (f *Forwarder) versionOf(sent message) string {
	if own, ok := sent.Params.Meta[mcp.MetaKeyProtocolVersion].(string); ok {
		return own
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// headersSince is the first version in which requests repeat method and name in headers.
const headersSince = "2026-07-28"

// post sends a message.
func (f *Forwarder) post(ctx context.Context, sent message, line []byte) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address, bytes.NewReader(line))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("User-Agent", "fillbook-mcp")
	if version := f.versionOf(sent); version != "" && sent.Method != "initialize" {
		r.Header.Set("Mcp-Protocol-Version", version)
		if version >= headersSince {
			r.Header.Set("Mcp-Method", sent.Method)
			if sent.Params.Name != "" {
				r.Header.Set("Mcp-Name", sent.Params.Name)
			}
		}
	}
	response, err := f.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxForwarded))
	return response.StatusCode, body, errors.Join(err, response.Body.Close())
}

// describeError returns the message of an error answer.
func describeError(status int, body []byte) string {
	if failed, err := decode[transport.ErrorBody](body); err == nil && failed.Error.Message != "" {
		return failed.Error.Message
	}
	return fmt.Sprintf("the server answered with status %d", status)
}

func newError(id jsontext.Value, code int, text string) jsontext.Value {
	if id == nil {
		id = null
	}
	return encode(object{"jsonrpc": encode("2.0"), "id": id, "error": encode(object{"code": encode(code), "message": encode(text)})})
}

// write writes a message as one line.
func (f *Forwarder) write(text jsontext.Value) {
	if err := text.Compact(); err != nil {
		return // it was parsed before
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.output.Write(append(text, '\n')) // the client has left
}
