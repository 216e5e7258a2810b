// Package rulebook stores a user's trading rules and goals.
//
// A rule is not rewritten: a change that would judge trades differently ends the rule and
// creates a successor from tomorrow on, or from today while no trade was opened today.
package rulebook

import (
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/rules"
)

// Service stores rules and goals. It is safe for concurrent use. Each method is one
// transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
}

// New returns a Service.
func New(d *db.DB, clock journal.Clock) *Service { return &Service{db: d, clock: clock} }

// storedRule is a rule with its parameters as text.
type storedRule struct {
	rules.Rule
	params string
}

func toStored(r rules.Rule) *storedRule { return &storedRule{r, r.Params.Encode()} }

var ruleTable = fields.New("trading_rules",
	fields.List[storedRule]{fields.NewID("id", func(r *storedRule) *journal.TradingRuleID { return &r.ID })},
	fields.List[storedRule]{
		fields.NewText("kind", func(r *storedRule) *rules.Kind { return &r.Kind }),
		fields.NewText("params", func(r *storedRule) *string { return &r.params }),
		fields.NewJSON("account_ids", func(r *storedRule) *[]journal.AccountID { return &r.Accounts }),
		fields.NewJSON("weekdays", func(r *storedRule) *[]int { return &r.Weekdays }),
		fields.NewText("tz", func(r *storedRule) *string { return &r.Zone }),
		fields.NewText("valid_from", func(r *storedRule) *journal.Day { return &r.From }),
		fields.NewOptionalText("valid_to", func(r *storedRule) *journal.Day { return &r.To }),
		fields.NewText("name", func(r *storedRule) *string { return &r.Name }),
		fields.NewLink("predecessor_id", func(r *storedRule) **journal.TradingRuleID { return &r.Predecessor }),
		fields.NewTime("created_at", func(r *storedRule) *time.Time { return &r.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(r *storedRule) *time.Time { return &r.UpdatedAt }),
	},
)

var ruleHistory = history.NewType("trading_rule", ruleTable.Fields, history.Of[storedRule]{
	ID: func(r *storedRule) string { return string(r.ID) },
	Label: func(r *storedRule) string {
		if r.Name != "" {
			return r.Name
		}
		return string(r.Kind)
	},
	SeenIn: func(r *storedRule) journal.AccountID { return seenIn(r.Accounts) },
})

// seenIn returns the account in whose history a record is listed.
func seenIn(accounts []journal.AccountID) journal.AccountID {
	switch len(accounts) {
	case 0:
		return ""
	case 1:
		return accounts[0]
	}
	return history.AllAccounts
}

// Undoers undo changes to rules and goals.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		{Type: "trading_rule", Undoer: history.TableRecords(ruleHistory, ruleTable, s.clock)},
		{Type: "goal", Undoer: history.TableRecords(goalHistory, goalTable, s.clock)},
	}
}

// allows reports whether the context excludes none of the accounts; see
// [journal.LimitAccounts].
func allows(ctx context.Context, accounts []journal.AccountID) bool {
	return !slices.ContainsFunc(accounts, func(id journal.AccountID) bool { return !journal.AllowsAccount(ctx, id) })
}

var selectRules = ruleTable.Select("r")

func scanRule(row db.Scanner) (rules.Rule, error) {
	var r storedRule
	if err := ruleTable.Scan(row, &r); err != nil {
		return rules.Rule{}, err
	}
	var err error
	r.Params, err = rules.DecodeParams(r.params)
	return r.Rule, err
}

func listRules(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) ([]rules.Rule, error) {
	return db.List(ctx, tx, scanRule, selectRules+` WHERE r.user_id = $1 ORDER BY r.created_at, r.id`+lock, owner)
}

// ListRules returns the owner's rules, the oldest first. It is a step.
func ListRules(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]rules.Rule, error) {
	all, err := listRules(ctx, tx, owner, "")
	return slices.DeleteFunc(all, func(r rules.Rule) bool { return !allows(ctx, r.Accounts) }), err
}

// ListVersions returns a rule and those that continue it, the oldest first; none if there is
// no such rule. It is a step.
func ListVersions(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradingRuleID) (versions []rules.Rule, err error) {
	all, err := ListRules(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	for i := range all { // a successor is created after its predecessor
		if continued := all[i].Predecessor; all[i].ID == id || continued != nil && len(versions) > 0 && *continued == versions[len(versions)-1].ID {
			versions = append(versions, all[i])
		}
	}
	return versions, nil
}

// ListRules is [ListRules] in its own transaction.
func (s *Service) ListRules(ctx context.Context, owner journal.UserID) ([]rules.Rule, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]rules.Rule, error) { return ListRules(ctx, tx, owner) })
}

// ReadRule returns one rule. It is a step.
func ReadRule(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradingRuleID) (rules.Rule, error) {
	rule, err := scanRule(tx.QueryRow(ctx, selectRules+` WHERE r.user_id = $1 AND r.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) || err == nil && !allows(ctx, rule.Accounts) {
		return rules.Rule{}, errNoRule()
	}
	return rule, err
}

func errNoRule() error { return journal.NotFound("trading rule") }

// Rule returns one rule.
func (s *Service) Rule(ctx context.Context, owner journal.UserID, id journal.TradingRuleID) (rules.Rule, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (rules.Rule, error) { return ReadRule(ctx, tx, owner, id) })
}

// RuleChange is a change to a rule. A new rule needs a kind.
type RuleChange struct {
	Kind     journal.Opt[rules.Kind]
	Params   journal.Opt[rules.Params]
	Accounts journal.Opt[[]journal.AccountID]
	Weekdays journal.Opt[[]int]
	Zone     journal.Opt[string]
	From, To journal.Opt[journal.Day]
	Name     journal.Opt[string]
}

// apply returns the rule after the change.
func (c *RuleChange) apply(r rules.Rule) (rules.Rule, error) {
	r.Params, r.Accounts, r.Weekdays = c.Params.Or(r.Params), c.Accounts.Or(r.Accounts), c.Weekdays.Or(r.Weekdays)
	r.Zone, r.From, r.To, r.Name = c.Zone.Or(r.Zone), c.From.Or(r.From), c.To.Or(r.To), c.Name.Or(r.Name)
	return r.Check()
}

// dayIn returns an instant's day in a rule's zone.
func dayIn(r *rules.Rule, at time.Time) journal.Day { return journal.DayOf(at.In(r.Location())) }

// CreateRule creates a rule.
func (s *Service) CreateRule(ctx context.Context, owner journal.UserID, change RuleChange) (rules.Rule, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (rules.Rule, error) {
		now := s.clock()
		rule := rules.Rule{ID: journal.NewID[journal.TradingRuleID](), Kind: change.Kind.Value, Zone: "UTC", CreatedAt: now, UpdatedAt: now}
		rule.Zone = change.Zone.Or(rule.Zone)
		rule.From = dayIn(&rule, now)
		rule, err := change.apply(rule)
		if err != nil {
			return rule, err
		}
		if err := checkScope(ctx, tx, owner, &rule, true); err != nil {
			return rule, err
		}
		if err := checkLabels(ctx, tx, owner, &rules.Params{}, &rule.Params); err != nil {
			return rule, err
		}
		all, err := listRules(ctx, tx, owner, tx.Lock())
		if err != nil {
			return rule, err
		}
		return rule, insertRule(ctx, tx, owner, rule, len(all))
	})
}

// insertRule stores a new rule.
func insertRule(ctx context.Context, tx *db.Tx, owner journal.UserID, rule rules.Rule, stored int) error {
	if stored >= limits.TradingRules.Max {
		return limits.TradingRules.Reached()
	}
	record := toStored(rule)
	if _, err := tx.Exec(ctx, ruleTable.Insert(), ruleTable.Values(owner, record)...); err != nil {
		return err
	}
	ruleHistory.Created(tx, owner, record)
	return nil
}

// checkScope returns an error if a named account is not the owner's, or if amounts over
// several currencies would be added. Accounts that were named before may be deleted.
func checkScope(ctx context.Context, tx *db.Tx, owner journal.UserID, rule *rules.Rule, named bool) error {
	all, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	ids := rule.Accounts
	if !named {
		ids = keepStored(ids, all)
	}
	purpose := ledger.ToCount
	if rule.HasAmount() {
		purpose = ledger.ToSum
	}
	_, err = ledger.SelectAccounts(all, ids, purpose)
	return err
}

// nameAccounts returns the refusal for an unknown account in a change.
func nameAccounts(err error) error {
	if journal.IsKind(err, journal.KindNotFound) {
		return journal.InvalidField("account_ids", "account_ids names an account that does not exist.")
	}
	return err
}

// checkLabels returns an error if a setup or tag that the parameters name now is not the
// owner's. Those named before may be deleted.
func checkLabels(ctx context.Context, tx *db.Tx, owner journal.UserID, old, params *rules.Params) error {
	if len(params.SetupIDs) > 0 {
		known, err := playbook.ListSetups(ctx, tx, owner)
		if err != nil {
			return err
		}
		for _, id := range params.SetupIDs {
			if !slices.Contains(old.SetupIDs, id) && !slices.ContainsFunc(known, func(s playbook.Setup) bool { return s.ID == id }) {
				return journal.InvalidField("params.setup_ids", "params.setup_ids names a setup that does not exist.")
			}
		}
	}
	if len(params.TagIDs) > 0 {
		known, err := playbook.ListTags(ctx, tx, owner)
		if err != nil {
			return err
		}
		for _, id := range params.TagIDs {
			if !slices.Contains(old.TagIDs, id) && !slices.ContainsFunc(known, func(t playbook.Tag) bool { return t.ID == id }) {
				return journal.InvalidField("params.tag_ids", "params.tag_ids names a tag that does not exist.")
			}
		}
	}
	return nil
}

// keepStored returns the accounts that are stored.
func keepStored(ids []journal.AccountID, all []ledger.Account) []journal.AccountID {
	return slices.DeleteFunc(slices.Clone(ids), func(id journal.AccountID) bool {
		return !slices.ContainsFunc(all, func(a ledger.Account) bool { return a.ID == id })
	})
}

// findRule locks the owner's rules and returns them with the one to change.
func findRule(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradingRuleID, check func(rules.Rule) error,
) (all []rules.Rule, rule rules.Rule, err error) {
	if all, err = listRules(ctx, tx, owner, tx.Lock()); err != nil {
		return nil, rule, err
	}
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.ID == id })
	if i < 0 || !allows(ctx, all[i].Accounts) {
		return nil, rule, errNoRule()
	}
	if check != nil {
		err = check(all[i])
	}
	return all, all[i], err
}

// saveRule stores a changed rule.
func (s *Service) saveRule(ctx context.Context, tx *db.Tx, owner journal.UserID, old, rule rules.Rule) (rules.Rule, error) {
	before, after := toStored(old), toStored(rule)
	if len(ruleTable.Fields.Compare(before, after)) == 0 {
		return old, nil
	}
	rule.UpdatedAt = s.clock()
	return rule, replaceRule(ctx, tx, owner, old, rule)
}

// judgesAlike reports whether two versions of a rule judge alike, besides their end.
func judgesAlike(a, b *rules.Rule) bool {
	return a.Params.Encode() == b.Params.Encode() && slices.Equal(a.Accounts, b.Accounts) && slices.Equal(a.Weekdays, b.Weekdays) &&
		a.Zone == b.Zone && a.From == b.From
}

// UpdateRule changes what is sent, and returns the rule or its new successor. check may
// refuse the change to the stored rule.
func (s *Service) UpdateRule(
	ctx context.Context, owner journal.UserID, id journal.TradingRuleID, change RuleChange, check func(rules.Rule) error,
) (out rules.Rule, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		all, old, err := findRule(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if change.Kind.Set && change.Kind.Value != old.Kind {
			return journal.InvalidField("kind", "kind cannot change. Create another rule.")
		}
		rule, err := change.apply(old)
		if err != nil {
			return err
		}
		hasSuccessor := slices.ContainsFunc(all, func(r rules.Rule) bool { return r.Predecessor != nil && *r.Predecessor == id })
		if judgesAlike(&old, &rule) {
			if hasSuccessor && rule.To != old.To {
				return errContinued()
			}
			out, err = s.saveRule(ctx, tx, owner, old, rule)
			return err
		}
		if err := checkScope(ctx, tx, owner, &rule, !slices.Equal(old.Accounts, rule.Accounts)); err != nil {
			return nameAccounts(err)
		}
		if err := checkLabels(ctx, tx, owner, &old.Params, &rule.Params); err != nil {
			return err
		}
		begin, err := s.findBegin(ctx, tx, owner, &old, &rule)
		switch {
		case err != nil:
			return err
		case hasSuccessor || old.To != "" && old.To < begin:
			return errContinued()
		case old.From >= begin:
			rule.From = max(rule.From, firstDay(all, &old))
			if rule, err = rule.Check(); err != nil {
				return err
			}
			out, err = s.saveRule(ctx, tx, owner, old, rule)
			return err
		}
		out, err = s.continueRule(ctx, tx, owner, old, rule, begin, len(all))
		return err
	})
	return out, err
}

// firstDay returns the first day that a rule may judge: the one after its predecessor's
// last, so no day is judged twice.
func firstDay(all []rules.Rule, rule *rules.Rule) journal.Day {
	for i := range all {
		if rule.Predecessor != nil && all[i].ID == *rule.Predecessor && all[i].To != "" {
			return all[i].To.AddDays(1)
		}
	}
	return ""
}

func errContinued() error {
	return journal.Conflict("This rule has ended or was changed already, so only its name can change. Change its successor, or create another rule.")
}

// findBegin returns the first day that a changed rule may judge: today if no trade was
// opened today, else tomorrow.
func (s *Service) findBegin(ctx context.Context, tx *db.Tx, owner journal.UserID, old, rule *rules.Rule) (journal.Day, error) {
	now := s.clock()
	today := dayIn(old, now)
	const longestDay = 26 * time.Hour
	opened, err := ledger.OpeningsSince(journal.UnlimitAccounts(ctx), tx, owner, now.Add(-longestDay)) // all that the rule judged
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(opened, func(o ledger.OpenedTrade) bool {
		return (old.HasAccount(o.Account) || rule.HasAccount(o.Account)) && dayIn(old, o.At) == today
	}) {
		return today.AddDays(1), nil
	}
	return today, nil
}

// continueRule ends a rule and creates its successor.
func (s *Service) continueRule(
	ctx context.Context, tx *db.Tx, owner journal.UserID, old, rule rules.Rule, begin journal.Day, stored int,
) (rules.Rule, error) {
	now := s.clock()
	rule.ID, rule.Predecessor, rule.CreatedAt, rule.UpdatedAt = journal.NewID[journal.TradingRuleID](), &old.ID, now, now
	rule.From = max(rule.From, begin)
	rule, err := rule.Check()
	if err != nil {
		return rule, err
	}
	ended := old
	ended.To = begin.AddDays(-1)
	if _, err := s.saveRule(ctx, tx, owner, old, ended); err != nil {
		return rule, err
	}
	return rule, insertRule(ctx, tx, owner, rule, stored)
}

// DeleteRule ends a rule today, or removes it if it has not begun yet or purge is set.
func (s *Service) DeleteRule(
	ctx context.Context, owner journal.UserID, id journal.TradingRuleID, purge bool, check func(rules.Rule) error,
) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		_, rule, err := findRule(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		today := dayIn(&rule, s.clock())
		if !purge && rule.From <= today {
			if rule.To != "" && rule.To <= today {
				return nil
			}
			ended := rule
			ended.To = today
			_, err = s.saveRule(ctx, tx, owner, rule, ended)
			return err
		}
		ruleHistory.Deleted(tx, owner, toStored(rule))
		return removeRecord(ctx, tx, owner, "trading_rule", id)
	})
}

// NewRule is a rule to be restored. Predecessor is the place of the rule that it
// continues, which must come before it, or -1.
type NewRule struct {
	rules.Rule
	PredecessorPlace int
}

// RestoreRules stores a backup's rules, except those that are stored already, and returns
// the ids of all, empty for refused ones. The refusals are those of single rules. It is a
// step.
func RestoreRules(ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewRule) (ids []journal.TradingRuleID, added int, refusals []error, err error) {
	if len(list) == 0 {
		return nil, 0, nil, nil
	}
	all, err := listRules(ctx, tx, owner, tx.Lock())
	if err != nil {
		return nil, 0, nil, err
	}
	known := map[string]journal.TradingRuleID{}
	for i := range all {
		known[ruleKey(&all[i])] = all[i].ID
	}
	ids, refusals = make([]journal.TradingRuleID, len(list)), make([]error, len(list))
	for i := range list {
		rule, err := list[i].Check()
		if err != nil {
			refusals[i] = err
			continue
		}
		if !allows(ctx, rule.Accounts) {
			return nil, 0, nil, journal.NotFound("account")
		}
		key := ruleKey(&rule)
		if ids[i] = known[key]; ids[i] != "" {
			continue
		}
		if len(all)+added >= limits.TradingRules.Max {
			refusals[i] = limits.TradingRules.Reached()
			continue
		}
		if place := list[i].PredecessorPlace; place >= 0 && place < i && ids[place] != "" {
			rule.Predecessor = &ids[place]
		}
		rule.ID = journal.NewID[journal.TradingRuleID]()
		ids[i], known[key] = rule.ID, rule.ID
		added++
		if _, err := tx.Exec(ctx, ruleTable.Insert(), ruleTable.Values(owner, toStored(rule))...); err != nil {
			return nil, 0, nil, err
		}
		ruleHistory.Brought(tx, owner, toStored(rule))
	}
	return ids, added, refusals, nil
}

// ruleKey identifies a rule by its content.
func ruleKey(r *rules.Rule) string {
	record := *toStored(*r)
	record.ID, record.UpdatedAt, record.Predecessor = "", time.Time{}, nil
	return showKey(ruleTable.Fields, &record)
}

// showKey joins a record's shown values.
func showKey[R any](list fields.List[R], record *R) string {
	var key []byte
	for _, f := range list {
		if f.IsShown() {
			key = append(append(key, f.Show(record)...), '\n')
		}
	}
	return string(key)
}
