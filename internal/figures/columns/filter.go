package columns

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
	"fillbook/internal/base/textindex"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
)

// lookupMemory is the limit for cached lookups, in bytes.
const lookupMemory = 32 << 20

// cachedLookup is a trade set needed by a filter besides columns. Like a cached answer,
// it is replaced after a write.
type cachedLookup struct {
	version string // the accounts' version
	trades  *analytics.TradeIDs
}

// NewFilter returns a trade filter for a snapshot's columns, with its lookups. tx may be
// nil if [NeedsLookups] is false.
func (s *Service) NewFilter(ctx context.Context, tx *db.Tx, b *Snapshot, f tradefilter.Filter) (analytics.Filter, error) {
	out := newFilter(f)
	out.Tolerance, out.Realized = b.Tolerance, b.Realized
	if !b.Realized {
		out.None = f.Status == tradefilter.Open
	} else {
		out.Status = map[tradefilter.Status]analytics.Status{
			tradefilter.Open: analytics.OnlyOpen, tradefilter.Closed: analytics.OnlyClosed,
		}[f.Status]
	}
	var err error
	if out.Lookups, err = s.loadLookups(ctx, tx, b.owner, b.Accounts, &f.Conditions); err != nil {
		return analytics.Filter{}, err
	}
	if f.TestsSequence() {
		out.Lookups.Sequence = s.findSequence(b, &f.Conditions, b.Tolerance)
	}
	if b.Realized && f.TestsResult() {
		out = b.resolveResult(out)
	}
	if b.HasUnits {
		out = b.resolveUnits(out)
	}
	return out, nil
}

// resolveResult replaces conditions on trade results by the passing trades: realized
// parts do not have their trades' results.
func (b *Snapshot) resolveResult(f analytics.Filter) analytics.Filter {
	whole := analytics.Filter{Conditions: f.Conditions, Lookups: f.Lookups, Tolerance: f.Tolerance}
	f.Lookups.Among = analytics.SelectIDs(slices.Concat(b.closed, b.open), whole)
	f.Conditions = f.WithoutResult()
	return f
}

// newFilter returns the part a filter shares with a column filter.
func newFilter(f tradefilter.Filter) analytics.Filter {
	out := analytics.Filter{Period: f.Scope.Period, Conditions: f.Conditions}
	if f.ByOpening {
		out.Basis = analytics.ByOpening
	}
	return out
}

// newListFilter returns a list's filter. Its status selects columns instead.
func (s *Service) newListFilter(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, f tradefilter.Filter,
) (out analytics.Filter, err error) {
	out = newFilter(f)
	// Lists compare whole microseconds.
	if from := out.Period.From; from != nil {
		whole := from.Truncate(time.Microsecond)
		out.Period.From = &whole
	}
	if len(f.Outcomes) > 0 || f.TestsSequence() {
		if out.Tolerance, err = readTolerance(ctx, tx, owner); err != nil {
			return out, err
		}
	}
	if out.Lookups, err = s.loadLookups(ctx, tx, owner, accounts, &f.Conditions); err != nil || !f.TestsSequence() {
		return out, err
	}
	all := &Snapshot{Accounts: accounts, owner: owner}
	if err = s.loadAccounts(ctx, tx, all, false); err == nil {
		out.Lookups.Sequence = s.findSequence(all, &f.Conditions, out.Tolerance)
	}
	return out, err
}

// SelectWithUnits returns a function that reports whether a trade passes a filter's
// conditions, and for a trade of an accepted or manual strategy whether the strategy does.
// The period and the status are not tested; nil means all pass. It is a step.
func (s *Service) SelectWithUnits(
	ctx context.Context, tx *db.Tx, owner journal.UserID, f tradefilter.Filter,
) (func(journal.TradeID) bool, error) {
	if f.Conditions.IsEmpty() {
		return nil, nil
	}
	accounts, err := ledger.ResolveScope(ctx, tx, owner, f.Scope.Accounts, ledger.ListPurpose(f.Scope))
	if err != nil {
		return nil, err
	}
	b := &Snapshot{Accounts: accounts, owner: owner}
	if err := s.loadAccounts(ctx, tx, b, false); err != nil {
		return nil, err
	}
	if b, err = s.ToUnits(ctx, tx, b); err != nil {
		return nil, err
	}
	if b.Tolerance, err = readTolerance(ctx, tx, owner); err != nil {
		return nil, err
	}
	filter, err := s.NewFilter(ctx, tx, b, tradefilter.Filter{Conditions: f.Conditions})
	if err != nil {
		return nil, err
	}
	selected := analytics.SelectIDs(b.unitColumns, filter)
	firstOf := map[journal.TradeID]journal.TradeID{}
	for u := range b.eachUnit() {
		for _, id := range u.Trades {
			firstOf[id] = u.Trades[0]
		}
	}
	return func(id journal.TradeID) bool {
		if first, is := firstOf[id]; is {
			id = first
		}
		return selected.Has(id)
	}, nil
}

// NeedsLookups reports whether conditions need more than columns, so [Service.NewFilter]
// needs a transaction.
func NeedsLookups(c *tradefilter.Conditions) bool {
	return c.Mistake.Set || len(c.Words) > 0 || c.TestsRules() || c.TestsTradingRules() || c.Batch != ""
}

// loadLookups returns the values conditions need besides columns.
func (s *Service) loadLookups(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, c *tradefilter.Conditions,
) (analytics.Lookups, error) {
	var out analytics.Lookups
	if !NeedsLookups(c) {
		return out, nil
	}
	if c.Mistake.Set || len(c.Words) > 0 {
		tags, err := playbook.ListTags(ctx, tx, owner)
		if err != nil {
			return out, err
		}
		addTagLookups(&out, tags, c.Words)
	}
	cached := lookupCache{cache: s.lookups}
	cached.accounts, cached.version = accountsState(owner, accounts)
	if len(c.Words) > 0 {
		found, err := s.findWords(ctx, tx, owner, accounts, c.Words, &cached)
		if err != nil {
			return out, err
		}
		for i, word := range c.Words {
			out.Words[i].Trades = found[word]
		}
	}
	var err error
	if c.TestsRules() {
		if out.Rules, err = s.findRules(ctx, tx, owner, accounts, c, &cached); err != nil {
			return out, err
		}
	}
	if err := s.addTradingRules(ctx, tx, owner, c, &out); err != nil {
		return out, err
	}
	if c.Batch == "" {
		return out, nil
	}
	out.Among, err = cached.findBatch(ctx, tx, owner, c.Batch)
	return out, err
}

// findSequence returns the trades passing the conditions on the day's sequence, or the units
// by their first trades, if the snapshot has units.
func (s *Service) findSequence(b *Snapshot, c *tradefilter.Conditions, tolerance tradefilter.Tolerance) *analytics.TradeIDs {
	cached := lookupCache{cache: s.lookups}
	cached.accounts, cached.version = accountsState(b.owner, b.Accounts)
	text := fmt.Sprint("sequence ", b.Version, c.AfterLosses, c.AfterWins, c.NthOfDay, c.Zone, string(tolerance.Stored))
	if found := cached.get(text); found != nil {
		return found
	}
	columns := b.unitColumns
	if !b.HasUnits {
		columns = slices.Concat(b.closed, b.open)
	}
	return cached.putSet(text, analytics.NewDaySequence(columns, tolerance, c.Zone).Select(c))
}

// addTagLookups adds the mistake tags, and the tags each word finds.
func addTagLookups(out *analytics.Lookups, tags []playbook.Tag, words []string) {
	out.Words = make([]analytics.WordLookup, len(words))
	for _, tag := range tags {
		if tag.Kind == playbook.MistakeTag {
			out.Mistakes = append(out.Mistakes, tag.ID)
		}
		for i, word := range words {
			if textindex.HasWord(tag.Name, word) {
				out.Words[i].Tags = append(out.Words[i].Tags, tag.ID)
			}
		}
	}
}

// lookupCache finds and stores lookups for some accounts.
type lookupCache struct {
	cache             *lru.Cache[answerKey, *cachedLookup]
	accounts, version string
}

func (c *lookupCache) get(text string) *analytics.TradeIDs {
	if found, ok := c.cache.Get(answerKey{c.accounts, text}); ok && found.version == c.version {
		return found.trades
	}
	return nil
}

func (c *lookupCache) put(text string, ids []journal.TradeID) *analytics.TradeIDs {
	return c.putSet(text, analytics.NewTradeIDs(ids))
}

func (c *lookupCache) putSet(text string, trades *analytics.TradeIDs) *analytics.TradeIDs {
	c.cache.Put(answerKey{c.accounts, text}, &cachedLookup{c.version, trades}, trades.Bytes())
	return trades
}

// findBatch returns the trades with a fill from an import.
func (c *lookupCache) findBatch(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) (*analytics.TradeIDs, error) {
	text := "import " + string(batch)
	if found := c.get(text); found != nil {
		return found, nil
	}
	ids, err := ledger.BatchTrades(ctx, tx, owner, batch)
	if err != nil {
		return nil, err
	}
	return c.put(text, ids), nil
}

// findWords returns the trades with each word in their texts.
func (s *Service) findWords(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, words []string, cached *lookupCache,
) (map[string]*analytics.TradeIDs, error) {
	found := make(map[string]*analytics.TradeIDs, len(words))
	var indexes []*playbook.TradeTexts
	for _, word := range words {
		if found[word] = cached.get("word " + word); found[word] != nil {
			continue
		}
		if indexes == nil {
			for _, a := range accounts {
				data, err := s.load(ctx, tx, owner, a, extras{texts: true})
				if err != nil {
					return nil, err
				}
				indexes = append(indexes, data.texts)
			}
		}
		var ids []journal.TradeID
		for _, index := range indexes {
			for id := range index.Find(word) {
				ids = append(ids, id)
			}
		}
		found[word] = cached.put("word "+word, ids)
	}
	return found, nil
}

// findRules returns the trades passing the rule conditions.
func (s *Service) findRules(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, c *tradefilter.Conditions, cached *lookupCache,
) (*analytics.TradeIDs, error) {
	text := fmt.Sprintf("rules %v %s", c.RuleStates, c.Rule)
	if found := cached.get(text); found != nil {
		return found, nil
	}
	states := playbook.RuleStates()
	if len(c.RuleStates) > 0 {
		states = states[:0]
		for _, state := range c.RuleStates {
			states = append(states, playbook.RuleState(state))
		}
	}
	var ids []journal.TradeID
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, extras{rules: true})
		if err != nil {
			return nil, err
		}
		for _, state := range states {
			for id := range data.rules.Find(playbook.RuleTerm(state, c.Rule)) {
				ids = append(ids, id)
			}
		}
	}
	return cached.put(text, ids), nil
}

// FindBrokenRules returns the trades in a snapshot that broke any rule, and those that
// broke each of some rules. Without rules it returns none.
func (s *Service) FindBrokenRules(
	ctx context.Context, tx *db.Tx, b *Snapshot, rules []string,
) (all *analytics.TradeIDs, each []analytics.BrokenRule, err error) {
	if len(rules) == 0 {
		return nil, nil, nil
	}
	cached := lookupCache{cache: s.lookups}
	cached.accounts, cached.version = accountsState(b.owner, b.Accounts)
	find := func(rule string) (*analytics.TradeIDs, error) {
		c := tradefilter.Conditions{RuleStates: []tradefilter.RuleState{tradefilter.Broken}, Rule: rule}
		return s.findRules(ctx, tx, b.owner, b.Accounts, &c, &cached)
	}
	if all, err = find(""); err != nil {
		return nil, nil, err
	}
	for _, rule := range rules {
		trades, err := find(rule)
		if err != nil {
			return nil, nil, err
		}
		each = append(each, analytics.BrokenRule{Rule: rule, Trades: trades})
	}
	return all, each, nil
}
