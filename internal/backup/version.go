package backup

import "fillbook/internal/journal"

// The head of every backup. formatVersion rises with every field that the
// document gets, so that an older program refuses a file instead of dropping
// what it does not know. This program reads all versions up to its own.
const (
	formatName    = "fillbook"
	formatVersion = 2
)

// checkVersion refuses a version that this program does not read.
func checkVersion(version int) error {
	if version >= 1 && version <= formatVersion {
		return nil
	}
	return journal.Invalid("The backup has the format version %d; this Fillbook reads versions 1 to %d. Update Fillbook to read it.",
		version, formatVersion)
}

// upgrade changes a document of an older version to the meaning of this one.
func (d *Document) upgrade() {
	if d.Version >= 2 {
		return
	}
	// Version 1 left out a price that a setup does not have. The program
	// always wrote the other fields; where a person left those out too, an
	// absent price says nothing.
	for i := range d.Setups {
		if s := &d.Setups[i]; s.Description != nil && s.Thesis != nil && s.Symbol != nil && s.Direction != nil && s.Checklist != nil {
			s.TargetPrice.Set, s.StopPrice.Set = true, true
		}
	}
}
