package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processUsage is what the kernel has counted of a process so far.
type processUsage struct {
	rss, peak int64
	cpu       time.Duration
	written   int64
}

// clockTick is the unit of CPU times in /proc, the same on every Linux.
const clockTick = 10 * time.Millisecond

// readUsage reads what a process has used. A file of /proc that cannot be read
// leaves zero.
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

// cpuTime takes user and system time from a line of /proc/PID/stat. The name of
// the program comes second, in parentheses, and may hold anything.
func cpuTime(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick
}

// resetPeak makes the kernel begin anew with the peak of a process. Where it
// may not, the peak stays that of the whole life, which is never too small.
func resetPeak(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600)
}
