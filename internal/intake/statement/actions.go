package statement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// ActionKind is what a corporate action in a file does.
type ActionKind string

// The kinds of corporate actions.
const (
	ActionSplit         ActionKind = "split"
	ActionStockDividend ActionKind = "stock_dividend"
	// ActionRename and ActionExchange replace shares by those of another symbol, an exchange
	// with a ratio and perhaps cash.
	ActionRename   ActionKind = "rename"
	ActionExchange ActionKind = "exchange"
	ActionSpinOff  ActionKind = "spin_off"
)

// isSplit reports whether the action leaves the symbol.
func (k ActionKind) isSplit() bool { return k == ActionSplit || k == ActionStockDividend }

// Action is a corporate action that a file states. It changes positions and is no fill.
type Action struct {
	Row  int
	Kind ActionKind
	// Symbol is empty if the file names the company only: then it is one of Candidates.
	// NewSymbol is empty for a split and a stock dividend.
	Symbol, NewSymbol string
	Candidates        []string
	Day               journal.Day // in New York
	// New and Old are the ratio. They are 0 if the file states only how many shares came
	// to those held: Came.
	New, Old int64
	Came     decimal.Decimal
	// Left is set if exactly that quantity must have been held: the file names the company
	// only, or not all holders took part.
	Left decimal.Decimal
	// Cash is what an exchange pays for a share besides.
	Cash decimal.Null
	// SharesOnly: the file has what became of the options as fills or actions. OptionsOnly:
	// it states a new symbol of option contracts.
	SharesOnly, OptionsOnly bool
}

// ActionRow is a row about a corporate action. Several rows can be about the same one.
type ActionRow struct {
	// Kind is ActionSplit, ActionStockDividend, ActionSpinOff, or ActionExchange for shares
	// that replace others.
	Kind ActionKind
	// Symbol is that of the shares that came or left. Parent is the symbol on which the
	// action acts, if the row states it as well.
	Symbol, Parent string
	// Company is the name of the security.
	Company string
	Day     journal.Day
	// Quantity is what came, negative for what left.
	Quantity decimal.Decimal
	// Side is Closing for shares that were replaced and Opening for those that replace
	// them; unknown if the row does not say which.
	Side parse.Effect
	// Adds reports that Quantity came to the shares that were held; a broker that does not say
	// so may state all shares after the split.
	Adds bool
	// Text may state the ratio, such as "SPLIT 1 FOR 25".
	Text string
	// Group is equal for the rows about one exchange on one day.
	Group string
	// Cash is paid for a share besides.
	Cash decimal.Null
	// Optional: holders could choose whether they take part.
	Optional bool
}

// statedAction is a row about an action until all rows are read.
type statedAction struct {
	ActionRow
	row int
	// fill is what the row is without the rest of its action, nil for nothing. warn says so.
	fill *Fill
	warn func()
}

// left reports whether the row's shares were replaced or left.
func (a *statedAction) left() bool {
	return a.Side == parse.Closing || a.Side == parse.EffectUnknown && a.Quantity.Sign() < 0
}

// isOption reports whether the row is about option contracts.
func (a *statedAction) isOption() bool { return a.fill != nil && a.fill.Right != "" }

// actionReasons are the reasons for rows about corporate actions.
var actionReasons = map[ActionKind]string{
	ActionSplit:         "a split, which is a corporate action and no trade",
	ActionStockDividend: "a stock dividend, which is a corporate action and no trade",
	ActionRename:        "a new symbol, which is a corporate action and no trade",
	ActionExchange:      "an exchange of shares, which is a corporate action and no trade",
	ActionSpinOff:       "a spin-off, which is a corporate action and no trade",
}

// reasonUnchanged is the reason for rows about an action that changes neither symbol nor
// quantity.
const reasonUnchanged = "securities replaced by as many with the same symbol"

// Action notes that the row is about a corporate action. warn is called if the action is not
// clear.
func (w *Row) Action(a ActionRow, warn func()) {
	w.Skip("%s", ReasonSecurities)
	w.r.Out.statedActions = append(w.r.Out.statedActions, statedAction{ActionRow: a, row: w.Number, warn: warn})
}

// actionZone is where the day of an action begins.
var actionZone = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err) // the program contains the zones
	}
	return zone
}()

// ActionDay returns the day on which an action at a moment acts.
func (r *Reader) ActionDay(at parse.Moment) journal.Day {
	if at.DateOnly {
		return journal.DayOf(at.At.In(r.location()))
	}
	return journal.DayOf(at.At.In(actionZone))
}

// readAction reads a row whose word says that it is about a corporate action, and reports
// whether it is.
func (lr *layoutReader) readAction(w *Row, warn func()) bool {
	l := lr.layout
	kind, side := FindActionKind(w.word)
	if kind == "" {
		return false
	}
	i := lr.instrumentOf(w)
	if !isShare(i.Type) {
		return false
	}
	quantity := w.peek(l.Quantity)
	if quantity.IsZero() || w.at.At.IsZero() {
		return false
	}
	at := w.at
	if posted, _, ok := strings.Cut(w.Text(l.Time), " as of "); ok {
		at = w.At(posted) // the first is the day of the action, the second that of record
	}
	switch {
	case side != parse.EffectUnknown:
	case strings.EqualFold(w.Text(l.Side), "sell") && quantity.Sign() > 0:
		side = parse.Closing
	case kind == ActionSplit && strings.Contains(WordKey(w.word), "reverse") && quantity.Sign() > 0:
		side = parse.Opening // what is left of the shares
	}
	a := ActionRow{
		Kind: kind, Symbol: i.Symbol, Company: w.Text(l.Company), Day: lr.r.ActionDay(at), Quantity: quantity, Side: side, Adds: l.SplitsAdd,
		Group: withoutSide(WordKey(w.word)),
	}
	if l.AdjustAction != nil {
		l.AdjustAction(w, &a)
	}
	if kind.isSplit() {
		a.Text = w.noteText(l)
	}
	lr.noteCompany(w, i.Symbol)
	w.Action(a, warn)
	return true
}

// isShare reports whether an instrument with a type, or without one, is a share.
func isShare(kind string) bool { return kind == "" || kind == instruments.TypeStock }

// withoutSide returns a word without the end that names a side.
func withoutSide(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(word, " open"), " close")
}

// actionWords are parts of words about corporate actions.
var actionWords = []struct {
	kind  ActionKind
	parts []string
}{
	{ActionSpinOff, []string{"spin-off", "spin off", "spinoff", "demerge"}},
	{ActionSplit, []string{"split"}},
	{ActionStockDividend, []string{"stock div"}},
	{ActionExchange, []string{
		"merge", "name change", "symbol change", "ticker change", "conversion", "exchange", "tendered", "corporate action", "productwijziging", "product change",
	}},
}

// actionCodes are Robinhood's words.
var actionCodes = map[string]ActionKind{
	"spl": ActionSplit, "spr": ActionSplit, "soff": ActionSpinOff, "sxch": ActionExchange, "mrgs": ActionExchange,
}

// FindActionKind returns the kind of corporate action that a word is about, none if it is
// not, and whether it names the shares that left or those that came.
func FindActionKind(word string) (kind ActionKind, side parse.Effect) {
	word = WordKey(word)
	switch {
	case strings.HasSuffix(word, " open"):
		side = parse.Opening
	case strings.HasSuffix(word, " close"):
		side = parse.Closing
	}
	if kind = actionCodes[word]; kind != "" {
		return kind, side
	}
	for _, a := range actionWords {
		if slices.ContainsFunc(a.parts, func(part string) bool { return strings.Contains(word, part) }) {
			return a.kind, side
		}
	}
	return "", side
}

// noteSplitFill notes that the row's fill is one side of a split or an exchange.
func (lr *layoutReader) noteSplitFill(w *Row, at parse.Moment) {
	if w.Failed() || len(w.fills) == 0 {
		return
	}
	f := w.fills[len(w.fills)-1]
	out, number, word := lr.r.Out, w.Number, w.word
	warn := func() {
		out.WarnRow(number, "%s of %s was read as fills at the value that the file states.", word, f.Symbol)
	}
	if !isShare(f.Type) && f.Right == "" {
		warn()
		return
	}
	row := ActionRow{
		Kind: ActionSplit, Symbol: f.Symbol, Day: lr.r.ActionDay(at), Quantity: f.Quantity, Side: f.Effect,
		Group: WordKey(word) + " " + f.At.Format(time.RFC3339Nano),
	}
	out.statedActions = append(out.statedActions, statedAction{ActionRow: row, row: number, fill: f, warn: warn})
}

// noteCompany keeps the name of a share's company.
func (lr *layoutReader) noteCompany(w *Row, symbol string) {
	if lr.layout.Company == "" || isNameless(symbol) {
		return
	}
	if name := companyWords(w.Text(lr.layout.Company)); len(name) > 0 {
		out := lr.r.Out
		if out.companies == nil {
			out.companies = map[string][]string{}
		}
		out.companies[symbol] = name
	}
}

// companyWords returns the first two words of a company's name.
func companyWords(text string) []string {
	text, _, _ = strings.Cut(strings.ToUpper(text), "CUSIP:")
	words := strings.Fields(text)
	return words[:min(len(words), 2)]
}

// sameCompany reports whether two names begin alike. The second word can be cut off.
func sameCompany(a, b []string) bool {
	switch {
	case len(a) == 0 || len(b) == 0 || a[0] != b[0]:
		return false
	case len(a) == 1 || len(b) == 1:
		return true
	}
	return strings.HasPrefix(a[1], b[1]) || strings.HasPrefix(b[1], a[1])
}

// candidates returns the file's symbols of a company, except one.
func (s *Statement) candidates(company, except string) (list []string) {
	name := companyWords(company)
	for symbol, other := range s.companies {
		if symbol != except && sameCompany(name, other) {
			list = append(list, symbol)
		}
	}
	slices.Sort(list)
	return list
}

// securityNumber is a CUSIP, with which brokers name securities that have no symbol any more.
var securityNumber = lazyregexp.New(`^[0-9A-Z]{2}\d[0-9A-Z]{5}\d$`)

// isNameless reports whether a row has no symbol, or a number in its place.
func isNameless(symbol string) bool { return symbol == "" || securityNumber().MatchString(symbol) }

// isActionSymbol reports whether the file states a corporate action of a fill's symbol.
func (s *Statement) isActionSymbol(f *Fill) bool {
	return slices.ContainsFunc(s.Actions, func(a Action) bool {
		return a.Symbol == f.Symbol || a.NewSymbol == f.Symbol || slices.Contains(a.Candidates, f.Symbol)
	})
}

// splitEvents returns the splits of a stream of fills whose ratio the file shows, in order.
func (s *Statement) splitEvents(stream []int) (events []matching.Event) {
	first := s.Fills[stream[0]]
	if !isShare(first.Type) {
		return nil
	}
	for _, a := range s.Actions {
		if a.Symbol != first.Symbol || a.New == 0 || !a.Kind.isSplit() {
			continue
		}
		year, month, day := a.Day.Time().Date()
		at := time.Date(year, month, day, 0, 0, 0, 0, actionZone).UnixMicro()
		events = append(events, matching.Event{At: at, New: a.New, Old: a.Old})
	}
	slices.SortStableFunc(events, func(a, b matching.Event) int { return cmp.Compare(a.At, b.At) })
	return events
}
