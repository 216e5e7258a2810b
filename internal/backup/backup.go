// Package backup writes a journal into files and reads it back: the JSON backup, which
// holds everything and can be restored; the zip, which adds the attached files; and
// tables (CSV, XLSX) for people and other programs.
//
// A backup contains no database ids. Records refer to one another by their place in the
// file: a trade is a list of fills, a note points at a trade, a tag is its name. Exports
// of equal journals are therefore equal except for exported_at, and a restore needs to
// trust nothing: it finds or creates the records among the restoring user's own. Amounts
// are exact decimals, instants UTC. docs/backup-format.md describes the format for users.
//
// Each section has a checksum over its JSON without insignificant whitespace ([Document]
// lists the sections). A file with a wrong checksum is refused. A file without checksums,
// written by a person, is accepted.
//
// Writing is streamed, inside the caller's read transaction. Reading takes three steps:
// [Decode] (or [OpenZip]) reads only the file, [Preview] reports what a restore would do,
// and [Restore] does it inside the caller's write transaction. Restoring a file twice
// changes nothing the second time. Files are attached after the commit ([AttachFiles]),
// each in its own transaction, which is repeatable as well.
package backup

import (
	"time"

	"fillbook/internal/base/journal"
)

// Scope selects what to write: a user's whole journal, or one account with its
// annotations.
type Scope struct {
	// Account is the one account; empty for everything.
	Account journal.AccountID
	// At is the export time written to the file.
	At time.Time
	// Bars adds the price bars to a full backup.
	Bars bool
}

// Problem is a rejected row and the reason. Row counts from 1 inside its list; Message
// names the list.
type Problem struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}

func newProblem(what string, place int, err error) Problem {
	return Problem{Row: place + 1, Message: nameRow(what, place) + ": " + sentence(err)}
}
