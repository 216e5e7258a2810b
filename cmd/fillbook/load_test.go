package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// loadSize is the size of a load.
type loadSize struct {
	halfRequests, slowReaders, slowUploads, bombs int
	hookBodies, wrongSecrets, keyTests            int
	equalRecords, tags, bars, imported            int           // records in a file
	repeatedBars                                  int           // rows in an archive
	fills                                         int           // in the journal being read
	measure                                       time.Duration // how long others are measured
	slowest                                       time.Duration // answer for others
	each                                          bool          // each attack is measured alone, too
}

// loadSizeOf returns a small load, or the full one with SVC_TEST_LOAD=full, whose bound
// is meant for an otherwise idle machine.
func loadSizeOf() loadSize {
	size := loadSize{
		halfRequests: 150, slowReaders: 30, slowUploads: 15, bombs: 2, fills: 10_000, measure: 3 * time.Second, slowest: 20 * time.Second,
		hookBodies: 150, wrongSecrets: 5, keyTests: 20, equalRecords: 2000, tags: 3000, bars: 10_000, imported: 10_000, repeatedBars: 200_000,
	}
	if os.Getenv("SVC_TEST_LOAD") == "full" {
		size = loadSize{
			halfRequests: 1000, slowReaders: 200, slowUploads: 100, bombs: 2, fills: 50_000, measure: 15 * time.Second, slowest: 10 * time.Second,
			hookBodies: 1700, wrongSecrets: 20, keyTests: 100, equalRecords: 30_000, tags: 60_000, bars: 200_000, imported: 150_000, repeatedBars: 10_000_000, each: true,
		}
	}
	return size
}

// maxLoadMemory is what the server may take under load, in KiB.
const maxLoadMemory = 512 << 10

// attack is a load on a server until its context ends. Disconnected clients reconnect.
type attack struct {
	*victim
	ctx  context.Context // it is the attack's life
	note string          // to which files are attached
	hook string          // the bystander's
	all  sync.WaitGroup

	mu      sync.Mutex
	answers map[string]int // to uploads
}

// reconnectAfter is a disconnected client's pause.
const reconnectAfter = 500 * time.Millisecond

// keep runs one client repeatedly.
func (a *attack) keep(attacker func(net.Conn)) {
	a.all.Go(func() {
		for a.ctx.Err() == nil {
			conn, err := net.DialTimeout("tcp", strings.TrimPrefix(a.p.address, "http://"), 5*time.Second) //nolint:noctx // it has a time-out
			if err != nil {
				time.Sleep(100 * time.Millisecond) //nolint:forbidigo // a slow client is what is tested
				continue
			}
			end := context.AfterFunc(a.ctx, func() { _ = conn.Close() })
			attacker(conn)
			end()
			_ = conn.Close()
			time.Sleep(reconnectAfter) //nolint:forbidigo // a slow client is what is tested
		}
	})
}

func (a *attack) head() string { return "Host: x\r\nAuthorization: Bearer " + a.token + "\r\n" }

// sendHalf sends the beginning of a request and waits to be disconnected.
func (a *attack) sendHalf(i int) {
	texts := []string{
		"GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"POST /api/v1/unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
		"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"PUT /api/v1/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{",
		"POST /api/v1/executions HTTP/1.1\r\n" + a.head() + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
	}
	a.keep(func(conn net.Conn) {
		_, _ = io.WriteString(conn, texts[i%len(texts)])
		_, _ = io.Copy(io.Discard, conn)
	})
}

// readSlowly requests long responses and reads them slowly.
func (a *attack) readSlowly(i int) {
	paths := []string{"/executions", "/trades", "/exports?format=zip", "/exports?format=json"}
	a.keep(func(conn net.Conn) {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = io.WriteString(conn, "GET /api/v1"+paths[i%len(paths)]+" HTTP/1.1\r\n"+a.head()+"\r\n")
		for buffer := make([]byte, 1<<10); a.ctx.Err() == nil; time.Sleep(200 * time.Millisecond) { //nolint:forbidigo // a slow client is what is tested
			if _, err := conn.Read(buffer); err != nil {
				return
			}
		}
	})
}

// uploadSlowly sends most of a large attachment, and the rest byte by byte.
func (a *attack) uploadSlowly() {
	const size = 9 << 20
	a.keep(func(conn net.Conn) {
		_, _ = fmt.Fprintf(conn, "POST /api/v1/notes/%s/attachments HTTP/1.1\r\n%sContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n", a.note, a.head(), size)
		part := make([]byte, 64<<10)
		for sent := 0; sent < size-1<<20; sent += len(part) {
			if _, err := conn.Write(part); err != nil {
				return
			}
		}
		for a.ctx.Err() == nil {
			if _, err := conn.Write(part[:1]); err != nil {
				return
			}
			time.Sleep(200 * time.Millisecond) //nolint:forbidigo // a slow client is what is tested
		}
	})
}

// xlsxBomb is a workbook with one string at the maximum size and as many cells referring
// to it as fit.
func xlsxBomb(t *testing.T, cells int) []byte {
	t.Helper()
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	add := func(name string, parts ...string) {
		to, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if _, err := io.WriteString(to, part); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`)
	add("xl/workbook.xml", `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" `+
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>`)
	add("xl/_rels/workbook.xml.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`)
	add("xl/sharedStrings.xml", `<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>`,
		strings.Repeat("1", 32_767), `</t></si></sst>`)
	const perRow = 50
	row := "<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, perRow) + "</row>"
	add("xl/worksheets/sheet1.xml", `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`,
		strings.Repeat(row, cells/perRow), `</sheetData></worksheet>`)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// bystander is another user on the server, whose calls are measured.
type bystander struct {
	p        *process
	token    string
	account  string
	hook     string // the id of a hook
	secret   string // its secret
	calls    int    // so far
	times    map[string][]time.Duration
	firstRun time.Duration // first run of a connection
}

func newBystander(v *victim) *bystander {
	v.t.Helper()
	other := map[string]any{"email": "bob@example.org", "password": "another long sentence"}
	v.p.must("POST", "/admin/users", v.token, other, http.StatusCreated)
	b := &bystander{p: v.p}
	b.token = v.p.must("POST", "/auth/login", "", other, http.StatusOK)["access_token"].(string)
	b.account = v.p.must("POST", "/accounts", b.token, map[string]any{"name": "Bob"}, http.StatusCreated)["id"].(string)
	hook := v.p.must("POST", "/hooks", b.token, map[string]any{"account_id": b.account, "name": "Alerts"}, http.StatusCreated)
	b.hook, b.secret = hook["id"].(string), hook["secret"].(string)
	return b
}

// measure sends the bystander's requests, each on a new connection.
func (b *bystander) measure(size loadSize) {
	b.p.t.Helper()
	b.times = map[string][]time.Duration{}
	http.DefaultClient.CloseIdleConnections()
	for begun := time.Now(); time.Since(begun) < size.measure; b.calls++ {
		b.time("GET /me", "GET", "/me", nil, http.StatusOK)
		b.time("POST /executions", "POST", "/executions", map[string]any{
			"account_id": b.account, "symbol": "AAPL", "side": []string{"buy", "sell"}[b.calls%2], "quantity": 1, "price": 10,
			"executed_at": time.Date(2026, 1, 5, 15, 0, b.calls, 0, time.UTC).Format(time.RFC3339),
		}, http.StatusCreated)
		b.callHook(b.calls)
		http.DefaultClient.CloseIdleConnections()
	}
	b.time("POST /connections/test", "POST", "/connections/test", map[string]any{
		"provider": "oanda", "credentials": map[string]any{"token": "token-1", "environment": "practice"},
	}, http.StatusOK)
	b.runConnection(3 * size.slowest) // it sends several requests
}

// report logs the times and checks the slowest one.
func (b *bystander) report(attack string, size loadSize) {
	b.p.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(b.times)) {
		times := b.times[name]
		slices.Sort(times)
		slowest := times[len(times)-1]
		b.p.t.Logf("%s: %s: %d calls, p50 %s, p99 %s, max %s", attack, name, len(times),
			times[len(times)/2].Round(time.Millisecond), times[len(times)*99/100].Round(time.Millisecond), slowest.Round(time.Millisecond))
		if slowest > size.slowest {
			b.p.t.Errorf("%s: %s took %s, at most %s is allowed", attack, name, slowest, size.slowest)
		}
	}
	b.p.t.Logf("%s: the first run of a connection took %s", attack, b.firstRun.Round(time.Millisecond))
}

func (b *bystander) time(name, method, path string, body any, want int) {
	b.p.t.Helper()
	begun := time.Now()
	b.p.must(method, path, b.token, body, want)
	b.times[name] = append(b.times[name], time.Since(begun))
}

// attackWith runs some acts at the same time while the bystander is measured.
func (v *victim) attackWith(b *bystander, note, name string, size loadSize, acts ...hostileAct) {
	v.t.Helper()
	ctx, end := context.WithCancel(v.t.Context())
	a := &attack{victim: v, ctx: ctx, note: note, hook: b.hook, answers: map[string]int{}}
	for _, act := range acts {
		act.start(a, size)
	}
	b.measure(size)
	end()
	a.all.Wait()
	b.report(name, size)
	v.t.Logf("%s: answers to uploads %v, memory peaked at %d MiB", name, a.answers, peakMemory(v.t, v.p.command.Process.Pid)>>10)
}

// TestLoad runs slow and hostile clients, at the same time and in make soak-hostile also
// one after the other: incomplete requests, unread long responses, endless uploads,
// expensive files, runs waiting for a slow broker. Others must be served meanwhile, and
// one hostile user must not take more memory than allowed.
func TestLoad(t *testing.T) {
	size := loadSizeOf()
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		_, broker := newBroker(t, time.Now().AddDate(0, -1, 0), "token-1")
		v := newVictim(t, engine, "SVC_OUTBOUND=true", "SVC_OUTBOUND_ENDPOINTS=oanda="+broker+",trading212="+newSlowBroker(t))
		k := &killing{victim: v}
		if status, answer, err := k.upload("/imports/commit", longImportFile(size.fills)); err != nil || status != http.StatusOK {
			t.Fatalf("the import returned %d %v %v", status, answer, err)
		}
		note := v.p.must("POST", "/notes", v.token, map[string]any{"body": "a note"}, http.StatusCreated)["id"].(string)
		b := newBystander(v)
		if size.each {
			v.attackWith(b, note, "no attack", size)
			for _, act := range hostileActs {
				v.attackWith(b, note, act.name, size, act)
			}
		}
		v.attackWith(b, note, "all at once", size, hostileActs...)
		if peak := peakMemory(t, v.p.command.Process.Pid); peak > maxLoadMemory {
			t.Errorf("memory peaked at %d KiB", peak)
		}
		if code := v.p.stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}
