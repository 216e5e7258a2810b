package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var executionKeys = []string{
	"id", "account_id", "trade_ids", "external_id", "symbol", "instrument_type", "side", "quantity", "price", "fees",
	"commission", "multiplier", "stated_pnl", "executed_at", "details", "import_batch_id", "created_at",
	"kind", "event_id", "basis_estimated", "adjusted_quantity", "adjusted_price",
}

func TestExecutions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/executions").want(http.StatusOK).is("", "[]")
		made := d.fill(" aapl ", "buy 100@10", 0, more{"executed_at": "2026-01-05T10:00:00.1234567-05:00"})
		made.wantKeys("", append([]string{"execution_id", "trade_id"}, executionKeys...)...).holds("", `{"account_id":"`+d.account+`",
			"symbol":"AAPL","instrument_type":"stock","side":"buy","quantity":100,"price":10,"fees":0,"commission":0,"multiplier":1,
			"stated_pnl":null,"external_id":null,"details":{},"import_batch_id":null,
			"executed_at":"2026-01-05T15:00:00.123456Z","created_at":"2026-03-10T15:04:05Z"}`)
		id, trade := made.text("id"), made.text("trade_id")
		if made.text("execution_id") != id || made.json("trade_ids") != `["`+trade+`"]` {
			t.Errorf("execution_id and trade_id are not those of the fill: %s", made.body)
		}
		one := d.get("/executions/"+id).want(http.StatusOK).wantKeys("", executionKeys...)
		d.get("/executions").want(http.StatusOK).wantKeys("0", executionKeys...).holds("", `[`+one.json("")+`]`)
		made.wantTag(one)
		full := d.fill("SPY", "sell 2@1.5", 1, more{
			"instrument_type": "option", "fees": "1.25", "commission": -0.5, "multiplier": 10, "external_id": " X-1 ", "stated_pnl": nil,
			"details": more{"option_right": "call", "strike": "450.50", "expiry": "2026-06-19", "lot": "L1", "note": "by hand"},
			"id":      "mine", "trade_id": "mine", "import_batch_id": "mine", "created_at": at(0),
		}).holds("", `{"instrument_type":"option","fees":1.25,"commission":-0.5,"multiplier":10,"external_id":"X-1","import_batch_id":null,
			"details":{"option_right":"call","strike":"450.5","expiry":"2026-06-19","lot":"L1","note":"by hand"}}`)
		d.trade(full.text("trade_id")).holds("", `{"option_right":"call","strike":450.5,"expiry":"2026-06-19","direction":"short"}`)
		if full.text("id") == "mine" || full.text("trade_id") == "mine" {
			t.Error("the request chose ids")
		}
		d.delete("/executions/" + id).wantNone()
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			var body any
			if method == "PATCH" {
				body = `{"price":1}`
			}
			d.do(method, "/executions/"+id, body).wantError(http.StatusNotFound, "not_found")
		}
		d.get("/trades/"+trade).wantError(http.StatusNotFound, "not_found")
	})
}

func TestExecutionRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		stored := d.fill("A", "buy 1@1", 0)
		path := "/executions/" + stored.text("id")
		for _, field := range []string{"account_id", "symbol", "side", "quantity", "price", "executed_at"} {
			body := d.order("A", "buy 1@1", 1)
			body[field] = nil
			d.post("/executions", body).wantField(field)
			if field != "account_id" {
				d.patch(path, more{field: nil}).wantField(field)
			}
			delete(body, field)
			d.post("/executions", body).wantField(field)
		}
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"symbol", []any{"", "  ", "\u200b", 5, strings.Repeat("S", 65), "A\x01"}},
			{"side", []any{"", "long", "BUYS", 1}},
			{"quantity", []any{0, -1, "0", "-0.5", "x", "", true, []int{1}}},
			{"price", []any{-1, "-0.01", "1,5", "", false}},
			{"executed_at", []any{"", "yesterday", "2026-01-05", "2026-01-05T10:00:00", "2026-02-30T10:00:00Z", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "2026-01-05T23:59:60Z", 1767625200}},
			{"fees", []any{"x", true, "1e31"}},
			{"commission", []any{"x", more{}}},
			{"multiplier", []any{0, -1, "x"}},
			{"stated_pnl", []any{"x", "1e31"}},
			{"external_id", []any{5, strings.Repeat("x", 201)}},
			{"instrument_type", []any{5, strings.Repeat("x", 201)}},
			{"details", []any{"x", []int{}}},
			{"details.strike", []any{more{"strike": "x"}, more{"strike": 450}, more{"strike": "1e31"}}},
			{"details.expiry", []any{more{"expiry": "2026-02-30"}}},
			{"details.option_right", []any{more{"option_right": "both"}}},
		} {
			for _, value := range refused.values {
				field, _, _ := strings.Cut(refused.field, ".")
				d.post("/executions", d.order("A", "buy 1@1", 1, more{field: value})).wantField(refused.field)
				d.patch(path, more{field: value}).wantField(refused.field)
			}
		}
		d.post("/executions", d.order("A", "buy 1@1", 1, more{"account_id": unknown()})).wantError(http.StatusNotFound, "not_found")
		d.post("/executions", d.order("A", "buy 1@1", 1, more{"allow_duplicate": "yes"})).wantField("allow_duplicate")
		d.get("/executions").want(http.StatusOK).wantColumn("id", stored.text("id"))
		d.get(path).want(http.StatusOK).holds("", `{"symbol":"A","side":"buy","quantity":1,"price":1}`)
	})
}

// TestNumbersAreExact sends numbers as JSON text and requires the digits back.
func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		minute := 0
		send := func(field, text string) *reply {
			minute++
			return d.post("/executions", d.order("N", "buy 1@1", minute, more{field: json.RawMessage(text)}))
		}
		for _, field := range []string{"quantity", "price", "fees", "commission", "multiplier", "stated_pnl"} {
			for text, want := range map[string]string{
				`0.123456789012345678`:                 `0.123456789012345678`,
				`999999999999999`:                      `999999999999999`,
				`999999999999999.999999999999999999`:   `999999999999999.999999999999999999`,
				`"999999999999999.999999999999999999"`: `999999999999999.999999999999999999`,
				`1e-18`:                                `0.000000000000000001`,
				`1E+2`:                                 `100`,
				`1.50e1`:                               `15`,
				`12000.000`:                            `12000`,
				`"0.10"`:                               `0.1`,
				`100000000000000000000e-10`:            `10000000000`,
			} {
				made := send(field, text).want(http.StatusCreated)
				made.is(field, want)
				d.get("/executions/"+made.text("id")).is(field, want)
			}
			for _, text := range []string{
				`0.1234567890123456789`, `1000000000000000`, `1e15`, `1e31`, `1e-31`, `"1e31"`, `1e-19`, `"NaN"`, `"Infinity"`, `"-Infinity"`,
				`"0x10"`, `"1_000"`, `"1e"`, `"١"`, `"1 000"`, `""`, `{}`, `[1]`, `true`, `"."`,
			} {
				send(field, text).wantField(field)
			}
			for _, text := range []string{`NaN`, `Infinity`, `0x10`, `1_000`, `+1`, `01`, `.5`, `1.`} { // no JSON at all
				d.post("/executions", `{"`+field+`":`+text+`}`).wantError(http.StatusBadRequest, "bad_request")
			}
		}
		// The largest fill there is, and its result.
		d.fill("HUGE", "buy 999999999999999@999999999999999", 0, more{"multiplier": "999999999999999", "instrument_type": "future"})
		d.fill("HUGE", "sell 999999999999999@-999999999999999", 1, more{"multiplier": "999999999999999", "instrument_type": "future"})
		d.trades("HUGE").holds("", `[{"status":"closed","net_pnl":-1999999999999994000000000000005999999999999998,"return_pct":-200}]`)
		d.fill("TINY", "buy 0.000000000000000001@0.000000000000000001", 0)
		d.fill("TINY", "sell 0.000000000000000001@0.000000000000000003", 1)
		d.trades("TINY").holds("", `[{"status":"closed","net_pnl":0.000000000000000000000000000000000002,"return_pct":200}]`)
	})
}

// TestNegativePrices are for futures and options only, also after an edit.
func TestNegativePrices(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, kind := range []string{"future", "option"} {
			made := d.fill("CL", "buy 1@-37.63", 0, more{"instrument_type": kind})
			d.patch("/executions/"+made.text("id"), more{"instrument_type": "stock"}).wantField("price")
			d.patch("/executions/"+made.text("id"), more{"price": -1}).want(http.StatusOK).is("price", "-1")
		}
		for _, kind := range []string{"stock", "forex", "crypto", "cfd", "bond"} {
			d.post("/executions", d.order("CL", "buy 1@-1", 1, more{"instrument_type": kind})).wantField("price")
			d.fill("CL", "buy 1@0", 1, more{"instrument_type": kind}).is("price", "0").is("instrument_type", `"`+kind+`"`)
		}
	})
}

func TestDefaultMultipliers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for _, c := range []struct {
			symbol, kind, multiplier string
			warned                   bool
		}{
			{"ES", "future", "50", false},
			{"ESZ5", "future", "50", false},
			{"/MESH26", "future", "5", false},
			{"NQ", "future", "20", false},
			{"CLF26", "future", "1000", false},
			{"QQQQQ", "future", "1", true},
			{"SPY", "option", "100", false},
			{"ES", "stock", "1", false},
			{"EURUSD", "forex", "1", false},
			{"BTC", "crypto", "1", false},
			{"XAUUSD", "cfd", "1", false},
			{"T-BILL", "bond", "1", false},
		} {
			made := d.fill(c.symbol, "buy 1@1", 0, more{"instrument_type": c.kind}).is("multiplier", c.multiplier)
			if warned := made.value("warnings") != nil; warned != c.warned {
				t.Errorf("%s %s: warnings %s", c.kind, c.symbol, made.json("warnings"))
			}
		}
		// A given multiplier needs no warning, and null is not given.
		if made := d.fill("QQQQQ", "buy 1@1", 5, more{"instrument_type": "future", "multiplier": 3}).is("multiplier", "3"); made.value("warnings") != nil {
			t.Errorf("warned of a multiplier that was given: %s", made.body)
		}
		d.fill("ES", "buy 1@1", 5, more{"instrument_type": "future", "multiplier": nil}).is("multiplier", "50")
	})
}

// TestZeroFraction: .000 is a written fraction, so .250 is another fill.
func TestZeroFraction(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		at := func(second string) more { return more{"executed_at": "2026-01-05T15:00:" + second + "Z"} }
		d.post("/executions", d.order("A", "buy 1@10", 0, at("00.000"))).want(http.StatusCreated)
		d.post("/executions", d.order("A", "buy 1@10", 0, at("00.250"))).want(http.StatusCreated)
		for _, second := range []string{"00.000", "00.250", "00"} {
			d.post("/executions", d.order("A", "buy 1@10", 0, at(second))).want(http.StatusOK).is("deduped", "true")
		}
		d.trades("A").holds("", `[{"qty_opened":2,"execution_count":2}]`)
	})
}

func insertedRows(r *reply) int {
	n, _ := strconv.Atoi(fmt.Sprint(r.value("inserted")))
	return n
}

// TestZeroFractionSurvives sends two equal fills at .000 and .250 in every way, one after
// the other and together: they are two fills, also after a restore, and sending them again
// adds none.
func TestZeroFractionSurvives(t *testing.T) {
	t.Parallel()
	fill := more{"symbol": "A", "side": "buy", "quantity": 1, "price": 10}
	// ways send fills at some fractions of a second. They return the number added.
	ways := map[string]func(d trader, fractions ...string) int{
		"post": func(d trader, fractions ...string) (added int) {
			for _, fraction := range fractions {
				if d.post("/executions", fieldsOf(fill, more{"account_id": d.account, "executed_at": "2026-01-05T15:00:00." + fraction + "Z"})).status == http.StatusCreated {
					added++
				}
			}
			return added
		},
	}
	for name, format := range map[string]string{"with zone": "2026-01-05T15:00:00.%sZ", "plain": "2026-01-05 15:00:00.%s", "milliseconds": "1767625200%s"} {
		ways["csv, "+name] = func(d trader, fractions ...string) int {
			content := "Symbol,Side,Quantity,Price,Executed At\n"
			for _, fraction := range fractions {
				content += "A,buy,1,10," + fmt.Sprintf(format, fraction) + "\n"
			}
			return insertedRows(d.imported(content))
		}
		ways["rows, "+name] = func(d trader, fractions ...string) int {
			var rows []more
			for _, fraction := range fractions {
				rows = append(rows, fieldsOf(fill, more{"executed_at": fmt.Sprintf(format, fraction)}))
			}
			return insertedRows(d.importRows(rows...))
		}
	}
	eachWorld(t, func(t *testing.T, w *world) {
		owner, users := w.setUp(), 0
		newUser := func() *client {
			users++
			return w.addUser(owner, fmt.Sprintf("user%d@example.org", users))
		}
		for name, send := range ways {
			d := newUser().addAccount("Main")
			got := []int{send(d, "000"), send(d, "250"), send(d, "000", "250")}
			d.trades("A").holds("", `[{"qty_opened":2,"execution_count":2}]`)
			together := newUser().addAccount("Main")
			got = append(got, send(together, "000", "250"), send(together, "250"), send(together, "000"))
			backup := string(d.get("/exports?format=json").want(http.StatusOK).body)
			restored := newUser()
			restored.form("/imports/commit", part{"file", "backup.json", backup}).want(http.StatusOK).is("inserted", "2")
			got = append(got, send(trader{restored, restored.get("/accounts").text("0.id")}, "000", "250"))
			if want := []int{1, 1, 0, 2, 0, 0, 0}; !slices.Equal(got, want) {
				t.Errorf("%s: added %v, want %v", name, got, want)
			}
		}
	})
}

func TestDuplicateFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		first := d.fill("A", "buy 1.50@10", 0, more{"fees": 1})
		again := d.post("/executions", d.order("a", "buy 1.5@10.0", 0, more{"fees": 2, "executed_at": "2026-01-05T16:00:00+01:00"})).want(http.StatusOK)
		again.is("deduped", "true").holds("", `{"id":"`+first.text("id")+`","execution_id":"`+first.text("id")+`","trade_id":"`+first.text("trade_id")+`","fees":1}`)
		if first.value("deduped") == true || again.tag() != first.tag() {
			t.Errorf("wrong answers for the stored fill and its repetition: %s %s", first.body, again.body)
		}
		for name, extra := range map[string]more{
			"symbol": {"symbol": "B"}, "side": {"side": "sell"}, "quantity": {"quantity": 2}, "price": {"price": 11}, "instant": {"executed_at": "2026-01-05T15:00:01Z"},
			"contract": {"details": more{"strike": "5"}}, "lot": {"details": more{"lot": "2"}}, "type": {"instrument_type": "cfd"}, "account": {"account_id": other.account},
		} {
			made := d.post("/executions", d.order("A", "buy 1.5@10", 0, extra))
			if made.status != http.StatusCreated {
				t.Errorf("a fill with another %s is no duplicate: %d %s", name, made.status, made.body)
			}
		}
		twin := d.fill("A", "buy 1.5@10", 0, more{"allow_duplicate": true})
		if twin.text("id") == first.text("id") {
			t.Error("allow_duplicate returned the stored fill")
		}
		one := d.fill("E", "buy 1@1", 0, more{"external_id": "one"})
		two := d.fill("E", "buy 1@1", 0, more{"external_id": "two"})
		d.post("/executions", d.order("E", "buy 1@1", 0, more{"external_id": "one"})).want(http.StatusOK).is("id", `"`+one.text("id")+`"`).is("deduped", "true")
		d.post("/executions", d.order("E", "buy 1@1", 0, more{"external_id": "two"})).want(http.StatusOK).is("id", `"`+two.text("id")+`"`)
		// The id of a different fill is no duplicate but a mistake.
		d.post("/executions", d.order("E", "buy 1@2", 0, more{"external_id": "one"})).wantError(http.StatusConflict, "conflict")
		d.fill("E", "buy 1@1", 0, more{"external_id": "one", "allow_duplicate": true})
		d.patch("/executions/"+two.text("id"), more{"external_id": "one"}).wantError(http.StatusConflict, "conflict")
		other.fill("E", "buy 1@1", 0, more{"external_id": "one"}) // ids are the account's
		d.trades("E").holds("", `[{"qty_opened":1},{"qty_opened":3,"execution_count":3}]`)
		// A fill without an id adopts the first id; a second id is a second fill.
		bare := d.fill("L", "buy 1@1", 0, more{})
		d.post("/executions", d.order("L", "buy 1@1", 0, more{"external_id": "late1", "commission": 0.5})).want(http.StatusOK).
			holds("", `{"id":"`+bare.text("id")+`","external_id":"late1","commission":0.5,"deduped":true,"completed":true}`)
		d.post("/executions", d.order("L", "buy 1@1", 0, more{"external_id": "late2"})).want(http.StatusCreated)
		d.trades("L").holds("", `[{"qty_opened":2,"execution_count":2,"fees_total":0.5}]`)
	})
}
