package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/matching"
)

// checkpointInterval is how many of a trade's fills lie between two checkpoints. A write
// to a longer trade reads at most as many fills before the change.
const checkpointInterval = 128

// storedCheckpoint is a row of trade_checkpoints: a trade's state after the fill at its
// position.
type storedCheckpoint struct {
	stream int64
	matching.Checkpoint
}

// stretch is a stream's part, without its two ends.
type stretch struct {
	stream   int64
	from, to matching.Position
}

// endOfStream is a position after all fills.
var endOfStream = matching.Position{At: math.MaxInt64, Seq: math.MaxInt64}

const checkpointBefore = `
	SELECT state FROM trade_checkpoints
	WHERE user_id = $1 AND stream = $2 AND (executed_at, seq) > ($3, $4) AND (executed_at, seq) < ($5, $6)
	ORDER BY executed_at DESC, seq DESC LIMIT 1`

// lastCheckpoint returns a stored trade's last checkpoint before p, or nil.
func (set *streamSet) lastCheckpoint(ctx context.Context, t *tradeRow, p matching.Position) (*matching.Checkpoint, error) {
	if t.count < int64(set.interval) {
		return nil, nil
	}
	var state string
	err := set.tx.QueryRow(ctx, checkpointBefore, set.owner, t.stream, t.First.At, t.First.Seq, p.At, p.Seq).Scan(&state)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := matching.ParseCheckpoint(state)
	if err == nil && found.First() != t.First {
		err = errors.New("it belongs to another trade; run fillbook check")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a checkpoint of trade %s: %w", t.id, err)
	}
	return found, nil
}

// collectCheckpoint collects a new trade's checkpoint.
func (r *run) collectCheckpoint(c matching.Checkpoint) {
	r.out.checkpoints = append(r.out.checkpoints, storedCheckpoint{stream: r.c.stream.number, Checkpoint: c})
}

// collectOutdated marks the run's stored checkpoints for deletion if a stored trade in it
// can have any.
func (r *run) collectOutdated(old []*tradeRow) {
	isLong := func(t *tradeRow) bool { return t.count >= int64(r.fills.set.interval) }
	if r.c.whole || slices.ContainsFunc(old, isLong) {
		r.out.outdated = append(r.out.outdated, stretch{stream: r.c.stream.number, from: r.start, to: r.end})
	}
}

// flushCheckpoints deletes outdated checkpoints and writes the new ones.
func (b *book) flushCheckpoints(ctx context.Context) error {
	for _, s := range b.outdated {
		err := b.tx.Queue(ctx, `
			DELETE FROM trade_checkpoints
			WHERE user_id = $1 AND stream = $2 AND (executed_at, seq) > ($3, $4) AND (executed_at, seq) < ($5, $6)`,
			b.owner, s.stream, s.from.At, s.from.Seq, s.to.At, s.to.Seq)
		if err != nil {
			return err
		}
	}
	rows := make([][]any, len(b.checkpoints))
	for i, c := range b.checkpoints {
		at := c.Last()
		rows[i] = []any{int64(b.owner), b.account.number, c.stream, at.At, at.Seq, c.String()}
	}
	b.outdated, b.checkpoints = nil, nil
	return b.tx.QueueRows(ctx, "trade_checkpoints",
		[]string{"user_id", "account", "stream", "executed_at", "seq", "state"}, "", rows)
}
