package backup

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Tables are for people and other programs: one row a trade, a fill or a cash
// transaction, in plain words. The two formats write the same rows.

// cell is a table value.
type cell struct {
	kind cellKind
	text string
	at   time.Time
}

type cellKind int

const (
	emptyCell cellKind = iota
	textCell
	numberCell
	timeCell
)

func text(s string) cell {
	if s == "" {
		return cell{}
	}
	return cell{kind: textCell, text: s}
}

func number(d decimal.Decimal) cell { return cell{kind: numberCell, text: d.String()} }

func optionalNumber(n decimal.Null) cell {
	if !n.Valid {
		return cell{}
	}
	return number(n.Decimal)
}

// yesIf returns a cell with yes, or an empty one.
func yesIf(set bool) cell {
	if !set {
		return cell{}
	}
	return text("yes")
}

func whole(n int) cell {
	if n == 0 {
		return cell{}
	}
	return cell{kind: numberCell, text: strconv.Itoa(n)}
}

func instant(at time.Time) cell { return cell{kind: timeCell, at: at} }

func optionalInstant(at *time.Time) cell {
	if at == nil {
		return cell{}
	}
	return instant(*at)
}

// rowWriter receives a table's rows.
type rowWriter func(cells []cell) error

// table describes rows.
type table struct {
	name    string
	headers []string
	rows    func(t *tableReader, write rowWriter) error
}

// tableReader reads the rows for tables.
type tableReader struct {
	ctx      context.Context
	tx       *db.Tx
	owner    journal.UserID
	scope    journal.Scope
	query    tradeview.Query
	list     TradeLister
	convert  func(*tradeview.View) *ConvertedTrade
	gains    TradeSelector
	units    *Units
	ordered  []ledger.Account
	accounts map[journal.AccountID]ledger.Account
	tags     map[journal.TagID]statement.ListItem
	setups   map[journal.SetupID]statement.ListItem
}

// newTableReader resolves the accounts before anything is written, so a wrong one can
// still be reported.
func newTableReader(ctx context.Context, tx *db.Tx, r Request) (*tableReader, error) {
	owner := r.Owner
	accounts, err := ledger.ResolveScope(ctx, tx, owner, r.Accounts, ledger.ListPurpose(r.Filter.Scope))
	if err != nil {
		return nil, err
	}
	t := &tableReader{
		ctx: ctx, tx: tx, owner: owner, scope: journal.Scope{Accounts: r.Accounts, Mixed: r.Filter.Scope.Mixed, Period: r.Filter.Scope.Period}, accounts: map[journal.AccountID]ledger.Account{},
		query: tradeview.Query{Filter: r.Filter}, list: r.Trades, gains: r.Gains, ordered: accounts, convert: r.Convert, units: r.Units,
	}
	t.query.Filter.Scope.Accounts = r.Accounts
	if t.list == nil {
		t.list = tradeview.EachInDatabase
	}
	for _, a := range accounts {
		t.accounts[a.ID] = a
	}
	tags, err := playbook.ListTags(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	setups, err := playbook.ListSetups(ctx, tx, owner)
	t.listNames(tags, setups)
	return t, err
}

// listNames keeps tag and setup names as cells list them.
func (t *tableReader) listNames(tags []playbook.Tag, setups []playbook.Setup) {
	t.tags, t.setups = map[journal.TagID]statement.ListItem{}, map[journal.SetupID]statement.ListItem{}
	for _, tag := range tags {
		item := statement.ListItem{Name: tag.Name}
		if tag.Kind == playbook.MistakeTag {
			item.Kind = statement.MistakeKind
		}
		t.tags[tag.ID] = item
	}
	for _, setup := range setups {
		t.setups[setup.ID] = statement.ListItem{Name: setup.Name}
	}
}

// tradeTable has one row per trade, newest first. Imports recognize a journal file by its
// columns.
var tradeTable = table{"Trades", tradeHeaders, (*tableReader).trades}

// ownHeaders are the trade's own columns.
var ownHeaders = []string{
	"Account", "Symbol", "Type", "Side", "Status", "Quantity", "Open Time", "Close Time", "Entry Price", "Exit Price",
	"Multiplier", "Gross P&L", "Fees", "Commission", "Net P&L", "Currency", "Return %", "Option Right", "Strike", "Expiry",
	"Executions",
}

// annotationHeaders is the order of the columns after those, as in exported files. Fields
// in [playbook.AnnotationFields] missing here come last.
var annotationHeaders = []string{
	"Initial Risk", "Stop", "Target", "R Multiple", "MAE", "MFE", "Setups", "Tags", "Emotional State",
	"Confidence", "Quality", "Reviewed At", "Notes", "Last Stop", "Rules",
}

// endingHeader is the last column, with the kind of the trade's last exit.
const endingHeader = "Ended By"

// excursionHeaders are the columns for price excursions during the trade, from bars. They
// come before it.
var excursionHeaders = []string{"Lowest MAE", "Highest MAE", "Lowest MFE", "Highest MFE", "Bar Coverage", "Bar Seconds"}

var tradeHeaders = listTradeHeaders()

func listTradeHeaders() []string {
	headers := slices.Concat(ownHeaders, annotationHeaders)
	for _, f := range playbook.AnnotationFields {
		if f.Header != "" && !slices.Contains(headers, f.Header) {
			headers = append(headers, f.Header)
		}
	}
	return append(append(headers, excursionHeaders...), endingHeader)
}

func (t *tableReader) trades(write rowWriter) error {
	return t.list(t.ctx, t.tx, t.owner, t.query, func(v *tradeview.View) error {
		cells := t.tradeRow(v)
		if t.convert != nil {
			cells = append(cells, t.convert(v).cells()...)
		}
		return write(cells)
	})
}

// ConvertedTrade is a trade's result in another currency.
type ConvertedTrade struct {
	Currency         string
	Rate             decimal.Decimal
	RateDate         journal.Day
	GrossPnL, NetPnL decimal.Null
}

// convertedHeaders are the last columns of trades, if a currency was requested.
var convertedHeaders = []string{"Converted Currency", "Rate", "Rate Date", "Converted Gross P&L", "Converted Net P&L"}

// cells returns the columns in convertedHeaders, empty ones for nil.
func (c *ConvertedTrade) cells() []cell {
	if c == nil {
		return make([]cell, len(convertedHeaders))
	}
	rate := cell{} // a strategy's trades have several
	if c.RateDate != "" {
		rate = number(c.Rate)
	}
	return []cell{text(c.Currency), rate, text(string(c.RateDate)), optionalNumber(c.GrossPnL), optionalNumber(c.NetPnL)}
}

// tradeTableOf returns the table of trades for a request.
func tradeTableOf(r Request) table {
	t := tradeTable
	if r.Units != nil {
		t = unitTable
	}
	if r.Convert != nil {
		t.headers = slices.Concat(t.headers, convertedHeaders)
	}
	return t
}

func (t *tableReader) tradeRow(trade *tradeview.View) []cell {
	status := ledger.StatusClosed
	if trade.Open() {
		status = ledger.StatusOpen
	}
	i := trade.Instrument
	cells := []cell{
		text(t.accounts[trade.Account].Name), text(i.Symbol), text(i.Type), text(string(trade.Direction)), text(string(status)),
		number(trade.QtyOpened), instant(trade.OpenedAt), optionalInstant(trade.ClosedAt), number(trade.AvgEntry), optionalNumber(trade.AvgExit),
		number(trade.Multiplier), optionalNumber(trade.GrossPnL), number(trade.Fees), number(trade.Commission), optionalNumber(trade.NetPnL),
		text(trade.Currency), optionalNumber(trade.ReturnPct), text(i.OptionRight), optionalNumber(i.Strike), text(string(i.Expiry)),
		whole(trade.Executions),
	}
	for _, header := range tradeHeaders[len(ownHeaders) : len(tradeHeaders)-len(excursionHeaders)-1] {
		switch header {
		case "R Multiple":
			cells = append(cells, optionalNumber(trade.Derived.RMultiple))
		case "Setups":
			cells = append(cells, text(joinNames(trade.Annotations.Setups, t.setups)))
		case "Rules":
			cells = append(cells, text(joinRules(trade.Annotations.CurrentRules())))
		case "Tags":
			cells = append(cells, text(joinNames(trade.Annotations.Tags, t.tags)))
		default:
			cells = append(cells, annotationCell(&trade.Annotations.AnnotationValues, header))
		}
	}
	return append(append(cells, excursionCells(trade.Excursion)...), text(endingOf(trade)))
}

// endingOf returns the kind of a closed trade's last exit, or an empty text.
func endingOf(trade *tradeview.View) string {
	if trade.Open() {
		return ""
	}
	return trade.EndedBy.String()
}

// excursionCells returns the values for excursionHeaders; the result may be nil.
func excursionCells(r *excursions.Result) []cell {
	if r == nil {
		return make([]cell, len(excursionHeaders))
	}
	return []cell{
		number(r.MAE.Low), number(r.MAE.High), number(r.MFE.Low), number(r.MFE.High), number(r.Coverage),
		whole(int(r.BarSecs)),
	}
}

// joinRules returns rule states as one text.
func joinRules(ticks []playbook.RuleTick) string {
	parts := make([]string, len(ticks))
	for i, tick := range ticks {
		parts[i] = tick.Rule + ": " + strings.ReplaceAll(string(tick.State), "_", " ")
	}
	return strings.Join(parts, "; ")
}

// annotationCell returns the value for the header.
func annotationCell(values *playbook.AnnotationValues, header string) cell {
	i := slices.IndexFunc(playbook.AnnotationFields, func(f annotations.Field) bool { return f.Header == header })
	switch value := playbook.AnnotationFields[i].At(values).(type) {
	case *string:
		return text(*value)
	case *annotations.Grade:
		return whole(int(*value))
	case *decimal.Null:
		return optionalNumber(*value)
	case **time.Time:
		return optionalInstant(*value)
	}
	return cell{}
}

// joinNames lists names in one cell.
func joinNames[T comparable](ids []T, names map[T]statement.ListItem) string {
	list := make([]statement.ListItem, len(ids))
	for i, id := range ids {
		list[i] = names[id]
	}
	return statement.JoinList(list)
}

// fillTable is one row a fill, oldest first.
var fillTable = table{"Fills", []string{
	"Account", "Executed At", "Symbol", "Type", "Side", "Quantity", "Price", "Fees", "Commission", "Multiplier",
	"Stated P&L", "Currency", "Option Right", "Strike", "Expiry", "Lot", "External Id", "Kind", "Event Id", "Basis Estimated", "Closes",
}, (*tableReader).fills}

func (t *tableReader) fills(write rowWriter) error {
	return ledger.EachExecution(t.ctx, t.tx, t.owner, ledger.ExecutionQuery{Scope: t.scope}, func(x ledger.Execution) error {
		a, i := t.accounts[x.Account], x.Instrument
		external := ""
		if x.ExternalID != nil {
			external = *x.ExternalID
		}
		return write([]cell{
			text(a.Name), instant(x.ExecutedAt), text(i.Symbol), text(i.Type), text(string(x.Side)), number(x.Quantity),
			number(x.Price), number(x.Fees), number(x.Commission), number(x.Multiplier), optionalNumber(x.StatedPnL),
			text(a.BaseCurrency), text(i.OptionRight), optionalNumber(i.Strike), text(string(i.Expiry)), text(i.Lot), text(external),
			text(x.Kind.String()), text(x.EventID), yesIf(x.BasisEstimated), yesIf(x.Closes),
		})
	})
}

// cashTable is one row a cash transaction, oldest first.
var cashTable = table{"Cash", []string{"Account", "Occurred At", "Type", "Amount", "Currency", "Note"}, (*tableReader).cash}

func (t *tableReader) cash(write rowWriter) error {
	return ledger.EachCash(t.ctx, t.tx, t.owner, t.scope, func(c ledger.Cash) error {
		return write([]cell{
			text(t.accounts[c.Account].Name), instant(c.OccurredAt), text(string(c.Type)), number(c.Amount), text(c.Currency), text(c.Note),
		})
	})
}

// gainTable has one row per closing fill. The gains in a period sum to its realized net
// P&L.
var gainTable = table{"Realized gains", []string{
	"Account", "Symbol", "Type", "Side", "Opened", "Closed", "Quantity", "Proceeds", "Cost", "Fees", "Gain", "Currency",
	"Option Right", "Strike", "Expiry", "Lot",
}, (*tableReader).realizedGains}

func (t *tableReader) realizedGains(write rowWriter) error {
	q := ledger.ClosingQuery{Period: t.query.Filter.Scope.Period}
	if t.gains != nil {
		var err error
		if q.Trade, err = t.gains(t.ctx, t.tx, t.owner, t.query.Filter); err != nil {
			return err
		}
	}
	for _, a := range t.ordered {
		err := ledger.EachClosing(t.ctx, t.tx, t.owner, a, q, func(c *ledger.Closing) error {
			i := c.Instrument
			return write([]cell{
				text(a.Name), text(i.Symbol), text(i.Type), text(string(c.Direction)), instant(c.OpenedAt), instant(c.ClosedAt),
				number(c.Quantity), optionalNumber(c.Proceeds), optionalNumber(c.Cost), number(c.Fees), number(c.Gain), text(a.BaseCurrency),
				text(i.OptionRight), optionalNumber(i.Strike), text(string(i.Expiry)), text(i.Lot),
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
