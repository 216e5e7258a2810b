package assistants

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/people/identity"
)

// tradeFields are the members of a trade's row that the API has under the same name.
var tradeFields = []string{
	"id", "account_id", "symbol", "instrument_type", "direction", "status", "opened_at", "closed_at", "qty_opened", "avg_entry_price",
	"avg_exit_price", "net_pnl", "realized_pnl", "r_multiple", "pnl_currency", "setup_ids", "tag_ids",
}

// detailFields are further members of a single trade.
var detailFields = []string{
	"gross_pnl", "fees_total", "return_pct", "time_in_trade_secs", "multiplier", "execution_count", "option_right", "strike", "expiry",
	"initial_risk", "stop_price", "target_price", "planned_r", "confidence", "trade_quality", "mae", "mfe", "reviewed_at",
}

// tradeColumns are the columns of trades in text content.
var tradeColumns = []string{"id", "symbol", "direction", "status", "opened_at", "closed_at", "net_pnl", "r_multiple", "setup_ids", "tag_ids", "has_note"}

// shapeTrades returns trades as rows. fields are the members to keep.
func (c *call) shapeTrades(trades []object, fields ...string) ([]object, error) {
	if len(trades) == 0 {
		return nil, nil
	}
	for _, kind := range []recordKind{accountRecords, setupRecords, tagRecords} {
		if err := c.loadNames(kind); err != nil {
			return nil, err
		}
	}
	var ids, open []string
	for _, trade := range trades {
		ids = append(ids, trade.text("id"))
		if trade.text("status") == "open" {
			open = append(open, trade.text("id"))
		}
	}
	noted, err := c.findNoted(ids)
	if err != nil {
		return nil, err
	}
	positions, err := c.readPositions(open)
	if err != nil {
		return nil, err
	}
	rows := make([]object, len(trades))
	for i, trade := range trades {
		row := trade.pick(append(slices.Clone(tradeFields), fields...)...)
		setSymbol(row, "symbol")
		setInstrumentType(row, "instrument_type")
		setOptionRight(row)
		row.set("has_note", noted[trade.text("id")])
		row.set("reviewed", !trade.isNull("reviewed_at"))
		row["position"] = null
		if position := positions[trade.text("id")]; position != nil {
			row.set("position", position)
		}
		rows[i] = row
	}
	return rows, nil
}

// listRows returns the trades of a query as rows.
func (c *call) listRows(query url.Values) ([]object, Response, error) {
	response, err := c.get("/trades", query)
	if err != nil {
		return nil, response, err
	}
	trades, err := decode[[]object](response.Body)
	if err != nil {
		return nil, response, err
	}
	rows, err := c.shapeTrades(trades)
	return rows, response, err
}

// setOptionRight removes a right that is neither call nor put.
func setOptionRight(row object) {
	if right := row.text("option_right"); right != "" && right != "call" && right != "put" {
		row["option_right"] = null
	}
}

// findNoted returns which trades have a note, or are named by one.
func (c *call) findNoted(ids []string) (map[string]bool, error) {
	noted := map[string]bool{}
	rows, err := c.getObjects("/trades", url.Values{"trade_id": {strings.Join(ids, ",")}, "has_note": {"true"}, "limit": {"200"}})
	for _, row := range rows {
		noted[row.text("id")] = true
	}
	return noted, err
}

// readPositions returns what open trades are worth.
func (c *call) readPositions(ids []string) (map[string]object, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := c.getObjects("/positions", url.Values{"trade_id": {strings.Join(ids, ",")}})
	positions := map[string]object{}
	for _, p := range list {
		positions[p.text("trade_id")] = shapePosition(p)
	}
	return positions, err
}

func shapePosition(p object) object {
	position := p.pick("quantity", "mark", "unrealized_pnl", "day_change", "open_risk")
	if mark := position.object("mark"); mark != nil && !plainSource().MatchString(mark.text("source")) {
		mark["source"] = null // a file may have named itself
		position.set("mark", mark)
	}
	return position
}

// plainSource matches the names of programs and providers that write prices.
var plainSource = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}( [A-Za-z0-9_.-]{1,31})?$`)

type tradesArgs struct {
	Filter filterArgs `json:"filter"`
	Status string     `json:"status"`
	Sort   string     `json:"sort"`
	Limit  *int       `json:"limit"`
	Cursor string     `json:"cursor"`
}

var tradeSorts = []string{"newest", "oldest", "best", "worst"}

const maxRows = 100

var tradesTool = &tool{
	name: "list_trades", title: "List trades", needs: identity.ScopeRead,
	about: "Lists trades, open and closed, a page at a time. For sums and averages use get_summary and get_breakdown, never this list. " +
		"best and worst list closed trades by net P&L. position is what an open trade is worth.",
	args: []arg{
		filterArg, choiceOf("status", "Default: both.", "open", "closed"), choiceOf("sort", "Default newest.", tradeSorts...), limitArg, cursorArg,
	},
	run: typed((*call).listTrades),
}

func (c *call) listTrades(args tradesArgs) (*answer, error) {
	limit := orDefault(args.Limit, usualRows)
	if limit < 1 || limit > maxRows {
		return nil, invalid("limit", "limit must be from 1 to %d.", maxRows)
	}
	if err := oneOf("sort", args.Sort, tradeSorts); err != nil {
		return nil, err
	}
	query, err := c.query(args.Filter)
	if err != nil {
		return nil, err
	}
	if args.Status != "" {
		query.Set("status", args.Status)
	}
	sorted := c.zoned(query)
	switch args.Sort {
	case "oldest":
		sorted.Set("order", "asc")
	case "best", "worst":
		sorted.Set("sort", "net_pnl")
		sorted.Set("status", "closed")
		sorted.Set("order", map[string]string{"best": "desc", "worst": "asc"}[args.Sort])
	}
	if err := c.loadFilterNames(query); err != nil {
		return nil, err
	}
	return c.fillPage(sorted, args.Cursor, limit, func(at url.Values) (*answer, Response, error) { return c.readTradePage(at, query) })
}

func (c *call) readTradePage(at, query url.Values) (*answer, Response, error) {
	rows, response, err := c.listRows(at)
	if err != nil {
		return nil, response, err
	}
	total := countTotal(response)
	a := &answer{
		data: object{}, link: "/trades", table: table{"rows", tradeColumns},
		extra:   object{"filter": encode(describeFilter(query)), "tz": encode(c.zone.String()), "n": encode(total)},
		lists:   []*list{{field: "rows", rows: rows, total: total, hint: "Send more.cursor for the next page, or narrow the filter."}},
		summary: fmt.Sprintf("%s match; %d are on this page.", plural(total, "trade"), len(rows)),
	}
	return a, response, nil
}

type tradeArgs struct {
	TradeID string `json:"trade_id"`
}

var tradeTool = &tool{
	name: "get_trade", title: "Get trade", needs: identity.ScopeRead,
	about: "Reads one trade: fills, risk, MAE and MFE, its note, notes about it, and the names of its attachments.",
	args:  []arg{needed(text("trade_id", "The id of the trade."))},
	run:   typed((*call).readTrade),
}

// idPattern matches ids of records, so an id is never part of another path.
var idPattern = lazyregexp.New(`^[0-9a-fA-F-]{8,64}$`)

func notFound(what string) error {
	return &refusal{Code: "not_found", Message: "There is no " + what + " with this id."}
}

func (c *call) readTrade(args tradeArgs) (*answer, error) {
	if !idPattern().MatchString(args.TradeID) {
		return nil, notFound("trade")
	}
	detail, err := c.getObject("/trades/"+args.TradeID, nil)
	if err != nil {
		return nil, err
	}
	rows, err := c.shapeTrades([]object{detail}, detailFields...)
	if err != nil {
		return nil, err
	}
	excursion, err := c.getObject("/trades/"+args.TradeID+"/excursion", nil)
	if err != nil {
		return nil, err
	}
	if !excursion.isNull("source") && !plainSource().MatchString(excursion.text("source")) {
		excursion["source"] = null
	}
	notes, err := c.getObjects("/notes", url.Values{"trade_id": {args.TradeID}, "limit": {"20"}})
	if err != nil {
		return nil, err
	}
	var fills, attachments []object
	for _, fill := range detail.objects("fills") {
		fills = append(fills, fill.pick("id", "side", "quantity", "price", "fees", "commission", "executed_at", "role"))
	}
	for _, file := range detail.objects("attachments") {
		attachments = append(attachments, object{"id": file["id"], "name": encode(newUntrusted("attachment_name", file.text("name"), maxName))})
	}
	a := &answer{data: object{"trade": encode(rows[0]), "excursion": encode(excursion)}, link: "/trades/" + args.TradeID}
	a.data.set("note", textOrNull("trade_note", detail.text("notes")))
	a.data.set("emotional_state", textOrNull("emotional_state", detail.text("emotional_state")))
	hint := "The trade has more than fits here; open it on the page."
	a.lists = []*list{
		{field: "fills", rows: fills, total: len(fills), hint: hint},
		{field: "notes", rows: c.shapeNotes(notes), total: len(notes), hint: hint},
		{field: "attachments", rows: attachments, total: len(attachments), hint: hint},
	}
	a.table = table{"fills", []string{"executed_at", "side", "quantity", "price", "fees", "commission", "role"}}
	a.summary = fmt.Sprintf("A %s %s trade with %s; net P&L %s %s.", rows[0].text("status"), rows[0].text("direction"),
		plural(detail.count("execution_count"), "fill"), rows[0]["net_pnl"], plainCurrency(rows[0].text("pnl_currency")))
	return a, nil
}

// plainCurrency returns a currency's code, or "".
func plainCurrency(text string) string {
	if plainSymbol().MatchString(text) {
		return text
	}
	return ""
}

// shapeNotes returns notes as rows.
func (c *call) shapeNotes(notes []object) (rows []object) {
	for _, note := range notes {
		row := object{"kind": note["type"], "id": note["id"], "at": note["occurred_at"], "trade_id": note["trade_id"], "account_id": note["account_id"]}
		row.set("by_app", note.isTrue("by_app"))
		row.set("title", textOrNull("note_title", note.text("title")))
		row.set("text", newUntrusted("note", noteText(note), maxText))
		rows = append(rows, row)
	}
	return rows
}

// noteText returns a note's text with its parts about symbols.
func noteText(note object) string {
	parts := []string{note.text("body")}
	for _, part := range note.objects("symbols") {
		parts = append(parts, part.text("symbol")+": "+part.text("body"))
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}
