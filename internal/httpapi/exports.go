package httpapi

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"slices"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/trading/tradefilter"
)

type exportQuery struct {
	TradeFilter
	Format enumParam[backup.Format, exportFormats] `query:"format" doc:"json is the complete backup (default), zip the backup with attachments, csv and xlsx are tables, history is the history with its hashes as JSON Lines."`
	Bars   flagParam                               `query:"bars" doc:"true adds your price bars to a backup of all accounts. Default false: data vendors do not allow passing them on, and they can be imported again."`
	Rows   enumParam[backup.Rows, exportRowSet]    `query:"rows" doc:"The rows of a table. Default trades; an xlsx of trades has sheets of executions and cash as well. realized-gains: one row for each closing fill, with proceeds, cost, fees and gain; from and to test the closing fill, as with pnl_basis=realized."`
	Unit   enumParam[figureUnit, figureUnits]      `query:"unit" doc:"What a table of trades has a row for. Default trade. With strategy, each accepted or manual strategy has one row with the sums over its trades, and every other trade its own; the column Unit says which. A strategy is listed if one of its trades passes the filter, with the setups, tags and grade of the strategy; from, to, status and conditions on the sequence of a day test the strategy."`
}

type (
	exportFormats struct{}
	exportRowSet  struct{}
)

// historyFormat is the history as JSON Lines.
const historyFormat backup.Format = "history"

func (exportFormats) values() []backup.Format { return append(backup.Formats(), historyFormat) }
func (exportRowSet) values() []backup.Rows    { return backup.RowKinds() }

func (in exportQuery) request(owner journal.UserID) (backup.Request, error) {
	r := backup.Request{
		Owner: owner, Format: in.Format.Value, Rows: in.Rows.Value, Accounts: in.filter.Scope.Accounts, Filter: in.filter, Bars: in.Bars.Value,
	}
	if r.Format == "" {
		r.Format = backup.JSON
	}
	if err := in.checkFilter(r); err != nil {
		return r, err
	}
	if in.filter.Currency != "" && r.Rows != backup.TradeRows && r.Rows != "" {
		return r, journal.InvalidField("currency", "currency converts trades. Use it with rows=trades.")
	}
	if in.Unit.Value == unitStrategy && (r.Format != backup.CSV && r.Format != backup.XLSX || r.Rows != backup.TradeRows && r.Rows != "") {
		return r, journal.InvalidField("unit", "unit=strategy is for tables of trades. Use it with format=csv or format=xlsx, and rows=trades.")
	}
	return r, r.Check()
}

// checkFilter refuses a filter for anything but a trade list. Fills are selected by
// account and period.
func (in exportQuery) checkFilter(r backup.Request) error {
	allowed := []string{"account_id"}
	switch {
	case r.Format == backup.XLSX || r.Format == backup.CSV && r.Rows != backup.FillRows:
		return nil
	case r.Format == backup.CSV:
		allowed = append(allowed, "from", "to")
	}
	for _, name := range slices.Sorted(maps.Keys(in.sent)) {
		if !slices.Contains(allowed, name) {
			return journal.InvalidField(name, "%s filters trades. Use it with format=xlsx, or with format=csv and rows=trades or realized-gains.", name)
		}
	}
	return nil
}

// exportAPI has the operations on exports.
type exportAPI struct {
	db       *db.DB
	clock    journal.Clock
	log      *slog.Logger
	playbook *playbook.Service
	figures  *columns.Service
	units    *strategybook.Service
	trades   *tradeview.Service
	history  *history.Service
	alerts   *alerts.Service
}

func (a exportAPI) register(api *API) {
	read := journalRoute(readJournal, http.MethodGet, "/exports", "export", "Imports", "Download the journal")
	read.about = "The JSON backup is complete and can be imported again, here or elsewhere. " +
		"The filter selects the trades of a csv or xlsx; its period also selects executions and cash. A backup is of one account or of all."
	read.refusals = append(read.refusals, http.StatusConflict)
	read.long, read.isExport, read.excursions = true, true, true
	for _, format := range backup.Formats() {
		read.files = append(read.files, format.MediaType())
	}
	read.files = append(read.files, history.ExportMediaType)
	register(api, read, a.export)
}

func (a exportAPI) export(ctx context.Context, in *exportQuery) (*streamed, error) {
	if in.Format.Value == historyFormat {
		return a.exportHistory(ctx, in)
	}
	request, err := in.request(caller(ctx).UserID)
	if err != nil {
		return nil, err
	}
	request.At, request.Trades, request.Gains = a.clock(), a.trades.EachIn, a.figures.SelectTrades
	if in.Unit.Value == unitStrategy {
		request.Units = &backup.Units{Find: a.units.FindUnits, Select: a.figures.SelectWithUnits}
	}
	if request.Convert, err = a.newRowConverter(ctx, in.filter, request.Units); err != nil {
		return nil, err
	}
	err = a.db.View(ctx, func(tx *db.Tx) error {
		for _, id := range request.Accounts {
			if err := ledger.CheckAccountOwner(ctx, tx, request.Owner, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &streamed{func(w http.ResponseWriter, r *http.Request) { a.sendExport(w, r, request) }}, nil
}

// newRowConverter returns the function that converts a trade's result, nil without a
// currency. It refuses missing rates before anything is sent.
func (a exportAPI) newRowConverter(ctx context.Context, filter tradefilter.Filter, units *backup.Units) (func(*tradeview.View) *backup.ConvertedTrade, error) {
	converter, err := newTradeConverter(ctx, a.db, a.clock, filter.Currency)
	if err != nil || converter.Converter == nil {
		return nil, err
	}
	if units != nil {
		// A strategy that passes has trades that do not: require the rates of all trades.
		filter = tradefilter.Filter{Scope: journal.Scope{Accounts: filter.Scope.Accounts, Mixed: filter.Scope.Mixed}}
	}
	err = a.trades.Each(ctx, caller(ctx).UserID, tradeview.Query{Filter: filter}, func(v *tradeview.View) error {
		converter.convert(v)
		return nil
	})
	return func(v *tradeview.View) *backup.ConvertedTrade {
		c := converter.convert(v)
		if c == nil {
			return nil // the trade closed meanwhile, on a day without a rate
		}
		return &backup.ConvertedTrade{Currency: c.Currency, Rate: c.Rate, RateDate: c.RateDate, GrossPnL: c.GrossPnL, NetPnL: c.NetPnL}
	}, cmp.Or(err, converter.err())
}

// exportHistory writes the history, or the stream of one account.
func (a exportAPI) exportHistory(ctx context.Context, in *exportQuery) (*streamed, error) {
	for name := range in.sent {
		if name != "account_id" {
			return nil, journal.InvalidField(name, "%s filters trades. The history has no such filter.", name)
		}
	}
	var account journal.AccountID
	switch accounts := in.filter.Scope.Accounts; len(accounts) {
	case 0:
	case 1:
		if account = accounts[0]; !journal.AllowsAccount(ctx, account) {
			return nil, journal.NotFound("account")
		}
	default:
		return nil, journal.InvalidField("account_id", "The history is exported for one account or for all.")
	}
	owner, now := caller(ctx).UserID, a.clock()
	if account != "" {
		page, err := a.history.List(ctx, owner, history.Query{Account: account, Limit: 1})
		if err == nil && !page.HasStream {
			err = a.db.View(ctx, func(tx *db.Tx) error { return ledger.CheckAccountOwner(ctx, tx, owner, account) })
		}
		if err != nil {
			return nil, err
		}
	}
	return &streamed{func(w http.ResponseWriter, r *http.Request) {
		writeFile(w, r, map[string]string{
			"Content-Type":        history.ExportMediaType,
			"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": "fillbook-history-" + string(journal.DayOf(now)) + ".jsonl"}),
		}, func(out io.Writer) error {
			return a.db.View(ctx, func(tx *db.Tx) error { return a.history.Export(ctx, tx, owner, account, out) })
		})
	}}, nil
}

// sendExport writes the file as it is read.
func (a exportAPI) sendExport(w http.ResponseWriter, r *http.Request, request backup.Request) {
	ctx := r.Context()
	name := "fillbook-"
	if request.Rows == backup.GainRows {
		name += string(request.Rows) + "-"
	}
	name += string(journal.DayOf(request.At)) + "." + string(request.Format)
	_, isLimited := journal.AllowedAccounts(ctx)
	isBackup := (request.Format == backup.JSON || request.Format == backup.Zip) && len(request.Accounts) == 0 && !isLimited
	writeFile(w, r, map[string]string{
		"Content-Type":        request.Format.MediaType(),
		"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": name}),
	}, func(out io.Writer) error {
		return a.db.View(ctx, func(tx *db.Tx) error {
			missing, err := backup.Write(ctx, tx, a.playbook, request, out)
			if len(missing) > 0 {
				a.log.WarnContext(ctx, "export lacks attachments", "user", request.Owner, "files", len(missing))
			}
			isBackup = isBackup && err == nil
			return err
		})
	})
	if isBackup {
		if err := a.alerts.RecordBackup(ctx, request.Owner); err != nil {
			a.log.WarnContext(ctx, "recording a backup failed", "user", request.Owner, "error", err)
		}
	}
}
