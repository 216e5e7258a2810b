package db

import (
	"errors"
	"strings"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not define.
const tcpUserTimeout = 18

// limitSilence closes a connection if sent data is not acknowledged in time.
// Keep-alive alone applies only to idle connections.
func limitSilence(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var set error
	err := raw.Control(func(fd uintptr) {
		set = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silencePatience.Milliseconds()))
	})
	return errors.Join(err, set)
}
