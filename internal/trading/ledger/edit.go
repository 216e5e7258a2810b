package ledger

import (
	"cmp"
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// AddedExecution is what [Service.AddExecution] returns.
type AddedExecution struct {
	Execution
	// Deduped reports that the execution was already stored, Completed that the
	// new values completed or corrected it.
	Deduped, Completed bool
	// Warnings are sentences for the user.
	Warnings []string
}

// AddExecution stores one fill and regroups its stream. A fill that equals a
// stored one completes it instead, unless it has a different broker's id or
// AllowDuplicate is set.
func (s *Service) AddExecution(
	ctx context.Context, owner journal.UserID, account journal.AccountID, in NewFill,
) (out AddedExecution, err error) {
	err = s.updateAccount(ctx, owner, account, func(tx *db.Tx) error {
		b, arrivals, warnings, err := s.enterFills(ctx, tx, owner, account, []NewFill{in})
		if err != nil {
			return err
		}
		a := arrivals[0]
		if a.known != nil {
			out = AddedExecution{Deduped: true, Completed: a.completed}
			out.Execution, err = b.execution(ctx, a.known.id)
			return err
		}
		out = AddedExecution{Warnings: warnings}
		if s := b.byNumber[a.grouped()]; s != nil && (len(s.events) > 0 || a.group != 0) {
			out.Execution, err = b.describe(ctx, a.fill, a.next)
			return err
		}
		out.Execution, err = a.toExecution(b.account, *a.key, nil, a.next)
		return err
	})
	return out, err
}

// ExecutionChange is a partial change to an execution. Details are replaced as a whole,
// including the contract in them. A null multiplier becomes the instrument's usual one.
type ExecutionChange struct {
	Symbol, InstrumentType            journal.Opt[string]
	Side                              journal.Opt[matching.Side]
	Quantity, Price, Fees, Commission journal.Opt[decimal.Decimal]
	Multiplier, StatedPnL             journal.Opt[decimal.Decimal]
	ExecutedAt                        journal.Opt[time.Time]
	// HasFraction reports that ExecutedAt was written with fractional seconds, even if it
	// is 0.
	HasFraction bool
	ExternalID  journal.Opt[string]
	Details     journal.Opt[map[string]string]
	// Kind, if null, becomes a trade; so does a null event or estimate become none.
	Kind           journal.Opt[matching.Kind]
	EventID        journal.Opt[string]
	BasisEstimated journal.Opt[bool]
}

// UpdateExecution applies a partial change and regroups the affected streams,
// two if the fill moves to another instrument. A change to price or quantity
// without a new stated result clears the stated result, which depended on them.
// check, which may be nil, receives the stored execution and may reject the
// change.
func (s *Service) UpdateExecution(
	ctx context.Context, owner journal.UserID, id journal.ExecutionID, change ExecutionChange, check func(Execution) error,
) (e Execution, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		hasActions := false
		err := s.withExecution(ctx, tx, owner, id, check, func(b *book, before *fill, was Execution) error {
			hasActions = b.hasActions
			after, key, err := b.applyChange(ctx, before, was, change)
			if err != nil {
				return err
			}
			if err := b.replace(ctx, before, after, key); err != nil {
				return err
			}
			if e, err = b.describe(ctx, after, after.next); err != nil {
				return err
			}
			executionHistory.Updated(tx, owner, &was, &e)
			return nil
		})
		if err == nil && hasActions { // what events made of it follows from the written trades
			e, err = readExecution(ctx, tx, owner, id)
		}
		return err
	})
	return e, err
}

// DeleteExecution deletes a fill and regroups its stream. Connections, hooks and
// watched files do not bring the fill back.
func (s *Service) DeleteExecution(
	ctx context.Context, owner journal.UserID, id journal.ExecutionID, check func(Execution) error,
) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withExecution(ctx, tx, owner, id, check, func(b *book, f *fill, _ Execution) error {
			if err := b.keepFills(ctx, []*fill{f}); err != nil {
				return err
			}
			if err := b.recordDeleted(ctx, []*fill{f}); err != nil {
				return err
			}
			if err := b.deleteFills(ctx, f); err != nil {
				return err
			}
			return b.regroupWithout(ctx, []*fill{f})
		})
	})
}

// withExecution runs check and fn with an execution read under its account's lock, so fn
// changes what check received.
func (s *Service) withExecution(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ExecutionID,
	check func(Execution) error, fn func(*book, *fill, Execution) error,
) error {
	at, err := findFill(ctx, tx, owner, id)
	if err != nil {
		return err
	}
	return s.withBook(ctx, tx, owner, at.account.ID, func(b *book) error {
		f, err := b.fillByID(ctx, id)
		if err != nil {
			return err
		}
		was, err := b.describe(ctx, f, f.links)
		if err != nil {
			return err
		}
		if err := runCheck(check, was); err != nil {
			return err
		}
		return fn(b, f, was)
	})
}

// deleteFills deletes fills and updates their import counters.
func (a *accountRows) deleteFills(ctx context.Context, fills ...*fill) error {
	for _, f := range fills {
		_, err := a.tx.Exec(ctx,
			`DELETE FROM executions WHERE user_id = $1 AND account = $2 AND executed_at = $3 AND seq = $4`,
			a.owner, a.account.number, f.at, f.seq)
		if err != nil {
			return err
		}
		if err := a.deleteSources(ctx, f); err != nil {
			return err
		}
	}
	return a.countRemoved(ctx, fills)
}

// applyChange returns the fill with the change applied, and its instrument.
func (b *book) applyChange(ctx context.Context, f *fill, was Execution, c ExecutionChange) (*fill, Instrument, error) {
	err := cmp.Or(c.Symbol.NotNull("symbol"), c.Side.NotNull("side"), c.Quantity.NotNull("quantity"),
		c.Price.NotNull("price"), c.ExecutedAt.NotNull("executed_at"))
	if err != nil {
		return nil, Instrument{}, err
	}
	in := c.apply(was)
	instrument, err := cleanInstrument(in.Symbol, in.InstrumentType, in.Details)
	if err != nil {
		return nil, Instrument{}, err
	}
	after := &fill{}
	if err := in.clean(instrument.Type, after); err != nil {
		return nil, Instrument{}, err
	}
	if !in.Multiplier.Valid {
		if after.multiplier, err = b.newMultipliers().lookup(ctx, instrument.Symbol, instrument.Type); err != nil {
			return nil, Instrument{}, err
		}
	}
	after.seq, after.arrival, after.id, after.createdAt, after.links = f.seq, f.arrival, f.id, f.createdAt, f.links
	after.origin, after.state, after.was = f.origin, edited, f.at
	if after.unmatched = f.unmatched; after.kind == matching.KindRemoval {
		after.price = f.price
	}
	after.facts = f.factsEdited(after, was.Instrument.key() != instrument.key())
	if after.externalID != f.externalID && after.externalID != "" {
		known, err := b.fillsByExternalID(ctx, []string{after.externalID})
		if err == nil && len(known) > 0 {
			err = externalIDConflict()
		}
		if err != nil {
			return nil, Instrument{}, err
		}
	}
	return after, instrument, nil
}

// apply returns the values with which the changed execution would be entered.
func (c ExecutionChange) apply(was Execution) NewFill {
	in := NewFill{
		Symbol:         c.Symbol.Or(was.Instrument.Symbol),
		InstrumentType: c.InstrumentType.Or(was.Instrument.Type),
		Side:           c.Side.Or(was.Side),
		Quantity:       c.Quantity.Or(was.Quantity),
		Price:          c.Price.Or(was.Price),
		Fees:           c.Fees.Or(was.Fees),
		Commission:     c.Commission.Or(was.Commission),
		Multiplier:     changeNull(c.Multiplier, decimal.Of(was.Multiplier)),
		ExecutedAt:     c.ExecutedAt.Or(was.ExecutedAt),
		Details:        c.Details.Or(was.Details),
		Kind:           c.Kind.Or(was.Kind),
		EventID:        c.EventID.Or(was.EventID),
		BasisEstimated: c.BasisEstimated.Or(was.BasisEstimated),
	}
	if !c.BasisEstimated.Set && in.Kind != matching.KindOpening {
		in.BasisEstimated = false
	}
	in.Closes = was.Closes && in.Side == was.Side && in.Kind == was.Kind
	if c.HasFraction {
		in.Facts = FactsRecorded | ZeroFraction
	}
	if id := c.ExternalID.OrNil(was.ExternalID); id != nil {
		in.ExternalID = *id
	}
	in.StatedPnL = changeNull(c.StatedPnL, was.StatedPnL)
	if !c.StatedPnL.Set && (!in.Price.Equal(was.Price) || !in.Quantity.Equal(was.Quantity)) {
		in.StatedPnL = decimal.Null{}
	}
	return in
}

// changeNull applies a change to an optional number.
func changeNull(c journal.Opt[decimal.Decimal], old decimal.Null) decimal.Null {
	switch {
	case !c.Set:
		return old
	case c.Null:
		return decimal.Null{}
	}
	return decimal.Of(c.Value)
}

// replace replaces a stored fill by its edited version.
func (b *book) replace(ctx context.Context, before, after *fill, instrument Instrument) error {
	from, err := b.streamNumbered(ctx, before.stream)
	if err != nil {
		return err
	}
	to, err := b.streamFor(ctx, instrument.key())
	if err != nil {
		return err
	}
	after.stream = to.number
	if err := b.recordEdit(ctx, before, after, from.key); err != nil {
		return err
	}
	if to == from && sameFigures(before, after) {
		after.next = after.links
		b.collectDetails(before, after)
		return nil
	}
	old := &changes{stream: from}
	old.remove(before)
	if to == from {
		old.added = append(old.added, after)
		return b.regroupChanges(ctx, old)
	}
	return b.regroupChanges(ctx, old, &changes{stream: to, added: []*fill{after}})
}

// sameFigures reports whether two fill versions are equal in all values that trades are
// computed from.
func sameFigures(f, g *fill) bool {
	return f.sameContent(g) && f.fees.Equal(g.fees) && f.commission.Equal(g.commission) &&
		f.multiplier.Equal(g.multiplier) && f.stated.Equal(g.stated) && f.sameKind(g)
}

// recordEdit records an imported fill's edit: the content key with which it arrived, so
// importing the same file again finds it, and its new instant, so deleting the import
// finds it.
func (b *book) recordEdit(ctx context.Context, before, after *fill, key streamKey) error {
	if after.stream == before.stream && before.sameContent(after) {
		return nil
	}
	_, imported, err := b.spanOf(ctx, before.seq)
	if err != nil || !imported {
		return err
	}
	if after.origin == "" {
		after.origin = before.contentKey(key)
	}
	return b.widenSpans(ctx, after)
}

// DeleteTrade deletes a trade and the fills belonging to it alone. A fill it shares with
// the next or previous trade is reduced to that trade's part, and the stream is
// regrouped. Connections, hooks and watched files do not bring the deleted fills back. A
// trade that a corporate action opened stays: it would begin again.
// check, which may be nil, receives the stored trade and the transaction, and may reject
// the deletion.
func (s *Service) DeleteTrade(
	ctx context.Context, owner journal.UserID, id journal.TradeID, check func(context.Context, *db.Tx, TradeDetail) error,
) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		account, err := findAccountID(ctx, tx, owner, "trades", id, "trade")
		if err != nil {
			return err
		}
		return s.withBook(ctx, tx, owner, account, func(b *book) error {
			row, err := b.tradeByID(ctx, id)
			if err != nil {
				return err
			}
			if row.First.Seq == 0 {
				return journal.Conflict("A corporate action opened this position. Delete that action instead.")
			}
			if check != nil {
				detail, err := b.loadDetail(ctx, row)
				if err != nil {
					return err
				}
				if err := check(ctx, tx, detail); err != nil {
					return err
				}
			}
			return b.deleteTrade(ctx, row)
		})
	})
}

func (b *book) deleteTrade(ctx context.Context, t *listedTrade) error {
	fills, parts, err := b.loadParts(ctx, t, matching.Position{}, 0)
	if err != nil {
		return err
	}
	s, err := b.streamNumbered(ctx, t.stream)
	if err != nil {
		return err
	}
	c := &changes{stream: s}
	var own []*fill
	for i, f := range fills {
		c.remove(f)
		if parts[i].Quantity.Equal(f.quantity) {
			own = append(own, f)
			continue
		}
		rest := f.withoutPart(parts[i])
		if err := b.recordEdit(ctx, f, rest, s.key); err != nil {
			return err
		}
		if err := b.recordChanged(f, rest, s.key, s.key); err != nil {
			return err
		}
		c.added = append(c.added, rest)
	}
	if err := b.keepFills(ctx, own); err != nil {
		return err
	}
	if err := b.recordDeleted(ctx, own); err != nil {
		return err
	}
	if err := b.deleteFills(ctx, own...); err != nil {
		return err
	}
	return b.regroupDeleting(ctx, t.id, c)
}

// withoutPart returns a fill crossing zero without its part in one trade. A stated result
// belongs to the closing part and is removed with it.
func (f *fill) withoutPart(part matching.Part) *fill {
	rest := *f
	rest.quantity = f.quantity.Sub(part.Quantity)
	rest.fees = f.fees.Sub(part.Fees)
	rest.commission = f.commission.Sub(part.Commission)
	if part.Role == matching.Closing {
		rest.stated = decimal.Null{}
	}
	rest.facts |= FiguresEdited | FeesEdited | CommissionEdited
	rest.state, rest.was = edited, f.at
	return &rest
}
