package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// Instrument is what a fill trades. An account and an instrument form the
// stream whose fills are grouped into trades.
type Instrument struct {
	Symbol string
	// Type is stock, option, future, forex, crypto, cfd or any other name.
	Type string
	// OptionRight is call or put, Strike and Expiry complete the contract; they
	// are absent for other instruments.
	OptionRight string
	Strike      decimal.Null
	Expiry      journal.Day
	// Lot separates positions in one instrument if the source does.
	Lot string
}

// The keys of a fill's details belonging to its instrument.
const (
	keyRight  = "option_right"
	keyStrike = "strike"
	keyExpiry = "expiry"
	keyLot    = "lot"
)

// streamKey is an instrument in its stored, comparable form.
type streamKey struct {
	symbol, kind, right, strike, expiry, lot string
	// lineage tells the streams of positions that came from other instruments apart from the
	// instrument's own, for which it is empty.
	lineage string
}

func (i Instrument) key() streamKey {
	key := streamKey{symbol: i.Symbol, kind: i.Type, right: i.OptionRight, expiry: string(i.Expiry), lot: i.Lot}
	if i.Strike.Valid {
		key.strike = i.Strike.Decimal.String()
	}
	return key
}

// stream is a row of streams.
type stream struct {
	number int64
	key    streamKey
	// isNew reports that this write created the stream: it has no stored rows.
	isNew bool
	// hasClosings reports that fills of kinds that only close are, or were, stored.
	hasClosings bool
	// events act on the stream, in order.
	events []matching.Event
	// linked reports that actions move positions to or from the stream, or did.
	linked bool
	// tail is the last stored trade, nil if none; see loadTail.
	tail       *tradeRow
	tailLoaded bool
}

// streamSet finds and creates an account's streams, each once, and groups their fills.
type streamSet struct {
	*accountRows
	byKey    map[streamKey]*stream // nil for an instrument without a stream
	byNumber map[int64]*stream
	hasAll   bool // the maps have all streams of the account; see loadStreams
	// hasActions reports that the owner has corporate actions. actions are those that act on
	// the account, in order, once actionsLoaded.
	hasActions, actionsLoaded bool
	actions                   []CorporateAction

	nextStream int64 // a multiple of streamBlock if a block has to be reserved
	lastStream int64 // the greatest next_stream in all accounts of the user

	// read counts the rows that cursors read, which tests compare with the change's size.
	// maxRead bounds it; 0 means no bound.
	read, maxRead int
	// dry reports that nothing is written: streams that are missing are not stored.
	dry bool
	// hints are trades before a change that is undone, and existing are those of them that
	// are stored.
	hints    []tradeHint
	existing map[journal.TradeID]bool
	// adopted are trades whose annotations were an orphan before that change.
	adopted map[journal.TradeID]bool
	// effects are for writes that record, change or delete a corporate action; else nil.
	effects *actionEffects
	// keptNumber is the account's number in kept rows, if they may be of several accounts.
	keptNumber int64
	// keptStream has the streams that are kept for an undo.
	keptStream map[int64]bool
	// interval is the number of fills of a trade between two checkpoints.
	interval int
}

func newStreamSet(rows *accountRows) *streamSet {
	return &streamSet{
		accountRows: rows, byKey: map[streamKey]*stream{}, byNumber: map[int64]*stream{}, nextStream: 1, interval: checkpointInterval,
	}
}

func (set *streamSet) add(s *stream) {
	set.byKey[s.key], set.byNumber[s.number] = s, s
}

// streamFor returns an instrument's stream, and creates it if necessary.
func (set *streamSet) streamFor(ctx context.Context, key streamKey) (*stream, error) {
	found, err := set.findStream(ctx, key)
	if err != nil || found != nil {
		return found, err
	}
	s := &stream{key: key, isNew: true, hasClosings: key.lineage != ""}
	if s.events, err = set.loadEvents(ctx, key); err != nil {
		return nil, err
	}
	err = set.insertStream(ctx, s)
	set.add(s)
	return s, err
}

// trueOrNull returns NULL for false.
func trueOrNull(b bool) any {
	if b {
		return true
	}
	return nil
}

// streamBlock is how many numbers an account reserves at a time. Numbers are
// unique among the streams of a user and small, because every fill has one.
const streamBlock = 64

// insertStream stores a stream under the next number of the account. If another
// account of the user has reserved the same block at the same time, the number
// is taken, and the account reserves the next block.
func (set *streamSet) insertStream(ctx context.Context, s *stream) error {
	for {
		if set.nextStream%streamBlock == 0 {
			set.nextStream = max(streamBlock, (set.lastStream+streamBlock-1)/streamBlock*streamBlock)
		}
		s.number = set.nextStream
		set.nextStream++
		set.lastStream = max(set.lastStream, set.nextStream)
		key := s.key
		inserted, err := set.tx.Exec(ctx, `
			INSERT INTO streams (user_id, account, number, symbol, instrument_type, option_right, strike, expiry, lot, order_key, events, lineage, has_closings)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (user_id, number) DO NOTHING`,
			set.owner, set.account.number, s.number, key.symbol, key.kind, key.right, key.strike, key.expiry, key.lot, key.orderKey(), storedEvents(s.events),
			key.lineage, trueOrNull(s.hasClosings))
		if err != nil || inserted == 1 {
			return err
		}
		set.nextStream = (set.nextStream + streamBlock - 1) / streamBlock * streamBlock
		set.lastStream = max(set.lastStream, set.nextStream)
	}
}

// findStream returns an instrument's stream, or nil.
func (set *streamSet) findStream(ctx context.Context, key streamKey) (*stream, error) {
	if s, known := set.byKey[key]; known || set.hasAll || set.nextStream == 0 {
		return s, nil
	}
	s := &stream{key: key}
	err := set.tx.QueryRow(ctx, `
		SELECT number, has_closings, events FROM streams
		WHERE user_id = $1 AND account = $2 AND symbol = $3 AND instrument_type = $4
			AND option_right = $5 AND strike = $6 AND expiry = $7 AND lot = $8 AND lineage = $9`,
		set.owner, set.account.number, key.symbol, key.kind, key.right, key.strike, key.expiry, key.lot, key.lineage).Scan(&s.number, falseIfNull{&s.hasClosings}, eventsScanner{&s.events})
	if errors.Is(err, db.ErrNoRows) {
		set.byKey[key] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	set.add(s)
	return s, nil
}

// streamNumbered reads a stream known to exist.
func (set *streamSet) streamNumbered(ctx context.Context, number int64) (*stream, error) {
	if known := set.byNumber[number]; known != nil {
		return known, nil
	}
	s := &stream{number: number}
	err := set.tx.QueryRow(ctx, `
		SELECT has_closings, events, `+streamColumns+` FROM streams
		WHERE user_id = $1 AND number = $2`, set.owner, number).
		Scan(append([]any{falseIfNull{&s.hasClosings}, eventsScanner{&s.events}}, s.key.scan()...)...)
	if err != nil {
		return nil, err
	}
	set.add(s)
	return s, nil
}

// dropEmptyStreams deletes the streams that lost their last fill.
func (set *streamSet) dropEmptyStreams(ctx context.Context, emptied map[int64]bool) error {
	for _, number := range slices.Sorted(maps.Keys(emptied)) {
		_, err := set.tx.Exec(ctx, `
			DELETE FROM streams WHERE user_id = $1 AND number = $2
				AND NOT EXISTS (SELECT 1 FROM executions WHERE user_id = $1 AND stream = $2)
				AND NOT EXISTS (SELECT 1 FROM executions WHERE user_id = $1 AND stated = $2)
				AND NOT EXISTS (SELECT 1 FROM trades WHERE user_id = $1 AND stream = $2)`, set.owner, number)
		if err != nil {
			return err
		}
	}
	return nil
}

// streamColumns are a streamKey's columns, for joins.
const streamColumns = `streams.symbol, streams.instrument_type, streams.option_right, streams.strike, streams.expiry, streams.lot, streams.lineage`

// listedStream is the instrument of a stream with its order key.
type listedStream struct {
	key    streamKey
	order  string
	events []matching.Event
}

// loadStreamKeys returns the instruments of the streams of some accounts by
// number. A list of all rows reads them once, and not with each row.
func loadStreamKeys(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account) (map[int64]listedStream, error) {
	args := []any{owner}
	keys := map[int64]listedStream{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var number int64
		var s listedStream
		err := row.Scan(append([]any{&number, &s.order, eventsScanner{&s.events}}, s.key.scan()...)...)
		keys[number] = s
		return err
	}, `SELECT number, order_key, events, `+streamColumns+` FROM streams WHERE user_id = $1 AND account IN `+db.In(&args, accountNumbers(accounts)), args...)
	return keys, err
}

// toInstrument converts the key to an Instrument.
func (k streamKey) toInstrument() Instrument {
	i := Instrument{
		Symbol: k.symbol, Type: k.kind, OptionRight: k.right, Expiry: journal.Day(k.expiry), Lot: k.lot,
	}
	if k.strike != "" {
		if strike, err := decimal.ParseExact(k.strike); err == nil {
			i.Strike = decimal.Of(strike)
		}
	}
	return i
}

// scan lists the destinations for streamColumns.
func (k *streamKey) scan() []any {
	return []any{&k.symbol, &k.kind, &k.right, &k.strike, &k.expiry, &k.lot, &k.lineage}
}

// setContract sets the contract from a fill's details.
func (i *Instrument) setContract(details map[string]string) (err error) {
	i.OptionRight = strings.ToLower(strings.TrimSpace(details[keyRight]))
	if i.OptionRight != "" && i.OptionRight != "call" && i.OptionRight != "put" {
		return journal.InvalidField("details.option_right", "option_right must be call or put.")
	}
	if text := strings.TrimSpace(details[keyStrike]); text != "" {
		strike, err := decimal.Parse(text)
		if err != nil {
			return journal.InvalidField("details.strike", "strike must be a number: %s.", err)
		}
		i.Strike = decimal.Of(strike)
	}
	if text := strings.TrimSpace(details[keyExpiry]); text != "" {
		if i.Expiry, err = journal.ParseDay("details.expiry", text); err != nil {
			return err
		}
	}
	i.Lot, err = journal.CleanName("details.lot", details[keyLot])
	return err
}
