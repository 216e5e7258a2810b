package assistants

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// tool is a tool's definition and its function.
type tool struct {
	name, title, about string
	needs              identity.Scope // the weakest scope
	args               []arg
	writes             bool
	destructive        bool
	idempotent         bool
	dryRun             bool // unless dry_run is false
	run                func(c *call, arguments []byte) (*answer, error)
}

// tools returns the tools in the order of their list.
func tools() []*tool {
	return []*tool{
		contextTool, summaryTool, breakdownTool, seriesTool, behaviorTool, explainTool,
		tradesTool, tradeTool, searchTool, dayTool,
		noteTool, tagTool, entryTool, undoTool,
	}
}

// allows reports whether tokens with a scope have the tool.
func (t *tool) allows(scope identity.Scope) bool {
	return slices.Index(Scopes(), scope) >= slices.Index(Scopes(), t.needs)
}

// definition describes the tool. All hints are set, because the defaults assume the worst. It
// has no output schema: clients would compare refusals with it.
func (t *tool) definition() *mcp.Tool {
	never := false
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: schemaOf(t.args),
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &t.destructive, IdempotentHint: t.idempotent || !t.writes, OpenWorldHint: &never,
		},
	}
}

var errNoSubscriptions = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "subscriptions are not supported"}

// callTool returns the handler of a tool. It reads the arguments' JSON text, because the SDK
// would read numbers as floats.
func (s *Server) callTool(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		c := &call{
			Server: s, ctx: ctx, caller: s.Caller(ctx), tool: t, now: s.Clock(), tag: newMarker(),
			lists: map[recordKind]map[string]string{}, order: map[recordKind][]string{},
		}
		arguments := []byte(request.Params.Arguments)
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = []byte("{}")
		}
		if t.writes {
			return c.write(arguments), nil
		}
		return c.finish(c.run(arguments)), nil
	}
}

// newMarker returns the tag of a call's markers.
func newMarker() string {
	random := make([]byte, 10)
	_, _ = rand.Read(random) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random))
}

// run runs the tool. It recovers from a panic: the SDK calls tools on goroutines of its own.
func (c *call) run(arguments []byte) (result *mcp.CallToolResult, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			result, err = nil, fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	if err := c.setZone(""); err != nil {
		return nil, err
	}
	a, err := c.tool.run(c, arguments)
	if err != nil {
		return nil, err
	}
	return c.encodeAnswer(a), nil
}

// refuse returns the result for an error, and logs a fault.
func (c *call) refuse(err error) *mcp.CallToolResult {
	refused := toRefusal(err)
	if refused.Code == "internal" {
		transport.LogWith(c.ctx, c.Log).Error("tool failed", "tool", c.tool.name, "error", err)
	}
	return c.encodeRefusal(refused)
}

// parse reads arguments. Unknown ones are refused.
func parse[T any](arguments []byte) (args T, err error) {
	err = json.Unmarshal(arguments, &args, json.RejectUnknownMembers(true))
	if err == nil {
		return args, nil
	}
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return args, invalid("", "The arguments must be a JSON object.")
	}
	field := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
	if errors.Is(err, json.ErrUnknownName) {
		return args, invalid(field, "There is no argument %s.", cutText(cleanText(field), 40))
	}
	return args, invalid(field, "%s has a wrong type.", cutText(cleanText(field), 40))
}

// typed returns a tool's function with its arguments parsed.
func typed[T any](run func(c *call, args T) (*answer, error)) func(*call, []byte) (*answer, error) {
	return func(c *call, arguments []byte) (*answer, error) {
		args, err := parse[T](arguments)
		if err != nil {
			return nil, err
		}
		return run(c, args)
	}
}

// oneOf returns an error unless a value is empty or one of some values.
func oneOf(field, value string, values []string) error {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	return invalid(field, "%s must be one of %s.", field, strings.Join(values, ", "))
}

// writeArgs are the arguments that decide how often a write is carried out.
type writeArgs struct {
	RequestKey string `json:"request_key"`
	DryRun     *bool  `json:"dry_run"`
}

// maxRequestKey is the longest request key, in characters.
const maxRequestKey = 200

// write runs a tool that writes: within the token's limit, and once for each request key.
func (c *call) write(arguments []byte) *mcp.CallToolResult {
	args, err := decode[writeArgs](arguments)
	switch {
	case err != nil: // the tool says what is wrong
		args = writeArgs{}
	case len([]rune(args.RequestKey)) > maxRequestKey:
		return c.refuse(invalid("request_key", "request_key must have at most %d characters.", maxRequestKey))
	}
	if args.DryRun != nil && *args.DryRun || args.DryRun == nil && c.tool.dryRun {
		return c.finish(c.run(arguments))
	}
	if args.RequestKey == "" {
		return c.finish(c.runLimited(arguments))
	}
	return c.writeOnce(args.RequestKey, arguments)
}

func (c *call) finish(result *mcp.CallToolResult, err error) *mcp.CallToolResult {
	if err != nil {
		return c.refuse(err)
	}
	return result
}

// runLimited runs the tool within the token's limit of writes. Only what was stored counts.
func (c *call) runLimited(arguments []byte) (*mcp.CallToolResult, error) {
	giveBack, err := c.writes.Reserve(string(c.caller.TokenID))
	if err != nil {
		return nil, explainLimit(err, "This token has reached its limit of writes.")
	}
	result, err := c.run(arguments)
	if err != nil || !c.hasStored(result) {
		giveBack()
	}
	return result, err
}

func explainLimit(err error, message string) error {
	refused := toRefusal(err)
	refused.Message = message + " Tell the user, and go on after the time in retry_after."
	return refused
}

// hasStored reports whether the result names a change.
func (c *call) hasStored(result *mcp.CallToolResult) bool {
	content, err := decode[object](encode(result.StructuredContent))
	return err == nil && !content.isNull("undo")
}

// writeOnce runs the tool unless the token has sent the key before: then it returns the same
// answer again.
func (c *call) writeOnce(key string, arguments []byte) *mcp.CallToolResult {
	var result *mcp.CallToolResult
	var failed error
	handler := c.Once(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if result, failed = c.runLimited(arguments); failed != nil {
			w.WriteHeader(http.StatusBadRequest) // a refusal is not stored
			return
		}
		_, _ = w.Write(encode(result))
	}))
	stored := &recorder{header: http.Header{}}
	name := hex.EncodeToString(c.Sign([]byte("request key"), []byte(c.caller.TokenID), []byte(key))[:16])
	r, err := http.NewRequestWithContext(c.ctx, http.MethodPost, "/mcp/"+c.tool.name, bytes.NewReader(canonical(arguments)))
	if err != nil {
		return c.refuse(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "mcp "+name)
	handler.ServeHTTP(stored, r)
	switch {
	case failed != nil:
		return c.refuse(failed)
	case result != nil:
		return result
	case stored.status == http.StatusConflict:
		return c.refuse(&refusal{Code: "conflict", Field: "request_key", Message: "This request_key was used with other arguments, or the first call is still running. Use a new key for another write."})
	}
	repeated := &mcp.CallToolResult{}
	if err := repeated.UnmarshalJSON(stored.body.Bytes()); err != nil || stored.status/100 != 2 {
		return c.refuse(errors.Join(err, errors.New("no stored answer")))
	}
	return repeated
}

// canonical returns arguments in one form, so that spacing and order make no difference.
func canonical(arguments []byte) []byte {
	fields, err := decode[object](arguments)
	if err != nil {
		return arguments
	}
	return encode(fields)
}

// recorder keeps an answer in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}
