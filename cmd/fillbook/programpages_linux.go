package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgramPages removes the pages of the program file from the memory of
// the process. Most of them were only used to start, and reading one also maps
// its neighbors. Those that are still used are mapped again from the file cache
// when they are read next.
func releaseProgramPages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		m, ok := parseMapping(lines.Text())
		if !ok || m.file != program || m.writable {
			continue
		}
		if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, m.first, m.end-m.first, syscall.MADV_DONTNEED); failed != 0 {
			return failed
		}
	}
	return lines.Err()
}

// mapping is a line of /proc/self/maps: a range of addresses and its file.
type mapping struct {
	first, end uintptr
	writable   bool
	file       string
}

// parseMapping parses a line such as
// "00400000-01540000 r-xp 00000000 fe:00 1234   /usr/bin/fillbook".
func parseMapping(line string) (m mapping, ok bool) {
	const permissions, path = 1, 5
	fields := strings.Fields(line)
	if len(fields) <= path {
		return m, false
	}
	first, end, _ := strings.Cut(fields[0], "-")
	from, err := strconv.ParseUint(first, 16, strconv.IntSize)
	if err != nil {
		return m, false
	}
	to, err := strconv.ParseUint(end, 16, strconv.IntSize)
	if err != nil {
		return m, false
	}
	m.first, m.end = uintptr(from), uintptr(to)
	m.writable = strings.Contains(fields[permissions], "w")
	m.file = strings.Join(fields[path:], " ")
	return m, true
}
