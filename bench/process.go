package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processUsage contains the resources a process has used so far.
type processUsage struct {
	rss, peak int64
	cpu       time.Duration
	written   int64
}

// clockTick is the unit for CPU times in /proc, the same on every Linux.
const clockTick = 10 * time.Millisecond

// readUsage reads the resources a process has used. An unreadable file in /proc leaves
// zero.
func readUsage(pid int) processUsage {
	directory := fmt.Sprintf("/proc/%d/", pid)
	status, _ := os.ReadFile(directory + "status")
	kib := func(name string) int64 {
		n, _ := strconv.ParseInt(strings.TrimSuffix(field(status, name), " kB"), 10, 64)
		return n << 10
	}
	u := processUsage{rss: kib("VmRSS"), peak: kib("VmHWM")}
	io, _ := os.ReadFile(directory + "io")
	u.written, _ = strconv.ParseInt(field(io, "write_bytes"), 10, 64)
	stat, _ := os.ReadFile(directory + "stat")
	u.cpu = cpuTime(string(stat))
	return u
}

// cpuTime parses user and system time from /proc/PID/stat. The program's name comes
// second, in parentheses, and may contain any character.
func cpuTime(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick
}

// resetPeak resets a process's memory peak. If not permitted, the peak is since the
// process started.
func resetPeak(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600)
}
