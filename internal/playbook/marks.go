package playbook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// Marks are what the trader wrote on one trade. A trade of which nothing was
// said has the zero Marks.
type Marks struct {
	Trade   journal.TradeID
	Account journal.AccountID
	Notes   string
	// InitialRisk is the money at risk at entry, as the trader stated it. See
	// [Derive] for the risk that a stop implies.
	InitialRisk            decimal.Null
	StopPrice, TargetPrice decimal.Null
	// LastStop is the stop that a broker's statement showed at the end. It may
	// have been trailed, so no risk follows from it.
	LastStop       decimal.Null
	MAE, MFE       decimal.Null // worst and best excursion
	EmotionalState string
	Confidence     int // 1 to 5, 0 for none
	TradeQuality   int // 1 to 5, 0 for none
	ReviewedAt     *time.Time
	UpdatedAt      time.Time
	Tags           []journal.TagID   // by name
	Setups         []journal.SetupID // in the order given
}

// isEmpty tells whether nothing is written in the marks themselves. Notes and
// attachments may hang on them all the same.
func (m Marks) isEmpty() bool {
	return isBlank(m.Notes) && !m.InitialRisk.Valid && !m.StopPrice.Valid && !m.TargetPrice.Valid && !m.MAE.Valid &&
		!m.LastStop.Valid && !m.MFE.Valid && m.EmotionalState == "" && m.Confidence == 0 && m.TradeQuality == 0 && m.ReviewedAt == nil &&
		len(m.Tags) == 0 && len(m.Setups) == 0
}

// row is the marks as they are stored, without their ids and updated_at.
func (m Marks) row() []any {
	return []any{
		m.Notes, stored(m.InitialRisk), stored(m.StopPrice), stored(m.TargetPrice), stored(m.MAE), stored(m.MFE),
		m.EmotionalState, rating(m.Confidence), rating(m.TradeQuality), db.NullMicros(m.ReviewedAt), stored(m.LastStop),
	}
}

func rating(n int) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

// equal tells whether two marks say the same.
func (m Marks) equal(other Marks) bool {
	return slices.Equal(m.row(), other.row()) && slices.Equal(m.Tags, other.Tags) && slices.Equal(m.Setups, other.Setups)
}

// Marks gives the marks of some trades. Trades of which nothing was said are not
// in the map; reading them from it gives the zero Marks, which is right.
func (s *Service) Marks(ctx context.Context, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Marks, error) {
	var marks map[journal.TradeID]Marks
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		marks, err = LoadMarks(ctx, tx, owner, trades)
		return err
	})
	return marks, err
}

const (
	// idChunk is how many ids one statement names. SQLite's driver looks
	// each parameter up among the others, so long lists do not pay.
	idChunk = 128
	// idsWorthAll is from how many ids on all of the owner's marks are read:
	// people mark fewer trades than they make.
	idsWorthAll = 8 * idChunk
)

// LoadMarks is the step of [Service.Marks]. It takes three statements for every
// 128 trades, and three for any number above 1024.
func LoadMarks(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Marks, error) {
	if len(trades) > idsWorthAll {
		return loadAllOf(ctx, tx, owner, trades)
	}
	marks := make(map[journal.TradeID]Marks)
	for chunk := range slices.Chunk(trades, idChunk) {
		if err := loadChunk(ctx, tx, owner, chunk, "", marks); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// LoadGrades gives of all trades what they can be graded by: the risk that was
// stated, the stop, and the quality. Other marks are not read. It is a step.
func LoadGrades(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.TradeID]Marks, error) {
	marks := map[journal.TradeID]Marks{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var m Marks
		var quality *int
		err := row.Scan(&m.Trade, &m.InitialRisk, &m.StopPrice, &quality)
		if quality != nil {
			m.TradeQuality = *quality
		}
		marks[m.Trade] = m
		return err
	}, `SELECT trade_id, initial_risk, stop_price, trade_quality FROM trade_marks
		WHERE user_id = $1 AND (initial_risk IS NOT NULL OR stop_price IS NOT NULL OR trade_quality IS NOT NULL)
		ORDER BY trade_id`, owner)
	return marks, err
}

// AllMarks reads the marks of every trade of the owner that has any.
func AllMarks(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.TradeID]Marks, error) {
	all := make(map[journal.TradeID]Marks)
	return all, loadChunk(ctx, tx, owner, nil, "", all)
}

func loadAllOf(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]Marks, error) {
	all, err := AllMarks(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	marks := make(map[journal.TradeID]Marks, len(all))
	for _, trade := range trades {
		if m, ok := all[trade]; ok {
			marks[trade] = m
		}
	}
	return marks, nil
}

// loadChunk adds the marks of some trades, or of all where none are named.
func loadChunk(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, lock string, into map[journal.TradeID]Marks) error {
	w := owned("m.user_id", owner)
	andIn(w, "m.trade_id", trades)
	found := 0
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		marks, err := scanMarks(row)
		into[marks.Trade] = marks
		found++
		return err
	}, selectMarks+w.text.String()+` ORDER BY m.trade_id`+lock, w.args...)
	if err != nil || found == 0 {
		return err // no links without marks: the schema sees to it
	}
	if err := loadTags(ctx, tx, owner, trades, into); err != nil {
		return err
	}
	return loadSetups(ctx, tx, owner, trades, into)
}

const selectMarks = `
	SELECT m.trade_id, m.account_id, m.notes, m.initial_risk, m.stop_price, m.target_price, m.mae, m.mfe,
		m.emotional_state, m.confidence, m.trade_quality, m.reviewed_at, m.last_stop, m.updated_at
	FROM trade_marks m`

func scanMarks(row db.Scanner) (Marks, error) {
	var m Marks
	var confidence, quality *int
	err := row.Scan(&m.Trade, &m.Account, &m.Notes, &m.InitialRisk, &m.StopPrice, &m.TargetPrice, &m.MAE, &m.MFE,
		&m.EmotionalState, &confidence, &quality, db.NullInstant(&m.ReviewedAt), &m.LastStop, db.Instant(&m.UpdatedAt))
	none := 0
	m.Confidence = *cmp.Or(confidence, &none)
	m.TradeQuality = *cmp.Or(quality, &none)
	return m, err
}

func loadTags(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, into map[journal.TradeID]Marks) error {
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

func loadSetups(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, into map[journal.TradeID]Marks) error {
	w := owned("l.user_id", owner)
	andIn(w, "l.trade_id", trades)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var setup journal.SetupID
		err := row.Scan(&trade, &setup)
		m := into[trade]
		m.Setups = append(m.Setups, setup)
		into[trade] = m
		return err
	}, `SELECT l.trade_id, l.setup_id FROM trade_setups l`+w.text.String()+
		` ORDER BY l.trade_id, l.position, l.setup_id`, w.args...)
}

// Anchor makes sure that a trade has a row of marks, empty if need be: links and
// notes hang on it. It is a step, and trade and account must be the owner's.
func Anchor(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, account journal.AccountID, now time.Time) error {
	empty := Marks{Trade: trade, Account: account, UpdatedAt: now}
	_, err := tx.InsertMany(ctx, "trade_marks", markColumns, `ON CONFLICT (user_id, trade_id) DO NOTHING`, [][]any{empty.values(owner)})
	return err
}

var markColumns = []string{
	"user_id", "trade_id", "account_id", "notes", "initial_risk", "stop_price", "target_price", "mae", "mfe",
	"emotional_state", "confidence", "trade_quality", "reviewed_at", "last_stop", "updated_at",
}

func (m Marks) values(owner journal.UserID) []any {
	values := append([]any{owner, m.Trade, m.Account}, m.row()...)
	return append(values, db.Micros(m.UpdatedAt))
}

// saveMarks writes marks over what is stored and adds the links that are
// missing. Each trade must be named once.
func saveMarks(ctx context.Context, tx *db.Tx, owner journal.UserID, list ...Marks) error {
	var rows, tags, setups [][]any
	for _, m := range list {
		rows = append(rows, m.values(owner))
		for _, tag := range m.Tags {
			tags = append(tags, []any{owner, m.Trade, tag})
		}
		for i, setup := range m.Setups {
			setups = append(setups, []any{owner, m.Trade, setup, i})
		}
	}
	if _, err := tx.InsertMany(ctx, "trade_marks", markColumns, overwriteMarks(), rows); err != nil {
		return err
	}
	_, err := tx.InsertMany(ctx, "trade_tags", []string{"user_id", "trade_id", "tag_id"},
		`ON CONFLICT (user_id, trade_id, tag_id) DO NOTHING`, tags)
	if err != nil {
		return missing("tag_ids", err)
	}
	_, err = tx.InsertMany(ctx, "trade_setups", []string{"user_id", "trade_id", "setup_id", "position"},
		`ON CONFLICT (user_id, trade_id, setup_id) DO UPDATE SET position = excluded.position`, setups)
	return missing("setup_ids", err)
}

// overwriteMarks is the ON CONFLICT clause that takes every new value but the
// key and the account.
func overwriteMarks() string {
	var b strings.Builder
	b.WriteString("ON CONFLICT (user_id, trade_id) DO UPDATE SET ")
	for i, column := range markColumns[3:] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(column + " = excluded." + column)
	}
	return b.String()
}

// missing refuses a field that names a record that was deleted between the look
// and the write.
func missing(field string, err error) error {
	if errors.Is(err, db.ErrMissing) {
		return journal.InvalidField(field, "%s names a record that does not exist.", field)
	}
	return err
}
