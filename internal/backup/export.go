package backup

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// WriteJSON writes the backup inside a read transaction, as its snapshot. Records are
// written as they are read: memory holds only the place of each annotated trade. An
// account of another user is not found, before anything is written.
func WriteJSON(ctx context.Context, tx *db.Tx, owner journal.UserID, scope Scope, out io.Writer) error {
	_, err := writeJSON(ctx, tx, owner, scope, out)
	return err
}

// writeJSON also returns which attachments the file names, with their paths.
func writeJSON(ctx context.Context, tx *db.Tx, owner journal.UserID, scope Scope, out io.Writer) ([]listedFile, error) {
	e := &exporter{
		ctx: ctx, tx: tx, owner: owner, scope: scope, writer: newWriter(out), places: map[journal.AccountID]int{},
		refs: map[journal.TradeID]TradeRef{}, notes: map[journal.NoteID]int{},
	}
	if err := e.load(); err != nil {
		return nil, err
	}
	e.open("{")
	err := runSteps(e.writeHead, e.writeAccounts, e.writeTags, e.writeSetups, e.writeNotes, e.writeMissed, e.writeUser, e.writeAttachments, e.finish)
	if err != nil {
		return nil, fmt.Errorf("writing a backup: %w", err)
	}
	return e.listed, nil
}

// exporter is one export on its way.
type exporter struct {
	*writer
	ctx   context.Context
	tx    *db.Tx
	owner journal.UserID
	scope Scope

	accounts []ledger.Account
	arrivals []int64 // all fills, in order
	tagNames map[journal.TagID]string
	named    map[journal.SetupID]string
	files    []playbook.Attachment
	// linked are the trades with notes and attachments; orphaned are the note links to
	// deleted trades.
	linked   map[journal.TradeID]bool
	orphaned map[journal.NoteID]journal.TradeID

	// The places of records in the file, if others refer to them.
	places map[journal.AccountID]int
	refs   map[journal.TradeID]TradeRef
	notes  map[journal.NoteID]int
	listed []listedFile
}

// listedFile is an attachment named in the file.
type listedFile struct {
	id   journal.AttachmentID
	path string
}

// load reads what is small and referred to by everything else.
func (e *exporter) load() (err error) {
	var only []journal.AccountID
	if e.scope.Account != "" {
		only = append(only, e.scope.Account)
	}
	if e.accounts, err = ledger.ResolveScope(e.ctx, e.tx, e.owner, only, ledger.ToList); err != nil {
		return err
	}
	for i, a := range e.accounts {
		e.places[a.ID] = i
	}
	if e.arrivals, err = ledger.Arrivals(e.ctx, e.tx, e.owner, e.accounts); err != nil {
		return err
	}
	if e.tagNames, err = playbook.LoadTagNames(e.ctx, e.tx, e.owner); err != nil {
		return err
	}
	if e.named, err = playbook.LoadSetupNames(e.ctx, e.tx, e.owner); err != nil {
		return err
	}
	if e.files, err = playbook.ListAttachments(e.ctx, e.tx, e.owner); err != nil {
		return err
	}
	if e.orphaned, err = playbook.OrphanedLinks(e.ctx, e.tx, e.owner); err != nil {
		return err
	}
	linked, err := playbook.ListLinkedTrades(e.ctx, e.tx, e.owner)
	e.linked = toSet(linked)
	return err
}

func toSet[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}

func (e *exporter) isSingle() bool { return e.scope.Account != "" }

func (e *exporter) writeHead() error {
	return runSteps(
		func() error { return e.head("format", formatName) },
		func() error { return e.head("version", formatVersion) },
		func() error { return e.head("exported_at", Instant{e.scope.At}) },
	)
}

func (e *exporter) writeAccounts() error {
	if e.isSingle() {
		return e.writeBundle(e.accounts[0])
	}
	return e.list("accounts", func() error {
		for _, a := range e.accounts {
			e.next()
			e.open("{")
			if err := e.writeBundle(a); err != nil {
				return err
			}
			if err := e.close("}"); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeBundle writes an account's members.
func (e *exporter) writeBundle(a ledger.Account) error {
	fills, err := e.findReferenced(a)
	if err != nil {
		return err
	}
	return runSteps(
		func() error {
			return e.record("account", Account{
				Name: a.Name, Broker: a.Broker, Type: a.Type, BaseCurrency: a.BaseCurrency, StartingBalance: a.StartingBalance,
				CreatedAt: Instant{a.CreatedAt},
			})
		},
		func() error { return e.writeOverrides(a) },
		func() error { return e.writeExecutions(a, fills) },
		func() error { return e.writeTrades(a, fills) },
		func() error { return e.writeCash(a) },
		func() error { return e.writeOrphans(a) },
		func() error { return e.writeStrategies(a) },
		func() error { return e.writeDeletedFills(a) },
		func() error { return e.writeDeletedCash(a) },
		func() error { return e.writeConnections(a) },
	)
}

// runSteps calls functions until one fails.
func runSteps(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeList writes a member with a record for each item in a list.
func writeList[T, R any](e *exporter, name string, list []T, toRecord func(T) R) error {
	return e.list(name, func() error {
		for _, item := range list {
			if err := e.element(toRecord(item)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *exporter) writeDeletedCash(a ledger.Account) error {
	deleted, err := ledger.ListDeletedCash(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return err
	}
	return writeList(e, "deleted_cash", deleted, func(d ledger.DeletedCash) DeletedCash {
		return DeletedCash{Type: string(d.Type), Amount: d.Amount, OccurredAt: Instant{d.OccurredAt}, DeletedAt: Instant{d.DeletedAt}}
	})
}

func (e *exporter) writeDeletedFills(a ledger.Account) error {
	deleted, err := ledger.DeletedFills(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return err
	}
	return writeList(e, "deleted_fills", deleted, func(d ledger.DeletedFill) DeletedFill {
		return DeletedFill{
			Symbol: d.Symbol, InstrumentType: d.InstrumentType, Side: string(d.Side), Quantity: d.Quantity, Price: d.Price,
			ExecutedAt: Instant{d.ExecutedAt}, ExternalID: d.ExternalID, Details: d.Details, Facts: d.Facts.Names(),
			Origin: d.Origin, DeletedAt: Instant{d.DeletedAt},
		}
	})
}

func (e *exporter) writeOverrides(a ledger.Account) error {
	overrides, err := ledger.Overrides(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return err
	}
	return writeList(e, "instrument_overrides", overrides, func(o ledger.Override) Override { return Override(o) })
}

// referencedFills are an account's trades referred to in the file, with the places of
// their fills.
type referencedFills map[journal.TradeID][]int

// findReferenced finds the trades with annotations or cash.
func (e *exporter) findReferenced(a ledger.Account) (referencedFills, error) {
	annotated, err := playbook.ListAnnotatedTrades(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return nil, err
	}
	fills := make(referencedFills, len(annotated))
	for _, id := range annotated {
		fills[id] = nil
	}
	err = ledger.EachCash(e.ctx, e.tx, e.owner, onlyAccount(a), func(c ledger.Cash) error {
		if c.Trade != nil {
			fills[*c.Trade], e.linked[*c.Trade] = nil, true
		}
		return nil
	})
	return fills, err
}

func onlyAccount(a ledger.Account) journal.Scope {
	return journal.Scope{Accounts: []journal.AccountID{a.ID}}
}

func (e *exporter) writeExecutions(a ledger.Account, fills referencedFills) error {
	origins, err := ledger.Origins(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return err
	}
	place := 0
	return e.list("executions", func() error {
		return ledger.EachExecution(e.ctx, e.tx, e.owner, ledger.ExecutionQuery{Scope: onlyAccount(a)}, func(x ledger.Execution) error {
			for _, trade := range x.TradeIDs {
				if places, referenced := fills[trade]; referenced {
					fills[trade] = append(places, place)
				}
			}
			place++
			out := toExecution(x, origins[x.ID])
			out.Arrival = e.arrival(x)
			return e.element(out)
		})
	})
}

// arrival returns a fill's place in arrival order, counted from 1, so equal journals give
// equal files in any database.
func (e *exporter) arrival(x ledger.Execution) int64 {
	place, _ := slices.BinarySearch(e.arrivals, x.Cursor.Arrival)
	return int64(place) + 1
}

func toExecution(x ledger.Execution, origin string) Execution {
	out := Execution{
		Symbol: x.Instrument.Symbol, InstrumentType: x.Instrument.Type, Side: string(x.Side), Quantity: x.Quantity,
		Price: x.Price, Fees: x.Fees, Commission: x.Commission, StatedPnL: x.StatedPnL,
		ExecutedAt: Instant{x.ExecutedAt}, Details: x.Details, Facts: x.Facts.Names(), Origin: origin, CreatedAt: Instant{x.CreatedAt},
	}
	out.Multiplier.Decimal, out.Multiplier.Valid = x.Multiplier, true
	if out.EventID, out.BasisEstimated, out.Closes = x.EventID, x.BasisEstimated, x.Closes; x.Kind != matching.KindTrade {
		out.Kind = x.Kind.String()
	}
	if x.ExternalID != nil {
		out.ExternalID = *x.ExternalID
	}
	return out
}

// annotationsAtOnce is how many annotations are in memory at a time; their texts may be
// long.
const annotationsAtOnce = 128

// writeTrades writes trade annotations in opening order. Trades without annotations,
// attachments and notes are left out.
func (e *exporter) writeTrades(a ledger.Account, fills referencedFills) error {
	order := make([]journal.TradeID, 0, len(fills))
	for id, places := range fills {
		if len(places) > 0 {
			order = append(order, id)
		}
	}
	// No two trades open with the same fill.
	slices.SortFunc(order, func(t, u journal.TradeID) int { return cmp.Compare(fills[t][0], fills[u][0]) })
	written := 0
	return e.list("trades", func() error {
		for chunk := range slices.Chunk(order, annotationsAtOnce) {
			annotations, err := playbook.LoadAnnotations(e.ctx, e.tx, e.owner, chunk)
			if err != nil {
				return err
			}
			for _, id := range chunk {
				values := e.annotations(annotations[id])
				if values.isEmpty() && !e.linked[id] {
					continue
				}
				if place := written; e.linked[id] {
					e.refs[id] = TradeRef{Account: e.places[a.ID], Trade: &place}
				}
				if err := e.element(TradeAnnotations{Fills: fills[id], Annotations: values}); err != nil {
					return err
				}
				written++
			}
		}
		return nil
	})
}

// annotations returns annotations as a file has them.
func (e *exporter) annotations(m playbook.Annotations) Annotations {
	w := Annotations{AnnotationValues: m.AnnotationValues}
	if journal.IsBlank(w.Notes) {
		w.Notes = ""
	}
	for _, id := range m.Tags {
		w.Tags = append(w.Tags, e.tagNames[id])
	}
	for _, id := range m.Setups {
		w.Setups = append(w.Setups, e.named[id])
	}
	for _, tick := range m.Rules {
		w.Rules = append(w.Rules, Rule{Setup: e.named[tick.Setup], Rule: tick.Rule, State: tick.State})
	}
	slices.SortStableFunc(w.Rules, func(a, b Rule) int { return strings.Compare(a.Setup, b.Setup) })
	return w
}

func (e *exporter) writeCash(a ledger.Account) error {
	return e.list("cash_transactions", func() error {
		return ledger.EachCash(e.ctx, e.tx, e.owner, onlyAccount(a), func(c ledger.Cash) error {
			out := Cash{Origin: c.EditedOrigin(), CreatedAt: Instant{c.CreatedAt}}
			fields.Copy(&out.CashValues, &c.CashValues, "trade_id")
			if c.Trade != nil {
				out.Trade = e.refs[*c.Trade].Trade
			}
			return e.element(out)
		})
	})
}

func (e *exporter) writeOrphans(a ledger.Account) error {
	written := 0
	return e.list("orphans", func() error {
		return playbook.EachOrphan(e.ctx, e.tx, e.owner, a.ID, func(o playbook.StoredOrphan) error {
			place := written
			written++
			if e.linked[o.Trade] {
				e.refs[o.Trade] = TradeRef{Account: e.places[a.ID], Orphan: &place}
			}
			out := Orphan{Symbol: o.Symbol, OrphanedAt: Instant{o.OrphanedAt}, FillKeys: o.FillKeys, Annotations: e.annotations(o.Annotations)}
			if o.OpenedAt != nil {
				out.OpenedAt = Instant{*o.OpenedAt}
			}
			return e.element(out)
		})
	})
}

// writeUser writes what belongs to the user and to no account.
func (e *exporter) writeUser() error {
	if err := e.writeCorporateActions(); err != nil || e.isSingle() {
		return err
	}
	return runSteps(
		e.writeNoteTemplates, e.writeViews, e.writeRates, e.writePrograms, e.writeEnrollments, e.writeTradingRules, e.writeGoals, e.writeRoutine, e.writePreferences, e.writeSettings, e.writeLayouts, e.writeImportKinds,
		e.writeBarAliases, e.writeBarSources, e.writeChannels, e.writeBars,
	)
}

func (e *exporter) writePreferences() error {
	prefs, err := identity.PreferencesOf(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return e.record("preferences", rawValues(prefs))
}

func (e *exporter) writeImportKinds() error {
	list, err := kinds.List(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "import_kinds", list, func(k kinds.WordKind) WordKind {
		return WordKind{Layout: k.Layout, Word: k.Word, Kind: k.Kind, CreatedAt: Instant{k.CreatedAt}}
	})
}
