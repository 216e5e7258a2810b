package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
)

// writeByHand writes a single-account backup, with executions in the form "side quantity
// price minute".
func writeByHand(account string, more string, fills ...string) string {
	var rows []string
	for _, f := range fills {
		var side, quantity, price string
		var minute int
		if _, err := fmt.Sscan(f, &side, &quantity, &price, &minute); err != nil {
			panic(err)
		}
		rows = append(rows, fmt.Sprintf(`{"symbol":"AAPL","instrument_type":"stock","side":%q,"quantity":%s,"price":%s,"executed_at":"2026-03-02T14:%02d:00Z"}`,
			side, quantity, price, 30+minute))
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"format":"fillbook","version":3,"account":%s,"executions":[%s]%s}`, account, strings.Join(rows, ","), more)
}

const mainAccount = `{"name":"Main","broker":"Broker","account_type":"cash","base_currency":"USD","starting_balance":0}`

// trades lists an account's trades with their annotations, oldest first.
func (h *fixture) trades(t failer, owner journal.UserID, account journal.AccountID) (list []string) {
	t.Helper()
	must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
		var trades []ledger.Trade
		var ids []journal.TradeID
		query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
		err := ledger.EachTrade(h.ctx(), tx, owner, query, func(trade ledger.Trade) error {
			trades, ids = append(trades, trade), append(ids, trade.ID)
			return nil
		})
		if err != nil {
			return err
		}
		annotations, err := playbook.LoadAnnotations(h.ctx(), tx, owner, ids)
		for _, trade := range slices.Backward(trades) {
			list = append(list, fmt.Sprintf("%d fills, %s, %q", trade.Executions, trade.QtyOpened, annotations[trade.ID].Notes))
		}
		return err
	}))
	return list
}

func expect(t failer, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Annotations go to the trade with most of their fills, even if a fill crosses zero and
// belongs to two trades.
func TestAnnotationsFindTheirTrades(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		text := writeByHand(mainAccount, `"trades":[{"fills":[0,1],"notes":"the long"},{"fills":[1],"notes":"the short"}]`, "buy 10 100 0", "sell 15 101 5")
		wantComplete(t, h.restore(t, owner, text))
		accounts, err := h.ledger.Accounts(t.Context(), owner)
		must(t, err)
		expect(t, h.trades(t, owner, accounts[0].ID), `2 fills, 10, "the long"`, `1 fills, 5, "the short"`)
		wantUnchanged(t, h.restore(t, owner, text))

		// An unknown fill joins the two into another shape.
		more := writeByHand(mainAccount, `"trades":[{"fills":[1,2],"notes":"closed"}]`, "buy 10 100 0", "sell 15 101 5", "buy 5 99 7")
		if result := h.restore(t, owner, more); result.Inserted != 1 || result.Skipped != 2 || result.Annotated != 1 {
			t.Errorf("%+v", result)
		}
		expect(t, h.trades(t, owner, accounts[0].ID), `2 fills, 10, "the long"`, `2 fills, 5, "the short\n\n---\n\nclosed"`)
		h.check(t)
	})
}

// A journal with its own records keeps them.
func TestRestoreOverwritesNothing(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, account := newBusyJournal(t, h)
		_, err := h.ledger.UpdateAccount(t.Context(), owner, account, ledger.AccountChange{
			StartingBalance: journal.Some(decimal.Must("5000")), Type: journal.Some("margin"),
		}, nil)
		must(t, err)
		_, err = h.ledger.SetOverrides(t.Context(), owner, account, []ledger.Override{{Root: "ES", Multiplier: decimal.Must("5")}})
		must(t, err)
		_, err = h.playbook.CreateTag(t.Context(), owner, playbook.TagChange{Name: journal.Some("Late"), Color: journal.Some("#123456")})
		must(t, err)
		must(t, h.identity.MergePreferences(t.Context(), owner, map[string]json.RawMessage{"theme": json.RawMessage(`"dark"`)}, nil))
		_, err = h.routine.SetTemplate(t.Context(), owner, []string{"mine"}, nil)
		must(t, err)
		text := writeByHand(`{"name":" MAIN ","broker":"broker","account_type":"cash","base_currency":"usd","starting_balance":1}`,
			`"trades":[{"fills":[0,1],"notes":"other words","confidence":2,"tags":["LATE"]}],
			"instrument_overrides":[{"root":"ES","multiplier":50},{"root":"NQ","multiplier":20}],
			"tags":[{"name":"late","color":"#fff","description":"","kind":"mistake"}],
			"preferences":{"theme":"light","zoom":2},"routines":{"template":["theirs"],"items":[]}`, "buy 10 100.5 0", "sell 10 101.25 5")
		result := h.restore(t, owner, text)
		wantComplete(t, result)
		if result.Inserted != 0 || result.Skipped != 2 || result.Annotated != 1 || result.Tags != 0 || result.Overrides != 1 || result.Preferences != 1 {
			t.Errorf("%+v", result)
		}
		after := h.export(t, owner, "")
		for _, want := range []string{
			`"name":"Main","broker":"Broker","account_type":"margin","base_currency":"USD","starting_balance":5000`,
			`{"root":"ES","multiplier":5}`, `{"root":"NQ","multiplier":20}`, `"name":"Late","color":"#123456"`,
			`"notes":"Waited for the retest.\n\n---\n\nother words"`, `"confidence":2`, `"tags":["Late"]`, `{"theme":"dark","zoom":2}`, `"template":["mine"]`,
		} {
			if !strings.Contains(after, want) {
				t.Errorf("%s is not in\n%s", want, after)
			}
		}
		wantUnchanged(t, h.restore(t, owner, text))
		wantSame(t, h.export(t, owner, ""), after)
	})
}

// Ids in a file, whosever they are, mean nothing.
func TestForeignIDsAreIgnored(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	victim, account := newBusyJournal(t, h)
	before := h.export(t, victim, "")
	thief := h.user(t)
	text := writeByHand(fmt.Sprintf(`{"id":%q,"user_id":"%d","name":"Main","broker":"Broker","base_currency":"USD","is_admin":true}`, account, victim),
		fmt.Sprintf(`"id":%q,"user_id":"%d","users":[{"email":"x@example.org","password_hash":"x","is_admin":true}],
		"notes":[{"id":"n","user_id":"%d","type":"note","occurred_at":"2026-03-02","body":"mine","account":0}]`, account, victim, victim), "buy 1 1 0")
	result := h.restore(t, thief, text)
	wantComplete(t, result)
	if result.Accounts[0].ID == account || !result.Accounts[0].Created || result.Notes != 1 {
		t.Errorf("%+v", result)
	}
	wantSame(t, h.export(t, victim, ""), before)
	_, err := h.tryRestore(Order{Owner: thief, Document: h.decode(t, text), Into: account})
	if !journal.IsKind(err, journal.KindNotFound) {
		t.Errorf("into a foreign account: %v", err)
	}
	users, err := h.identity.Users(t.Context())
	must(t, err)
	if len(users) != 2 || users[1].ID != thief || users[1].IsAdmin {
		t.Errorf("users %+v", users)
	}
}

// Which stored account an account from the file is.
func TestAccountsAreFound(t *testing.T) {
	t.Parallel()
	const (
		early = "2026-01-01T00:00:00Z"
		late  = "2026-02-01T00:00:00Z"
	)
	type known struct{ name, broker, currency, created string }
	for name, c := range map[string]struct {
		own, file []known
		want      []int // places in own; -1 for a new account
	}{
		"none":                    {nil, []known{{"A", "", "USD", early}}, []int{-1}},
		"the one":                 {[]known{{"A", "IB", "USD", early}}, []known{{"a", "ib", "USD", late}}, []int{0}},
		"another broker":          {[]known{{"A", "IB", "USD", early}}, []known{{"A", "", "USD", early}}, []int{-1}},
		"another currency":        {[]known{{"A", "IB", "USD", early}}, []known{{"A", "IB", "EUR", early}}, []int{-1}},
		"one of two by time":      {[]known{{"A", "", "USD", early}, {"A", "", "USD", late}}, []known{{"A", "", "USD", late}}, []int{1}},
		"one of two, not known":   {[]known{{"A", "", "USD", early}, {"A", "", "USD", late}}, []known{{"A", "", "USD", ""}}, []int{-1}},
		"two of two":              {[]known{{"A", "", "USD", early}, {"A", "", "USD", early}}, []known{{"A", "", "USD", early}, {"A", "", "USD", early}}, []int{0, 1}},
		"two of two by order":     {[]known{{"A", "", "USD", early}, {"A", "", "USD", late}}, []known{{"A", "", "USD", ""}, {"A", "", "USD", ""}}, []int{0, 1}},
		"two of one":              {[]known{{"A", "", "USD", early}}, []known{{"A", "", "USD", ""}, {"A", "", "USD", ""}}, []int{-1, -1}},
		"two of one by time":      {[]known{{"A", "", "USD", early}}, []known{{"A", "", "USD", late}, {"A", "", "USD", early}}, []int{-1, 0}},
		"the other way round":     {[]known{{"A", "", "USD", early}, {"B", "", "USD", late}}, []known{{"B", "", "USD", late}, {"A", "", "USD", early}}, []int{1, 0}},
		"currency by default":     {[]known{{"A", "", "USD", early}}, []known{{"A", "", "", ""}}, []int{0}},
		"currency missing":        {[]known{{"A", "IB", "EUR", early}}, []known{{"a", "ib", "", ""}}, []int{0}},
		"neither, of two":         {[]known{{"A", "", "EUR", early}, {"A", "", "GBP", late}}, []known{{"A", "", "", ""}}, []int{-1}},
		"one taken already":       {[]known{{"A", "", "EUR", early}}, []known{{"A", "", "EUR", ""}, {"A", "", "", ""}}, []int{0, -1}},
		"two that do not tell":    {[]known{{"A", "", "EUR", early}}, []known{{"A", "", "", ""}, {"A", "", "", ""}}, []int{-1, -1}},
		"nothing to put anywhere": {[]known{{"A", "", "USD", early}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := oneFixture(t)
			owner := h.user(t)
			var ids []journal.AccountID
			for _, k := range c.own {
				at, err := journal.ParseInstant("created", k.created)
				must(t, err)
				must(t, h.db.Update(t.Context(), func(tx *db.Tx) error {
					a, err := ledger.CreateAccount(t.Context(), tx, owner, at, ledger.NewAccount{Name: k.name, Broker: k.broker, BaseCurrency: k.currency})
					ids = append(ids, a.ID)
					return err
				}))
			}
			doc := &Document{Format: formatName}
			for _, k := range c.file {
				a := Account{Name: k.name, Broker: k.broker, BaseCurrency: k.currency}
				if k.created != "" {
					at, err := journal.ParseInstant("created", k.created)
					must(t, err)
					a.CreatedAt = Instant{at}
				}
				doc.Accounts = append(doc.Accounts, Bundle{Account: a})
			}
			result, err := h.tryRestore(Order{Owner: owner, Document: doc})
			must(t, err)
			for i, want := range c.want {
				got := result.Accounts[i]
				if got.Created != (want < 0) || want >= 0 && got.ID != ids[want] {
					t.Errorf("account %d went into %+v, want %d of %v", i, got, want, ids)
				}
			}
		})
	}
}

func TestIntoAnAccount(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner := h.user(t)
	into := h.account(t, owner, "Elsewhere")
	one := h.decode(t, writeByHand(mainAccount, "", "buy 1 1 0"))
	result, err := h.tryRestore(Order{Owner: owner, Document: one, Into: into})
	must(t, err)
	if result.Inserted != 1 || len(result.Accounts) != 1 || result.Accounts[0] != (RestoredAccount{ID: into, Name: "Elsewhere"}) {
		t.Errorf("%+v", result)
	}
	euros := h.decode(t, writeByHand(`{"name":"Main","base_currency":"EUR"}`, "", "buy 1 1 0"))
	_, err = h.tryRestore(Order{Owner: owner, Document: euros, Into: into})
	wantRefusal(t, err, "in EUR and the account in USD")
	two := h.decode(t, `{"format":"fillbook","version":1,"accounts":[{"account":{"name":"A"}},{"account":{"name":"B"}}]}`)
	_, err = h.tryRestore(Order{Owner: owner, Document: two, Into: into})
	wantRefusal(t, err, "holds 2 accounts")
	must(t, h.db.View(t.Context(), func(tx *db.Tx) error {
		_, err := Preview(t.Context(), tx, owner, two, into)
		wantRefusal(t, err, "holds 2 accounts")
		return nil
	}))
}

// Invalid rows are reported and left out; the others are restored.
func TestProblemsAreReported(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		text := writeByHand(mainAccount, `"trades":[{"fills":[0,1],"notes":"on the bad one"},{"fills":[9,-1]},{"fills":[1],"confidence":9},{"fills":[1],"initial_risk":-1}],
			"cash_transactions":[{"type":"gift","amount":1,"occurred_at":"2026-01-01T00:00:00Z"},{"type":"fee","amount":1,"occurred_at":"2026-01-01T00:00:00Z","trade":7},
				{"type":"deposit","amount":1,"currency":"EUR","occurred_at":"2026-01-01T00:00:00Z"}],
			"instrument_overrides":[{"root":"","multiplier":1}],"tags":[{"name":"ok"},{"name":" "},{"name":"red","color":"red"}],
			"setups":[{"name":""},{"name":"ok","direction":"up"}],
			"notes":[{"type":"note","occurred_at":"2026-03-02","body":"ok","trade":{"account":3,"trade":0}},{"type":"poem","occurred_at":"2026-03-02","body":"x"},
				{"type":"note","occurred_at":"soon","body":"x"},{"type":"note","occurred_at":"2026-03-02","body":" "}],
			"missed_trades":[{"symbol":"","direction":"long","observed_at":"2026-03-02T00:00:00Z"},{"symbol":"A","direction":"long","observed_at":"2026-03-02T00:00:00Z"}],
			"import_kinds":[{"layout":"robinhood/account activity","word":"zorp","kind":"gift"},{"layout":"","word":"zorp","kind":"fee"},{"layout":"a","word":" ","kind":"fee"}],
			"orphans":[{"symbol":"A","orphaned_at":"2026-03-02T00:00:00Z","fill_keys":["k"],"trade_quality":7}],
			"attachments":[{"name":"a.png","path":"attachments/1.png","trade":{"account":0,"trade":1}},{"name":"b.png","path":"x","note":0}]`,
			"buy 0 100 0", "buy 1 100 1")
		result := h.restore(t, owner, text)
		var got []string
		for _, p := range result.Errors {
			got = append(got, fmt.Sprintf("%d %s", p.Row, p.Message))
		}
		expect(t, got,
			"1 Instrument override 1: root must not be empty.",
			"1 Execution 1: quantity must be above zero.",
			"2 Trade 2: None of its fills could be restored.",
			"1 Cash transaction 1: type must be deposit, withdrawal, fee, dividend, interest or adjustment.",
			"3 Cash transaction 3: currency must be USD, the currency of the account.",
			"2 Tag 2: name must not be empty.",
			"3 Tag 3: color must be written like #1f77b4.",
			"1 Setup 1: name must not be empty.",
			"2 Setup 2: direction must be long, short or empty.",
			"3 Trade 3: confidence must be a whole number from 1 to 5.",
			"4 Trade 4: initial_risk must be above zero.",
			"1 Orphan 1: trade_quality must be a whole number from 1 to 5.",
			"3 Note 3: occurred_at must be a date and time with an offset, such as 2026-01-31T14:30:00Z.",
			"4 Note 4: body must not be empty.",
			"2 Note 2: type must be note, daily_log or weekly_review.",
			"1 Missed trade 1: symbol must not be empty.",
			`1 Import kind 1: "gift" is not a kind. Use one of deposit, withdrawal, transfer, fee, interest, dividend, withholding, tax, adjustment, ignore.`,
			"2 Import kind 2: layout must not be empty.",
			"3 Import kind 3: A word in kinds must have 1 to 200 characters.",
			"1 Attachment 1: Its trade or note could not be restored.",
		)
		if result.Inserted != 1 || result.CashInserted != 1 || result.Tags != 1 || result.Notes != 1 || result.Missed != 1 || result.Annotated != 1 || len(result.Files) != 1 {
			t.Errorf("%+v", result)
		}
	})
}

// A failure in the middle leaves nothing behind, the account included.
func TestRestoreIsOneStep(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		before := h.export(t, owner, "")
		text := writeByHand(mainAccount, `"setups":[{"name":"ok"}],"routines":{"template":null,"items":[{"title":"x","stage":"noon","weekdays":[1],"position":0,"start_day":"2026-03-02","chain":0}]}`,
			"buy 1 1 0")
		_, err := h.tryRestore(Order{Owner: owner, Document: h.decode(t, text)})
		wantRefusal(t, err, "stage must be")
		wantSame(t, h.export(t, owner, ""), before)
	})
}

// The fills and cash from a restore can be undone as one import.
func TestRestoresAreBatches(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		var asked []journal.AccountID
		batch := func(_ context.Context, _ *db.Tx, account journal.AccountID) (journal.BatchID, error) {
			asked = append(asked, account)
			return "batch-" + journal.BatchID(account), nil
		}
		doc := h.decode(t, writeByHand(mainAccount, `"trades":[{"fills":[0],"notes":"said"}],"cash_transactions":[{"type":"deposit","amount":1,"occurred_at":"2026-01-01T00:00:00Z"}]`,
			"buy 1 1 0", "buy 2 1 1"))
		result, err := h.tryRestore(Order{Owner: owner, Document: doc, Batch: batch})
		must(t, err)
		if len(asked) != 1 || result.Accounts[0].ID != asked[0] || result.Accounts[0].Batch != "batch-"+journal.BatchID(asked[0]) {
			t.Fatalf("asked for %v, restored %+v", asked, result.Accounts)
		}
		must(t, h.db.Update(t.Context(), func(tx *db.Tx) error {
			gone, err := h.ledger.DeleteBatch(t.Context(), tx, owner, result.Accounts[0].Batch)
			if gone.Fills != 2 || gone.Cash != 1 {
				t.Errorf("%+v were of the batch", gone)
			}
			return err
		}))
		// What was said waits, and is given back with the fills.
		again, err := h.tryRestore(Order{Owner: owner, Document: doc})
		must(t, err)
		if again.Inserted != 2 || again.CashInserted != 1 || again.Annotated != 0 {
			t.Errorf("restored again: %+v", again)
		}
		expect(t, h.trades(t, owner, asked[0]), `2 fills, 3, "said"`)
	})
}

// Annotations without a trade wait in the restored journal too, with their notes and
// pictures, and return with the fill.
func TestRestoredOrphansReturn(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		account := h.account(t, from, "Main")
		fill := h.fill(t, from, account, matching.Buy, "1", "10", 0)
		trade := fill.TradeIDs[0]
		h.annotate(t, from, trade, "do not lose me")
		_, err := h.playbook.CreateNote(t.Context(), from, playbook.NoteChange{Body: journal.Some("linked"), Trade: journal.Some(trade)})
		must(t, err)
		_, err = h.playbook.Attach(t.Context(), from, playbook.Target{Trade: trade}, playbook.Upload{Name: "a.png", Content: strings.NewReader(string(picture(1)))})
		must(t, err)
		must(t, h.ledger.DeleteExecution(t.Context(), from, fill.ID, nil))
		result, attached := h.restoreZip(t, to, h.exportZip(t, from, ""))
		wantComplete(t, result)
		if result.Orphans != 1 || result.Notes != 1 || attached != 1 {
			t.Fatalf("%+v, %d files", result, attached)
		}
		wantSame(t, h.export(t, to, ""), h.export(t, from, ""))
		restored := result.Accounts[0].ID
		back := h.fill(t, to, restored, matching.Buy, "1", "10", 0)
		expect(t, h.trades(t, to, restored), `1 fills, 1, "do not lose me"`)
		var files []playbook.Attachment
		var notes []playbook.Note
		must(t, h.db.View(t.Context(), func(tx *db.Tx) (err error) {
			if files, err = playbook.AttachmentsOf(t.Context(), tx, to, playbook.Target{Trade: back.TradeIDs[0]}); err != nil {
				return err
			}
			notes, _, err = h.playbook.ReadNotePage(t.Context(), tx, to, playbook.NoteFilter{Trade: back.TradeIDs[0]}, playbook.Page{})
			return err
		}))
		if len(files) != 1 || len(notes) != 1 {
			t.Errorf("%d files and %d notes came back", len(files), len(notes))
		}
	})
}

// An edited fill is recognized by its original values, even after a restore.
func TestEditedFillsAreRecognized(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	from, to := h.user(t), h.user(t)
	account := h.account(t, from, "Main")
	var fill journal.ExecutionID
	asArrived := writeByHand(mainAccount, "", "buy 1 10 0")
	_, err := h.tryRestore(Order{
		Owner: from, Document: h.decode(t, asArrived), Into: account,
		Batch: func(context.Context, *db.Tx, journal.AccountID) (journal.BatchID, error) { return "batch", nil },
	})
	must(t, err)
	err = h.ledger.EachExecution(t.Context(), from, ledger.ExecutionQuery{}, func(x ledger.Execution) error {
		fill = x.ID
		return nil
	})
	must(t, err)
	_, err = h.ledger.UpdateExecution(t.Context(), from, fill, ledger.ExecutionChange{Price: journal.Some(decimal.Must("11"))}, nil)
	must(t, err)
	wantComplete(t, h.restore(t, to, h.export(t, from, "")))
	if result := h.restore(t, to, asArrived); result.Inserted != 0 || result.Skipped != 1 {
		t.Errorf("%+v", result)
	}
}

// Equal records are as many after a restore as before, and no more after the next.
func TestEqualsAreKept(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		account := h.account(t, from, "Main")
		for _, day := range []journal.Day{"2026-03-02", "2026-03-03", "2026-03-02", "2026-03-02"} {
			_, err := h.playbook.CreateNote(t.Context(), from, playbook.NoteChange{
				Body: journal.Some("the same"), OccurredAt: journal.Some(playbook.MomentOf(day)),
			})
			must(t, err)
		}
		for _, notes := range []string{"first", "second", "first"} {
			_, err := h.playbook.CreateMissed(t.Context(), from, playbook.MissedChange{
				Symbol: journal.Some("ES"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(morning), Notes: journal.Some(notes),
			})
			must(t, err)
		}
		for range 3 {
			h.fill(t, from, account, matching.Buy, "1", "10", 0)
			_, err := h.ledger.AddCash(t.Context(), from, account, ledger.NewCash{Type: ledger.Deposit, Amount: decimal.New(5), OccurredAt: morning})
			must(t, err)
		}
		want := h.export(t, from, "")
		result := h.restore(t, to, want)
		wantComplete(t, result)
		if result.Notes != 4 || result.Missed != 3 || result.Inserted != 3 || result.CashInserted != 3 {
			t.Errorf("%+v", result)
		}
		wantSame(t, h.export(t, to, ""), want)
		wantUnchanged(t, h.restore(t, to, want))
		wantSame(t, h.export(t, to, ""), want)

		// What was changed here since stays changed; other notes are appended.
		list := h.missedTrades(t, to)
		_, err := h.playbook.ChangeMissed(t.Context(), to, list[0].ID, playbook.MissedChange{Notes: journal.Some("changed")}, nil)
		must(t, err)
		changed := h.export(t, to, "")
		if result := h.restore(t, to, want); result.Missed != 0 || result.MissedUpdated != 1 {
			t.Errorf("%+v", result)
		}
		head := func(text string) string { text, _, _ = strings.Cut(text, `"checksums"`); return text }
		wantSame(t, head(h.export(t, to, "")), head(strings.Replace(changed, `"changed"`, `"changed\n\n---\n\nfirst"`, 1)))
		wantUnchanged(t, h.restore(t, to, want))
	})
}

// A routine continued since the backup does not get its old items again.
func TestRoutinesGoOn(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		_, err := h.routine.SetTemplate(t.Context(), owner, nil, nil)
		must(t, err)
		today := journal.DayOf(h.clock.Now())
		item, err := h.routine.Create(t.Context(), owner, routine.Draft{Title: "Breathe", Stage: routine.Pre, Weekdays: []int{1, 2, 3, 4, 5}})
		must(t, err)
		_, err = h.routine.Tick(t.Context(), owner, today, item.ID, true, nil)
		must(t, err)
		old := h.export(t, owner, "")
		_, err = h.routine.Tick(t.Context(), owner, today, item.ID, false, nil)
		must(t, err)
		must(t, h.routine.Delete(t.Context(), owner, item.ID, today.AddDays(1), nil))
		result := h.restore(t, owner, old)
		wantComplete(t, result)
		if result.Routines != 0 {
			t.Errorf("%d items were added", result.Routines)
		}
		list, err := h.routine.Checklist(t.Context(), owner, today)
		must(t, err)
		after, err := h.routine.Items(t.Context(), owner, today.AddDays(1))
		must(t, err)
		if list.Done != 1 || list.Total != 1 || len(after) != 0 {
			t.Errorf("today %d of %d done, tomorrow %d items", list.Done, list.Total, len(after))
		}
	})
}

// A preference that a strict reader would refuse does not spoil the backup.
func TestOddPreferences(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	from, to := h.user(t), h.user(t)
	must(t, h.identity.MergePreferences(t.Context(), from, map[string]json.RawMessage{
		"good": json.RawMessage(`{"n": 1e400, "deep": [[[]]]}`), "half": json.RawMessage(`"\ud800"`), "nul": json.RawMessage(`["\u0000"]`),
		"twice": json.RawMessage(`{"a":1,"a":2}`), "deep": json.RawMessage(strings.Repeat("[", 65) + strings.Repeat("]", 65)),
		"edge": json.RawMessage(strings.Repeat("[", 64) + strings.Repeat("]", 64)),
	}, nil))
	text := h.export(t, from, "")
	if result := h.restore(t, to, text); result.Preferences != 2 {
		t.Errorf("%d preferences came back", result.Preferences)
	}
	prefs, err := h.identity.Preferences(t.Context(), to)
	must(t, err)
	if got := string(prefs.Values["good"]); got != `{"n":1e400,"deep":[[[]]]}` || prefs.Values["edge"] == nil {
		t.Errorf("they came back as %s", prefs.Values)
	}
}

// Records beyond a user's limit are reported and left out.
func TestLimitsHold(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner := h.user(t)
	must(t, h.identity.MergePreferences(t.Context(), owner, map[string]json.RawMessage{"a": json.RawMessage(`"` + strings.Repeat("x", 60<<10) + `"`)}, nil))
	text := writeByHand(mainAccount, `"preferences":{"b":"`+strings.Repeat("y", 10<<10)+`"},
		"trades":[{"fills":[0],"notes":"bell \u0007"},{"fills":[0],"setups":["unlisted"],"tags":["new","NEW"]}]`, "buy 1 1 0")
	result := h.restore(t, owner, text)
	var got []string
	for _, p := range result.Errors {
		got = append(got, p.Message)
	}
	expect(t, got, "Trade 1: notes must not contain control characters.", "Preferences 1: Preferences can have at most 64 KiB.")
	if result.Preferences != 0 || result.Annotated != 1 || result.SetupsUpserted != 1 || result.Tags != 1 {
		t.Errorf("%+v", result)
	}
}

// Merged trades may have more text than a person may type at once.
func TestLongNotesComeBack(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	from, to := h.user(t), h.user(t)
	account := h.account(t, from, "Main")
	long := strings.Repeat("ä", journal.MaxNoteBytes/2)
	first := h.fill(t, from, account, matching.Buy, "1", "10", 0)
	h.fill(t, from, account, matching.Sell, "1", "10", 1)
	second := h.fill(t, from, account, matching.Buy, "1", "10", 2)
	h.annotate(t, from, first.TradeIDs[0], long)
	h.annotate(t, from, second.TradeIDs[0], "x"+long[2:])
	h.fill(t, from, account, matching.Buy, "5", "10", 0) // now it never was flat
	want := h.export(t, from, "")
	if len(want) < 2*journal.MaxNoteBytes-100 {
		t.Fatalf("the notes did not grow together: %d bytes", len(want))
	}
	wantComplete(t, h.restore(t, to, want))
	wantSame(t, h.export(t, to, ""), want)
}
