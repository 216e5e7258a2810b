package playbook

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
)

// AnnotationChange is a change to a trade's annotations. A null clears a field, and so
// does an empty list.
type AnnotationChange struct {
	ValueChange
	Setup    journal.Opt[journal.SetupID] // the one setup
	Setups   journal.Opt[[]journal.SetupID]
	Tags     journal.Opt[[]journal.TagID]
	Rules    journal.Opt[[]RuleChange] // the others stay; null removes all
	Reviewed journal.Opt[bool]         // sets the review's time to when the change was made
}

// maxLinks is how many tags, and how many setups, a trade may have.
const maxLinks = 100

// apply returns the annotations after the change, or the reason why it is
// invalid. It does not check whether the tags and setups exist.
func (c AnnotationChange) apply(m Annotations, rule PriceRule, now time.Time) (Annotations, error) {
	// Merged trades may exceed note and tag limits, so these are checked only if they are
	// sent.
	err := c.setValues(&m.AnnotationValues, rule, now)
	if err != nil {
		return Annotations{}, err
	}
	if c.Tags.Set {
		if m.Tags, err = links("tag_ids", c.Tags.Value); err != nil {
			return Annotations{}, err
		}
	}
	if m.Setups, err = c.setups(m.Setups); err != nil {
		return Annotations{}, err
	}
	m.Rules, err = c.applyRules(m)
	m.UpdatedAt = now
	return m, err
}

// ApplyChange returns annotations of something else than a trade after a change. Prices can
// have any sign, as those of options. It is a step; the caller stores the result.
func ApplyChange(ctx context.Context, tx *db.Tx, owner journal.UserID, m Annotations, change AnnotationChange, now time.Time) (Annotations, error) {
	changed, err := change.apply(m, PriceRuleOf("option"), now)
	if err != nil {
		return Annotations{}, err
	}
	return changed, checkLinks(ctx, tx, owner, m, changed, change)
}

// setValues sets and checks the values the change sends.
func (c *AnnotationChange) setValues(values *AnnotationValues, rule PriceRule, now time.Time) error {
	for _, f := range AnnotationFields {
		isSent, err := setValue(f, &c.ValueChange, values)
		if err == nil && isSent {
			err = checkValue(f, values, rule)
		}
		if err != nil {
			return err
		}
	}
	values.ReviewedAt = reviewedAt(c.Reviewed, values.ReviewedAt, now)
	return nil
}

// setValue sets a field's value if the change sends one, and reports whether it does.
func setValue(f annotations.Field, change *ValueChange, values *AnnotationValues) (isSent bool, err error) {
	switch sent := annotations.MemberOf(change, f).(type) {
	case *journal.Opt[string]:
		at := f.At(values).(*string)
		isSent, *at = sent.Set, sent.Or(*at)
	case *journal.Opt[decimal.Decimal]:
		at := f.At(values).(*decimal.Null)
		isSent, *at = sent.Set, orNull(*sent, *at)
	case *journal.Opt[int]:
		at := f.At(values).(*annotations.Grade)
		if isSent = sent.Set; isSent && !sent.Null && sent.Value == 0 {
			return isSent, gradeOutOfRange(f.Name) // null clears a grade
		}
		*at = annotations.Grade(sent.Or(int(*at)))
	case *journal.Opt[time.Time]:
		at := f.At(values).(**time.Time)
		isSent, *at = sent.Set, sent.OrNil(*at)
	}
	return isSent, nil
}

// reviewedAt keeps when the trade was first reviewed.
func reviewedAt(o journal.Opt[bool], old *time.Time, now time.Time) *time.Time {
	switch {
	case !o.Set:
		return old
	case !o.Value:
		return nil
	case old != nil:
		return old
	}
	return &now
}

// setups returns the setups a change names in either way. If both are sent, the list
// counts and must contain the one setup.
func (c AnnotationChange) setups(old []journal.SetupID) ([]journal.SetupID, error) {
	one := c.Setup.Set && !c.Setup.Null
	switch {
	case c.Setups.Set && one && !slices.Contains(c.Setups.Value, c.Setup.Value):
		return nil, journal.InvalidField("setup_id", "setup_id must be one of setup_ids where both are given.")
	case c.Setups.Set:
		return links("setup_ids", c.Setups.Value)
	case one:
		return []journal.SetupID{c.Setup.Value}, nil
	case c.Setup.Set:
		return nil, nil
	}
	return old, nil
}

// links drops repeated ids.
func links[T comparable](field string, ids []T) ([]T, error) {
	if len(ids) > maxLinks {
		return nil, journal.InvalidField(field, "%s must name at most %d records.", field, maxLinks)
	}
	return united(nil, ids), nil
}

// united returns all lists' elements in order, each once.
func united[T comparable](lists ...[]T) []T { return unique(slices.Concat(lists...)) }

// AnnotationCheck is the [Check] for a trade's annotations. It gets the transaction as
// well, because a client has read more about a trade than its annotations. It may remove
// fields from the change.
type AnnotationCheck func(tx *db.Tx, stored Annotations, change *AnnotationChange) error

// Annotate changes a trade's annotations. A trade that is not the owner's is not found; a
// tag or setup that is not the owner's is an invalid field.
func (s *Service) Annotate(ctx context.Context, owner journal.UserID, trade journal.TradeID, change AnnotationChange, check AnnotationCheck) (Annotations, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Annotations, error) { return s.AnnotateIn(ctx, tx, owner, trade, change, check) })
}

// AnnotateIn is [Service.Annotate] as a step.
func (s *Service) AnnotateIn(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, change AnnotationChange, check AnnotationCheck,
) (Annotations, error) {
	old, err := s.lockAnnotations(ctx, tx, owner, trade)
	if err != nil {
		return Annotations{}, err
	}
	if check != nil {
		if err := check(tx, old, &change); err != nil {
			return Annotations{}, err
		}
	}
	rule, err := s.priceRule(ctx, tx, owner, trade, change)
	if err != nil {
		return Annotations{}, err
	}
	annotations, err := change.apply(old, rule, s.clock())
	if err != nil {
		return Annotations{}, err
	}
	if err := checkLinks(ctx, tx, owner, old, annotations, change); err != nil {
		return Annotations{}, err
	}
	if err := replaceAnnotations(ctx, tx, owner, old, annotations); err != nil {
		return Annotations{}, err
	}
	if !slices.Equal(old.Tags, annotations.Tags) { // ordered by their names
		if annotations, err = readAnnotations(ctx, tx, owner, trade); err != nil {
			return Annotations{}, err
		}
	}
	tradeHistory.Updated(tx, owner, &old, &annotations)
	return annotations, s.reportAnnotationsChanged(ctx, tx, owner, annotations)
}

// lockAnnotations reads and locks a trade's annotations. It inserts the row if there is
// none, so two writers to a trade without annotations take turns.
func (s *Service) lockAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (Annotations, error) {
	prefetchAnnotations(ctx, tx, owner, trade, tx.Lock())
	account, err := s.options.Known.Trade(ctx, tx, owner, trade)
	if err != nil {
		return Annotations{}, err
	}
	history.Prefetch(ctx, tx, owner, account)
	found := make(map[journal.TradeID]Annotations)
	load := func() error { return loadChunk(ctx, tx, owner, []journal.TradeID{trade}, tx.Lock(), found) }
	if err := load(); err != nil || len(found) > 0 {
		return found[trade], err
	}
	if err := EnsureAnnotationsRow(ctx, tx, owner, trade, account, s.clock()); err != nil {
		return Annotations{}, err
	}
	err = load()
	return found[trade], err
}

func readAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (Annotations, error) {
	found, err := LoadAnnotations(ctx, tx, owner, []journal.TradeID{trade})
	return found[trade], err
}

func (s *Service) reportAnnotationsChanged(ctx context.Context, tx *db.Tx, owner journal.UserID, annotations Annotations) error {
	if s.options.Known.AnnotationsChanged == nil {
		return nil
	}
	return s.options.Known.AnnotationsChanged(ctx, tx, owner, annotations.Account, annotations.Trade)
}

// checkLinks refuses tags, setups and rules the owner does not have.
func checkLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, old, annotations Annotations, change AnnotationChange) error {
	if !slices.Equal(old.Tags, annotations.Tags) {
		if err := checkAll(ctx, tx, owner, `SELECT COUNT(*) FROM tags`, "tag_ids", annotations.Tags); err != nil {
			return err
		}
	}
	if !slices.Equal(old.Setups, annotations.Setups) {
		field := "setup_ids"
		if !change.Setups.Set {
			field = "setup_id"
		}
		if err := checkAll(ctx, tx, owner, `SELECT COUNT(*) FROM setups`, field, annotations.Setups); err != nil {
			return err
		}
	}
	return checkRules(ctx, tx, owner, old.Rules, annotations.Rules)
}

func checkAll[T any](ctx context.Context, tx *db.Tx, owner journal.UserID, count, field string, ids []T) error {
	if len(ids) == 0 {
		return nil
	}
	w := owned("user_id", owner)
	andIn(w, "id", ids)
	var n int
	if err := tx.QueryRow(ctx, count+w.text.String(), w.args...).Scan(&n); err != nil {
		return err
	}
	if n != len(ids) {
		return reference(field, journal.NotFound(field))
	}
	return nil
}

// replaceAnnotations overwrites the stored annotations, links included.
func replaceAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, old, annotations Annotations) error {
	if !slices.Equal(old.Tags, annotations.Tags) {
		if err := tx.Queue(ctx, `DELETE FROM trade_tags WHERE user_id = $1 AND trade_id = $2`, owner, annotations.Trade); err != nil {
			return err
		}
	}
	if !slices.Equal(old.Setups, annotations.Setups) {
		if err := tx.Queue(ctx, `DELETE FROM trade_setups WHERE user_id = $1 AND trade_id = $2`, owner, annotations.Trade); err != nil {
			return err
		}
	}
	if !slices.Equal(old.Rules, annotations.Rules) {
		if err := tx.Queue(ctx, `DELETE FROM trade_rules WHERE user_id = $1 AND trade_id = $2`, owner, annotations.Trade); err != nil {
			return err
		}
	}
	return saveAnnotations(ctx, tx, owner, annotations)
}

// NewAnnotations returns the annotations a change makes to a trade without any, checked
// like a request, with the price rule for the trade's instrument. An import passes them
// to [MergeAnnotations].
func NewAnnotations(trade journal.TradeID, account journal.AccountID, change AnnotationChange, rule PriceRule, now time.Time) (Annotations, error) {
	return change.apply(Annotations{Trade: trade, Account: account}, rule, now)
}

// MergeAnnotations merges annotations into trades, for an import or a restore: stored
// values stay, empty fields are filled, tags and setups are added, and other notes are
// appended below a line. Merging the same annotations again changes nothing. The trades,
// accounts, tags and setups must be the owner's. It is a step, and returns the trades it
// changed.
func MergeAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, list []Annotations) ([]journal.TradeID, error) {
	var order []journal.TradeID
	given := make(map[journal.TradeID][]Annotations, len(list))
	for _, m := range list {
		if _, seen := given[m.Trade]; !seen {
			order = append(order, m.Trade)
		}
		given[m.Trade] = append(given[m.Trade], m)
	}
	old, err := LoadAnnotations(ctx, tx, owner, order)
	if err != nil {
		return nil, err
	}
	var changed []journal.TradeID
	var rows []Annotations
	for _, trade := range order {
		annotations := merge(old[trade], given[trade]...)
		if annotations.equal(old[trade]) {
			continue
		}
		annotations.Trade, annotations.Account, annotations.UpdatedAt = trade, given[trade][0].Account, now
		if before, known := old[trade]; known {
			tradeHistory.Updated(tx, owner, &before, &annotations)
		} else { // it goes with its import
			history.AddBrought(tx, history.Key{Type: "trade", ID: string(trade)})
		}
		changed, rows = append(changed, trade), append(rows, annotations)
	}
	return changed, saveAnnotations(ctx, tx, owner, rows...)
}
