package imports

import (
	"cmp"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/trading/ledger"
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
func recordDelivery(tx *db.Tx, b *Batch, isNew bool, result Result) {
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
	history.Describe(tx, b.UserID, history.Description{
		Action: action, Summary: fmt.Sprintf("Received %d fills and %d cash transactions from %s", result.Inserted, result.CashInserted, b.label()),
	})
	history.RecordBundle(tx, b.UserID, o)
}

// recordReverse records that an import was reversed.
func recordReverse(tx *db.Tx, b *Batch, gone ledger.BatchRows) {
	contains := map[string]int{"execution": gone.Fills, "cash_transaction": gone.Cash}
	history.Describe(tx, b.UserID, history.Description{
		Action: history.Reverse, Summary: "Reversed the import of " + b.label(),
	})
	history.RecordBundle(tx, b.UserID, b.object(history.Updated, b.Status, Reversed, contains))
}
