// Package bars stores users' price bars: series, their imports, and the covered time.
//
// Every import keeps its own blocks. Readers merge overlapping blocks in import order, so
// the newest bar value counts, and after an import's reversal the bars are as without it.
package bars

import (
	"context"
	"errors"
	"iter"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// Key identifies a user's series.
type Key struct {
	Symbol string
	// Contract is an option's contract; it is empty otherwise.
	Contract  string
	Secs      int64
	PriceKind market.PriceKind
}

// Series is a bar series.
type Series struct {
	ID journal.SeriesID
	Key
	VolumeKind market.VolumeKind
	// Bars counts its bars; First and Last are the first and last bar's opening times in
	// seconds since 1970.
	Bars        int
	First, Last int64
	CreatedAt   time.Time

	number int64
}

// Status is an import's state.
type Status string

// The import states.
const (
	Committed Status = "committed"
	Reversed  Status = "reversed"
)

// Import is a committed bar file.
type Import struct {
	ID       journal.BarImportID
	FileName string
	// Layout names the program that wrote the file.
	Layout string
	Status Status
	// Series counts the series in the file.
	Series int
	Counts
	CreatedAt time.Time

	number int64
}

// Counts are the bars in a file, or in one series: new ones, those replacing a different
// one, and those stored before.
type Counts struct {
	Inserted, Replaced, Unchanged int
}

func (c *Counts) add(other Counts) {
	c.Inserted, c.Replaced, c.Unchanged = c.Inserted+other.Inserted, c.Replaced+other.Replaced, c.Unchanged+other.Unchanged
}

// NewSeries are the bars for one series in a file.
type NewSeries struct {
	Key
	VolumeKind market.VolumeKind
	// Blocks are in time order, each within one span of [market.BlockSpan]. They may be
	// read twice, if the transaction is repeated.
	Blocks iter.Seq[market.Block]
	// Ranges are the periods declared by the source. Without any they follow from the
	// bars and the calendar; see [market.DeclaredRanges].
	Ranges   []market.Range
	Calendar market.Calendar
}

// NewImport is a file to commit.
type NewImport struct {
	FileName, Layout string
	// Bars is about how many bars the file has; [Service.Commit] stores many in parts.
	Bars   int
	Series []NewSeries
}

// Service stores bars. It is safe for concurrent use. Each method is one transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
	limit int64
	fills FillsOf
}

// FillsOf returns an instrument's fills in a period, in order. It runs inside a
// transaction.
type FillsOf func(ctx context.Context, tx *db.Tx, owner journal.UserID, of instruments.Priced, within market.Range) ([]market.Fill, error)

// DefaultLimit is how many bars one user may store, unless it is configured.
const DefaultLimit = 50_000_000

// New returns a Service. limit is the maximum number of bars per user. fills may be nil;
// then no similar prices are shown for an instrument without its own, because nothing
// proves that they fit.
func New(d *db.DB, clock journal.Clock, limit int64, fills FillsOf) *Service {
	return &Service{db: d, clock: clock, limit: limit, fills: fills}
}

var seriesTable = fields.New("bar_series",
	fields.List[Series]{fields.NewID("id", func(s *Series) *journal.SeriesID { return &s.ID })},
	fields.List[Series]{
		fields.NewInteger("number", func(s *Series) *int64 { return &s.number }).Freeze(),
		fields.NewText("symbol", func(s *Series) *string { return &s.Symbol }).Freeze(),
		fields.NewText("contract", func(s *Series) *string { return &s.Contract }).Freeze(),
		fields.NewInteger("bar_secs", func(s *Series) *int64 { return &s.Secs }).Freeze(),
		fields.NewText("price_kind", func(s *Series) *market.PriceKind { return &s.PriceKind }).Freeze(),
		fields.NewText("volume_kind", func(s *Series) *market.VolumeKind { return &s.VolumeKind }),
		fields.NewInteger("bars", func(s *Series) *int { return &s.Bars }),
		fields.NewInteger("first_at", func(s *Series) *int64 { return &s.First }),
		fields.NewInteger("last_at", func(s *Series) *int64 { return &s.Last }),
		fields.NewTime("created_at", func(s *Series) *time.Time { return &s.CreatedAt }).Freeze(),
	},
)

var importTable = fields.New("bar_imports",
	fields.List[Import]{fields.NewID("id", func(i *Import) *journal.BarImportID { return &i.ID })},
	fields.List[Import]{
		fields.NewInteger("number", func(i *Import) *int64 { return &i.number }).Freeze(),
		fields.NewText("filename", func(i *Import) *string { return &i.FileName }).Freeze(),
		fields.NewText("layout", func(i *Import) *string { return &i.Layout }).Freeze(),
		fields.NewText("status", func(i *Import) *Status { return &i.Status }),
		fields.NewInteger("series", func(i *Import) *int { return &i.Series }),
		fields.NewInteger("inserted", func(i *Import) *int { return &i.Inserted }),
		fields.NewInteger("replaced", func(i *Import) *int { return &i.Replaced }),
		fields.NewInteger("unchanged", func(i *Import) *int { return &i.Unchanged }),
		fields.NewTime("created_at", func(i *Import) *time.Time { return &i.CreatedAt }).Freeze(),
	},
)

var (
	selectSeries  = seriesTable.Select("s")
	selectImports = importTable.Select("i")
)

func scanSeries(row db.Scanner) (s Series, err error) {
	err = seriesTable.Scan(row, &s)
	return s, err
}

func scanImport(row db.Scanner) (i Import, err error) {
	err = importTable.Scan(row, &i)
	return i, err
}

// usage is what a user stores, and the last assigned numbers. Its row is locked by every
// write, so a user's writes follow each other.
type usage struct {
	bars, lastSeries, lastImport, lastChange int64
}

func lockUsage(ctx context.Context, tx *db.Tx, owner journal.UserID) (u usage, err error) {
	_, err = tx.Exec(ctx, `INSERT INTO bar_usage (user_id, bars, last_series, last_import, last_change) VALUES ($1, 0, 0, 0, 0) ON CONFLICT (user_id) DO NOTHING`, owner)
	if err != nil {
		return usage{}, err
	}
	err = tx.QueryRow(ctx, `SELECT bars, last_series, last_import, last_change FROM bar_usage WHERE user_id = $1`+tx.Lock(), owner).
		Scan(&u.bars, &u.lastSeries, &u.lastImport, &u.lastChange)
	return u, err
}

func saveUsage(ctx context.Context, tx *db.Tx, owner journal.UserID, u usage) error {
	_, err := tx.Exec(ctx, `UPDATE bar_usage SET bars = $1, last_series = $2, last_import = $3, last_change = $4 WHERE user_id = $5`,
		u.bars, u.lastSeries, u.lastImport, u.lastChange, owner)
	return err
}

// Usage returns how many bars the owner stores, and the limit.
func (s *Service) Usage(ctx context.Context, owner journal.UserID) (used, limit int64, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		err := tx.QueryRow(ctx, `SELECT bars FROM bar_usage WHERE user_id = $1`, owner).Scan(&used)
		if errors.Is(err, db.ErrNoRows) {
			return nil
		}
		return err
	})
	return used, s.limit, err
}

// ListSeries returns the owner's series by symbol and bar length.
func (s *Service) ListSeries(ctx context.Context, owner journal.UserID) (list []Series, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = ListSeries(ctx, tx, owner)
		return err
	})
	return list, err
}

// ListSeries is [Service.ListSeries] inside a transaction.
func ListSeries(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Series, error) {
	return db.List(ctx, tx, scanSeries, selectSeries+` WHERE s.user_id = $1 ORDER BY s.symbol, s.contract, s.bar_secs, s.price_kind`, owner)
}

// ListImports returns the owner's imports, the newest first.
func (s *Service) ListImports(ctx context.Context, owner journal.UserID) (list []Import, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = db.List(ctx, tx, scanImport, selectImports+` WHERE i.user_id = $1 ORDER BY i.number DESC`, owner)
		return err
	})
	return list, err
}
