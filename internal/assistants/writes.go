package assistants

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

// store sends a write to the API. It returns the answer and the id of the change, null if
// nothing was changed.
func (c *call) store(method, path string, body any) (response Response, undo jsontext.Value, err error) {
	request := Request{Method: method, Path: path}
	if body != nil {
		request.Body = encode(body)
	}
	if response, err = c.send(request); err != nil {
		return response, null, err
	}
	if id := response.Header.Get("X-Change-Id"); id != "" {
		return response, encode(id), nil
	}
	return response, null, nil
}

type noteArgs struct {
	Body       string `json:"body"`
	Kind       string `json:"kind"`
	Date       string `json:"date"`
	Title      string `json:"title"`
	Account    string `json:"account"`
	TradeID    string `json:"trade_id"`
	RequestKey string `json:"request_key"`
}

// maxNoteBody is the longest note of an assistant, in bytes.
const maxNoteBody = 20_000

var noteKinds = []string{"note", "daily_log", "weekly_review"}

var noteTool = &tool{
	name: "add_note", title: "Add note", needs: identity.ScopeWrite, writes: true,
	about: "Adds a new note; it never changes one. The journal marks it as written by an assistant. Ask the user before. The answer's undo takes it back.",
	args: []arg{
		needed(text("body", "Markdown, at most 20,000 bytes.")),
		choiceOf("kind", "Default note.", noteKinds...),
		text("date", "The day that it is about. Default: today."),
		text("title", "One line."),
		text("account", "Name or id of an account that it is about."),
		text("trade_id", "A trade that it is about."),
		keyArg,
	},
	run: typed((*call).addNote),
}

func (c *call) addNote(args noteArgs) (*answer, error) {
	switch {
	case strings.TrimSpace(args.Body) == "":
		return nil, invalid("body", "body must not be empty.")
	case len(args.Body) > maxNoteBody:
		return nil, invalid("body", "body must have at most %d bytes.", maxNoteBody)
	}
	if err := oneOf("kind", args.Kind, noteKinds); err != nil {
		return nil, err
	}
	day := c.today()
	if args.Date != "" {
		var err error
		if day, err = c.parseDay("date", args.Date); err != nil {
			return nil, err
		}
	}
	note := object{"body": encode(args.Body), "title": encode(args.Title), "occurred_at": encode(day.Format(time.DateOnly))}
	note.set("type", cmp.Or(args.Kind, "note"))
	if args.Account != "" {
		id, err := c.resolve(accountRecords, "account", args.Account, true)
		if err != nil {
			return nil, err
		}
		note.set("account_id", id)
	}
	if args.TradeID != "" {
		note.set("trade_id", args.TradeID)
	}
	response, undo, err := c.store(http.MethodPost, "/notes", note)
	if err != nil {
		return nil, err
	}
	stored, err := decode[object](response.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{"note": encode(stored.pick("id", "type", "occurred_at", "account_id", "trade_id"))}, extra: object{"undo": undo}, link: "/notes"}
	a.summary = "Stored the note. undo_change with undo takes it back."
	return a, nil
}

type tagArgs struct {
	TradeIDs      []string `json:"trade_ids"`
	AddTags       []string `json:"add_tags"`
	RemoveTags    []string `json:"remove_tags"`
	AddSetups     []string `json:"add_setups"`
	RemoveSetups  []string `json:"remove_setups"`
	CreateMissing bool     `json:"create_missing"`
	DryRun        bool     `json:"dry_run"`
	RequestKey    string   `json:"request_key"`
}

const (
	maxTagged       = 50
	maxTaggedPerDay = 200
	maxTagNames     = 20
)

var tagTool = &tool{
	name: "tag_trades", title: "Tag trades", needs: identity.ScopeWrite, writes: true, idempotent: true,
	about: "Adds tags and setups to trades, and removes them; others stay. All or nothing, as one change. Ask the user before. The answer's undo takes it back.",
	args: []arg{
		needed(texts("trade_ids", "1 to 50 ids.")),
		texts("add_tags", "Whole names or ids."), texts("remove_tags", "Whole names or ids."),
		texts("add_setups", "Whole names or ids."), texts("remove_setups", "Whole names or ids."),
		flag("create_missing", "Create tags in add_tags that do not exist. Default false."),
		flag("dry_run", "Only list the changes. Default false."),
		keyArg,
	},
	run: typed((*call).tagTrades),
}

func (c *call) tagTrades(args tagArgs) (*answer, error) {
	switch {
	case len(args.TradeIDs) == 0 || len(args.TradeIDs) > maxTagged:
		return nil, invalid("trade_ids", "trade_ids must have 1 to %d ids.", maxTagged)
	case len(args.AddTags)+len(args.RemoveTags)+len(args.AddSetups)+len(args.RemoveSetups) == 0:
		return nil, invalid("add_tags", "There is nothing to change: send tags or setups to add or remove.")
	}
	change, create, err := c.resolveTags(args)
	if err != nil {
		return nil, err
	}
	ids := unique(args.TradeIDs)
	before, err := c.readTagged(ids)
	if err != nil {
		return nil, err
	}
	var changed, unchanged []string
	for _, trade := range before {
		if change.alters(trade) || len(create) > 0 {
			changed = append(changed, trade.text("id"))
		} else {
			unchanged = append(unchanged, trade.text("id"))
		}
	}
	a := &answer{data: object{}, extra: object{"undo": null}, link: "/trades"}
	a.data.set("created", []string{})
	a.summary = fmt.Sprintf("%s would change, %d would stay as they are.", plural(len(changed), "trade"), len(unchanged))
	if !args.DryRun {
		if err := c.storeTags(a, ids, change, create, len(changed)); err != nil {
			return nil, err
		}
		a.summary = fmt.Sprintf("Changed %s; %d stayed as they were. undo_change with undo takes it back.", plural(len(changed), "trade"), len(unchanged))
	}
	a.data.set("changed", nonNil(changed))
	a.data.set("unchanged", nonNil(unchanged))
	a.lists = []*list{{field: "before", rows: before, total: len(before), hint: "Not all earlier values fit."}}
	return a, nil
}

// tagChange is a change to the tags and setups of trades.
type tagChange struct{ addTags, removeTags, addSetups, removeSetups []string }

// alters reports whether the change alters a trade.
func (t tagChange) alters(trade object) bool {
	return altersList(trade.texts("tag_ids"), t.addTags, t.removeTags) || altersList(trade.texts("setup_ids"), t.addSetups, t.removeSetups)
}

func altersList(stored, add, remove []string) bool {
	return slices.ContainsFunc(add, func(id string) bool { return !slices.Contains(stored, id) }) ||
		slices.ContainsFunc(remove, func(id string) bool { return slices.Contains(stored, id) })
}

// resolveTags returns the ids in a change, and the names of tags to create.
func (c *call) resolveTags(args tagArgs) (change tagChange, create []string, err error) {
	for _, l := range []struct {
		kind  recordKind
		field string
		names []string
		ids   *[]string
	}{
		{tagRecords, "add_tags", args.AddTags, &change.addTags},
		{tagRecords, "remove_tags", args.RemoveTags, &change.removeTags},
		{setupRecords, "add_setups", args.AddSetups, &change.addSetups},
		{setupRecords, "remove_setups", args.RemoveSetups, &change.removeSetups},
	} {
		if len(l.names) > maxTagNames {
			return change, nil, invalid(l.field, "%s must have at most %d names.", l.field, maxTagNames)
		}
		for _, name := range unique(l.names) {
			id, err := c.resolve(l.kind, l.field, name, true)
			if err != nil && args.CreateMissing && l.field == "add_tags" && toRefusal(err).Code == "unknown_name" {
				create = append(create, name)
				continue
			}
			if err != nil {
				return change, nil, err
			}
			*l.ids = append(*l.ids, id)
		}
	}
	return change, create, nil
}

func unique(list []string) (out []string) {
	for _, item := range list {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

// readTagged returns the tags and setups of trades. All must exist.
func (c *call) readTagged(ids []string) ([]object, error) {
	trades, err := c.getObjects("/trades", url.Values{"trade_id": {strings.Join(ids, ",")}, "limit": {"100"}})
	if err != nil {
		return nil, err
	}
	byID := map[string]object{}
	for _, trade := range trades {
		byID[trade.text("id")] = trade.pick("id", "tag_ids", "setup_ids")
	}
	rows := make([]object, len(ids))
	for i, id := range ids {
		if rows[i] = byID[id]; rows[i] == nil {
			return nil, &refusal{Code: "not_found", Field: "trade_ids", Message: fmt.Sprintf("Nothing was changed: the trade in place %d does not exist.", i+1)}
		}
	}
	return rows, c.loadTradeNames()
}

func (c *call) loadTradeNames() error {
	if err := c.loadNames(tagRecords); err != nil {
		return err
	}
	return c.loadNames(setupRecords)
}

// storeTags stores the change, within the token's limit of trades in a day.
func (c *call) storeTags(a *answer, ids []string, change tagChange, create []string, n int) error {
	if err := c.tagged.add(string(c.caller.TokenID), n, c.now); err != nil {
		return err
	}
	body := object{"ids": encode(ids)}
	for name, list := range map[string][]string{
		"add_tag_ids": change.addTags, "remove_tag_ids": change.removeTags, "add_setup_ids": change.addSetups,
		"remove_setup_ids": change.removeSetups, "create_tags": create,
	} {
		if len(list) > 0 {
			body.set(name, list)
		}
	}
	response, undo, err := c.store(http.MethodPatch, "/trades", body)
	if err != nil {
		c.tagged.remove(string(c.caller.TokenID), n, c.now)
		return err
	}
	a.extra["undo"] = undo
	report, err := decode[object](response.Body)
	if created := report.texts("created_tag_ids"); len(created) > 0 {
		a.data.set("created", created)
		delete(c.lists, tagRecords) // it has new names
		c.order[tagRecords] = nil
		return c.loadNames(tagRecords)
	}
	return err
}

// dayCounter counts what tokens changed on a UTC day.
type dayCounter struct {
	mu     sync.Mutex
	day    journal.Day
	counts map[string]int
}

// add counts n trades of a token, or returns an error above the limit.
func (d *dayCounter) add(token string, n int, now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if today := journal.DayOf(now.UTC()); today != d.day {
		d.day, d.counts = today, map[string]int{}
	}
	if d.counts[token]+n > maxTaggedPerDay {
		midnight := d.day.Time().AddDate(0, 0, 1)
		return explainLimit(journal.Limited(midnight.Sub(now)), fmt.Sprintf("A token can change %d trades a day in this way.", maxTaggedPerDay))
	}
	d.counts[token] += n
	return nil
}

// remove takes back what add counted.
func (d *dayCounter) remove(token string, n int, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if journal.DayOf(now.UTC()) == d.day {
		d.counts[token] -= n
	}
}

type entryArgs struct {
	Kind           string         `json:"kind"`
	Symbol         string         `json:"symbol"`
	Side           string         `json:"side"`
	Quantity       jsontext.Value `json:"quantity"`
	EntryPrice     jsontext.Value `json:"entry_price"`
	EntryTime      string         `json:"entry_time"`
	ExitPrice      jsontext.Value `json:"exit_price"`
	ExitTime       string         `json:"exit_time"`
	Fees           jsontext.Value `json:"fees"`
	StopPrice      jsontext.Value `json:"stop_price"`
	TargetPrice    jsontext.Value `json:"target_price"`
	InstrumentType string         `json:"instrument_type"`
	Setup          string         `json:"setup"`
	Tags           []string       `json:"tags"`
	Reason         string         `json:"reason"`
	Note           string         `json:"note"`
	Account        string         `json:"account"`
	DryRun         *bool          `json:"dry_run"`
	RequestKey     string         `json:"request_key"`
}

var (
	entryKinds    = []string{"trade", "missed_trade"}
	missedReasons = []string{"hesitated", "away", "rules", "other"}
)

var entryTool = &tool{
	name: "log_entry", title: "Log entry", needs: identity.ScopeWrite, writes: true, dryRun: true,
	about: "Records a trade with its entry and exit, or a trade that was missed. It is a dry run unless dry_run is false: first show the user what " +
		"will be stored. It places no order. The answer's undo takes it back.",
	args: []arg{
		needed(choiceOf("kind", "What to record.", entryKinds...)),
		needed(text("symbol", "Symbol.")), needed(choiceOf("side", "Direction.", "long", "short")),
		number("quantity", "For a trade: above 0."), number("entry_price", "Price of the entry."),
		text("entry_time", "Instant with offset. For a missed trade: when it was seen; default now."),
		number("exit_price", "Without it the trade is open."), text("exit_time", "Instant with offset."),
		number("fees", "Costs, on the entry."), number("stop_price", "Planned stop."), number("target_price", "Planned target."),
		text("instrument_type", "stock (default), option, future, forex, crypto, cfd."),
		text("setup", "Whole name or id."), texts("tags", "Whole names or ids; not for a missed trade."),
		choiceOf("reason", "Why the trade was missed.", missedReasons...), text("note", "A note about it."),
		text("account", "Whole name or id. Required if there are several."),
		flag("dry_run", "Default true: nothing is stored."), keyArg,
	},
	run: typed((*call).logEntry),
}

func (c *call) logEntry(args entryArgs) (*answer, error) {
	for _, required := range []struct{ name, value string }{{"kind", args.Kind}, {"symbol", args.Symbol}, {"side", args.Side}} {
		if required.value == "" {
			return nil, invalid(required.name, "%s is required.", required.name)
		}
	}
	for _, err := range []error{oneOf("kind", args.Kind, entryKinds), oneOf("side", args.Side, []string{"long", "short"}), oneOf("reason", args.Reason, missedReasons)} {
		if err != nil {
			return nil, err
		}
	}
	account, err := c.resolveAccount(args.Account)
	if err != nil {
		return nil, err
	}
	dryRun := args.DryRun == nil || *args.DryRun
	if args.Kind == "missed_trade" {
		return c.logMissed(args, account, dryRun)
	}
	return c.logTrade(args, account, dryRun)
}

// resolveAccount returns the account: the named one, or the only one.
func (c *call) resolveAccount(name string) (string, error) {
	if name != "" {
		return c.resolve(accountRecords, "account", name, true)
	}
	if err := c.loadNames(accountRecords); err != nil {
		return "", err
	}
	if ids := c.order[accountRecords]; len(ids) == 1 {
		return ids[0], nil
	}
	return "", c.refuseName("account_required", accountRecords, "account", "There are several accounts. Say which one.", c.order[accountRecords])
}

func (c *call) logTrade(args entryArgs, account string, dryRun bool) (*answer, error) {
	fills, err := args.fills()
	if err != nil {
		return nil, err
	}
	trade := object{"account_id": encode(account), "fills": encode(fills)}
	annotated := object{"stop_price": args.StopPrice, "target_price": args.TargetPrice}
	if args.Note != "" {
		annotated.set("notes", args.Note)
	}
	if args.Setup != "" {
		ids, err := c.resolveList(setupRecords, "setup", args.Setup, true)
		if err != nil {
			return nil, err
		}
		annotated.set("setup_ids", ids)
	}
	if len(args.Tags) > 0 {
		change, _, err := c.resolveTags(tagArgs{AddTags: args.Tags})
		if err != nil {
			return nil, err
		}
		annotated.set("tag_ids", change.addTags)
	}
	a := &answer{data: object{"dry_run": encode(dryRun)}, extra: object{"undo": null}, link: "/trades"}
	if dryRun {
		response, err := c.send(Request{Method: http.MethodPost, Path: "/trades/preview", Body: encode(trade)})
		a.data["trades"] = response.Body
		a.summary = "Nothing is stored yet. Show the user what will be stored, then call again with dry_run false."
		return a, err
	}
	for name, value := range annotated {
		if value != nil {
			trade[name] = value
		}
	}
	response, undo, err := c.store(http.MethodPost, "/trades", trade)
	if err != nil {
		return nil, err
	}
	stored, err := decode[[]object](response.Body)
	if err != nil {
		return nil, err
	}
	rows, err := c.shapeTrades(stored)
	a.extra["undo"] = undo
	a.lists = []*list{{field: "trades", rows: rows, total: len(rows), hint: "Not all trades fit."}}
	a.table = table{"trades", tradeColumns}
	a.summary = "Stored. undo_change with undo takes it back."
	return a, err
}

// fills returns the trade's fills: the entry, and the exit if there is one.
func (args entryArgs) fills() ([]object, error) {
	switch {
	case args.Quantity == nil:
		return nil, invalid("quantity", "quantity is required for a trade.")
	case args.EntryPrice == nil:
		return nil, invalid("entry_price", "entry_price is required for a trade.")
	case args.EntryTime == "":
		return nil, invalid("entry_time", "entry_time is required for a trade.")
	case (args.ExitPrice == nil) != (args.ExitTime == ""):
		return nil, invalid("exit_time", "Send exit_price and exit_time together.")
	case args.Reason != "":
		return nil, invalid("reason", "reason is for missed trades.")
	}
	for name, value := range map[string]jsontext.Value{"quantity": args.Quantity, "entry_price": args.EntryPrice, "exit_price": args.ExitPrice, "fees": args.Fees} {
		if value != nil && value.Kind() != '0' {
			return nil, invalid(name, "%s must be a number.", name)
		}
	}
	sides := []string{"buy", "sell"}
	if args.Side == "short" {
		sides = []string{"sell", "buy"}
	}
	entry := object{"symbol": encode(args.Symbol), "side": encode(sides[0]), "quantity": args.Quantity, "price": args.EntryPrice, "executed_at": encode(args.EntryTime)}
	if args.InstrumentType != "" {
		entry.set("instrument_type", args.InstrumentType)
	}
	fills := []object{entry}
	if args.ExitPrice != nil {
		exit := entry.without()
		exit.set("side", sides[1])
		exit["price"] = args.ExitPrice
		exit.set("executed_at", args.ExitTime)
		fills = append(fills, exit)
	}
	if args.Fees != nil {
		entry["fees"] = args.Fees
	}
	return fills, nil
}

func (c *call) logMissed(args entryArgs, account string, dryRun bool) (*answer, error) {
	switch {
	case args.Tags != nil:
		return nil, invalid("tags", "A missed trade has no tags.")
	case args.ExitPrice != nil || args.ExitTime != "" || args.Quantity != nil || args.Fees != nil:
		return nil, invalid("kind", "A missed trade has no quantity, exit or fees.")
	}
	missed := object{"account_id": encode(account), "symbol": encode(args.Symbol), "direction": encode(args.Side), "notes": encode(args.Note)}
	missed.set("observed_at", cmp.Or(args.EntryTime, journal.FormatInstant(c.now.UTC())))
	for name, value := range map[string]jsontext.Value{"entry": args.EntryPrice, "stop": args.StopPrice, "target": args.TargetPrice} {
		if value != nil {
			missed[name] = value
		}
	}
	if args.Reason != "" {
		missed.set("reason", args.Reason)
	}
	if args.Setup != "" {
		id, err := c.resolve(setupRecords, "setup", args.Setup, true)
		if err != nil {
			return nil, err
		}
		missed.set("setup_id", id)
	}
	a := &answer{data: object{"dry_run": encode(dryRun)}, extra: object{"undo": null}, link: "/missed"}
	shown := missed
	a.summary = "Nothing is stored yet. Show the user what will be stored, then call again with dry_run false."
	if !dryRun {
		response, undo, err := c.store(http.MethodPost, "/missed-trades", missed)
		if err != nil {
			return nil, err
		}
		if shown, err = decode[object](response.Body); err != nil {
			return nil, err
		}
		a.extra["undo"], a.summary = undo, "Stored. undo_change with undo takes it back."
	}
	row := shown.pick("id", "account_id", "setup_id", "symbol", "direction", "observed_at", "entry", "stop", "target", "reason", "planned_r")
	setSymbol(row, "symbol")
	row.set("note", textOrNull("missed_trade", shown.text("notes")))
	a.data.set("missed_trade", row)
	return a, c.loadTradeNames()
}

type undoArgs struct {
	Undo       string `json:"undo"`
	RequestKey string `json:"request_key"`
}

var undoTool = &tool{
	name: "undo_change", title: "Undo change", needs: identity.ScopeWrite, writes: true, destructive: true, idempotent: true,
	about: "Undoes a change that this token made. It cannot undo the user's changes. The answer's undo is for the redo.",
	args:  []arg{needed(text("undo", "undo of the answer of a write.")), keyArg},
	run:   typed((*call).undoChange),
}

// undoChange undoes a change of the same token. Others are like unknown ones: a text in the
// journal must not talk a model into undoing the user's work.
func (c *call) undoChange(args undoArgs) (*answer, error) {
	if args.Undo == "" {
		return nil, invalid("undo", "undo is required.")
	}
	unknown := &refusal{Code: "not_found", Field: "undo", Message: "This token made no change with this id."}
	if !idPattern().MatchString(args.Undo) {
		return nil, unknown
	}
	change, err := c.getObject("/history/"+args.Undo, nil)
	if err != nil && toRefusal(err).Code == "internal" {
		return nil, err
	}
	actor := change.object("actor")
	if err != nil || actor.text("kind") != "token" || actor.text("id") != string(c.caller.TokenID) {
		return nil, unknown
	}
	response, _, err := c.store(http.MethodPost, "/history/"+args.Undo+"/undo", nil)
	if err != nil {
		return nil, explainUndo(err)
	}
	undone, err := decode[object](response.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{"undone": encode(args.Undo)}, extra: object{"undo": undone["id"]}, link: "/history"}
	a.summary = "The change was undone. undo_change with undo brings it back."
	return a, nil
}

// explainUndo returns the reason why a change cannot be undone, without the texts in the way.
func explainUndo(err error) error {
	refused := toRefusal(err)
	messages := map[string]string{
		"changed_since":  "Something that this change set was changed since, so it cannot be undone. The user can decide on the page.",
		"already_undone": "This change is undone already.",
		"not_undoable":   "This change cannot be undone.",
	}
	if message := messages[refused.Code]; message != "" {
		refused.Message = message
	}
	return refused
}
