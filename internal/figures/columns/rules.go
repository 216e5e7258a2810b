package columns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/trading/tradefilter"
)

// judgedMemory is the limit for cached judgements, in bytes, and openingsMemory that for the
// trades that they judge. Lists of trades need the judgements of all rules of a user: if they do
// not fit, each list evaluates the rules again.
const (
	judgedMemory   = 128 << 20
	openingsMemory = 64 << 20
)

// SetClock sets the clock for rules with a deadline. It must be called before use.
func (s *Service) SetClock(clock journal.Clock) { s.clock = clock }

// tradeEntries are the entries of trades with several. It never changes: updated entries
// are in a small map over the others.
type tradeEntries struct {
	all     *entryMap // shared by many updates
	updated entryMap
}

type entryMap map[journal.TradeID][]rulecheck.EntryStep

// maxUpdatedEntries is from how many updated trades on the maps are merged.
const maxUpdatedEntries = 1000

// find returns a trade's entries, nil if it has one.
func (e *tradeEntries) find(id journal.TradeID) []rulecheck.EntryStep {
	if steps, found := e.updated[id]; found {
		return steps
	}
	return (*e.all)[id]
}

// with returns the entries with those of touched trades replaced.
func (e *tradeEntries) with(touched []journal.TradeID, fresh map[journal.TradeID][]rulecheck.EntryStep) *tradeEntries {
	updated := maps.Clone(e.updated)
	if updated == nil {
		updated = entryMap{}
	}
	for _, id := range touched {
		updated[id] = fresh[id]
	}
	if len(updated) < maxUpdatedEntries {
		return &tradeEntries{e.all, updated}
	}
	all := maps.Clone(*e.all)
	for id, steps := range updated {
		if all[id] = steps; len(steps) == 0 {
			delete(all, id)
		}
	}
	return &tradeEntries{all: &all}
}

// unsharedBytes returns the size without what is shared with other, which may be nil.
func (e *tradeEntries) unsharedBytes(other *tradeEntries) int {
	const entry = 400
	if other != nil && e.all == other.all {
		return entry * len(e.updated)
	}
	return entry * (len(*e.all) + len(e.updated))
}

// readEntries reads the entries of trades.
func readEntries(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (entryMap, error) {
	out := entryMap{}
	if len(ids) == 0 {
		return out, nil
	}
	err := ledger.EachPositionByID(ctx, tx, owner, ids, func(batch ledger.InstrumentPositions) error {
		out.add(batch.Positions)
		return nil
	})
	return out, err
}

// readAllEntries reads the entries of an account's trades.
func readAllEntries(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account) (entryMap, error) {
	const fillsAtOnce = 50_000
	out := entryMap{}
	scan := ledger.NewPositionScan(owner, a, func(ledger.Instrument) bool { return true })
	for more := true; more; {
		batch, isMore, err := scan.Read(ctx, tx, fillsAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range batch {
			out.add(batch[i].Positions)
		}
		more = isMore
	}
	return out, nil
}

// add adds the positions with several entries.
func (m entryMap) add(positions []ledger.Position) {
	for i := range positions {
		if steps := listEntries(positions[i].Fills); len(steps) > 1 {
			m[positions[i].Trade] = steps
		}
	}
}

// listEntries returns the position after each fill that opened or added.
func listEntries(fills []ledger.PositionFill) (steps []rulecheck.EntryStep) {
	var held, cost decimal.Decimal // without sign; cost is quantity × price
	long := len(fills) > 0 && fills[0].Quantity.Sign() > 0
	for i := range fills {
		f := &fills[i]
		quantity := f.Quantity.Abs()
		if (f.Quantity.Sign() > 0) != long {
			if quantity.Cmp(held) >= 0 {
				return steps
			}
			closed, _ := cost.Split(quantity, held, matching.CostScale)
			held, cost = held.Sub(quantity), cost.Sub(closed)
			continue
		}
		step := rulecheck.EntryStep{At: f.At, Price: f.Price}
		if held.Sign() > 0 {
			step.Average = cost.DivAverage(held)
			against := f.Price.Mul(held).Cmp(cost)
			step.AddsToLoser = long && against < 0 || !long && against > 0
		}
		held, cost = held.Add(quantity), cost.Add(quantity.Mul(f.Price))
		step.Quantity, step.Notional = held, held.Mul(f.Price).Mul(f.Multiplier).Abs()
		steps = append(steps, step)
	}
	return steps
}

// loadRuleExtras adds what rules need besides columns.
func (h *accountData) loadRuleExtras(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, more extras) error {
	if more.begun && h.begun == nil {
		ids, err := ledger.TradesBegunBefore(ctx, tx, owner, a)
		if err != nil {
			return err
		}
		h.begun = ids
		if h.begun == nil {
			h.begun = []journal.TradeID{}
		}
	}
	if more.entries && h.entries == nil {
		all, err := readAllEntries(ctx, tx, owner, a)
		if err != nil {
			return err
		}
		h.entries = &tradeEntries{all: &all}
	}
	return nil
}

// Judged is a rule with its verdicts on all trades of its accounts.
type Judged struct {
	Rule   rules.Rule
	Trades analytics.Openings
	rulecheck.Judgement
	// Mixed is set if the accounts have several currencies.
	Mixed bool

	state string // identifies the rule and the trades
	// units are the strategies that count as one, by their first trade.
	units map[journal.TradeID]*analytics.Unit
	// members are the places of the units' trades.
	members map[journal.TradeID]int
	broken  func() *analytics.TradeIDs
}

// Set returns the trades with a verdict.
func (j *Judged) Set(v rulecheck.Verdict) *analytics.TradeIDs {
	if v == rulecheck.Broken {
		return j.broken()
	}
	return j.collect(v)
}

// find returns the verdict on a trade that was opened at an instant.
func (j *Judged) find(id journal.TradeID, openedAt time.Time) rulecheck.Verdict {
	if place, isMember := j.members[id]; isMember {
		return j.Verdict(place)
	}
	at := openedAt.UnixMicro()
	first, _ := slices.BinarySearchFunc(j.Trades.Trades, at, func(t analytics.Opening, at int64) int { return cmp.Compare(t.OpenedAt, at) })
	for i := first; i < len(j.Trades.Trades) && j.Trades.Trades[i].OpenedAt == at; i++ {
		if j.Trades.Trades[i].ID() == id {
			return j.Verdict(i)
		}
	}
	return rulecheck.NotJudged
}

// State identifies the rule and the trades behind the verdicts.
func (j *Judged) State() string { return j.state }

// Summarize counts the selected trades.
func (j *Judged) Summarize(s rulecheck.Selection) rulecheck.Results {
	if s.Passes != nil && len(j.units) > 0 {
		s.Passes = analytics.UniteTradeIDs(s.Passes, analytics.NewTradeIDs(j.findUnits(s.Passes)))
	}
	out := rulecheck.Summarize(&j.Rule, j.Trades, &j.Judgement, s, j.Mixed)
	for i := range out.Breaks {
		if b := &out.Breaks[i]; b.TradeID != nil && j.units[*b.TradeID] != nil {
			b.StrategyID = &j.units[*b.TradeID].ID
		}
	}
	return out
}

// findUnits returns the first trades of the units with a trade in a set.
func (j *Judged) findUnits(set *analytics.TradeIDs) (first []journal.TradeID) {
	for id, u := range j.units {
		if slices.ContainsFunc(u.Trades, set.Has) {
			first = append(first, id)
		}
	}
	return first
}

// collect returns the trades with a verdict, the members of units included.
func (j *Judged) collect(v rulecheck.Verdict) *analytics.TradeIDs {
	set := j.Trades.CollectIDs(func(i int) bool { return j.Verdict(i) == v })
	for id, u := range j.units {
		if set.Has(id) {
			set = set.AddIDs(u.Trades[1:])
		}
	}
	return set
}

// listMembers returns the places of the units' trades.
func (j *Judged) listMembers() map[journal.TradeID]int {
	if len(j.units) == 0 {
		return nil
	}
	members := map[journal.TradeID]int{}
	for i := range j.Trades.Trades {
		if u := j.units[j.Trades.Trades[i].ID()]; u != nil {
			for _, id := range u.Trades {
				members[id] = i
			}
		}
	}
	return members
}

// bytes returns the approximate memory used, for a cache limit.
func (j *Judged) bytes() int {
	const perMember, head = 64, 1 << 10
	return head + j.Judgement.Bytes() + perMember*len(j.members)
}

// judgedVersion is a cached judgement with its accounts' version.
type judgedVersion struct {
	version string
	judged  *Judged
}

// openingsVersion is cached openings with their accounts' version.
type openingsVersion struct {
	version   string
	revisions []int64 // of the accounts
	trades    analytics.Openings
	// earlier are the versions before, the latest first.
	earlier []earlierOpenings
}

// earlierOpenings is how many trades at the beginning are the same as in an earlier version.
type earlierOpenings struct {
	version string
	same    int
}

// maxEarlier is how many earlier versions are known: a rule that was judged within so many
// writes goes on from there.
const maxEarlier = 32

// countSame returns how many trades at the beginning are the same as in a version, 0 if it
// is not known.
func (o *openingsVersion) countSame(version string) int {
	for _, e := range o.earlier {
		if e.version == version {
			return e.same
		}
	}
	return 0
}

// ruleAccounts returns the accounts of a rule that exist.
func ruleAccounts(all []ledger.Account, rule *rules.Rule) []ledger.Account {
	return slices.DeleteFunc(slices.Clone(all), func(a ledger.Account) bool { return !rule.HasAccount(a.ID) })
}

func haveSeveralCurrencies(accounts []ledger.Account) bool {
	return slices.ContainsFunc(accounts, func(a ledger.Account) bool { return a.BaseCurrency != accounts[0].BaseCurrency })
}

// Judge returns a rule's verdicts. accounts are all the owner's accounts. It is a step.
func (s *Service) Judge(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, tolerance tradefilter.Tolerance, rule rules.Rule,
) (*Judged, error) {
	accounts = ruleAccounts(accounts, &rule)
	facts := rulecheck.Facts{Tolerance: tolerance, Now: s.clock(), Mixed: haveSeveralCurrencies(accounts), Gap: s.ruleGap}
	names, version := accountsState(owner, accounts)
	text := fmt.Sprint(rule.Kind, rule.Params.Encode(), rule.Weekdays, rule.Zone, rule.From, rule.To, string(tolerance.Stored), facts.Mixed)
	if rule.CountsStrategies() {
		mode, err := strategybook.ReadMode(ctx, tx, owner)
		if err != nil {
			return nil, err
		}
		text += string(mode)
	}
	if rule.Kind == rules.ReviewBy {
		facts.Now = facts.Now.Truncate(time.Minute)
		text += facts.Now.String()
	}
	key := answerKey{names, text}
	cached, known := s.judged.Get(key)
	if known && cached.version == version {
		judged := *cached.judged
		judged.Rule = rule
		return &judged, nil
	}
	counted, err := s.listCounted(ctx, tx, owner, accounts, &rule)
	if err != nil {
		return nil, err
	}
	var before rulecheck.Judgement
	same := 0
	if known {
		before, same = cached.judged.Judgement, counted.countSame(cached.version)
	}
	if err := s.addFacts(ctx, tx, owner, accounts, &rule, &facts); err != nil {
		return nil, err
	}
	judged := &Judged{
		Rule: rule, Trades: counted.trades, Judgement: before.Continue(&rule, counted.trades, &facts, same), Mixed: facts.Mixed,
		state: names + text + version, units: counted.units,
	}
	judged.members = judged.listMembers()
	judged.broken = sync.OnceValue(func() *analytics.TradeIDs { return judged.collect(rulecheck.Broken) })
	s.judged.Put(key, &judgedVersion{version, judged}, judged.bytes())
	return judged, nil
}

// listOpenings returns all trades of accounts, which rules over the same accounts share.
func (s *Service) listOpenings(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account) (*openingsVersion, error) {
	names, version := accountsState(owner, accounts)
	cached, known := s.openings.Get(names)
	if known && cached.version == version {
		return cached, nil
	}
	columns, err := s.loadListed(ctx, tx, owner, accounts, "")
	if err != nil {
		return nil, err
	}
	out := &openingsVersion{version: version, trades: analytics.ListOpenings(columns, analytics.Filter{})}
	for _, a := range accounts {
		out.revisions = append(out.revisions, a.Revision)
	}
	if known {
		if err := out.addEarlier(ctx, tx, owner, accounts, cached); err != nil {
			return nil, err
		}
	}
	const perTrade = 40
	s.openings.Put(names, out, 1<<10+perTrade*len(out.trades.Trades))
	return out, nil
}

// addEarlier adds the versions before, unless it is not known what was touched since the
// last.
func (o *openingsVersion) addEarlier(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, last *openingsVersion) error {
	var touched []journal.TradeID
	for i, a := range accounts {
		ids, known, err := ledger.TouchedSince(ctx, tx, owner, a.ID, last.revisions[i])
		if err != nil || !known {
			return err
		}
		touched = append(touched, ids...)
	}
	same := o.trades.CountSame(last.trades, analytics.NewTradeIDs(touched))
	o.earlier = append(o.earlier, earlierOpenings{last.version, same})
	for _, e := range last.earlier[:min(len(last.earlier), maxEarlier-1)] {
		o.earlier = append(o.earlier, earlierOpenings{e.version, min(e.same, same)})
	}
	return nil
}

// openings are trades in opening order, or units in their place.
type openings struct {
	*openingsVersion
	units map[journal.TradeID]*analytics.Unit // by their first trade; nil for trades
}

// listCounted returns what a rule counts: all trades of accounts, or units. Units have no
// earlier versions.
func (s *Service) listCounted(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, rule *rules.Rule,
) (out openings, err error) {
	if !rule.CountsStrategies() {
		out.openingsVersion, err = s.listOpenings(ctx, tx, owner, accounts)
		return out, err
	}
	b := &Snapshot{Accounts: accounts, owner: owner}
	if err := s.loadAccounts(ctx, tx, b, false); err != nil {
		return out, err
	}
	if b, err = s.ToUnits(ctx, tx, b); err != nil {
		return out, err
	}
	out.openingsVersion = &openingsVersion{trades: analytics.ListOpenings(slices.Concat(b.Columns, b.unitsOpen), analytics.Filter{})}
	out.units = map[journal.TradeID]*analytics.Unit{}
	for u := range b.eachUnit() {
		out.units[u.Trades[0]] = u
	}
	return out, nil
}

// addFacts adds what a rule needs besides columns.
func (s *Service) addFacts(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, rule *rules.Rule, facts *rulecheck.Facts,
) error {
	more := extras{begun: true, entries: rule.Kind == rules.NoAddingToLosers || rule.Kind == rules.MaxSize && !rule.Params.Risk.Valid}
	var begun []journal.TradeID
	var entries []*tradeEntries
	facts.Capital = map[journal.AccountID]rulecheck.Capital{}
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, more)
		if err != nil {
			return err
		}
		begun = append(begun, data.begun...)
		if more.entries {
			entries = append(entries, data.entries)
		}
		facts.Capital[a.ID] = rulecheck.Capital{Starting: a.StartingBalance, Cash: data.cash}
	}
	if len(begun) > 0 {
		facts.Began = analytics.NewTradeIDs(begun)
	}
	facts.Entries = func(id journal.TradeID) []rulecheck.EntryStep {
		for _, e := range entries {
			if steps := e.find(id); steps != nil {
				return steps
			}
		}
		return nil
	}
	return nil
}

// JudgeAll returns the verdicts of the owner's rules, the oldest first. It is a step.
func (s *Service) JudgeAll(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]*Judged, error) {
	list, err := rulebook.ListRules(ctx, tx, owner)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	judged := make([]*Judged, len(list))
	for i := range list {
		if judged[i], err = s.Judge(ctx, tx, owner, b.Accounts, b.Tolerance, list[i]); err != nil {
			return nil, err
		}
	}
	return judged, nil
}

// CompleteTrades returns a function that adds verdicts and strategies to trades, nil if the
// owner has neither, as [tradeview.Completer] describes.
func (s *Service) CompleteTrades(ctx context.Context, tx *db.Tx, owner journal.UserID) (func(*tradeview.View), error) {
	judge, err := s.judgeTrades(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	some, err := strategybook.MayHaveUnits(ctx, tx, owner)
	if err != nil || judge == nil && !some {
		return nil, err
	}
	find, err := s.strategies.FindUnits(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	return func(v *tradeview.View) {
		if judge != nil {
			v.TradingRules = judge(v)
		}
		if found := find(v.ID); found != nil {
			v.Strategy = journal.StrategyID(found.ID)
		}
	}, nil
}

// judgeTrades returns a function for the verdicts on trades, nil if the owner has no rules.
func (s *Service) judgeTrades(ctx context.Context, tx *db.Tx, owner journal.UserID) (func(*tradeview.View) tradeview.TradingRules, error) {
	judged, err := s.JudgeAll(ctx, tx, owner)
	if err != nil || len(judged) == 0 {
		return nil, err
	}
	return func(v *tradeview.View) (out tradeview.TradingRules) {
		for _, j := range judged {
			switch j.find(v.ID, v.OpenedAt) {
			case rulecheck.Broken:
				out.Broken = append(out.Broken, j.Rule.ID)
			case rulecheck.Kept:
				out.Kept++
			case rulecheck.Unknown:
				out.Unknown++
			case rulecheck.NotJudged:
			}
		}
		return out
	}, nil
}

// addTradingRules adds the trades that broke or kept rules. Unknown ids find none.
func (s *Service) addTradingRules(ctx context.Context, tx *db.Tx, owner journal.UserID, c *tradefilter.Conditions, out *analytics.Lookups) error {
	if !c.TestsTradingRules() {
		return nil
	}
	all, err := s.JudgeAll(ctx, tx, owner)
	if err != nil {
		return err
	}
	unite := func(ids []journal.TradingRuleID, v rulecheck.Verdict) *analytics.TradeIDs {
		if len(ids) == 0 {
			return nil
		}
		sets := []*analytics.TradeIDs{analytics.NewTradeIDs(nil)}
		for _, j := range all {
			if slices.Contains(ids, j.Rule.ID) {
				sets = append(sets, j.Set(v))
				out.RulesState += j.state
			}
		}
		return analytics.UniteTradeIDs(sets...)
	}
	out.RulesBroken, out.RulesKept = unite(c.RulesBroken, rulecheck.Broken), unite(c.RulesKept, rulecheck.Kept)
	return nil
}

// SelectJudged returns the trades passing a filter, whatever its period; nil means all. It
// is a step.
func (s *Service) SelectJudged(ctx context.Context, tx *db.Tx, owner journal.UserID, f tradefilter.Filter) (*analytics.TradeIDs, error) {
	if f.Status == "" && f.Conditions.IsEmpty() && len(f.Scope.Accounts) == 0 {
		return nil, nil
	}
	accounts, err := ledger.ResolveScope(ctx, tx, owner, f.Scope.Accounts, ledger.ToList)
	if err != nil {
		return nil, err
	}
	f.Scope.Period = journal.Period{}
	filter, err := s.newListFilter(ctx, tx, owner, accounts, f)
	if err != nil {
		return nil, err
	}
	columns, err := s.loadListed(ctx, tx, owner, accounts, f.Status)
	return analytics.SelectIDs(columns, filter), err
}

// FindLimits returns where the owner's rules stand now, by rule, without those that do not
// judge today. It is a step.
func (s *Service) FindLimits(ctx context.Context, tx *db.Tx, owner journal.UserID, list []rules.Rule) ([]RuleLimit, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	out := []RuleLimit{}
	for i := range list {
		accounts := ruleAccounts(b.Accounts, &list[i])
		facts := rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock(), Mixed: haveSeveralCurrencies(accounts)}
		if !rulecheck.HasLimit(list[i].Kind) {
			continue
		}
		if err := s.addFacts(ctx, tx, owner, accounts, &list[i], &facts); err != nil {
			return nil, err
		}
		trades, err := s.listSince(ctx, tx, owner, accounts, &list[i], &facts, facts.Now.Add(-longestDay))
		if err != nil {
			return nil, err
		}
		if limit, judges := rulecheck.FindLimit(&list[i], trades, &facts); judges {
			row := RuleLimit{Rule: list[i], Limit: limit}
			if len(accounts) > 0 && !facts.Mixed {
				row.Currency = accounts[0].BaseCurrency
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// RuleEvents are what happened to a rule.
type RuleEvents struct {
	Rule   rules.Rule
	Trades analytics.Openings
	Events []rulecheck.Event
}

// FindEvents returns what happened to rules since an instant, by rule; some may be older. A
// zero instant means all. It is a step.
func (s *Service) FindEvents(ctx context.Context, tx *db.Tx, owner journal.UserID, list []rules.Rule, since time.Time) ([]RuleEvents, error) {
	if len(list) == 0 {
		return nil, nil
	}
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	out := make([]RuleEvents, len(list))
	for i := range list {
		rule := &list[i]
		accounts := ruleAccounts(b.Accounts, rule)
		facts := rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock(), Mixed: haveSeveralCurrencies(accounts)}
		if err := s.addFacts(ctx, tx, owner, accounts, rule, &facts); err != nil {
			return nil, err
		}
		trades, err := s.listSince(ctx, tx, owner, accounts, rule, &facts, since)
		if err != nil {
			return nil, err
		}
		events := rulecheck.FindEvents(rule, trades, &facts)
		if !since.IsZero() && rule.Kind == rules.CoolDown {
			events = slices.DeleteFunc(events, func(e rulecheck.Event) bool { return e.At.Before(since) })
		}
		out[i] = RuleEvents{*rule, trades, events}
	}
	return out, nil
}

// listSince returns the trades, or units, that a rule's state since an instant depends on. The
// first day may be incomplete. A zero instant means all.
func (s *Service) listSince(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, rule *rules.Rule, facts *rulecheck.Facts, since time.Time,
) (analytics.Openings, error) {
	if rule.CountsStrategies() {
		some, err := strategybook.MayHaveUnits(ctx, tx, owner)
		if err != nil {
			return analytics.Openings{}, err
		}
		if some {
			counted, err := s.listCounted(ctx, tx, owner, accounts, rule)
			if err != nil {
				return analytics.Openings{}, err
			}
			return counted.trades, nil
		}
	}
	switch {
	case since.IsZero() || rulecheck.NeedsAll(rule):
		return s.listAllOpenings(ctx, tx, owner, accounts)
	case rule.Kind == rules.CoolDown:
		return s.listSinceWin(ctx, tx, owner, accounts, rule, facts, since)
	}
	return s.listLatest(ctx, tx, owner, accounts, since)
}

// listSinceWin returns the latest trades, with enough of those before an instant for what a
// cool_down says since then: it depends on the losses since a win that closed before the
// pause.
func (s *Service) listSinceWin(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, rule *rules.Rule, facts *rulecheck.Facts, since time.Time,
) (analytics.Openings, error) {
	before := rulecheck.PauseBegin(rule, since).UnixMicro()
	last, found := int64(0), false
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, extras{begun: true})
		if err != nil {
			return analytics.Openings{}, err
		}
		at, won := data.columns.FindLastClosing(before, func(t *analytics.Opening) bool { return rulecheck.IsWin(rule, t, facts) })
		if won && (!found || at > last) {
			last, found = at, true
		}
	}
	if found {
		return s.listLatest(ctx, tx, owner, accounts, time.UnixMicro(last))
	}
	return s.listAllOpenings(ctx, tx, owner, accounts)
}

// listAllOpenings is listOpenings without the versions.
func (s *Service) listAllOpenings(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account) (analytics.Openings, error) {
	all, err := s.listOpenings(ctx, tx, owner, accounts)
	if err != nil {
		return analytics.Openings{}, err
	}
	return all.trades, nil
}

// listLatest returns the trades that are open, were open at an instant, or were opened
// later.
func (s *Service) listLatest(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, since time.Time) (analytics.Openings, error) {
	var latest []*analytics.Columns
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, extras{begun: true})
		if err != nil {
			return analytics.Openings{}, err
		}
		latest = append(latest, data.columns.Since(since.UnixMicro()).WithName(a.Name, a.Number()), data.open.WithName(a.Name, a.Number()))
	}
	return analytics.ListOpenings(latest, analytics.Filter{}).Since(since.UnixMicro()), nil
}

// longestDay is longer than any day, with the change of the clocks.
const longestDay = 26 * time.Hour

// RuleLimit is where a rule stands.
type RuleLimit struct {
	Rule rules.Rule
	rulecheck.Limit
	Currency string // empty for several
}

// ReadFacts returns a snapshot's trades, or units, passing a filter, and what a rule needs to be
// enforced on them. It is a step.
func (s *Service) ReadFacts(
	ctx context.Context, tx *db.Tx, b *Snapshot, f analytics.Filter, rule *rules.Rule,
) (analytics.Openings, *rulecheck.Facts, error) {
	facts := &rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock()}
	f.Tolerance = b.Tolerance
	err := s.addFacts(ctx, tx, b.owner, b.Accounts, rule, facts)
	listed := b.closed
	if b.HasUnits {
		listed = b.Columns
	}
	return analytics.ListOpenings(listed, f), facts, err
}

// GoalFacts returns what a goal is measured on, and its currency, empty for several. It is
// a step.
func (s *Service) GoalFacts(ctx context.Context, tx *db.Tx, owner journal.UserID, goal *rules.Goal) (*rulecheck.GoalFacts, string, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, "", err
	}
	accounts := ruleAccounts(b.Accounts, &rules.Rule{Accounts: goal.Accounts})
	facts := &rulecheck.GoalFacts{Facts: &rulecheck.Facts{Tolerance: b.Tolerance, Mixed: haveSeveralCurrencies(accounts)}}
	currency := ""
	if len(accounts) > 0 && !facts.Facts.Mixed {
		currency = accounts[0].BaseCurrency
	}
	if facts.Trades, err = s.listAllOpenings(ctx, tx, owner, accounts); err != nil || goal.Rule == nil {
		return facts, currency, err
	}
	rule, err := rulebook.ReadRule(ctx, tx, owner, *goal.Rule)
	if journal.IsKind(err, journal.KindNotFound) {
		return facts, currency, nil // it was removed
	}
	if err != nil {
		return nil, "", err
	}
	judged, err := s.Judge(ctx, tx, owner, b.Accounts, b.Tolerance, rule)
	if err == nil {
		facts.RuleTrades, facts.Rule, facts.Judgement = judged.Trades, &judged.Rule, &judged.Judgement
	}
	return facts, currency, err
}
