package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/strategybook"
)

// drawnOptions are fills of options and shares in one underlying, within some minutes, each
// with another price, so that all differ. A purchase and a sale of one contract are never at
// one instant, where the order of arrival decides which opens a trade; see [partReversals].
func drawnOptions(t *rapid.T) (rows []more) {
	sides := map[string]any{}
	for i := range rapid.IntRange(2, 9).Draw(t, "fills") {
		row := more{
			"symbol": "XYZ", "side": rapid.SampledFrom([]string{"buy", "sell"}).Draw(t, "side"),
			"quantity": rapid.IntRange(1, 2).Draw(t, "quantity"), "price": fmt.Sprintf("%d.%02d", rapid.IntRange(1, 9).Draw(t, "price"), i),
			"external_id": fmt.Sprint("x", i),
		}
		day, minute := rapid.SampledFrom([]int{2, 2, 3}).Draw(t, "day"), rapid.IntRange(0, 8).Draw(t, "minute")
		details := more{}
		if rapid.IntRange(0, 5).Draw(t, "type") > 0 {
			row["instrument_type"], row["multiplier"] = "option", 100
			details["option_right"] = rapid.SampledFrom([]string{"call", "put"}).Draw(t, "right")
			details["strike"] = rapid.SampledFrom([]string{"90", "95", "100", "105"}).Draw(t, "strike")
			details["expiry"] = rapid.SampledFrom([]string{"2026-06-19", "2026-06-19", "2026-07-17"}).Draw(t, "expiry")
		} else {
			row["instrument_type"], row["quantity"] = "stock", 100
		}
		if order := rapid.IntRange(0, 3).Draw(t, "order"); order > 0 {
			details["order_id"] = fmt.Sprint("o", order)
		}
		row["details"] = details
		second, instant := 0, fmt.Sprint(day, minute, row["instrument_type"], details["option_right"], details["strike"], details["expiry"])
		if side, known := sides[instant]; known && side != row["side"] {
			second = 1 + i
		}
		sides[instant] = row["side"]
		row["executed_at"] = fmt.Sprintf("2026-03-%02dT15:%02d:%02dZ", day, minute, second)
		rows = append(rows, row)
	}
	partReversals(rows)
	return rows
}

// partReversals moves fills of one contract at one instant to different times where they reduce or
// reverse the position before them.
func partReversals(rows []more) {
	held := map[string]int{}
	inTime := slices.Clone(rows)
	slices.SortStableFunc(inTime, func(a, b more) int { return cmp.Compare(a["executed_at"].(string), b["executed_at"].(string)) })
	before := map[string]int{} // the position before an instant
	for i, row := range inTime {
		details := row["details"].(more)
		contract := fmt.Sprint(row["instrument_type"], details["option_right"], details["strike"], details["expiry"])
		instant := fmt.Sprint(contract, row["executed_at"])
		if _, known := before[instant]; !known {
			before[instant] = held[contract]
		}
		quantity := row["quantity"].(int)
		if row["side"] == "sell" {
			quantity = -quantity
		}
		if before[instant]*quantity < 0 {
			at := row["executed_at"].(string)
			row["executed_at"] = at[:len(at)-3] + fmt.Sprintf("%02dZ", 20+i)
		}
		held[contract] += quantity
	}
}

// importSome imports the rows in several files.
func (d trader) importSome(t *rapid.T, rows []more) {
	d.w.t.Helper()
	for len(rows) > 0 {
		n := rapid.IntRange(1, len(rows)).Draw(t, "rows of a file")
		d.importRows(rows[:n]...)
		rows = rows[n:]
	}
}

// describeStrategies returns the strategies with their legs, without ids.
func (d trader) describeStrategies() string {
	d.w.t.Helper()
	list := d.get("/strategies")
	lines := make([]string, list.count(""))
	for i := range lines {
		at := func(member string) string { return list.json(fmt.Sprint(i, ".", member)) }
		legs := make([]string, list.count(fmt.Sprint(i, ".legs")))
		for k := range legs {
			leg := func(member string) string { return at(fmt.Sprint("legs.", k, ".", member)) }
			legs[k] = strings.Join([]string{leg("role"), leg("quantity"), leg("right"), leg("strike"), leg("expiry"), leg("open")}, " ")
		}
		slices.Sort(legs)
		var words []string
		for _, member := range []string{
			"kind", "kind_by", "direction", "state", "evidence", "name", "notes", "initial_risk", "opened_at", "closed_at", "net_pnl", "credit", "max_profit", "max_loss", "breakevens", "realized_open",
		} {
			words = append(words, member+" "+at(member))
		}
		lines[i] = strings.Join(words, ", ") + ": " + strings.Join(legs, "; ")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// newJournals returns a function that returns a new user with an account.
func newJournals(w *world) func() trader {
	owner, users := w.setUp(), 0
	return func() trader {
		users++
		return w.addUser(owner, fmt.Sprintf("user%d@example.org", users)).addAccount("Main")
	}
}

// roundsOn returns how often a property is tried in a world; a quarter if the test is not long.
func roundsOn(w *world) int {
	rounds := map[db.Engine]int{db.SQLite: 40, db.PostgreSQL: 10}[w.db.Engine()]
	return testkit.Rounds(rounds/4, rounds)
}

// TestStrategiesOfAnyOrderOfArrival imports the same fills in another order and in other
// files: the strategies are the same.
func TestStrategiesOfAnyOrderOfArrival(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		newJournal := newJournals(w)
		rapid.Check(w.t, testkit.LimitChecks(roundsOn(w), func(r *rapid.T) {
			rows := drawnOptions(r)
			one, other := newJournal(), newJournal()
			one.importRows(rows...)
			other.importSome(r, rapid.Permutation(rows).Draw(r, "order"))
			if want, got := one.describeStrategies(), other.describeStrategies(); got != want {
				r.Fatalf("in order:\n%s\nin another:\n%s", want, got)
			}
		}))
	})
}

// TestDecisionsSurviveAnyReversal draws journals and decisions, reverses all imports and
// imports the same fills in other files: decisions and what was written on them are as before.
func TestDecisionsSurviveAnyReversal(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		newJournal := newJournals(w)
		rapid.Check(w.t, testkit.LimitChecks(roundsOn(w), func(r *rapid.T) {
			rows, d := drawnOptions(r), newJournal()
			d.importSome(r, rows)
			d.decideSome(r)
			before := d.describeStrategies()
			for _, batch := range d.get("/imports").column("id") {
				d.delete("/imports/" + batch).want(http.StatusNoContent)
			}
			if n := d.get("/trades").count(""); n != 0 {
				r.Fatalf("%d trades are left", n)
			}
			d.importSome(r, rapid.Permutation(rows).Draw(r, "order"))
			if after := d.describeStrategies(); after != before {
				r.Fatalf("before:\n%s\nafter:\n%s", before, after)
			}
		}))
	})
}

// TestStrategiesAfterAnyWrite makes random writes. After each, the strategies that go on from
// those before it are the ones that are computed from nothing.
func TestStrategiesAfterAnyWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		newJournal := newJournals(w)
		rapid.Check(w.t, testkit.LimitChecks(roundsOn(w), func(r *rapid.T) {
			d := newJournal()
			owner := journal.UserID(w.count(`SELECT MAX(number) FROM users`)) // the newest user
			rows := drawnOptions(r)
			for i := range rows {
				rows[i]["symbol"] = rapid.SampledFrom([]string{"XYZ", "XYZ", "ACME"}).Draw(r, "underlying")
			}
			for step := range rapid.IntRange(2, 8).Draw(r, "steps") {
				what := d.writeAny(r, step, &rows)
				if kept, fresh := w.strategiesOf(owner, w.services.Strategies), w.strategiesOf(owner, strategybook.New(w.db, w.clock.Now)); kept != fresh {
					r.Fatalf("after %s the strategies are\n%s\ncomputed from nothing\n%s", what, kept, fresh)
				}
			}
		}))
	})
}

// writeAny makes one write and returns what it did. It takes fills to import from rows.
func (d trader) writeAny(t *rapid.T, step int, rows *[]more) string {
	d.w.t.Helper()
	fills := d.get("/executions").column("id")
	pick := func(list []string, name string) string { return rapid.SampledFrom(list).Draw(t, name) }
	switch what := rapid.IntRange(0, 6).Draw(t, "write"); {
	case what <= 1 && len(*rows) > 0:
		n := rapid.IntRange(1, len(*rows)).Draw(t, "rows of the file")
		d.importRows((*rows)[:n]...)
		*rows = (*rows)[n:]
		return "an import"
	case what == 2 && len(fills) > 0:
		d.delete("/executions/" + pick(fills, "fill")).want(http.StatusNoContent)
		return "the deletion of a fill"
	case what == 3 && len(fills) > 0:
		field := rapid.SampledFrom([]more{
			{"price": "3.5"}, {"quantity": "3"}, {"side": "buy"}, {"symbol": "ACME"}, {"executed_at": "2026-03-02T15:04:30Z"},
			{"details": more{"order_id": "other"}}, {"fees": "1"},
		}).Draw(t, "field")
		d.patch("/executions/"+pick(fills, "fill"), field) // may be refused
		return fmt.Sprint("the change of a fill to ", field)
	case what == 4:
		d.post("/corporate-actions", more{
			"kind": "rename", "symbol": "ACME", "new_symbol": fmt.Sprint("NEW", step), "effective_on": "2026-03-03", "tz": "UTC",
		})
		return "a rename"
	case what == 5 && len(fills) > 0:
		batches := d.get("/imports").column("id")
		if len(batches) > 0 {
			d.delete("/imports/" + pick(batches, "import"))
		}
		return "the reversal of an import"
	default:
		d.decideSome(t)
		return "decisions"
	}
}

// strategiesOf returns what a service says of a user's strategies.
func (w *world) strategiesOf(owner journal.UserID, service *strategybook.Service) string {
	w.t.Helper()
	var list []strategybook.Strategy
	err := w.db.View(w.t.Context(), func(tx *db.Tx) (err error) {
		list, err = service.List(w.t.Context(), tx, owner, strategybook.Query{})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var out strings.Builder
	for i := range list {
		text, err := json.Marshal(list[i])
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	return out.String()
}

// decideSome accepts and deletes proposals, makes strategies, and writes on them.
func (d trader) decideSome(t *rapid.T) {
	d.w.t.Helper()
	for n := range rapid.IntRange(1, 4).Draw(t, "decisions") {
		proposals, trades := d.get("/strategies").column("id"), d.get("/trades?instrument_type=option").column("id")
		what := rapid.IntRange(0, 3).Draw(t, "decision")
		if what > 0 && len(proposals) == 0 || len(trades) == 0 {
			continue
		}
		if what == 0 {
			count := rapid.IntRange(1, min(3, len(trades))).Draw(t, "trades")
			d.post("/strategies", more{"trade_ids": rapid.Permutation(trades).Draw(t, "members")[:count], "name": fmt.Sprint("made ", n)}) // may be refused
			continue
		}
		path := "/strategies/" + rapid.SampledFrom(proposals).Draw(t, "strategy")
		switch what {
		case 1:
			d.patch(path, more{"state": "accepted"})
		case 2:
			d.patch(path, more{"notes": fmt.Sprint("note ", n), "initial_risk": 100 + n}).want(http.StatusOK)
		case 3:
			d.delete(path).want(http.StatusNoContent)
		}
	}
}

// TestAssignmentsInBothViews: an option keeps its premium and the shares have the strike; as
// one unit both are what the shares cost or brought with the premium.
func TestAssignmentsInBothViews(t *testing.T) {
	t.Parallel()
	newYork := "T20:00:00Z"
	for _, c := range []struct {
		name, side, right, kind, shares string
		option, stock, unit             string // net results
	}{
		// Basis 95 - 2 = 93, sold at 97.
		{"assigned short put", "sell", "put", "assignment", "buy", "200", "200", "400"},
		// Proceeds 95 + 2 = 97, bought back at 97.
		{"assigned short call", "sell", "call", "assignment", "sell", "200", "-200", "0"},
		// Basis 95 + 2 = 97, sold at 97.
		{"exercised long call", "buy", "call", "exercise", "buy", "-200", "200", "0"},
		// Proceeds 95 - 2 = 93, bought back at 97.
		{"exercised long put", "buy", "put", "exercise", "sell", "-200", "-200", "-400"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(_ *testing.T, w *world) {
				d := w.trader()
				other := map[string]string{"buy": "sell", "sell": "buy"}
				contract := more{"option_right": c.right, "strike": "95", "expiry": "2026-03-20"}
				option := more{"account_id": d.account, "symbol": "XYZ", "instrument_type": "option", "quantity": 1, "multiplier": 100, "details": contract}
				trade := d.made("/executions", option.with(more{"side": c.side, "price": 2, "executed_at": "2026-03-02T15:00:00Z"})).text("trade_id")
				made := d.made("/strategies", more{"trade_ids": []string{trade}})
				d.made("/executions", option.with(more{
					"side": other[c.side], "price": 0, "executed_at": "2026-03-20" + newYork, "kind": c.kind, "event_id": "E1",
				}))
				shares := more{"account_id": d.account, "symbol": "XYZ", "instrument_type": "stock", "quantity": 100}
				held := d.made("/executions", shares.with(more{"side": c.shares, "price": 95, "executed_at": "2026-03-20" + newYork, "event_id": "E1"})).text("trade_id")
				d.made("/executions", shares.with(more{"side": other[c.shares], "price": 97, "executed_at": "2026-03-24T15:00:00Z"}))
				d.trade(trade).is("net_pnl", c.option).is("ended_by", `"`+c.kind+`"`)
				d.trade(held).is("net_pnl", c.stock).is("avg_entry_price", "95")
				d.get("/strategies/"+made.text("id")).is("net_pnl", c.unit).is("legs.1.role", `"stock"`).is("legs.1.trade_id", `"`+held+`"`)
				d.get("/analytics/summary?unit=trade").is("net_pnl", c.unit).is("total_trades", "2")
				d.get("/analytics/summary?unit=strategy").is("net_pnl", c.unit).is("total_trades", "1")
			})
		})
	}
}
