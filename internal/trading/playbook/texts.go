package playbook

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
)

// TradeTexts is an index of the words in the texts about trades: their notes, and the
// notes that are about them.
type TradeTexts = textindex.Index[journal.TradeID, struct{}]

// IndexTradeTexts returns an index for all an account's trades. It is a step.
func IndexTradeTexts(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (*TradeTexts, error) {
	w := owned("m.user_id", owner)
	w.and("m.account_id =", account)
	b := newTextBuilder()
	if err := b.add(ctx, tx, w); err != nil {
		return nil, err
	}
	return b.build(), nil
}

// IndexTextsOf returns an index for some trades. It is a step.
func IndexTextsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (*TradeTexts, error) {
	b := newTextBuilder()
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(trades)), idChunk) {
		w := owned("m.user_id", owner)
		andIn(w, "m.trade_id", chunk)
		if err := b.add(ctx, tx, w); err != nil {
			return nil, err
		}
	}
	return b.build(), nil
}

// textBuilder builds an index for the trades' own notes, and one for the notes about
// them: each needs its keys in order.
type textBuilder struct {
	own, linked *textindex.Builder[journal.TradeID, struct{}]
}

func newTextBuilder() textBuilder {
	return textBuilder{textindex.NewBuilder[journal.TradeID, struct{}](), textindex.NewBuilder[journal.TradeID, struct{}]()}
}

func (b textBuilder) build() *TradeTexts { return b.own.Build().Join(b.linked.Build()) }

// add adds the texts about the annotated trades a condition selects.
func (b textBuilder) add(ctx context.Context, tx *db.Tx, w *where) error {
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var text string
		err := row.Scan(&trade, &text)
		b.own.Add(trade, struct{}{}, text)
		return err
	}, `SELECT m.trade_id, m.notes FROM trade_annotations m`+w.text.String()+` AND m.notes <> '' ORDER BY m.trade_id`, w.args...)
	if err != nil {
		return err
	}
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var title, body, symbols string
		if err := row.Scan(&trade, &title, &body, &symbols); err != nil {
			return err
		}
		texts, err := noteTexts(title, body, symbols)
		b.linked.Add(trade, struct{}{}, texts...)
		return err
	}, `SELECT n.trade_id, n.title, n.body, n.symbols FROM notes n
		JOIN trade_annotations m ON m.user_id = n.user_id AND m.trade_id = n.trade_id`+w.text.String()+` ORDER BY n.trade_id`, w.args...)
}
