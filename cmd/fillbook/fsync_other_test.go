//go:build !linux

package main

// serveOnFailingDisk is implemented on Linux only; other systems have no test for it.
func serveOnFailingDisk() int { panic("no way to let a disk fail") }
