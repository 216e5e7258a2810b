package httpapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
)

type insightQuery struct {
	FigureQuery
	Limit intParam[insightRange] `query:"limit" doc:"The maximum number of insights, 1 to 10. Default 3."`
}

const usualInsights = 3

type insightRange struct{}

func (insightRange) bounds() (least, most int) { return 1, 10 }

// insight is a sentence with its evidence.
type insight struct {
	CountedUnit

	ID        string                       `json:"id" doc:"The same for the same group."`
	Kind      analytics.InsightKind        `json:"kind" enum:"setup,tag,mistake,rule,root,side,weekday,hour,session,hold_time,after_losses,nth_of_day"`
	Text      string                       `json:"text" doc:"One sentence with the group, the average difference and the number of its trades."`
	Group     string                       `json:"group" doc:"The group as the sentence begins with it."`
	N         int                          `json:"n" doc:"The trades in the group."`
	Effect    decimal.Decimal              `json:"effect" doc:"The group's average result less that of the other trades."`
	EffectR   *float64                     `json:"effect_r" doc:"The same in R; null unless both sides have trades with R."`
	Currency  string                       `json:"currency"`
	Interval  analytics.DifferenceInterval `json:"interval" doc:"The 95% interval of the effect."`
	PValue    float64                      `json:"p_value" doc:"The probability of such a difference by chance, corrected for all groups that were compared."`
	Direction string                       `json:"direction" enum:"better,worse"`
	Filter    map[string]string            `json:"filter" doc:"Query parameters that list exactly the group's trades."`
}

func (a figureAPI) insights(ctx context.Context, in *insightQuery) (*body[[]insight], error) {
	out := []insight{}
	err := a.withFigures(ctx, in.FigureQuery.byTrade(), func(tx *db.Tx, q *figureRequest) error {
		words, err := loadInsightWords(ctx, tx)
		if err != nil || !in.canLink() {
			return err
		}
		zone := q.zone
		if in.filter.Zone != nil {
			zone = in.filter.Zone
		}
		found, err := columns.LoadOrTry(a.figures, q.book, fmt.Sprintf("insights %s %q %q?%s", zone, words.mistakes, words.rules, q.text), func() ([]analytics.Insight, error) {
			query := analytics.InsightQuery{Zone: zone, Mistakes: words.mistakes, Limit: mostInsights, Seed: analytics.Seed}
			var err error
			if query.AnyRule, query.Rules, err = a.figures.FindBrokenRules(ctx, tx, q.book, words.rules); err != nil {
				return nil, err
			}
			return q.book.FindInsights(q.filter, query), nil
		})
		for i := range found {
			if filter := in.insightFilter(&found[i], zone); filter != nil && len(out) < in.Limit.Or(usualInsights) {
				row := words.shape(&found[i], filter, q.book.Capital.Currency)
				row.CountedUnit = in.byTrade().countedUnit()
				out = append(out, row)
			}
		}
		return err
	})
	return answer(out, err)
}

// mostInsights is how many are computed and cached: some may not have a filter.
const mostInsights = 30

// insightFilter returns the parameters that list a group's trades, nil if there are none.
func (in *insightQuery) insightFilter(of *analytics.Insight, zone *time.Location) map[string]string {
	values := in.linkValues()
	// add sets parameters that the query must not have already.
	add := func(pairs ...string) bool {
		for i := 0; i < len(pairs); i += 2 {
			if values.Has(pairs[i]) {
				return false
			}
			values.Set(pairs[i], pairs[i+1])
		}
		return true
	}
	selected := false
	switch of.Kind {
	case analytics.InsightRule:
		selected = !values.Has("rule") && add("rule_state", string(tradefilter.Broken))
		if of.Key != "" {
			values.Set("rule", of.Key)
		}
	case analytics.InsightAfterLosses:
		selected = add("after_losses", of.Key)
		values.Set("filter_tz", zone.String())
	case analytics.InsightNthOfDay:
		values.Set("filter_tz", zone.String())
		if from, isLater := strings.CutSuffix(of.Key, "+"); isLater {
			selected = add("nth_of_day_min", from)
		} else {
			selected = add("nth_of_day_max", of.Key)
		}
	default:
		selected = in.addRowFilter(values, analytics.Dimension(of.Kind), of.Key, zone)
	}
	if !selected {
		return nil
	}
	values.Set("status", string(tradefilter.Closed))
	return flatten(values)
}

func flatten(values url.Values) map[string]string {
	flat := make(map[string]string, len(values))
	for name := range values {
		flat[name] = values.Get(name)
	}
	return flat
}

// insightWords are the names behind the keys of groups.
type insightWords struct {
	names    map[string]string
	mistakes []journal.TagID
	rules    []string
}

// loadInsightWords reads the caller's setups and tags, as one step.
func loadInsightWords(ctx context.Context, tx *db.Tx) (insightWords, error) {
	w := insightWords{names: map[string]string{}}
	setups, err := playbook.ListSetups(ctx, tx, caller(ctx).UserID)
	if err != nil {
		return w, err
	}
	for _, s := range setups {
		w.names[string(s.ID)] = s.Name
		w.rules = append(w.rules, s.Checklist...)
	}
	slices.Sort(w.rules)
	w.rules = slices.Compact(w.rules)
	tags, err := playbook.ListTags(ctx, tx, caller(ctx).UserID)
	for _, t := range tags {
		w.names[string(t.ID)] = t.Name
		if t.Kind == playbook.MistakeTag {
			w.mistakes = append(w.mistakes, t.ID)
		}
	}
	return w, err
}

// shape returns an insight with its sentence.
func (w *insightWords) shape(of *analytics.Insight, filter map[string]string, currency string) insight {
	out := insight{
		ID: string(of.Kind) + ":" + of.Key, Kind: of.Kind, Group: w.describeGroup(of.Kind, of.Key), N: of.N, Effect: of.Effect, EffectR: of.EffectR,
		Currency: currency, Interval: of.Interval, PValue: of.PValue, Direction: "better", Filter: filter,
	}
	change := "more"
	if of.Effect.Sign() < 0 {
		out.Direction, change = "worse", "less"
	}
	out.Text = fmt.Sprintf("%s made %s %s per trade than your other trades (%d trades).", out.Group, formatMoney(of.Effect.Abs(), currency), change, of.N)
	return out
}

var weekdayTexts = []string{"Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"}

// groupTexts are the groups whose keys are fixed.
var groupTexts = map[analytics.InsightKind]map[string]string{
	"side": {"long": "Long trades", "short": "Short trades"},
	"session": {
		"premarket": "Trades opened before the regular session", "rth": "Trades opened in the regular session",
		"afterhours": "Trades opened after hours", "overnight": "Trades opened overnight",
	},
	"hold_time": {
		"under_1m": "Trades held for less than a minute", "1m_5m": "Trades held for 1 to 5 minutes", "5m_15m": "Trades held for 5 to 15 minutes",
		"15m_1h": "Trades held for 15 minutes to an hour", "1h_4h": "Trades held for 1 to 4 hours", "4h_1d": "Trades held for 4 hours to a day",
		"1d_1w": "Trades held for a day to a week", "over_1w": "Trades held for more than a week",
	},
	"after_losses": {
		"1": "Trades after a loss on the same day", "2": "Trades after 2 losses in a row on the same day", "3": "Trades after 3 losses in a row on the same day",
	},
	"nth_of_day": {"1": "First trades of the day", "3+": "Trades from the third of the day on", "5+": "Trades from the fifth of the day on"},
}

// describeGroup returns the beginning of a sentence about a group.
func (w *insightWords) describeGroup(kind analytics.InsightKind, key string) string {
	if text, known := groupTexts[kind][key]; known {
		return text
	}
	name := w.names[key]
	switch kind { //nolint:exhaustive // the others have fixed texts
	case "setup":
		if key == "" {
			return "Trades without a setup"
		}
		return "Trades with the setup “" + name + "”"
	case "tag":
		return "Trades tagged “" + name + "”"
	case "mistake":
		return "Trades with the mistake “" + name + "”"
	case analytics.InsightRule:
		if key == "" {
			return "Trades that broke a rule"
		}
		return "Trades that broke the rule “" + key + "”"
	case "weekday":
		day, _ := strconv.Atoi(key)
		return "Trades opened on " + weekdayTexts[day]
	case "hour":
		hour, _ := strconv.Atoi(key)
		return fmt.Sprintf("Trades opened between %d:00 and %d:00", hour, hour+1)
	}
	return "Trades in " + key
}

// currencySigns are written before an amount; other currencies follow it by their code.
var currencySigns = map[string]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

// formatMoney writes an amount that is not negative, with two decimals and thousands
// separated.
func formatMoney(amount decimal.Decimal, currency string) string {
	const cents = 2
	whole, fraction, _ := strings.Cut(amount.Round(cents).String(), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	text := whole + "." + (fraction + "00")[:cents]
	if sign, known := currencySigns[currency]; known {
		return sign + text
	}
	return text + " " + currency
}
