package ledger

import (
	"context"
	"fmt"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// This file has what fills of other kinds than a trade need. The rows of ordinary fills
// have NULL in the columns for it.

// The keys in a fill's stored details for its event and for the broker's order.
const (
	keyEvent = "event_id"
	keyOrder = "order_id"
)

// The bits of a stored kind: estimatedBit if an opening's cost is estimated, closesBit if
// the source says that an ordinary fill closes. Rows without closesBit may be older than
// it, so they say nothing.
const estimatedBit, closesBit = 8, 16

// The conditions on a stored kind for an ordinary fill, and for an opening, with or without
// a real cost. The index executions_opening has the latter in these words.
const (
	isOrdinary = `(kind IS NULL OR kind = 16)`
	isOpening  = `kind IN (1, 9)`
)

// removedBit is added to a stored ending if the trade was only removed.
const removedBit = 8

// fillKind is a fill's kind with what its source says beside it, as the column kind has
// them.
type fillKind struct {
	kind matching.Kind
	// isEstimated reports that an opening's cost is estimated.
	isEstimated bool
	// closes reports that the source says that an ordinary fill closes a position.
	closes bool
}

// stored returns the kind as stored, nil for an ordinary fill. Its type is that of the
// column, for PostgreSQL.
func (k fillKind) stored() *int64 {
	n := int64(k.kind)
	if k.isEstimated {
		n += estimatedBit
	}
	if k.closes {
		n += closesBit
	}
	if n == 0 {
		return nil
	}
	return &n
}

// fillKindScanner scans a stored kind.
type fillKindScanner struct{ *fillKind }

func (s fillKindScanner) Scan(value any) error {
	*s.fillKind = fillKind{}
	if value == nil {
		return nil
	}
	n, ok := value.(int64)
	kind := n &^ (estimatedBit | closesBit)
	if !ok || n <= 0 || kind >= int64(len(matching.Kinds())) {
		return fmt.Errorf("kind column has the value %v", value)
	}
	*s.fillKind = fillKind{kind: matching.Kind(kind), isEstimated: n&estimatedBit != 0, closes: n&closesBit != 0}
	if s.closes && s.kind != matching.KindTrade {
		return fmt.Errorf("kind column has the value %d: only an ordinary fill states that it closes", n)
	}
	return nil
}

// inTrades is the condition that some of a fill belongs to a trade.
const inTrades = `(executions.unmatched IS NULL OR executions.unmatched <> executions.quantity)`

// belongsToNoTrade reports whether nothing of the stored fill is in a trade.
func (f *fill) belongsToNoTrade() bool { return !f.unmatched.IsZero() && f.unmatched.Equal(f.quantity) }

// comparedPrice returns the price by which fills are compared. A removal's is computed
// from its trade, so it does not tell two fills apart.
func (f *fill) comparedPrice() decimal.Decimal {
	if f.kind == matching.KindRemoval {
		return decimal.Zero
	}
	return f.price
}

// checkKind returns an error if an instrument of the type cannot have a fill of the kind.
func (f *fill) checkKind(instrumentType string) error {
	switch f.kind {
	case matching.KindAssignment, matching.KindExercise:
		if instrumentType != "option" {
			return journal.InvalidField("kind", "Only an option can have the kind %s.", f.kind)
		}
		if !f.price.IsZero() {
			return journal.InvalidField("price",
				"price must be 0 for the kind %s. Send a cash settlement as expiry or settlement at the amount per unit.", f.kind)
		}
	case matching.KindExpiry:
		switch instrumentType {
		case "stock", "forex", "crypto":
			return journal.InvalidField("kind", "A position in %s does not expire.", instrumentType)
		}
	case matching.KindTrade, matching.KindOpening, matching.KindRemoval, matching.KindSettlement:
	}
	if f.isEstimated && f.kind != matching.KindOpening {
		return journal.InvalidField("basis_estimated", "basis_estimated is only for the kind opening.")
	}
	return nil
}

// endingScanner scans how a trade ended.
type endingScanner struct {
	endedBy *matching.Kind
	removed *bool
}

func (s endingScanner) Scan(value any) error {
	if value == nil {
		*s.endedBy, *s.removed = matching.KindTrade, false
		return nil
	}
	n, ok := value.(int64)
	if kind := n &^ removedBit; ok && n > 0 && kind < int64(len(matching.Kinds())) {
		*s.endedBy, *s.removed = matching.Kind(kind), n&removedBit != 0
		return nil
	}
	return fmt.Errorf("ending column has the value %v", value)
}

// storedEnding returns how the trade ended as stored, also while it is open.
func (t *tradeRow) storedEnding() *int64 {
	n := int64(t.EndedBy)
	if t.Removed {
		n += removedBit
	}
	if n == 0 {
		return nil
	}
	return &n
}

// recordClosure sets what a fill whose kind only closes has closed.
func (r *regrouping) recordClosure(c matching.Closure) {
	f := r.byID[c.FillID]
	price := f.price
	if f.kind == matching.KindRemoval {
		price = c.Price
	}
	if f.unmatched.Equal(c.Leftover) && f.price.Equal(price) {
		return
	}
	f.unmatched, f.price = c.Leftover, price
	if f.state == stored {
		r.reclosed = append(r.reclosed, f)
	}
}

// skipClosings passes the fills that can only close while the position is flat.
func (r *run) skipClosings() {
	for f := r.fills.peek(); f != nil && f.kind.OnlyCloses(); f = r.fills.peek() {
		r.take(r.fills.next())
		r.out.recordClosure(matching.Closure{FillID: string(f.id), Leftover: f.quantity})
	}
}

// flagClosings notes that a stream gets fills that only close.
func (r *regrouping) flagClosings(c *changes) {
	for _, f := range c.added {
		if f.kind.OnlyCloses() && !c.stream.hasClosings {
			c.stream.hasClosings = true
			r.flagged = append(r.flagged, c.stream.number)
		}
	}
}

// flushClosings writes what fills have closed where it changed, and streams' flags.
func (b *book) flushClosings(ctx context.Context) error {
	rows := make([][]any, len(b.reclosed))
	for i, f := range b.reclosed {
		rows[i] = []any{f.price.String(), nullIf(f.unmatched, "0"), int64(b.owner), b.account.number, f.at, f.seq}
	}
	err := b.tx.UpdateMany(ctx, "executions", []string{"price", "unmatched"}, []string{"user_id", "account", "executed_at", "seq"}, rows)
	if err != nil {
		return err
	}
	for _, number := range b.flagged {
		if err := b.tx.Queue(ctx, `UPDATE streams SET has_closings = TRUE WHERE user_id = $1 AND number = $2`, b.owner, number); err != nil {
			return err
		}
	}
	b.reclosed, b.flagged = nil, nil
	return nil
}
