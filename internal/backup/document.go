package backup

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
)

// Document is a backup in memory: what [Decode] reads. The fields are the
// sections of the file, each with a checksum of its own. A file of one account
// has the sections of its [Bundle] in place of accounts.
type Document struct {
	Format        string         `json:"format"`
	Version       int            `json:"version"`
	ExportedAt    Instant        `json:"exported_at,omitzero"`
	Accounts      []Bundle       `json:"accounts"`
	Tags          []Tag          `json:"tags"`
	Setups        []Setup        `json:"setups"`
	Notes         []Note         `json:"notes"` // newest first
	Missed        []Missed       `json:"missed_trades"`
	NoteTemplates []NoteTemplate `json:"note_templates"` // by name
	Views         []View         `json:"views"`          // in their order
	Routine       Routine        `json:"routines"`
	Preferences   values         `json:"preferences"`
	Settings      Settings       `json:"settings"`
	ImportLayouts []ImportLayout `json:"import_layouts"` // the last used first
	ImportKinds   []WordKind     `json:"import_kinds"`   // by layout and word
	BarAliases    []BarAlias     `json:"bar_aliases"`    // by symbol
	BarSources    []BarSource    `json:"bar_sources"`    // by provider
	Bars          []BarSeries    `json:"bars"`           // by symbol; only if they were asked for
	Attachments   []FileRef      `json:"attachments"`

	// Problems are rows that could not be read. A file of ours has none.
	Problems []Problem `json:"-"`

	// isVerified reports that the file has checksums and they agree.
	isVerified bool
}

// values are preferences: raw JSON that this package does not read.
type values map[string]jsontext.Value

// Bundle is an account with what happened in it.
type Bundle struct {
	Account    Account            `json:"account"`
	Overrides  []Override         `json:"instrument_overrides"`
	Executions []Execution        `json:"executions"` // in time order
	Trades     []TradeAnnotations `json:"trades"`
	Cash       []Cash             `json:"cash_transactions"`
	Orphans    []Orphan           `json:"orphans"`
	Deleted    []DeletedFill      `json:"deleted_fills"` // oldest first
	// DeletedCash are the cash transactions that the user deleted by hand, oldest first.
	DeletedCash []DeletedCash `json:"deleted_cash"`
	// Connections are those of the account, the oldest first.
	Connections []Connection `json:"connections"`

	// sourceFacts are the facts about all executions of a file that is not ours.
	sourceFacts ledger.Facts
}

// Account is what an account is known by and made of.
type Account struct {
	Name            string          `json:"name"`
	Broker          string          `json:"broker"`
	Type            string          `json:"account_type"`
	BaseCurrency    string          `json:"base_currency"`
	StartingBalance decimal.Decimal `json:"starting_balance"`
	CreatedAt       Instant         `json:"created_at,omitzero"`
}

// Override is what one unit of price of a contract is worth in an account.
type Override struct {
	Root       string          `json:"root"`
	Multiplier decimal.Decimal `json:"multiplier"`
	TickSize   decimal.Null    `json:"tick_size,omitzero"`
}

// Execution is a fill, with the names of the API.
type Execution struct {
	Symbol         string            `json:"symbol"`
	InstrumentType string            `json:"instrument_type"`
	Side           string            `json:"side"`
	Quantity       decimal.Decimal   `json:"quantity"`
	Price          decimal.Decimal   `json:"price"`
	Fees           decimal.Decimal   `json:"fees"`
	Commission     decimal.Decimal   `json:"commission"`
	Multiplier     decimal.Null      `json:"multiplier,omitzero"`
	StatedPnL      decimal.Null      `json:"stated_pnl,omitzero"`
	ExecutedAt     Instant           `json:"executed_at"`
	ExternalID     string            `json:"external_id,omitzero"`
	Details        map[string]string `json:"details,omitempty"`
	// Facts are the names of [ledger.Facts]: which values the source stated,
	// how finely its time was written, and which values were edited.
	Facts []string `json:"facts,omitempty"`
	// Arrival is the place of the fill in the order in which the fills of all
	// accounts of the file were stored.
	Arrival int64 `json:"arrival,omitzero"`
	// Origin is what a fill that was edited said when it arrived, as the
	// ledger's key; imports know it by that.
	Origin    string  `json:"origin,omitzero"`
	CreatedAt Instant `json:"created_at,omitzero"`
}

// DeletedFill is a fill that the user deleted by hand, as the ledger finds it
// again.
type DeletedFill struct {
	Symbol         string            `json:"symbol"`
	InstrumentType string            `json:"instrument_type"`
	Side           string            `json:"side"`
	Quantity       decimal.Decimal   `json:"quantity"`
	Price          decimal.Decimal   `json:"price"`
	ExecutedAt     Instant           `json:"executed_at"`
	ExternalID     string            `json:"external_id,omitzero"`
	Details        map[string]string `json:"details,omitempty"`
	Facts          []string          `json:"facts,omitempty"`
	Origin         string            `json:"origin,omitzero"`
	DeletedAt      Instant           `json:"deleted_at"`
}

// DeletedCash is a cash transaction that the user deleted by hand, with the values with
// which it arrived.
type DeletedCash struct {
	Type       string          `json:"type"`
	Amount     decimal.Decimal `json:"amount"`
	OccurredAt Instant         `json:"occurred_at"`
	DeletedAt  Instant         `json:"deleted_at"`
}

// TradeAnnotations are the annotations of one trade, which is the one that the fills
// make; they are named by their places in the executions.
type TradeAnnotations struct {
	Fills []int `json:"fills"`
	Annotations
}

// MarshalJSONTo leaves out the annotations that the trade does not have.
func (t TradeAnnotations) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members TradeAnnotations
	return json.MarshalEncode(encoder, members(t), json.OmitZeroStructFields(true))
}

// Annotations are the annotations of a trade. Tags and setups go by name.
type Annotations struct {
	playbook.AnnotationValues
	Tags   []string `json:"tags,omitempty"`
	Setups []string `json:"setups,omitempty"`
	Rules  []Rule   `json:"rules,omitempty"`
}

// Rule is whether a trade followed a rule of a setup.
type Rule struct {
	Setup string             `json:"setup"`
	Rule  string             `json:"rule"`
	State playbook.RuleState `json:"state"`
}

// isEmpty reports whether there is no annotation.
func (a *Annotations) isEmpty() bool {
	return playbook.AnnotationFields.IsEmpty(&a.AnnotationValues) && len(a.Tags) == 0 && len(a.Setups) == 0 && len(a.Rules) == 0
}

// Orphan has the annotations of a trade that has lost its fills. They return when
// a fill of one of the keys does.
type Orphan struct {
	Symbol     string   `json:"symbol"`
	OpenedAt   Instant  `json:"opened_at,omitzero"`
	OrphanedAt Instant  `json:"orphaned_at"`
	FillKeys   []string `json:"fill_keys"`
	Annotations
}

// MarshalJSONTo leaves out the annotations that the trade did not have.
func (o Orphan) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Orphan
	return json.MarshalEncode(encoder, members(o), json.OmitZeroStructFields(true))
}

// Cash is a cash transaction.
type Cash struct {
	CashValues
	Trade *int `json:"trade"` // its place in the account's trades
	// Origin is the key with which an edited row arrived, by which an import finds
	// it.
	Origin    string  `json:"origin"`
	CreatedAt Instant `json:"created_at"`
}

// CashValues are the values of a cash transaction.
type CashValues = ledger.CashMembers[ledger.CashType, statedAmount, string, time.Time, absent]

// MarshalJSONTo leaves out what the row does not have.
func (c Cash) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Cash
	return json.MarshalEncode(encoder, members(c), json.OmitZeroStructFields(true))
}

// statedAmount is an amount that is written even if it is zero.
type statedAmount struct{ decimal.Decimal }

// IsZero returns false.
func (statedAmount) IsZero() bool { return false }

// Tag is a label of trades.
type Tag struct {
	Name        string  `json:"name"`
	Color       string  `json:"color"`
	Description string  `json:"description"`
	Kind        string  `json:"kind"`
	CreatedAt   Instant `json:"created_at,omitzero"`
}

// Setup is a pattern of the playbook. Fields that a file leaves out stay as they
// are stored, and so do texts and lists that are null; a price that is null is
// cleared.
type Setup struct {
	playbook.SetupChange
	CreatedAt Instant `json:"created_at,omitzero"`
}

// MarshalJSONTo leaves out the fields that are not set.
func (s Setup) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Setup
	return json.MarshalEncode(encoder, members(s), json.OmitZeroStructFields(true))
}

// Note is a note, a daily log or a weekly review.
type Note struct {
	NoteValues
	Account   *int      `json:"account"` // its place in the accounts
	Trade     *TradeRef `json:"trade"`
	CreatedAt Instant   `json:"created_at"`
}

// NoteValues are the values of a note. The moment is a text, so that an invalid one
// is a problem of its note and not of the whole file.
type NoteValues = playbook.NoteMembers[playbook.NoteType, string, string, statedText, []playbook.SymbolNote, absent, absent]

// MarshalJSONTo leaves out what the note does not have.
func (n Note) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Note
	return json.MarshalEncode(encoder, members(n), json.OmitZeroStructFields(true))
}

// statedText is a text that is written even if it is empty.
type statedText string

// IsZero returns false.
func (statedText) IsZero() bool { return false }

// absent is a member that a backup does not have: ids of records, which it refers
// to by their places or names.
type absent struct{}

// UnmarshalJSONFrom skips the value.
func (*absent) UnmarshalJSONFrom(decoder *jsontext.Decoder) error { return decoder.SkipValue() }

// TradeRef names a trade, or an orphan, by its place in the lists of an account.
type TradeRef struct {
	Account int  `json:"account"`
	Trade   *int `json:"trade,omitzero"`
	Orphan  *int `json:"orphan,omitzero"`
}

// Missed is a trade that was seen and not taken.
type Missed struct {
	Account *int   `json:"account"` // its place in the accounts
	Setup   string `json:"setup"`
	MissedValues
	CreatedAt Instant `json:"created_at"`
}

// MissedValues are the values of a missed trade.
type MissedValues = playbook.MissedMembers[
	absent, absent, string, playbook.Direction, time.Time, decimal.Null, playbook.Reason, playbook.Outcome,
]

// MarshalJSONTo leaves out what the missed trade does not have.
func (m Missed) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Missed
	return json.MarshalEncode(encoder, members(m), json.OmitZeroStructFields(true))
}

// Routine is the daily checklist with its history.
type Routine struct {
	// Template is null for a user who goes by the built-in lines.
	Template *[]string     `json:"template"`
	Items    []RoutineItem `json:"items"`
}

// RoutineItem is a line of the checklist, with the days on which it was done.
type RoutineItem struct {
	routine.ItemValues
	EndDay journal.Day `json:"end_day,omitzero"`
	// Chain is the place of the first item of the line of successors that
	// this one belongs to: its own place for one that stands alone.
	Chain int           `json:"chain"`
	Done  []journal.Day `json:"done,omitempty"`
}

// WordKind is the kind that the user chose for a word of imported files.
type WordKind struct {
	Layout    string         `json:"layout"`
	Word      string         `json:"word"`
	Kind      statement.Kind `json:"kind"`
	CreatedAt Instant        `json:"created_at,omitzero"`
}

// FileRef names an attached file and its record. Its content is not in
// the JSON; Path is where a zip has it.
type FileRef struct {
	Name      string    `json:"name"`
	MediaType string    `json:"media_type"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	CreatedAt Instant   `json:"created_at,omitzero"`
	Path      string    `json:"path"`
	Trade     *TradeRef `json:"trade,omitzero"`
	Note      *int      `json:"note,omitzero"`
}

// Instant is an instant in the way every answer of the API has it.
type Instant struct{ time.Time }

// MarshalJSON writes RFC 3339 in UTC, microseconds at most.
func (i Instant) MarshalJSON() ([]byte, error) {
	return []byte(`"` + journal.FormatInstant(i.Time) + `"`), nil
}

// UnmarshalJSON reads RFC 3339 with an offset.
func (i *Instant) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	at, err := journal.ParseInstant("value", s)
	i.Time = at
	return err
}

// unmarshalTime reads the instants of [playbook.AnnotationValues] as [Instant]
// does.
var unmarshalTime = json.UnmarshalFunc(func(text []byte, at *time.Time) error {
	var i Instant
	err := i.UnmarshalJSON(text)
	*at = i.Time
	return err
})

// instantOr returns the instant, or another one if the file has none.
func (i Instant) instantOr(other time.Time) time.Time {
	if i.IsZero() {
		return other
	}
	return i.Time
}
