package bars

import (
	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

var aliasHistory = history.NewType("bar_alias", aliasTable.Fields, history.Of[Alias]{
	ID: func(a *Alias) string { return string(a.ID) }, Label: func(a *Alias) string { return a.Symbol },
})

// recordImport records that a file was imported, or that its import was reversed.
func recordImport(tx *db.Tx, owner journal.UserID, done Import, action history.ObjectAction) {
	before, after, change := any(nil), any(string(Committed)), history.Import
	if action == history.Updated {
		before, after, change = string(Committed), string(Reversed), history.Reverse
	}
	history.Describe(tx, owner, history.Description{Action: change})
	history.Record(tx, owner, history.Object{
		Type: "bar_import", ID: string(done.ID), Label: done.FileName, Action: action,
		Fields: []history.Field{history.NewField("status", before, after)}, Contains: map[string]int{"bar": done.Inserted},
	})
}
