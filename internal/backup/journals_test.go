package backup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
)

// Whatever a person does to a journal, its backup restored into an empty one gives the
// same backup, and restoring it twice changes nothing.
func TestJournalsComeBack(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		rapid.Check(t, func(rt *rapid.T) {
			from, to := h.user(rt), h.user(rt)
			p := &person{T: rt, fixture: h, owner: from}
			p.live()
			want := h.exportZip(rt, from, "")
			plan := h.preview(rt, to, h.export(rt, from, ""))
			result, _ := h.restoreZip(rt, to, want)
			wantComplete(rt, result)
			plan.wantResult(rt, result)
			wantSame(rt, h.export(rt, to, ""), h.export(rt, from, ""))
			h.clock.Advance(time.Hour)
			own, _ := h.restoreZip(rt, from, want)
			wantUnchanged(rt, own)
			plan = h.preview(rt, to, h.export(rt, from, ""))
			again, attached := h.restoreZip(rt, to, want)
			wantUnchanged(rt, again)
			plan.wantResult(rt, again)
			if attached != 0 {
				rt.Fatalf("%d files were attached twice", attached)
			}
			if !bytes.Equal(h.exportZip(rt, to, ""), want) {
				rt.Fatal("the second restore changed something")
			}
			if p.pick("one account", 4) == 0 {
				p.exportOne(to)
			}
		})
		h.check(t)
	})
}

func (h *fixture) preview(t failer, owner journal.UserID, text string) (plan Plan) {
	t.Helper()
	doc := h.decode(t, text)
	must(t, h.db.View(h.ctx(), func(tx *db.Tx) (err error) {
		plan, err = Preview(h.ctx(), tx, owner, doc, "")
		return err
	}))
	return plan
}

// wantResult checks that a restore did what the preview had announced.
func (p Plan) wantResult(t failer, result Result) {
	t.Helper()
	created := 0
	for i, a := range p.Accounts {
		if (a.ID == "") != result.Accounts[i].Created {
			t.Fatalf("account %+v was to be %+v", result.Accounts[i], a)
		}
		created += a.New
	}
	if p.New != result.Inserted || p.Duplicates != result.Skipped || p.CashNew != result.CashInserted ||
		p.CashDuplicates != result.CashSkipped || created != p.New || len(p.Errors) != len(result.Errors) {
		t.Fatalf("planned %+v, did %+v", p, result)
	}
}

// exportOne checks the same for a single-account backup.
func (p *person) exportOne(restored journal.UserID) {
	accounts, err := p.ledger.Accounts(p.ctx(), restored)
	must(p, err)
	if len(accounts) == 0 {
		return
	}
	account := accounts[p.pick("single", len(accounts))].ID
	want := p.exportZip(p, restored, account)
	other := p.user(p)
	result, _ := p.restoreZip(p, other, want)
	wantComplete(p, result)
	if len(result.Accounts) != 1 || !result.Accounts[0].Created {
		p.Fatalf("restored into %+v", result.Accounts)
	}
	if got := p.exportZip(p, other, result.Accounts[0].ID); !bytes.Equal(got, want) {
		wantSame(p, p.export(p, other, result.Accounts[0].ID), p.export(p, restored, account))
		p.Fatal("the zips differ")
	}
	again, _ := p.restoreZip(p, other, want)
	wantUnchanged(p, again)
}

// person does random things to a journal.
type person struct {
	*rapid.T
	*fixture
	owner    journal.UserID
	accounts []journal.AccountID
	fills    []journal.ExecutionID
	tags     []journal.TagID
	setups   []journal.SetupID
	notes    []journal.NoteID
	items    []journal.RoutineID
	pictures int
}

func (p *person) live() {
	acts := []func(){
		p.openAccount, p.trade, p.trade, p.trade, p.trade, p.editFill, p.deleteFill, p.moveCash, p.editCash, p.annotate, p.annotate, p.newTag, p.newSetup,
		p.writeNote, p.writeNote, p.miss, p.addItem, p.tick, p.editItem, p.override, p.prefer, p.setTemplate, p.attach, p.deleteFill,
	}
	p.openAccount()
	for range rapid.IntRange(0, 18).Draw(p.T, "acts") {
		if rapid.Bool().Draw(p.T, "later") {
			p.clock.Advance(time.Duration(rapid.IntRange(1, 90_000_000).Draw(p.T, "wait")) * time.Millisecond)
		}
		acts[p.pick("act", len(acts))]()
	}
}

func (p *person) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(p.T, what) }

func (p *person) word(what string) string {
	return rapid.SampledFrom([]string{"", "plain", " Ünïcode 日本 ", "=1+1", "a\"quoted\\b", "two\nlines\ttab", "</t>&amp;", "  ", "\u2028\u200b"}).Draw(p.T, what)
}

func (p *person) name(what string) string {
	return rapid.SampledFrom([]string{"Main", "main", "Ünïcode", "=cmd", "O'Hara \"x\"", "a;b,c"}).Draw(p.T, what)
}

func (p *person) amount(what string) decimal.Decimal {
	return rapid.SampledFrom([]decimal.Decimal{
		decimal.Must("0"), decimal.Must("1"), decimal.Must("0.000000000000000001"), decimal.Must("999999999999999.123456789012345678"),
		decimal.Must("12.5"), decimal.Must("-3.75"), decimal.Must("100"),
	}).Draw(p.T, what)
}

func (p *person) price(what string) decimal.Decimal {
	return rapid.SampledFrom([]decimal.Decimal{decimal.Must("10"), decimal.Must("10.25"), decimal.Must("0.0001"), decimal.Must("4999.75")}).Draw(p.T, what)
}

func (p *person) instant(what string) time.Time {
	return morning.Add(time.Duration(rapid.IntRange(0, 30).Draw(p.T, what)) * 7 * time.Minute)
}

func (p *person) day(what string) journal.Day {
	return journal.DayOf(p.clock.Now()).AddDays(rapid.IntRange(-5, 3).Draw(p.T, what))
}

func drawOptional(p *person, what string, draw func(string) decimal.Decimal) journal.Opt[decimal.Decimal] {
	return journal.Opt[decimal.Decimal]{Set: true, Null: rapid.Bool().Draw(p.T, what+" absent"), Value: draw(what)}
}

func (p *person) openAccount() {
	if len(p.accounts) >= 4 {
		return
	}
	a, err := p.ledger.CreateAccount(p.ctx(), p.owner, ledger.NewAccount{
		Name: p.name("account"), Broker: rapid.SampledFrom([]string{"", "IB"}).Draw(p.T, "broker"), StartingBalance: p.amount("balance"),
		BaseCurrency: rapid.SampledFrom([]string{"USD", "EUR"}).Draw(p.T, "currency"), Type: "margin",
	})
	must(p, err)
	p.accounts = append(p.accounts, a.ID)
}

func (p *person) someAccount() journal.AccountID {
	return p.accounts[p.pick("account", len(p.accounts))]
}

func (p *person) trade() {
	in := ledger.NewFill{
		Symbol: rapid.SampledFrom([]string{"AAPL", "ESZ6", "BTC|USD"}).Draw(p.T, "symbol"), Side: matching.Buy,
		InstrumentType: rapid.SampledFrom([]string{"", "future", "option", "crypto"}).Draw(p.T, "type"),
		Quantity:       decimal.New(int64(rapid.IntRange(1, 3).Draw(p.T, "quantity"))), Price: p.price("price"),
		Fees: p.amount("fees"), Commission: p.amount("commission"), ExecutedAt: p.instant("at"), AllowDuplicate: true,
	}
	if rapid.Bool().Draw(p.T, "sell") {
		in.Side = matching.Sell
		in.Closes = rapid.Bool().Draw(p.T, "closes")
	}
	if in.InstrumentType == "option" {
		in.Details = map[string]string{"option_right": "call", "strike": "150.50", "expiry": "2026-06-19"}
	}
	switch p.pick("detail", 6) {
	case 0:
		in.Details = map[string]string{"lot": "a", "venue": p.word("venue")}
	case 1:
		in.ExternalID = fmt.Sprintf("X%d", len(p.fills))
	case 2:
		in.StatedPnL = decimal.Of(p.amount("stated"))
	case 3:
		in.Multiplier = decimal.Of(decimal.Must("2.5"))
	}
	added, err := p.ledger.AddExecution(p.ctx(), p.owner, p.someAccount(), in)
	must(p, err)
	p.fills = append(p.fills, added.ID)
}

func (p *person) editFill() {
	if len(p.fills) == 0 {
		return
	}
	change := ledger.ExecutionChange{Price: journal.Some(p.price("new price"))}
	if rapid.Bool().Draw(p.T, "moved") {
		change.ExecutedAt = journal.Some(p.instant("new at"))
	}
	_, err := p.ledger.UpdateExecution(p.ctx(), p.owner, p.fills[p.pick("fill", len(p.fills))], change, nil)
	must(p, err)
}

func (p *person) deleteFill() {
	if len(p.fills) == 0 {
		return
	}
	i := p.pick("fill", len(p.fills))
	must(p, p.ledger.DeleteExecution(p.ctx(), p.owner, p.fills[i], nil))
	p.fills = append(p.fills[:i], p.fills[i+1:]...)
}

// someTrade returns an existing trade, or none.
func (p *person) someTrade() (id journal.TradeID, account journal.AccountID) {
	if len(p.fills) == 0 {
		return "", ""
	}
	x, err := p.ledger.Execution(p.ctx(), p.owner, p.fills[p.pick("fill of trade", len(p.fills))])
	must(p, err)
	return x.TradeIDs[p.pick("trade", len(x.TradeIDs))], x.Account
}

func (p *person) moveCash() {
	in := ledger.NewCash{
		Type:   rapid.SampledFrom([]ledger.CashType{ledger.Deposit, ledger.Withdrawal, ledger.Dividend, ledger.Adjustment}).Draw(p.T, "cash"),
		Amount: p.amount("cash amount"), OccurredAt: p.instant("cash at"), Note: p.word("cash note"),
	}
	account := p.someAccount()
	if trade, of := p.someTrade(); trade != "" && rapid.Bool().Draw(p.T, "of trade") {
		in.Trade, account = &trade, of
	}
	_, err := p.ledger.AddCash(p.ctx(), p.owner, account, in)
	must(p, err)
}

// editCash changes the amount in a cash row.
func (p *person) editCash() {
	var ids []journal.CashID
	must(p, p.ledger.EachCash(p.ctx(), p.owner, journal.Scope{}, func(c ledger.Cash) error {
		ids = append(ids, c.ID)
		return nil
	}))
	if len(ids) == 0 {
		return
	}
	change := ledger.CashChange{Amount: journal.Some(p.amount("new cash amount"))}
	_, err := p.ledger.UpdateCash(p.ctx(), p.owner, ids[p.pick("edited cash", len(ids))], change, nil)
	must(p, err)
}

// grade returns a grade as an annotations change; 0 clears it.
func grade(n int) journal.Opt[int] { return journal.Opt[int]{Set: true, Null: n == 0, Value: n} }

func (p *person) annotate() {
	trade, _ := p.someTrade()
	if trade == "" {
		return
	}
	change := playbook.AnnotationChange{
		ValueChange: playbook.ValueChange{
			Notes: journal.Some(p.word("notes")), InitialRisk: drawOptional(p, "risk", p.price), StopPrice: drawOptional(p, "stop", p.amount),
			TargetPrice: drawOptional(p, "target", p.amount), MAE: drawOptional(p, "mae", p.amount), MFE: drawOptional(p, "mfe", p.amount),
			EmotionalState: journal.Some(p.word("mood")[:0]), Confidence: grade(p.pick("confidence", 6)), TradeQuality: grade(p.pick("quality", 6)),
		},
		Reviewed: journal.Some(rapid.Bool().Draw(p.T, "reviewed")),
	}
	if len(p.tags) > 0 {
		change.Tags = journal.Some(rapid.SliceOfN(rapid.SampledFrom(p.tags), 0, 3).Draw(p.T, "tags"))
	}
	if len(p.setups) > 0 {
		change.Setups = journal.Some(rapid.SliceOfN(rapid.SampledFrom(p.setups), 0, 3).Draw(p.T, "setups"))
	}
	if p.pick("cleared", 5) == 0 {
		change = playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("")}, Tags: journal.Some([]journal.TagID{})}
	}
	_, err := p.playbook.Annotate(p.ctx(), p.owner, trade, change, nil)
	p.mayRefuse(err) // only a future can have a zero stop
}

func (p *person) newTag() {
	tag, err := p.playbook.CreateTag(p.ctx(), p.owner, playbook.TagChange{
		Name: journal.Some(fmt.Sprintf("%s %d", p.name("tag"), len(p.tags))), Color: journal.Some("#ABC"),
		Description: journal.Some(p.word("tag description")), Kind: journal.Some(playbook.MistakeTag),
	})
	must(p, err)
	p.tags = append(p.tags, tag.ID)
}

func (p *person) newSetup() {
	setup, err := p.playbook.CreateSetup(p.ctx(), p.owner, playbook.SetupChange{
		Name: journal.Some(fmt.Sprintf("%s %d", p.name("setup"), len(p.setups))), Description: journal.Some(p.word("description")),
		Thesis: journal.Some(p.word("thesis")), Symbol: journal.Some("es"), Direction: journal.Some(playbook.Short),
		TargetPrice: drawOptional(p, "setup target", p.price), StopPrice: drawOptional(p, "setup stop", p.price),
		Checklist: journal.Some(rapid.SliceOfN(rapid.Just("look twice"), 0, 2).Draw(p.T, "checklist")),
	})
	must(p, err)
	p.setups = append(p.setups, setup.ID)
}

func (p *person) writeNote() {
	change := playbook.NoteChange{
		Type:  journal.Some(rapid.SampledFrom([]playbook.NoteType{playbook.PlainNote, playbook.DailyLog, playbook.WeeklyReview}).Draw(p.T, "note type")),
		Title: journal.Some(p.name("title")), Body: journal.Some("- [x] done " + p.word("body")),
		OccurredAt: journal.Some(playbook.Moment{At: p.instant("note at")}),
	}
	if rapid.Bool().Draw(p.T, "whole day") {
		change.OccurredAt = journal.Some(playbook.MomentOf(p.day("note day")))
	}
	if rapid.Bool().Draw(p.T, "symbols") {
		change.Symbols = journal.Some([]playbook.SymbolNote{{Symbol: "ES", Body: p.word("symbol body")}, {Symbol: "NQ"}})
	}
	if rapid.Bool().Draw(p.T, "of account") {
		change.Account = journal.Some(p.someAccount())
	}
	if trade, _ := p.someTrade(); trade != "" && rapid.Bool().Draw(p.T, "on trade") {
		change.Trade = journal.Some(trade)
	}
	note, err := p.playbook.CreateNote(p.ctx(), p.owner, change)
	must(p, err)
	p.notes = append(p.notes, note.ID)
}

func (p *person) miss() {
	change := playbook.MissedChange{
		Symbol: journal.Some("NQ"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(p.instant("seen")),
		Entry: journal.Some(decimal.Must("100")), Stop: journal.Some(decimal.Must("98")), Target: drawOptional(p, "miss", func(string) decimal.Decimal {
			return decimal.Must("105")
		}),
		Reason: journal.Some(playbook.Hesitated), Outcome: journal.Some(playbook.TargetHit), Notes: journal.Some(p.word("miss notes")),
	}
	if len(p.setups) > 0 {
		change.Setup = journal.Some(p.setups[p.pick("setup", len(p.setups))])
	}
	if rapid.Bool().Draw(p.T, "miss account") {
		change.Account = journal.Some(p.someAccount())
	}
	_, err := p.playbook.CreateMissed(p.ctx(), p.owner, change)
	must(p, err)
}

func (p *person) addItem() {
	item, err := p.routine.Create(p.ctx(), p.owner, routine.Draft{
		Title: p.name("item"), Stage: rapid.SampledFrom([]routine.Stage{routine.Pre, routine.During, routine.Post}).Draw(p.T, "stage"),
		Weekdays: []int{1, 2, 3}, Day: p.day("start"),
	})
	must(p, err)
	p.items = append(p.items, item.ID)
}

// tick and editItem may name an ended item; the refusal is expected.
func (p *person) tick() {
	if len(p.items) == 0 {
		return
	}
	_, err := p.routine.Tick(p.ctx(), p.owner, p.day("done"), p.items[p.pick("item", len(p.items))], true, nil)
	p.mayRefuse(err)
}

func (p *person) editItem() {
	if len(p.items) == 0 {
		return
	}
	id, day := p.items[p.pick("item", len(p.items))], p.day("change")
	if rapid.Bool().Draw(p.T, "drop") {
		p.mayRefuse(p.routine.Delete(p.ctx(), p.owner, id, day, nil))
		return
	}
	item, err := p.routine.Edit(p.ctx(), p.owner, id, routine.Change{
		Day: day, Weekdays: journal.Some([]int{p.pick("weekday", 7)}),
	}, nil)
	p.mayRefuse(err)
	if err == nil {
		p.items = append(p.items, item.ID)
	}
}

func (p *person) mayRefuse(err error) {
	if err != nil && !journal.IsKind(err, journal.KindNotFound) && !journal.IsKind(err, journal.KindInvalid) {
		p.Fatal(err)
	}
}

func (p *person) override() {
	_, err := p.ledger.SetOverrides(p.ctx(), p.owner, p.someAccount(), []ledger.Override{
		{Root: "ES", Multiplier: decimal.Must("50")},
		{Root: "QQ", Multiplier: p.price("multiplier"), TickSize: decimal.Of(decimal.Must("0.25"))},
	})
	must(p, err)
}

func (p *person) prefer() {
	values := map[string]json.RawMessage{
		"theme": json.RawMessage(`"dark"`), p.name("key"): json.RawMessage(`{"b":[1.50,null,"é"],"a":123456789012345678901234567890.5}`),
	}
	must(p, p.identity.MergePreferences(p.ctx(), p.owner, values, nil))
	p.storeKind(p, p.owner, "broker/export", statement.WordKey(p.name("word")), statement.KindFee)
}

func (p *person) setTemplate() {
	_, err := p.routine.SetTemplate(p.ctx(), p.owner, rapid.SliceOfN(rapid.Just("breathe"), 0, 2).Draw(p.T, "template"), nil)
	must(p, err)
}

func (p *person) attach() {
	var target playbook.Target
	if trade, _ := p.someTrade(); trade != "" && rapid.Bool().Draw(p.T, "picture of trade") {
		target.Trade = trade
	} else if len(p.notes) > 0 {
		target.Note = p.notes[p.pick("note", len(p.notes))]
	} else {
		return
	}
	p.pictures++
	_, err := p.playbook.Attach(p.ctx(), p.owner, target, playbook.Upload{
		Name: "chart.png", MediaType: "image/png", Content: bytes.NewReader(picture(p.pictures % 3)),
	})
	must(p, err)
}
