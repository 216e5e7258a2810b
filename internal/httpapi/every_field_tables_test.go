package httpapi_test

import (
	"encoding/json"
	"fmt"
)

// lostInTables are fields missing in tables, and why.
var lostInTables = map[string]map[string]string{
	"trade": {
		"id": ownID, "account_id": "a table goes into the account that it is imported into",
		"execution_count": "a table of trades has the ends of a trade only", "rules": "a table has no checklists",
		"strategy_id": "a table of trades has no decisions",
	},
	"execution": {
		"id": ownID, "account_id": "a table goes into the account that it is imported into", "trade_ids": ownID, "created_at": ownImport,
		"details": "a table has the contract and the lot, and nothing else that a source tells",
	},
	"cash": {
		"account_id": "a table goes into the account that it is imported into", "trade_id": "a table has no ids of trades", "created_at": ownImport,
	},
}

// followTables imports the trade and fill tables.
func (j *fullJournal) followTables(owner *client) {
	j.t.Helper()
	want := j.readAll(j.client)
	for i, table := range []struct{ kind, query string }{
		{"trade", "csv"}, {"execution", "csv&rows=executions"}, {"trade", "xlsx"}, {"execution", "xlsx"}, {"cash", "xlsx"},
	} {
		kind := table.kind
		d := j.w.addUser(owner, fmt.Sprintf("table%d@example.org", i)).addAccount("Main")
		d.imported(j.exported(j.client, table.query)).is("error_count", "0")
		got := j.readAll(d.client)[kind]
		if len(got) != len(want[kind]) {
			j.t.Errorf("%s imported %d records of kind %s, want %d", table.query, len(got), kind, len(want[kind]))
			continue
		}
		for i, record := range want[kind] {
			for name, text := range record {
				if lostInTables[kind][name] == "" && withoutColors(got[i][name]) != withoutColors(text) {
					j.t.Errorf("%s: %s of %s %d is %s, want %s", table.query, name, kind, i+1, got[i][name], text)
				}
			}
		}
	}
}

// withoutColors drops tag colors, which a table does not have.
func withoutColors(text string) string {
	var tags []map[string]any
	if json.Unmarshal([]byte(text), &tags) != nil {
		return text
	}
	for _, tag := range tags {
		delete(tag, "color")
	}
	return jsonText(tags)
}
