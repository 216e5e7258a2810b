package backup

import (
	"strings"
	"testing"

	"fillbook/internal/base/limits"
)

// sectionLimits are the record limits in sections. Sections without one are bounded
// otherwise: trades by fills, deleted fills and cash by the oldest, attachments and bars
// by settings, preferences by their size.
var sectionLimits = map[string]*limits.Limit{
	"accounts":             &limits.Accounts,
	"accounts.orphans":     &limits.Orphans,
	"accounts.strategies":  &limits.Strategies,
	"accounts.connections": &limits.Connections,
	"tags":                 &limits.Tags,
	"setups":               &limits.Setups,
	"notes":                &limits.Notes,
	"missed_trades":        &limits.MissedTrades,
	"note_templates":       &limits.NoteTemplates,
	"corporate_actions":    &limits.CorporateActions,
	"views":                &limits.Views,
	"rates":                &limits.Rates,
	"prop_programs":        &limits.Programs,
	"enrollments":          &limits.Enrollments,
	"trading_rules":        &limits.TradingRules,
	"goals":                &limits.Goals,
	"routines":             &limits.RoutineItems,
	"import_kinds":         &limits.ImportKinds,
	"import_layouts":       &limits.ImportLayouts,
	"bar_aliases":          &limits.BarAliases,
	"bar_sources":          &limits.BarSources,
	"channels":             &limits.Channels,
}

// TestRecordsAboveALimitAreLeftOut restores two records above each limit: these are
// problems, everything else is restored. A second restore finds all others stored. The
// limits are lowered to 20, which takes a thousandth of the time.
func TestRecordsAboveALimitAreLeftOut(t *testing.T) { // not parallel: it changes the limits
	for _, limit := range sectionLimits {
		stored := *limit
		limit.Max = 20
		t.Cleanup(func() { *limit = stored })
	}
	eachFixture(t, func(t *testing.T, h *fixture) {
		for name, limit := range sectionLimits {
			doc := hostileDocument(hostileSections[name], keyOrders["reversed"](limit.Max+2))
			for i := range doc.Accounts[0].Strategies {
				doc.Accounts[0].Strategies[i].Annotations = hostileAnnotations(i % 10)
			}
			if name == "accounts.orphans" { // each has its own tag and setup
				for i := range doc.Accounts[0].Orphans {
					doc.Accounts[0].Orphans[i].Annotations = hostileAnnotations(i % 10)
				}
			}
			owner := h.user(t)
			for range 2 {
				result, err := h.tryRestore(Order{Owner: owner, Document: doc})
				must(t, err)
				if len(result.Errors) != 2 || !strings.Contains(result.Errors[1].Message, "There are already 20") {
					t.Fatalf("%s: %d problems: %.300v", name, len(result.Errors), result.Errors)
				}
			}
		}
	})
}
