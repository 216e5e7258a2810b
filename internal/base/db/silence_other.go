//go:build !linux

package db

import "syscall"

// limitSilence does nothing on systems without a known option.
func limitSilence(string, string, syscall.RawConn) error { return nil }
