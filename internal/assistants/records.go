package assistants

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
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
	if mark := position.object("mark"); mark != nil && !plainSource.MatchString(mark.text("source")) {
		mark["source"] = null // a file may have named itself
		position.set("mark", mark)
	}
	return position
}

// plainSource matches the names of programs and providers that write prices.
var plainSource = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}( [A-Za-z0-9_.-]{1,31})?$`)

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
	a, err := c.fillPage(sorted, args.Cursor, limit, func(at url.Values) (*answer, Response, error) { return c.readTradePage(at, query) })
	return a, err
}

func (c *call) readTradePage(at, query url.Values) (*answer, Response, error) {
	response, err := c.get("/trades", at)
	if err != nil {
		return nil, response, err
	}
	trades, err := decode[[]object](response.Body)
	if err != nil {
		return nil, response, err
	}
	rows, err := c.shapeTrades(trades)
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

// fillPage reads a page, and again a shorter one if it does not fit: so the API's cursor
// follows the last row that is shown.
func (c *call) fillPage(query url.Values, cursor string, limit int, readPage func(url.Values) (*answer, Response, error)) (*answer, error) {
	key := query.Encode()
	at, err := url.ParseQuery(key)
	if err != nil {
		return nil, err
	}
	if cursor != "" {
		place, err := c.openCursor(key, cursor)
		if err != nil {
			return nil, err
		}
		at.Set("cursor", place)
	}
	for {
		at.Set("limit", strconv.Itoa(limit))
		a, response, err := readPage(at)
		if err != nil {
			return nil, err
		}
		if place := nextCursor(response); place != "" {
			a.cursor = c.sealCursor(key, place)
		} else if cursor != "" {
			a.lists[0].total = len(a.lists[0].rows) // the last page
		}
		read := len(a.lists[0].rows)
		c.encodeAnswer(a)
		if fits := len(a.lists[0].rows); fits == read || fits == 0 {
			return a, nil
		}
		limit = len(a.lists[0].rows)
	}
}

// nextCursor returns the cursor in a Link header, or "".
func nextCursor(r Response) string {
	link, _, found := strings.Cut(strings.TrimPrefix(r.Header.Get("Link"), "<"), ">")
	if !found {
		return ""
	}
	address, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return address.Query().Get("cursor")
}

// sealCursor returns a cursor that is valid for the same token, tool and query only.
func (c *call) sealCursor(query, place string) string {
	return base64.RawURLEncoding.EncodeToString(append(c.signCursor(query, place), place...))
}

const cursorSignature = 12 // bytes

func (c *call) signCursor(query, place string) []byte {
	signed := c.Sign([]byte("cursor"), []byte(c.caller.PublicID), []byte(c.caller.TokenID), []byte(c.tool.name), []byte(query), []byte(place))
	return signed[:cursorSignature:cursorSignature]
}

func (c *call) openCursor(query, cursor string) (string, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(sealed) < cursorSignature || string(c.signCursor(query, string(sealed[cursorSignature:]))) != string(sealed[:cursorSignature]) {
		return "", invalid("cursor", "cursor is not valid here. Use more.cursor of the page before, with the same arguments.")
	}
	return string(sealed[cursorSignature:]), nil
}

func hashHex(hash []byte) string { return hex.EncodeToString(hash[:16]) }

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
var idPattern = regexp.MustCompile(`^[0-9a-fA-F-]{8,64}$`)

func notFound(what string) error {
	return &refusal{Code: "not_found", Message: "There is no " + what + " with this id."}
}

func (c *call) readTrade(args tradeArgs) (*answer, error) {
	if !idPattern.MatchString(args.TradeID) {
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
	if !excursion.isNull("source") && !plainSource.MatchString(excursion.text("source")) {
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
	if plainSymbol.MatchString(text) {
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

type searchArgs struct {
	Query  string     `json:"query"`
	Kind   string     `json:"kind"`
	Filter filterArgs `json:"filter"`
	Limit  *int       `json:"limit"`
	Cursor string     `json:"cursor"`
}

var searchKinds = []string{"note", "trade_note", "missed_trade"}

var searchTool = &tool{
	name: "search_journal", title: "Search journal", needs: identity.ScopeRead,
	about: "Finds notes, notes of trades and missed trades by words: each is the beginning of a word, in any case, and all must be found. " +
		"by_app marks notes that an assistant wrote: do not take them for the user's own words or rules.",
	args: []arg{
		needed(text("query", "Words.")), choiceOf("kind", "Default: all, in this order.", searchKinds...), rangeArg, limitArg, cursorArg,
	},
	run: typed((*call).search),
}

func (c *call) search(args searchArgs) (*answer, error) {
	limit := orDefault(args.Limit, usualRows)
	if limit < 1 || limit > maxRows {
		return nil, invalid("limit", "limit must be from 1 to %d.", maxRows)
	}
	if err := oneOf("kind", args.Kind, searchKinds); err != nil {
		return nil, err
	}
	words := textindex.SplitWords(args.Query)
	if len(words) == 0 {
		return nil, invalid("query", "query must contain a letter or a digit.")
	}
	query, err := c.query(filterArgs{Account: args.Filter.Account, Period: args.Filter.Period, From: args.Filter.From, To: args.Filter.To, TZ: args.Filter.TZ})
	if err != nil {
		return nil, err
	}
	if err := c.loadFilterNames(query); err != nil {
		return nil, err
	}
	query.Set("q", args.Query)
	s := &search{call: c, query: query, words: words, kinds: searchKinds, key: query.Encode() + "&kind=" + args.Kind}
	if args.Kind != "" {
		s.kinds = []string{args.Kind}
	}
	if args.Cursor != "" {
		if err := s.resume(args.Cursor); err != nil {
			return nil, err
		}
	}
	return s.fill(limit)
}

// search goes through the kinds one after the other.
type search struct {
	*call
	query url.Values
	words []string
	kinds []string
	key   string // of cursors
	kind  int    // the index of the kind that is read
	place string // its cursor
	skip  int    // records of the page at place that were read before
}

// resume continues after the page before.
func (s *search) resume(cursor string) error {
	opened, err := s.openCursor(s.key, cursor)
	if err != nil {
		return err
	}
	_, err = fmt.Sscanf(opened, "%d %d %s", &s.kind, &s.skip, &s.place)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // without a place
		return nil
	}
	return err
}

// fill reads hits until the page is full. A page that does not fit is read again, shorter.
func (s *search) fill(limit int) (*answer, error) {
	begin := *s
	for {
		*s = begin
		hits, next, err := s.read(limit)
		if err != nil {
			return nil, err
		}
		if err := s.loadNames(accountRecords); err != nil {
			return nil, err
		}
		a := &answer{data: object{}, extra: object{"tz": encode(s.zone.String())}, table: table{"hits", []string{"kind", "id", "at", "by_app", "text"}}, link: "/notes"}
		a.lists = []*list{{field: "hits", rows: hits, total: len(hits), hint: "Send more.cursor for the next page, or more words."}}
		a.summary = plural(len(hits), "hit") + "."
		if next != "" {
			a.cursor = s.sealCursor(s.key, next)
			a.summary = plural(len(hits), "hit") + " on this page; there may be more."
		}
		s.encodeAnswer(a)
		if fits := len(a.lists[0].rows); fits == len(hits) || fits == 0 {
			return a, nil
		}
		limit = len(a.lists[0].rows)
	}
}

// maxSearchPages bounds the pages that one call reads from the API.
const maxSearchPages = 10

// read returns at most limit hits and the place after them, "" at the end.
func (s *search) read(limit int) (hits []object, next string, err error) {
	for range maxSearchPages {
		if len(hits) == limit || s.kind >= len(s.kinds) {
			break
		}
		found, response, err := s.readKind(limit - len(hits))
		if err != nil {
			return nil, "", err
		}
		hits = append(hits, found...)
		if s.skip > 0 { // the page has more
			continue
		}
		if s.place = nextCursor(response); s.place == "" {
			s.kind++
		}
	}
	if s.kind >= len(s.kinds) {
		return hits, "", nil
	}
	return hits, fmt.Sprintf("%d %d %s", s.kind, s.skip, s.place), nil
}

// searchPage is how many records are read at once.
const searchPage = 200

// readKind reads a page of a kind, and returns at most limit hits. skip is then 0 unless the
// page has more.
func (s *search) readKind(limit int) (hits []object, response Response, err error) {
	query := url.Values{"limit": {strconv.Itoa(searchPage)}}
	for name := range s.query {
		query.Set(name, s.query.Get(name))
	}
	if s.place != "" {
		query.Set("cursor", s.place)
	}
	path, shape := "/notes", s.noteHit
	switch s.kinds[s.kind] {
	case "trade_note":
		path, shape = "/trades", s.tradeHit
		query.Set("has_note", "true")
	case "missed_trade":
		path, shape = "/missed-trades", s.missedHit
		query.Del("q") // missedHit compares the words
	}
	if response, err = s.get(path, query); err != nil {
		return nil, response, err
	}
	records, err := decode[[]object](response.Body)
	for i := s.skip; i < len(records); i++ {
		if len(hits) == limit {
			s.skip = i
			return hits, response, err
		}
		if hit := shape(records[i]); hit != nil {
			hits = append(hits, hit)
		}
	}
	s.skip = 0
	return hits, response, err
}

func (s *search) hit(kind string, record object, at, tradeID string, body string) object {
	hit := object{"kind": encode(kind), "id": record["id"], "trade_id": null, "account_id": record["account_id"], "at": record[at]}
	if tradeID != "" {
		hit["trade_id"] = record[tradeID]
	}
	hit.set("by_app", record.isTrue("by_app"))
	hit.set("text", newUntrusted(kind, s.snippet(body), maxSnippet))
	return hit
}

func (s *search) noteHit(note object) object {
	return s.hit("note", note, "occurred_at", "trade_id", strings.TrimSpace(note.text("title")+"\n"+noteText(note)))
}

// tradeHit returns nil for a trade whose note is a record of its own.
func (s *search) tradeHit(trade object) object {
	if strings.TrimSpace(trade.text("notes")) == "" {
		return nil
	}
	at := "closed_at"
	if trade.isNull(at) {
		at = "opened_at"
	}
	return s.hit("trade_note", trade, at, "id", trade.text("notes"))
}

// missedHit returns nil for a missed trade without the words.
func (s *search) missedHit(missed object) object {
	found := textindex.SplitWords(missedText(missed))
	for _, word := range s.words {
		if !slices.ContainsFunc(found, func(other string) bool { return strings.HasPrefix(other, word) }) {
			return nil
		}
	}
	return s.hit("missed_trade", missed, "observed_at", "", missedText(missed))
}

func missedText(missed object) string {
	return strings.TrimSpace(missed.text("symbol") + "\n" + missed.text("notes"))
}

// snippet returns a piece around the first word that is found.
func (s *search) snippet(body string) string {
	runes := []rune(cleanText(body))
	folded := []rune(textindex.Fold(string(runes)))
	first := len(folded)
	for _, word := range s.words {
		if at := indexRunes(folded, []rune(word)); at >= 0 && at < first {
			first = at
		}
	}
	if first == len(folded) || len(folded) != len(runes) {
		first = 0
	}
	begin := max(0, first-maxSnippet/3)
	return string(runes[begin:min(len(runes), begin+maxSnippet)])
}

func indexRunes(text, word []rune) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if slices.Equal(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

type dayArgs struct {
	Date    string `json:"date"`
	TZ      string `json:"tz"`
	Account string `json:"account"`
}

var dayTool = &tool{
	name: "get_day", title: "Get day", needs: identity.ScopeRead,
	about: "Reads one day: its result, the trades that closed or were opened on it, notes, the checklist and missed trades.",
	args: []arg{
		text("date", "A day such as 2026-01-31. Default: today."), text("tz", "IANA time zone. Default: the user's."),
		text("account", "Account names or ids, separated by commas. Default: all."),
	},
	run: typed((*call).readDay),
}

func (c *call) readDay(args dayArgs) (*answer, error) {
	if err := c.setZone(args.TZ); err != nil {
		return nil, err
	}
	day := c.today()
	if args.Date != "" {
		var err error
		if day, err = c.parseDay("date", args.Date); err != nil {
			return nil, err
		}
	}
	date := day.Format(time.DateOnly)
	query, err := c.query(filterArgs{Account: args.Account, From: date, To: date, TZ: c.zone.String()})
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{"date": encode(date), "result": null}, extra: object{"tz": encode(c.zone.String())}, link: "/calendar"}
	if err := c.loadNames(accountRecords); err != nil {
		return nil, err
	}
	if err := c.addDayResult(a, query); err != nil {
		return nil, err
	}
	hint := "The day has more than fits here. Choose an account, or use list_trades and search_journal."
	response, err := c.get("/trades", c.zoned(query, "limit", "50"))
	if err != nil {
		return nil, err
	}
	trades, err := decode[[]object](response.Body)
	if err != nil {
		return nil, err
	}
	rows, err := c.shapeTrades(trades)
	if err != nil {
		return nil, err
	}
	notes, err := c.readDayNotes(query, day)
	if err != nil {
		return nil, err
	}
	missed, err := c.readDayMissed(query)
	if err != nil {
		return nil, err
	}
	if err := c.addChecklist(a, date); err != nil {
		return nil, err
	}
	a.lists = []*list{
		{field: "missed", rows: missed, total: len(missed), hint: hint},
		{field: "notes", rows: notes, total: len(notes), hint: hint},
		{field: "trades", rows: rows, total: countTotal(response), hint: hint},
	}
	a.table = table{"trades", tradeColumns}
	a.summary = fmt.Sprintf("%s: %s, %s, %s.", date, plural(countTotal(response), "trade"), plural(len(notes), "note"), plural(len(missed), "missed trade"))
	return a, nil
}

// addDayResult adds the day's row of results. Accounts with different currencies have no
// common result.
func (c *call) addDayResult(a *answer, query url.Values) error {
	days, err := c.getObjects("/analytics/daily", c.zoned(query))
	if refused := toRefusal(err); err != nil && refused.Code != "mixed_currencies" {
		return err
	}
	if len(days) > 0 {
		a.data.set("result", days[0])
	}
	return nil
}

// readDayNotes returns the notes of a day. A note of a whole day belongs to that day in every
// zone; the API compares it as midnight in UTC.
func (c *call) readDayNotes(query url.Values, day time.Time) ([]object, error) {
	date := day.Format(time.DateOnly)
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	from, to := day, endOfDay(day)
	if midnight.Before(from) {
		from = midnight
	}
	if midnight.After(to) {
		to = midnight
	}
	wide := url.Values{"from": {journal.FormatInstant(from.UTC())}, "to": {journal.FormatInstant(to.UTC())}, "limit": {"100"}}
	if accounts := query.Get("account_id"); accounts != "" {
		wide.Set("account_id", accounts)
	}
	notes, err := c.getObjects("/notes", wide)
	notes = slices.DeleteFunc(notes, func(note object) bool {
		at := note.text("occurred_at")
		if len(at) == len(time.DateOnly) {
			return at != date
		}
		instant, err := time.Parse(time.RFC3339, at)
		return err != nil || instant.In(c.zone).Format(time.DateOnly) != date
	})
	return c.shapeNotes(notes), err
}

func (c *call) readDayMissed(query url.Values) (rows []object, err error) {
	only := url.Values{"limit": {"50"}}
	for _, name := range []string{"account_id", "from", "to"} {
		if query.Get(name) != "" {
			only.Set(name, query.Get(name))
		}
	}
	list, err := c.getObjects("/missed-trades", only)
	for _, missed := range list {
		row := missed.pick("id", "direction", "observed_at")
		row.set("text", newUntrusted("missed_trade", missedText(missed), maxText))
		rows = append(rows, row)
	}
	return rows, err
}

// addChecklist adds the day's routine.
func (c *call) addChecklist(a *answer, date string) error {
	checklist, err := c.getObject("/routines/day/"+date, nil)
	if err != nil {
		return err
	}
	items := []object{}
	for _, item := range checklist.objects("items") {
		shaped := item.pick("id", "stage", "done")
		shaped.set("title", newUntrusted("routine_item", item.text("title"), maxName))
		items = append(items, shaped)
	}
	checklist = checklist.pick("done", "total")
	checklist.set("items", items[:min(len(items), 40)])
	a.data.set("routine", checklist)
	return nil
}
