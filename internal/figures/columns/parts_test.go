package columns_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// TestBatchSizeDoesNotMatter reads the same journal with several batch sizes, down to one
// trade. Several trades close at the same instant, some are annotated and one is open.
func TestBatchSizeDoesNotMatter(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		for n, symbol := range []string{"A", "B", "C", "D", "E", "F", "G"} {
			trade, _ := h.roundTrip(symbol, n/3*10)
			if n%2 == 0 {
				h.annotate(trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: journal.Some(decimal.Must("50")), TradeQuality: journal.Some(4)}})
			}
		}
		h.fill("OPEN", matching.Buy, "5", "20", 5)
		want := h.dump(columns.New(h.DB, 0, ""))
		for parts := 1; parts <= 8; parts++ {
			s := columns.New(h.DB, 0, "")
			s.SetBatchSize(parts)
			if diff := cmp.Diff(want, h.dump(s)); diff != "" {
				t.Errorf("read %d at a time (-whole +parts):\n%s", parts, diff)
			}
		}
	})
}
