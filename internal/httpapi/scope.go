package httpapi

import "fillbook/internal/base/journal"

// ScopeInput is the query for every list and figure with accounts and a period.
type ScopeInput struct {
	AccountID []string `query:"account_id,explode" doc:"One account, a comma-separated list, or the parameter repeated. Default: all accounts."`
	PeriodInput
}

// PeriodInput is the query for a period; both ends are inclusive.
type PeriodInput struct {
	From instantParam `query:"from" doc:"The first instant, inclusive."`
	To   instantParam `query:"to" doc:"The last instant, inclusive."`
}

func (in ScopeInput) scope() (journal.Scope, error) {
	accounts, err := splitList[journal.AccountID]("account_id", in.AccountID)
	if err != nil {
		return journal.Scope{}, err
	}
	period, err := in.period()
	return journal.Scope{Accounts: accounts, Period: period}, err
}

func (in PeriodInput) period() (journal.Period, error) {
	period := journal.Period{From: in.From.at, To: in.To.at}
	return period, period.Check()
}
