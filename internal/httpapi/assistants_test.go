package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fillbook/internal/assistants"
	"fillbook/internal/transport"
)

func assistantsOn(s *settle) { s.api.Assistants = true }

// assistant is a client of the protocol with an access token.
type assistant struct {
	*client
	id string // of the token
}

// assistant mints a token with a scope.
func (c *client) assistant(scope string, fields ...more) assistant {
	c.w.t.Helper()
	id, secret := c.mint(fieldsOf(more{"name": "assistant", "scope": scope}, fields...))
	return assistant{c.w.as(secret), id}
}

// message posts a JSON-RPC message as it is.
func (a assistant) message(body string) *httptest.ResponseRecorder {
	return postMessage(a.w, http.MethodPost, body, map[string]string{"Authorization": "Bearer " + a.token})
}

func postMessage(w *world, method, body string, headers map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	recorded := httptest.NewRecorder()
	w.handler.ServeHTTP(recorded, r)
	return recorded
}

// toolResult is the result of a tool call.
type toolResult struct {
	*reply  // of the structured content
	text    string
	isError bool
	size    int
}

// call calls a tool.
func (a assistant) call(tool string, arguments any) *toolResult {
	a.w.t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		a.w.t.Fatal(err)
	}
	recorded := a.message(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, encoded))
	var message struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(recorded.Body.Bytes(), &message); err != nil || recorded.Code != http.StatusOK || message.Error != nil {
		a.w.t.Fatalf("%s: %d %s", tool, recorded.Code, recorded.Body)
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(message.Result, &result); err != nil {
		a.w.t.Fatal(err)
	}
	if len(message.Result) > 24_576 {
		a.w.t.Errorf("%s: the result has %d bytes", tool, len(message.Result))
	}
	return &toolResult{
		reply: &reply{t: a.w.t, call: tool, status: recorded.Code, header: recorded.Header(), body: result.StructuredContent},
		text:  result.Content[0].Text, isError: result.IsError, size: len(message.Result),
	}
}

// done requires that a tool succeeded.
func (r *toolResult) done() *toolResult {
	r.t.Helper()
	if r.isError {
		r.t.Fatalf("%s: %s", r.call, r.body)
	}
	return r
}

// refused requires a refusal with a code.
func (r *toolResult) refused(code string) *toolResult {
	r.t.Helper()
	if !r.isError || r.reply.text("error.code") != code {
		r.t.Fatalf("%s: want %s, got %s", r.call, code, r.body)
	}
	return r
}

func TestAssistantsAreOffByDefault(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.trader().assistant("read")
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			for _, token := range []string{"", "Bearer " + a.token} {
				if got := postMessage(w, method, "{}", map[string]string{"Authorization": token}); got.Code != http.StatusNotFound {
					t.Errorf("%s: %d %s", method, got.Code, got.Body)
				}
			}
		}
	})
}

// TestAssistantsAreAdmitted checks the refusals before the protocol, and their order.
func TestAssistantsAreAdmitted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		read := "Bearer " + d.assistant("read").token
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		for _, test := range []struct {
			name, method, token, body string
			headers                   map[string]string
			status                    int
			code                      string
		}{
			{name: "no token", body: ping, status: 401, code: "unauthorized"},
			{name: "no token for initialize", body: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, status: 401, code: "unauthorized"},
			{name: "unknown token", token: "Bearer svc_pat_none", body: ping, status: 401, code: "unauthorized"},
			{name: "session", token: "Bearer " + d.token, body: ping, status: 403, code: "insufficient_scope"},
			{name: "full", token: "Bearer " + d.assistant("full").token, body: ping, status: 403, code: "insufficient_scope"},
			{name: "import", token: "Bearer " + d.assistant("import").token, body: ping, status: 403, code: "insufficient_scope"},
			{name: "other origin", token: read, body: ping, headers: map[string]string{"Origin": "https://evil.example"}, status: 403, code: "forbidden"},
			{name: "method", method: http.MethodGet, token: read, status: 405, code: "method_not_allowed"},
			{name: "media type", token: read, body: ping, headers: map[string]string{"Content-Type": "text/plain"}, status: 415, code: "unsupported_media_type"},
			{name: "size", token: read, body: strings.Repeat(" ", 1<<20) + ping, status: 413, code: "too_large"},
			{name: "duplicate key", token: read, body: `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, status: 400, code: "bad_request"},
			{name: "trailing text", token: read, body: ping + "x", status: 400, code: "bad_request"},
			{name: "depth", token: read, body: strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), status: 400, code: "bad_request"},
			{name: "batch", token: read, body: "[" + ping + "]", status: 400, code: "bad_request"},
			{name: "empty", token: read, status: 400, code: "bad_request"},
		} {
			headers := map[string]string{"Authorization": test.token}
			maps.Copy(headers, test.headers)
			method := test.method
			if method == "" {
				method = http.MethodPost
			}
			got := postMessage(w, method, test.body, headers)
			if got.Code != test.status || !strings.Contains(got.Body.String(), `"code":"`+test.code+`"`) {
				t.Errorf("%s: %d %s", test.name, got.Code, got.Body)
			}
		}
		allowed := postMessage(w, http.MethodPost, ping, map[string]string{"Authorization": read, "Origin": "https://page.example"})
		if allowed.Code != http.StatusOK {
			t.Errorf("allowed origin: %d %s", allowed.Code, allowed.Body)
		}
	}, assistantsOn, func(s *settle) { s.api.Origins = []string{"https://page.example"} })
}

// everyTool is a call of each tool that succeeds, in the order of their list.
func everyTool(trade, undo string) []more {
	return []more{
		{"name": "get_context", "arguments": more{}},
		{"name": "get_summary", "arguments": more{"filter": more{"account": "main"}}},
		{"name": "get_breakdown", "arguments": more{"by": "symbol", "min_trades": 1}},
		{"name": "get_series", "arguments": more{"kind": "daily"}},
		{"name": "get_behavior", "arguments": more{}},
		{"name": "explain_figure", "arguments": more{"figure": "net_pnl"}},
		{"name": "list_trades", "arguments": more{}},
		{"name": "get_trade", "arguments": more{"trade_id": trade}},
		{"name": "search_journal", "arguments": more{"query": "patience"}},
		{"name": "get_day", "arguments": more{"date": "2026-01-05"}},
		{"name": "add_note", "arguments": more{"body": "patience"}},
		{"name": "tag_trades", "arguments": more{"trade_ids": []string{trade}, "add_tags": []string{"gap"}, "create_missing": true}},
		{"name": "log_entry", "arguments": more{"kind": "trade", "symbol": "AAPL", "side": "long", "quantity": 1, "entry_price": 2, "entry_time": at(200)}},
		{"name": "undo_change", "arguments": more{"undo": undo}},
	}
}

// connectHTTP and connectStdio connect the SDK's client in both ways.
func connectHTTP(t *testing.T, server *httptest.Server, secret, version string) *mcp.ClientSession {
	t.Helper()
	client := &http.Client{Transport: bearer(secret)}
	return connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: client}, version)
}

func connectStdio(t *testing.T, server *httptest.Server, secret, version string) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	forwarder, err := assistants.NewForwarder(server.URL, secret, "", fromServer)
	if err != nil {
		t.Fatal(err)
	}
	if err := forwarder.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = fromServer.CloseWithError(forwarder.Run(context.WithoutCancel(t.Context()), toServer))
	}()
	return connect(t, &mcp.IOTransport{Reader: toClient, Writer: fromClient}, version)
}

func connect(t *testing.T, way mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), way, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestAssistantsWithSDKClient runs all tools and prompts with the SDK's client, in all
// versions of the protocol, over HTTP and standard input.
func TestAssistantsWithSDKClient(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		d.made("/notes", more{"body": "patience pays"})
		_, secret := d.mint(more{"name": "assistant", "scope": "write"})
		server := w.serve()
		ways := map[string]func(*testing.T, *httptest.Server, string, string) *mcp.ClientSession{"http": connectHTTP, "stdio": connectStdio}
		for name, connectIn := range ways {
			for _, version := range mcp.SupportedProtocolVersions() {
				session := connectIn(t, server, secret, version)
				if got := session.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("%s: negotiated %s, want %s", name, got, version)
				}
				useAll(t, session, trade)
			}
		}
	}, assistantsOn)
}

// useAll calls all tools and prompts of a session.
func useAll(t *testing.T, session *mcp.ClientSession, trade string) {
	t.Helper()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	undo := ""
	calls := everyTool(trade, "")
	if len(calls) != len(names) || listed.NextCursor != "" {
		t.Fatalf("%d tools, want %d on one page: %s", len(names), len(calls), names)
	}
	for _, c := range calls {
		name, arguments := c["name"].(string), c["arguments"].(more)
		if !slices.Contains(names, name) {
			t.Fatalf("%s is not listed", name)
		}
		if name == "undo_change" {
			arguments["undo"] = undo
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if content, ok := result.StructuredContent.(map[string]any); result.IsError || !ok {
			t.Fatalf("%s: %v", name, result.Content[0].(*mcp.TextContent).Text)
		} else if id, ok := content["undo"].(string); ok && name == "tag_trades" {
			undo = id
		}
	}
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 4 {
		t.Fatalf("%v %v", prompts, err)
	}
	for _, prompt := range prompts.Prompts {
		got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt.Name})
		if err != nil || prompt.Description == "" || len(got.Messages) != 1 {
			t.Fatalf("%s: %v", prompt.Name, err)
		}
	}
}

// TestForwarderSurvivesOtherLines checks that lines without a message do not end it.
func TestForwarderSurvivesOtherLines(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		_, secret := w.trader().mint(more{"name": "assistant", "scope": "read"})
		var output bytes.Buffer
		forwarder, err := assistants.NewForwarder(w.serve().URL+"/", secret, "", &output)
		if err != nil {
			t.Fatal(err)
		}
		input := "hello\n\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"
		if err := forwarder.Run(t.Context(), strings.NewReader(input)); err != nil {
			t.Fatal(err)
		}
		if got := output.String(); strings.Count(got, "-32700") != 2 || !strings.Contains(got, `"id":7`) || strings.Count(got, "\n") != 3 {
			t.Errorf("output %s", got)
		}
		refused, err := assistants.NewForwarder(w.serve().URL, "svc_pat_wrong", "", &output)
		if err != nil {
			t.Fatal(err)
		}
		if err := refused.Check(t.Context()); err == nil || strings.Contains(err.Error(), "svc_pat_wrong") {
			t.Errorf("Check returns %v", err)
		}
	}, assistantsOn)
}

// TestAssistantToolsFollowTheScope checks the tools of each scope, and their schemas.
func TestAssistantToolsFollowTheScope(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for scope, want := range map[string]int{"analytics": 6, "read": 10, "write": 14} {
			a := d.assistant(scope)
			listed := a.message(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			if listed.Body.Len() > 24_576 {
				t.Errorf("%s: the list has %d bytes", scope, listed.Body.Len())
			}
			for _, forbidden := range []string{`"type":[`, "anyOf", "oneOf", "$ref", "outputSchema"} {
				if strings.Contains(listed.Body.String(), forbidden) {
					t.Errorf("%s: a schema has %s", scope, forbidden)
				}
			}
			if got := strings.Count(listed.Body.String(), `"openWorldHint":false`); got != want {
				t.Errorf("%s has %d tools, want %d: %s", scope, got, want, listed.Body)
			}
			if got := a.call("get_context", more{}).done().count("data.unavailable"); got != 14-want {
				t.Errorf("%s: %d tools are unavailable, want %d", scope, got, 14-want)
			}
		}
		unknown := d.assistant("read").message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"body":"x"}}}`)
		if !strings.Contains(unknown.Body.String(), "-32602") {
			t.Errorf("a tool of another scope: %s", unknown.Body)
		}
	}, assistantsOn)
}

// TestAssistantWritesCanBeUndone checks that each write is one change, answers its id, and is
// undone by the same token only.
func TestAssistantWritesCanBeUndone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		a := d.assistant("write")
		state := func() string {
			return string(d.trade(trade).body) + string(d.get("/tags").body) + string(d.get("/notes").body) + string(d.get("/missed-trades").body) + string(d.get("/executions").body)
		}
		for _, c := range []more{
			{"name": "add_note", "arguments": more{"body": "Sell ![x](http://evil) later", "kind": "daily_log", "date": "2026-01-05"}},
			{"name": "tag_trades", "arguments": more{"trade_ids": []string{trade}, "add_tags": []string{"gap", "open"}, "create_missing": true}},
			{"name": "log_entry", "arguments": more{"kind": "trade", "symbol": "MSFT", "side": "short", "quantity": json.Number("0.123456789012345678"), "entry_price": 10, "entry_time": at(30), "exit_price": 9, "exit_time": at(31), "dry_run": false}},
			{"name": "log_entry", "arguments": more{"kind": "missed_trade", "symbol": "MSFT", "side": "long", "reason": "away", "note": "x", "dry_run": false}},
		} {
			before, changes := state(), d.get("/history").count("")
			made := a.call(c["name"].(string), c["arguments"]).done()
			undo := made.reply.text("undo")
			if got := d.get("/history").count(""); got != changes+1 {
				t.Errorf("%s left %d changes", c["name"], got-changes)
			}
			d.get("/history/"+undo).want(http.StatusOK).is("actor.kind", `"token"`).is("actor.id", `"`+a.id+`"`)
			redo := a.call("undo_change", more{"undo": undo}).done().reply.text("undo")
			if after := state(); after != before {
				t.Errorf("%s: after undo %s\nbefore %s", c["name"], after, before)
			}
			a.call("undo_change", more{"undo": undo}).refused("already_undone")
			a.call("undo_change", more{"undo": redo}).done()
			d.post("/history/"+undo+"/undo", nil).wantError(http.StatusConflict, "already_undone")
		}

		// The user undoes an assistant's write as on the page, and the assistant sees that.
		before := state()
		noted := a.call("add_note", more{"body": "y", "request_key": "page"}).done().reply.text("undo")
		d.post("/history/"+noted+"/undo", nil).want(http.StatusOK)
		if after := state(); after != before {
			t.Errorf("after the user's undo %s\nbefore %s", after, before)
		}
		a.call("undo_change", more{"undo": noted}).refused("already_undone")
		d.get("/notes").want(http.StatusOK).is("0.by_app", "true").is("0.body", `"Sell ![x](http://evil) later"`)
		d.get("/trades?symbol=MSFT").is("0.qty_opened", "0.123456789012345678")

		own := d.made("/tags", more{"name": "mine"}).header.Get("X-Change-Id")
		a.call("undo_change", more{"undo": own}).refused("not_found")
		d.assistant("write").call("undo_change", more{"undo": a.call("add_note", more{"body": "x"}).done().reply.text("undo")}).refused("not_found")
		a.call("undo_change", more{"undo": unknown()}).refused("not_found")

		changes := d.get("/history").count("")
		a.call("log_entry", more{"kind": "trade", "symbol": "MSFT", "side": "long", "quantity": 1, "entry_price": 1, "entry_time": at(60)}).done().is("undo", "null").is("data.dry_run", "true")
		a.call("tag_trades", more{"trade_ids": []string{trade}, "add_tags": []string{"new"}, "create_missing": true, "dry_run": true}).done().is("undo", "null")
		a.call("tag_trades", more{"trade_ids": []string{trade, unknown()}, "add_tags": []string{"gap"}}).refused("not_found")
		a.call("tag_trades", more{"trade_ids": []string{trade}, "add_tags": []string{"ga"}}).refused("unknown_name")
		if got := d.get("/history").count(""); got != changes {
			t.Errorf("dry runs and refusals left %d changes", got-changes)
		}
	}, assistantsOn)
}

// TestAssistantWritesOncePerKey checks request_key.
func TestAssistantWritesOncePerKey(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a := d.assistant("write")
		first := a.call("add_note", more{"body": "one", "request_key": "k"}).done()
		again := a.call("add_note", more{"request_key": "k", "body": "one"}).done()
		if string(first.body) != string(again.body) || first.text != again.text {
			t.Errorf("%s\n%s", first.body, again.body)
		}
		a.call("add_note", more{"body": "two", "request_key": "k"}).refused("conflict")
		a.call("undo_change", more{"undo": unknown(), "request_key": "u"}).refused("not_found")
		a.call("undo_change", more{"undo": first.reply.text("undo"), "request_key": "u"}).done() // a refusal does not use the key
		d.assistant("write").call("add_note", more{"body": "other token", "request_key": "k"}).done()
		a.call("add_note", more{"body": "x", "request_key": strings.Repeat("k", 201)}).refused("bad_request")
		if got := d.get("/notes").count(""); got != 1 {
			t.Errorf("%d notes", got)
		}
	}, assistantsOn)
}

// TestAssistantWritesOnceAtATime: of calls at the same time with one request_key, one is
// carried out; a day later the key is new again.
func TestAssistantWritesOnceAtATime(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a := d.assistant("write")
		const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"body":"once","request_key":"k"}}}`
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				got := a.message(message)
				if text := got.Body.String(); got.Code != http.StatusOK || strings.Contains(text, `"isError":true`) && !strings.Contains(text, `"conflict"`) {
					t.Errorf("%d %s", got.Code, text)
				}
			})
		}
		running.Wait()
		if got := d.get("/notes").count(""); got != 1 {
			t.Errorf("%d notes", got)
		}
		w.clock.Advance(24*time.Hour + time.Second)
		d.client = w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		a.call("add_note", more{"body": "next day", "request_key": "k"}).done()
		if got := d.get("/notes").count(""); got != 2 {
			t.Errorf("%d notes", got)
		}
	}, assistantsOn)
}

// TestAssistantSearchFilters: the search has no other filters than accounts and dates, and
// refuses what it would ignore.
func TestAssistantSearchFilters(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.made("/notes", more{"body": "patience", "occurred_at": at(0)})
		a := d.assistant("read")
		a.call("search_journal", more{"query": "patience", "filter": more{"account": "main", "from": "2026-01-05", "to": "2026-01-05", "tz": "UTC"}}).done()
		for _, name := range []string{"view", "symbol", "setup", "tag", "side", "outcome", "instrument_type", "weekday", "hour", "session", "reviewed", "currency", "other"} {
			a.call("search_journal", more{"query": "patience", "filter": more{name: "x"}}).refused("bad_request")
		}
	}, assistantsOn)
}

// TestAssistantLimits checks the limits of a token: calls, writes, and tagged trades.
func TestAssistantLimits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a := d.assistant("write")
		a.call("add_note", more{}).refused("bad_request") // only what is stored counts
		a.call("add_note", more{"body": "one"}).done()
		a.call("add_note", more{"body": "two"}).done()
		a.call("add_note", more{"body": "three"}).refused("rate_limited").is("error.retry_after", "10")
		d.assistant("write").call("add_note", more{"body": "other token"}).done()
		a.call("get_context", more{}).done()
		limited := a.message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context"}}`)
		if limited.Code != http.StatusTooManyRequests || limited.Header().Get("Retry-After") != "1" {
			t.Errorf("%d %v %s", limited.Code, limited.Header(), limited.Body)
		}
		if listed := a.message(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); listed.Code != http.StatusOK {
			t.Errorf("lists are limited: %d", listed.Code)
		}
	}, assistantsOn, func(s *settle) {
		s.api.AssistantCalls, s.api.AssistantWrites = transport.Rate{PerSecond: 1, Burst: 5}, transport.Rate{PerSecond: 0.1, Burst: 2}
	})
}

func TestAssistantTagsFewTradesADay(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		var trades []string
		for i := range 50 {
			trades = append(trades, d.fills("AAPL", 2*i, "buy 1@10", "sell 1@11")[1].text("trade_id"))
		}
		a := d.assistant("write")
		for i := range 4 {
			a.call("tag_trades", more{"trade_ids": trades, "add_tags": []string{fmt.Sprint("tag ", i)}, "create_missing": true}).done()
		}
		a.call("tag_trades", more{"trade_ids": trades[:1], "add_tags": []string{"fifth"}, "create_missing": true}).refused("rate_limited")
		a.call("tag_trades", more{"trade_ids": trades[:1], "add_tags": []string{"tag 0"}}).done().is("undo", "null")
	}, assistantsOn)
}
