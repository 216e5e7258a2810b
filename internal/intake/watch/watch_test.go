package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestLinksAreNotFollowed has links to a file and to a folder with files in a folder, and
// a file replaced by a link after it was seen.
func TestLinksAreNotFollowed(t *testing.T) {
	w := newWorld(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.csv")
	if err := os.WriteFile(secret, []byte(header+fill("TSLA", 0)), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		t.Helper()
		path := filepath.Join(w.folder, name)
		if err := errors.Join(os.RemoveAll(path), os.Symlink(to, path)); err != nil {
			t.Skip("this system has no links: ", err)
		}
	}
	w.start(func(o *Options) { o.Config.Folders[0].Recursive = true })
	link(secret, "link.csv")
	link(outside, "folder")
	w.write("later.csv", header+fill("AAPL", 0))
	w.run(4 * time.Second)
	link(secret, "later.csv")
	w.write("own.csv", header+fill("MSFT", 0))
	w.run(time.Minute)
	w.want("imported own.csv: 1 fill inserted, 0 known, 1 trade")
	w.wantStored(1, 1)
	if _, err := openShared(filepath.Join(w.folder, "link.csv")); err == nil && runtime.GOOS != "windows" {
		t.Error("a link is opened")
	}
}

// TestFilesAreImportedOnce checks what happens to many kinds of files, and that a restart
// sends nothing again.
func TestFilesAreImportedOnce(t *testing.T) {
	w := newWorld(t)
	w.write("fills.csv", header+fill("AAPL", 0)+fill("AAPL", 1))
	w.write("empty.csv", "")
	w.write("fills.csv.crdownload", header+fill("TSLA", 0))
	w.write("~$fills.csv", header+fill("TSLA", 0))
	w.write("picture.png", header+fill("TSLA", 0))
	w.run(4 * time.Second)
	w.want() // it may not be complete
	w.run(10 * time.Second)
	w.want("imported fills.csv: 2 fills inserted, 0 known, 1 trade")
	w.write("contacts.csv", "Name,Phone\nBob,12\n")
	w.write("positions.csv", "Symbol,Quantity,Price,Date\nAAPL,-2,10,2026-01-05T15:00:00Z\nAAPL,2,10,2026-01-05T16:00:00Z\n")
	w.write("nozone.csv", header+"AAPL,buy,1,10,2026-01-06 15:00:00\n")
	w.write("fills (1).csv", header+fill("AAPL", 0)+fill("AAPL", 1))
	w.write("all.csv", header+fill("AAPL", 1)+fill("AAPL", 0))
	w.run(time.Minute)
	w.want(
		"skipped contacts.csv: The file has no columns with a quantity and a price",
		"skipped positions.csv: not recognized as a file of trades",
		"refused nozone.csv: the time zone of its times is unknown. Set tz",
		"unchanged fills (1).csv: same content as fills.csv",
		"unchanged all.csv: nothing new, 2 fills known",
	)
	if err := os.Rename(filepath.Join(w.folder, "fills.csv"), filepath.Join(w.folder, "january.csv")); err != nil {
		t.Fatal(err)
	}
	sent := w.count("POST")
	w.start()
	w.run(time.Hour)
	w.want("unchanged january.csv: same content as fills")
	if w.count("POST") != sent {
		t.Fatalf("known content was sent again: %v", w.requests)
	}
	w.wantStored(2, 1)
	if origin := w.list("/imports")[0]["origin"]; origin != "watch" {
		t.Fatalf("the origin of the import is %v", origin)
	}
	w.start(func(o *Options) { o.Config.Folders[0].TZ = "America/New_York" }) // other settings: everything again
	w.run(time.Minute)
	if got := w.takeEvents(); !strings.Contains(got, "imported nozone.csv: 1 fill inserted") {
		t.Fatal(got)
	}
	w.wantStored(3, 2)
}

// TestBackupIsNotRestored checks that the agent leaves backups alone.
func TestBackupIsNotRestored(t *testing.T) {
	w := newWorld(t)
	w.write("journal.json", `{"executions":[{"symbol":"AAPL","side":"buy","quantity":1,"price":10,"executed_at":"2026-01-05T15:00:00Z"}],"cash_transactions":[]}`)
	w.start(func(o *Options) { o.Config.Folders[0].Pattern = "*.json" })
	w.run(time.Minute)
	w.want("skipped journal.json: this is a backup")
	w.wantStored(0, 0)
}

// TestGrowingLog writes a log as platforms do, with half rows and pauses.
func TestGrowingLog(t *testing.T) {
	w := newWorld(t)
	log := header + fill("ES", 0)
	w.write("log.csv", log+"ES,sell,1,10") // a wrong price if it were imported
	w.run(time.Minute)
	w.want("waiting log.csv: it is not complete")
	log += fill("ES", 1)
	w.write("log.csv", log)
	w.run(time.Minute)
	w.want("imported log.csv: 2 fills inserted")
	log += fill("ES", 2)
	w.write("log.csv", log)
	w.run(time.Minute)
	w.want("waiting log.csv: it grows")
	w.run(2 * time.Minute)
	w.want() // quiet for two minutes, but sent less than five minutes ago
	w.run(4 * time.Minute)
	w.want("imported log.csv: 1 fill inserted, 2 known")
	w.write("log.csv", log+"ES,sell,1,1")
	w.run(10 * time.Minute)
	w.want("waiting log.csv: it grows", "waiting log.csv: its last row is not complete")
	log += strings.TrimSuffix(fill("ES", 3), "\n") // the line break never comes
	w.write("log.csv", log)
	reads := w.count("POST")
	w.run(23 * time.Hour)
	w.want("waiting log.csv: it grows", "waiting log.csv: its last row is not complete")
	if w.count("POST") != reads {
		t.Fatal("a waiting file was sent")
	}
	w.run(2 * time.Hour)
	w.want("imported log.csv: 1 fill inserted, 3 known")
	w.write("log.csv", header+fill("NQ", 0)) // begun again, as by a rotation
	w.run(time.Minute)
	w.want("imported log.csv: 1 fill inserted, 0 known")
	w.wantStored(5, 4)
}

// TestEqualRowsAreKept checks that a log with equal fills is neither doubled nor
// shortened when it grows by another one.
func TestEqualRowsAreKept(t *testing.T) {
	w := newWorld(t)
	log := header + fill("ES", 0) + fill("ES", 0)
	w.write("log.csv", log)
	w.run(time.Minute)
	w.write("log.csv", log+fill("ES", 0))
	w.run(time.Hour)
	w.wantStored(3, 2)
}

// TestOutage checks that an hour without a server costs few requests and no file.
func TestOutage(t *testing.T) {
	w := newWorld(t)
	w.setDisturbance(func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
	w.write("fills.csv", header+fill("AAPL", 0))
	w.run(time.Hour)
	if n := w.count(""); n < 5 || n > 40 { // the transport repeats some requests itself
		t.Fatalf("%d requests in an hour", n)
	}
	w.setDisturbance(func(out http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(out, "<html>Bad gateway", http.StatusBadGateway)
	})
	w.write("more.csv", header+fill("MSFT", 0))
	w.run(time.Hour)
	w.want("The server cannot be reached")
	w.setDisturbance(nil)
	w.run(20 * time.Minute)
	w.want("The server can be reached again.", "imported fills.csv: 1 fill", "imported more.csv: 1 fill")
	w.wantStored(2, 2)
}

// TestFaultOfOneFile checks that a file the server fails on does not stop the others, and
// is tried again.
func TestFaultOfOneFile(t *testing.T) {
	w := newWorld(t)
	failing := true
	w.setDisturbance(func(out http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := io.ReadAll(r.Body)
		if err == nil && failing && bytes.Contains(body, []byte("TSLA")) {
			out.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(out, `{"error":{"code":"internal","message":"Something went wrong."}}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(out, r)
	})
	w.write("a.csv", header+fill("TSLA", 0))
	w.write("b.csv", header+fill("AAPL", 0))
	w.run(time.Hour)
	w.want("waiting a.csv: Something went wrong.", "imported b.csv")
	failing = false
	w.run(20 * time.Minute)
	w.want("imported a.csv")
}

// TestLostAnswers loses each server answer once, after its effect.
func TestLostAnswers(t *testing.T) {
	w := newWorld(t)
	lost := map[string]bool{}
	w.setDisturbance(func(out http.ResponseWriter, r *http.Request, next http.Handler) {
		if lost[r.URL.Path] {
			next.ServeHTTP(out, r)
			return
		}
		lost[r.URL.Path] = true
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		out.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
		out.WriteHeader(answer.Code)
		_, _ = out.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	})
	w.write("fills.csv", header+fill("AAPL", 0)+fill("AAPL", 1))
	w.run(time.Hour)
	if !lost["/api/v1/imports/commit"] {
		t.Fatalf("no commit was lost: %v\n%s", lost, w.takeEvents())
	}
	w.wantStored(2, 1)
}

// TestSlowServer checks that a request taking too long is repeated.
func TestSlowServer(t *testing.T) {
	w := newWorld(t)
	w.start(func(o *Options) { o.Timeout = 50 * time.Millisecond })
	w.setDisturbance(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() })
	w.run(5 * time.Second)
	w.want("The server cannot be reached")
	w.start()
	w.setDisturbance(nil)
	w.write("fills.csv", header+fill("AAPL", 0))
	w.run(time.Minute)
	w.want("imported fills.csv")
}

// TestReversedImportComesBack checks that a stored server answer is not taken for an
// import reversed by the user.
func TestReversedImportComesBack(t *testing.T) {
	w := newWorld(t)
	w.write("fills.csv", header+fill("AAPL", 0))
	w.run(time.Minute)
	batch := w.list("/imports")[0]["id"].(string)
	w.send("DELETE", "/imports/"+batch, nil)
	w.run(time.Hour)
	w.wantStored(0, 1) // not by itself
	if err := os.Remove(w.state); err != nil {
		t.Fatal(err)
	}
	w.start() // the user wants everything again
	w.run(time.Minute)
	w.wantStored(1, 2)
}

// TestRefusals checks the errors that end the agent.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	w.write("fills.csv", header+fill("AAPL", 0))
	w.start(func(o *Options) { o.Config.Folders[0].AccountID = "01a1e6be-0000-71e0-9be2-000000000000" })
	if err := w.agent.Once(t.Context()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), w.account+" (Main, USD)") {
		t.Fatalf("an unknown account: %v", err)
	}
	w.start(func(o *Options) { o.Config.Folders[0].TZ = "Mars/Olympus" })
	if err := w.agent.Once(t.Context()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Fatalf("an unknown zone: %v", err)
	}
	w.start()
	w.setDisturbance(func(out http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(out, r, "https://elsewhere.example.org", http.StatusFound)
	})
	if err := w.agent.Once(t.Context()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "elsewhere.example.org") {
		t.Fatalf("a redirect: %v", err)
	}
	w.setDisturbance(nil)
	w.start()
	if _, err := w.agent.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, token := range w.list("/access-tokens") {
		w.send("DELETE", "/access-tokens/"+token["id"].(string), nil)
	}
	w.clock.Advance(time.Minute)
	if err := w.agent.Run(t.Context()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "refused the token") {
		t.Fatalf("a revoked token: %v", err)
	}
	w.wantStored(0, 0)
}

// TestLockedFile checks that a file used by another program waits.
func TestLockedFile(t *testing.T) {
	w := newWorld(t)
	w.write("fills.csv", header+fill("AAPL", 0))
	locked := true
	open := w.agent.open
	w.agent.open = func(path string) (*os.File, error) {
		if locked {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return open(path)
	}
	w.run(10 * time.Minute)
	w.want("waiting fills.csv: it cannot be read: permission denied")
	locked = false
	w.run(time.Minute)
	w.want("imported fills.csv")
}

// TestMissingFolder checks that a folder may go and come back.
func TestMissingFolder(t *testing.T) {
	w := newWorld(t)
	away := w.folder + ".away"
	if err := os.Rename(w.folder, away); err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	w.want("failed " + filepath.Base(w.folder) + ": the folder cannot be read")
	if err := os.Rename(away, w.folder); err != nil {
		t.Fatal(err)
	}
	w.write("fills.csv", header+fill("AAPL", 0))
	w.run(20 * time.Minute)
	w.want("can be read again", "imported fills.csv")
}

// TestOnce checks a single run's results.
func TestOnce(t *testing.T) {
	w := newWorld(t)
	w.write("fills.csv", header+fill("AAPL", 0)+strings.TrimSuffix(fill("AAPL", 1), "\n"))
	w.write("contacts.csv", "Name,Phone\nBob,12\n")
	once := func(dry bool) error {
		w.start(func(o *Options) { o.DryRun = dry })
		return w.agent.Once(t.Context())
	}
	if err := once(true); err != nil {
		t.Fatal(err)
	}
	w.want("imported fills.csv: would insert 2 fills", "skipped contacts.csv")
	w.wantStored(0, 0)
	if err := once(false); err != nil {
		t.Fatal(err)
	}
	w.want("imported fills.csv: 2 fills inserted", "skipped contacts.csv")
	if got := w.agent.Summary(); got != "Files: 1 imported, 1 skipped." {
		t.Fatal(got)
	}
	w.write("nozone.csv", header+"AAPL,buy,1,10,2026-01-06 15:00:00\n")
	if err := once(false); !errors.Is(err, ErrSomeFailed) {
		t.Fatalf("a refused file: %v", err)
	}
	w.takeEvents()
	if err := once(false); err != nil {
		t.Fatalf("nothing new: %v", err)
	}
	w.write("half.csv", header+fill("MSFT", 0)+"MSFT,se")
	if err := once(false); err != nil {
		t.Fatal(err)
	}
	w.want("imported half.csv: 1 fill inserted, 0 known, 1 trade; the last row is incomplete and waits")
	w.setDisturbance(func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
	if err := once(false); !errors.Is(err, ErrSomeFailed) {
		t.Fatalf("without a server: %v", err)
	}
}

// TestRememberedSettings checks that a user's answers in the browser are used.
func TestRememberedSettings(t *testing.T) {
	w := newWorld(t)
	strange := "a,b,c,d\nTSLA,2026-01-05 15:00:00,5,10\nTSLA,2026-01-05 16:00:00,-5,12\n"
	w.write("strange.csv", strange)
	w.run(3 * time.Minute) // remembered settings are read once a minute
	w.want("skipped strange.csv: not recognized")
	p, err := w.agent.importer.client.preview(t.Context(), upload{name: "x.csv", content: []byte(strange), fields: map[string]string{"account_id": w.account}})
	if err != nil {
		t.Fatal(err)
	}
	w.send("PUT", "/import-layouts/"+p.Signature, map[string]any{
		"source_tz": "America/New_York", "column_mapping": map[string]any{"symbol": "a", "executed_at": "b", "quantity": "c", "price": "d"},
	})
	w.write("strange2.csv", strange+"TSLA,2026-01-05 17:00:00,5,10\n")
	w.run(time.Minute)
	w.want("imported strange2.csv: 3 fills inserted")
	if at := w.list("/executions")[0]["executed_at"]; !strings.Contains(fmt.Sprint(at), "2026-01-05T2") {
		t.Fatalf("a fill is at %v, not in New York's time", at)
	}
}

// TestFirstStartWithManyFiles checks that old files without trades are read once, and
// that their times do not matter.
func TestFirstStartWithManyFiles(t *testing.T) {
	w := newWorld(t)
	for i := range 200 {
		w.write(fmt.Sprintf("note %d.txt", i), fmt.Sprintf("note %d\n", i))
		w.write(fmt.Sprintf("photo %d.jpg", i), "x")
	}
	w.write("fills.csv", header+fill("AAPL", 0))
	for i, at := range []time.Time{time.Unix(0, 0), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if err := os.Chtimes(filepath.Join(w.folder, fmt.Sprintf("note %d.txt", i)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	w.run(time.Minute)
	if got := w.takeEvents(); strings.Count(got, "skipped note") != 200 || !strings.Contains(got, "imported fills.csv") {
		t.Fatal(got)
	}
	sent := w.count("POST")
	w.start()
	w.run(time.Hour)
	w.want()
	if w.count("POST") != sent {
		t.Fatal("files were sent again")
	}
}

// TestFolders checks which folder a file belongs to.
func TestFolders(t *testing.T) {
	w := newWorld(t)
	inner := filepath.Join(w.folder, "inner")
	if err := os.MkdirAll(filepath.Join(inner, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write("inner/a.csv", header+fill("A", 0))
	w.write("inner/deep/b.CSV", header+fill("B", 0))
	w.run(time.Minute)
	w.want()
	w.start(func(o *Options) {
		o.Config.Folders = []Folder{
			{Path: inner, AccountID: w.account, Pattern: "a*"},
			{Path: w.folder, AccountID: w.account, Pattern: "*.csv", Recursive: true, TZ: "UTC"},
		}
	})
	w.run(time.Hour)
	w.want("imported a.csv", "imported b.CSV")
	w.wantStored(2, 2)
}

// TestNotification checks that the system reports a new file, so it is sent before the
// next scan.
func TestNotification(t *testing.T) {
	w := newWorld(t)
	notifier, err := NewNotifier()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = notifier.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	written := false
	w.start(func(o *Options) {
		o.Notifier = notifier
		o.Report = func(e Event) {
			if e.Path != "" {
				w.events = append(w.events, e)
				cancel()
			}
		}
		o.Wait = func(ctx context.Context, d time.Duration, changes <-chan string) (string, bool) {
			if !written {
				written = true
				w.write("fills.csv", header+fill("AAPL", 0))
			}
			if d <= settleNotified {
				w.clock.Advance(d)
				return "", false
			}
			return WaitFor(ctx, time.Hour, changes) // without a change the test fails
		}
	})
	if err := w.agent.Run(ctx); err != nil {
		t.Fatal(err)
	}
	w.want("imported fills.csv")
}

// TestPriceBars: price bar files are imported as such, unless something is unknown or the
// fills contradict them.
func TestPriceBars(t *testing.T) {
	w := newWorld(t)
	const rows = "1767625200,100,101,99,100\n1767625260,100,102,100,101\n" // 2026-01-05 15:00
	w.write("NASDAQ_AAPL, 1.csv", "time,open,high,low,close\n"+rows)
	w.run(time.Minute)
	w.want("imported NASDAQ_AAPL, 1.csv: 2 bars inserted, 0 replaced: AAPL")
	w.write("NASDAQ_AAPL, 1 (1).csv", "time,open,high,low,close,Plot\n"+strings.ReplaceAll(rows, "\n", ",NaN\n"))
	w.run(time.Minute)
	w.want("unchanged NASDAQ_AAPL, 1 (1).csv: nothing new, 2 bars known")
	w.write("MSFT.txt", "20260105 150000;1;1;1;1;4\n20260105 150100;1;1;1;1;4\n")
	w.run(time.Minute)
	w.want("refused MSFT.txt: price bars of MSFT: tz is unknown. Import the file in the browser under Prices, or set tz for the folder")
	w.write("fills.csv", header+fill("GE", 0)+fill("GE", 1))
	w.run(time.Minute)
	w.want("imported fills.csv: 2 fills inserted")
	w.write("NYSE_GE, 1.csv", "time,open,high,low,close\n"+strings.ReplaceAll(rows, ",10", ",20"))
	w.run(time.Minute)
	w.want("refused NYSE_GE, 1.csv: price bars of GE: only 1 of 2 fills lie inside their bar")
	w.write("contacts.csv", "Name,Phone\nAnn,1\n")
	w.run(time.Minute)
	w.want("skipped contacts.csv: The file has no columns with a quantity and a price")
	if list := w.list("/bars/series"); len(list) != 1 || list[0]["symbol"] != "AAPL" {
		t.Errorf("the series are %v", list)
	}
	w.wantStored(2, 1)
}
