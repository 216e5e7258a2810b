package limits_test

import (
	"maps"
	"slices"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/limits"
	"fillbook/internal/testkit"
)

// limited are the tables with user records bounded by a limit.
var limited = map[string][]limits.Limit{
	"accounts":             {limits.Accounts},
	"executions":           {limits.Executions},
	"cash_transactions":    {limits.Cash},
	"instrument_overrides": {limits.Overrides},
	"deleted_fills":        {limits.DeletedFills},
	"deleted_cash":         {limits.DeletedCash},
	"orphaned_annotations": {limits.Orphans},
	"tags":                 {limits.Tags},
	"setups":               {limits.Setups},
	"notes":                {limits.Notes, limits.NoteBytes},
	"note_templates":       {limits.NoteTemplates},
	"corporate_actions":    {limits.CorporateActions},
	"missed_trades":        {limits.MissedTrades},
	"views":                {limits.Views},
	"trading_rules":        {limits.TradingRules},
	"goals":                {limits.Goals},
	"alerts":               {limits.Alerts},
	"strategies":           {limits.Strategies},
	"rates":                {limits.Rates},
	"prop_programs":        {limits.Programs},
	"enrollments":          {limits.Enrollments},
	"routine_items":        {limits.RoutineItems},
	"routine_ticks":        {limits.RoutineTicks},
	"import_kinds":         {limits.ImportKinds},
	"import_layouts":       {limits.ImportLayouts},
	"import_batches":       {limits.ImportBatches},
	"bar_imports":          {limits.BarImports},
	"bar_aliases":          {limits.BarAliases},
	"bar_sources":          {limits.BarSources},
	"connections":          {limits.Connections},
	"hooks":                {limits.Hooks},
	"channels":             {limits.Channels},
	"share_links":          {limits.ShareLinks},
	"access_tokens":        {limits.AccessTokens},
	"sessions":             {limits.Sessions},
}

// bounded are the tables with user records needing no limit, and why.
var bounded = map[string]string{
	"access_token_uses":      "the last few of each access token are kept",
	"alert_devices":          "one for each program that the user signed in with; the rate of sign-ins is limited",
	"alert_settings":         "one for each user",
	"alert_states":           "one for each user",
	"app_grants":             "one for each access token of an app",
	"app_secrets":            "deleted after some time; a few for each access token of an app, and refreshing is limited by rate",
	"channel_deliveries":     "deleted after 30 days; a channel has at most 10000 that wait",
	"channel_sequences":      "one for each account",
	"attachments":            "number and bytes are settings",
	"attachment_blobs":       "one for each attachment",
	"audit_events":           "deleted after some time; what they record is limited by rate",
	"bar_blocks":             "the number of bars is a setting; without bars, one for each block of an import of bars",
	"bar_changes":            "the last ones are kept",
	"bar_ranges":             "some for each block of an import of bars",
	"bar_series":             "each has bars, whose number is a setting",
	"bar_source_runs":        "the last ones of each price provider are kept",
	"bar_source_sessions":    "one for each session in which an instrument was held",
	"bar_usage":              "one for each user",
	"checklist_templates":    "one for each user",
	"connection_runs":        "deleted after some time",
	"excursion_accounts":     "one for each account",
	"fill_sources":           "some for each fill",
	"history_blocks":         "dropped after some time; each has what one write removed",
	"history_changes":        "one for each write, which is limited by rate; it is the record of what a user did",
	"history_objects":        "some for each change",
	"history_streams":        "one for each account that ever was, and one for the user",
	"hook_bodies":            "deleted after some time",
	"hook_quarantine":        "number and bytes of each hook are bounded",
	"idempotency_keys":       "deleted after some time",
	"import_layout_accounts": "a few for each layout",
	"import_repeats":         "some for each import",
	"import_spans":           "some for each import",
	"jobs":                   "one for each connection and price provider",
	"journal_settings":       "one for each user",
	"kept_attachments":       "one for each deleted attachment; dropped after some time",
	"note_log":               "the last ones are kept",
	"note_revisions":         "one for each user",
	"orphaned_fills":         "a few for each orphaned annotation",
	"position_marks":         "one for each trade",
	"preferences":            "bytes and keys of a user are bounded",
	"refresh_tokens":         "deleted after some time; some for each session",
	"routine_seeds":          "one for each user",
	"streams":                "each has fills",
	"token_owners":           "one for each token",
	"trade_annotations":      "one for each trade",
	"trade_checkpoints":      "some for each trade",
	"trade_excursions":       "one for each trade",
	"trade_log":              "the last ones are kept",
	"trade_rules":            "those of the setups of a trade",
	"trade_setups":           "a few for each trade",
	"trade_tags":             "a few for each trade",
	"trades":                 "each has fills",
	"trades_before_actions":  "each had fills that are stored",
	"unfinished_writes":      "deleted at the end of the write",
	"user_states":            "one for each user",
	"withdrawn_fills":        "one for each fill that a broker cancels",
}

// TestEveryTableIsBounded: a user can't fill any table without end.
func TestEveryTableIsBounded(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	var tables []string
	err := d.View(t.Context(), func(tx *db.Tx) (err error) {
		tables, err = db.List(t.Context(), tx, db.Single[string], `SELECT DISTINCT t.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c
			WHERE t.type = 'table' AND c.name IN ('user_id', 'owner') ORDER BY t.name`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if bounded[table] == "" && limited[table] == nil {
			t.Errorf("table %s has no limit: add one, or the reason why it needs none", table)
		}
	}
	for _, table := range slices.Concat(slices.Collect(maps.Keys(bounded)), slices.Collect(maps.Keys(limited))) {
		if !slices.Contains(tables, table) || bounded[table] != "" && limited[table] != nil {
			t.Errorf("table %s is not there, or listed twice", table)
		}
	}
	used := map[string]bool{}
	for _, list := range limited {
		for _, l := range list {
			used[l.Records] = true
		}
	}
	for _, l := range limits.All() {
		if !used[l.Records] {
			t.Errorf("the limit of %s belongs to no table", l.Records)
		}
	}
	if len(used) != len(limits.All()) {
		t.Errorf("%d limits belong to tables, limits.All has %d", len(used), len(limits.All()))
	}
}
