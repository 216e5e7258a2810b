package main

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"fillbook/internal/base/db"
)

// limitFiles limits the size of the files a running process can write, as a full disk
// would. It can be undone.
func limitFiles(t *testing.T, pid int, size uint64) {
	t.Helper()
	limit := syscall.Rlimit{Cur: size, Max: ^uint64(0)}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0) // there is no other way in
	if errno != 0 {
		t.Fatal(errno)
	}
}

// TestDiskFull fills a running server's disk: writes fail with 503, reads work, nothing
// is written partially, and with space again everything works without a restart.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	v := newVictim(t, db.SQLite)
	k := &killing{victim: v}
	note := v.p.must("POST", "/notes", v.token, map[string]any{"body": "with a picture", "occurred_at": "2026-03-02"}, http.StatusCreated)
	log := &tradingLog{fills: map[string]bool{}, doubted: map[string]bool{}, prefs: map[string]bool{}}
	for range 20 {
		if err := tradeOnce(v, log); err != nil {
			t.Fatal(err)
		}
	}
	wal, err := os.Stat(filepath.Join(dataDir(v.env), databaseFile+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	limitFiles(t, v.p.command.Process.Pid, uint64(wal.Size()))
	refused := 0
	for i := range 30 {
		status, answer, err := v.p.call("POST", "/notes", v.token, map[string]any{"body": fmt.Sprint("note ", i), "occurred_at": "2026-03-02"})
		if err != nil || status != http.StatusCreated && status != http.StatusServiceUnavailable {
			t.Fatalf("a write on a full disk returned %d %v %v\n%s", status, answer, err, v.p.stderr)
		}
		if status == http.StatusServiceUnavailable {
			refused++
		}
		v.p.must("GET", "/executions", v.token, nil, http.StatusOK)
		v.p.must("GET", "/analytics/summary", v.token, nil, http.StatusOK)
	}
	if refused == 0 {
		t.Fatal("no write was rejected: the test has no effect")
	}
	file := newImportFile(0, fillsOfImport)
	if status, answer, err := k.upload("/imports/commit", file); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("an import on a full disk returned %d %v %v", status, answer, err)
	}
	if status := attach(t, v, note["id"].(string), int(wal.Size())+1<<20); status != http.StatusServiceUnavailable {
		t.Errorf("an attachment on a full disk returned %d", status)
	}
	limitFiles(t, v.p.command.Process.Pid, ^uint64(0))
	v.rounds++
	log.compare(v)
	if status, answer, err := k.upload("/imports/commit", file); err != nil || status != http.StatusOK {
		t.Errorf("an import afterwards returned %d %v %v", status, answer, err)
	}
	if status := attach(t, v, note["id"].(string), 5000); status != http.StatusCreated {
		t.Errorf("an attachment afterwards returned %d", status)
	}
	v.check()
	v.p.stop()
}

// TestLittleRoom simulates a nearly full disk: large writes are rejected before they
// start, with the reason, and small writes work.
func TestLittleRoom(t *testing.T) {
	t.Parallel()
	v := newVictim(t, db.SQLite)
	v.p.stop()
	v.env = append(v.env, "SVC_MIN_FREE_BYTES=1000000000000000000")
	v.p = serve(t, v.env)
	v.signIn()
	k := &killing{victim: v}
	status, answer, err := k.upload("/imports/commit", newImportFile(0, fillsOfImport))
	refusal, _ := answer["error"].(map[string]any)
	if err != nil || status != http.StatusServiceUnavailable || refusal["code"] != "disk_full" {
		t.Errorf("an import returned %d %v %v", status, answer, err)
	}
	if list := v.list("/imports"); len(list) != 0 {
		t.Errorf("it has left %v", list)
	}
	v.p.must("POST", "/notes", v.token, map[string]any{"body": "small", "occurred_at": "2026-03-02"}, http.StatusCreated)
	v.check()
	v.p.stop()
}

// attach uploads a file with the signature of a PDF.
func attach(t *testing.T, v *victim, note string, size int) int {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	in, err := form.CreateFormFile("file", "page.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write([]byte("%PDF-1.4\n"))
	_, _ = in.Write(bytes.Repeat([]byte("x"), size))
	_, _ = in.Write([]byte("\n%%EOF\n"))
	_ = form.Close()
	_, status, err := v.send("POST", "/notes/"+note+"/attachments", &body, form.FormDataContentType())
	if err != nil {
		t.Fatal(err)
	}
	return status
}
