// Package backup writes a journal into files and reads it back: the JSON
// backup, which holds everything and can be restored; the zip, which adds the
// attached files; and tables (CSV, XLSX) for people and other programs.
//
// A backup names no record by the id it has in the database. Records refer to
// one another by their place in the file: a trade is the list of its fills, a
// note points at a trade, a tag is its name. Exports of equal journals are
// therefore equal but for exported_at, and a restore needs to trust nothing: it
// finds or makes the records among those of the user who restores. Amounts are
// exact decimals, instants UTC. docs/backup-format.md describes the format for
// its users.
//
// Each section has a checksum over its JSON without insignificant whitespace
// ([Document] lists the sections). A file whose checksums do not agree is
// refused; one that has none, because a person wrote it, is taken.
//
// Writing is streamed, inside one reading transaction of the caller's. Reading
// is done in three steps: [Decode] (or [OpenZip]) looks at the file alone,
// [Preview] reports what a restore would do, and [Restore] does it as one step of
// the caller's writing transaction. To restore a file twice changes nothing the
// second time. Files are attached after the commit ([AttachFiles]), each in a
// transaction of its own that is repeatable as well.
package backup

import (
	"time"

	"fillbook/internal/base/journal"
)

// Scope selects what to write: everything that a user has, or one account with
// its annotations.
type Scope struct {
	// Account is the one account; empty for everything.
	Account journal.AccountID
	// At is the instant of the export, as the file tells it.
	At time.Time
	// Bars adds the price bars to a backup of everything.
	Bars bool
}

// Problem is a row of a file that was left out, and why. Row counts from 1
// inside its list; Message names the list.
type Problem struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}
