package ledger

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// UnmatchedReason is why a position seems to lack a fill or an event.
type UnmatchedReason string

// The reasons.
const (
	// NothingToClose: a fill that only closes had no position, or too small a one, or an
	// open long began with a purchase that closes, by its source.
	NothingToClose UnmatchedReason = "nothing_to_close"
	// SoldWithoutPurchase: an open short began with a sale that closes, by its source.
	SoldWithoutPurchase UnmatchedReason = "sold_without_purchase"
	// ExpiredUnclosed: an option is open after its expiry.
	ExpiredUnclosed UnmatchedReason = "expired_unclosed"
	// SplitSuspected: a fill was a multiple of the position, at a price that fits a split.
	SplitSuspected UnmatchedReason = "split_suspected"
)

// Unmatched is a position that seems to lack a fill or an event.
type Unmatched struct {
	Account  journal.AccountID
	Symbol   string
	Quantity decimal.Decimal // positive
	Since    time.Time
	Fills    []journal.ExecutionID
	Reason   UnmatchedReason
	// Fill would repair it, or Action for a split.
	Fill   *NewFill
	Action *CorporateAction
}

// maxUnmatched limits the list of one reason.
const maxUnmatched = 500

// Unmatched lists the positions that seem to lack a fill or an event, oldest first. The
// accounts are those that the context allows.
func (s *Service) Unmatched(ctx context.Context, owner journal.UserID) (list []Unmatched, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		zone, err := time.LoadLocation(defaultZone)
		if err != nil {
			return err
		}
		f := unmatchedFinder{tx: tx, owner: owner, zone: zone}
		for _, find := range []func(context.Context) error{
			f.findClosings, f.findUnbought, func(ctx context.Context) error { return f.findExpired(ctx, s.clock()) }, f.findSplits,
		} {
			if err := find(ctx); err != nil {
				return err
			}
		}
		list = f.withoutDoubts()
		return nil
	})
	slices.SortStableFunc(list, func(a, b Unmatched) int { return a.Since.Compare(b.Since) })
	return list, err
}

type unmatchedFinder struct {
	tx    *db.Tx
	owner journal.UserID
	zone  *time.Location // in which options expire and splits begin
	list  []Unmatched
}

// withoutDoubts returns the list with one reason for each position. A split explains a sale
// of too much better than a missing purchase, and a missing beginning explains an open option
// better than a missing expiry.
func (u *unmatchedFinder) withoutDoubts() []Unmatched {
	reasons := map[journal.ExecutionID]UnmatchedReason{} // by the first fill
	for _, reason := range []UnmatchedReason{ExpiredUnclosed, SoldWithoutPurchase, NothingToClose, SplitSuspected} {
		for _, one := range u.list {
			if one.Reason == reason {
				reasons[one.Fills[0]] = reason
			}
		}
	}
	return slices.DeleteFunc(u.list, func(one Unmatched) bool {
		return reasons[one.Fills[0]] != one.Reason
	})
}

// findClosings finds fills that had nothing to close. An opening one second earlier
// repairs them; its cost is unknown.
func (u *unmatchedFinder) findClosings(ctx context.Context) error {
	query := ExecutionQuery{Limit: maxUnmatched, unmatchedOnly: true}
	return EachExecution(ctx, u.tx, u.owner, query, func(e Execution) error {
		opening := e.Instrument.newFill(matching.KindOpening, opposite(e.Side), e.Unmatched, e.Price, e.ExecutedAt.Add(-time.Second))
		opening.Multiplier, opening.BasisEstimated = decimal.Of(e.Multiplier), true
		u.list = append(u.list, Unmatched{
			Account: e.Account, Symbol: e.Instrument.Symbol, Quantity: e.Unmatched, Since: e.ExecutedAt, Fills: []journal.ExecutionID{e.ID},
			Reason: NothingToClose, Fill: &opening,
		})
		return nil
	})
}

func opposite(side matching.Side) matching.Side {
	if side == matching.Buy {
		return matching.Sell
	}
	return matching.Buy
}

// newFill returns a fill of the instrument.
func (i Instrument) newFill(kind matching.Kind, side matching.Side, quantity, price decimal.Decimal, at time.Time) NewFill {
	details := map[string]string{}
	key := i.key()
	for name, value := range map[string]string{keyRight: key.right, keyStrike: key.strike, keyExpiry: key.expiry, keyLot: key.lot} {
		if value != "" {
			details[name] = value
		}
	}
	return NewFill{
		Kind: kind, Symbol: i.Symbol, InstrumentType: i.Type, Side: side, Quantity: quantity, Price: price, ExecutedAt: at, Details: details,
	}
}

// suspect is an open trade that may lack something. before is the average entry price of
// the trade that its first fill closed.
type suspect struct {
	account journal.AccountID
	trade   journal.TradeID
	held    decimal.Decimal
	before  decimal.Decimal
}

const suspectFrom = ` FROM trades
	JOIN streams ON streams.user_id = trades.user_id AND streams.number = trades.stream
	JOIN accounts ON accounts.user_id = trades.user_id AND accounts.number = trades.account`

// listSuspects runs a query that has the columns of suspect and leaves out the accounts
// that the context does not allow.
func (u *unmatchedFinder) listSuspects(ctx context.Context, query string, args ...any) ([]suspect, error) {
	list, err := db.List(ctx, u.tx, func(row db.Scanner) (s suspect, err error) {
		err = row.Scan(&s.account, &s.trade, zeroIfNull{&s.held}, &s.before)
		return s, err
	}, query, append([]any{u.owner}, args...)...)
	return slices.DeleteFunc(list, func(s suspect) bool { return !journal.AllowsAccount(ctx, s.account) }), err
}

// findExpired finds options that are open after their expiry. Their expiry at 0 repairs
// them, or their assignment or exercise if shares were traded at the strike.
func (u *unmatchedFinder) findExpired(ctx context.Context, now time.Time) error {
	list, err := u.listSuspects(ctx, `SELECT accounts.id, trades.id, trades.head, trades.avg_entry`+suspectFrom+`
		WHERE trades.user_id = $1 AND trades.is_open = TRUE AND streams.instrument_type = 'option' AND streams.expiry <> '' AND streams.expiry < $2
		ORDER BY trades.opened_at, trades.id`+db.Limit(3), journal.DayOf(now.In(u.zone)), maxUnmatched)
	if err != nil {
		return err
	}
	for _, s := range list {
		t, err := ReadTrade(ctx, u.tx, u.owner, s.trade)
		if err != nil {
			return err
		}
		delivered, err := u.isDelivered(ctx, s.account, t.Instrument)
		if err != nil {
			return err
		}
		kind, side := matching.KindExpiry, matching.Sell
		if t.Direction == matching.Short {
			side = matching.Buy
		}
		switch {
		case delivered && t.Direction == matching.Short:
			kind = matching.KindAssignment
		case delivered:
			kind = matching.KindExercise
		}
		fill := t.Instrument.newFill(kind, side, t.QtyRemaining, decimal.Zero, u.expiresAt(t.Instrument))
		fill.Multiplier = decimal.Of(t.Multiplier)
		u.list = append(u.list, Unmatched{
			Account: s.account, Symbol: t.Instrument.Symbol, Quantity: t.QtyRemaining, Since: t.OpenedAt, Fills: fillIDs(t.Fills),
			Reason: ExpiredUnclosed, Fill: &fill,
		})
	}
	return nil
}

func fillIDs(fills []TradeFill) (ids []journal.ExecutionID) {
	for _, f := range fills {
		ids = append(ids, f.ID)
	}
	return ids
}

// expiresAt returns when the last day of an option ends: at 16:00 in New York.
func (u *unmatchedFinder) expiresAt(i Instrument) time.Time {
	const closing = 16
	year, month, day := i.Expiry.Time().Date()
	return time.Date(year, month, day, closing, 0, 0, 0, u.zone)
}

// isDelivered reports whether shares were traded at the option's strike on the day of its
// expiry or within three days after it.
func (u *unmatchedFinder) isDelivered(ctx context.Context, account journal.AccountID, i Instrument) (found bool, err error) {
	const days = 4
	year, month, day := i.Expiry.Time().Date()
	from, to := time.Date(year, month, day, 0, 0, 0, 0, u.zone), time.Date(year, month, day+days, 0, 0, 0, 0, u.zone)
	err = u.tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM executions
			JOIN streams ON streams.user_id = executions.user_id AND streams.number = executions.stream
			JOIN accounts ON accounts.user_id = streams.user_id AND accounts.number = streams.account
		WHERE streams.user_id = $1 AND accounts.id = $2 AND streams.symbol = $3 AND streams.instrument_type = $4
			AND executions.user_id = $1 AND executions.executed_at >= $5 AND executions.executed_at < $6 AND executions.price = $7)`,
		u.owner, account, i.Symbol, instruments.TypeStock, db.Micros(from), db.Micros(to), i.Strike.Decimal.String()).Scan(&found)
	return found, err
}

// findSplits finds fills that closed a position of shares and opened the opposite one, as
// if the position had been a multiple of it.
func (u *unmatchedFinder) findSplits(ctx context.Context) error {
	list, err := u.listSuspects(ctx, `SELECT accounts.id, trades.id, trades.head, closed.avg_entry`+suspectFrom+`
		JOIN trades AS closed ON closed.user_id = trades.user_id AND closed.stream = trades.stream
			AND COALESCE(closed.last_at, closed.list_at) = trades.opened_at AND closed.last_seq = trades.first_seq
		WHERE trades.user_id = $1 AND trades.is_open = TRUE AND trades.head IS NOT NULL AND streams.instrument_type = $2
		ORDER BY trades.opened_at, trades.id`+db.Limit(3), instruments.TypeStock, maxUnmatched)
	if err != nil {
		return err
	}
	for _, s := range list {
		fills, _, err := ReadTradeFills(ctx, u.tx, u.owner, s.trade, matching.Position{}, 1)
		if err != nil {
			return err
		}
		for _, f := range fills {
			ratio, ok := suspectRatio(f.Quantity, s.held, f.Price, s.before)
			if !ok {
				continue
			}
			u.list = append(u.list, Unmatched{
				Account: s.account, Symbol: f.Instrument.Symbol, Quantity: f.PartQuantity, Since: f.ExecutedAt, Fills: []journal.ExecutionID{f.ID},
				Reason: SplitSuspected, Action: &CorporateAction{
					Kind: ActionSplit, Symbol: f.Instrument.Symbol, RatioNew: ratio.New, RatioOld: ratio.Old, Zone: defaultZone,
					EffectiveOn: journal.DayOf(f.ExecutedAt.In(u.zone)), AppliesTo: ScopeAll, Accounts: []journal.AccountID{s.account},
				},
			})
		}
	}
	return nil
}

// suspectRatio returns the split that would explain a fill that closes more than is held:
// its quantity is 3/2 or a whole multiple of the position, and its price is, as a ratio,
// nearer to the average entry price after the split than to the one before.
func suspectRatio(quantity, held, price, entry decimal.Decimal) (matching.Event, bool) {
	const maxMultiple = 1000
	if held.Sign() <= 0 || quantity.Cmp(held) <= 0 {
		return matching.Event{}, false
	}
	ratio := matching.Event{New: 3, Old: 2}
	if !quantity.Mul(decimal.New(2)).Equal(held.Mul(decimal.New(3))) {
		n, ok := quantity.DivRound(held, 0).ToScaled(0)
		if !ok || n > maxMultiple || !held.Mul(decimal.New(n)).Equal(quantity) {
			return matching.Event{}, false
		}
		ratio = matching.Event{New: n, Old: 1}
	}
	// price / (entry / ratio) < entry / price, without a division
	nearer := price.Mul(price).Mul(decimal.New(ratio.New)).Cmp(entry.Mul(entry).Mul(decimal.New(ratio.Old))) < 0
	return ratio, nearer
}
