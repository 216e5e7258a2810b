//go:build !linux

package main

// releaseProgramPages is only implemented on Linux.
func releaseProgramPages() error { return nil }
