package tradefilter

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
	"fillbook/internal/trading/instruments"
)

// Type is a parameter's value type, as in JSON.
type Type string

// The types.
const (
	Text    Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Flag    Type = "boolean"
)

// Parameter is an entry in the parameter table: parsing, the API description and the
// documents come from it.
type Parameter struct {
	Name  string
	About string
	Type  Type
	// List is set if the parameter may have several values: separated by commas,
	// repeated, or both.
	List bool
	// Format is a text's format in the API description, if it has one.
	Format string
	// Values are the accepted values; nil means any.
	Values []string
	// Bounds is an integer's range, nil if it has none.
	Bounds *Bounds

	read func(f *Filter, p *Parameter, items []string) error
}

// Bounds is an integer range including both ends.
type Bounds struct{ Min, Max int }

const (
	// maxItems is how many values a parameter can have.
	maxItems = 200
	// maxQuery and maxWords limit q.
	maxQuery = 200
	maxWords = 20
	// maxDays limits days to expiry: the journal's years.
	maxDays = 230 * 366
	// maxRow is how many losses or wins in a row can be tested, and maxNth limits the
	// number of a trade on its day.
	maxRow = 20
	maxNth = 1_000_000
)

var parameters = []Parameter{
	listParameter("account_id", "Accounts. Default: all accounts.", nil, func(f *Filter) *[]journal.AccountID { return &f.Scope.Accounts }),
	instantParameter("from", "The first instant, inclusive.", func(f *Filter) **time.Time { return &f.Scope.Period.From }),
	instantParameter("to", "The last instant, inclusive.", func(f *Filter) **time.Time { return &f.Scope.Period.To }),
	{
		Name: "date_basis", Type: Text, Values: []string{"close", "open"},
		About: "The time that from and to test. Default close: the closing of a closed trade, the opening of an open one.",
		read: func(f *Filter, p *Parameter, items []string) error {
			f.ByOpening = items[0] == "open"
			return p.checkValue(items[0])
		},
	},
	choiceParameter("status", "Open or closed trades. Figures are of closed trades only.", []Status{Open, Closed}, func(f *Filter) *Status { return &f.Status }),
	{
		Name: "currency", Type: Text,
		About: "Convert all amounts into this currency: a result with the rate of its closing day, that of an open trade with the latest. Accounts may then differ in their currencies. 409 rates_missing names missing rates. pnl_min, pnl_max and outcome test the account's own currency.",
		read: func(f *Filter, p *Parameter, items []string) (err error) {
			f.Currency, err = journal.CleanCurrency(p.Name, items[0])
			f.Scope.Mixed = true
			return err
		},
	},
	listParameter("symbol", "Symbols.", strings.ToUpper, func(f *Filter) *[]string { return &f.Symbols }),
	{
		Name: "root", Type: Text, List: true, read: readRoots,
		About: "Roots: the root of a future (NQ finds NQZ6 and not MNQZ6), the underlying of an option, or the symbol itself.",
	},
	choiceParameter("side", "The direction of the trade.", []Side{Long, Short}, func(f *Filter) *Side { return &f.Side }),
	listParameter("instrument_type", "Instrument types, such as stock, option, future, forex or crypto.", strings.ToLower, func(f *Filter) *[]string { return &f.InstrumentTypes }),
	choicesParameter("option_right", "The right of an option.", []string{"call", "put"}, func(f *Filter) *[]string { return &f.OptionRights }),
	wholeParameter("dte_min", "The fewest days from opening to expiry, in filter_tz.", Bounds{-maxDays, maxDays}, func(f *Filter) *decimal.Null { return &f.DTE.Min }),
	wholeParameter("dte_max", "The most days from opening to expiry, in filter_tz.", Bounds{-maxDays, maxDays}, func(f *Filter) *decimal.Null { return &f.DTE.Max }),
	choicesParameter("outcome", "How the trade ended, by its net result and your breakeven tolerance. Open trades have no outcome.", []Outcome{Win, Loss, Breakeven}, func(f *Filter) *[]Outcome { return &f.Outcomes }),
	numberParameter("pnl_min", "The least net result.", func(f *Filter) *decimal.Null { return &f.PnL.Min }),
	numberParameter("pnl_max", "The greatest net result.", func(f *Filter) *decimal.Null { return &f.PnL.Max }),
	numberParameter("r_min", "The least result as a multiple of the initial risk.", func(f *Filter) *decimal.Null { return &f.R.Min }),
	numberParameter("r_max", "The greatest result as a multiple of the initial risk.", func(f *Filter) *decimal.Null { return &f.R.Max }),
	flagParameter("has_r", "Whether the trade has a result in units of risk: it is closed and its initial risk is known.", func(f *Filter) *journal.Opt[bool] { return &f.HasR }),
	numberParameter("hold_min", "The shortest time from opening to closing, in seconds.", func(f *Filter) *decimal.Null { return &f.Hold.Min }),
	numberParameter("hold_max", "The longest time from opening to closing, in seconds.", func(f *Filter) *decimal.Null { return &f.Hold.Max }),
	numberParameter("mae_r_min", "The least MAE as a multiple of the initial risk, by its lower bound.", func(f *Filter) *decimal.Null { return &f.MAER.Min }),
	numberParameter("mae_r_max", "The greatest MAE as a multiple of the initial risk, by its lower bound.", func(f *Filter) *decimal.Null { return &f.MAER.Max }),
	numberParameter("mfe_r_min", "The least MFE as a multiple of the initial risk, by its lower bound.", func(f *Filter) *decimal.Null { return &f.MFER.Min }),
	numberParameter("mfe_r_max", "The greatest MFE as a multiple of the initial risk, by its lower bound.", func(f *Filter) *decimal.Null { return &f.MFER.Max }),
	numberParameter("exit_efficiency_min", "The least exit efficiency, 0 to 1, by its lower bound.", func(f *Filter) *decimal.Null { return &f.ExitEfficiency.Min }),
	numberParameter("exit_efficiency_max", "The greatest exit efficiency, 0 to 1, by its lower bound.", func(f *Filter) *decimal.Null { return &f.ExitEfficiency.Max }),
	numberParameter("atr_pct_min", "The least average true range at entry, in percent of the entry price.", func(f *Filter) *decimal.Null { return &f.ATRPct.Min }),
	numberParameter("atr_pct_max", "The greatest average true range at entry, in percent of the entry price.", func(f *Filter) *decimal.Null { return &f.ATRPct.Max }),
	numberParameter("gap_pct_min", "The least opening gap of the session, in percent.", func(f *Filter) *decimal.Null { return &f.GapPct.Min }),
	numberParameter("gap_pct_max", "The greatest opening gap of the session, in percent.", func(f *Filter) *decimal.Null { return &f.GapPct.Max }),
	numberParameter("relative_volume_min", "The least relative volume at entry.", func(f *Filter) *decimal.Null { return &f.RelativeVolume.Min }),
	numberParameter("relative_volume_max", "The greatest relative volume at entry.", func(f *Filter) *decimal.Null { return &f.RelativeVolume.Max }),
	numberParameter("opening_range_min", "The least place of the entry in the opening range; 0 is its low, 1 its high.", func(f *Filter) *decimal.Null { return &f.OpeningRange.Min }),
	numberParameter("opening_range_max", "The greatest place of the entry in the opening range; 0 is its low, 1 its high.", func(f *Filter) *decimal.Null { return &f.OpeningRange.Max }),
	flagParameter("has_excursion", "Whether MAE and MFE of the trade are known, from price bars or typed.", func(f *Filter) *journal.Opt[bool] { return &f.HasExcursion }),
	wholesParameter("weekday", "Weekdays of the opening in filter_tz; 0 is Sunday.", Bounds{0, 6}, func(f *Filter) *[]int { return &f.Weekdays }),
	wholesParameter("hour", "Hours of the opening in filter_tz.", Bounds{0, 23}, func(f *Filter) *[]int { return &f.Hours }),
	choicesParameter("session", "Sessions of the opening on the clock of New York: premarket from 04:00, rth from 09:30, afterhours from 16:00, overnight from 20:00.", Sessions(), func(f *Filter) *[]Session { return &f.Sessions }),
	countParameter("after_losses", "The last trades, as many, that closed before this one opened, on the same day in filter_tz, were all losses. Breakeven trades are skipped. All trades of the accounts count, whatever else is filtered.", func(f *Filter) *int { return &f.AfterLosses }),
	countParameter("after_wins", "Like after_losses, with wins.", func(f *Filter) *int { return &f.AfterWins }),
	wholeParameter("nth_of_day_min", "The least number of the trade among all openings of the accounts on its day in filter_tz; 1 is the first.", Bounds{1, maxNth}, func(f *Filter) *decimal.Null { return &f.NthOfDay.Min }),
	wholeParameter("nth_of_day_max", "The greatest number of the trade among all openings of the accounts on its day in filter_tz.", Bounds{1, maxNth}, func(f *Filter) *decimal.Null { return &f.NthOfDay.Max }),
	{
		Name: "filter_tz", Type: Text, About: "The IANA time zone of weekday, hour, dte_min, dte_max and the days of after_losses to nth_of_day_max. Default: tz where that is used, otherwise UTC.",
		read: func(f *Filter, p *Parameter, items []string) (err error) {
			f.Zone, err = journal.ParseZone(p.Name, items[0])
			return err
		},
	},
	listParameter("setup_id", "Setups; see setup_mode.", nil, func(f *Filter) *[]journal.SetupID { return &f.Setups }),
	choiceParameter("setup_mode", "Whether a trade must have any of setup_id (default), all of them, or none. none without setup_id finds trades without a setup.", []Mode{Any, All, None}, func(f *Filter) *Mode { return &f.SetupMode }),
	choicesParameter("rule_state", "Whether the trade followed a rule of its setups: the one in rule, or at least one if that is absent.", []RuleState{Followed, Broken, NotApplicable}, func(f *Filter) *[]RuleState { return &f.RuleStates }),
	{
		Name: "rule", Type: Text, About: "The text of a rule of the trade's setups; see rule_state. Without that, the rule has any state.",
		read: func(f *Filter, _ *Parameter, items []string) error {
			f.Rule = items[0]
			return nil
		},
	},
	listParameter("rule_broken", "Trading rules, any of which the trade broke.", nil, func(f *Filter) *[]journal.TradingRuleID { return &f.RulesBroken }),
	listParameter("rule_kept", "Trading rules, any of which the trade kept.", nil, func(f *Filter) *[]journal.TradingRuleID { return &f.RulesKept }),
	listParameter("tag_id", "Tags; see tag_mode.", nil, func(f *Filter) *[]journal.TagID { return &f.Tags }),
	choiceParameter("tag_mode", "Whether a trade must have any of tag_id (default), all of them, or none. none without tag_id finds trades without a tag.", []Mode{Any, All, None}, func(f *Filter) *Mode { return &f.TagMode }),
	flagParameter("mistake", "Whether the trade has a tag that is a mistake.", func(f *Filter) *journal.Opt[bool] { return &f.Mistake }),
	wholesParameter("trade_quality", "Grades of the trade.", Bounds{1, 5}, func(f *Filter) *[]int { return &f.Qualities }),
	listParameter("emotional_state", "Emotional states, in any case.", textindex.Fold, func(f *Filter) *[]string { return &f.EmotionalStates }),
	flagParameter("reviewed", "Whether the trade is marked as reviewed.", func(f *Filter) *journal.Opt[bool] { return &f.Reviewed }),
	flagParameter("has_note", "Whether the trade has notes, or a note is about it.", func(f *Filter) *journal.Opt[bool] { return &f.HasNote }),
	flagParameter("has_attachment", "Whether a file is attached to the trade.", func(f *Filter) *journal.Opt[bool] { return &f.HasAttachment }),
	{
		Name: "import_batch_id", Type: Text, About: "Only trades with a fill of this import.",
		read: func(f *Filter, _ *Parameter, items []string) error {
			f.Batch = journal.BatchID(items[0])
			return nil
		},
	},
	listParameter("trade_id", "Only these trades.", nil, func(f *Filter) *[]journal.TradeID { return &f.Trades }),
	{
		Name: "q", Type: Text, read: readWords,
		About: "Words, each the beginning of a word in the notes, the symbol or the tags of the trade, in any case. All must be found.",
	},
}

// Parameters returns the parameter table.
func Parameters() []Parameter { return slices.Clone(parameters) }

// Parse parses a query's parameters. It ignores other names and empty values. Errors name
// the parameter.
func Parse(values url.Values) (Filter, error) {
	var f Filter
	for i := range parameters {
		p := &parameters[i]
		items, err := p.items(values)
		if err != nil {
			return Filter{}, err
		}
		if len(items) == 0 {
			continue
		}
		if err := p.read(&f, p, items); err != nil {
			return Filter{}, err
		}
	}
	return f, f.check()
}

// Select returns the filter's parameters in a query, each as one value.
func Select(values url.Values) url.Values {
	selected := url.Values{}
	for i := range parameters {
		if items := parameters[i].split(values); len(items) > 0 {
			selected.Set(parameters[i].Name, strings.Join(items, ","))
		}
	}
	return selected
}

// check compares parameters with each other.
func (f *Filter) check() error {
	for _, r := range []struct {
		name string
		Range
	}{
		{"pnl", f.PnL},
		{"r", f.R},
		{"hold", f.Hold},
		{"dte", f.DTE},
		{"mae_r", f.MAER},
		{"mfe_r", f.MFER},
		{"exit_efficiency", f.ExitEfficiency},
		{"atr_pct", f.ATRPct},
		{"gap_pct", f.GapPct},
		{"relative_volume", f.RelativeVolume},
		{"opening_range", f.OpeningRange},
		{"nth_of_day", f.NthOfDay},
	} {
		if r.Min.Valid && r.Max.Valid && r.Min.Decimal.Cmp(r.Max.Decimal) > 0 {
			return journal.InvalidField(r.name+"_min", "%s_min must not be above %s_max.", r.name, r.name)
		}
	}
	return f.Scope.Period.Check()
}

// items returns the parameter's values, none if it is absent.
func (p *Parameter) items(values url.Values) ([]string, error) {
	items := p.split(values)
	if len(items) > maxItems {
		return nil, journal.InvalidField(p.Name, "%s must have at most %d values.", p.Name, maxItems)
	}
	return items, nil
}

// split returns the parameter's values. Empty and repeated list values are dropped.
func (p *Parameter) split(values url.Values) []string {
	sent := values[p.Name]
	if !p.List {
		if len(sent) == 0 || sent[0] == "" {
			return nil
		}
		return sent[:1]
	}
	var items []string
	seen := map[string]bool{}
	for _, value := range sent {
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" && !seen[item] {
				seen[item] = true
				items = append(items, item)
			}
		}
	}
	return items
}

// refuse returns an invalid value's error. The message continues the name.
func (p *Parameter) refuse(format string, args ...any) error {
	return journal.InvalidField(p.Name, p.Name+" "+format, args...)
}

// checkValue returns an error if a value is not in Values.
func (p *Parameter) checkValue(value string) error {
	if slices.Contains(p.Values, value) {
		return nil
	}
	last := len(p.Values) - 1
	return p.refuse("must be %s or %s.", strings.Join(p.Values[:last], ", "), p.Values[last])
}

func listParameter[T ~string](name, about string, convert func(string) string, of func(*Filter) *[]T) Parameter {
	return Parameter{Name: name, About: about, Type: Text, List: true, read: func(f *Filter, _ *Parameter, items []string) error {
		for _, item := range items {
			if convert != nil {
				item = convert(item)
			}
			*of(f) = append(*of(f), T(item))
		}
		return nil
	}}
}

func choiceParameter[T ~string](name, about string, values []T, of func(*Filter) *T) Parameter {
	return Parameter{Name: name, About: about, Type: Text, Values: toTexts(values), read: func(f *Filter, p *Parameter, items []string) error {
		*of(f) = T(items[0])
		return p.checkValue(items[0])
	}}
}

func choicesParameter[T ~string](name, about string, values []T, of func(*Filter) *[]T) Parameter {
	return Parameter{Name: name, About: about, Type: Text, List: true, Values: toTexts(values), read: func(f *Filter, p *Parameter, items []string) error {
		for _, item := range items {
			if err := p.checkValue(item); err != nil {
				return err
			}
			*of(f) = append(*of(f), T(item))
		}
		return nil
	}}
}

func toTexts[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}

func instantParameter(name, about string, of func(*Filter) **time.Time) Parameter {
	return Parameter{Name: name, About: about, Type: Text, Format: "date-time", read: func(f *Filter, p *Parameter, items []string) error {
		at, err := journal.ParseInstant(p.Name, items[0])
		*of(f) = &at
		return err
	}}
}

func flagParameter(name, about string, of func(*Filter) *journal.Opt[bool]) Parameter {
	return Parameter{Name: name, About: about, Type: Flag, read: func(f *Filter, p *Parameter, items []string) error {
		switch strings.ToLower(items[0]) {
		case "true", "1":
			*of(f) = journal.Some(true)
		case "false", "0":
			*of(f) = journal.Some(false)
		default:
			return p.refuse("must be true or false.")
		}
		return nil
	}}
}

func numberParameter(name, about string, of func(*Filter) *decimal.Null) Parameter {
	return Parameter{Name: name, About: about, Type: Number, read: func(f *Filter, p *Parameter, items []string) error {
		value, err := decimal.Parse(items[0])
		if err != nil {
			return p.refuse("must be a number.")
		}
		*of(f) = decimal.Of(value)
		return nil
	}}
}

func wholeParameter(name, about string, bounds Bounds, of func(*Filter) *decimal.Null) Parameter {
	return Parameter{Name: name, About: about, Type: Integer, Bounds: &bounds, read: func(f *Filter, p *Parameter, items []string) error {
		n, err := p.parseWhole(items[0])
		*of(f) = decimal.Of(decimal.New(int64(n)))
		return err
	}}
}

func countParameter(name, about string, of func(*Filter) *int) Parameter {
	return Parameter{Name: name, About: about, Type: Integer, Bounds: &Bounds{1, maxRow}, read: func(f *Filter, p *Parameter, items []string) (err error) {
		*of(f), err = p.parseWhole(items[0])
		return err
	}}
}

func wholesParameter(name, about string, bounds Bounds, of func(*Filter) *[]int) Parameter {
	return Parameter{Name: name, About: about, Type: Integer, List: true, Bounds: &bounds, read: func(f *Filter, p *Parameter, items []string) error {
		for _, item := range items {
			n, err := p.parseWhole(item)
			if err != nil {
				return err
			}
			*of(f) = append(*of(f), n)
		}
		return nil
	}}
}

func (p *Parameter) parseWhole(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < p.Bounds.Min || n > p.Bounds.Max {
		return 0, p.refuse("must be a whole number from %d to %d.", p.Bounds.Min, p.Bounds.Max)
	}
	return n, nil
}

// readRoots reads roots. A root's other name also finds the root.
func readRoots(f *Filter, _ *Parameter, items []string) error {
	for _, item := range items {
		item = strings.ToUpper(item)
		f.Roots = append(f.Roots, item)
		if root := instruments.ResolveAlias(item); root != item {
			f.Roots = append(f.Roots, root)
		}
	}
	return nil
}

func readWords(f *Filter, p *Parameter, items []string) (err error) {
	f.Words, err = ParseWords(p.Name, items[0])
	return err
}

// ParseWords returns a search's words, folded, each once. Errors name the parameter.
func ParseWords(name, text string) ([]string, error) {
	if len(text) > maxQuery {
		return nil, journal.InvalidField(name, "%s must be at most %d bytes long.", name, maxQuery)
	}
	words := textindex.SplitWords(text)
	slices.Sort(words)
	words = slices.Compact(words)
	switch {
	case len(words) == 0:
		return nil, journal.InvalidField(name, "%s must contain a letter or a digit.", name)
	case len(words) > maxWords:
		return nil, journal.InvalidField(name, "%s must have at most %d words.", name, maxWords)
	}
	return words, nil
}
