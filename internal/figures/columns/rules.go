package columns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
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
