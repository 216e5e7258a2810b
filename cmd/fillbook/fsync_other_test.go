//go:build !linux

package main

// serveOnFailingDisk is only known on Linux; no test asks for it elsewhere.
func serveOnFailingDisk() int { panic("no way to let a disk fail") }
