package bars

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Undoers undo changes to symbol aliases, series, imports of bars and typed prices.
func (s *Service) Undoers() []history.TypeUndoer {
	aliases := history.TableRecords(aliasHistory, aliasTable, s.clock)
	aliases.FindObstacle = findAlias
	return []history.TypeUndoer{
		{Type: "bar_alias", Undoer: aliases},
		{Type: "bar_series", Undoer: seriesUndoer{s}},
		{Type: "bar_import", Undoer: importUndoer{s}},
		{Type: "position_mark", Undoer: history.WithAccount(&history.Values{Type: "position_mark", Load: loadMark, Store: storeMark})},
	}
}

// findAlias returns another alias of an alias's symbol.
func findAlias(ctx context.Context, u *history.Undoing, a *Alias) (key history.Key, err error) {
	err = u.Tx.QueryRow(ctx, `SELECT id FROM bar_aliases WHERE user_id = $1 AND symbol = $2 AND id <> $3`, u.Owner, a.Symbol, a.ID).Scan(&key.ID)
	if errors.Is(err, db.ErrNoRows) {
		return history.Key{}, nil
	}
	key.Type = "bar_alias"
	return key, err
}

func loadMark(ctx context.Context, u *history.Undoing, trade string) (map[string]jsontext.Value, error) {
	marks, err := Marks(ctx, u.Tx, u.Owner)
	mark, known := marks[journal.TradeID(trade)]
	if err != nil || !known {
		return nil, err
	}
	return map[string]jsontext.Value{
		"price": fields.ShowValue(mark.Price.String()), "at": fields.ShowValue(journal.FormatInstant(mark.At)),
	}, nil
}

// storeMark sets a typed price with its instant, or removes it.
func storeMark(ctx context.Context, u *history.Undoing, trade string, values map[string]jsontext.Value) error {
	var price decimal.Null
	var at *time.Time
	if err := json.Unmarshal(values["price"], &price); err != nil {
		return err
	}
	if err := json.Unmarshal(values["at"], &at); err != nil {
		return err
	}
	var mark *Mark
	if price.Valid && at != nil {
		mark = &Mark{Price: price.Decimal, At: *at}
	}
	return SetMark(ctx, u.Tx, u.Owner, journal.TradeID(trade), mark)
}
