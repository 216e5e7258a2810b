package backup

import (
	"context"
	"io"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
)

// Format is what an export is written as.
type Format string

// The formats. JSON is the complete backup, Zip the same with the attached
// files; CSV and XLSX are tables.
const (
	JSON Format = "json"
	Zip  Format = "zip"
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

var mediaTypes = map[Format]string{
	JSON: "application/json", Zip: "application/zip", CSV: "text/csv; charset=utf-8",
	XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// Formats returns all formats, the complete backup first.
func Formats() []Format { return []Format{JSON, CSV, XLSX, Zip} }

// MediaType returns the format's media type, empty for an unknown format.
func (f Format) MediaType() string { return mediaTypes[f] }

// Rows is the kind of rows in a table.
type Rows string

// The row kinds. A trades spreadsheet also has sheets with fills and cash; a realized
// gains spreadsheet has no others.
const (
	TradeRows Rows = "trades"
	FillRows  Rows = "executions"
	GainRows  Rows = "realized-gains"
)

// RowKinds returns all row kinds, the default first.
func RowKinds() []Rows { return []Rows{TradeRows, FillRows, GainRows} }

// Request describes an export.
type Request struct {
	Owner  journal.UserID
	Format Format
	// Accounts are the accounts to export, all if empty. A backup has one or all.
	Accounts []journal.AccountID
	// Rows is the table's row kind; empty means trades.
	Rows Rows
	// Filter selects the trades in a table; its accounts are ignored. Its period also
	// selects fills and cash, and tests each closing fill in realized gains.
	Filter tradefilter.Filter
	// Trades lists the trades in a table. It may be nil if the filter does not need
	// columns.
	Trades TradeLister
	// Gains selects the trades in a realized gains table. It may be nil if the filter has
	// only accounts and a period.
	Gains TradeSelector
	// Convert returns a trade's result in another currency; nil if none was requested.
	Convert func(*tradeview.View) *ConvertedTrade
	At      time.Time
	// Units are the strategies that count as one in a table of trades; nil if it has a row for
	// each trade.
	Units *Units
	// Bars adds the price bars to a backup with all accounts.
	Bars bool
}

// TradeLister calls fn with a query's trades, inside a transaction.
type TradeLister func(ctx context.Context, tx *db.Tx, owner journal.UserID, q tradeview.Query, fn func(*tradeview.View) error) error

// TradeSelector returns a function reporting whether a trade passes a filter, whatever
// its period; nil means every trade does. It runs inside a transaction.
type TradeSelector func(ctx context.Context, tx *db.Tx, owner journal.UserID, f tradefilter.Filter) (func(journal.TradeID) bool, error)

// Check refuses what cannot be exported.
func (r Request) Check() error {
	switch {
	case r.Format.MediaType() == "":
		return journal.InvalidField("format", "format must be json, csv, xlsx or zip.")
	case len(r.Accounts) > 1 && (r.Format == JSON || r.Format == Zip):
		return journal.InvalidField("account_id", "A backup has one account or all.")
	case r.Rows == GainRows && (r.Format == JSON || r.Format == Zip):
		return journal.InvalidField("rows", "Realized gains are a table. Use them with format=csv or format=xlsx.")
	}
	return nil
}

// Write exports inside a read transaction. It returns the unreadable attachments, which a
// zip leaves out.
func Write(ctx context.Context, tx *db.Tx, files *playbook.Service, r Request, out io.Writer) (missing []FileEntry, err error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	scope := Scope{At: r.At, Bars: r.Bars}
	if len(r.Accounts) == 1 {
		scope.Account = r.Accounts[0]
	}
	switch r.Format {
	case JSON:
		err = WriteJSON(ctx, tx, r.Owner, scope, out)
	case Zip:
		return WriteZip(ctx, tx, files, r.Owner, scope, out)
	case XLSX:
		err = writeXLSX(ctx, tx, r, out)
	case CSV:
		err = writeCSV(ctx, tx, r, r.table(), out)
	}
	return nil, err
}

// table returns the rows' CSV table.
func (r Request) table() table {
	switch r.Rows {
	case FillRows:
		return fillTable
	case GainRows:
		return gainTable
	default:
		return tradeTableOf(r)
	}
}
