package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// The laws for importing: a row imported twice is stored once, parts make the whole in
// any order and at any time, and annotations outlive their fills.

// manyFills writes rows for a made-up day, all different except every seventh, which
// happened twice.
func manyFills(n int) (rows []string) {
	dice := rand.New(rand.NewPCG(7, uint64(n)))
	for i := len(rows); len(rows) < n; i++ {
		row := fmt.Sprintf("%s,%s,%d,%d.%02d,%s,0.5\n", []string{"AAPL", "MSFT", "ESH6", "EURUSD"}[dice.IntN(4)],
			[]string{"buy", "sell"}[dice.IntN(2)], 1+dice.IntN(5), 10+dice.IntN(5), dice.IntN(100), at(i))
		rows = append(rows, row)
		if i%7 == 0 && len(rows) < n {
			rows = append(rows, row)
		}
	}
	return rows
}

func file(rows []string) string { return headLine + strings.Join(rows, "") }

// holding is what an account holds, without the ids: its fills, and what its
// trades made.
func (d trader) holding() string {
	d.w.t.Helper()
	var b strings.Builder
	for _, list := range []struct {
		path   string
		fields []string
	}{
		{"/executions", []string{"executed_at", "symbol", "side", "quantity", "price", "commission"}},
		{"/trades", []string{"opened_at", "symbol", "direction", "status", "qty_opened", "avg_entry_price", "net_pnl", "execution_count"}},
	} {
		found := d.get(list.path + "?account_id=" + d.account).want(http.StatusOK)
		lines := make([]string, found.count(""))
		for _, field := range list.fields {
			for i, value := range found.column(field) {
				lines[i] += value + " "
			}
		}
		slices.Sort(lines) // simultaneous fills have no order
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// checkInstallation checks the whole installation.
func (w *world) checkInstallation() {
	w.t.Helper()
	err := w.services.Check(w.t.Context(), func(what string) { w.t.Error(what) })
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestPartialFilesCombineToTheCompleteOne: overlapping exports, in any order and any
// number of times, equal one complete export.
func TestPartialFilesCombineToTheCompleteOne(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		whole := w.trader()
		rows := manyFills(60)
		whole.imported(file(rows)).holds("", `{"inserted": 60, "skipped": 0, "error_count": 0}`)
		whole.imported(file(rows)).holds("", `{"inserted": 0, "skipped": 60, "trades": 0}`)
		want := whole.holding()
		for i, parts := range [][][2]int{
			{{0, 30}, {30, 60}},
			{{0, 40}, {20, 60}},
			{{20, 60}, {0, 40}, {10, 50}},
			{{25, 35}, {0, 60}, {0, 10}},
			{{50, 60}, {40, 55}, {30, 45}, {20, 35}, {10, 25}, {0, 15}},
		} {
			d := whole.addAccount(fmt.Sprint("Part ", i))
			inserted := 0
			for _, p := range parts {
				// A cut between two equal fills cannot be told from one fill exported
				// twice, so cuts lie elsewhere.
				from, to := uncut(rows, p[0]), uncut(rows, p[1])
				n, _ := d.imported(file(rows[from:to])).value("inserted").(interface{ Int64() (int64, error) }).Int64()
				inserted += int(n)
			}
			if got := d.holding(); got != want || inserted != len(rows) {
				t.Errorf("parts %v: %d inserted,\n%s\nwant\n%s", parts, inserted, got, want)
			}
		}
		w.checkInstallation()
	})
}

// uncut moves a cut after the second of two equal rows.
func uncut(rows []string, at int) int {
	for at > 0 && at < len(rows) && rows[at] == rows[at-1] {
		at++
	}
	return at
}

// TestAnnotationsOutliveAnImport: annotations on an import's trades are back when the
// file is imported again, with every text and file.
func TestAnnotationsOutliveAnImport(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		batch := d.imported(twoFills + "MSFT,buy,1,20,2026-01-05T15:00:00Z,\n").text("import_batch_id")
		trade := d.trades("AAPL").text("0.id")
		tag, setup := d.made("/tags", more{"name": "fast"}).text("id"), d.made("/setups", more{"name": "Breakout"}).text("id")
		d.annotate(trade, more{
			"notes": "waited for it", "tag_ids": []string{tag}, "setup_ids": []string{setup}, "initial_risk": 50, "stop_price": 9.5,
			"target_price": 12, "emotional_state": "calm", "confidence": 4, "trade_quality": 5, "reviewed": true,
		})
		picture := d.attach("/trades/"+trade, "chart.png", tinyPNG).want(http.StatusCreated)
		words := func() string {
			found := d.trade(d.trades("AAPL").text("0.id"))
			var b strings.Builder
			for _, field := range []string{
				"notes", "tag_ids", "setup_ids", "initial_risk", "stop_price", "target_price", "emotional_state", "confidence", "trade_quality",
				"reviewed_at", "net_pnl",
			} {
				b.WriteString(field + " " + found.json(field) + "\n")
			}
			return b.String() + found.json("attachments.0.sha256")
		}
		before := words()
		for range 2 { // as often as one likes
			d.delete("/imports/" + batch).want(http.StatusNoContent)
			d.get("/trades").want(http.StatusOK).is("", "[]")
			if n := w.stored(); n != 1 {
				t.Fatalf("%d files are stored while the words wait", n)
			}
			w.checkInstallation()
			batch = d.imported(twoFills).text("import_batch_id")
			if after := words(); after != before {
				t.Errorf("the words are\n%s\nwant\n%s", after, before)
			}
		}
		wantDownload(t, d.get("/attachments/"+picture.text("id")).want(http.StatusOK), "image/png", tinyPNG)
		w.checkInstallation()
	})
}

// TestImportsAtOnce: files arriving together have the same result as one after the other.
func TestImportsAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first := w.trader()
		rows := manyFills(400)
		whole := first.addAccount("Whole")
		whole.imported(file(rows))
		want := whole.holding()
		second := first.addAccount("Second")
		// Four overlapping windows, for each of two accounts.
		replies := atOnce(8, func(i int) *reply {
			d := []trader{first, second}[i%2]
			from, to := uncut(rows, 90*(i/2)), uncut(rows, 90*(i/2)+130)
			return d.upload("/imports/commit", file(rows[from:to]))
		})
		if count := tally(replies); count[http.StatusOK] != 8 {
			t.Fatalf("the uploads were answered %v: %s", count, replies[0].body)
		}
		for _, d := range []trader{first, second} {
			if got := d.holding(); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		}
		// The same file from many hands goes in once.
		third := first.addAccount("Third")
		replies = atOnce(6, func(int) *reply { return third.upload("/imports/commit", file(rows)) })
		inserted := 0
		for _, r := range replies {
			if r.want(http.StatusOK).text("inserted") == "400" {
				inserted++
			} else {
				r.holds("", `{"inserted": 0, "skipped": 400, "trades": 0}`)
			}
		}
		if got := third.holding(); inserted != 1 || got != want {
			t.Errorf("%d of six inserted everything:\n%s\nwant\n%s", inserted, got, want)
		}
		w.checkInstallation()
	})
}

// TestReversalsAtOnce: undoing an import while it is finished, and while others arrive,
// ends in a consistent state.
func TestReversalsAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		rows := manyFills(200)
		batch := d.imported(file(rows)).text("import_batch_id")
		replies := atOnce(8, func(i int) *reply {
			if i%2 == 0 {
				return d.delete("/imports/" + batch)
			}
			return d.upload("/imports/commit", file(rows))
		})
		if count := tally(replies); count[http.StatusNoContent] != 4 || count[http.StatusOK] != 4 {
			t.Fatalf("they were answered %v", count)
		}
		d.get("/imports/"+batch).want(http.StatusOK).is("status", `"reversed"`)
		d.imported(file(rows)) // in either order, everything is there exactly once
		if n := d.get("/executions").want(http.StatusOK).count(""); n != len(rows) {
			t.Errorf("%d fills, want %d", n, len(rows))
		}
		w.checkInstallation()
	})
}

// TestFinishedAtOnce: all who finish one import get the same answer.
func TestFinishedAtOnce(t *testing.T) {
	t.Parallel()
	const strange = "a,b,c,d\nAAPL,2026-01-05T15:00:00Z,5,10\nAAPL,2026-01-05T16:00:00Z,-5,11\n"
	const mapping = `{"symbol":"a","executed_at":"b","quantity":"c","price":"d"}`
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		id := d.upload("/imports/commit", strange).wantError(http.StatusBadRequest, "mapping_required").text("error.details.import_batch_id")
		replies := atOnce(6, func(int) *reply {
			return d.upload("/imports/"+id+"/commit", strange, part{"column_mapping", "", mapping})
		})
		for _, r := range replies {
			r.want(http.StatusOK).holds("", `{"inserted": 2, "trades": 1}`)
			if string(r.body) != string(replies[0].body) {
				t.Errorf("replies differ: %s and %s", r.body, replies[0].body)
			}
		}
		d.get("/executions").want(http.StatusOK).wantColumn("price", "10", "11")
		w.checkInstallation()
	})
}

// formOf writes an upload form.
func (d trader) formOf(content string) (body []byte, contentType string) {
	d.w.t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	_ = w.WriteField("account_id", d.account)
	in, err := w.CreateFormFile("file", "fills.csv")
	if err != nil {
		d.w.t.Fatal(err)
	}
	_, _ = io.WriteString(in, content)
	_ = w.Close()
	return out.Bytes(), w.FormDataContentType()
}

// settled waits until the account's latest import is no longer pending.
func (d trader) settled() *reply {
	d.w.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; { // asking takes its time, so this is no busy loop
		found := d.get("/imports").want(http.StatusOK)
		if status := found.text("0.status"); status != "" && status != "pending" {
			return found
		}
		if time.Now().After(deadline) {
			d.w.t.Fatalf("the import does not end: %s", found.body)
		}
	}
}

// gone is a body after whose last byte the client is gone.
type gone struct {
	*bytes.Reader
	hangUp context.CancelFunc
}

func (g gone) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if g.Len() == 0 {
		g.hangUp()
	}
	return n, err
}

// TestClientDisconnects checks that a client going away leaves a whole import or none:
// parsing ends with the request, and parsed rows are stored to the end. Sending the file
// again completes it.
func TestClientDisconnects(t *testing.T) {
	t.Parallel()
	rows := manyFills(2000)
	for name, send := range map[string]func(t *testing.T, d trader){
		"at the last byte": func(t *testing.T, d trader) {
			t.Helper()
			body, contentType := d.formOf(file(rows))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/imports/commit", gone{bytes.NewReader(body), cancel})
			request.ContentLength = int64(len(body))
			request.Header.Set("Content-Type", contentType)
			request.Header.Set("Authorization", "Bearer "+d.token)
			d.w.handler.ServeHTTP(httptest.NewRecorder(), request)
			if ctx.Err() == nil {
				t.Fatal("the client did not hang up")
			}
			d.get("/imports").is("", "[]") // the client had left, so nothing was parsed
		},
		"on the wire": func(t *testing.T, d trader) {
			t.Helper()
			address, err := url.Parse(d.w.serve().URL)
			if err != nil {
				t.Fatal(err)
			}
			var dialer net.Dialer
			conn, err := dialer.DialContext(t.Context(), "tcp", address.Host)
			if err != nil {
				t.Fatal(err)
			}
			body, contentType := d.formOf(file(rows))
			_, err = fmt.Fprintf(conn, "POST /api/v1/imports/commit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
				d.token, contentType, len(body), body)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(t *testing.T, w *world) {
				d := w.trader()
				send(t, d)
				again := d.upload("/imports/commit", file(rows)).want(http.StatusOK)
				if stored := again.text("inserted") + " " + again.text("skipped"); stored != "2000 0" && stored != "0 2000" {
					t.Errorf("the second upload answers %s", again.body)
				}
				if n := d.get("/executions").want(http.StatusOK).count(""); n != len(rows) {
					t.Errorf("%d fills are stored", n)
				}
				d.settled().is("0.status", `"committed"`)
			})
		})
	}
}

// TestReadsContinueDuringImports while an import writes: they see the state before it,
// and never a part.
func TestReadsContinueDuringImports(t *testing.T) {
	t.Parallel()
	rows := manyFills(12_000)
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		done := make(chan *reply, 1)
		go func() { done <- d.upload("/imports/commit", file(rows)) }()
		during := 0
		for running := true; running; {
			select {
			case answer := <-done:
				answer.want(http.StatusOK).is("inserted", "12000")
				running = false
			default:
				fills := d.get("/executions?limit=1").want(http.StatusOK).header.Get("X-Total-Count")
				d.get("/trades?limit=5").want(http.StatusOK)
				if fills != "2" && fills != "12002" {
					t.Fatalf("a reader sees %s fills", fills)
				}
				// Pending before and after: the import was writing all the while.
				if list := d.get("/imports").want(http.StatusOK); list.text("0.status") == "pending" && fills == "2" {
					during++
				}
			}
		}
		if during < 3 {
			t.Errorf("only %d readers were served while the import ran", during)
		}
	})
}
