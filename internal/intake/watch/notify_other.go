//go:build !(darwin || freebsd || netbsd || openbsd || dragonfly)

package watch

// needsFilePerEntry is whether the system keeps every file in a watched directory open.
const needsFilePerEntry = false
