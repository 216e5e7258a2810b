// Package programs evaluates prop firm programs: rules for a balance that follows from
// trades, with the program's own days. It computes only; it stores nothing and reads no
// clock. oracle/ evaluates the same rules slowly.
package programs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Kind is a rule kind.
type Kind string

// The rule kinds. The first group are limits, which can be breached; the second are
// requirements, which are met or not.
const (
	MaxLoss      Kind = "max_loss"
	DailyLoss    Kind = "daily_loss"
	MaxDays      Kind = "max_days"
	MaxContracts Kind = "max_contracts"
	ScalingPlan  Kind = "scaling_plan"
	FlatBy       Kind = "flat_by"
	Inactivity   Kind = "inactivity"

	ProfitTarget  Kind = "profit_target"
	Consistency   Kind = "consistency"
	MinDays       Kind = "min_days"
	MinProfitDays Kind = "min_profit_days"
	Payouts       Kind = "payout"
)

// IsRequirement reports whether rules with this kind are met or not, and cannot be breached.
func (k Kind) IsRequirement() bool {
	return slices.Contains([]Kind{ProfitTarget, Consistency, MinDays, MinProfitDays, Payouts}, k)
}

// Effect is what a rule does if it is breached or not met.
type Effect string

// The effects. Pause and CountDays are those of daily losses only.
const (
	Fail        Effect = "fail"
	Pause       Effect = "pause"
	CountDays   Effect = "count"
	BlockPass   Effect = "block_pass"
	BlockPayout Effect = "block_payout"
	Warn        Effect = "warn"
)

// The words that rules use. The first of each group is the default.
const (
	Static          = "static"
	TrailingEOD     = "trailing_eod"
	TrailingClosed  = "trailing_closed"
	TrailingOpen    = "trailing_intraday"
	TestTouch       = "touch"
	TestBelow       = "below"
	TestAtMost      = "at_most"
	OnEquity        = "equity"
	OnBalance       = "balance"
	BasisInitial    = "initial"
	BasisAnchor     = "anchor"
	AnchorBalance   = "balance"
	AnchorEquity    = "equity"
	AnchorHigher    = "higher"
	Intraday        = "intraday"
	DayEnd          = "day_end"
	CountAny        = "any"
	CountOpening    = "opening"
	UnitCalendar    = "calendar"
	UnitTrading     = "trading"
	FloorKeep       = "keep"
	FloorToInitial  = "to_initial"
	FloorByAmount   = "by_amount"
	PhaseEvaluation = "evaluation"
	PhaseVerify     = "verification"
	PhaseFunded     = "funded"
	PhaseLive       = "live"
)

// Program is a prop firm program.
type Program struct {
	Firm    string `json:"firm"`
	Name    string `json:"name"`
	Phase   string `json:"phase" enum:"evaluation,verification,funded,live"`
	Product string `json:"product" enum:"futures,cfd,stocks"`
	Version int    `json:"version" minimum:"1"`

	Currency       string          `json:"currency"`
	InitialBalance decimal.Decimal `json:"initial_balance" doc:"The balance at the start. 0 or above."`
	// ZeroBased programs begin with a balance of 0; InitialBalance is their size.
	ZeroBased bool      `json:"zero_based"`
	Day       DayBounds `json:"day"`
	Rules     []Rule    `json:"rules"`

	Sources []string `json:"sources"`
	// CheckedOn is the day on which the figures were compared with the sources.
	CheckedOn journal.Day `json:"checked_on,omitzero"`
	// NotEvaluated lists rules of the firm that cannot be evaluated.
	NotEvaluated []string `json:"not_evaluated"`
}

// DayBounds is when a program's day begins.
type DayBounds struct {
	Reset string `json:"reset" doc:"The time of day at which a day begins, such as 17:00. From 12:00 on it begins the next date."`
	Zone  string `json:"zone" doc:"The IANA time zone of reset."`
}

// Rule is a program's rule. Which parameters it has depends on its kind.
type Rule struct {
	Kind   Kind   `json:"kind" enum:"max_loss,daily_loss,profit_target,consistency,min_days,min_profit_days,max_days,max_contracts,scaling_plan,flat_by,inactivity,payout"`
	Effect Effect `json:"effect,omitzero" enum:"fail,pause,count,block_pass,block_payout,warn" doc:"Default: fail for limits, block_pass for requirements, block_payout for payout."`

	Mode     string       `json:"mode,omitzero" enum:"static,trailing_eod,trailing_closed,trailing_intraday" doc:"max_loss: how the floor moves."`
	Amount   decimal.Null `json:"amount,omitzero" doc:"max_loss, daily_loss, profit_target, min_profit_days: an amount, or fraction."`
	Fraction decimal.Null `json:"fraction,omitzero" doc:"The amount as a fraction of the starting balance; consistency: the largest share of the best day."`
	Lock     *Lock        `json:"lock,omitzero" doc:"max_loss: the floor stops at the starting balance plus offset."`
	Test     string       `json:"test,omitzero" enum:"touch,below,at_most" doc:"max_loss, daily_loss: touch or below; consistency: at_most or below."`
	On       string       `json:"on,omitzero" enum:"equity,balance" doc:"max_loss: whether open profit counts."`

	Basis      string `json:"basis,omitzero" enum:"initial,anchor" doc:"daily_loss: what fraction is taken of."`
	Anchor     string `json:"anchor,omitzero" enum:"balance,equity,higher" doc:"daily_loss: the value at the reset from which the loss counts."`
	Evaluation string `json:"evaluation,omitzero" enum:"intraday,day_end" doc:"daily_loss: when it is tested."`
	Count      Count  `json:"count,omitzero" doc:"daily_loss: how many days fail the program, with the effect count; min_days: any or opening."`

	N       int          `json:"n,omitzero" doc:"min_days, min_profit_days, max_days, max_contracts, scaling_plan: how many."`
	Unit    string       `json:"unit,omitzero" enum:"calendar,trading" doc:"max_days: which days count."`
	Micro   decimal.Null `json:"micro,omitzero" doc:"max_contracts, scaling_plan: how much a micro contract counts. Default: 0.1."`
	Steps   []Step       `json:"steps,omitzero" doc:"scaling_plan: contracts by profit at the end of the day before, ascending."`
	Time    string       `json:"time,omitzero" doc:"flat_by: the time of day, such as 16:59."`
	Zone    string       `json:"zone,omitzero" doc:"flat_by: the zone of time. Default: the program's."`
	Weekday []int        `json:"weekdays,omitzero" doc:"flat_by: 0 is Sunday. Default: all."`
	Days    int          `json:"days,omitzero" doc:"inactivity: how many whole days without a fill."`

	MinAmount   decimal.Null `json:"min_amount,omitzero" doc:"payout"`
	MaxAmount   decimal.Null `json:"max_amount,omitzero" doc:"payout"`
	Buffer      decimal.Null `json:"buffer,omitzero" doc:"payout: the profit that must remain."`
	ProfitDays  *ProfitDays  `json:"min_profit_days,omitzero" doc:"payout"`
	Consistency decimal.Null `json:"consistency,omitzero" doc:"payout: the largest share of the best day."`
	MaxCount    int          `json:"max_count,omitzero" doc:"payout: how many payouts there are."`
	Split       decimal.Null `json:"split,omitzero" doc:"payout: the trader's share."`
	Floor       string       `json:"floor,omitzero" enum:"keep,to_initial,by_amount" doc:"payout: what it does to the floor."`
}

// Lock stops a trailing floor.
type Lock struct {
	Offset decimal.Decimal `json:"offset" doc:"Added to the starting balance."`
}

// Step is a step in a scaling plan.
type Step struct {
	Above decimal.Decimal `json:"above"`
	N     int             `json:"n"`
}

// ProfitDays are the days with a minimum profit that a payout needs.
type ProfitDays struct {
	N      int             `json:"n"`
	Amount decimal.Decimal `json:"amount"`
}

// Count is a number or a word: what a rule counts up to, or what it counts.
type Count string

// Number returns the count as a number, 0 for a word.
func (c Count) Number() int {
	n, _ := strconv.Atoi(string(c))
	return n
}

// MarshalJSON writes a number as such.
func (c Count) MarshalJSON() ([]byte, error) {
	if n := c.Number(); n > 0 {
		return strconv.AppendInt(nil, int64(n), 10), nil
	}
	return strconv.AppendQuote(nil, string(c)), nil
}

// UnmarshalJSON reads a number or a word.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = Count(strings.Trim(string(b), `"`))
	if *c == "null" {
		*c = ""
	}
	return nil
}

// EffectOrDefault returns the effect, or that of the rule's kind.
func (r *Rule) EffectOrDefault() Effect {
	switch {
	case r.Effect != "":
		return r.Effect
	case r.Kind == Payouts:
		return BlockPayout
	case r.Kind.IsRequirement():
		return BlockPass
	default:
		return Fail
	}
}

// amountOf returns an amount, or the fraction of a balance.
func (r *Rule) amountOf(balance decimal.Decimal) decimal.Decimal {
	if r.Amount.Valid {
		return r.Amount.Decimal
	}
	return r.Fraction.Decimal.Mul(balance)
}

// isBreachedAt reports whether a value that must stay above a limit does not.
func (r *Rule) isBreachedAt(value, limit decimal.Decimal) bool {
	if r.Test == TestBelow {
		return value.Cmp(limit) < 0
	}
	return value.Cmp(limit) <= 0
}

var defaultMicro = decimal.FromScaled(1, 1)

// StartingBalance returns the balance that an enrollment begins with.
func (p *Program) StartingBalance() decimal.Decimal {
	if p.ZeroBased {
		return decimal.Zero
	}
	return p.InitialBalance
}

// MayBeOutdated reports whether the figures were checked more than 180 days before a day.
func (p *Program) MayBeOutdated(today journal.Day) bool {
	return p.CheckedOn != "" && p.CheckedOn.DaysUntil(today) > 180
}

// canPass reports whether the program ends when its requirements are met.
func (p *Program) canPass() bool { return p.Phase == PhaseEvaluation || p.Phase == PhaseVerify }

// The largest numbers and lists that programs may have. They bound the work of an evaluation.
const (
	maxRules   = 30
	maxOfKind  = 4
	maxSources = 20
	maxSteps   = 20
	maxNumber  = 10_000
)

// Check returns why a program is invalid. The error names its field.
func (p *Program) Check() error {
	var err error
	if p.Firm, err = journal.CleanRequiredName("firm", p.Firm); err != nil {
		return err
	}
	if p.Name, err = journal.CleanRequiredName("name", p.Name); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]string{PhaseEvaluation, PhaseVerify, PhaseFunded, PhaseLive}, p.Phase):
		return journal.InvalidField("phase", "phase must be evaluation, verification, funded or live.")
	case !slices.Contains([]string{"futures", "cfd", "stocks"}, p.Product):
		return journal.InvalidField("product", "product must be futures, cfd or stocks.")
	case p.InitialBalance.Sign() < 0 || !p.InitialBalance.IsShort(15, 8):
		return journal.InvalidField("initial_balance", "initial_balance must be 0 or above.")
	case len(p.Rules) > maxRules:
		return journal.InvalidField("rules", "rules must be at most %d.", maxRules)
	}
	if _, err := newDayClock(p.Day); err != nil {
		return err
	}
	if p.Sources, err = checkTexts("sources", p.Sources); err != nil {
		return err
	}
	if p.NotEvaluated, err = checkTexts("not_evaluated", p.NotEvaluated); err != nil {
		return err
	}
	kinds := map[Kind]int{}
	for i := range p.Rules {
		if kinds[p.Rules[i].Kind]++; kinds[p.Rules[i].Kind] > maxOfKind {
			return journal.InvalidField("rules", "rules must have at most %d of one kind.", maxOfKind)
		}
		if err := p.Rules[i].check(fmt.Sprintf("rules.%d", i), p.StartingBalance()); err != nil {
			return err
		}
	}
	return nil
}

func checkTexts(field string, list []string) ([]string, error) {
	if len(list) > maxSources {
		return nil, journal.InvalidField(field, "%s must be at most %d.", field, maxSources)
	}
	clean := make([]string, len(list))
	for i, text := range list {
		var err error
		if clean[i], err = journal.CleanRequiredName(field, text); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// parameters lists which parameters each kind has.
var parameters = map[Kind][]string{
	MaxLoss:       {"mode", "amount", "fraction", "lock", "test", "on"},
	DailyLoss:     {"amount", "fraction", "basis", "anchor", "count", "evaluation", "test"},
	ProfitTarget:  {"amount", "fraction"},
	Consistency:   {"fraction", "test"},
	MinDays:       {"n", "count"},
	MinProfitDays: {"n", "amount", "fraction"},
	MaxDays:       {"n", "unit"},
	MaxContracts:  {"n", "micro"},
	ScalingPlan:   {"n", "steps", "micro"},
	FlatBy:        {"time", "zone", "weekdays"},
	Inactivity:    {"days"},
	Payouts:       {"min_amount", "max_amount", "buffer", "min_profit_days", "consistency", "max_count", "split", "floor"},
}

// set returns the names of the parameters that a rule has.
func (r *Rule) set() (names []string) {
	for name, isSet := range map[string]bool{
		"mode": r.Mode != "", "amount": r.Amount.Valid, "fraction": r.Fraction.Valid, "lock": r.Lock != nil, "test": r.Test != "", "on": r.On != "",
		"basis": r.Basis != "", "anchor": r.Anchor != "", "evaluation": r.Evaluation != "", "count": r.Count != "", "n": r.N != 0, "unit": r.Unit != "",
		"micro": r.Micro.Valid, "steps": len(r.Steps) > 0, "time": r.Time != "", "zone": r.Zone != "", "weekdays": len(r.Weekday) > 0, "days": r.Days != 0,
		"min_amount": r.MinAmount.Valid, "max_amount": r.MaxAmount.Valid, "buffer": r.Buffer.Valid, "min_profit_days": r.ProfitDays != nil,
		"consistency": r.Consistency.Valid, "max_count": r.MaxCount != 0, "split": r.Split.Valid, "floor": r.Floor != "",
	} {
		if isSet {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// check returns why a rule is invalid. field is its place in the program.
func (r *Rule) check(field string, start decimal.Decimal) error {
	known, isKind := parameters[r.Kind]
	if !isKind {
		return journal.InvalidField(field+".kind", "%s.kind is unknown.", field)
	}
	for _, name := range r.set() {
		if !slices.Contains(known, name) {
			return journal.InvalidField(field+"."+name, "%s: %s has no %s.", field, r.Kind, name)
		}
	}
	for _, check := range []func(*Rule, decimal.Decimal) (string, string){(*Rule).checkWords, (*Rule).checkAmounts, (*Rule).checkNumbers} {
		if name, problem := check(r, start); name != "" {
			return journal.InvalidField(field+"."+name, "%s.%s %s", field, name, problem)
		}
	}
	return nil
}

// checkWords returns the first parameter with an unknown word, and what it must be.
func (r *Rule) checkWords(decimal.Decimal) (name, problem string) {
	effects := []string{string(Fail), string(Warn)}
	tests := []string{TestTouch, TestBelow}
	counts := []string{}
	switch {
	case r.Kind == DailyLoss:
		effects = []string{string(Fail), string(Pause), string(CountDays), string(Warn)}
	case r.Kind.IsRequirement():
		effects = []string{string(BlockPass), string(BlockPayout), string(Warn)}
	}
	switch r.Kind {
	case Consistency:
		tests = []string{TestAtMost, TestBelow}
	case MinDays:
		counts = []string{CountAny, CountOpening}
	default:
	}
	for _, w := range []struct {
		name, word string
		words      []string
	}{
		{"effect", string(r.Effect), effects},
		{"mode", r.Mode, []string{Static, TrailingEOD, TrailingClosed, TrailingOpen}},
		{"test", r.Test, tests},
		{"on", r.On, []string{OnEquity, OnBalance}},
		{"basis", r.Basis, []string{BasisInitial, BasisAnchor}},
		{"anchor", r.Anchor, []string{AnchorBalance, AnchorEquity, AnchorHigher}},
		{"evaluation", r.Evaluation, []string{Intraday, DayEnd}},
		{"unit", r.Unit, []string{UnitCalendar, UnitTrading}},
		{"floor", r.Floor, []string{FloorKeep, FloorToInitial, FloorByAmount}},
	} {
		if w.word != "" && !slices.Contains(w.words, w.word) {
			return w.name, "must be " + strings.Join(w.words, ", ") + "."
		}
	}
	switch {
	case r.Kind == MinDays && r.Count != "" && !slices.Contains(counts, string(r.Count)):
		return "count", "must be any or opening."
	case r.Kind == DailyLoss && r.Effect == CountDays && (r.Count.Number() < 1 || r.Count.Number() > maxNumber):
		return "count", "must be a whole number above 0 with the effect count."
	case r.Kind == DailyLoss && r.Effect != CountDays && r.Count != "":
		return "count", "needs the effect count."
	}
	return "", ""
}

// checkAmounts returns the first amount that is missing or out of range.
func (r *Rule) checkAmounts(start decimal.Decimal) (name, problem string) {
	for _, a := range []struct {
		name     string
		value    decimal.Null
		zero     bool // whether it may be 0
		fraction bool
	}{
		{name: "amount", value: r.Amount},
		{name: "fraction", value: r.Fraction, fraction: true},
		{name: "micro", value: r.Micro},
		{name: "min_amount", value: r.MinAmount, zero: true},
		{name: "max_amount", value: r.MaxAmount},
		{name: "buffer", value: r.Buffer, zero: true},
		{name: "consistency", value: r.Consistency, fraction: true},
		{name: "split", value: r.Split, fraction: true},
	} {
		sign := a.value.Decimal.Sign()
		switch {
		case !a.value.Valid:
		case sign < 0 || sign == 0 && !a.zero || !a.value.Decimal.IsShort(15, 8):
			return a.name, "must be a number above 0."
		case a.fraction && a.value.Decimal.Cmp(decimal.New(1)) > 0:
			return a.name, "must be at most 1; 0.05 is 5 %."
		}
	}
	needsAmount := slices.Contains([]Kind{MaxLoss, DailyLoss, ProfitTarget, MinProfitDays}, r.Kind)
	switch {
	case needsAmount && r.Amount.Valid == r.Fraction.Valid:
		return "amount", "or fraction is needed, and not both."
	case needsAmount && r.Fraction.Valid && start.IsZero():
		return "fraction", "needs a starting balance above 0."
	case r.Kind == Consistency && !r.Fraction.Valid:
		return "fraction", "is missing."
	case r.Lock != nil && !r.Lock.Offset.IsShort(15, 8):
		return "lock", "has an invalid offset."
	}
	return "", ""
}

// checkNumbers returns the first number or time that is missing or out of range.
func (r *Rule) checkNumbers(decimal.Decimal) (name, problem string) {
	isCount := func(n int) bool { return n >= 1 && n <= maxNumber }
	switch {
	case slices.Contains(parameters[r.Kind], "n") && !isCount(r.N):
		return "n", "must be a whole number above 0."
	case r.Kind == Inactivity && !isCount(r.Days):
		return "days", "must be a whole number above 0."
	case r.MaxCount != 0 && !isCount(r.MaxCount):
		return "max_count", "must be a whole number above 0."
	case r.ProfitDays != nil && (!isCount(r.ProfitDays.N) || r.ProfitDays.Amount.Sign() < 0 || !r.ProfitDays.Amount.IsShort(15, 8)):
		return "min_profit_days", "needs n above 0 and an amount of 0 or above."
	case len(r.Steps) > maxSteps:
		return "steps", "has too many steps."
	case !slices.IsSortedFunc(r.Steps, func(a, b Step) int { return a.Above.Cmp(b.Above) }):
		return "steps", "must be ascending."
	case slices.ContainsFunc(r.Steps, func(s Step) bool { return !isCount(s.N) || !s.Above.IsShort(15, 8) }):
		return "steps", "needs n above 0 in each step."
	case slices.ContainsFunc(r.Weekday, func(d int) bool { return d < 0 || d > 6 }) || len(r.Weekday) > 7:
		return "weekdays", "must be 0 (Sunday) to 6."
	}
	if r.Kind != FlatBy {
		return "", ""
	}
	if _, err := parseTime("time", r.Time); err != nil {
		return "time", "must be a time of day such as 16:59."
	}
	if r.Zone != "" {
		if _, err := journal.ParseZone("zone", r.Zone); err != nil {
			return "zone", "must be a time zone name such as America/New_York."
		}
	}
	return "", ""
}
