package imports

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/trading/ledger"
)

// The internal fields of an import, which an undo needs.
const (
	partField    = ".part"    // the rows of a delivery, if they are not all
	removedField = ".removed" // a ledger.RemovedBatch, if the change removed rows
	resultField  = ".result"  // the result before the rows were removed
)

// object returns a batch as an object of a change.
func (b *Batch) object(action history.ObjectAction, before, after Status, contains map[string]int) history.Object {
	var was any
	if before != "" {
		was = string(before)
	}
	o := history.Object{
		Type: "import", ID: string(b.ID), Label: b.label(), Action: action, Account: b.Account, Contains: contains,
		Fields: []history.Field{history.NewField("status", was, string(after))},
	}
	if b.Account == "" { // a backup with several accounts
		o.SeenIn = history.AllAccounts
	}
	return o
}

// showJSON returns a value's JSON for an internal field.
func showJSON(value any) jsontext.Value {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return fields.ShowValue(string(text))
}

// readJSON reads a value of showJSON in an internal field, and reports whether there is one.
func readJSON(o history.Object, name string, into any) (found bool, err error) {
	for _, f := range o.Fields {
		if f.Name == name && f.After.Kind() == '"' {
			var text string
			if err := json.Unmarshal(f.After, &text); err != nil {
				return false, err
			}
			return true, json.Unmarshal([]byte(text), into)
		}
	}
	return false, nil
}

// addPart adds the rows of a delivery to a batch's object.
func addPart(o *history.Object, part *ledger.Part) {
	if part != nil {
		o.Fields = append(o.Fields, history.Field{Name: partField, Before: jsontext.Value("null"), After: showJSON(part)})
	}
}

// label names a batch for its user.
func (b *Batch) label() string {
	if b.FileName != nil {
		return *b.FileName
	}
	return cmp.Or(b.Broker, string(b.Origin))
}

// recordCommit records an imported file or backup.
func recordCommit(tx *db.Tx, b *Batch, result Result, isBackup bool) {
	action, verb := history.Import, "Imported"
	if isBackup {
		action, verb = history.Restore, "Restored"
	}
	contains := map[string]int{"execution": result.Inserted, "cash_transaction": result.CashInserted}
	history.Describe(tx, b.UserID, history.Description{
		Action: action, Summary: fmt.Sprintf("%s %d fills and %d cash transactions from %s", verb, result.Inserted, result.CashInserted, b.label()),
	})
	history.RecordBundle(tx, b.UserID, b.object(history.Created, "", Committed, contains))
}

// recordDelivery records what a connection or hook has sent.
func recordDelivery(tx *db.Tx, b *Batch, isNew bool, result Result, part *ledger.Part) {
	if !result.recorded {
		return
	}
	action := history.Run
	if b.Origin == FromHook {
		action = history.Deliver
	}
	contains := map[string]int{"execution": result.Inserted, "cash_transaction": result.CashInserted}
	o := b.object(history.Updated, Committed, Committed, contains)
	if isNew {
		o = b.object(history.Created, "", Committed, contains)
	}
	addPart(&o, part)
	history.Describe(tx, b.UserID, history.Description{
		Action: action, Summary: fmt.Sprintf("Received %d fills and %d cash transactions from %s", result.Inserted, result.CashInserted, b.label()),
	})
	history.RecordBundle(tx, b.UserID, o)
}

// recordRemoval records that an import's rows were removed, or those of a part.
func recordRemoval(tx *db.Tx, before, after *Batch, part *ledger.Part, removed ledger.RemovedBatch) {
	contains := map[string]int{"execution": removed.Fills, "cash_transaction": removed.Cash}
	o := before.object(history.Updated, before.Status, after.Status, contains)
	addPart(&o, part)
	null := jsontext.Value("null")
	o.Fields = append(o.Fields,
		history.Field{Name: removedField, Before: null, After: showJSON(removed)},
		history.Field{Name: resultField, Before: null, After: showJSON(before.Result)})
	history.RecordBundle(tx, before.UserID, o)
}
