package rules

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Params are a rule's parameters; each kind has some of them. The tags are their names in
// JSON, and their descriptions in the API.
type Params struct {
	N         int               `json:"n,omitzero" doc:"A count from 1: stop_after_losses, max_losses, max_trades, max_open; cool_down (default 1): losses in a row."`
	Amount    decimal.Null      `json:"amount,omitzero" doc:"Money above 0: max_daily_loss, stop_at_profit, max_open_risk."`
	Share     decimal.Null      `json:"share,omitzero" doc:"Above 0, at most 1: give_back."`
	MinPeak   decimal.Null      `json:"min_peak,omitzero" doc:"give_back, optional: the least peak."`
	Minutes   decimal.Null      `json:"minutes,omitzero" doc:"cool_down."`
	Before    string            `json:"before,omitzero" doc:"no_trading: HH:MM, excluded itself."`
	After     string            `json:"after,omitzero" doc:"no_trading: HH:MM, included."`
	Between   []string          `json:"between,omitzero" doc:"no_trading: HH:MM-HH:MM, the end excluded; may run over midnight."`
	Quantity  decimal.Null      `json:"quantity,omitzero" doc:"max_size, one of quantity, notional, risk and equity_pct."`
	Notional  decimal.Null      `json:"notional,omitzero" doc:"max_size: position × price × multiplier."`
	Risk      decimal.Null      `json:"risk,omitzero" doc:"max_size: the initial risk."`
	EquityPct decimal.Null      `json:"equity_pct,omitzero" doc:"max_size: notional in percent of the account's equity before the opening."`
	SetupIDs  []journal.SetupID `json:"setup_ids,omitzero" doc:"only_setups, avoid_setups."`
	TagIDs    []journal.TagID   `json:"tag_ids,omitzero" doc:"avoid_tags."`
	Symbols   []string          `json:"symbols,omitzero" doc:"only_symbols: symbols or roots."`
	Ratio     decimal.Null      `json:"ratio,omitzero" doc:"min_reward_risk."`
	Hours     decimal.Null      `json:"hours,omitzero" doc:"review_by."`
	Unit      Unit              `json:"unit,omitzero" enum:"trade,strategy" doc:"stop_after_losses, max_losses, max_trades, max_open, cool_down: what counts as one opening and one close. Default trade. With strategy, each accepted or manual strategy counts as one, closed when its last trade is, and every other trade by itself."`
}

// Unit is what counts as one opening and one close.
type Unit string

// The units. UnitStrategy counts accepted and manual strategies as one each.
const (
	UnitTrade    Unit = "trade"
	UnitStrategy Unit = "strategy"
)

// Units returns all units.
func Units() []Unit { return []Unit{UnitTrade, UnitStrategy} }

// spec lists a kind's parameters by name.
type spec struct{ required, optional []string }

var specs = map[Kind]spec{
	StopAfterLosses:  {required: []string{"n"}, optional: []string{"unit"}},
	MaxLosses:        {required: []string{"n"}, optional: []string{"unit"}},
	MaxTrades:        {required: []string{"n"}, optional: []string{"unit"}},
	MaxOpen:          {required: []string{"n"}, optional: []string{"unit"}},
	MaxDailyLoss:     {required: []string{"amount"}},
	StopAtProfit:     {required: []string{"amount"}},
	MaxOpenRisk:      {required: []string{"amount"}},
	GiveBack:         {required: []string{"share"}, optional: []string{"min_peak"}},
	CoolDown:         {required: []string{"minutes"}, optional: []string{"n", "unit"}},
	NoTrading:        {optional: []string{"before", "after", "between"}},
	MaxSize:          {optional: sizeNames},
	OnlySetups:       {required: []string{"setup_ids"}},
	AvoidSetups:      {required: []string{"setup_ids"}},
	AvoidTags:        {required: []string{"tag_ids"}},
	OnlySymbols:      {required: []string{"symbols"}},
	MinRewardRisk:    {required: []string{"ratio"}},
	ReviewBy:         {required: []string{"hours"}},
	StopSet:          {},
	NoAddingToLosers: {},
}

// sizeNames are the limits of max_size, of which a rule has one.
var sizeNames = []string{"quantity", "notional", "risk", "equity_pct"}

// Names returns the names of a kind's parameters, the required ones first.
func Names(kind Kind) []string { return slices.Concat(specs[kind].required, specs[kind].optional) }

const (
	maxCount  = 1_000_000
	maxListed = 200
)

// number is a numeric parameter other than n.
type number struct {
	name string
	at   *decimal.Null
	max  decimal.Decimal // 0 means no maximum
}

func (p *Params) numbers() []number {
	const most = 1_000_000
	return []number{
		{"amount", &p.Amount, decimal.Zero},
		{"share", &p.Share, decimal.New(1)},
		{"min_peak", &p.MinPeak, decimal.Zero},
		{"minutes", &p.Minutes, decimal.New(most)},
		{"quantity", &p.Quantity, decimal.Zero},
		{"notional", &p.Notional, decimal.Zero},
		{"risk", &p.Risk, decimal.Zero},
		{"equity_pct", &p.EquityPct, decimal.Zero},
		{"ratio", &p.Ratio, decimal.Zero},
		{"hours", &p.Hours, decimal.New(most)},
	}
}

// set returns the names of the parameters that are present.
func (p *Params) set() (names []string) {
	add := func(name string, is bool) {
		if is {
			names = append(names, name)
		}
	}
	add("n", p.N != 0)
	for _, n := range p.numbers() {
		add(n.name, n.at.Valid)
	}
	add("before", p.Before != "")
	add("after", p.After != "")
	add("between", len(p.Between) > 0)
	add("setup_ids", len(p.SetupIDs) > 0)
	add("tag_ids", len(p.TagIDs) > 0)
	add("symbols", len(p.Symbols) > 0)
	add("unit", p.Unit != "")
	return names
}

// Set sets a parameter from text, as a query has it; lists are separated by commas.
func (p *Params) Set(name, text string) error {
	split := func() []string {
		return slices.DeleteFunc(strings.Split(text, ","), func(item string) bool { return strings.TrimSpace(item) == "" })
	}
	switch name {
	case "n":
		n, err := strconv.Atoi(text)
		if p.N = n; err != nil || n < 1 {
			return refuse("n", "must be a whole number from 1 to %d.", maxCount)
		}
	case "before":
		p.Before = text
	case "after":
		p.After = text
	case "between":
		p.Between = split()
	case "symbols":
		p.Symbols = split()
	case "setup_ids":
		p.SetupIDs = toIDs[journal.SetupID](split())
	case "tag_ids":
		p.TagIDs = toIDs[journal.TagID](split())
	case "unit":
		p.Unit = Unit(text)
	default:
		for _, n := range p.numbers() {
			if n.name == name {
				value, err := decimal.Parse(text)
				*n.at = decimal.Of(value)
				if err != nil {
					return refuse(name, "must be a number.")
				}
				return nil
			}
		}
		return refuse(name, "is not a parameter.")
	}
	return nil
}

func toIDs[T ~string](texts []string) []T {
	ids := make([]T, len(texts))
	for i, text := range texts {
		ids[i] = T(text)
	}
	return ids
}

// IsNumber reports whether a kind has a numeric parameter with that name.
func IsNumber(kind Kind, name string) bool {
	return slices.Contains(Names(kind), name) && IsNumberName(name)
}

// IsNumberName reports whether a parameter with that name is numeric.
func IsNumberName(name string) bool {
	var p Params
	return name == "n" || slices.ContainsFunc(p.numbers(), func(n number) bool { return n.name == name })
}

// refuse returns an invalid parameter's error.
func refuse(name, format string, args ...any) error {
	return journal.InvalidField("params."+name, "params."+name+" "+format, args...)
}

// check returns the parameters in their canonical form.
func (p Params) check(kind Kind) (Params, error) {
	set := p.set()
	for _, name := range specs[kind].required {
		if !slices.Contains(set, name) {
			return p, refuse(name, "is required for %s.", kind)
		}
	}
	for _, name := range set {
		if !slices.Contains(Names(kind), name) {
			return p, refuse(name, "is not a parameter of %s.", kind)
		}
	}
	if kind == MaxSize && len(set) != 1 {
		return p, journal.InvalidField("params", "params must have exactly one of %s.", strings.Join(sizeNames, ", "))
	}
	if err := p.checkNumbers(); err != nil {
		return p, err
	}
	if err := p.checkTimes(); err != nil {
		return p, err
	}
	if kind == CoolDown && p.N == 0 {
		p.N = 1
	}
	if p.Unit != "" && !slices.Contains(Units(), p.Unit) {
		return p, refuse("unit", "must be one of %s.", joinNames(Units()))
	}
	return p.checkLists()
}

func (p *Params) checkNumbers() error {
	if p.N < 0 || p.N > maxCount {
		return refuse("n", "must be a whole number from 1 to %d.", maxCount)
	}
	for _, n := range p.numbers() {
		switch {
		case !n.at.Valid:
		case n.at.Decimal.Sign() <= 0:
			return refuse(n.name, "must be above 0.")
		case n.max.Sign() > 0 && n.at.Decimal.Cmp(n.max) > 0:
			return refuse(n.name, "must be at most %s.", n.max)
		}
	}
	return nil
}

func (p *Params) checkTimes() error {
	for name, text := range map[string]string{"before": p.Before, "after": p.After} {
		if _, ok := parseMinute(text); text != "" && !ok {
			return refuse(name, "must be a time such as 09:30.")
		}
	}
	if len(p.Between) > maxListed {
		return refuse("between", "must have at most %d values.", maxListed)
	}
	for _, text := range p.Between {
		if _, ok := parseWindow(text); !ok {
			return refuse("between", "must be ranges such as 11:30-13:00, whose ends differ.")
		}
	}
	return nil
}

func (p Params) checkLists() (Params, error) {
	for i := range p.Symbols {
		symbol, err := journal.CleanSymbol("params.symbols", p.Symbols[i])
		if err != nil {
			return p, err
		}
		p.Symbols = slices.Clone(p.Symbols)
		p.Symbols[i] = strings.ToUpper(symbol)
	}
	var err error
	if p.Symbols, err = sortList("symbols", p.Symbols); err != nil {
		return p, err
	}
	if p.SetupIDs, err = sortList("setup_ids", p.SetupIDs); err != nil {
		return p, err
	}
	p.TagIDs, err = sortList("tag_ids", p.TagIDs)
	return p, err
}

func sortList[T ~string](name string, list []T) ([]T, error) {
	if len(list) > maxListed {
		return nil, refuse(name, "must have at most %d values.", maxListed)
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if slices.Contains(sorted, "") {
		return nil, refuse(name, "must not have an empty value.")
	}
	return sorted, nil
}

// Window is a part of the day in minutes; To is excluded. It runs over midnight if From
// is above To.
type Window struct{ From, To int }

// Contains reports whether a minute of the day is in the window.
func (w Window) Contains(minute int) bool {
	if w.From < w.To {
		return w.From <= minute && minute < w.To
	}
	return minute >= w.From || minute < w.To
}

const minutesPerDay = 24 * 60

// Windows returns the times without trading; the whole day if none is named.
func (p *Params) Windows() (list []Window) {
	if before, ok := parseMinute(p.Before); ok && before > 0 {
		list = append(list, Window{0, before})
	}
	if after, ok := parseMinute(p.After); ok {
		list = append(list, Window{after, minutesPerDay})
	}
	for _, text := range p.Between {
		if window, ok := parseWindow(text); ok {
			list = append(list, window)
		}
	}
	if p.Before == "" && p.After == "" && len(p.Between) == 0 {
		list = []Window{{0, minutesPerDay}}
	}
	return list
}

// parseMinute parses HH:MM as a minute of the day.
func parseMinute(text string) (int, bool) {
	if len(text) != 5 || text[2] != ':' {
		return 0, false
	}
	for _, at := range []int{0, 1, 3, 4} {
		if text[at] < '0' || text[at] > '9' {
			return 0, false
		}
	}
	hour, minute := int(text[0]-'0')*10+int(text[1]-'0'), int(text[3]-'0')*10+int(text[4]-'0')
	return hour*60 + minute, hour < 24 && minute < 60
}

func parseWindow(text string) (Window, bool) {
	begin, end, found := strings.Cut(text, "-")
	from, ok := parseMinute(begin)
	to, also := parseMinute(end)
	return Window{from, to}, found && ok && also && from != to
}

// Encode returns the parameters as JSON.
func (p *Params) Encode() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic("rules: encoding parameters: " + err.Error()) // all members can be encoded
	}
	return string(text)
}

// DecodeParams parses [Params.Encode].
func DecodeParams(text string) (p Params, err error) {
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

func joinNames[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}
