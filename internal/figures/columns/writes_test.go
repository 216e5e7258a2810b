package columns_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

const someFills = "Symbol,Side,Quantity,Price,Executed At,Commission\n" +
	"IMP,buy,100,10,2026-01-06T15:00:00Z,1\n" +
	"IMP,sell,100,12,2026-01-06T15:10:00Z,1\n"

// freshnessTest compares figures before and after every write.
type freshnessTest struct {
	*env
	last string
}

// check is called after a write. The next query must see it, and it
// must change a figure: otherwise the test would prove nothing.
func (d *freshnessTest) check(what string, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatalf("%s: %v", what, err)
	}
	now := d.checkFresh(what)
	if now == d.last {
		d.t.Errorf("%s changed no figure", what)
	}
	d.last = now
}

// TestWritesAreVisibleImmediately makes all kinds of writes relevant to figures, with the
// same service.
func TestWritesAreVisibleImmediately(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(_ *testing.T, h *env) {
		d := &freshnessTest{h, h.checkFresh("nothing")}
		d.testFills()
		d.testAnnotations()
		d.testTagsAndSetups()
		d.testCash()
		d.testAccounts()
		d.testImports()
		d.testRegrouping()
	})
}

func (d *freshnessTest) testFills() {
	ctx := d.t.Context()
	trade, last := d.roundTrip("AAA", 0)
	d.check("a closed trade", nil)
	_, err := d.Ledger.UpdateExecution(ctx, d.owner, last.ID, ledger.ExecutionChange{Price: journal.Some(decimal.Must("9"))}, nil)
	d.check("an edit of a fill", err)
	d.check("a deleted fill, which opens the trade", d.Ledger.DeleteExecution(ctx, d.owner, last.ID, nil))
	d.fill("AAA", matching.Sell, "250", "11", 5)
	d.check("a fill that crosses zero", nil)
	d.fill("AAA", matching.Buy, "150", "10.5", 6)
	d.check("the end of the crossed position", nil)
	d.fill("AAA", matching.Buy, "50", "8", -5)
	d.check("an older fill, which changes every later trade", nil)
	d.check("a deleted trade", d.Ledger.DeleteTrade(ctx, d.owner, trade, nil))
}

func (d *freshnessTest) testAnnotations() {
	trade, _ := d.roundTrip("MRK", 100)
	d.check("another trade", nil)
	for what, change := range map[string]playbook.AnnotationChange{
		"a stop":  {ValueChange: playbook.ValueChange{StopPrice: journal.Some(decimal.Must("9"))}},
		"a grade": {ValueChange: playbook.ValueChange{TradeQuality: journal.Some(4)}},
		"an MFE":  {ValueChange: playbook.ValueChange{MFE: journal.Some(decimal.Must("300"))}},
		"an MAE":  {ValueChange: playbook.ValueChange{MAE: journal.Some(decimal.Must("30"))}},
	} {
		d.annotate(trade, change)
		d.check(what, nil)
	}
	d.annotate(trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: journal.Some(decimal.Must("50"))}})
	d.check("a stated risk", nil)
	d.annotate(trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: journal.Opt[decimal.Decimal]{Set: true, Null: true}}})
	d.check("a cleared risk", nil)
	d.testOrphan(trade)
}

// testOrphan takes the fills from under an annotated trade and gives the annotations to
// another one.
func (d *freshnessTest) testOrphan(trade journal.TradeID) {
	ctx := d.t.Context()
	other, _ := d.roundTrip("HEIR", 200)
	d.check("an heir", nil)
	detail, err := db.Get(ctx, d.DB.View, func(tx *db.Tx) (ledger.TradeDetail, error) { return ledger.ReadTrade(ctx, tx, d.owner, trade) })
	must(d.t, err)
	for _, f := range detail.Fills {
		must(d.t, d.Ledger.DeleteExecution(ctx, d.owner, f.ID, nil))
	}
	d.check("the fills gone from under the annotations", nil)
	_, err = d.Playbook.AdoptOrphan(ctx, d.owner, trade, other)
	d.check("adopted annotations", err)
}

func (d *freshnessTest) testTagsAndSetups() {
	ctx := d.t.Context()
	trade, _ := d.roundTrip("WRD", 300)
	d.check("one more trade", nil)
	tag, err := d.Playbook.CreateTag(ctx, d.owner, playbook.TagChange{Name: journal.Some("early")})
	must(d.t, err)
	setup, err := d.Playbook.CreateSetup(ctx, d.owner, playbook.SetupChange{Name: journal.Some("gap")})
	must(d.t, err)
	d.annotate(trade, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{tag.ID}), Setups: journal.Some([]journal.SetupID{setup.ID})})
	d.check("a tag and a setup", nil)
	d.check("a deleted tag", d.Playbook.DeleteTag(ctx, d.owner, tag.ID, nil))
	d.check("a deleted setup", d.Playbook.DeleteSetup(ctx, d.owner, setup.ID, nil))
}

func (d *freshnessTest) testCash() {
	ctx := d.t.Context()
	row, err := d.Ledger.AddCash(ctx, d.owner, d.account, ledger.NewCash{Type: ledger.Deposit, Amount: decimal.Must("500"), OccurredAt: minute(3)})
	d.check("a deposit", err)
	_, err = d.Ledger.UpdateCash(ctx, d.owner, row.ID, ledger.CashChange{Type: journal.Some(ledger.Fee)}, nil)
	d.check("a deposit that was a fee", err)
	_, err = d.Ledger.UpdateCash(ctx, d.owner, row.ID, ledger.CashChange{OccurredAt: journal.Some(minute(-100))}, nil)
	d.check("cash at another time", err)
	d.check("cash gone", d.Ledger.DeleteCash(ctx, d.owner, row.ID, nil))
}

func (d *freshnessTest) testAccounts() {
	ctx := d.t.Context()
	second := d.createAccount("Second", "70")
	d.check("another account", nil)
	_, err := d.Ledger.UpdateAccount(ctx, d.owner, second, ledger.AccountChange{StartingBalance: journal.Some(decimal.Must("80"))}, nil)
	d.check("another balance", err)
	_, err = d.Ledger.UpdateAccount(ctx, d.owner, second, ledger.AccountChange{Name: journal.Some("Third")}, nil)
	d.check("another name", err)
	here := d.account
	d.account = second
	d.roundTrip("SEC", 0)
	d.account = here
	d.check("a trade there", nil)
	d.check("the account gone", d.Ledger.DeleteAccount(ctx, d.owner, second, nil))
}

func (d *freshnessTest) testImports() {
	ctx := d.t.Context()
	actor := imports.Actor{Principal: identity.Principal{UserID: d.owner}}
	_, err := d.Imports.Commit(ctx, actor, imports.Upload{FileName: "fills.csv", Data: []byte(someFills), Account: d.account})
	d.check("an import", err)
	batches, _, err := d.Imports.Batches(ctx, actor.Principal, "", 10)
	must(d.t, err)
	d.check("an undone import", d.Imports.Reverse(ctx, actor, batches[0].ID, nil))
}

// testRegrouping repairs trades changed without the services' knowledge, after a service
// has read them.
func (d *freshnessTest) testRegrouping() {
	ctx := d.t.Context()
	d.roundTrip("REG", 400)
	d.check("the last trade", nil)
	must(d.t, d.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE trades SET net_pnl = $1 WHERE net_pnl = $2`, "7", "200")
		return err
	}))
	d.Figures = columns.New(d.DB, 0, "")
	d.check("a changed trade", nil)
	changed, err := d.Ledger.RegroupAll(ctx, d.owner, d.account)
	if changed == 0 {
		d.t.Error("nothing was regrouped")
	}
	d.check("a regrouping", err)
}
