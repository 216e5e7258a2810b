package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// NewFill describes a new execution.
type NewFill struct {
	Symbol         string
	InstrumentType string // "stock" if empty
	Side           matching.Side
	Quantity       decimal.Decimal // above zero
	Price          decimal.Decimal // below zero for futures and options only
	Fees           decimal.Decimal // costs are positive, rebates negative
	Commission     decimal.Decimal
	// Multiplier is what one price unit is worth; if absent, the instrument's usual one
	// is used.
	Multiplier decimal.Null
	// StatedPnL is the broker's gross result for the part this fill closes.
	StatedPnL  decimal.Null
	ExecutedAt time.Time
	// Kind is how the fill came about. A removal's price is computed, so Price is ignored.
	Kind matching.Kind
	// BasisEstimated reports that an opening's price is not the real cost.
	BasisEstimated bool
	// Closes reports that the source says that the fill closes a position. Without it the
	// source may not say. It has no meaning for other kinds than trade.
	Closes bool
	// EventID joins an assigned or exercised option's fill with its underlying's, or is
	// empty.
	EventID string
	// ExternalID is the broker's fill id, or empty.
	ExternalID string
	// Arrival is a restored fill's arrival number; 0 means the next one. Numbers in one
	// call must not decrease.
	Arrival int64
	// Details may contain option_right, strike, expiry and lot, which belong to the
	// instrument, and any other source values.
	Details map[string]string
	// AllowDuplicate stores the fill even if an equal one is stored. Only
	// [Service.AddExecution] uses it: in a file every repetition is a fill.
	AllowDuplicate bool
	// Facts states how reliable the values above are.
	Facts Facts
	// CreatedAt is when a restored fill was first stored; zero means now.
	CreatedAt time.Time
}

// fill is a row of executions, with its trades after the write.
type fill struct {
	seq     int64 // in the account
	arrival int64 // over all accounts
	id      journal.ExecutionID
	stream  int64 // its instrument's
	// group is the stream in which it is grouped, 0 if it is its instrument's. An action has
	// moved its position.
	group int64
	fillTime
	side       matching.Side
	quantity   decimal.Decimal
	price      decimal.Decimal
	fees       decimal.Decimal
	commission decimal.Decimal
	multiplier decimal.Decimal
	stated     decimal.Null
	fillKind
	// unmatched is the quantity that belongs to no trade.
	unmatched decimal.Decimal
	// unbought is what a new closing sale sold without a position; see markUnbought.
	unbought   decimal.Decimal
	externalID string
	origin     string
	details    string // JSON object, or empty
	createdAt  int64
	links      links // before the write; set by a regrouping and by scanLinkedFill

	next  links // as regrouped
	state state
	was   int64 // an edited fill's stored instant
}

// state is how a fill must be written.
type state int8

const (
	stored   state = iota // the row is current
	edited                // the row must be updated
	added                 // there is no row yet
	restored              // an undo has inserted the row
)

func (f *fill) position() matching.Position { return matching.Position{At: f.at, Seq: f.seq} }

// byPosition orders fills by time and arrival.
func byPosition(f, g *fill) int { return f.position().Compare(g.position()) }

// toMatching converts the fill to a matching.Fill.
func (f *fill) toMatching() matching.Fill {
	return matching.Fill{
		ID: string(f.id), At: f.at, Seq: f.seq, Kind: f.kind, Side: f.side, Quantity: f.quantity, Price: f.price,
		Multiplier: f.multiplier, Fees: f.fees, Commission: f.commission, StatedPnL: f.stated,
	}
}

// contentKey returns a key for the fill's content, without any id. It is the same for the
// same fill in any account and after a restore.
func (f *fill) contentKey(instrument streamKey) string {
	b := make([]byte, 0, 96)
	for _, word := range []string{
		instrument.symbol, instrument.kind, instrument.right, instrument.strike, instrument.expiry, instrument.lot,
	} {
		b = append(append(b, keyEscape.Replace(word)...), '|')
	}
	b = append(strconv.AppendInt(b, f.at, 10), '|')
	b = append(append(b, f.side...), '|')
	b = append(f.quantity.AppendTo(b), '|')
	return string(f.comparedPrice().AppendTo(b))
}

// keyEscape escapes the separator inside a key's values.
var keyEscape = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

// keys returns all keys by which the fill can be found again.
func (f *fill) keys(instrument streamKey) []string {
	keys := []string{f.contentKey(instrument)}
	if f.origin != "" && f.origin != keys[0] {
		keys = append(keys, f.origin)
	}
	if f.externalID != "" {
		// Symbols are upper case, so this cannot equal a content key.
		keys = append(keys, "id|"+keyEscape.Replace(f.externalID))
	}
	return keys
}

// sameContent reports whether two fills in one stream have the same time, side, quantity
// and price.
func (f *fill) sameContent(g *fill) bool {
	return f.at == g.at && f.sameDeal(g)
}

// clean sets f to the fill in its stored form, or returns an error for invalid values.
// kind is its instrument type. The caller sets a missing multiplier, which depends on the
// account.
func (n *NewFill) clean(kind string, f *fill) (err error) {
	f.at, f.side, f.quantity, f.price, f.fees, f.commission = db.Micros(n.ExecutedAt), n.Side, n.Quantity, n.Price, n.Fees, n.Commission
	f.multiplier, f.stated, f.facts = n.Multiplier.Decimal, n.StatedPnL, n.Facts.clean(n)
	f.arrival, f.state = n.Arrival, added
	f.fillKind = fillKind{kind: n.Kind, isEstimated: n.BasisEstimated, closes: n.Closes && n.Kind == matching.KindTrade}
	f.unmatched = decimal.Zero
	f.price = f.comparedPrice()
	if !n.CreatedAt.IsZero() {
		f.createdAt = db.Micros(n.CreatedAt)
	}
	if n.ExternalID != "" {
		if f.externalID, err = journal.CleanName("external_id", n.ExternalID); err != nil {
			return err
		}
	}
	if f.details, err = n.cleanDetails(); err != nil {
		return err
	}
	if n.Multiplier.Valid {
		if err := checkMultiplier(f.multiplier); err != nil {
			return err
		}
	}
	return f.check(kind)
}

// Check returns an error if the fill cannot be stored, so an import can report invalid
// rows before it writes.
func (n NewFill) Check() error {
	_, err := n.ToChecked()
	return err
}

func cleanInstrument(symbol, kind string, details map[string]string) (i Instrument, err error) {
	if i.Symbol, err = journal.CleanSymbol("symbol", symbol); err != nil {
		return i, err
	}
	if i.Type, err = journal.CleanName("instrument_type", strings.ToLower(kind)); err != nil {
		return i, err
	}
	if i.Type == "" {
		i.Type = "stock"
	}
	err = i.setContract(details)
	return i, err
}

// maxDetails limits a fill's details as JSON, in bytes.
const maxDetails = 8 << 10

// cleanDetails returns the details without the contract, and with the event, as JSON.
func (n *NewFill) cleanDetails() (string, error) {
	if len(n.Details) == 0 && n.EventID == "" {
		return "", nil
	}
	rest := maps.Clone(n.Details)
	if n.EventID != "" {
		event, err := journal.CleanName("event_id", n.EventID)
		if err != nil {
			return "", err
		}
		if rest == nil {
			rest = map[string]string{}
		}
		rest[keyEvent] = event
	}
	for _, key := range []string{keyRight, keyStrike, keyExpiry, keyLot} {
		delete(rest, key)
	}
	if len(rest) == 0 {
		return "", nil
	}
	for key, text := range rest {
		if _, err := journal.CleanRequiredName("details", key); err != nil {
			return "", err
		}
		if _, err := journal.CheckText("details."+key, text); err != nil {
			return "", err
		}
	}
	written, err := json.Marshal(rest)
	if err == nil && len(written) > maxDetails {
		err = journal.InvalidField("details", "details must be at most 8 KiB long.")
	}
	return string(written), err
}

// check returns an error for values that are invalid in a fill.
func (f *fill) check(kind string) error {
	if f.side != matching.Buy && f.side != matching.Sell {
		return journal.InvalidField("side", "side must be buy or sell.")
	}
	if year := db.FromMicros(f.at).Year(); year < 1970 || year > 2199 {
		return journal.InvalidField("executed_at", "executed_at must be between the years 1970 and 2199.")
	}
	if f.quantity.Sign() <= 0 {
		return journal.InvalidField("quantity", "quantity must be above zero.")
	}
	if err := f.checkKind(kind); err != nil {
		return err
	}
	if f.price.Sign() < 0 && !instruments.AllowsNegativePrice(kind) {
		return journal.InvalidField("price", "price must not be negative, except for a future or an option.")
	}
	for _, amount := range []struct {
		field string
		value decimal.Decimal
	}{
		{"quantity", f.quantity},
		{"price", f.price},
		{"fees", f.fees},
		{"commission", f.commission},
		{"stated_pnl", f.stated.Decimal},
	} {
		if err := checkAmount(amount.field, amount.value); err != nil {
			return err
		}
	}
	return nil
}

func checkMultiplier(m decimal.Decimal) error {
	if m.Sign() <= 0 {
		return journal.InvalidField("multiplier", "multiplier must be above zero.")
	}
	return checkAmount("multiplier", m)
}

// checkAmount applies the limits for parsed numbers to computed ones.
func checkAmount(field string, d decimal.Decimal) error {
	if d.IsShort(decimal.MaxIntegerDigits, decimal.MaxDecimals) {
		return nil
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(d.String(), "-"), ".")
	if len(whole) > decimal.MaxIntegerDigits || len(fraction) > decimal.MaxDecimals {
		return journal.InvalidField(field, "%s must have at most %d digits before and %d after the decimal point.",
			field, decimal.MaxIntegerDigits, decimal.MaxDecimals)
	}
	return nil
}

// fillColumns are a fill's columns in the order that scan and args use.
var fillColumns = []string{
	"executed_at", "seq", "stream", "created_at", "arrival", "facts", "is_buy", "quantity", "price",
	"commission", "fees", "multiplier", "stated_pnl", "id", "external_id", "origin", "details", "kind", "unmatched", "stated",
}

var (
	fillSelectOnly = "SELECT " + strings.Join(fillColumns, ", ")
	fillSelect     = fillSelectOnly + " FROM executions "
	fillInsert     = append([]string{"user_id", "account"}, fillColumns...)
)

func (a *accountRows) scanFill(row db.Scanner) (*fill, error) {
	f := &fill{}
	err := row.Scan(f.scan()...)
	f.setID(&a.account)
	return f, err
}

// comparedColumns are the columns that duplicates are found by.
const comparedColumns = `executed_at, seq, stream, facts, is_buy, quantity, price, commission, fees, multiplier, stated_pnl,
	id, external_id, origin, details, kind, stated`

// scanCompared lists the destinations for comparedColumns.
func (f *fill) scanCompared() []any {
	return []any{
		&f.at, &f.seq, &f.stream, (*int64)(&f.facts),
		sideScanner{&f.side},
		&f.quantity, &f.price,
		zeroIfNull{&f.commission},
		zeroIfNull{&f.fees},
		oneIfNull{&f.multiplier},
		&f.stated, &f.id,
		textScanner[string]{&f.externalID},
		textScanner[string]{&f.origin},
		textScanner[string]{&f.details},
		fillKindScanner{&f.fillKind},
		statedScanner{f},
	}
}

// groupedColumns are the columns that trades are computed from.
const groupedColumns = `executed_at, seq, stream, arrival, is_buy, quantity, price, commission, fees, multiplier, stated_pnl, id, external_id,
	kind, unmatched, stated`

// scanGrouped lists the destinations for groupedColumns.
func (f *fill) scanGrouped() []any {
	return []any{
		&f.at, &f.seq, &f.stream, &f.arrival,
		sideScanner{&f.side},
		&f.quantity, &f.price,
		zeroIfNull{&f.commission},
		zeroIfNull{&f.fees},
		oneIfNull{&f.multiplier},
		&f.stated, &f.id,
		textScanner[string]{&f.externalID},
		fillKindScanner{&f.fillKind},
		zeroIfNull{&f.unmatched},
		statedScanner{f},
	}
}

// fillReader reads fills from many rows. All rows share the destinations, and fills are
// allocated many at a time: this takes half as long as scanFill.
type fillReader struct {
	tag  uint64 // the account's
	row  fill   // the row read last
	dest []any
	pool fillPool
}

// newFillReader returns a reader for the columns whose destinations dest lists.
func (a *accountRows) newFillReader(dest func(*fill) []any) *fillReader {
	r := &fillReader{tag: a.account.tag()}
	r.dest = dest(&r.row)
	return r
}

func (r *fillReader) read(row db.Scanner) (*fill, error) {
	err := row.Scan(r.dest...)
	f := r.pool.newFill()
	*f = r.row
	if f.id == "" {
		f.id = executionID(r.tag, f.position())
	}
	return f, err
}

// scan lists the destinations for fillColumns.
func (f *fill) scan() []any {
	return []any{
		&f.at, &f.seq, &f.stream, &f.createdAt, &f.arrival, (*int64)(&f.facts),
		sideScanner{&f.side},
		&f.quantity, &f.price,
		zeroIfNull{&f.commission},
		zeroIfNull{&f.fees},
		oneIfNull{&f.multiplier},
		&f.stated, &f.id,
		textScanner[string]{&f.externalID},
		textScanner[string]{&f.origin},
		textScanner[string]{&f.details},
		fillKindScanner{&f.fillKind},
		zeroIfNull{&f.unmatched},
		statedScanner{f},
	}
}

// statedScanner scans the stream of a fill's instrument, if that is not the one in which it
// is grouped. The stream must be scanned before it.
type statedScanner struct{ *fill }

func (s statedScanner) Scan(value any) error {
	s.group = 0
	switch number := value.(type) {
	case nil:
	case int64:
		s.group, s.stream = s.stream, number
	default:
		return fmt.Errorf("stream has type %T", value)
	}
	return nil
}

// grouped returns the stream in which the fill is grouped.
func (f *fill) grouped() int64 {
	if f.group != 0 {
		return f.group
	}
	return f.stream
}

// storedStated returns the stream of the fill's instrument as it is stored.
func (f *fill) storedStated() *int64 {
	if f.group == 0 {
		return nil
	}
	return &f.stream
}

// args returns the values for fillColumns. Most are plain strings and numbers: converting
// each one in the driver would take most of a bulk insert.
func (f *fill) args(a *Account) []any {
	return []any{
		f.at, f.seq, f.grouped(), f.createdAt, f.arrival, int64(f.facts), f.side == matching.Buy,
		f.quantity.String(), f.price.String(), nullIf(f.commission, "0"), nullIf(f.fees, "0"), nullIf(f.multiplier, "1"),
		nullNumber(f.stated), f.storedID(a), nullIfEmpty(f.externalID), nullIfEmpty(f.origin), nullIfEmpty(f.details),
		f.fillKind.stored(), nullIf(f.unmatched, "0"), f.storedStated(),
	}
}

// nullIfEmpty returns nil for an empty string, so it is stored as NULL.
func nullIfEmpty[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// nullIf returns nil for a usual number, which need not be stored.
func nullIf(n decimal.Decimal, usual string) any {
	text := n.String()
	if text == usual {
		return nil
	}
	return text
}

// nullNumber returns nil for an absent number, so it is stored as NULL.
func nullNumber(n decimal.Null) any {
	if !n.Valid {
		return nil
	}
	return n.Decimal.String()
}

// insertFills writes new fills.
func (a *accountRows) insertFills(ctx context.Context, fills []*fill) error {
	return insertRows(ctx, a.tx, "executions", fillInsert, len(fills), func(i int) []any {
		return append([]any{int64(a.owner), a.account.number}, fills[i].args(&a.account)...)
	})
}

// updateFills writes edited fills over their rows.
func (a *accountRows) updateFills(ctx context.Context, fills []*fill) error {
	rows := make([][]any, len(fills))
	for i, f := range fills {
		rows[i] = append(f.changeableValues(&a.account), int64(a.owner), a.account.number, f.was, f.seq)
	}
	return a.tx.UpdateMany(ctx, "executions", changeableColumns, []string{"user_id", "account", "executed_at", "seq"}, rows)
}

// changeableColumns are the columns an edit or a completion may change, in the order that
// changeableValues uses.
var changeableColumns = []string{
	"stream", "executed_at", "is_buy", "quantity", "price", "fees", "commission", "multiplier", "stated_pnl",
	"external_id", "origin", "details", "facts", "id", "kind", "unmatched", "stated",
}

// changeableValues returns the values for changeableColumns.
func (f *fill) changeableValues(a *Account) []any {
	return []any{
		f.grouped(), f.at, f.side == matching.Buy, f.quantity.String(), f.price.String(), nullIf(f.fees, "0"), nullIf(f.commission, "0"),
		nullIf(f.multiplier, "1"), nullNumber(f.stated), nullIfEmpty(f.externalID), nullIfEmpty(f.origin), nullIfEmpty(f.details),
		int64(f.facts), f.storedID(a), f.fillKind.stored(), nullIf(f.unmatched, "0"), f.storedStated(),
	}
}

// updateDetails writes the columns that trades do not depend on.
func (a *accountRows) updateDetails(ctx context.Context, fills []*fill) error {
	rows := make([][]any, len(fills))
	for i, f := range fills {
		rows[i] = []any{nullIfEmpty(f.externalID), nullIfEmpty(f.details), int64(f.facts), int64(a.owner), a.account.number, f.at, f.seq}
	}
	return a.tx.UpdateMany(ctx, "executions", []string{"external_id", "details", "facts"},
		[]string{"user_id", "account", "executed_at", "seq"}, rows)
}
