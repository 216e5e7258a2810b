package installation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/trading/views"
)

// randomWrite is a kind of write.
type randomWrite struct {
	name string
	run  func(context.Context) error
}

// moreWrites are the writes to records besides those of [writer.mainWrites].
func (w *writer) moreWrites() []randomWrite {
	return []randomWrite{
		{"change setup", w.changeSetup},
		{"change missed trade", w.changeMissed},
		{"delete missed trade", w.deleteMissed},
		{"change cash", w.changeCash},
		{"attach to trade", w.attachToTrade},
		{"attach to note", w.attachToNote},
		{"delete attachment", w.deleteAttachment},
		{"unlink note", w.unlinkNote},
		{"adopt orphan", w.adoptOrphan},
		{"delete orphan", w.deleteOrphan},
		{"create template", w.createTemplate},
		{"change template", w.changeTemplate},
		{"delete template", w.deleteTemplate},
		{"create view", w.createView},
		{"change view", w.changeView},
		{"delete view", w.deleteView},
		{"create routine item", w.createItem},
		{"change routine item", w.changeItem},
		{"delete routine item", w.deleteItem},
		{"order routine items", w.orderItems},
		{"tick", w.tick},
		{"set checklist template", w.setChecklist},
		{"set preferences", w.setPreferences},
		{"set journal settings", w.setSettings},
		{"set multipliers", w.setMultipliers},
		{"create share link", w.createLink},
		{"revoke share link", w.revokeLink},
		{"create hook", w.createHook},
		{"delete hook", w.deleteHook},
		{"create corporate action", w.createAction},
		{"change corporate action", w.changeAction},
		{"delete corporate action", w.deleteAction},
		{"add option fill", w.addOptionFill},
		{"add option fill", w.addOptionFill},
		{"create strategy", w.createStrategy},
		{"change strategy", w.changeStrategy},
		{"delete strategy", w.deleteStrategy},
		{"create rule", w.createRule},
		{"change rule", w.changeRule},
		{"delete rule", w.deleteRule},
		{"create goal", w.createGoal},
		{"delete goal", w.deleteGoal},
		{"create rate", w.createRate},
		{"change rate", w.changeRate},
		{"delete rate", w.deleteRate},
		{"type price", w.typePrice},
	}
}

// shownTables are tables whose rows the JSON backup shows in part or not at all.
var shownTables = []string{
	"attachments", "note_templates", "views", "routine_items", "routine_ticks", "preferences", "share_links", "hooks", "corporate_actions",
	"strategies", "trading_rules", "goals", "rates", "position_marks", "orphaned_annotations",
	"orphaned_fills", "deleted_fills", "missed_trades", "notes", "hook_quarantine", "connections", "bar_series", "bar_blocks", "bar_ranges",
	"bar_aliases", "bar_sources", "import_layouts", "import_layout_accounts", "import_kinds", "prop_programs", "enrollments", "alerts",
	"alert_settings", "channels",
}

// hiddenColumns may differ after an undo: times of the last edit, and numbers that a restored
// account gets again.
var hiddenColumns = []string{"updated_at", "account", "number", "stream", "user_id"}

// hiddenOf are further columns of a table: keys, which are destroyed at once, what follows from that, what a broker said, and counters of what arrived.
var hiddenOf = map[string][]string{
	"hooks": {"batch_id", "batch_day", "last_at", "accepted", "skipped", "quarantined"},
	"connections": {
		"status", "message", "credentials", "last_run_at", "broker_account", "broker_name", "can_trade", "can_withdraw", "notes", "expires_at",
		"checked_at", "completed_at", "position", "window_to", "state", "revision",
	},
	"bar_sources": {"status", "message", "credentials"},
	"channels":    {"enabled", "message", "credentials"},
}

// writeTables writes the rows of some tables as text, in order.
func (h *fixture) writeTables(ctx context.Context, tx *db.Tx, out *bytes.Buffer) error {
	for _, table := range shownTables {
		var rows []string
		err := tx.EachRow(ctx, table, `user_id = $1`, []any{h.owner}, func(columns []string, row []any) error {
			var text strings.Builder
			for i, column := range columns {
				if !slices.Contains(hiddenColumns, column) && !slices.Contains(hiddenOf[table], column) {
					fmt.Fprintf(&text, " %s=%v", column, row[i])
				}
			}
			rows = append(rows, table+text.String())
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b string) int { // what a redo does not restore must not order them
			return strings.Compare(lossTimes.ReplaceAllString(a, ""), lossTimes.ReplaceAllString(b, ""))
		})
		for _, row := range rows {
			fmt.Fprintln(out, row)
		}
	}
	return nil
}

func (w *writer) changeSetup(ctx context.Context) error {
	change := playbook.SetupChange{Thesis: journal.Some(w.name("Thesis"))}
	if w.random.IntN(2) == 0 {
		change.Checklist = journal.Some([]string{"Volume", w.name("Check")})
	}
	_, err := w.Playbook.ChangeSetup(ctx, w.owner, journal.SetupID(w.pick("setups")), change, nil, nil)
	return err
}

func (w *writer) changeMissed(ctx context.Context) error {
	change := playbook.MissedChange{Notes: journal.Some(w.name("Missed"))}
	if w.random.IntN(2) == 0 {
		change.Setup = journal.Some(journal.SetupID(w.pick("setups")))
	}
	_, err := w.Playbook.ChangeMissed(ctx, w.owner, journal.MissedID(w.pick("missed_trades")), change, nil)
	return err
}

func (w *writer) deleteMissed(ctx context.Context) error {
	return w.Playbook.DeleteMissed(ctx, w.owner, journal.MissedID(w.pick("missed_trades")), nil)
}

func (w *writer) changeCash(ctx context.Context) error {
	change := ledger.CashChange{Note: journal.Some(w.name("Cash"))}
	if w.random.IntN(2) == 0 {
		change.Amount = journal.Some(decimal.New(int64(w.number)))
	}
	_, err := w.Ledger.UpdateCash(ctx, w.owner, journal.CashID(w.pick("cash_transactions")), change, nil)
	return err
}

func (w *writer) attachTo(ctx context.Context, target playbook.Target) error {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 1+w.number))); err != nil {
		return err
	}
	_, err := w.Playbook.Attach(ctx, w.owner, target, playbook.Upload{Name: w.name("chart") + ".png", Content: &picture})
	return err
}

func (w *writer) attachToTrade(ctx context.Context) error {
	return w.attachTo(ctx, playbook.Target{Trade: journal.TradeID(w.pick("trades"))})
}

func (w *writer) attachToNote(ctx context.Context) error {
	return w.attachTo(ctx, playbook.Target{Note: journal.NoteID(w.pick("notes"))})
}

func (w *writer) deleteAttachment(ctx context.Context) error {
	return w.Playbook.DeleteAttachment(ctx, w.owner, journal.AttachmentID(w.pick("attachments")), nil)
}

func (w *writer) unlinkNote(ctx context.Context) error {
	change := playbook.NoteChange{Trade: journal.Opt[journal.TradeID]{Set: true, Null: true}}
	_, err := w.Playbook.ChangeNote(ctx, w.owner, journal.NoteID(w.pick("notes")), change, nil)
	return err
}

// pickOrphan returns a random orphan.
func (w *writer) pickOrphan() journal.TradeID {
	w.t.Helper()
	orphans, err := w.Playbook.Orphans(w.t.Context(), w.owner)
	must(w.t, err)
	if len(orphans) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	slices.SortFunc(orphans, func(a, b playbook.Orphan) int { return strings.Compare(string(a.Trade), string(b.Trade)) })
	return orphans[w.random.IntN(len(orphans))].Trade
}

func (w *writer) adoptOrphan(ctx context.Context) error {
	_, err := w.Playbook.AdoptOrphan(ctx, w.owner, w.pickOrphan(), journal.TradeID(w.pick("trades")))
	return err
}

func (w *writer) deleteOrphan(ctx context.Context) error {
	return w.Playbook.DeleteOrphan(ctx, w.owner, w.pickOrphan())
}

func (w *writer) createTemplate(ctx context.Context) error {
	_, err := w.Playbook.CreateNoteTemplate(ctx, w.owner, playbook.NoteTemplateChange{
		Name: journal.Some(w.name("Template")), Body: journal.Some("Words."), Default: journal.Some(w.random.IntN(2) == 0),
	})
	return err
}

func (w *writer) changeTemplate(ctx context.Context) error {
	change := playbook.NoteTemplateChange{Body: journal.Some(w.name("Words"))}
	if w.random.IntN(2) == 0 {
		change.Default = journal.Some(w.random.IntN(2) == 0)
	}
	_, err := w.Playbook.ChangeNoteTemplate(ctx, w.owner, journal.NoteTemplateID(w.pick("note_templates")), change, nil)
	return err
}

func (w *writer) deleteTemplate(ctx context.Context) error {
	return w.Playbook.DeleteNoteTemplate(ctx, w.owner, journal.NoteTemplateID(w.pick("note_templates")), nil)
}

func (w *writer) createView(ctx context.Context) error {
	_, err := w.Views.Create(ctx, w.owner, views.Change{
		Name: journal.Some(w.name("View")), Filter: journal.Some(map[string]string{"symbol": "AAPL"}), Pinned: journal.Some(w.random.IntN(2) == 0),
	})
	return err
}

func (w *writer) changeView(ctx context.Context) error {
	change := views.Change{Name: journal.Some(w.name("View"))}
	if w.random.IntN(2) == 0 {
		change.Position = journal.Some(w.random.IntN(3))
	}
	_, err := w.Views.Update(ctx, w.owner, journal.ViewID(w.pick("views")), change, nil)
	return err
}

func (w *writer) deleteView(ctx context.Context) error {
	return w.Views.Delete(ctx, w.owner, journal.ViewID(w.pick("views")), nil)
}

// routineDay returns one of three days around today.
func (w *writer) routineDay() journal.Day {
	return journal.DayOf(w.Clock().AddDate(0, 0, w.random.IntN(3)-1))
}

// pickItem returns a random item of a day's routine.
func (w *writer) pickItem(day journal.Day) journal.RoutineID {
	w.t.Helper()
	list, err := w.Routine.Items(w.t.Context(), w.owner, day)
	must(w.t, err)
	if len(list) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	return list[w.random.IntN(len(list))].ID
}

func (w *writer) createItem(ctx context.Context) error {
	_, err := w.Routine.Create(ctx, w.owner, routine.Draft{
		Title: w.name("Item"), Stage: routine.Post, Weekdays: []int{0, 1, 2, 3, 4, 5, 6}, Day: w.routineDay(),
	})
	return err
}

func (w *writer) changeItem(ctx context.Context) error {
	day := w.routineDay()
	change := routine.Change{Title: journal.Some(w.name("Item")), Day: day}
	switch w.random.IntN(3) { // these end the item, and a successor begins
	case 0:
		change.Weekdays = journal.Some([]int{w.random.IntN(7)})
	case 1:
		change.Stage = journal.Some([]routine.Stage{routine.Pre, routine.During, routine.Post}[w.random.IntN(3)])
	}
	_, err := w.Routine.Edit(ctx, w.owner, w.pickItem(day), change, nil)
	return err
}

func (w *writer) deleteItem(ctx context.Context) error {
	day := w.routineDay()
	return w.Routine.Delete(ctx, w.owner, w.pickItem(day), day, nil)
}

func (w *writer) orderItems(ctx context.Context) error {
	list, err := w.Routine.Items(ctx, w.owner, journal.DayOf(w.Clock()))
	must(w.t, err)
	var ids []journal.RoutineID
	for _, at := range w.random.Perm(len(list)) {
		ids = append(ids, list[at].ID)
	}
	return w.Routine.Reorder(ctx, w.owner, ids)
}

func (w *writer) tick(ctx context.Context) error {
	day := w.routineDay()
	_, err := w.Routine.Tick(ctx, w.owner, day, w.pickItem(day), w.random.IntN(3) > 0, nil)
	return err
}

func (w *writer) setChecklist(ctx context.Context) error {
	_, err := w.Routine.SetTemplate(ctx, w.owner, []string{"Plan", w.name("Check")}, nil)
	return err
}

func (w *writer) setPreferences(ctx context.Context) error {
	key := []string{"theme", "density", "columns"}[w.random.IntN(3)]
	value := json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.random.IntN(4)))
	if w.random.IntN(4) == 0 {
		value = json.RawMessage("null")
	}
	return w.Identity.MergePreferences(ctx, w.owner, map[string]json.RawMessage{key: value}, nil)
}

func (w *writer) setSettings(ctx context.Context) error {
	zone := []string{"Europe/Berlin", "America/New_York", "UTC"}[w.random.IntN(3)]
	_, err := w.Settings.Update(ctx, w.owner, settings.Change{Timezone: journal.Some(zone)}, nil)
	return err
}

func (w *writer) setMultipliers(ctx context.Context) error {
	list := []ledger.Override{{Root: "ES", Multiplier: decimal.New(int64(1 + w.random.IntN(3)))}}
	if w.random.IntN(4) == 0 {
		list = nil
	}
	_, err := w.Ledger.SetOverrides(ctx, w.owner, journal.AccountID(w.pick("accounts")), list)
	return err
}

func (w *writer) caller() identity.Principal {
	return identity.Principal{UserID: w.owner, Credential: identity.CredentialSession}
}

func (w *writer) createLink(ctx context.Context) error {
	_, err := w.Sharing.Mint(ctx, sharing.Actor{Principal: w.caller()}, sharing.Scope{Account: journal.AccountID(w.pick("accounts")), Title: w.name("Link")}, 0)
	return err
}

func (w *writer) revokeLink(ctx context.Context) error {
	return w.Sharing.Revoke(ctx, sharing.Actor{Principal: w.caller()}, journal.ShareID(w.pick("share_links")), nil)
}

// createHook creates a hook with two fills in its quarantine.
func (w *writer) createHook(ctx context.Context) error {
	hook, secret, err := w.Hooks.Create(ctx, hooks.Actor{Principal: w.caller()}, journal.AccountID(w.pick("accounts")), w.name("Hook"))
	if err != nil {
		return err
	}
	w.secrets[hook.ID] = secret
	sender, err := w.Hooks.Verify(ctx, hook.ID, secret)
	must(w.t, err)
	_, err = w.Hooks.Receive(ctx, sender, []byte(`[{"N":-1},{"N":-2}]`), w.readFill) // no change: its fills are quarantined
	return err
}

func (w *writer) deleteHook(ctx context.Context) error {
	return w.Hooks.Delete(ctx, hooks.Actor{Principal: w.caller()}, journal.HookID(w.pick("hooks")), nil)
}

// createAction adds a split, which changes the fills before it.
func (w *writer) createAction(ctx context.Context) error {
	_, err := w.Ledger.CreateAction(ctx, w.owner, ledger.ActionChange{
		Kind: journal.Some(ledger.ActionSplit), Symbol: journal.Some([]string{"AAPL", "MSFT"}[w.random.IntN(2)]),
		RatioNew: journal.Some(int64(2)), RatioOld: journal.Some(int64(1)), EffectiveOn: journal.Some(journal.Day(fmt.Sprintf("2026-03-%02d", 2+w.random.IntN(3)))),
	})
	return err
}

func (w *writer) changeAction(ctx context.Context) error {
	change := ledger.ActionChange{Note: journal.Some(w.name("Split"))}
	if w.random.IntN(2) == 0 {
		change.RatioNew = journal.Some(int64(2 + w.random.IntN(3)))
	}
	_, err := w.Ledger.ChangeAction(ctx, w.owner, journal.ActionID(w.pick("corporate_actions")), change, nil)
	return err
}

func (w *writer) deleteAction(ctx context.Context) error {
	return w.Ledger.DeleteAction(ctx, w.owner, journal.ActionID(w.pick("corporate_actions")), nil)
}

// addOptionFill adds a fill of one of four options, of which strategies consist.
func (w *writer) addOptionFill(ctx context.Context) error {
	fill := w.newFill()
	fill.Symbol, fill.InstrumentType = "AAPL", "option"
	fill.Details = map[string]string{
		"option_right": []string{"call", "put"}[w.random.IntN(2)], "strike": fmt.Sprint(100 + 10*w.random.IntN(2)), "expiry": "2026-03-20",
	}
	_, err := w.Ledger.AddExecution(ctx, w.owner, journal.AccountID(w.pick("accounts")), fill)
	return err
}

// pickOption returns a random trade in an option.
func (w *writer) pickOption() journal.TradeID {
	w.t.Helper()
	ids := w.optionsIn("")
	if len(ids) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	return ids[w.random.IntN(len(ids))]
}

// optionsIn returns the trades in options in an account, in all if it is empty.
func (w *writer) optionsIn(account journal.AccountID) []journal.TradeID {
	w.t.Helper()
	var ids []journal.TradeID
	must(w.t, w.DB.View(w.t.Context(), func(tx *db.Tx) error {
		return db.Each(w.t.Context(), tx, func(row db.Scanner) error {
			var id journal.TradeID
			var of journal.AccountID
			err := row.Scan(&id, &of)
			if account == "" || of == account {
				ids = append(ids, id)
			}
			return err
		}, `SELECT t.id, a.id FROM trades t JOIN streams s ON s.user_id = t.user_id AND s.number = t.stream
			JOIN accounts a ON a.user_id = t.user_id AND a.number = t.account
			WHERE t.user_id = $1 AND s.instrument_type = 'option' ORDER BY t.id`, w.owner)
	}))
	return ids
}

func (w *writer) createStrategy(ctx context.Context) error {
	trades := []journal.TradeID{w.pickOption(), w.pickOption()}
	_, err := w.Strategies.Create(ctx, w.owner, slices.Compact(trades), strategybook.Change{Name: journal.Some(w.name("Strategy"))})
	return err
}

func (w *writer) changeStrategy(ctx context.Context) error {
	_, err := w.Strategies.Update(ctx, w.owner, journal.StrategyID(w.pick("strategies")), strategybook.Change{Name: journal.Some(w.name("Strategy"))}, nil)
	return err
}

func (w *writer) deleteStrategy(ctx context.Context) error {
	return w.Strategies.Delete(ctx, w.owner, journal.StrategyID(w.pick("strategies")), nil)
}

func (w *writer) createRule(ctx context.Context) error {
	_, err := w.Rulebook.CreateRule(ctx, w.owner, rulebook.RuleChange{
		Kind: journal.Some(rules.MaxTrades), Params: journal.Some(rules.Params{N: 1 + w.random.IntN(5)}),
		From: journal.Some(journal.Day("2026-01-01")), Name: journal.Some(w.name("Rule")),
	})
	return err
}

func (w *writer) changeRule(ctx context.Context) error {
	change := rulebook.RuleChange{Name: journal.Some(w.name("Rule"))}
	if w.random.IntN(2) == 0 {
		change.Params = journal.Some(rules.Params{N: 1 + w.random.IntN(5)})
	}
	_, err := w.Rulebook.UpdateRule(ctx, w.owner, journal.TradingRuleID(w.pick("trading_rules")), change, nil)
	return err
}

func (w *writer) deleteRule(ctx context.Context) error {
	return w.Rulebook.DeleteRule(ctx, w.owner, journal.TradingRuleID(w.pick("trading_rules")), w.random.IntN(2) == 0, nil)
}

func (w *writer) createGoal(ctx context.Context) error {
	_, err := w.Rulebook.CreateGoal(ctx, w.owner, rulebook.GoalChange{
		Kind: journal.Some(rules.GoalKind("process")), Metric: journal.Some(rules.Metric("trades")), Target: journal.Some(decimal.New(3)),
		Period: journal.Some(rules.GoalPeriod("week")), Name: journal.Some(w.name("Goal")),
	})
	return err
}

func (w *writer) deleteGoal(ctx context.Context) error {
	return w.Rulebook.DeleteGoal(ctx, w.owner, journal.GoalID(w.pick("goals")), nil)
}

func (w *writer) createRate(ctx context.Context) error {
	_, err := w.Rates.Create(ctx, w.owner, rates.Change{
		Base: journal.Some("USD"), Quote: journal.Some("TWD"), On: journal.Some(fmt.Sprintf("2026-03-%02d", 1+w.random.IntN(9))),
		Rate: journal.Some(decimal.New(int64(30 + w.random.IntN(9)))),
	})
	return err
}

func (w *writer) changeRate(ctx context.Context) error {
	_, err := w.Rates.Update(ctx, w.owner, journal.RateID(w.pick("rates")), rates.Change{Rate: journal.Some(decimal.New(int64(30 + w.random.IntN(9))))}, nil)
	return err
}

func (w *writer) deleteRate(ctx context.Context) error {
	return w.Rates.Delete(ctx, w.owner, journal.RateID(w.pick("rates")), nil)
}

// typePrice types the price of a trade, which may be closed, or deletes it.
func (w *writer) typePrice(ctx context.Context) error {
	price := decimal.Null{Decimal: decimal.New(int64(100 + w.number)), Valid: w.random.IntN(3) > 0}
	return w.Excursions.SetMark(ctx, w.owner, w.Clock(), journal.TradeID(w.pick("trades")), price)
}

// newFill returns a fill at a random time, so it may split or join trades.
func (w *writer) newFill() ledger.NewFill {
	side := matching.Buy
	if w.random.IntN(2) == 0 {
		side = matching.Sell
	}
	return ledger.NewFill{
		Symbol: []string{"AAPL", "MSFT"}[w.random.IntN(2)], Side: side, Quantity: decimal.New(int64(1 + w.random.IntN(3))),
		Price: decimal.New(int64(100 + w.number)), ExecutedAt: time.Date(2026, 3, 2, 9, w.random.IntN(600), 0, 0, time.UTC),
	}
}
