package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// Services are what a restore writes with.
type Services struct {
	Ledger *ledger.Service
	Clock  journal.Clock
	// BarsLimit is how many price bars the owner may store.
	BarsLimit int64
}

// Order describes a restore.
type Order struct {
	Owner    journal.UserID
	Document *Document
	// Into is the account to restore a single-account file into; if empty, accounts are
	// found by name or created.
	Into journal.AccountID
	// Batch returns the import that an account's fills and cash belong to, inside the
	// transaction. It may be nil; the rows then belong to none.
	Batch func(ctx context.Context, tx *db.Tx, account journal.AccountID) (journal.BatchID, error)
}

// Result reports what a restore did.
type Result struct {
	// Accounts are the accounts restored into, in file order.
	Accounts []RestoredAccount
	// Inserted and Skipped count fills, Trades the created or changed trades, Annotated
	// the trades with new annotations.
	Inserted, Skipped, Trades, Annotated int
	// Completed counts stored fills completed by the backup.
	Completed                 int
	CashInserted, CashSkipped int
	// What was not there before. SetupsUpserted also counts changed ones.
	SetupsUpserted, Tags, Notes, Missed, NoteTemplates, CorporateActions, Views, TradingRules, Goals, Rates, Programs, Enrollments, Strategies, Orphans, Overrides, Routines, Preferences, Settings, ImportLayouts, ImportKinds, BarAliases, BarSources, Channels, Bars, Connections int
	// MissedUpdated counts stored missed trades whose empty fields were filled.
	MissedUpdated int
	// Files are the attachments to store; see [AttachFiles].
	Files    []PendingFile
	Errors   []Problem
	Warnings []string
}

// RestoredAccount is an account a file was restored into.
type RestoredAccount struct {
	ID      journal.AccountID
	Name    string
	Created bool
	Batch   journal.BatchID
}

// Restore puts a document into a user's journal, inside a write transaction. Nothing is
// overwritten: stored fills and cash are skipped, annotations are merged, an existing
// account keeps its name and balance. Only setups take the file's values. Invalid rows
// are left out and reported in the result. Restoring the same document again changes
// nothing.
func Restore(ctx context.Context, tx *db.Tx, services Services, order Order) (Result, error) {
	r := &restorer{
		Services: services, Order: order, ctx: ctx, tx: tx, now: services.Clock(), result: Result{Errors: slices.Clone(order.Document.Problems)},
	}
	accounts := &ledgerRestorer{restorer: r}
	book := &playbookRestorer{
		restorer: r, tags: newNameTable[journal.TagID](), setups: newNameTable[journal.SetupID](), notes: map[int]journal.NoteID{},
	}
	err := runSteps(
		accounts.findAccounts, accounts.numberArrivals, accounts.restoreCorporateActions, accounts.restoreLedgers,
		book.restoreTags, book.restoreSetups, book.restoreAnnotations, book.restoreOrphans, book.restoreStrategies, book.restoreNotes, book.restoreMissed,
		book.restoreNoteTemplates, book.restoreViews, book.restoreTradingRules, book.restoreGoals,
		r.restoreRates, r.restorePrograms, r.restoreEnrollments, r.restoreRoutine, r.restorePreferences, r.restoreSettings, r.restoreLayouts, r.restoreImportKinds,
		r.restoreBarAliases, r.restoreBarSources, book.restoreChannels, r.restoreBars, book.listFiles,
	)
	if err != nil {
		return Result{}, fmt.Errorf("restoring a backup: %w", err)
	}
	return r.result, nil
}

// restorer is one restore on its way. It restores what belongs to the user and to no
// account.
type restorer struct {
	Services
	Order
	ctx context.Context
	tx  *db.Tx
	now time.Time

	bundles []*restoredBundle
	// programs are the stored programs, by place in the file.
	programs []journal.ProgramID
	result   Result
}

// ledgerRestorer restores accounts with their fills, cash and connections.
type ledgerRestorer struct {
	*restorer
	// arrivals are the distinct arrival places in the file, in order; fills at the first
	// take the number nextArrival.
	arrivals    []int64
	nextArrival int64
}

// playbookRestorer restores tags and setups, and the records naming them or a trade.
type playbookRestorer struct {
	*restorer
	tags   nameTable[journal.TagID]
	setups nameTable[journal.SetupID]
	notes  map[int]journal.NoteID // by place in the file
	// ruleIDs are the trading rules by place in the file, empty if they were refused.
	ruleIDs []journal.TradingRuleID
}

// restoredBundle is an account from the file and where its records went.
type restoredBundle struct {
	*Bundle
	target  target
	batch   journal.BatchID
	fills   []ledger.Outcome // by place; without an id for a rejected row
	trades  []journal.TradeID
	orphans []journal.TradeID
	changed map[journal.TradeID]bool // by this restore, so readers will notice
	noted   []journal.TradeID        // trades with a new note
}

// problem records a rejected row.
func (r *restorer) problem(what string, place int, err error) {
	r.result.Errors = append(r.result.Errors, newProblem(what, place, err))
}

// accept turns a row's refusal into a problem. Domains refuse a row before they run a
// statement, so the transaction stays usable.
func (r *restorer) accept(what string, place int, err error) error {
	if journal.IsKind(err, journal.KindInvalid) || journal.IsKind(err, journal.KindTooLarge) || journal.IsKind(err, journal.KindConflict) {
		r.problem(what, place, err)
		return nil
	}
	return err
}

// acceptAll turns the refusals of records into problems. places are their places in the
// section, nil for the whole section.
func (r *restorer) acceptAll(what string, places []int, refusals []error) error {
	for i, err := range refusals {
		place := i
		if places != nil {
			place = places[i]
		}
		if err := r.accept(what, place, err); err != nil {
			return err
		}
	}
	return nil
}

// convertRows returns a section's valid rows as the records to store, with the place of
// each.
func convertRows[Row, Record any](
	r *restorer, what string, rows iter.Seq2[int, Row], convert func(Row) (Record, error),
) (list []Record, places []int, err error) {
	for i, row := range rows {
		record, err := convert(row)
		if err == nil {
			list, places = append(list, record), append(places, i)
		}
		if err := r.accept(what, i, err); err != nil {
			return nil, nil, err
		}
	}
	return list, places, nil
}

// findAccounts decides where each account goes and creates the new ones.
func (r *ledgerRestorer) findAccounts() error {
	targets, err := findTargets(r.ctx, r.tx, r.Owner, r.Document, r.Into)
	if err != nil {
		return err
	}
	var full error
	for i, t := range targets {
		b := &restoredBundle{Bundle: &r.Document.Accounts[i], target: t, changed: map[journal.TradeID]bool{}}
		r.bundles = append(r.bundles, b)
		if !t.isNew {
			continue
		}
		if full == nil {
			b.target.account, err = t.create(r.ctx, r.tx, r.Owner, r.now)
		}
		if err != nil && journal.IsKind(err, journal.KindConflict) { // above the limit, as all others will be
			full = err
		}
		if full != nil {
			b.target, err = target{}, r.accept("Account", i, full)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreLedgers writes fills and cash. Accounts are written in id order, as in every
// write to several accounts.
func (r *ledgerRestorer) restoreLedgers() error {
	inOrder := slices.Clone(r.bundles)
	slices.SortFunc(inOrder, func(a, b *restoredBundle) int { return cmp.Compare(a.target.account.ID, b.target.account.ID) })
	for _, b := range inOrder {
		if b.target.account.ID == "" {
			continue // the file has no account here, or it was left out
		}
		if err := r.restoreLedger(b); err != nil {
			return err
		}
	}
	for _, b := range r.bundles {
		if a := b.target.account; a.ID != "" {
			r.result.Accounts = append(r.result.Accounts, RestoredAccount{ID: a.ID, Name: a.Name, Created: b.target.isNew, Batch: b.batch})
		}
	}
	return nil
}

func (r *ledgerRestorer) restoreLedger(b *restoredBundle) (err error) {
	account := b.target.account.ID
	if r.Batch != nil {
		if b.batch, err = r.Batch(r.ctx, r.tx, account); err != nil {
			return err
		}
	}
	for _, restore := range []func(*restoredBundle) error{
		r.restoreOverrides, r.restoreFills, r.findTrades, r.restoreCash, r.restoreDeletedFills, r.restoreDeletedCash, r.restoreConnections,
	} {
		if err := restore(b); err != nil {
			return err
		}
	}
	return nil
}

// restoreDeletedCash adds the cash transactions the user deleted by hand, except those
// now stored in an account that was there before.
func (r *ledgerRestorer) restoreDeletedCash(b *restoredBundle) error {
	var list []ledger.DeletedCash
	for i, d := range b.DeletedCash {
		cash := ledger.NewCash{Type: ledger.CashType(d.Type), Amount: d.Amount, OccurredAt: d.OccurredAt.Time}
		if err := cash.Check(b.target.account.BaseCurrency); err != nil {
			r.problem("Deleted cash transaction", i, err)
			continue
		}
		list = append(list, ledger.DeletedCash{
			Type: cash.Type, Amount: d.Amount, OccurredAt: d.OccurredAt.Time, DeletedAt: d.DeletedAt.instantOr(r.now),
		})
	}
	return r.Ledger.AddDeletedCash(r.ctx, r.tx, r.Owner, b.target.account.ID, list, b.target.isNew)
}

// restoreDeletedFills adds the fills the user deleted by hand, except those now stored in
// an account that was there before.
func (r *ledgerRestorer) restoreDeletedFills(b *restoredBundle) error {
	var list []ledger.DeletedFill
	for i, d := range b.Deleted {
		fill := ledger.DeletedFill{
			NewFill: ledger.NewFill{
				Symbol: d.Symbol, InstrumentType: d.InstrumentType, Side: matching.Side(d.Side), Quantity: d.Quantity, Price: d.Price,
				ExecutedAt: d.ExecutedAt.Time, ExternalID: d.ExternalID, Details: d.Details, Facts: ledger.FactsFromNames(d.Facts),
			},
			Origin: d.Origin, DeletedAt: d.DeletedAt.instantOr(r.now),
		}
		if err := fill.Check(); err != nil {
			r.problem("Deleted fill", i, err)
			continue
		}
		list = append(list, fill)
	}
	_, err := r.Ledger.AddDeletedFills(r.ctx, r.tx, r.Owner, b.target.account.ID, list, b.target.isNew)
	return err
}

func (r *ledgerRestorer) restoreOverrides(b *restoredBundle) error {
	if len(b.Overrides) == 0 {
		return nil
	}
	list := make([]ledger.Override, len(b.Overrides))
	for i, o := range b.Overrides {
		list[i] = ledger.Override(o)
	}
	n, err := ledger.AddOverrides(r.ctx, r.tx, r.Owner, b.target.account.ID, list)
	r.result.Overrides += n
	return r.accept("Instrument override", 0, err)
}

// NewFills returns a bundle's valid fills, with the place of each, and the problems with
// the others.
func (b *Bundle) NewFills() (fills []ledger.NewFill, places []int, problems []Problem) {
	for i, x := range b.Executions {
		fill, err := x.checkedFill()
		fill.Facts |= b.sourceFacts
		if err != nil {
			problems = append(problems, newProblem("Execution", i, err))
			continue
		}
		fills, places = append(fills, fill), append(places, i)
	}
	return fills, places, problems
}

// checkedFill returns the fill for the ledger, or an error if it is invalid.
func (x Execution) checkedFill() (ledger.NewFill, error) {
	kind, err := matching.ParseKind(x.Kind)
	if err != nil {
		return ledger.NewFill{}, journal.InvalidField("kind", "%q is not a kind of fill.", x.Kind)
	}
	fill := ledger.NewFill{
		Kind: kind, EventID: x.EventID, BasisEstimated: x.BasisEstimated, Closes: x.Closes,
		Symbol: x.Symbol, InstrumentType: x.InstrumentType, Side: matching.Side(x.Side), Quantity: x.Quantity, Price: x.Price,
		Fees: x.Fees, Commission: x.Commission, Multiplier: x.Multiplier, StatedPnL: x.StatedPnL,
		ExecutedAt: x.ExecutedAt.Time, ExternalID: x.ExternalID, Details: x.Details, Facts: ledger.FactsFromNames(x.Facts),
		CreatedAt: x.CreatedAt.Time,
	}
	return fill, fill.Check()
}

func (r *ledgerRestorer) restoreFills(b *restoredBundle) error {
	fills, places, problems := b.NewFills()
	r.orderByArrival(b, fills, places)
	r.result.Errors = append(r.result.Errors, problems...)
	b.fills = make([]ledger.Outcome, len(b.Executions))
	if len(fills) == 0 {
		return nil
	}
	var repeated map[int]string
	if b.target.isNew && r.Document.isOurs() {
		repeated = hideRepeatedIDs(fills)
	}
	inserted, err := r.Ledger.InsertFills(r.ctx, r.tx, r.Owner, b.target.account.ID, b.batch, fills)
	if err != nil {
		return err
	}
	r.result.Inserted += inserted.Inserted
	r.result.Skipped += inserted.Skipped
	r.result.Completed += inserted.Completed
	r.result.Trades += len(inserted.Trades)
	r.result.Warnings = append(r.result.Warnings, inserted.Warnings...)
	for _, id := range inserted.Trades {
		b.changed[id] = true
	}
	archived := map[journal.ExecutionID]ledger.ArchivedFill{}
	for i, outcome := range inserted.Outcomes {
		b.fills[places[i]] = outcome
		beyond := ledger.ArchivedFill{Origin: b.Executions[places[i]].Origin, ExternalID: repeated[i]}
		if beyond != (ledger.ArchivedFill{}) && !outcome.Duplicate {
			archived[outcome.ID] = beyond
		}
	}
	return ledger.RestoreArchivedFills(r.ctx, r.tx, r.Owner, archived)
}

// numberArrivals determines the order in which the fills in all accounts arrived, so
// simultaneous fills keep it across accounts.
func (r *ledgerRestorer) numberArrivals() (err error) {
	for _, b := range r.bundles {
		for _, x := range b.Executions {
			if x.Arrival > 0 {
				r.arrivals = append(r.arrivals, x.Arrival)
			}
		}
	}
	slices.Sort(r.arrivals)
	r.arrivals = slices.Compact(r.arrivals)
	r.nextArrival, err = ledger.NextArrival(r.ctx, r.tx, r.Owner)
	return err
}

// orderByArrival numbers an account's fills and sorts them by number, with their places
// in the file. Fills without a number stay in file order, after the others.
func (r *ledgerRestorer) orderByArrival(b *restoredBundle, fills []ledger.NewFill, places []int) {
	if len(r.arrivals) == 0 {
		return
	}
	type placed struct {
		fill  ledger.NewFill
		place int
	}
	list := make([]placed, len(fills))
	for i, fill := range fills {
		if arrival := b.Executions[places[i]].Arrival; arrival > 0 {
			rank, _ := slices.BinarySearch(r.arrivals, arrival)
			fill.Arrival = r.nextArrival + int64(rank)
		}
		list[i] = placed{fill, places[i]}
	}
	slices.SortStableFunc(list, func(x, y placed) int {
		return cmp.Or(cmp.Compare(cmp.Or(x.fill.Arrival, math.MaxInt64), cmp.Or(y.fill.Arrival, math.MaxInt64)), cmp.Compare(x.place, y.place))
	})
	for i, p := range list {
		fills[i], places[i] = p.fill, p.place
	}
}

// hideRepeatedIDs removes the broker's ids from fills with the same id as an earlier one,
// so the ledger does not skip them, and returns the ids to put back. This is for our own
// files, whose ids can be trusted, and for accounts that were empty: elsewhere the ledger
// must find out what is stored.
func hideRepeatedIDs(fills []ledger.NewFill) map[int]string {
	hidden, seen := map[int]string{}, map[string]bool{}
	for i, f := range fills {
		if f.ExternalID != "" && seen[f.ExternalID] {
			hidden[i], fills[i].ExternalID = f.ExternalID, ""
		}
		seen[f.ExternalID] = true
	}
	return hidden
}

// NewCash returns a bundle's valid cash rows for an account in that currency, with the
// place of each, and the problems with the others.
func (b *Bundle) NewCash(currency string) (list []ledger.NewCash, places []int, problems []Problem) {
	for i, c := range b.Cash {
		in := fields.CopyTo[ledger.NewCash](&c.CashValues, "trade_id")
		if err := in.Check(currency); err != nil {
			problems = append(problems, newProblem("Cash transaction", i, err))
			continue
		}
		list, places = append(list, in), append(places, i)
	}
	return list, places, problems
}

// archivedCash returns further values for the cash rows at some places.
func (b *Bundle) archivedCash(places []int) []ledger.ArchivedCash {
	archived := make([]ledger.ArchivedCash, len(places))
	for i, place := range places {
		archived[i] = ledger.ArchivedCash{Origin: b.Cash[place].Origin, CreatedAt: b.Cash[place].CreatedAt.Time}
	}
	return archived
}

func (r *ledgerRestorer) restoreCash(b *restoredBundle) error {
	list, places, problems := b.NewCash(b.target.account.BaseCurrency)
	r.result.Errors = append(r.result.Errors, problems...)
	if len(list) == 0 {
		return nil
	}
	for i, place := range places {
		if trade := b.Cash[place].Trade; trade != nil {
			list[i].Trade = b.trade(*trade)
		}
	}
	done, err := r.Ledger.InsertCash(r.ctx, r.tx, r.Owner, b.target.account.ID, list, ledger.CashOptions{Batch: b.batch, Archived: b.archivedCash(places)})
	r.result.CashInserted += done.Inserted
	r.result.CashSkipped += done.Skipped
	return err
}

// restorePreferences adds the missing preferences.
func (r *restorer) restorePreferences() (err error) {
	if len(r.Document.Preferences) == 0 {
		return nil
	}
	prefs := make(map[string]json.RawMessage, len(r.Document.Preferences))
	for key, value := range r.Document.Preferences {
		prefs[key] = json.RawMessage(value)
	}
	r.result.Preferences, err = identity.AddPreferences(r.ctx, r.tx, r.Owner, r.now, prefs)
	return r.accept("Preferences", 0, err)
}

// restoreImportKinds adds kinds for words without a choice.
func (r *restorer) restoreImportKinds() error {
	list, places, err := convertRows(r, "Import kind", slices.All(r.Document.ImportKinds), func(k WordKind) (kinds.WordKind, error) {
		return kinds.Clean(kinds.WordKind{Layout: k.Layout, Word: k.Word, Kind: k.Kind, CreatedAt: k.CreatedAt.instantOr(r.now)})
	})
	if err != nil {
		return err
	}
	added, refusals, err := kinds.Restore(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.ImportKinds = added
	return r.acceptAll("Import kind", places, refusals)
}
