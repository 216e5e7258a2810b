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
	countsField  = ".counts"  // the delivery's part of the batch's counts
	deletedField = ".deleted" // how many of the rows were deleted before they came back, if any
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
		addInternal(o, partField, part)
	}
}

// addInternal adds an internal field.
func addInternal(o *history.Object, name string, value any) {
	o.Fields = append(o.Fields, history.Field{Name: name, Before: jsontext.Value("null"), After: showJSON(value)})
}

// label names a batch for its user.
func (b *Batch) label() string {
	if b.FileName != nil {
		return *b.FileName
	}
	return cmp.Or(b.Broker, string(b.Origin))
}

// countRows returns the numbers of new fills and cash transactions as part of a sentence.
func (r *Result) countRows() string {
	fills, cash := history.Count("execution", r.Inserted), history.Count("cash_transaction", r.CashInserted)
	switch {
	case r.CashInserted == 0:
		return fills
	case r.Inserted == 0:
		return cash
	}
	return fills + " and " + cash
}

// recordCommit records an imported file or backup.
func recordCommit(tx *db.Tx, b *Batch, result Result, isBackup bool) {
	action, verb := history.Import, "Imported"
	if isBackup {
		action, verb = history.Restore, "Restored"
	}
	contains := map[string]int{"execution": result.Inserted, "cash_transaction": result.CashInserted}
	history.Describe(tx, b.UserID, history.Description{
		Action: action, Summary: fmt.Sprintf("%s %s from %s", verb, result.countRows(), b.label()),
	})
	history.RecordBundle(tx, b.UserID, b.object(history.Created, "", Committed, contains))
}

// recordDelivery records what a connection or hook has sent.
func recordDelivery(tx *db.Tx, b *Batch, isNew bool, result Result, rows int, part *ledger.Part) {
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
	addInternal(&o, countsField, newDeliveryCounts(rows, result))
	history.Describe(tx, b.UserID, history.Description{
		Action: action, Summary: fmt.Sprintf("Received %s from %s", result.countRows(), b.label()),
	})
	history.RecordBundle(tx, b.UserID, o)
}

// recordRemoval records that an import's rows were removed, or those of a part with its
// counts.
func recordRemoval(tx *db.Tx, before, after *Batch, part *ledger.Part, counts deliveryCounts, removed ledger.RemovedBatch) {
	contains := map[string]int{"execution": removed.Fills, "cash_transaction": removed.Cash}
	o := before.object(history.Updated, before.Status, after.Status, contains)
	addPart(&o, part)
	addInternal(&o, removedField, removed)
	addInternal(&o, resultField, before.Result)
	if counts != nil {
		addInternal(&o, countsField, counts)
	}
	history.RecordBundle(tx, before.UserID, o)
}

// deliveryCounts are a delivery's rows and the counts of its result, in the order of
// [Result.counts].
type deliveryCounts []int

func newDeliveryCounts(rows int, result Result) deliveryCounts {
	counts := deliveryCounts{rows}
	for _, n := range result.counts() {
		counts = append(counts, *n)
	}
	return counts
}

// counts returns the counts that are summed over deliveries.
func (r *Result) counts() []*int {
	list := []*int{
		&r.Inserted, &r.Skipped, &r.Completed, &r.Withdrawn, &r.Annotated, &r.Trades, &r.CashInserted, &r.CashSkipped, &r.SetupsUpserted, &r.ErrorCount,
	}
	if n := r.Rows; n != nil {
		list = append(list, &n.Data, &n.Fills, &n.Cash, &n.Annotations, &n.Skipped, &n.Errors)
	}
	return list
}

// addCounts adds a delivery's counts to a batch, or takes them off if sign is -1.
func (b *Batch) addCounts(counts deliveryCounts, sign int) {
	if len(counts) == 0 || b.Result == nil {
		return
	}
	b.RowCount = max(0, b.RowCount+sign*counts[0])
	sum := *b.Result
	if sum.Rows != nil {
		rows := *sum.Rows
		sum.Rows = &rows
	}
	for i, n := range sum.counts() {
		if i+1 < len(counts) {
			*n = max(0, *n+sign*counts[i+1])
		}
	}
	b.Result = &sum
}
