package ledger

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// NewFill is an execution as a person or a file gives it.
type NewFill struct {
	Symbol         string
	InstrumentType string // "stock" if empty
	Side           matching.Side
	Quantity       decimal.Decimal // above zero
	Price          decimal.Decimal // below zero for futures and options only
	Fees           decimal.Decimal // costs are positive, rebates negative
	Commission     decimal.Decimal
	// Multiplier is what one unit of price is worth; absent takes what is
	// usual for the instrument.
	Multiplier decimal.Null
	// StatedPnL is the broker's own gross result of what this fill closes.
	StatedPnL  decimal.Null
	ExecutedAt time.Time
	// ExternalID is the broker's id of the fill, empty where there is none.
	ExternalID string
	// Arrival is the number in the order of arrival that a restore gives back; 0
	// takes the next. Those of one call must not fall.
	Arrival int64
	// Details may hold option_right, strike, expiry and lot, which are part of
	// the instrument, and whatever else the source tells.
	Details map[string]string
	// AllowDuplicate takes a fill even if an equal one is stored. Only
	// [Service.AddExecution] asks for it: a file says by repetition how often
	// a fill happened.
	AllowDuplicate bool
	// Facts says how well the values above are known.
	Facts Facts
	// CreatedAt is when a fill of a backup was stored first; zero means now.
	CreatedAt time.Time
}

// fill is a row of executions, and where it will belong.
type fill struct {
	seq        int64 // in the account
	arrival    int64 // over all accounts
	id         journal.ExecutionID
	stream     int64
	at         int64 // microseconds
	side       matching.Side
	quantity   decimal.Decimal
	price      decimal.Decimal
	fees       decimal.Decimal
	commission decimal.Decimal
	multiplier decimal.Decimal
	stated     decimal.Null
	externalID string
	origin     string
	details    string // JSON object, or empty
	facts      Facts
	createdAt  int64
	links      links // as stored; empty for a new fill

	next  links // as regrouped
	state state
	was   int64 // of an edited fill: the instant of its row
}

// links are the trades of a fill: of a fill that crosses zero the one it
// closes and the one it opens, of any other just the first.
type links struct {
	trade, flip journal.TradeID
}

// add notes one more trade that the fill is in, in time order.
func (l *links) add(id journal.TradeID) {
	if l.trade == "" {
		l.trade = id
	} else {
		l.flip = id
	}
}

func (l links) list() []journal.TradeID {
	if l.flip == "" {
		return []journal.TradeID{l.trade}
	}
	return []journal.TradeID{l.trade, l.flip}
}

// state says what the write must do with a fill.
type state int8

const (
	stored state = iota // its row stands; the links may change
	edited              // its row must be written anew
	added               // it has no row yet
)

func (f *fill) position() matching.Position { return matching.Position{At: f.at, Seq: f.seq} }

// byPosition orders fills by time and arrival.
func byPosition(f, g *fill) int { return f.position().Compare(g.position()) }

// matching gives the fill in the words of package matching.
func (f *fill) matching() matching.Fill {
	return matching.Fill{
		ID: string(f.id), At: f.at, Seq: f.seq, Side: f.side, Quantity: f.quantity, Price: f.price,
		Multiplier: f.multiplier, Fees: f.fees, Commission: f.commission, StatedPnL: f.stated,
	}
}

// contentKey names a fill by what it says, without any id of ours. It is the
// same for the same fill in any account, today and after a restore.
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
	return string(f.price.AppendTo(b))
}

// keyEscape keeps a bar inside a word apart from those between words.
var keyEscape = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

// keys are all the names by which the fill may be known again.
func (f *fill) keys(instrument streamKey) []string {
	keys := []string{f.contentKey(instrument)}
	if f.origin != "" && f.origin != keys[0] {
		keys = append(keys, f.origin)
	}
	if f.externalID != "" {
		// No symbol is in lower case, so this is no content key.
		keys = append(keys, "id|"+keyEscape.Replace(f.externalID))
	}
	return keys
}

// sameContent compares two fills of one stream by what they say.
func (f *fill) sameContent(g *fill) bool {
	return f.at == g.at && f.sameDeal(g)
}

// clean checks a new fill and gives it with its instrument, as they will be
// stored. The multiplier is left to the caller, who knows the account.
func (n NewFill) clean() (*fill, Instrument, error) {
	instrument, err := cleanInstrument(n.Symbol, n.InstrumentType, n.Details)
	if err != nil {
		return nil, Instrument{}, err
	}
	f := &fill{
		at: db.Micros(n.ExecutedAt), side: n.Side, quantity: n.Quantity, price: n.Price, fees: n.Fees,
		commission: n.Commission, multiplier: n.Multiplier.Decimal, stated: n.StatedPnL, facts: n.Facts.clean(n),
		arrival: n.Arrival, state: added,
	}
	if !n.CreatedAt.IsZero() {
		f.createdAt = db.Micros(n.CreatedAt)
	}
	if f.externalID, err = journal.CleanName("external_id", n.ExternalID); err != nil {
		return nil, Instrument{}, err
	}
	if f.details, err = cleanDetails(n.Details); err != nil {
		return nil, Instrument{}, err
	}
	if n.Multiplier.Valid {
		if err := checkMultiplier(f.multiplier); err != nil {
			return nil, Instrument{}, err
		}
	}
	return f, instrument, f.check(instrument.Type)
}

// Check tells whether a fill could be stored, so that an import can name the
// rows it must leave out before it begins.
func (n NewFill) Check() error {
	_, _, err := n.clean()
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
	err = i.takeContract(details)
	return i, err
}

// maxDetails bounds what a fill's details may hold, written as JSON.
const maxDetails = 8 << 10

// cleanDetails writes what is left of the details without the contract.
func cleanDetails(details map[string]string) (string, error) {
	rest := maps.Clone(details)
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

// check refuses figures that make no fill.
func (f *fill) check(kind string) error {
	if f.side != matching.Buy && f.side != matching.Sell {
		return journal.InvalidField("side", "side must be buy or sell.")
	}
	if year := db.FromMicros(f.at).Year(); year < 1970 || year > 2199 {
		return journal.InvalidField("executed_at", "executed_at must lie between the years 1970 and 2199.")
	}
	if f.quantity.Sign() <= 0 {
		return journal.InvalidField("quantity", "quantity must be above zero.")
	}
	if f.price.Sign() < 0 && !instruments.AllowsNegativePrice(kind) {
		return journal.InvalidField("price", "price must not be below zero, except for a future or an option.")
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

// checkAmount holds numbers that did not come through a parser to the same
// bounds: those that a broker's file let us compute.
func checkAmount(field string, d decimal.Decimal) error {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(d.String(), "-"), ".")
	if len(whole) > decimal.MaxIntegerDigits || len(fraction) > decimal.MaxDecimals {
		return journal.InvalidField(field, "%s must have at most %d digits before and %d after the decimal point.",
			field, decimal.MaxIntegerDigits, decimal.MaxDecimals)
	}
	return nil
}

// fillColumns are the columns of a fill in the order of scan and args.
var fillColumns = []string{
	"seq", "id", "stream", "executed_at", "is_buy", "quantity", "price", "fees", "commission", "multiplier",
	"stated_pnl", "external_id", "origin", "details", "facts", "created_at", "trade_id", "flip_trade_id", "arrival",
}

var (
	fillSelectOnly = "SELECT " + strings.Join(fillColumns, ", ")
	fillSelect     = fillSelectOnly + " FROM executions "
	fillInsert     = append([]string{"user_id", "account"}, fillColumns...)
)

func scanFill(row db.Scanner) (*fill, error) {
	f := &fill{}
	return f, row.Scan(f.scan()...)
}

// gistColumns are what reports whether a fill is the same as another one.
const gistColumns = `seq, id, stream, executed_at, is_buy, quantity, price, fees, commission, multiplier, stated_pnl,
	external_id, origin, details, facts`

// scanGist reads gistColumns.
func scanGist(row db.Scanner) (*fill, error) {
	f := &fill{}
	return f, row.Scan(&f.seq, &f.id, &f.stream, &f.at, sideOf{&f.side}, &f.quantity, &f.price, &f.fees, &f.commission,
		&f.multiplier, &f.stated, orEmpty[string]{&f.externalID}, orEmpty[string]{&f.origin}, &f.details, &f.facts)
}

// scan lists the destinations for fillColumns.
func (f *fill) scan() []any {
	return []any{
		&f.seq, &f.id, &f.stream, &f.at,
		sideOf{&f.side},
		&f.quantity, &f.price, &f.fees, &f.commission, &f.multiplier,
		&f.stated,
		orEmpty[string]{&f.externalID},
		orEmpty[string]{&f.origin},
		&f.details, &f.facts, &f.createdAt,
		&f.links.trade,
		orEmpty[journal.TradeID]{&f.links.flip},
		&f.arrival,
	}
}

// args are the values for fillColumns, with the links as regrouped. They are
// plain texts and numbers, because to convert them one by one is what a bulk
// insert would otherwise spend its time on.
func (f *fill) args() []any {
	return []any{
		f.seq, string(f.id), f.stream, f.at, f.side == matching.Buy, f.quantity.String(), f.price.String(), f.fees.String(),
		f.commission.String(), f.multiplier.String(), numberOrNull(f.stated), orNull(f.externalID), orNull(f.origin), f.details,
		int64(f.facts), f.createdAt, string(f.next.trade), orNull(f.next.flip), f.arrival,
	}
}

// orNull stores an empty text as NULL.
func orNull[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// numberOrNull stores an absent number as NULL.
func numberOrNull(n decimal.Null) any {
	if !n.Valid {
		return nil
	}
	return n.Decimal.String()
}

// fillByID reads one fill of the book's account.
func (b *book) fillByID(ctx context.Context, id journal.ExecutionID) (*fill, error) {
	f, err := scanFill(b.tx.QueryRow(ctx,
		fillSelect+`WHERE user_id = $1 AND id = $2 AND account = $3`, b.owner, id, b.account.number))
	return f, orNotFound(err, "execution")
}

// insertFills writes new fills.
func (b *book) insertFills(ctx context.Context, fills []*fill) error {
	return insertRows(ctx, b.tx, "executions", fillInsert, len(fills), func(i int) []any {
		return append([]any{string(b.owner), b.account.number}, fills[i].args()...)
	})
}

// updateFills writes edited fills over their rows.
func (b *book) updateFills(ctx context.Context, fills []*fill) error {
	rows := make([][]any, len(fills))
	for i, f := range fills {
		rows[i] = append(f.changeable(), string(b.owner), b.account.number, f.was, f.seq)
	}
	return b.tx.UpdateMany(ctx, "executions", changeableColumns, []string{"user_id", "account", "executed_at", "seq"}, rows)
}

// changeableColumns are the columns that an edit or a completion may change, in
// the order of changeable.
var changeableColumns = []string{
	"stream", "executed_at", "is_buy", "quantity", "price", "fees", "commission", "multiplier", "stated_pnl",
	"external_id", "origin", "details", "facts", "trade_id", "flip_trade_id",
}

// changeable returns the values for changeableColumns.
func (f *fill) changeable() []any {
	return []any{
		f.stream, f.at, f.side == matching.Buy, f.quantity.String(), f.price.String(), f.fees.String(), f.commission.String(),
		f.multiplier.String(), numberOrNull(f.stated), orNull(f.externalID), orNull(f.origin), f.details, int64(f.facts),
		string(f.next.trade), orNull(f.next.flip),
	}
}

// note keeps a fill whose figures and place are as stored for updateNotes.
func (b *book) note(before, after *fill) {
	b.noted = append(b.noted, after)
	if before.externalID != after.externalID {
		b.renamed = append(b.renamed, after)
	}
}

// updateNotes writes what has changed of fills whose figures and place are as
// stored. The links are not written: a regrouping may have others.
func (b *book) updateNotes(ctx context.Context, fills []*fill) error {
	rows := make([][]any, len(fills))
	for i, f := range fills {
		rows[i] = []any{orNull(f.externalID), f.details, int64(f.facts), string(b.owner), b.account.number, f.at, f.seq}
	}
	return b.tx.UpdateMany(ctx, "executions", []string{"external_id", "details", "facts"},
		[]string{"user_id", "account", "executed_at", "seq"}, rows)
}
