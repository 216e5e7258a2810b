package main

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hostileAct is one way to load a server. All but the first three are one user's work.
type hostileAct struct {
	name  string
	start func(a *attack, size loadSize)
}

// hostileActs are TestLoad's attacks. The first one creates users, which the server may
// refuse to an attacking user.
var hostileActs = []hostileAct{
	{"waiting runs of two users", func(a *attack, _ loadSize) { repeat(2, func(int) { a.occupyWorkers() }) }},
	{"incomplete requests", func(a *attack, size loadSize) { repeat(size.halfRequests, a.sendHalf) }},
	{"unfinished hook bodies", func(a *attack, size loadSize) { repeat(size.hookBodies, func(int) { a.sendHookBody() }) }},
	{"wrong secrets at a hook", func(a *attack, size loadSize) { repeat(size.wrongSecrets, func(int) { a.sendWrongSecret() }) }},
	{"slow readers", func(a *attack, size loadSize) { repeat(size.slowReaders, a.readSlowly) }},
	{"slow uploads", func(a *attack, size loadSize) { repeat(size.slowUploads, func(int) { a.uploadSlowly() }) }},
	{"expensive workbooks", func(a *attack, size loadSize) {
		bomb := xlsxBomb(a.t, 1_900_000)
		repeat(size.bombs, func(int) { a.sendFiles("/imports", "fills.xlsx", func(int) []byte { return bomb }) })
	}},
	{"notes and orphans of one instant", func(a *attack, size loadSize) {
		a.sendFiles("/imports/commit", "backup.json", func(int) []byte { return equalRecords(size.equalRecords) })
	}},
	{"tags", func(a *attack, size loadSize) {
		a.sendFiles("/imports/commit", "backup.json", func(i int) []byte { return manyTags(i, size.tags) })
	}},
	{"bars of two days in turns", func(a *attack, size loadSize) {
		file := alternatingBars(size.bars)
		a.sendFiles("/bars/imports/commit", "ESH6.csv", func(int) []byte { return file })
	}},
	{"archives of repeated bars", func(a *attack, size loadSize) {
		file := repeatedBars(a.t, size.repeatedBars)
		a.sendFiles("/bars/imports/commit", "bars.zip", func(int) []byte { return file })
	}},
	{"aborted tests of keys", func(a *attack, size loadSize) { repeat(size.keyTests, func(int) { a.abortKeyTest() }) }},
	{"long imports", func(a *attack, size loadSize) {
		a.sendFiles("/imports/commit", "fills.csv", func(i int) []byte {
			return []byte(importFileFrom(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 3*i), size.imported).content)
		})
	}},
}

func repeat(n int, fn func(i int)) {
	for i := range n {
		fn(i)
	}
}

// sendFiles uploads one file after another.
func (a *attack) sendFiles(path, name string, file func(i int) []byte) {
	i := 0
	a.keep(func(conn net.Conn) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		if path != "/bars/imports/commit" && name != "backup.json" {
			_ = form.WriteField("account_id", a.account)
		}
		to, _ := form.CreateFormFile("file", name)
		_, _ = to.Write(file(i))
		_ = form.Close()
		i++
		_, _ = fmt.Fprintf(conn, "POST /api/v1%s HTTP/1.1\r\n%sConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			path, a.head(), form.FormDataContentType(), body.Len())
		_, _ = conn.Write(body.Bytes())
		answer, _ := io.ReadAll(conn)
		a.count(path, name, answer)
	})
}

// count counts the answers to uploads by status, to show their effect.
func (a *attack) count(path, name string, answer []byte) {
	status, _, _ := strings.Cut(strings.TrimPrefix(string(answer), "HTTP/1.1 "), " ")
	if a.ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[name+" "+path+" "+status]++
}

// sendHookBody sends all but a body's last byte to a hook's address, with a wrong secret.
func (a *attack) sendHookBody() {
	const size = 256 << 10
	a.keep(func(conn net.Conn) {
		_, _ = fmt.Fprintf(conn, "POST /api/v1/hooks/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", a.hook, size)
		_, _ = conn.Write(bytes.Repeat([]byte(" "), size-1))
		_, _ = io.Copy(io.Discard, conn)
	})
}

// sendWrongSecret sends short bodies with a wrong secret to the bystander's hook.
func (a *attack) sendWrongSecret() {
	a.keep(func(conn net.Conn) {
		for a.ctx.Err() == nil {
			_, err := fmt.Fprintf(conn, "POST /api/v1/hooks/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]", a.hook)
			if err != nil {
				return
			}
			if _, err := conn.Read(make([]byte, 4<<10)); err != nil {
				return
			}
		}
	})
}

// abortKeyTest tests a key and leaves before the answer.
func (a *attack) abortKeyTest() {
	body := `{"provider":"oanda","credentials":{"token":"other","environment":"practice"}}`
	a.keep(func(conn net.Conn) {
		_, _ = fmt.Fprintf(conn, "POST /api/v1/connections/test HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", a.head(), len(body), body)
		_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		_, _ = conn.Read(make([]byte, 1))
	})
}

// occupyWorkers creates a user with two connections to a slow broker, whose runs wait until
// the attack ends. Two such users have as many runs as the server has workers.
func (a *attack) occupyWorkers() {
	a.t.Helper()
	user := map[string]any{"email": strings.ToLower(rand.Text()) + "@example.org", "password": "yet another long sentence"}
	a.p.must("POST", "/admin/users", a.token, user, http.StatusCreated)
	token := a.p.must("POST", "/auth/login", "", user, http.StatusOK)["access_token"].(string)
	for _, name := range []string{"First", "Second"} {
		account := a.p.must("POST", "/accounts", token, map[string]any{"name": name}, http.StatusCreated)["id"].(string)
		path := "/connections/" + a.p.must("POST", "/connections", token, map[string]any{
			"provider": "trading212", "account_id": account,
			"credentials": map[string]any{"api_key": "key", "api_secret": "secret", "environment": "demo"},
		}, http.StatusCreated)["id"].(string)
		a.all.Go(func() {
			<-a.ctx.Done()
			_, connection, err := a.p.call("GET", path, token, nil)
			if connection["status"] != "running" {
				a.t.Errorf("the connection to the slow broker is %v (%v): the attack has no effect", connection, err)
			}
			_, _, _ = a.p.call("DELETE", path, token, nil)
		})
	}
}

// newSlowBroker returns the address of a server like Trading 212's, which allows few
// requests. Its order list has no end, and none was filled.
func newSlowBroker(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v0/equity/account/summary", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": 1, "currency": "USD"})
	})
	mux.HandleFunc("GET /api/v0/equity/history/orders", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		_ = json.NewEncoder(w).Encode(map[string]any{
			"items":        []any{map[string]any{"order": map[string]any{"id": page, "createdAt": time.Now()}}},
			"nextPagePath": fmt.Sprintf("%s?cursor=%d", r.URL.Path, page+1),
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// equalRecords is a backup with notes at one instant, and orphans with one symbol and
// instant.
func equalRecords(n int) []byte {
	var notes, orphans []string
	for i := range n {
		notes = append(notes, fmt.Sprintf(`{"type":"general","occurred_at":"2024-01-05T12:00:00Z","body":"note %d"}`, i))
		if i < n/4 {
			orphans = append(orphans, fmt.Sprintf(`{"symbol":"AAPL","opened_at":"2024-01-05T12:00:00Z","orphaned_at":"2024-01-06T12:00:00Z","fill_keys":["key %d"],"notes":"x"}`, i))
		}
	}
	return []byte(`{"format":"fillbook","version":6,"accounts":[{"account":{"name":"Hostile","broker":"","account_type":"cash","base_currency":"USD","starting_balance":0},"executions":[],"orphans":[` +
		strings.Join(orphans, ",") + `]}],"notes":[` + strings.Join(notes, ",") + `]}`)
}

// manyTags is a backup with tags only.
func manyTags(round, n int) []byte {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = fmt.Sprintf(`{"name":"tag %d of %d","kind":"custom"}`, i, round)
	}
	return []byte(`{"format":"fillbook","version":6,"accounts":[],"tags":[` + strings.Join(tags, ",") + `]}`)
}

// alternatingBars are minute bars whose rows alternate between two days.
func alternatingBars(n int) []byte {
	var b bytes.Buffer
	b.WriteString("time,open,high,low,close,Volume\n")
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Unix()
	for i := range n {
		fmt.Fprintf(&b, "%d,100,101,99,100,1\n", start+int64(i%2)*86400+60*int64(i/2%1440))
	}
	return b.Bytes()
}

// repeatedBars is an archive with one bar, n times.
func repeatedBars(t *testing.T, n int) []byte {
	t.Helper()
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	to, err := archive.Create("ESH6.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(to, "time,open,high,low,close,Volume\n")
	row := fmt.Sprintf("%d,100,101,99,100,1\n", time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Unix())
	for range n {
		_, _ = io.WriteString(to, row)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// callHook sends a fill with the right secret. It must never be refused.
func (b *bystander) callHook(i int) {
	b.p.t.Helper()
	body := fmt.Sprintf(`{"symbol":"MSFT","side":%q,"quantity":1,"price":10,"executed_at":%q}`, []string{"buy", "sell"}[i%2],
		time.Date(2026, 1, 6, 15, 0, i, 0, time.UTC).Format(time.RFC3339))
	request, err := http.NewRequestWithContext(b.p.t.Context(), http.MethodPost, b.p.address+"/api/v1/hooks/"+b.hook, strings.NewReader(body))
	if err != nil {
		b.p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+b.secret)
	begun := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.p.t.Errorf("a delivery with the right secret failed: %v", err)
		return
	}
	_ = answer.Body.Close()
	b.times["POST /hooks"] = append(b.times["POST /hooks"], time.Since(begun))
	if answer.StatusCode != http.StatusAccepted {
		b.p.t.Errorf("a delivery with the right secret got %d", answer.StatusCode)
	}
}

// runConnection connects the bystander's account to a broker and waits until the first
// run has ended. It must not wait for the runs of others.
func (b *bystander) runConnection(slowest time.Duration) {
	b.p.t.Helper()
	begun := time.Now()
	path := "/connections/" + b.p.must("POST", "/connections", b.token, map[string]any{
		"provider": "oanda", "account_id": b.account, "since": begun.AddDate(0, -1, 0).Format(time.DateOnly),
		"credentials": map[string]any{"token": "token-1", "environment": "practice"},
	}, http.StatusCreated)["id"].(string)
	deadline := time.After(slowest)
	for {
		connection := b.p.must("GET", path, b.token, nil, http.StatusOK)
		if connection["status"] == "ok" {
			break
		}
		select {
		case <-deadline:
			b.p.t.Fatalf("the first run of a connection has not ended after %s: %v", slowest, connection)
		case <-time.After(20 * time.Millisecond):
		}
	}
	b.firstRun = time.Since(begun)
	b.p.must("DELETE", path, b.token, nil, http.StatusNoContent)
}
