package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fillbook/internal/base/db"
)

// foreignKey is a foreign key in the schema.
type foreignKey struct {
	table, parent      string
	columns, parentIDs []string
}

func (k foreignKey) String() string {
	return k.table + "(" + strings.Join(k.columns, ",") + ") → " + k.parent
}

// foreignKeyLists list a key per row: table, parent, columns, parent columns.
var foreignKeyLists = map[db.Engine]string{
	db.SQLite: `SELECT name, parent, GROUP_CONCAT(child_column), GROUP_CONCAT(parent_column) FROM (
		SELECT m.name AS name, f.id AS id, f."table" AS parent, f."from" AS child_column, f."to" AS parent_column
		FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq
	) GROUP BY name, id, parent ORDER BY name, id`,
	db.PostgreSQL: `SELECT c.conrelid::regclass::text, c.confrelid::regclass::text, STRING_AGG(a.attname, ',' ORDER BY k.place), STRING_AGG(b.attname, ',' ORDER BY k.place)
		FROM pg_constraint c CROSS JOIN LATERAL UNNEST(c.conkey, c.confkey) WITH ORDINALITY AS k (child, parent, place)
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent
		WHERE c.contype = 'f' GROUP BY c.oid, c.conrelid, c.confrelid ORDER BY 1, 3`,
}

func (w *world) foreignKeys() (keys []foreignKey) {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(tx *db.Tx) error {
		return db.Each(w.t.Context(), tx, func(row db.Scanner) error {
			var k foreignKey
			var columns, parentIDs string
			err := row.Scan(&k.table, &k.parent, &columns, &parentIDs)
			k.columns, k.parentIDs = strings.Split(columns, ","), strings.Split(parentIDs, ",")
			keys = append(keys, k)
			return err
		}, foreignKeyLists[w.db.Engine()])
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return keys
}

// deleteParent deletes the row that a new row refers to, right before the insert, until
// the returned function is called.
func (w *world) deleteParent(k foreignKey) (stop func()) {
	w.t.Helper()
	var conditions []string
	for i := range k.columns {
		conditions = append(conditions, k.parentIDs[i]+" = NEW."+k.columns[i])
	}
	remove := "DELETE FROM " + k.parent + " WHERE " + strings.Join(conditions, " AND ") + "; "
	if w.db.Engine() == db.SQLite {
		w.exec("CREATE TRIGGER delete_parent BEFORE INSERT ON " + k.table + " BEGIN " + remove + "END")
		return func() { w.exec("DROP TRIGGER delete_parent") }
	}
	w.exec("CREATE OR REPLACE FUNCTION delete_parent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + remove + "RETURN NEW; END $$")
	w.exec("CREATE TRIGGER delete_parent BEFORE INSERT ON " + k.table + " FOR EACH ROW EXECUTE FUNCTION delete_parent()")
	return func() { w.exec("DROP TRIGGER delete_parent ON " + k.table) }
}

// writers prepare a request for inserting a row into a table.
var writers = map[string]func(d trader) (send func() *reply){
	"access_tokens": posts("/access-tokens", more{"name": "x"}),
	"accounts":      posts("/accounts", more{"name": "x"}),
	"attachment_blobs": func(d trader) func() *reply {
		trade := d.roundTrip("A")
		return func() *reply { return d.attach("/trades/"+trade, "a.png", tinyPNG) }
	},
	"attachments": func(d trader) func() *reply {
		trade := d.roundTrip("A")
		return func() *reply { return d.attach("/trades/"+trade, "a.png", tinyPNG) }
	},
	"attachments(user_id,note_id) → notes": func(d trader) func() *reply {
		note := d.made("/notes", more{"body": "x"}).text("id")
		return func() *reply { return d.attach("/notes/"+note, "a.png", tinyPNG) }
	},
	"bar_aliases":       posts("/bars/aliases", more{"symbol": "US500", "bars_symbol": "ESH6"}),
	"bar_blocks":        importsBars,
	"bar_changes":       importsBars,
	"bar_imports":       importsBars,
	"bar_ranges":        importsBars,
	"bar_series":        importsBars,
	"bar_usage":         importsBars,
	"bar_sources":       posts("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}}),
	"cash_transactions": func(d trader) func() *reply { return posts("/cash-transactions", d.cash("fee", "1", 0))(d) },
	"checklist_templates": func(d trader) func() *reply {
		return func() *reply { return d.put("/settings/checklist-template", more{"items": []string{"x"}}) }
	},
	"trading_rules": posts("/trading-rules", more{"kind": "stop_set"}),
	"goals":         posts("/goals", more{"kind": "process", "metric": "trades", "target": 3, "period": "week"}),
	"connections":   func(d trader) func() *reply { return posts("/connections", d.connectionOf(nil))(d) },
	"jobs":          func(d trader) func() *reply { return posts("/connections", d.connectionOf(nil))(d) },
	"deleted_cash":  deletes("/cash-transactions"),
	"deleted_fills": deletes("/executions"),
	"excursion_accounts": func(d trader) func() *reply {
		importsBars(d)()
		d.roundTrip("BTCUSD")
		return func() *reply { return d.get("/trades") }
	},
	"trade_excursions": func(d trader) func() *reply {
		importsBars(d)()
		d.roundTrip("BTCUSD")
		return func() *reply { return d.get("/trades") }
	},
	"executions": sendsFill,
	"streams":    sendsFill,
	"trade_log":  sendsFill,
	"trades":     sendsFill,
	"trade_checkpoints": func(d trader) func() *reply {
		var fills []more
		for i := range 300 {
			fills = append(fills, more{"symbol": "A", "side": "buy", "quantity": 1, "price": 10, "executed_at": at(i)})
		}
		return func() *reply { return d.upload("/imports/commit", jsonText(fills)) }
	},
	"fill_sources": func(d trader) func() *reply {
		hook := d.addHook("x")
		d.imported("Symbol,Side,Quantity,Price,Executed At\nA,buy,1,10," + at(0) + "\n")
		return func() *reply { return hook.send(hookFill("A", "buy", 0, more{"fees": 1, "external_id": "7"})) }
	},
	"hook_bodies": func(d trader) func() *reply {
		hook := d.addHook("x")
		return func() *reply { return hook.send(hookFill("A", "buy", 0)) }
	},
	"hook_quarantine": func(d trader) func() *reply {
		hook := d.addHook("x")
		return func() *reply { return hook.send(`{"symbol":"A"}`) }
	},
	"hooks": func(d trader) func() *reply { return posts("/hooks", more{"account_id": d.account, "name": "x"})(d) },
	"idempotency_keys": func(d trader) func() *reply {
		return func() *reply { return d.keyed("key").post("/tags", more{"name": "x"}) }
	},
	"import_batches": importsFile,
	"import_spans":   importsFile,
	"import_repeats": func(d trader) func() *reply {
		importsFile(d)()
		return func() *reply { return d.upload("/imports/commit", twoFills+"AAPL,buy,9,9,2026-01-09 15:00:00\n") }
	},
	"import_kinds": func(d trader) func() *reply {
		return func() *reply {
			return d.upload("/imports/commit", unknownWords, part{"kinds", "", `{"zorp": "interest"}`})
		}
	},
	"import_layouts": putsLayout, "import_layout_accounts": putsLayout,
	"instrument_overrides": func(d trader) func() *reply {
		body := more{"account_id": d.account, "instruments": []more{{"root": "ZZ", "multiplier": 7}}}
		return func() *reply { return d.put("/settings/instruments", body) }
	},
	"journal_settings": func(d trader) func() *reply {
		return func() *reply { return d.put("/settings/journal", more{"timezone": "Asia/Tokyo"}) }
	},
	"missed_trades": func(d trader) func() *reply {
		setup := d.made("/setups", more{"name": "x"}).text("id")
		return posts("/missed-trades", miss(more{"account_id": d.account, "setup_id": setup}))(d)
	},
	"note_log":             sendsNote,
	"note_revisions":       sendsNote,
	"notes":                sendsNote,
	"corporate_actions":    posts("/corporate-actions", more{"kind": "split", "symbol": "A", "ratio_new": 2, "effective_on": "2026-01-05"}),
	"note_templates":       posts("/note-templates", more{"name": "x", "body": "y"}),
	"orphaned_annotations": deletesAnnotated, "orphaned_fills": deletesAnnotated,
	"position_marks": func(d trader) func() *reply {
		trade := d.fill("A", "buy 1@10", 0).text("trade_id")
		return func() *reply { return d.put("/positions/"+trade+"/mark", more{"price": 11}) }
	},
	"preferences": func(d trader) func() *reply {
		return func() *reply { return d.patch("/me/preferences", `{"a":1}`) }
	},
	"refresh_tokens": signsIn, "sessions": signsIn,
	"routine_items": posts("/routines", more{"title": "x", "stage": "pre", "weekdays": []int{1, 2, 3, 4, 5}}),
	"routine_seeds": func(d trader) func() *reply { return func() *reply { return d.get("/routines/day/2026-03-10") } },
	"routine_ticks": func(d trader) func() *reply {
		item := d.item("x", "pre", "[0,1,2,3,4,5,6]", "2026-03-10")
		return func() *reply { return d.tick("2026-03-10", item, true) }
	},
	"setups": posts("/setups", more{"name": "x"}),
	"trades_before_actions": func(d trader) func() *reply {
		d.fill("A", "buy 1@10", 0)
		d.fill("A", "sell 2@5", 1440)
		return posts("/corporate-actions", more{"kind": "split", "symbol": "A", "ratio_new": 2, "effective_on": "2026-01-06"})(d)
	},
	"share_links": posts("/share-links", more{}),
	"strategies": func(d trader) func() *reply {
		trade := d.option("buy", "put", "90", "1", 0).text("trade_id")
		return func() *reply { return d.post("/strategies", more{"trade_ids": []string{trade}}) }
	},
	"tags":              posts("/tags", more{"name": "x"}),
	"token_owners":      posts("/access-tokens", more{"name": "x"}),
	"trade_annotations": annotates, "trade_tags": annotates, "trade_setups": annotates, "trade_rules": annotates,
	"unfinished_writes": func(d trader) func() *reply {
		var fills []more
		for i := range 2100 {
			fills = append(fills, more{"symbol": fmt.Sprint("S", i), "side": "buy", "quantity": 1, "price": 10, "executed_at": at(i)})
		}
		return func() *reply { return d.upload("/imports/commit", jsonText(fills)) }
	},
	"rates":             posts("/rates", more{"base": "USD", "quote": "EUR", "on": "2026-03-09", "rate": "0.9"}),
	"views":             posts("/views", more{"name": "x"}),
	"channels":          posts("/channels", more{"kind": "webhook", "url": "https://example.org"}),
	"channel_sequences": posts("/channels", more{"kind": "webhook", "url": "https://example.org"}),
	"channel_deliveries": func(d trader) func() *reply {
		d.made("/channels", more{"kind": "webhook", "url": "https://example.org"})
		return posts("/notes", more{"body": "x"})(d)
	},
	"alert_settings": func(d trader) func() *reply {
		return func() *reply { return d.put("/alert-settings", more{"max_per_hour": 3}) }
	},
	"prop_programs": posts("/prop-programs", newProgram()),
	"enrollments": func(d trader) func() *reply {
		return posts("/enrollments", more{"account_id": d.account, "program_id": "topstep-combine-50k"})(d)
	},
}

// unrequested are the tables into which no request inserts rows, and why.
var unrequested = map[string]string{
	"alerts":              "they are evaluated in the background",
	"alert_devices":       "they are evaluated in the background",
	"alert_states":        "they are evaluated in the background",
	"app_grants":          "the transaction has stored the access token",
	"app_secrets":         "the transaction has locked the access token",
	"access_token_uses":   "uses are stored in the background",
	"bar_source_runs":     "a job stores its run",
	"bar_source_sessions": "a job stores what it fetched",
	"connection_runs":     "a job stores its run",
	"history_blocks":      "the last statement of a write stores its change",
	"history_changes":     "the last statement of a write stores its change",
	"history_objects":     "the last statement of a write stores its change",
	"history_streams":     "the last statement of a write stores its change",
	"kept_attachments":    "the transaction has locked the attachment that it deletes",
	"user_states":         "the row is inserted in the transaction of its user",
	"withdrawn_fills":     "a job stores what the broker cancelled",
}

// unusedTables are used only by the other engine: in these tests SQLite has attachments
// as files, and PostgreSQL needs no long writes in parts.
var unusedTables = map[db.Engine]string{db.SQLite: "attachment_blobs", db.PostgreSQL: "unfinished_writes"}

func posts(path string, body more) func(d trader) func() *reply {
	return func(d trader) func() *reply { return func() *reply { return d.post(path, body) } }
}

func importsBars(d trader) func() *reply {
	return func() *reply { return d.sendBars("/commit", "BTCUSD.csv", barFile(30)) }
}

func importsFile(d trader) func() *reply {
	return func() *reply { return d.upload("/imports/commit", twoFills) }
}

func sendsFill(d trader) func() *reply {
	return func() *reply { return d.post("/executions", d.order("A", "buy 1@10", 0)) }
}

func sendsNote(d trader) func() *reply {
	trade := d.roundTrip("A")
	return func() *reply {
		return d.post("/notes", more{"body": "x", "account_id": d.account, "trade_id": trade})
	}
}

func putsLayout(d trader) func() *reply {
	body := more{"name": "x", "accounts": []more{{"file_account": "U1", "account_id": d.account}}}
	return func() *reply { return d.put("/import-layouts/0a1b", body) }
}

// deletes deletes an imported record.
func deletes(path string) func(d trader) func() *reply {
	return func(d trader) func() *reply {
		d.upload("/imports/commit", unknownWords, part{"kinds", "", `{"zorp": "interest"}`}).want(http.StatusOK)
		id := d.get(path).text("0.id")
		return func() *reply { return d.delete(path + "/" + id) }
	}
}

func deletesAnnotated(d trader) func() *reply {
	fill := d.fill("A", "buy 1@10", 0)
	d.annotate(fill.text("trade_id"), more{"notes": "x"})
	return func() *reply { return d.delete("/executions/" + fill.text("id")) }
}

func annotates(d trader) func() *reply {
	trade, tag := d.roundTrip("A"), d.made("/tags", more{"name": "x"}).text("id")
	setup := d.made("/setups", more{"name": "x", "checklist": []string{"wait"}}).text("id")
	return func() *reply {
		return d.patch("/trades/"+trade, more{
			"notes": "x", "tag_ids": []string{tag}, "setup_ids": []string{setup}, "rules": []more{{"setup_id": setup, "rule": "wait", "state": "followed"}},
		})
	}
}

func signsIn(d trader) func() *reply {
	email := d.get("/me").text("email")
	return func() *reply {
		return d.w.anonymous().post("/auth/login", more{"email": email, "password": passwordOf(email)})
	}
}

// TestForeignKeysAreExplained lists the foreign keys in the schema. For each it deletes
// the record that a request refers to right before the insert: the answer is 404, or 401
// if the user is gone. A new foreign key needs a request inserting its row.
func TestForeignKeysAreExplained(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		keys, seen := w.foreignKeys(), map[string]bool{}
		for i, k := range keys {
			seen[k.table], seen[k.String()] = true, true
			prepare := writers[k.String()]
			if prepare == nil {
				prepare = writers[k.table]
			}
			if unrequested[k.table] != "" || k.table == unusedTables[w.db.Engine()] {
				continue
			}
			if prepare == nil {
				t.Errorf("%s: add a request that inserts a row to writers", k)
				continue
			}
			send := prepare(w.addUser(owner, fmt.Sprintf("user%d@example.org", i)).addAccount("Main"))
			stop := w.deleteParent(k)
			got := send()
			stop()
			if got.status != http.StatusNotFound && got.status != http.StatusUnauthorized {
				t.Errorf("%s: %s answers %d %.300s", k, got.call, got.status, got.body)
				continue
			}
			got.wantShape()
		}
		for name := range writers {
			if !seen[name] {
				t.Errorf("writers has %s, which has no foreign key", name)
			}
		}
		if len(keys) < 80 {
			t.Errorf("only %d foreign keys", len(keys))
		}
	}, vendorsOn, exchangesOn, shareLinksOn)
}
