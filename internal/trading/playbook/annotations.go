package playbook

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Annotations are what the trader added to one trade. A trade without any has
// the zero Annotations.
type Annotations struct {
	Trade   journal.TradeID
	Account journal.AccountID
	AnnotationValues
	UpdatedAt time.Time
	Tags      []journal.TagID   // by name
	Setups    []journal.SetupID // in the order given
	Rules     []RuleTick        // by setup and text; see [Annotations.CurrentRules]
}

// isEmpty reports whether the annotations have no value, tag, setup or rule. Notes and
// attachments may be linked to them nevertheless.
func (m Annotations) isEmpty() bool {
	return AnnotationFields.IsEmpty(&m.AnnotationValues) && len(m.Tags) == 0 && len(m.Setups) == 0 && len(m.Rules) == 0
}

// equal reports whether two trades have the same annotations.
func (m Annotations) equal(other Annotations) bool {
	return AnnotationFields.Equal(&m.AnnotationValues, &other.AnnotationValues) &&
		slices.Equal(m.Tags, other.Tags) && slices.Equal(m.Setups, other.Setups) && slices.Equal(m.Rules, other.Rules)
}

// LoadAnnotations returns some trades' annotations. Trades without any are not in the
// map.
func (s *Service) LoadAnnotations(ctx context.Context, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Annotations, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (map[journal.TradeID]Annotations, error) {
		return LoadAnnotations(ctx, tx, owner, trades)
	})
}

const (
	// idChunk is how many ids a statement has. SQLite's driver searches for each
	// parameter among the others, so long lists are slow.
	idChunk = 128
	// idsWorthAll is above how many ids all the owner's annotations are read: people
	// annotate fewer trades than they make.
	idsWorthAll = 8 * idChunk
)

// LoadAnnotations is [Service.LoadAnnotations] as a step. It takes three statements for
// every 128 trades, and three for any number above 1024.
func LoadAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Annotations, error) {
	if len(trades) > idsWorthAll {
		return loadAllOf(ctx, tx, owner, trades)
	}
	annotations := make(map[journal.TradeID]Annotations)
	for chunk := range slices.Chunk(trades, idChunk) {
		if err := loadChunk(ctx, tx, owner, chunk, "", annotations); err != nil {
			return nil, err
		}
	}
	return annotations, nil
}

// LoadAllAnnotations reads all the owner's annotations.
func LoadAllAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.TradeID]Annotations, error) {
	all := make(map[journal.TradeID]Annotations)
	return all, loadChunk(ctx, tx, owner, nil, "", all)
}

// LoadFewAnnotations reads all the owner's annotations, or returns nil if there are more
// than limit. It is a step.
func LoadFewAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, limit int) (map[journal.TradeID]Annotations, error) {
	var count int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM trade_annotations WHERE user_id = $1`+db.Limit(2)+`) AS few`, owner, limit+1).
		Scan(&count)
	if err != nil || count > limit {
		return nil, err
	}
	if count == 0 {
		return map[journal.TradeID]Annotations{}, nil
	}
	return LoadAllAnnotations(ctx, tx, owner)
}

func loadAllOf(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Annotations, error) {
	all, err := LoadAllAnnotations(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	annotations := make(map[journal.TradeID]Annotations, len(all))
	for _, trade := range trades {
		if m, ok := all[trade]; ok {
			annotations[trade] = m
		}
	}
	return annotations, nil
}

// PrefetchAnnotations sends the queries for a trade's annotations and attachments ahead; see
// [db.Tx.Prefetch].
func PrefetchAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) {
	prefetchAnnotations(ctx, tx, owner, trade, "")
	tx.Prefetch(func(tx *db.Tx) { _, _ = AttachmentsOf(ctx, tx, owner, Target{Trade: trade}) })
}

func prefetchAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, lock string) {
	trades := []journal.TradeID{trade}
	tx.Prefetch(func(tx *db.Tx) {
		_ = loadChunk(ctx, tx, owner, trades, lock, nil)
		_ = loadTags(ctx, tx, owner, trades, nil)
		_ = loadSetups(ctx, tx, owner, trades, nil)
	})
}

// loadChunk adds some trades' annotations, or all if none are named.
func loadChunk(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, lock string, into map[journal.TradeID]Annotations) error {
	w := owned("m.user_id", owner)
	andIn(w, "m.trade_id", trades)
	found := 0
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		annotations, err := scanAnnotations(row)
		into[annotations.Trade] = annotations
		found++
		return err
	}, selectAnnotations+w.text.String()+` ORDER BY m.trade_id`+lock, w.args...)
	if err != nil || found == 0 {
		return err // the schema allows no links without annotations
	}
	if err := loadTags(ctx, tx, owner, trades, into); err != nil {
		return err
	}
	return loadSetups(ctx, tx, owner, trades, into)
}

var selectAnnotations = annotationTable.Select("m")

func scanAnnotations(row db.Scanner) (Annotations, error) {
	var m Annotations
	err := annotationTable.Scan(row, &m)
	return m, err
}

func loadTags(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, into map[journal.TradeID]Annotations) error {
	w := owned("l.user_id", owner)
	andIn(w, "l.trade_id", trades)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var tag journal.TagID
		err := row.Scan(&trade, &tag)
		m := into[trade]
		m.Tags = append(m.Tags, tag)
		into[trade] = m
		return err
	}, `SELECT l.trade_id, l.tag_id FROM trade_tags l
		JOIN tags t ON t.user_id = l.user_id AND t.id = l.tag_id`+w.text.String()+
		` ORDER BY l.trade_id, t.name_key, t.id`, w.args...)
}

// loadSetups adds trades' setups and their rule states. Both come with one statement,
// because every annotated trade needs it.
func loadSetups(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, into map[journal.TradeID]Annotations) error {
	w := owned("user_id", owner)
	andIn(w, "trade_id", trades)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var tick RuleTick
		var position int
		err := row.Scan(&trade, &position, &tick.Setup, &tick.Rule, &tick.State)
		m := into[trade]
		if tick.State == "" {
			m.Setups = append(m.Setups, tick.Setup)
		} else {
			m.Rules = append(m.Rules, tick)
		}
		into[trade] = m
		return err
	}, `SELECT trade_id, position, setup_id, '' AS rule, '' AS state FROM trade_setups`+w.text.String()+
		` UNION ALL SELECT trade_id, 0 AS position, setup_id, rule, state FROM trade_rules`+w.text.String()+
		` ORDER BY trade_id, position, setup_id, rule`, w.args...)
}

// EnsureAnnotationsRow inserts an empty annotations row if a trade has none: links and
// notes refer to it. It is a step; trade and account must be the owner's.
func EnsureAnnotationsRow(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, account journal.AccountID, now time.Time) error {
	empty := Annotations{Trade: trade, Account: account, UpdatedAt: now}
	return tx.QueueRows(ctx, annotationTable.Name, annotationTable.Columns(), `ON CONFLICT (user_id, trade_id) DO NOTHING`,
		[][]any{annotationTable.Values(owner, &empty)})
}

// saveAnnotations overwrites the stored annotations and adds the missing links. Each
// trade must be in the list once.
func saveAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, list ...Annotations) error {
	var rows, tags, setups, rules [][]any
	for _, m := range list {
		rows = append(rows, annotationTable.Values(owner, &m))
		for _, tag := range m.Tags {
			tags = append(tags, []any{owner, m.Trade, tag})
		}
		for i, setup := range m.Setups {
			setups = append(setups, []any{owner, m.Trade, setup, i})
		}
		for _, tick := range m.Rules {
			rules = append(rules, []any{owner, m.Trade, tick.Setup, tick.Rule, tick.State})
		}
	}
	if err := tx.QueueRows(ctx, annotationTable.Name, annotationTable.Columns(), annotationTable.Upsert(), rows); err != nil {
		return err
	}
	err := tx.QueueRows(ctx, "trade_tags", []string{"user_id", "trade_id", "tag_id"},
		`ON CONFLICT (user_id, trade_id, tag_id) DO NOTHING`, tags)
	if err != nil {
		return err
	}
	err = tx.QueueRows(ctx, "trade_setups", []string{"user_id", "trade_id", "setup_id", "position"},
		`ON CONFLICT (user_id, trade_id, setup_id) DO UPDATE SET position = excluded.position`, setups)
	if err != nil {
		return err
	}
	return tx.QueueRows(ctx, "trade_rules", []string{"user_id", "trade_id", "setup_id", "rule", "state"},
		`ON CONFLICT (user_id, trade_id, setup_id, rule) DO UPDATE SET state = excluded.state`, rules)
}
