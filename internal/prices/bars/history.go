package bars

import (
	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

var aliasHistory = history.NewType("bar_alias", aliasTable.Fields, history.Of[Alias]{
	ID: func(a *Alias) string { return string(a.ID) }, Label: func(a *Alias) string { return a.Symbol },
})

// recordImport records that a file was imported, that its import was reversed, or that it is
// back.
func recordImport(tx *db.Tx, owner journal.UserID, done Import, action history.ObjectAction, after Status) {
	var before any
	if action == history.Updated {
		before = string(done.Status)
	}
	if !history.HasAction(tx) {
		change := history.Import
		if after == Reversed {
			change = history.Reverse
		}
		history.Describe(tx, owner, history.Description{Action: change})
	}
	history.Record(tx, owner, history.Object{
		Type: "bar_import", ID: string(done.ID), Label: done.FileName, Action: action,
		Fields: []history.Field{history.NewField("status", before, string(after))}, Contains: map[string]int{"bar": done.Inserted},
	})
}

// recordSeries records that a series was deleted or came back.
func recordSeries(tx *db.Tx, owner journal.UserID, series Series, action history.ObjectAction) {
	history.Record(tx, owner, history.Object{
		Type: "bar_series", ID: string(series.ID), Label: series.Symbol, Action: action, Contains: map[string]int{"bar": series.Bars},
	})
}
