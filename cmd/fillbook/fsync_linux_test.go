package main

import (
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"fillbook/internal/base/db"
)

// serveOnFailingDisk runs fillbook with a disk failing as soon as SIGUSR1 arrives.
func serveOnFailingDisk() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGUSR1)
	go func() {
		<-signals
		if err := failSyncs(); err != nil {
			panic(err)
		}
	}()
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// failSyncs makes every fsync in this process fail with EIO. It cannot be undone.
func failSyncs() error {
	const number = 0 // where a filter finds the system call's number
	fail := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EIO)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FSYNC, Jt: 2},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FDATASYNC, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_RET | unix.BPF_K, K: fail},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) // there is no other way in
	if errno != 0 {
		return errno
	}
	return nil
}

// TestDiskFailsToSync lets fsync fail: the write fails and is not repeated, the process
// exits with an error, and the next start checks the file and finds every acknowledged
// write.
func TestDiskFailsToSync(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := program(t, append(env, failingDisk+"=1"), "serve")
	command.Path = self
	p := start(t, command)
	token := p.must("POST", "/setup", "", someone, http.StatusCreated)["access_token"].(string)
	note := map[string]any{"body": "kept", "occurred_at": "2026-03-02"}
	p.must("POST", "/notes", token, note, http.StatusCreated)

	if err := p.command.Process.Signal(unix.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	acknowledged := 1
	for {
		status, answer, err := p.call("POST", "/notes", token, note)
		if err != nil || status == http.StatusServiceUnavailable {
			break
		}
		if status != http.StatusCreated {
			t.Fatalf("a write on a failing disk returned %d %v", status, answer)
		}
		acknowledged++
	}
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit code %d\n%s", code, p.stderr)
	}
	if !strings.Contains(p.stderr.String(), "disk failed, writing stopped") {
		t.Errorf("the log does not contain the reason:\n%s", p.stderr)
	}
	if !fileExists(filepath.Join(dataDir(env), runningMark)) {
		t.Error("the next start would consider this a clean stop")
	}

	again := &victim{t: t, env: env, p: serve(t, env)}
	again.signIn()
	// Whether the refused write was stored is unknown: the disk accepted it
	// and did not confirm it.
	if n := len(again.list("/notes")); n != acknowledged && n != acknowledged+1 {
		t.Errorf("%d notes are there, %d were acknowledged", n, acknowledged)
	}
	again.check()
	again.p.stop()
}
