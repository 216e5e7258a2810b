package httpapi

import (
	"strings"
	"time"

	"fillbook/internal/journal"
)

// ScopeInput is the query of every list and figure that is about some accounts
// and some period.
type ScopeInput struct {
	AccountID []string `query:"account_id,explode" doc:"One account, a comma-separated list, or the parameter repeated. Without it: all accounts."`
	PeriodInput
}

// PeriodInput is the query of a period; both ends are inside.
type PeriodInput struct {
	From string `query:"from" format:"date-time" doc:"The first instant, inclusive."`
	To   string `query:"to" format:"date-time" doc:"The last instant, inclusive."`
}

// repeatable are the query parameters that may come more than once.
var repeatable = []string{"account_id", "symbol", "setup_id", "tag_id"}

// maxListed bounds how many ids one parameter may name.
const maxListed = 200

func (in ScopeInput) scope() (journal.Scope, error) {
	accounts, err := listed[journal.AccountID]("account_id", in.AccountID)
	if err != nil {
		return journal.Scope{}, err
	}
	period, err := in.period()
	return journal.Scope{Accounts: accounts, Period: period}, err
}

func (in PeriodInput) period() (journal.Period, error) {
	from, err := optionalInstant("from", in.From)
	if err != nil {
		return journal.Period{}, err
	}
	to, err := optionalInstant("to", in.To)
	if err != nil {
		return journal.Period{}, err
	}
	period := journal.Period{From: from, To: to}
	return period, period.Check()
}

func optionalInstant(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // absent is no error
	}
	at, err := journal.ParseInstant(field, text)
	if err != nil {
		return nil, err
	}
	return &at, nil
}

// listed takes values apart that are repeated, separated by commas, or both.
// Blanks and repetitions are dropped.
func listed[T ~string](field string, values []string) ([]T, error) {
	var list []T
	seen := map[string]bool{}
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			item = strings.TrimSpace(item)
			if item == "" || seen[item] {
				continue
			}
			seen[item] = true
			list = append(list, T(item))
		}
	}
	if len(list) > maxListed {
		return nil, journal.InvalidField(field, "%s may name at most %d.", field, maxListed)
	}
	return list, nil
}
