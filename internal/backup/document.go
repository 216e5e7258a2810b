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

// Document is a decoded backup. The fields are the file's sections, each with its own
// checksum. A single-account file has the sections of its [Bundle] in place of accounts.
type Document struct {
	Format           string            `json:"format"`
	Version          int               `json:"version"`
	ExportedAt       Instant           `json:"exported_at,omitzero"`
	Accounts         []Bundle          `json:"accounts"`
	Tags             []Tag             `json:"tags"`
	Setups           []Setup           `json:"setups"`
	Notes            []Note            `json:"notes"` // newest first
	Missed           []Missed          `json:"missed_trades"`
	NoteTemplates    []NoteTemplate    `json:"note_templates"`    // by name
	CorporateActions []CorporateAction `json:"corporate_actions"` // the newest day first
	Views            []View            `json:"views"`             // in their order
	Rates            []Rate            `json:"rates"`             // the newest day first
	Programs         []PropProgram     `json:"prop_programs"`     // oldest first
	Enrollments      []Enrollment      `json:"enrollments"`       // newest first
	TradingRules     []TradingRule     `json:"trading_rules"`     // the oldest first
	Goals            []Goal            `json:"goals"`             // the oldest first
	Routine          Routine           `json:"routines"`
	Preferences      values            `json:"preferences"`
	Settings         Settings          `json:"settings"`
	ImportLayouts    []ImportLayout    `json:"import_layouts"` // the last used first
	ImportKinds      []WordKind        `json:"import_kinds"`   // by layout and word
	BarAliases       []BarAlias        `json:"bar_aliases"`    // by symbol
	BarSources       []BarSource       `json:"bar_sources"`    // by provider
	Channels         []Channel         `json:"channels"`       // oldest first
	Bars             []BarSeries       `json:"bars"`           // by symbol; only if they were asked for
	Attachments      []FileRef         `json:"attachments"`

	// Problems are unreadable rows. A file written by Fillbook has none.
	Problems []Problem `json:"-"`

	// isVerified reports whether the file has checksums. They agree then.
	isVerified bool
}

// values are preferences: raw JSON, not read by this package.
type values map[string]jsontext.Value

// Bundle is an account with what happened in it.
type Bundle struct {
	Account    Account            `json:"account"`
	Overrides  []Override         `json:"instrument_overrides"`
	Executions []Execution        `json:"executions"` // in time order
	Trades     []TradeAnnotations `json:"trades"`
	Cash       []Cash             `json:"cash_transactions"`
	Orphans    []Orphan           `json:"orphans"`
	Strategies []Strategy         `json:"strategies"`    // oldest first
	Deleted    []DeletedFill      `json:"deleted_fills"` // oldest first
	// DeletedCash are the cash transactions the user deleted by hand, oldest first.
	DeletedCash []DeletedCash `json:"deleted_cash"`
	// Connections are the account's connections, oldest first.
	Connections []Connection `json:"connections"`

	// sourceFacts are the facts about all executions in a foreign file.
	sourceFacts ledger.Facts
}

// Account has the values that identify an account and those to create it with.
type Account struct {
	Name            string          `json:"name"`
	Broker          string          `json:"broker"`
	Type            string          `json:"account_type"`
	BaseCurrency    string          `json:"base_currency"`
	StartingBalance decimal.Decimal `json:"starting_balance"`
	CreatedAt       Instant         `json:"created_at,omitzero"`
}

// Override is the value per price unit of a contract in an account.
type Override struct {
	Root       string          `json:"root"`
	Multiplier decimal.Decimal `json:"multiplier"`
	TickSize   decimal.Null    `json:"tick_size,omitzero"`
}

// Execution is a fill, with the API's names.
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
	// Kind is left out for a trade.
	Kind           string `json:"kind,omitzero"`
	EventID        string `json:"event_id,omitzero"`
	BasisEstimated bool   `json:"basis_estimated,omitzero"`
	// Closes reports that the source says that the fill closes a position.
	Closes bool `json:"closes,omitzero"`
	// Facts are the names from [ledger.Facts]: which values the source stated, how finely
	// its time was written, and which values were edited.
	Facts []string `json:"facts,omitempty"`
	// Arrival is the fill's place in the order in which the fills in all accounts were
	// stored.
	Arrival int64 `json:"arrival,omitzero"`
	// Origin is the ledger key an edited fill had when it arrived; imports find it by
	// that.
	Origin    string  `json:"origin,omitzero"`
	CreatedAt Instant `json:"created_at,omitzero"`
}

// DeletedFill is a fill the user deleted by hand, with the values by which the ledger
// recognizes it.
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

// DeletedCash is a cash transaction the user deleted by hand, with its values on arrival.
type DeletedCash struct {
	Type       string          `json:"type"`
	Amount     decimal.Decimal `json:"amount"`
	OccurredAt Instant         `json:"occurred_at"`
	DeletedAt  Instant         `json:"deleted_at"`
}

// TradeAnnotations are a trade's annotations. The trade is named by the places of its
// fills in the executions.
type TradeAnnotations struct {
	Fills []int `json:"fills"`
	Annotations
}

// MarshalJSONTo leaves out missing annotations.
func (t TradeAnnotations) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members TradeAnnotations
	return json.MarshalEncode(encoder, members(t), json.OmitZeroStructFields(true))
}

// Annotations are a trade's annotations. Tags and setups are named.
type Annotations struct {
	playbook.AnnotationValues
	Tags   []string `json:"tags,omitempty"`
	Setups []string `json:"setups,omitempty"`
	Rules  []Rule   `json:"rules,omitempty"`
}

// Rule is whether a trade followed a setup's rule.
type Rule struct {
	Setup string             `json:"setup"`
	Rule  string             `json:"rule"`
	State playbook.RuleState `json:"state"`
}

// isEmpty reports whether there is no annotation.
func (a *Annotations) isEmpty() bool {
	return playbook.AnnotationFields.IsEmpty(&a.AnnotationValues) && len(a.Tags) == 0 && len(a.Setups) == 0 && len(a.Rules) == 0
}

// Orphan has the annotations of a trade without fills. They return with a fill that has
// one of the keys.
type Orphan struct {
	Symbol     string   `json:"symbol"`
	OpenedAt   Instant  `json:"opened_at,omitzero"`
	OrphanedAt Instant  `json:"orphaned_at"`
	FillKeys   []string `json:"fill_keys"`
	Annotations
}

// MarshalJSONTo leaves out missing annotations.
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

// CashValues are a cash transaction's values.
type CashValues = ledger.CashMembers[ledger.CashType, statedAmount, string, time.Time, absent]

// MarshalJSONTo leaves out what the row does not have.
func (c Cash) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Cash
	return json.MarshalEncode(encoder, members(c), json.OmitZeroStructFields(true))
}

// statedAmount is an amount written even if it is zero.
type statedAmount struct{ decimal.Decimal }

// IsZero returns false.
func (statedAmount) IsZero() bool { return false }

// Tag is a label on trades.
type Tag struct {
	Name        string  `json:"name"`
	Color       string  `json:"color"`
	Description string  `json:"description"`
	Kind        string  `json:"kind"`
	CreatedAt   Instant `json:"created_at,omitzero"`
}

// Setup is a playbook pattern. Fields missing from the file keep their stored values, and
// so do null texts and lists; a null price is cleared.
type Setup struct {
	playbook.SetupChange
	CreatedAt Instant `json:"created_at,omitzero"`
}

// MarshalJSONTo leaves out unset fields.
func (s Setup) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Setup
	return json.MarshalEncode(encoder, members(s), json.OmitZeroStructFields(true))
}

// Note is a note, a daily log or a weekly review.
type Note struct {
	NoteValues
	Account   *int      `json:"account"` // its place in the accounts
	Trade     *TradeRef `json:"trade"`
	ByApp     bool      `json:"by_app"`
	CreatedAt Instant   `json:"created_at"`
}

// NoteValues are a note's values. The moment is a text, so an invalid one is a problem
// with its note and not with the whole file.
type NoteValues = playbook.NoteMembers[playbook.NoteType, string, string, statedText, []playbook.SymbolNote, absent, absent]

// MarshalJSONTo leaves out what the note does not have.
func (n Note) MarshalJSONTo(encoder *jsontext.Encoder) error {
	type members Note
	return json.MarshalEncode(encoder, members(n), json.OmitZeroStructFields(true))
}

// statedText is a text written even if it is empty.
type statedText string

// IsZero returns false.
func (statedText) IsZero() bool { return false }

// absent is a member not in a backup: record ids, replaced by places or names.
type absent struct{}

// UnmarshalJSONFrom skips the value.
func (*absent) UnmarshalJSONFrom(decoder *jsontext.Decoder) error { return decoder.SkipValue() }

// TradeRef names a trade, or an orphan, by its place in the account's lists.
type TradeRef struct {
	Account int  `json:"account"`
	Trade   *int `json:"trade,omitzero"`
	Orphan  *int `json:"orphan,omitzero"`
}

// Missed is a trade seen but not taken.
type Missed struct {
	Account *int   `json:"account"` // its place in the accounts
	Setup   string `json:"setup"`
	MissedValues
	CreatedAt Instant `json:"created_at"`
}

// MissedValues are a missed trade's values.
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

// RoutineItem is a checklist line with the days it was done.
type RoutineItem struct {
	routine.ItemValues
	EndDay journal.Day `json:"end_day,omitzero"`
	// Chain is the place of the first item in this item's line of successors: its own
	// place if it stands alone.
	Chain int           `json:"chain"`
	Done  []journal.Day `json:"done,omitempty"`
}

// WordKind is the kind the user chose for a word in imported files.
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

// Instant is an instant in the API's format.
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

// unmarshalTime reads the instants in [playbook.AnnotationValues] as [Instant] does.
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
