package backup

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/playbook"
	"fillbook/internal/routine"
)

// completeJournal makes a journal in which every field of the backup has a
// value: edited fills and cash, annotations on a trade and on an orphan, notes,
// setups, missed trades, a routine with successors.
func completeJournal(t *testing.T, h *house) (owner journal.UserID, account journal.AccountID) {
	t.Helper()
	owner = h.user(t)
	account = h.account(t, owner, "Main")
	_, err := h.ledger.SetOverrides(h.ctx(), owner, account, []ledger.Override{
		{Root: "ES", Multiplier: decimal.Must("50"), TickSize: decimal.Of(decimal.Must("0.25"))},
	})
	must(t, err)
	tag, err := h.playbook.CreateTag(h.ctx(), owner, playbook.TagChange{
		Name: journal.Some("gap, up"), Color: journal.Some("#abcdef"), Description: journal.Some("opened above"), Kind: journal.Some(playbook.MistakeTag),
	})
	must(t, err)
	setup, err := h.playbook.CreateSetup(h.ctx(), owner, playbook.SetupChange{
		Name: journal.Some("Breakout"), Description: journal.Some("range"), Thesis: journal.Some("trend"), Symbol: journal.Some("AAPL"),
		Direction: journal.Some(playbook.Long), TargetPrice: journal.Some(decimal.Must("110")), StopPrice: journal.Some(decimal.Must("95")),
		Checklist: journal.Some([]string{"volume", "trend"}),
	})
	must(t, err)
	trade := h.completeTrades(t, owner, account, tag.ID, setup.ID)
	h.completeRecords(t, owner, account, trade, setup.ID)
	return owner, account
}

// completeTrades adds fills with everything that a fill can have, and
// annotations with every field on a trade and on an orphan.
func (h *house) completeTrades(t *testing.T, owner journal.UserID, account journal.AccountID, tag journal.TagID, setup journal.SetupID) journal.TradeID {
	t.Helper()
	sold := h.importPair(t, owner, account)
	_, err := h.ledger.UpdateExecution(h.ctx(), owner, sold.ID, ledger.ExecutionChange{Price: journal.Some(decimal.Must("102"))}, nil)
	must(t, err)
	option, err := h.ledger.AddExecution(h.ctx(), owner, account, ledger.NewFill{
		Symbol: "SPY", InstrumentType: "option", Side: matching.Sell, Quantity: decimal.Must("2"), Price: decimal.Must("1.05"),
		Fees: decimal.Must("0.3"), Commission: decimal.Must("1.2"), Multiplier: decimal.Of(decimal.Must("100")), StatedPnL: decimal.Of(decimal.Must("7.5")),
		ExternalID: "X-1", ExecutedAt: morning.Add(20 * time.Minute),
		Details: map[string]string{"option_right": "put", "strike": "450", "expiry": "2026-06-19", "lot": "a", "venue": "ARCA"},
	})
	must(t, err)
	lost := h.fill(t, owner, account, matching.Buy, "3", "99", 60)
	for i, id := range []journal.TradeID{sold.Trades[0], lost.TradeIDs[0]} {
		n := int64(i)
		_, err = h.playbook.Mark(h.ctx(), owner, id, playbook.MarkChange{
			Notes: journal.Some("Waited for the retest."), Tags: journal.Some([]journal.TagID{tag}), Setups: journal.Some([]journal.SetupID{setup}),
			InitialRisk: journal.Some(decimal.New(50 + n)), StopPrice: journal.Some(decimal.New(95 + n)), TargetPrice: journal.Some(decimal.New(110 + n)),
			MAE: journal.Some(decimal.New(-20 + n)), MFE: journal.Some(decimal.New(40 + n)), EmotionalState: journal.Some("calm"),
			Confidence: journal.Some(4 - i), TradeQuality: journal.Some(5 - i), Reviewed: journal.Some(true),
		}, nil)
		must(t, err)
		h.clock.Advance(time.Minute)
	}
	must(t, h.ledger.DeleteExecution(h.ctx(), owner, lost.ID, nil))
	h.mark(t, owner, option.TradeIDs[0], "sold premium")
	return sold.Trades[0]
}

// importPair imports a buy and a sell of AAPL and returns what became of the sell.
func (h *house) importPair(t *testing.T, owner journal.UserID, account journal.AccountID) (sold ledger.Outcome) {
	t.Helper()
	var fills []ledger.NewFill
	for i, side := range []matching.Side{matching.Buy, matching.Sell} {
		fills = append(fills, ledger.NewFill{
			Symbol: "AAPL", Side: side, Quantity: decimal.Must("10"), Price: decimal.New(int64(100 + i)), Commission: decimal.Must("1"),
			ExecutedAt: morning.Add(time.Duration(5*i) * time.Minute),
		})
	}
	must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
		result, err := h.ledger.InsertFills(h.ctx(), tx, owner, account, "a batch", fills)
		if err == nil {
			sold = result.Outcomes[1]
		}
		return err
	}))
	return sold
}

// completeRecords adds the records that are no trades.
func (h *house) completeRecords(t *testing.T, owner journal.UserID, account journal.AccountID, trade journal.TradeID, setup journal.SetupID) {
	t.Helper()
	dividend, err := h.ledger.AddCash(h.ctx(), owner, account, ledger.NewCash{
		Type: ledger.Dividend, Amount: decimal.Must("2.5"), OccurredAt: morning.Add(time.Hour), Note: "quarterly", Trade: &trade,
	})
	must(t, err)
	_, err = h.ledger.UpdateCash(h.ctx(), owner, dividend.ID, ledger.CashChange{Amount: journal.Some(decimal.Must("3.5"))}, nil)
	must(t, err)
	note, err := h.playbook.CreateNote(h.ctx(), owner, playbook.NoteChange{
		Type: journal.Some(playbook.DailyLog), OccurredAt: journal.Some(playbook.Moment{At: morning}), Title: journal.Some("Monday"), Body: journal.Some("a page"),
		Symbols: journal.Some([]playbook.SymbolNote{{Symbol: "ES", Body: "rotational"}}), Account: journal.Some(account), Trade: journal.Some(trade),
	})
	must(t, err)
	_, err = h.playbook.CreateMissed(h.ctx(), owner, playbook.MissedChange{
		Account: journal.Some(account), Setup: journal.Some(setup), Symbol: journal.Some("NQ"), Direction: journal.Some(playbook.Long),
		ObservedAt: journal.Some(morning), Entry: journal.Some(decimal.Must("100")), Stop: journal.Some(decimal.Must("98")),
		Target: journal.Some(decimal.Must("105")), Reason: journal.Some(playbook.Hesitated), Outcome: journal.Some(playbook.TargetHit), Notes: journal.Some("too slow"),
	})
	must(t, err)
	item, err := h.routine.Create(h.ctx(), owner, routine.Draft{Title: "Read the news", Stage: routine.Pre, Weekdays: []int{1, 2, 3}, Day: "2026-03-02"})
	must(t, err)
	_, err = h.routine.Tick(h.ctx(), owner, "2026-03-02", item.ID, true, nil)
	must(t, err)
	_, err = h.routine.Edit(h.ctx(), owner, item.ID, routine.Change{Day: "2026-03-04", Weekdays: journal.Some([]int{4})}, nil)
	must(t, err)
	_, err = h.routine.SetTemplate(h.ctx(), owner, []string{"breathe"}, nil)
	must(t, err)
	must(t, h.identity.MergePreferences(h.ctx(), owner, map[string]json.RawMessage{"theme": json.RawMessage(`"dark"`)}, nil))
	h.attachPicture(t, owner, playbook.Target{Note: note.ID})
	h.attachPicture(t, owner, playbook.Target{Trade: trade})
}

func (h *house) attachPicture(t *testing.T, owner journal.UserID, target playbook.Target) {
	t.Helper()
	_, err := h.playbook.Attach(h.ctx(), owner, target, playbook.Upload{Name: "chart.png", MediaType: "image/png", Content: bytes.NewReader(picture(1))})
	must(t, err)
}
