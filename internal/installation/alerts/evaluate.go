package alerts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/settings"
)

// evaluation finds a user's alerts in one snapshot.
type evaluation struct {
	service *Service
	tx      *db.Tx
	owner   journal.UserID
	now     time.Time
	state   state
	// zone and today are the user's.
	zone  *time.Location
	today journal.Day
	// position is the history's in the snapshot.
	position int64
	found    []Alert
	// next is when the clock alone can fire the next alert.
	next time.Time
	// devices are user agents to remember.
	devices []string
}

// The times after which the clock alone can fire alerts.
const (
	soon       = 5 * time.Minute
	ruleWindow = maxAge + 48*time.Hour // a rule's day may begin earlier than the facts
)

// run finds the alerts. It is a step of a reading transaction.
func (e *evaluation) run(ctx context.Context) (err error) {
	e.found, e.devices = nil, nil
	if e.position, err = history.Position(ctx, e.tx, e.owner); err != nil {
		return err
	}
	stored, err := settings.Read(ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	if e.zone = stored.Location(); e.zone == nil {
		e.zone = time.UTC
	}
	e.today = journal.DayOf(e.now.In(e.zone))
	tomorrow := e.today.AddDays(1).Time()
	e.next = time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 0, 0, 0, 0, e.zone)
	for _, find := range []func(context.Context) error{
		e.findRules, e.findPrograms, e.findGoals, e.findExpiring, e.findUnreviewed, e.findSources, e.findDevices, e.findOldBackup,
	} {
		if err := find(ctx); err != nil {
			return err
		}
	}
	return nil
}

// wakeSoon makes the next evaluation due in five minutes at the latest.
func (e *evaluation) wakeSoon() {
	if at := e.now.Add(soon); at.Before(e.next) {
		e.next = at
	}
}

// findRules finds what happened to trading rules, and summarizes imports.
func (e *evaluation) findRules(ctx context.Context) error {
	list, err := rulebook.ListRules(ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	batches, err := e.listImports(ctx)
	if err != nil {
		return err
	}
	limit := journal.DayOf(e.now.Add(-ruleWindow))
	current := slices.DeleteFunc(slices.Clone(list), func(r rules.Rule) bool { return r.To != "" && r.To < limit })
	if e.state.isChanged(e.position) || slices.ContainsFunc(current, func(r rules.Rule) bool { return r.Kind == rules.ReviewBy }) {
		events, err := e.service.Figures.FindEvents(ctx, e.tx, e.owner, current, e.now.Add(-ruleWindow))
		if err != nil {
			return err
		}
		for i := range events {
			e.found = append(e.found, ruleAlerts(&events[i])...)
		}
	}
	if slices.ContainsFunc(current, func(r rules.Rule) bool { return r.Kind == rules.ReviewBy }) {
		e.wakeSoon()
	}
	return e.summarizeImports(ctx, list, batches)
}

// arrived is an import since the last evaluation, with its trades.
type arrived struct {
	imports.Batch
	trades map[journal.TradeID]bool
}

// listImports returns the imports since the last evaluation.
func (e *evaluation) listImports(ctx context.Context) ([]arrived, error) {
	found, err := history.HasImports(ctx, e.tx, e.owner, e.state.position)
	if err != nil || !found {
		return nil, err
	}
	batches, err := imports.ListCommitted(ctx, e.tx, e.owner, e.now.Add(-time.Hour))
	out := make([]arrived, 0, len(batches))
	for _, batch := range batches {
		ids, err := ledger.BatchTrades(ctx, e.tx, e.owner, batch.ID)
		if err != nil {
			return nil, err
		}
		a := arrived{batch, make(map[journal.TradeID]bool, len(ids))}
		for _, id := range ids {
			a.trades[id] = true
		}
		out = append(out, a)
	}
	return out, err
}

// summarizeImports adds one alert for each import with facts that are too old for their own,
// and names the import in the alerts of its trades.
func (e *evaluation) summarizeImports(ctx context.Context, list []rules.Rule, batches []arrived) error {
	if len(batches) == 0 {
		return nil
	}
	all, err := e.service.Figures.FindEvents(ctx, e.tx, e.owner, list, time.Time{})
	if err != nil {
		return err
	}
	var facts []Alert
	for i := range all {
		facts = append(facts, ruleAlerts(&all[i])...)
	}
	active, err := e.service.Enrollments.EvaluateActive(ctx, e.tx, e.owner, e.now)
	if err != nil {
		return err
	}
	for i := range active {
		facts = append(facts, programAlerts(&active[i])...)
	}
	for _, batch := range batches {
		var old []Alert
		for i := range facts {
			if a := &facts[i]; a.Trade != nil && batch.trades[*a.Trade] && !a.isRecent(e.now) {
				old = append(old, *a)
			}
		}
		for i := range e.found {
			if a := &e.found[i]; a.Trade != nil && batch.trades[*a.Trade] {
				id := batch.ID
				a.Batch = &id
			}
		}
		name, account := "Import", (*journal.AccountID)(nil)
		if batch.FileName != nil {
			name = *batch.FileName
		} else if batch.Broker != "" {
			name = batch.Broker
		}
		if batch.Account != "" {
			account = &batch.Account
		}
		if summary := summarize(batch.ID, name, account, old, e.now); summary != nil {
			e.found = append(e.found, *summary)
		}
	}
	return nil
}

// findPrograms finds what happened in active enrollments.
func (e *evaluation) findPrograms(ctx context.Context) error {
	active, err := e.service.Enrollments.EvaluateActive(ctx, e.tx, e.owner, e.now)
	for i := range active {
		e.wakeSoon()
		e.found = append(e.found, programAlerts(&active[i])...)
	}
	return err
}

// findGoals finds goals that are reached or behind, for the present period and for one that
// ended yesterday.
func (e *evaluation) findGoals(ctx context.Context) error {
	goals, err := rulebook.ListGoals(ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	for i := range goals {
		goal := &goals[i]
		if goal.StartsOn > e.today || goal.EndsOn != "" && goal.EndsOn < e.today.AddDays(-1) {
			continue
		}
		facts, _, err := e.service.Figures.GoalFacts(ctx, e.tx, e.owner, goal)
		if err != nil {
			return err
		}
		facts.Zone = e.zone
		for _, day := range []journal.Day{e.today.AddDays(-1), e.today} {
			first, last := goal.PeriodOf(day)
			if day < first || day > last || day != e.today && day != last {
				continue
			}
			p := rulecheck.MeasureGoal(goal, day, facts)
			e.found = append(e.found, goalAlerts(goal, &p, day, e.lastClose(facts, p.PeriodFrom, day), e.now)...)
		}
	}
	return nil
}

// lastClose returns the last close of a goal's trades in a part of its period, zero if none.
func (e *evaluation) lastClose(facts *rulecheck.GoalFacts, first, until journal.Day) time.Time {
	for _, i := range slices.Backward(facts.Trades.Closes) {
		at := time.UnixMicro(facts.Trades.Trades[i].ClosedAt).In(e.zone)
		if day := journal.DayOf(at); day >= first && day <= until {
			return at.UTC()
		}
	}
	return time.Time{}
}

// findExpiring finds open options that expire soon.
func (e *evaluation) findExpiring(ctx context.Context) error {
	list, err := ledger.ListExpiring(ctx, e.tx, e.owner, e.today, e.today.AddDays(expiryDays[len(expiryDays)-1]))
	for _, option := range list {
		if a, isDue := expiryAlert(option.Trade, option.Account, option.Symbol, option.Expiry, e.today, e.now); isDue {
			e.found = append(e.found, a)
		}
	}
	return err
}

// minUnreviewed is how many trades wait for a review before that is an alert, and
// reviewTime how long each has waited.
const (
	minUnreviewed = 5
	reviewTime    = 24 * time.Hour
)

// findUnreviewed finds trades that closed in the last three days, and wait for a review for
// more than one.
func (e *evaluation) findUnreviewed(ctx context.Context) error {
	from, to := e.now.Add(-maxAge), e.now.Add(-reviewTime)
	query := ledger.TradeQuery{
		Scope: journal.Scope{Period: journal.Period{From: &from, To: &to}}, Basis: ledger.ByClosing, Status: ledger.StatusClosed, Limit: minUnreviewed,
		Where: []ledger.Condition{ledger.TradeIDCondition(func(args *[]any) string { return playbook.IsReviewed(args, e.owner, false) })},
	}
	n, last := 0, time.Time{}
	err := ledger.EachTrade(ctx, e.tx, e.owner, query, func(t ledger.Trade) error {
		n++
		if t.ClosedAt != nil && t.ClosedAt.After(last) {
			last = *t.ClosedAt
		}
		return nil
	})
	if err != nil || n < minUnreviewed {
		return err
	}
	a := Alert{
		Kind: Unreviewed, Severity: Info, At: last, Title: fmt.Sprintf("%d or more trades of the last days are not reviewed.", minUnreviewed),
		Link: "/review", Day: startOfWeek(e.today),
	}
	a.setKey(a.Day)
	e.found = append(e.found, a)
	return nil
}

// findSources finds stopped connections, failed imports that arrived without the user, and
// fills that a broker no longer reports.
func (e *evaluation) findSources(ctx context.Context) error {
	since := e.now.Add(-maxAge)
	stored, err := connections.ListStored(ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	missing := map[journal.ConnectionID]connections.MissingFills{}
	if len(stored) > 0 {
		e.wakeSoon()
		if missing, err = connections.ListMissing(ctx, e.tx, e.owner, since); err != nil {
			return err
		}
	}
	for i := range stored {
		c := &stored[i]
		at := c.UpdatedAt
		if c.LastRunAt != nil {
			at = *c.LastRunAt
		}
		a := Alert{At: at, Severity: Warning, Account: &c.Account, Link: "/connections", source: string(c.ID), Day: journal.DayOf(at.In(e.zone))}
		switch c.Status {
		case connections.StatusAttention:
			a.Kind, a.Title = NeedsAttention, c.Name+" needs your attention: "+c.Message
			a.setKey(c.ID, a.Day)
			e.found = append(e.found, a)
		case connections.StatusFailed:
			a.Kind, a.Title = ImportFailed, c.Name+" could not fetch fills: "+c.Message
			a.setKey(c.ID, a.Day)
			e.found = append(e.found, a)
		}
		if m, ok := missing[c.ID]; ok {
			a.Kind, a.At, a.Title, a.Day = MissingFills, m.At, fmt.Sprintf("%s: fills are no longer reported by the broker: %d.", c.Name, m.Count), journal.DayOf(m.At.In(e.zone))
			a.setKey(c.ID, a.Day)
			e.found = append(e.found, a)
		}
	}
	return e.findRefused(ctx, since)
}

// findRefused finds what hooks and watched folders could not store.
func (e *evaluation) findRefused(ctx context.Context, since time.Time) error {
	hasHooks, err := hooks.HasAny(ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	if hasHooks {
		e.wakeSoon()
		refused, err := hooks.ListRefused(ctx, e.tx, e.owner, since)
		if err != nil {
			return err
		}
		for _, r := range refused {
			a := Alert{
				Kind: ImportFailed, Severity: Warning, At: r.At, Title: fmt.Sprintf("%s received fills that were not stored: %d.", r.Name, r.Count),
				Account: &r.Account, Link: "/connections", source: string(r.Hook), Day: journal.DayOf(r.At.In(e.zone)),
			}
			a.setKey(r.Hook, a.Day)
			e.found = append(e.found, a)
		}
	}
	failed, err := imports.ListFailed(ctx, e.tx, e.owner, since)
	for i := range failed {
		batch := &failed[i]
		name := batch.Broker
		if batch.FileName != nil {
			name = *batch.FileName
		}
		a := Alert{
			Kind: ImportFailed, Severity: Warning, At: batch.UpdatedAt, Title: name + " could not be imported.", Batch: &batch.ID,
			Link: "/import/" + string(batch.ID), Day: journal.DayOf(batch.UpdatedAt.In(e.zone)),
		}
		if batch.Account != "" {
			a.Account = &batch.Account
		}
		a.setKey(batch.ID)
		e.found = append(e.found, a)
	}
	return err
}

// findDevices finds sign-ins by programs that the user has not signed in with. The first is
// no alert.
func (e *evaluation) findDevices(ctx context.Context) error {
	list, err := identity.ListSessions(ctx, e.tx, e.owner)
	if err != nil || len(list) == 0 {
		return err
	}
	known, err := db.List(ctx, e.tx, db.Single[string], `SELECT user_agent FROM alert_devices WHERE user_id = $1`, e.owner)
	if err != nil {
		return err
	}
	isFirst := len(known) == 0
	for i, agent := range known {
		known[i] = withoutVersions(agent)
	}
	for _, s := range list {
		agent := withoutVersions(s.UserAgent)
		if slices.Contains(known, agent) || slices.Contains(e.devices, agent) {
			continue
		}
		e.devices = append(e.devices, agent)
		if isFirst {
			isFirst = false
			continue
		}
		a := Alert{
			Kind: SignedInNewAgent, Severity: Warning, At: s.CreatedAt, Title: "Your account was signed in to from a new device.", Link: "/settings/devices",
			source: string(s.ID),
		}
		a.setKey(s.ID)
		e.found = append(e.found, a)
	}
	return nil
}

// withoutVersions returns a user agent without version numbers, which change with each
// update of a browser.
func withoutVersions(agent string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, agent)
}

// backupTime is the age of the last backup from which on it is old.
const backupTime = 30 * 24 * time.Hour

// findOldBackup finds that the last backup that the user downloaded is old. Who never
// downloads one has other backups.
func (e *evaluation) findOldBackup(context.Context) error {
	if e.state.backedUpAt == nil || e.now.Sub(*e.state.backedUpAt) < backupTime {
		return nil
	}
	a := Alert{
		Kind: BackupOld, Severity: Info, At: e.now, Title: "The last backup that you downloaded is more than 30 days old.", Link: "/export", Day: startOfWeek(e.today),
	}
	a.setKey(a.Day)
	e.found = append(e.found, a)
	return nil
}
