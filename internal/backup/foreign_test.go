package backup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/journal"
)

// describeBundle describes a bundle briefly, so a table can state the expected result.
func describeBundle(doc *Document) string {
	var b strings.Builder
	for _, bundle := range doc.Accounts {
		if a := bundle.Account; a.Name != "" {
			fmt.Fprintf(&b, "account %s/%s/%s %s\n", a.Name, a.Broker, a.BaseCurrency, a.StartingBalance)
		}
		for _, x := range bundle.Executions {
			fmt.Fprintf(&b, "%s %s %s %s @ %s", journal.FormatInstant(x.ExecutedAt.Time), x.Side, x.Quantity, x.Symbol, x.Price)
			for _, part := range []string{x.InstrumentType, x.ExternalID} {
				if part != "" {
					b.WriteString(" " + part)
				}
			}
			if !x.Fees.IsZero() || !x.Commission.IsZero() {
				fmt.Fprintf(&b, " costs %s+%s", x.Fees, x.Commission)
			}
			if x.Multiplier.Valid {
				fmt.Fprintf(&b, " x%s", x.Multiplier)
			}
			for _, key := range slices.Sorted(maps.Keys(x.Details)) {
				fmt.Fprintf(&b, " %s=%s", key, x.Details[key])
			}
			b.WriteString("\n")
		}
		for _, a := range bundle.Trades {
			fmt.Fprintf(&b, "trade %v %q tags %v setups %v risk %s\n", a.Fills, a.Notes, a.Tags, a.Setups, a.InitialRisk)
		}
		for _, c := range bundle.Cash {
			fmt.Fprintf(&b, "cash %s %s %s\n", c.Type, c.Amount, journal.FormatInstant(c.OccurredAt))
		}
	}
	for _, s := range doc.Setups {
		fmt.Fprintf(&b, "setup %s %v\n", s.Name.Value, s.Checklist.Value)
	}
	for _, p := range doc.Problems {
		fmt.Fprintf(&b, "problem %d %s\n", p.Row, p.Message)
	}
	return b.String()
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a list of executions": {
			`[{"symbol":"ES","side":"BUY","qty":2,"price":"5000.25","executed_at":"2026-01-02T15:00:00+01:00","commission":1.5},
			  {"Ticker":"AAPL","Action":"sld","Shares":"-10","Price":10,"Time":"2026-01-02 15:30:00","id":"9","user_id":"7"}]`,
			"2026-01-02T14:00:00Z buy 2 ES @ 5000.25 costs 0+1.5\n2026-01-02T15:30:00Z sell 10 AAPL @ 10\n",
		},
		"rows that cannot be read": {
			`[{"symbol":"ES","side":"buy","qty":1,"price":1,"time":"2026-01-02"},
			  7, {}, {"symbol":"ES"}, {"symbol":"ES","side":"hold"}, {"symbol":"ES","side":"buy"},
			  {"symbol":"ES","side":"buy","qty":"many"}, {"symbol":"ES","side":"buy","qty":1},
			  {"symbol":"ES","side":"buy","qty":1,"price":2}, {"symbol":"ES","side":"buy","qty":1,"price":2,"time":"noon"}]`,
			"2026-01-02T00:00:00Z buy 1 ES @ 1\n" +
				"problem 2 Row 2: It must be an object.\nproblem 3 Row 3: symbol is missing.\nproblem 4 Row 4: side is missing.\n" +
				"problem 5 Row 5: side must be buy or sell.\nproblem 6 Row 6: quantity is missing.\n" +
				"problem 7 Row 7: quantity must be a number: write the number with digits and a decimal point only, for example 1234.56 or -0.001.\n" +
				"problem 8 Row 8: price is missing.\nproblem 9 Row 9: executedat is missing.\n" +
				"problem 10 Row 10: executedat must be a date and time with an offset, such as 2026-01-31T14:30:00Z.\n",
		},
		"an object with executions": {
			`{"account":{"name":"Main","broker":"IB","currency":"EUR","starting_balance":"1000","user_id":"u1"},
			  "executions":[{"symbol":"SPY","instrument_type":"Options","side":"buy_to_open","quantity":1,"price":2.5,"multiplier":100,
			    "option_type":"C","strike":450,"expiration":"2026-06-19T00:00:00Z","filled_at":1767366000,"external_id":"E1"}],
			  "cash_transactions":[{"type":"Deposit","amount":500,"date":"2026-01-01"},{"type":"gift","amount":1,"date":"2026-01-01"},
			    {"type":"fee","date":"2026-01-01"},{"type":"withdraw","amount":20,"date":1767366000000}],
			  "setups":[{"name":"Opening drive","checklist":["wait","look"]},{"description":"nameless"}]}`,
			"account Main/IB/EUR 1000\n" +
				"2026-01-02T15:00:00Z buy 1 SPY @ 2.5 option E1 x100 expiry=2026-06-19 option_right=call strike=450\n" +
				"cash deposit 500 2026-01-01T00:00:00Z\ncash withdrawal 20 2026-01-02T15:00:00Z\nsetup Opening drive [wait look]\n" +
				"problem 2 Setup 2: A setup needs a name.\n" +
				"problem 2 Cash transaction 2: type must be deposit, withdrawal, fee, dividend, interest or adjustment.\n" +
				"problem 3 Cash transaction 3: amount is missing.\n",
		},
		"a backup with fills inside trades": {
			`{"format_version":3,"exported_at":"2026-01-05T00:00:00Z","account":{"id":"a1","name":"Main"},
			  "trades":[{"id":"t1","symbol":"ES","instrument_type":"futures","multiplier":50,"notes":"Clean.","tags":[{"id":"x","name":"calm"},"slow"],
			      "setup":"Opening drive","initial_risk":250,
			      "fills":[{"side":"buy","qty":1,"price":5000,"filled_at":"2026-01-02T15:00:00Z","fees":2},
			               {"side":"sell","quantity":1,"price":5010,"time":"2026-01-02T15:10:00Z","multiplier":5}]},
			    {"symbol":"NQ","fills":[{"side":"buy","qty":1,"price":1}]}, {"symbol":"YM","fills":[]},
			    {"symbol":"RTY","fills":[{"side":"sell","qty":1,"price":2000,"filled_at":"2026-01-03T15:00:00Z"}]}]}`,
			"account Main// 0\n" +
				"2026-01-02T15:00:00Z buy 1 ES @ 5000 future costs 2+0 x50\n2026-01-02T15:10:00Z sell 1 ES @ 5010 future x5\n" +
				"2026-01-03T15:00:00Z sell 1 RTY @ 2000\n" +
				"trade [0 1] \"Clean.\" tags [calm slow] setups [Opening drive] risk 250\n" +
				"problem 2 Trade 2: Fill 1: executedat is missing.\nproblem 3 Trade 3: The trade has no fills.\n",
		},
		"finished trades without fills": {
			`[{"symbol":"EURUSD","side":"short","qty":1000,"entry_price":1.1,"exit_price":1.09,"opened_at":"2026-01-02T15:00:00Z",
			   "closed_at":"2026-01-02T16:00:00Z","commission":3,"execution_id":"T7","note":"Late."},
			  {"symbol":"EURUSD","side":"long","qty":1,"entry_price":1.1,"exit_price":1.2,"opened_at":"2026-01-02T15:00:00Z","closed_at":"2026-01-02T17:00:00Z"},
			  {"symbol":"GBPUSD","side":"long","qty":1,"entry_price":1.3,"opened_at":"2026-01-02T15:00:00Z"},
			  {"symbol":"GBPUSD","side":"long","qty":1,"entry_price":1.3,"exit_price":1.4,"opened_at":"2026-01-02T15:00:00Z"}]`,
			"2026-01-02T15:00:00Z sell 1000 EURUSD @ 1.1 T7 open lot=2026-01-02T15:00:00Z\n" +
				"2026-01-02T16:00:00Z buy 1000 EURUSD @ 1.09 T7 close costs 0+3 lot=2026-01-02T15:00:00Z\n" +
				"2026-01-02T15:00:00Z buy 1 EURUSD @ 1.1 lot=2026-01-02T15:00:00Z #2\n2026-01-02T17:00:00Z sell 1 EURUSD @ 1.2 lot=2026-01-02T15:00:00Z #2\n" +
				"2026-01-02T15:00:00Z buy 1 GBPUSD @ 1.3 lot=2026-01-02T15:00:00Z\n" +
				"trade [0 1] \"Late.\" tags [] setups [] risk null\n" +
				"problem 4 Row 4: closedat is missing.\n",
		},
		"details": {
			`[{"symbol":"SPY","instrument_type":"option","side":"buy","quantity":1,"price":2,"executed_at":"2026-01-02T15:00:00Z",
			   "details":{"option_right":"P","strike":450.0,"expiry":"2026-06-19","lot":"7","order_id":"A 1","Route":" x","none":null}},
			  {"symbol":"SPY","optionType":"call","side":"buy","quantity":1,"price":2,"time":"2026-01-02T15:00:00Z","details":{"Strike Price":"460"},"strike":"460.00"},
			  {"symbol":"ES","side":"long","qty":1,"entry_price":1,"opened_at":"2026-01-02T15:00:00Z","details":{"lot":"L1"}},
			  {"symbol":"SPY","details":{"strike":"470","order_id":"A 2"},"fills":[
			    {"side":"buy","qty":1,"price":2,"time":"2026-01-02T15:00:00Z"},
			    {"side":"buy","qty":1,"price":2,"time":"2026-01-02T15:00:00Z","details":{"strike":"480"}}]}]`,
			"2026-01-02T15:00:00Z buy 1 SPY @ 2 option Route= x expiry=2026-06-19 lot=7 option_right=put order_id=A 1 strike=450\n" +
				"2026-01-02T15:00:00Z buy 1 SPY @ 2 option_right=call strike=460\n" +
				"2026-01-02T15:00:00Z buy 1 ES @ 1 lot=L1\n" +
				"2026-01-02T15:00:00Z buy 1 SPY @ 2 order_id=A 2 strike=470\n2026-01-02T15:00:00Z buy 1 SPY @ 2 order_id=A 2 strike=480\n",
		},
		"names that are the same": {
			`[{"symbol":"ES","Symbol":"NQ","side":"buy","qty":1,"QTY":2,"price":1,"time":"2026-01-02"}]`,
			"2026-01-02T00:00:00Z buy 2 NQ @ 1\n",
		},
		"nulls": {
			`{"account":null,"setups":null,"cash":[],"executions":[{"symbol":"ES","side":"buy","qty":1,"quantity":null,"price":1,"time":"2026-01-02","fees":null}]}`,
			"2026-01-02T00:00:00Z buy 1 ES @ 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Decode([]byte(c.text))
			must(t, err)
			wantSame(t, describeBundle(doc), c.want)
			if doc.isOurs() {
				t.Error("it is taken for one of ours")
			}
		})
	}
}

func TestWordsForInstruments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Stocks": "stock", "Equity": "stock", "ETF": "stock", "OPT": "option", "options": "option", "Futures": "future",
		"FUT": "future", "FX": "forex", "forex": "forex", "Crypto": "crypto", "cfds": "cfd", "bond": "bond",
	} {
		if got := instrumentType(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestForeignInstants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"2026-01-02T15:00:00.5+01:00"`: "2026-01-02T14:00:00.5Z", `"2026-01-02 15:00:00Z"`: "2026-01-02T15:00:00Z", `"2026-01-02 15:00"`: "2026-01-02T15:00:00Z",
		`"2026-01-02T15:00:01.25"`: "2026-01-02T15:00:01.25Z", `"2026-01-02"`: "2026-01-02T00:00:00Z", `1767366000`: "2026-01-02T15:00:00Z",
		`"1767366000123"`: "2026-01-02T15:00:00.123Z", `12345`: "", `"02/01/2026"`: "", `true`: "", `"1960-01-01"`: "", `{}`: "", `null`: "",
	} {
		in, err := parseRow(jsontext.Value(`{"at":` + text + `}`))
		must(t, err)
		at, err := in.instant("at")
		switch {
		case want == "" && err == nil:
			t.Errorf("%s gives %v", text, at)
		case want != "" && (err != nil || journal.FormatInstant(at.Time) != want):
			t.Errorf("%s gives %v, %v, want %s", text, at, err, want)
		}
	}
}

// A foreign file goes into the journal by the same door, and twice like once.
func TestForeignFilesAreRestored(t *testing.T) {
	t.Parallel()
	const text = `{"account":{"name":"Main"},"setups":[{"name":"Drive","checklist":["wait"]}],
		"trades":[{"symbol":"ES","instrument_type":"future","notes":"Clean.","tags":["calm"],"setups":["Drive"],"confidence":4,"fills":[
			{"side":"buy","qty":2,"price":5000,"time":"2026-01-02T15:00:00Z"},{"side":"sell","qty":2,"price":5010,"time":"2026-01-02T15:10:00Z"}]}],
		"cash_transactions":[{"type":"deposit","amount":100,"date":"2026-01-01"}]}`
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		plan := h.preview(t, owner, text)
		result := h.restore(t, owner, text)
		wantComplete(t, result)
		plan.wantResult(t, result)
		if result.Inserted != 2 || result.Trades != 1 || result.Annotated != 1 || result.SetupsUpserted != 1 || result.Tags != 1 || result.CashInserted != 1 {
			t.Errorf("%+v", result)
		}
		before := h.export(t, owner, "")
		for _, want := range []string{`"multiplier":50`, `"notes":"Clean."`, `"tags":["calm"],"setups":["Drive"]`, `"confidence":4`} {
			if !strings.Contains(before, want) {
				t.Errorf("%s is not in\n%s", want, before)
			}
		}
		wantUnchanged(t, h.restore(t, owner, text))
		wantSame(t, h.export(t, owner, ""), before)
	})
}

// A file without an account name needs a target account.
func TestFilesWithoutAnAccount(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner := h.user(t)
	doc := h.decode(t, `[{"symbol":"ES","side":"buy","qty":1,"price":1,"time":"2026-01-02","external_id":"1"},
		{"symbol":"ES","side":"buy","qty":1,"price":1,"time":"2026-01-02","external_id":"1"}]`)
	_, err := h.tryRestore(Order{Owner: owner, Document: doc})
	wantRefusal(t, err, "choose the account")
	into := h.account(t, owner, "Main")
	result, err := h.tryRestore(Order{Owner: owner, Document: doc, Into: into})
	must(t, err)
	if result.Inserted != 1 || result.Skipped != 1 || result.Accounts[0].ID != into || result.Accounts[0].Created {
		t.Errorf("%+v", result)
	}
	setups := h.decode(t, `{"setups":[{"name":"Drive"}]}`)
	result, err = h.tryRestore(Order{Owner: owner, Document: setups})
	must(t, err)
	if result.SetupsUpserted != 1 || len(result.Accounts) != 0 {
		t.Errorf("setups alone: %+v", result)
	}
}

// TestForeignRowsAreChecked has rows with one invalid value each: the row is left
// out and its place in the file is named.
func TestForeignRowsAreChecked(t *testing.T) {
	t.Parallel()
	for invalid, want := range map[string]string{
		`"details":7`:                                          "details must be an object of texts.",
		`"details":[]`:                                         "details must be an object of texts.",
		`"details":{"legs":[1,2]}`:                             "details.legs must be a text or a number.",
		`"details":{"strike":{"value":1}}`:                     "details.strike must be a text or a number.",
		`"details":{"hedged":true}`:                            "details.hedged must be a text or a number.",
		`"details":{"strike":"high"}`:                          "strike must be a number: write the number with digits and a decimal point only, for example 1234.56 or -0.001.",
		`"details":{"option_right":"both"}`:                    "option_right must be call or put.",
		`"details":{"expiry":"soon"}`:                          "details.expiry must be a calendar day such as 2026-01-31.",
		`"details":{"strike":"450"},"strike":460`:              "details.strike is stated twice with different values.",
		`"details":{"":"x"}`:                                   "details must not be empty.",
		`"details":{"x":"` + strings.Repeat("y", 9<<10) + `"}`: "details must be at most 8 KiB long.",
		`"option_right":"both"`:                                "option_right must be call or put.",
		`"strike":[1]`:                                         "details.strike must be a text or a number.",
		`"fees":{"amount":1}`:                                  "fees must be a text or a number.",
		`"commission":[1]`:                                     "commission must be a text or a number.",
		`"external_id":{"a":1}`:                                "externalid must be a text or a number.",
		`"multiplier":0`:                                       "multiplier must be above zero.",
		`"stated_pnl":"much"`:                                  "statedpnl must be a number: write the number with digits and a decimal point only, for example 1234.56 or -0.001.",
	} {
		const fill = `"symbol":"SPY","side":"buy","quantity":1,"price":2,"executed_at":"2026-01-02T15:00:00Z"`
		doc, err := Decode([]byte(`[7,{` + fill + `,` + invalid + `}]`))
		must(t, err)
		if got, want := describeBundle(doc), "problem 1 Row 1: It must be an object.\nproblem 2 Row 2: "+want+"\n"; got != want {
			t.Errorf("%.80s:\n got %s\nwant %s", invalid, got, want)
		}
	}
	for text, want := range map[string]string{
		`[{"symbol":"ES","side":"buy","qty":1,"entry_price":1,"time":"2026-01-02","exit":{"price":2}}]`:                                         "Row 1: exitprice must be a text or a number.",
		`[{"symbol":"ES","side":"buy","qty":1,"entry_price":1,"time":"2026-01-02","exit_price":-2,"exit_time":"2026-01-02"}]`:                   "Row 1: price must not be negative, except for a future or an option.",
		`[{"symbol":"ES","multiplier":{},"fills":[{"side":"buy","qty":1,"price":1,"time":"2026-01-02"}]}]`:                                      "Row 1: Fill 1: multiplier must be a text or a number.",
		`[{"symbol":"ES","details":{"a":[]},"fills":[{"side":"buy","qty":1,"price":1,"time":"2026-01-02"}]}]`:                                   "Row 1: Fill 1: details.a must be a text or a number.",
		`[{"symbol":"ES","fills":[{"side":"buy","qty":1,"price":1,"time":"2026-01-02"},{"side":"buy","qty":0,"price":1,"date":"2026-01-02"}]}]`: "Row 1: Fill 2: quantity must be above zero.",
	} {
		doc, err := Decode([]byte(text))
		must(t, err)
		if got, want := describeBundle(doc), "problem 1 "+want+"\n"; got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestForeignFacts checks which values in a row are known.
func TestForeignFacts(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		`"time":"2026-01-02T15:00:00Z"`:                                             "",
		`"time":"2026-01-02T15:00:00Z","fees":0,"commission":"0.00","multiplier":1`: "fees_stated commission_stated multiplier_stated",
		`"time":"2026-01-02T15:00:00Z","fees":null,"commission":""`:                 "",
		`"time":"2026-01-02 15:00:07"`:                                              "zone_assumed",
		`"time":"2026-01-02 15:00"`:                                                 "minute_precision zone_assumed",
		`"time":"2026-01-02","fee":1`:                                               "fees_stated day_precision zone_assumed",
		`"time":1767366000`:                                                         "",
	} {
		doc, err := Decode([]byte(`[{"symbol":"SPY","side":"buy","quantity":1,"price":2,` + values + `}]`))
		must(t, err)
		if got := strings.Join(doc.Accounts[0].Executions[0].Facts, " "); got != want {
			t.Errorf("%s: the facts are %q, want %q", values, got, want)
		}
	}
	doc, err := Decode([]byte(`[{"symbol":"ES","side":"buy","qty":1,"entry_price":1,"time":"2026-01-02T15:00:00Z","exit_price":2,"exit_time":"2026-01-03",
		"commission":3,"multiplier":50,"stated_pnl":50}]`))
	must(t, err)
	entry, exit := doc.Accounts[0].Executions[0], doc.Accounts[0].Executions[1]
	wantSame(t, strings.Join(entry.Facts, " "), "commission_stated multiplier_stated")
	wantSame(t, strings.Join(exit.Facts, " "), "commission_stated multiplier_stated day_precision zone_assumed")
	if entry.StatedPnL.Valid || !exit.StatedPnL.Valid || !entry.Commission.IsZero() || exit.Commission.String() != "3" {
		t.Errorf("entry %+v, exit %+v", entry, exit)
	}
}
