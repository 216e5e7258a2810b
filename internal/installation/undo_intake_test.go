package installation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// intakeWrites are the writes to what comes from other programs and servers, and to what
// evaluates the journal.
func (w *writer) intakeWrites() []randomWrite {
	return []randomWrite{
		{"add trade", w.addTrade},
		{"add fill of a special kind", w.addSpecialFill},
		{"move fill", w.moveFill},
		{"delete fill of trade with attachment", w.deleteAttachedFill},
		{"create move of a symbol", w.createMove},
		{"add trade to strategy", w.addToStrategy},
		{"remove trade from strategy", w.removeFromStrategy},
		{"change goal", w.changeGoal},
		{"import annotated file", w.importAnnotated},
		{"import words", w.importWords},
		{"import actions", w.importActions},
		{"restore backup", w.restoreBackup},
		{"delete word", w.deleteWord},
		{"store layout", w.storeLayout},
		{"delete layout", w.deleteLayout},
		{"deliver to hook", w.deliver},
		{"deliver to hook", w.deliver},
		{"discard quarantined fill", w.discardQuarantined},
		{"retry quarantined fill", w.retryQuarantined},
		{"create connection", w.createConnection},
		{"change connection", w.changeConnection},
		{"run connection", w.runConnection},
		{"run connection", w.runConnection},
		{"delete connection", w.deleteConnection},
		{"create price source", w.createSource},
		{"change price source", w.changeSource},
		{"delete price source", w.deleteSource},
		{"import bars", w.importBars},
		{"reverse import of bars", w.reverseBars},
		{"delete price series", w.deleteSeries},
		{"create symbol alias", w.createAlias},
		{"delete symbol alias", w.deleteAlias},
		{"create channel", w.createChannel},
		{"change channel", w.changeChannel},
		{"delete channel", w.deleteChannel},
		{"create program", w.createProgram},
		{"change program", w.changeProgram},
		{"delete program", w.deleteProgram},
		{"enroll account", w.enroll},
		{"change enrollment", w.changeEnrollment},
		{"delete enrollment", w.deleteEnrollment},
		{"read alert", w.readAlert},
		{"read all alerts", w.readAllAlerts},
		{"change alert settings", w.changeAlertSettings},
	}
}

// broker is a connector with the fills of a test.
type broker struct{ fills []statement.Fill }

func (*broker) Describe() connector.Description {
	return connector.Description{
		Name: "broker", Title: "Broker", Covers: "Fills", Hosts: []string{"api.broker.example"}, Overlap: time.Hour, History: 24 * time.Hour,
		Rights: connector.RightsChecked, Fields: []remote.Field{{Name: "key", Title: "key", IsSecret: true}},
	}
}

func (*broker) Check(context.Context, *remote.Session) (connector.Identity, error) {
	return connector.Identity{Account: "U1"}, nil
}

func (b *broker) Fetch(_ context.Context, _ *remote.Session, query connector.Query) (connector.Delivery, error) {
	rows := connector.NewRows(query, "Broker")
	for _, f := range b.fills {
		if !f.At.Before(query.From) && f.At.Before(query.To) {
			row, _ := rows.Start(f.ID)
			row.AddFill(f, "USD")
		}
	}
	return rows.Delivery(), nil
}

// vendor is a price provider without prices.
type vendor struct{}

func (vendor) Describe() barsource.Description {
	return barsource.Description{
		Name: "vendor", Title: "Vendor", Covers: "Stocks", Hosts: []string{"api.vendor.example"}, BarSecs: []int64{60}, PageBars: 1000,
		Fields: []remote.Field{{Name: "key", Title: "key", IsSecret: true}},
	}
}

func (vendor) Symbol(instruments.Priced, time.Time) (string, bool) { return "", false }

func (vendor) Fetch(context.Context, remote.Doer, map[string]string, barsource.Query) (barsource.Result, error) {
	return barsource.Result{}, remote.ErrUnavailable
}

// commit imports a file into a random account.
func (w *writer) commit(ctx context.Context, up imports.Upload) error {
	up.Account = journal.AccountID(w.pick("accounts"))
	_, err := w.Imports.Commit(ctx, imports.Actor{Principal: identity.Principal{UserID: w.owner}}, up)
	return err
}

// importAnnotated imports trades with tags and notes.
func (w *writer) importAnnotated(ctx context.Context) error {
	var file strings.Builder
	file.WriteString("Symbol,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Tags,Notes\n")
	first := w.random.IntN(8)
	for i := first; i < first+1+w.random.IntN(4); i++ {
		fmt.Fprintf(&file, "AAPL,Long,%d,2026-03-02 %02d:05:00,2026-03-02 %02d:15:00,%d,%d,%s,Words %d\n",
			1+i%2, 9+i, 9+i, 100+i, 101+i, []string{"", "Gap", "Late"}[w.random.IntN(3)], w.number)
	}
	return w.commit(ctx, imports.Upload{FileName: w.name("trades"), Data: []byte(file.String()), Zone: "UTC"})
}

// importWords imports a file with a word that the user explains.
func (w *writer) importWords(ctx context.Context) error {
	file := "Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount\n" +
		`1/5/2026,1/5/2026,1/6/2026,AAPL,Apple,Buy,10,$100.00,"($1,000.00)"` + "\n" +
		fmt.Sprintf("1/7/2026,1/7/2026,1/7/2026,,First,ZORP,,,$%d.00\n", w.number)
	return w.commit(ctx, imports.Upload{
		FileName: w.name("words"), Data: []byte(file), Kinds: map[string]string{"zorp": []string{"interest", "fee"}[w.random.IntN(2)]},
	})
}

// importActions imports a file with a corporate action.
func (w *writer) importActions(ctx context.Context) error {
	file := `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"03/03/2026","Sell","NEWS","NEWS PREFERRED","120","$5.00","","$600.00"
"03/02/2026 as of 03/02/2026","Spin-off","NEWS","NEWS PREFERRED","120","","",""
` + fmt.Sprintf(`"03/01/2026","Buy","AAPL","APPLE","120","$%d.00","","-$%d.00"`+"\n", 20+w.number%3, 120*(20+w.number%3))
	return w.commit(ctx, imports.Upload{FileName: w.name("actions"), Data: []byte(file)})
}

// restoreBackup restores an earlier backup into the journal, and makes the next one.
func (w *writer) restoreBackup(ctx context.Context) error {
	var next bytes.Buffer
	must(w.t, w.DB.View(ctx, func(tx *db.Tx) error { return backup.WriteJSON(ctx, tx, w.owner, backup.Scope{At: w.Clock()}, &next) }))
	saved := w.saved
	if w.saved = next.Bytes(); saved == nil {
		return nil
	}
	by := imports.Actor{Principal: identity.Principal{UserID: w.owner}}
	_, err := w.Imports.Commit(ctx, by, imports.Upload{FileName: w.name("backup"), Data: saved})
	return err
}

func (w *writer) deleteWord(ctx context.Context) error {
	return w.DB.Update(ctx, func(tx *db.Tx) error {
		return kinds.Delete(ctx, tx, w.owner, journal.WordKindID(w.pick("import_kinds")), nil)
	})
}

func (w *writer) layout() string { return fmt.Sprint("layout ", w.random.IntN(3)) }

func (w *writer) storeLayout(ctx context.Context) error {
	layout := layouts.Layout{Signature: w.layout(), Name: w.name("Layout"), UsedAt: w.Clock()}
	if w.random.IntN(2) == 0 {
		layout.Accounts = []layouts.Account{{ID: journal.AccountID(w.pick("accounts"))}}
	}
	return w.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := layouts.Store(ctx, tx, w.owner, layout, nil)
		return err
	})
}

func (w *writer) deleteLayout(ctx context.Context) error {
	return w.DB.Update(ctx, func(tx *db.Tx) error { return layouts.Delete(ctx, tx, w.owner, w.layout(), nil) })
}

// readFill reads the number in a hook's message. Negative ones are refused.
func (w *writer) readFill(text []byte) (ledger.NewFill, error) {
	var in struct{ N int }
	if err := json.Unmarshal(text, &in); err != nil || in.N < 0 {
		return ledger.NewFill{}, journal.InvalidField("n", "n must not be negative.")
	}
	return ledger.NewFill{
		Symbol: "AAPL", Side: []matching.Side{matching.Buy, matching.Sell}[in.N%2], Quantity: decimal.New(1), Price: decimal.New(int64(100 + in.N)),
		ExecutedAt: time.Date(2026, 3, 2, 9, in.N*7%600, 0, 0, time.UTC),
	}, nil
}

// deliver sends one or two fills to a hook.
func (w *writer) deliver(ctx context.Context) error {
	id := journal.HookID(w.pick("hooks"))
	sender, err := w.Hooks.Verify(ctx, id, w.secrets[id])
	if err != nil {
		return err
	}
	_, err = w.Hooks.Receive(ctx, sender, fmt.Appendf(nil, `[{"N":%d},{"N":%d}]`, w.number, w.random.IntN(9)), w.readFill)
	return err
}

// pickQuarantined returns a hook with the fills in its quarantine.
func (w *writer) pickQuarantined(ctx context.Context) (hook journal.HookID, entry journal.QuarantineID, err error) {
	hook = journal.HookID(w.pick("hooks"))
	list, err := w.Hooks.Quarantine(ctx, w.owner, hook)
	if len(list) > 0 {
		entry = list[w.random.IntN(len(list))].ID
	}
	return hook, entry, err
}

func (w *writer) discardQuarantined(ctx context.Context) error {
	hook, entry, err := w.pickQuarantined(ctx)
	if err != nil {
		return err
	}
	return w.Hooks.Discard(ctx, w.owner, hook, entry)
}

// retryQuarantined reads a fill as a later version of the program could.
func (w *writer) retryQuarantined(ctx context.Context) error {
	hook, entry, err := w.pickQuarantined(ctx)
	if err != nil {
		return err
	}
	_, err = w.Hooks.Retry(ctx, w.owner, hook, entry, func([]byte) (ledger.NewFill, error) { return w.newFill(), nil })
	return err
}

func (w *writer) createConnection(ctx context.Context) error {
	_, err := w.Connections.Create(ctx, connections.Actor{Principal: w.caller()}, connections.Change{
		Provider: journal.Some("broker"), Account: journal.Some(journal.AccountID(w.pick("accounts"))), Name: journal.Some(w.name("Connection")),
		Credentials: journal.Some(map[string]string{"key": w.name("key")}), Schedule: journal.Some(connections.Manual),
	}, false)
	return err
}

func (w *writer) changeConnection(ctx context.Context) error {
	_, err := w.Connections.Update(ctx, connections.Actor{Principal: w.caller()}, journal.ConnectionID(w.pick("connections")), connections.Change{
		Name: journal.Some(w.name("Connection")),
	}, nil)
	return err
}

// runConnection fetches fills, of which the last run may have brought some.
func (w *writer) runConnection(ctx context.Context) error {
	w.clock.Advance(2 * time.Minute)
	for i := range 1 + w.random.IntN(2) {
		w.broker.fills = append(w.broker.fills, statement.Fill{
			ID: fmt.Sprint(w.number, ".", i), At: w.clock.Now().Add(-time.Duration(1+w.random.IntN(20)) * time.Minute).Truncate(time.Second),
			Side: []matching.Side{matching.Buy, matching.Sell}[w.random.IntN(2)], Symbol: "AAPL", Type: instruments.TypeStock,
			Quantity: decimal.New(1), Price: decimal.New(int64(100 + w.number)), FeesKnown: true,
		})
	}
	if _, err := w.Connections.Start(ctx, w.owner, journal.ConnectionID(w.pick("connections"))); err != nil {
		return err
	}
	return w.Jobs.RunDue(ctx)
}

func (w *writer) deleteConnection(ctx context.Context) error {
	return w.Connections.Delete(ctx, connections.Actor{Principal: w.caller()}, journal.ConnectionID(w.pick("connections")), nil)
}

func (w *writer) createSource(ctx context.Context) error {
	_, err := w.BarSources.Create(ctx, w.owner, barfetch.Change{
		Provider: journal.Some("vendor"), Credentials: journal.Some(map[string]string{"key": "key"}), Enabled: journal.Some(false),
	})
	return err
}

func (w *writer) changeSource(ctx context.Context) error {
	_, err := w.BarSources.Update(ctx, w.owner, journal.BarSourceID(w.pick("bar_sources")), barfetch.Change{
		Symbols: journal.Some([]string{w.name("SYM")}),
	}, nil)
	return err
}

func (w *writer) deleteSource(ctx context.Context) error {
	return w.BarSources.Delete(ctx, w.owner, journal.BarSourceID(w.pick("bar_sources")), nil)
}

// importBars imports some of 40 minute bars, so files overlap.
func (w *writer) importBars(ctx context.Context) error {
	var file strings.Builder
	file.WriteString("time,open,high,low,close,Volume\n")
	first := w.random.IntN(30)
	for i := first; i < first+2+w.random.IntN(10); i++ {
		at := time.Date(2026, 3, 2, 14, 30+i, 0, 0, time.UTC)
		price := 100 + i + w.random.IntN(2)
		fmt.Fprintf(&file, "%d,%d,%d.25,%d.75,%d,%d\n", at.Unix(), price, price, price-1, price, 10*i)
	}
	data := file.String()
	_, _, err := w.BarImports.Commit(ctx, w.owner, barimport.Upload{
		FileName: []string{"ESH6.csv", "ESM6.csv"}[w.random.IntN(2)], Content: strings.NewReader(data), Size: int64(len(data)),
	})
	return err
}

func (w *writer) reverseBars(ctx context.Context) error {
	return w.Bars.Reverse(ctx, w.owner, journal.BarImportID(w.pick("bar_imports")))
}

func (w *writer) deleteSeries(ctx context.Context) error {
	return w.Bars.DeleteSeries(ctx, w.owner, journal.SeriesID(w.pick("bar_series")))
}

func (w *writer) createAlias(ctx context.Context) error {
	_, err := w.Bars.AddAlias(ctx, w.owner, []string{"AAPL", "MSFT"}[w.random.IntN(2)], w.name("BAR"))
	return err
}

func (w *writer) deleteAlias(ctx context.Context) error {
	return w.Bars.DeleteAlias(ctx, w.owner, journal.BarAliasID(w.pick("bar_aliases")))
}

// TestUndoOfImportRemovesWhatItBrought undoes and redoes an import with tags, and the
// restoring of a backup. A tag that is used elsewhere since stays.
func TestUndoOfImportRemovesWhatItBrought(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		other := h.fill(matching.Buy, "100", 0).TradeIDs[0]
		file := "Symbol,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Tags,Setup\n" +
			"MSFT,Long,1,2026-03-02 09:05:00,2026-03-02 10:05:00,100,101,Gap,Breakout\n"
		before := h.state()
		id := h.change(func(ctx context.Context) error {
			_, err := h.Imports.Commit(ctx, imports.Actor{Principal: identity.Principal{UserID: h.owner}}, imports.Upload{
				FileName: "trades.csv", Data: []byte(file), Account: h.account, Zone: "UTC",
			})
			return err
		})
		redone := h.wantUndoAndRedo(before, id)
		tags, err := h.Playbook.Tags(t.Context(), h.owner)
		must(t, err)
		if len(tags) != 1 || tags[0].Name != "Gap" {
			t.Fatalf("the import brought the tags %+v", tags)
		}
		_, err = h.Playbook.Annotate(t.Context(), h.owner, other, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{tags[0].ID})}, nil)
		must(t, err)
		h.undo(redone)
		if left, err := h.Playbook.Tags(t.Context(), h.owner); err != nil || len(left) != 1 || left[0].ID != tags[0].ID {
			t.Errorf("after the undo there are the tags %+v: %v", left, err)
		}
		if left, err := h.Playbook.Setups(t.Context(), h.owner); err != nil || len(left) != 0 {
			t.Errorf("after the undo there are the setups %+v: %v", left, err)
		}
		h.wantNoProblems()
	})
}

// TestUndoOfRestore restores a backup of records that were deleted since: the undo removes
// them all.
func TestUndoOfRestore(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		w := newWriter(h, 1, 4, true)
		creations := []randomWrite{
			{"", w.createTag}, {"", w.createSetup}, {"", w.createNote}, {"", w.createMissed}, {"", w.createTemplate}, {"", w.createView},
			{"", w.createRule}, {"", w.createGoal}, {"", w.createRate}, {"", w.createProgram}, {"", w.createAlias}, {"", w.createSource},
			{"", w.createChannel}, {"", w.createConnection}, {"", w.createMove}, {"", w.storeLayout}, {"", w.importWords}, {"", w.setPreferences},
			{"", w.setSettings},
		}
		empty := h.state()
		var made []journal.ChangeID
		for _, write := range creations {
			id := w.run(write)
			if id == "" {
				t.Fatalf("a write had no effect: %v", w.refusals[""])
			}
			made = append(made, id)
		}
		must(t, w.restoreBackup(t.Context())) // makes the backup
		for _, id := range slices.Backward(made) {
			h.undo(id)
		}
		if is := h.state(); is != empty {
			t.Fatalf("after the undo of all:\n%s", firstDifference(empty, is))
		}
		id := h.change(w.restoreBackup)
		if h.state() == empty {
			t.Fatal("the backup restored nothing")
		}
		h.undo(id)
		if is := h.state(); is != empty {
			t.Fatalf("after the undo of the restoring:\n%s", firstDifference(empty, is))
		}
		h.wantNoProblems()
	})
}
