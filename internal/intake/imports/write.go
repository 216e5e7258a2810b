package imports

import (
	"context"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// write stores a plan: withdrawals by the broker, fills, cash, then the annotations on
// the trades formed by the fills.
func (s *Service) write(ctx context.Context, tx *db.Tx, b *Batch, st *statement.Statement, p *plan) (Result, error) {
	result := Result{
		BatchID: b.ID, AccountID: b.Account, Format: string(st.Format),
		Warnings: newWarnings(), Reconciliation: reconcile(st), CorporateActions: []FileAction{}, UnmatchedClosings: []UnmatchedClosing{},
	}
	result.addWarnings(st.Warnings)
	withdrawn, err := s.ledger.WithdrawFills(ctx, tx, b.UserID, b.Account,
		ledger.Withdrawals{IDs: p.withdrawn, Replaced: p.replaced, Batch: b.ID, Part: p.part})
	if err != nil {
		return Result{}, err
	}
	result.setWithdrawn(withdrawn)
	options := b.insertOptions()
	options.Replaced, options.Part = p.replaced, p.part
	fills, err := s.ledger.InsertChecked(ctx, tx, b.UserID, b.Account, p.takeFills(), options)
	if err != nil {
		return Result{}, err
	}
	result.Inserted, result.Skipped, result.Completed = fills.Inserted, fills.Skipped+fills.Deleted+fills.Withdrawn, fills.Completed
	result.Trades = len(fills.Trades)
	result.addWarningTexts(fills.Warnings)
	cash, err := s.ledger.InsertCash(ctx, tx, b.UserID, b.Account, p.cash, ledger.CashOptions{Batch: b.ID, SkipDeleted: b.Origin.isAutomatic(), Part: p.part})
	if err != nil {
		return Result{}, err
	}
	result.CashInserted, result.CashSkipped = cash.Inserted, cash.Skipped
	if err := s.recordActions(ctx, tx, b, p, &result); err != nil {
		return Result{}, err
	}
	unbought := withoutActions(fills.Unbought, result.CorporateActions)
	result.UnmatchedClosings = newUnmatchedClosings(unbought, p.fillRows, b.Account)
	result.warnUnmatched(unbought)
	result.recorded = withdrawn.Recorded || fills.Recorded || cash.Inserted > 0
	s.running.setStage(b.ID, "annotating", len(p.annotations))
	a := annotator{
		s: s, tx: tx, batch: b, tags: map[string]playbook.Restored[journal.TagID]{}, setups: map[string]playbook.Restored[journal.SetupID]{},
	}
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

// knownFrom returns the rows a write found already stored.
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

// annotator adds a file's annotations to trades.
type annotator struct {
	s        *Service
	tx       *db.Tx
	batch    *Batch
	tags     map[string]playbook.Restored[journal.TagID] // by their names in lower case
	setups   map[string]playbook.Restored[journal.SetupID]
	upserted int
	problems []Problem
}

// annotate merges the plan's annotations into the fills' trades and returns how many it
// changed.
func (a *annotator) annotate(ctx context.Context, p *plan, fills ledger.InsertResult) (int, error) {
	if len(p.annotations) == 0 {
		return 0, nil
	}
	trades, err := a.trades(ctx, p, fills)
	if err != nil {
		return 0, err
	}
	if err := a.storeNames(ctx, p.annotations, trades); err != nil {
		return 0, err
	}
	var list []playbook.Annotations
	for i, m := range p.annotations {
		if trades[i] == "" {
			continue
		}
		annotations, err := a.toAnnotations(m, trades[i])
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

// storeNames finds or creates the tags and setups in annotations, each once.
func (a *annotator) storeNames(ctx context.Context, list []*statement.Annotations, trades []journal.TradeID) error {
	var tags []playbook.NewTag
	var setups []playbook.NewSetup
	now := a.s.clock()
	addTag := func(name string, kind playbook.TagKind) {
		if _, known := a.tags[nameKey(name)]; !known {
			a.tags[nameKey(name)] = playbook.Restored[journal.TagID]{}
			change := playbook.TagChange{Name: journal.Some(shortName(name)), Kind: journal.Some(kind)}
			tags = append(tags, playbook.NewTag{TagChange: change, CreatedAt: now})
		}
	}
	for i, m := range list {
		if trades[i] == "" {
			continue
		}
		for _, name := range m.Mistakes { // a word used as both is a mistake
			addTag(name, playbook.MistakeTag)
		}
		for _, name := range m.Tags {
			addTag(name, playbook.CustomTag)
		}
		for _, name := range m.Setups {
			if _, known := a.setups[nameKey(name)]; !known {
				a.setups[nameKey(name)] = playbook.Restored[journal.SetupID]{}
				change := playbook.SetupChange{Name: journal.Some(shortName(name))}
				setups = append(setups, playbook.NewSetup{SetupChange: change, CreatedAt: now})
			}
		}
	}
	storedTags, err := playbook.EnsureTags(ctx, a.tx, a.batch.UserID, tags)
	if err != nil {
		return err
	}
	for i, stored := range storedTags {
		a.tags[nameKey(tags[i].Name.Value)] = stored
	}
	storedSetups, err := playbook.UpsertSetups(ctx, a.tx, a.batch.UserID, now, setups)
	for i, stored := range storedSetups {
		a.setups[nameKey(setups[i].Name.Value)] = stored
		if stored.Changed {
			a.upserted++
		}
	}
	return err
}

// trades finds the trade for each annotation in the plan. An already stored fill has its
// trades too.
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

// toAnnotations returns a trade's annotations, with their tags and setups.
func (a *annotator) toAnnotations(m *statement.Annotations, trade journal.TradeID) (playbook.Annotations, error) {
	annotations := playbook.Annotations{Trade: trade, Account: a.batch.Account, AnnotationValues: m.Values}
	for _, name := range slices.Concat(m.Mistakes, m.Tags) {
		tag := a.tags[nameKey(name)]
		if tag.Err != nil {
			return playbook.Annotations{}, tag.Err
		}
		annotations.Tags = append(annotations.Tags, tag.ID)
	}
	for _, name := range m.Setups {
		setup := a.setups[nameKey(name)]
		if setup.Err != nil {
			return playbook.Annotations{}, setup.Err
		}
		annotations.Setups = append(annotations.Setups, setup.ID)
	}
	return annotations, annotations.CheckTyped(priceRule(m))
}

// nameKey returns what equal names in a file have in common.
func nameKey(name string) string { return strings.ToLower(shortName(name)) }

// shortName truncates a name to the longest the journal stores.
func shortName(name string) string {
	if runes := []rune(strings.TrimSpace(name)); len(runes) > journal.MaxName {
		name = string(runes[:journal.MaxName])
	}
	return strings.TrimSpace(name)
}
