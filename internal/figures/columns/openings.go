package columns

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/strategybook"
)

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
	out.openingsVersion = &openingsVersion{trades: analytics.ListOpenings(b.unitColumns, analytics.Filter{})}
	out.units = map[journal.TradeID]*analytics.Unit{}
	for u := range b.eachUnit() {
		out.units[u.Trades[0]] = u
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
