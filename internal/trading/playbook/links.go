package playbook

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Links are the trades that notes are about and that files are attached to.
type Links struct{ Notes, Attachments map[journal.TradeID]bool }

// LoadLinks returns the links to annotated trades: the schema allows no link to a trade
// without an annotations row. It is a step.
func LoadLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, annotated map[journal.TradeID]Annotations) (Links, error) {
	links := Links{Notes: map[journal.TradeID]bool{}, Attachments: map[journal.TradeID]bool{}}
	var chunks [][]journal.TradeID
	switch {
	case len(annotated) == 0:
	case len(annotated) > idsWorthAll:
		chunks = [][]journal.TradeID{nil} // all
	default:
		chunks = slices.Collect(slices.Chunk(slices.Sorted(maps.Keys(annotated)), idChunk))
	}
	for _, chunk := range chunks {
		for table, found := range map[string]map[journal.TradeID]bool{"notes": links.Notes, "attachments": links.Attachments} {
			if err := addLinked(ctx, tx, owner, table, chunk, found); err != nil {
				return Links{}, err
			}
		}
	}
	return links, nil
}

// addLinked adds the trades among some, or among all if none are named, that a
// table refers to.
func addLinked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, table string, trades []journal.TradeID, found map[journal.TradeID]bool,
) error {
	w := owned("user_id", owner)
	w.text.WriteString(" AND trade_id IS NOT NULL")
	andIn(w, "trade_id", trades)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		err := row.Scan(&trade)
		found[trade] = true
		return err
	}, `SELECT trade_id FROM `+table+w.text.String()+` ORDER BY trade_id`, w.args...)
}

// reportLinked reports trades whose notes or attachments have changed, because
// lists and figures are filtered by them. A nil trade and one without fills are
// ignored.
func (s *shared) reportLinked(ctx context.Context, tx *db.Tx, owner journal.UserID, trades ...*journal.TradeID) error {
	if s.options.Known.AnnotationsChanged == nil {
		return nil
	}
	var reported []journal.TradeID
	for _, trade := range trades {
		if trade == nil || slices.Contains(reported, *trade) {
			continue
		}
		reported = append(reported, *trade)
		account, err := s.options.Known.Trade(ctx, tx, owner, *trade)
		if journal.IsKind(err, journal.KindNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.options.Known.AnnotationsChanged(ctx, tx, owner, account, *trade); err != nil {
			return err
		}
	}
	return nil
}
