package ledger_test

import (
	"context"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// TestCheckFindsDamage damages the stored data and expects a problem. A full
// regrouping then repairs damaged trades.
func TestCheckFindsDamage(t *testing.T) {
	type example = struct {
		spoil  string
		want   string
		repair bool
	}
	eachCase(t, map[string]example{
		"net":               {`UPDATE trades SET net_pnl = '999' WHERE net_pnl = '2'`, "differs from its fills", true},
		"remaining":         {`UPDATE trades SET qty_remaining = '1' WHERE net_pnl = '2'`, "differs from its fills", true},
		"listing":           {`UPDATE trades SET list_at = list_at + 1`, "differs from its fills", true},
		"state":             {`UPDATE trades SET is_open = NOT is_open`, "differs from its fills", true},
		"head":              {`UPDATE trades SET head = NULL WHERE head <> '0'`, "differs from its fills", true},
		"begin":             {`UPDATE trades SET opened_at = opened_at + 1 WHERE net_pnl = '2'`, "is missing", true},
		"lost trade":        {`DELETE FROM trades WHERE net_pnl = '2'`, "is missing", true},
		"lost fill":         {`DELETE FROM executions WHERE quantity = '3'`, "differs from its fills", true},
		"lost fills":        {`DELETE FROM executions`, "has no fills", true},
		"edited fill":       {`UPDATE executions SET price = '77' WHERE quantity = '3'`, "differs from the second computation", true},
		"stream":            {`DELETE FROM streams WHERE symbol = 'MSFT'`, "The execution's instrument is missing", false},
		"stream of a trade": {`DELETE FROM streams WHERE symbol = 'MSFT'`, "The trade's instrument is missing", false},
		"moved fill":        {`DELETE FROM streams WHERE symbol = 'OLD'`, "The execution's instrument is missing", false},
		"moved trade":       {`UPDATE trades SET shown = 999 WHERE symbols IS NOT NULL`, "The trade's instrument is missing", false},
		"import":            {`DELETE FROM executions WHERE quantity = '3'`, "differs from its counters", false},
		"imports":           {`UPDATE import_spans SET last_seq = 99`, "differs from its counters", false},
		"same numbers":      {`INSERT INTO import_spans SELECT user_id, account, 2, 2, first_at, last_at, 'other', 0, '' FROM import_spans`, "have the same execution numbers", false},
		"arrival number":    {`UPDATE accounts SET next_seq = 2`, "number in the account", false},
		"revision":          {`UPDATE accounts SET revision = 0`, "greater than the account's", false},
		"log":               {`DELETE FROM trade_log`, "missing from the change log", false},
		"cash":              {`UPDATE cash_transactions SET trade_id = '` + noTrade + `'`, "linked to a trade", false},
	}, func(t *testing.T, d *fixture, c example) {
		d.insert("batch", orders(t, "buy 1 10; sell 3 12; buy 2 11; sell 5 10 symbol=MSFT")...)
		id := d.trades()[0].ID
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Dividend, OccurredAt: begin, Trade: &id})
		must(t, err)
		d.add("buy 1 10 symbol=OLD at=-9; sell 1 9 symbol=OLD at=-8; buy 3 9 symbol=OLD at=-7")
		_, err = d.ledger.CreateAction(t.Context(), d.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionRename), Symbol: journal.Some("OLD"), NewSymbol: journal.Some("NEW"),
			EffectiveOn: journal.Some(journal.Day("2026-01-06")), Zone: journal.Some("Australia/Darwin"),
		})
		must(t, err)
		d.sound()
		d.damage(c.spoil)
		var problems []string
		must(t, d.ledger.Check(context.Background(), func(p ledger.Problem) {
			if p.User != d.owner || p.Account != d.account || p.Record == "" {
				t.Errorf("problem without owner, account or record: %+v", p)
			}
			problems = append(problems, p.What)
		}))
		if !strings.Contains(strings.Join(problems, "\n"), c.want) {
			t.Errorf("problems %q, want one with %q", problems, c.want)
		}
		if !c.repair {
			return
		}
		_, err = d.ledger.RegroupAll(t.Context(), d.owner, d.account)
		must(t, err)
		must(t, d.ledger.Check(context.Background(), func(p ledger.Problem) {
			if !strings.Contains(p.What, "import") {
				t.Errorf("not repaired: %s", p.What)
			}
		}))
	})
}

// TestCheckFindsDamagedSources damages a fill's stored sources.
func TestCheckFindsDamagedSources(t *testing.T) {
	type example = struct{ spoil, want string }
	eachCase(t, map[string]example{
		"other costs":   {`UPDATE executions SET fees = '9' WHERE quantity = '1'`, "differs from its sources"},
		"no facts":      {`UPDATE executions SET facts = 0`, "facts and its sources disagree"},
		"lost sources":  {`DELETE FROM fill_sources`, "facts and its sources disagree"},
		"lost fill":     {`DELETE FROM executions WHERE quantity = '1'`, "a missing execution"},
		"only one left": {`DELETE FROM fill_sources WHERE source = 1`, "differs from its sources"},
	}, func(t *testing.T, d *fixture, c example) {
		d.insert("first", orders(t, "buy 1 10; sell 3 12")...)
		d.insert("second", orders(t, "buy 1 10 fees=1; sell 3 12")...)
		d.sound()
		d.damage(c.spoil)
		var problems []string
		must(t, d.ledger.Check(context.Background(), func(p ledger.Problem) { problems = append(problems, p.What) }))
		if !strings.Contains(strings.Join(problems, "\n"), c.want) {
			t.Errorf("problems %q, want one with %q", problems, c.want)
		}
	})
}
