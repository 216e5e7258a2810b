package imports

import (
	"context"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// write stores a plan: what the broker withdrew, fills, cash, then the annotations of the trades that the
// fills form.
func (s *Service) write(ctx context.Context, tx *db.Tx, b *Batch, st *statement.Statement, p *plan) (Result, error) {
	result := Result{
		BatchID: b.ID, AccountID: b.Account, Format: string(st.Format),
		Warnings: newWarnings(), Reconciliation: reconcile(st),
	}
	result.addWarnings(st.Warnings)
	withdrawn, err := s.ledger.WithdrawFills(ctx, tx, b.UserID, b.Account,
		ledger.Withdrawals{IDs: p.withdrawn, Replaced: p.replaced, Batch: b.ID})
	if err != nil {
		return Result{}, err
	}
	result.setWithdrawn(withdrawn)
	options := b.insertOptions()
	options.Replaced = p.replaced
	fills, err := s.ledger.InsertChecked(ctx, tx, b.UserID, b.Account, p.takeFills(), options)
	if err != nil {
		return Result{}, err
	}
	result.Inserted, result.Skipped, result.Completed = fills.Inserted, fills.Skipped+fills.Deleted+fills.Withdrawn, fills.Completed
	result.Trades = len(fills.Trades)
	result.addWarningTexts(fills.Warnings)
	cash, err := s.ledger.InsertCash(ctx, tx, b.UserID, b.Account, p.cash, ledger.CashOptions{Batch: b.ID, SkipDeleted: b.Origin.isAutomatic()})
	if err != nil {
		return Result{}, err
	}
	result.CashInserted, result.CashSkipped = cash.Inserted, cash.Skipped
	result.recorded = withdrawn.Recorded || fills.Recorded || cash.Inserted > 0
	s.running.setStage(b.ID, "annotating", len(p.annotations))
	a := annotator{s: s, tx: tx, batch: b, tags: map[string]journal.TagID{}, setups: map[string]journal.SetupID{}}
	annotated, err := a.annotate(ctx, p, fills)
	if err != nil {
		return Result{}, err
	}
	result.Annotated, result.SetupsUpserted = annotated, a.upserted
	p.problems = append(p.problems, a.problems...)
	result.setProblems(p.problems)
	result.setRows(p.report(knownFrom(fills.Outcomes, cash)))
	return result, nil
}

// knownFrom returns the rows that a write found to be already stored.
func knownFrom(outcomes []ledger.Outcome, cash ledger.CashResult) knownRows {
	known := knownRows{
		fills: make([]bool, len(outcomes)), completed: make([]bool, len(outcomes)), deleted: make([]bool, len(outcomes)),
		withdrawn: make([]bool, len(outcomes)), cash: cash.Known, cashDeleted: cash.Deleted,
	}
	for i, o := range outcomes {
		known.fills[i], known.completed[i], known.deleted[i], known.withdrawn[i] = o.Duplicate, o.Completed, o.Deleted, o.Withdrawn
	}
	return known
}

// annotator adds the annotations of a file to trades.
type annotator struct {
	s        *Service
	tx       *db.Tx
	batch    *Batch
	tags     map[string]journal.TagID
	setups   map[string]journal.SetupID
	upserted int
	problems []Problem
}

// annotate merges the annotations of the plan into the trades of the fills and
// returns how many it changed.
func (a *annotator) annotate(ctx context.Context, p *plan, fills ledger.InsertResult) (int, error) {
	if len(p.annotations) == 0 {
		return 0, nil
	}
	trades, err := a.trades(ctx, p, fills)
	if err != nil {
		return 0, err
	}
	var list []playbook.Annotations
	for i, m := range p.annotations {
		if trades[i] == "" {
			continue
		}
		annotations, err := a.toAnnotations(ctx, m, trades[i])
		if err != nil && !journal.IsKind(err, journal.KindInvalid) {
			return 0, err
		}
		if err != nil { // the fills are good all the same
			a.problems = append(a.problems, Problem{Row: m.Row, Message: sentence(err)})
			continue
		}
		list = append(list, annotations)
	}
	changed, err := playbook.MergeAnnotations(ctx, a.tx, a.batch.UserID, a.s.clock(), list)
	if err != nil || len(changed) == 0 {
		return 0, err
	}
	return len(changed), ledger.TouchTrades(ctx, a.tx, a.batch.UserID, a.batch.Account, changed...)
}

// trades finds the trade that each of the plan's annotations is on. A fill that
// was already stored has its trades too.
func (a *annotator) trades(ctx context.Context, p *plan, fills ledger.InsertResult) ([]journal.TradeID, error) {
	var known []journal.ExecutionID
	for _, m := range p.annotations {
		if outcome := fills.Outcomes[p.index[m.Fill]]; outcome.Duplicate {
			known = append(known, outcome.ID)
		}
	}
	stored, err := ledger.TradesByExecution(ctx, a.tx, a.batch.UserID, known)
	if err != nil {
		return nil, err
	}
	list := make([]journal.TradeID, len(p.annotations))
	for i, m := range p.annotations {
		outcome := fills.Outcomes[p.index[m.Fill]]
		of := outcome.Trades
		if outcome.Duplicate {
			of = stored[outcome.ID]
		}
		if len(of) > 0 {
			list[i] = of[len(of)-1]
		}
	}
	return list, nil
}

// toAnnotations returns the annotations of a trade, with the tags and setups that they name.
func (a *annotator) toAnnotations(ctx context.Context, m *statement.Annotations, trade journal.TradeID) (playbook.Annotations, error) {
	var tags []journal.TagID
	for _, list := range []struct {
		kind  playbook.TagKind
		names []string
	}{{playbook.MistakeTag, m.Mistakes}, {playbook.CustomTag, m.Tags}} { // a word that is both is a mistake
		for _, name := range list.names {
			id, err := a.tag(ctx, name, list.kind)
			if err != nil {
				return playbook.Annotations{}, err
			}
			tags = append(tags, id)
		}
	}
	var setups []journal.SetupID
	for _, name := range m.Setups {
		id, err := a.setup(ctx, name)
		if err != nil {
			return playbook.Annotations{}, err
		}
		setups = append(setups, id)
	}
	annotations := playbook.Annotations{Trade: trade, Account: a.batch.Account, AnnotationValues: m.Values, Tags: tags, Setups: setups}
	return annotations, annotations.CheckTyped(priceRule(m))
}

// tag finds or makes a tag, once a name.
func (a *annotator) tag(ctx context.Context, name string, kind playbook.TagKind) (journal.TagID, error) {
	name = shortName(name)
	key := strings.ToLower(name)
	if id, ok := a.tags[key]; ok {
		return id, nil
	}
	id, _, err := playbook.EnsureTag(ctx, a.tx, a.batch.UserID, a.s.clock(),
		playbook.TagChange{Name: journal.Some(name), Kind: journal.Some(kind)})
	if err != nil {
		return "", err
	}
	a.tags[key] = id
	return id, nil
}

// setup finds or makes a setup, once a name.
func (a *annotator) setup(ctx context.Context, name string) (journal.SetupID, error) {
	name = shortName(name)
	key := strings.ToLower(name)
	if id, ok := a.setups[key]; ok {
		return id, nil
	}
	id, changed, err := playbook.UpsertSetup(ctx, a.tx, a.batch.UserID, a.s.clock(), playbook.SetupChange{Name: journal.Some(name)})
	if err != nil {
		return "", err
	}
	if changed {
		a.upserted++
	}
	a.setups[key] = id
	return id, nil
}

// shortName truncates a name to the longest that the journal stores.
func shortName(name string) string {
	if runes := []rune(strings.TrimSpace(name)); len(runes) > journal.MaxName {
		return string(runes[:journal.MaxName])
	}
	return strings.TrimSpace(name)
}
