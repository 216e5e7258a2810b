package matching

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
)

// Checkpoint is an open trade's state after some fills. A grouping that continues from it
// has the same result as one from the trade's first fill, so a change near a long trade's
// end does not read it all.
type Checkpoint struct {
	state holding // its trade has no parts
}

// First returns the first fill's position.
func (c *Checkpoint) First() Position { return c.state.trade.First }

// Last returns the last fill's position before the checkpoint.
func (c *Checkpoint) Last() Position { return c.state.trade.Last }

// Fills returns how many fills the trade has before the checkpoint.
func (c *Checkpoint) Fills() int { return c.state.trade.Skipped }

func (c *Checkpoint) toHolding() *holding {
	h := c.state
	return &h
}

// toCheckpoint returns the open trade's state; its parts count as skipped.
func (w *walk) toCheckpoint() Checkpoint {
	state := *w.open
	state.trade.Skipped = w.executions()
	return Checkpoint{state: state}
}

// numbers lists a checkpoint's numbers in text order.
func (c *Checkpoint) numbers() []*decimal.Decimal {
	h, t := &c.state, &c.state.trade
	return []*decimal.Decimal{
		&t.Head.Consumed, &t.QtyOpened, &t.QtyRemaining, &t.EntryNotional, &t.ExitNotional, &t.EntrySize, &t.Volume, &t.Multiplier,
		&t.FeesTotal, &t.Commission, &h.entered, &h.exited, &h.openNotional, &h.openCosts, &h.gross, &h.spent,
		&h.rate.Stated.Decimal, &h.rate.Priced.Decimal,
	}
}

// positions lists a checkpoint's whole numbers in text order.
func (c *Checkpoint) positions() []*int64 {
	t := &c.state.trade
	return []*int64{&t.First.At, &t.First.Seq, &t.Last.At, &t.Last.Seq}
}

// String returns the checkpoint as text, for ParseCheckpoint.
func (c *Checkpoint) String() string {
	t := &c.state.trade
	b := append(make([]byte, 0, 256), t.Direction...)
	b = strconv.AppendInt(append(b, ' '), int64(t.Skipped), 10)
	for _, n := range c.positions() {
		b = strconv.AppendInt(append(b, ' '), *n, 10)
	}
	b = strconv.AppendBool(append(b, ' '), c.state.rate.Stated.Valid)
	for _, n := range c.numbers() {
		b = n.AppendTo(append(b, ' '))
	}
	if c.state.removed {
		b = append(append(b, ' '), removedWord...)
	}
	return string(b)
}

// removedWord ends the text of a checkpoint up to which only removals closed anything.
const removedWord = "removed"

// ParseCheckpoint parses a checkpoint's text.
func ParseCheckpoint(text string) (*Checkpoint, error) {
	c := &Checkpoint{}
	words := strings.Fields(text)
	if n := len(words); n > 0 && words[n-1] == removedWord {
		c.state.removed, words = true, words[:n-1]
	}
	positions, numbers := c.positions(), c.numbers()
	const before, between = 2, 1
	if len(words) != before+len(positions)+between+len(numbers) {
		return nil, fmt.Errorf("checkpoint has %d words", len(words))
	}
	t := &c.state.trade
	t.Direction = Direction(words[0])
	if t.Direction != Long && t.Direction != Short {
		return nil, errors.New("checkpoint has no direction")
	}
	var err error
	if t.Skipped, err = strconv.Atoi(words[1]); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	for i, into := range positions {
		if *into, err = strconv.ParseInt(words[before+i], 10, 64); err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
	}
	rated, err := strconv.ParseBool(words[before+len(positions)])
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	c.state.rate.Stated.Valid, c.state.rate.Priced.Valid = rated, rated
	for i, into := range numbers {
		if *into, err = decimal.ParseExact(words[before+len(positions)+between+i]); err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
	}
	return c, nil
}
