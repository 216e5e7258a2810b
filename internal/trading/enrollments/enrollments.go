// Package enrollments stores a user's prop firm programs and the accounts enrolled in
// them, and evaluates enrollments with package programs.
package enrollments

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
	"fillbook/internal/base/parallel"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

// Service stores programs and enrollments. It is safe for concurrent use. Each method is
// one transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
	// bounds returns what bars say about the open profit of trades; it may be nil.
	bounds BoundsFunc
	// results are those of the present. A result holds until the account, the enrollment or
	// the program's day changes.
	results *lru.Cache[journal.EnrollmentID, *keptResult]
	// progress has the checkpoints from which results go on after a change, and evaluating
	// lets one evaluation per enrollment run at a time.
	progress   *lru.Cache[progressKey, *progress]
	evaluating parallel.Locks[journal.EnrollmentID]
	// narrowGap and wideGap are the gaps between checkpoints.
	narrowGap, wideGap int
	// simulating has an item while a simulation runs: one at a time.
	simulating chan struct{}
}

// BoundsFunc returns bounds of the open profit and loss of an account's trades, without
// those that no bars cover. It is a step.
type BoundsFunc func(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, ids []journal.TradeID,
) (map[journal.TradeID]programs.Excursion, error)

// New returns a Service.
func New(d *db.DB, clock journal.Clock, bounds BoundsFunc) *Service {
	return &Service{
		db: d, clock: clock, bounds: bounds, simulating: make(chan struct{}, 1), results: lru.New[journal.EnrollmentID, *keptResult](maxKept),
		progress: lru.New[progressKey, *progress](progressMemory), narrowGap: narrowGap, wideGap: wideGap,
	}
}

// Program is a program of the user, or a built-in one.
type Program struct {
	ID journal.ProgramID
	programs.Program
	BuiltIn   bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

var programTable = fields.New("prop_programs",
	fields.List[Program]{fields.NewID("id", func(p *Program) *journal.ProgramID { return &p.ID })},
	fields.List[Program]{
		fields.NewText("firm", func(p *Program) *string { return &p.Firm }),
		fields.NewText("name", func(p *Program) *string { return &p.Name }),
		fields.NewText("phase", func(p *Program) *string { return &p.Phase }),
		fields.NewText("product", func(p *Program) *string { return &p.Product }),
		fields.NewInteger("version", func(p *Program) *int { return &p.Version }),
		fields.NewText("currency", func(p *Program) *string { return &p.Currency }),
		fields.NewAmount("initial_balance", func(p *Program) *decimal.Decimal { return &p.InitialBalance }),
		fields.NewFlag("zero_based", func(p *Program) *bool { return &p.ZeroBased }),
		fields.NewText("day_reset", func(p *Program) *string { return &p.Day.Reset }),
		fields.NewText("day_zone", func(p *Program) *string { return &p.Day.Zone }),
		newList("rules", func(p *Program) *[]programs.Rule { return &p.Rules }),
		newList("sources", func(p *Program) *[]string { return &p.Sources }),
		fields.NewText("checked_on", func(p *Program) *journal.Day { return &p.CheckedOn }),
		newList("not_evaluated", func(p *Program) *[]string { return &p.NotEvaluated }),
		fields.NewTime("created_at", func(p *Program) *time.Time { return &p.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(p *Program) *time.Time { return &p.UpdatedAt }),
	},
)

// newList describes a list whose shown value has decimals as texts, as the history needs.
func newList[R, T any](name string, at func(*R) *[]T) fields.Field[R] {
	return fields.NewJSON(name, at).ShowAs(func(r *R) any {
		text, err := json.Marshal(*at(r))
		if err != nil {
			panic(err) // lists of records with only texts and numbers always marshal
		}
		return quoteFractions(text)
	})
}

// quoteFractions returns a JSON value with its numbers as texts, except whole ones.
func quoteFractions(value jsontext.Value) jsontext.Value {
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(value)), jsontext.NewEncoder(&out)
	for {
		token, err := from.ReadToken()
		if err != nil {
			return bytes.TrimSpace(out.Bytes())
		}
		if text := token.String(); token.Kind() == '0' && (len(text) > 15 || bytes.ContainsAny([]byte(text), ".eE")) {
			token = jsontext.String(text)
		}
		if err := to.WriteToken(token); err != nil {
			panic(err) // a valid value stays valid
		}
	}
}

// Enrollment is an account in a program.
type Enrollment struct {
	ID             journal.EnrollmentID
	AccountID      journal.AccountID
	ProgramID      journal.ProgramID
	ProgramVersion int
	// definition has one member: the program as it was when the enrollment began.
	definition      []programs.Program
	StartedAt       time.Time
	EndedAt         *time.Time
	State           programs.State
	StartingBalance decimal.Decimal
	// Overrides replace parameters of the program's rules, by kind.
	Overrides  []programs.Rule
	Decisions  []Decision
	Payouts    []Payout
	Costs      []Cost
	Snapshots  []Snapshot
	PreviousID *journal.EnrollmentID
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Decision is what the user said about a breach.
type Decision struct {
	Decision string        `json:"decision"`
	Kind     programs.Kind `json:"kind"`
	// BreachAt is the breach's instant.
	BreachAt  time.Time `json:"breach_at"`
	DecidedAt time.Time `json:"decided_at"`
}

// Payout is a payout of the firm. The balance falls by Gross when it is paid.
type Payout struct {
	ID          string          `json:"id"`
	RequestedAt time.Time       `json:"requested_at"`
	PaidAt      *time.Time      `json:"paid_at"`
	Gross       decimal.Decimal `json:"gross"`
	TraderShare decimal.Null    `json:"trader_share"`
}

// Cost is a payment to the firm. It does not change the balance.
type Cost struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Amount decimal.Decimal `json:"amount"`
	At     time.Time       `json:"at"`
}

// Snapshot is what the firm's own dashboard shows.
type Snapshot struct {
	ID     string       `json:"id"`
	At     time.Time    `json:"at"`
	Floor  decimal.Null `json:"floor"`
	Equity decimal.Null `json:"equity"`
	Note   string       `json:"note"`
}

// Definition returns the program as it was when the enrollment began.
func (e *Enrollment) Definition() *programs.Program { return &e.definition[0] }

var enrollmentTable = fields.New("enrollments",
	fields.List[Enrollment]{fields.NewID("id", func(e *Enrollment) *journal.EnrollmentID { return &e.ID })},
	fields.List[Enrollment]{
		fields.NewText("account_id", func(e *Enrollment) *journal.AccountID { return &e.AccountID }),
		fields.NewText("program_id", func(e *Enrollment) *journal.ProgramID { return &e.ProgramID }),
		fields.NewInteger("program_version", func(e *Enrollment) *int { return &e.ProgramVersion }),
		fields.NewJSON("definition", func(e *Enrollment) *[]programs.Program { return &e.definition }).Hide(),
		fields.NewTime("started_at", func(e *Enrollment) *time.Time { return &e.StartedAt }),
		fields.NewInstant("ended_at", func(e *Enrollment) **time.Time { return &e.EndedAt }),
		fields.NewText("state", func(e *Enrollment) *programs.State { return &e.State }),
		fields.NewAmount("starting_balance", func(e *Enrollment) *decimal.Decimal { return &e.StartingBalance }),
		newList("overrides", func(e *Enrollment) *[]programs.Rule { return &e.Overrides }),
		newList("decisions", func(e *Enrollment) *[]Decision { return &e.Decisions }),
		newList("payouts", func(e *Enrollment) *[]Payout { return &e.Payouts }),
		newList("costs", func(e *Enrollment) *[]Cost { return &e.Costs }),
		newList("snapshots", func(e *Enrollment) *[]Snapshot { return &e.Snapshots }),
		fields.NewLink("previous_id", func(e *Enrollment) **journal.EnrollmentID { return &e.PreviousID }),
		fields.NewTime("created_at", func(e *Enrollment) *time.Time { return &e.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(e *Enrollment) *time.Time { return &e.UpdatedAt }),
	},
)

var programHistory = history.NewType("prop_program", programTable.Fields, history.Of[Program]{
	ID: func(p *Program) string { return string(p.ID) }, Label: func(p *Program) string { return p.Firm + " " + p.Name },
})

var enrollmentHistory = history.NewType("enrollment", enrollmentTable.Fields, history.Of[Enrollment]{
	ID:      func(e *Enrollment) string { return string(e.ID) },
	Label:   func(e *Enrollment) string { return e.Definition().Firm + " " + e.Definition().Name },
	Account: func(e *Enrollment) *journal.AccountID { return &e.AccountID },
})

// Undoers undo changes to programs and enrollments.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(enrollmentHistory, enrollmentTable, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, e *Enrollment) (history.Key, error) {
		err := ledger.CheckAccountOwner(ctx, u.Tx, u.Owner, e.AccountID)
		if isNotFound(err) {
			return history.Key{Type: "account", ID: string(e.AccountID)}, nil
		}
		return history.Key{}, err
	}
	p := history.TableRecords(programHistory, programTable, s.clock)
	p.FindUser = func(ctx context.Context, u *history.Undoing, p *Program) (history.Key, error) {
		key, err := findEnrolled(ctx, u.Tx, u.Owner, p.ID)
		if u.HasAction(key, history.Created) { // by the same import
			return history.Key{}, err
		}
		return key, err
	}
	return []history.TypeUndoer{{Type: "prop_program", Undoer: p}, {Type: "enrollment", Undoer: r}}
}

// findEnrolled returns an enrollment in a program that has not ended.
func findEnrolled(ctx context.Context, tx *db.Tx, owner journal.UserID, program journal.ProgramID) (history.Key, error) {
	key := history.Key{Type: "enrollment"}
	err := tx.QueryRow(ctx, `SELECT id FROM enrollments WHERE user_id = $1 AND program_id = $2 AND ended_at IS NULL ORDER BY id`+db.Limit(3), owner, program, 1).Scan(&key.ID)
	if errors.Is(err, db.ErrNoRows) {
		return history.Key{}, nil
	}
	return key, err
}

// KeepAccount keeps the enrollments of an account that is deleted, for an undo. It is a step.
func KeepAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	return history.Keep(ctx, tx, owner, "enrollments", `account_id = $2`, account)
}

// RestoreAccount restores the enrollments that KeepAccount kept. It is a step in an undo.
func RestoreAccount(ctx context.Context, u *history.Undoing, _ journal.AccountID) error {
	return u.Insert(ctx, "enrollments", "")
}

// program returns the program with the enrollment's overrides.
func (e *Enrollment) program() (programs.Program, error) {
	return programs.Override(e.Definition(), e.Overrides, e.StartingBalance)
}
