package assistants

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"fillbook/internal/people/identity"
)

var contextTool = &tool{
	name: "get_context", title: "Get context", needs: identity.ScopeAnalytics,
	about: "Call this first. Lists accounts, setups, tags and saved views with their ids and numbers of closed trades, the time zone, " +
		"and which tools this token has and lacks.",
	run: typed(func(c *call, _ struct{}) (*answer, error) { return c.describeJournal() }),
}

// maxContextAccounts limits the accounts whose figures get_context reads.
const maxContextAccounts = 60

func (c *call) describeJournal() (*answer, error) {
	for _, kind := range []recordKind{accountRecords, setupRecords, tagRecords} {
		if err := c.loadNames(kind); err != nil {
			return nil, err
		}
	}
	accounts, currencies, err := c.describeAccounts()
	if err != nil {
		return nil, err
	}
	setups, err := c.countTrades(setupRecords, "setup", currencies)
	if err != nil {
		return nil, err
	}
	tags, err := c.countTrades(tagRecords, "tag", currencies)
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{"views": encode([]string{}), "open_trades": null}, extra: object{"tz": encode(c.zone.String())}, link: "/"}
	if c.caller.Scope != identity.ScopeAnalytics {
		if err := c.addReadable(a.data); err != nil {
			return nil, err
		}
	}
	a.data.set("scope", c.caller.Scope)
	a.data.set("accounts_limited", c.caller.Accounts != nil)
	a.data.set("unavailable", c.listUnavailable())
	hint := "These lists are long; filters take the names of all records."
	a.lists = []*list{
		{field: "tags", rows: tags, total: len(c.order[tagRecords]), hint: hint},
		{field: "setups", rows: setups, total: len(c.order[setupRecords]), hint: hint},
		{field: "accounts", rows: accounts, total: len(c.order[accountRecords]), hint: hint},
	}
	a.table = table{"accounts", []string{"id", "currency", "trades", "first_day", "last_day"}}
	a.summary = fmt.Sprintf("The journal has %s, %s and %s. Days are in %s.", plural(len(c.order[accountRecords]), "account"),
		plural(len(c.order[setupRecords]), "setup"), plural(len(c.order[tagRecords]), "tag"), c.zone)
	return a, nil
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// addReadable adds what tokens for figures do not see: views and the number of open trades.
func (c *call) addReadable(data object) error {
	if err := c.loadNames(viewRecords); err != nil {
		return err
	}
	views := []object{}
	for _, id := range c.order[viewRecords] {
		views = append(views, object{"id": encode(id)})
	}
	data.set("views", views[:min(len(views), 50)])
	open, err := c.get("/trades", url.Values{"status": {"open"}, "limit": {"1"}})
	if err != nil {
		return err
	}
	data.set("open_trades", countTotal(open))
	return nil
}

// countTotal returns how many records a list has on all pages.
func countTotal(r Response) int {
	n, _ := strconv.Atoi(r.Header.Get("X-Total-Count"))
	return n
}

// listUnavailable lists the tools that the token does not have.
func (c *call) listUnavailable() []object {
	list := []object{}
	for _, t := range c.tools {
		if !t.allows(c.caller.Scope) {
			list = append(list, object{"tool": encode(t.name), "needs": encode(t.needs)})
		}
	}
	return list
}

// describeAccounts returns the accounts' rows, and the accounts of each currency.
func (c *call) describeAccounts() (rows []object, currencies map[string][]string, err error) {
	currencies = map[string][]string{}
	for _, id := range c.order[accountRecords][:min(len(c.order[accountRecords]), maxContextAccounts)] {
		query := c.zoned(url.Values{"account_id": {id}})
		summary, err := c.getObject("/analytics/summary", query)
		if err != nil {
			return nil, nil, err
		}
		row := object{"id": encode(id), "currency": summary["currency"], "trades": summary["total_trades"], "first_day": null, "last_day": null}
		days, err := c.getObjects("/analytics/daily", query)
		if err != nil {
			return nil, nil, err
		}
		if len(days) > 0 {
			row["first_day"], row["last_day"] = days[0]["date"], days[len(days)-1]["date"]
		}
		rows = append(rows, row)
		currency := summary.text("currency")
		currencies[currency] = append(currencies[currency], id)
	}
	return rows, currencies, nil
}

// countTrades returns records with the number of their closed trades. Figures need accounts
// with one currency, so each currency is counted separately.
func (c *call) countTrades(kind recordKind, by string, currencies map[string][]string) ([]object, error) {
	counts := map[string]int{}
	for _, accounts := range currencies {
		rows, err := c.getObjects("/analytics/breakdown", url.Values{"by": {by}, "evidence": {"false"}, "account_id": {strings.Join(accounts, ",")}})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			counts[row.text("key")] += row.count("trades")
		}
	}
	var list []object
	for _, id := range c.order[kind] {
		list = append(list, object{"id": encode(id), "trades": encode(counts[id])})
	}
	return list, nil
}
