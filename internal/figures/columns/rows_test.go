package columns_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// TestRowOfATrade checks every amount behind figures, in the columns for a future closed
// in two parts with annotations.
func TestRowOfATrade(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		var id journal.TradeID
		for at, f := range []ledger.NewFill{
			{Side: matching.Sell, Quantity: decimal.New(3), Price: decimal.New(100), Fees: decimal.New(3)},
			{Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(90), Commission: decimal.New(2)},
			{Side: matching.Buy, Quantity: decimal.New(2), Price: decimal.New(105)},
		} {
			f.Symbol, f.InstrumentType, f.Multiplier, f.ExecutedAt = "XYZ", "future", decimal.Of(decimal.New(10)), minute(at)
			added, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, f)
			must(t, err)
			id = added.TradeIDs[0]
		}
		h.annotate(id, playbook.AnnotationChange{ValueChange: playbook.ValueChange{
			StopPrice: journal.Some(decimal.New(104)), MFE: journal.Some(decimal.New(300)), TradeQuality: journal.Some(4),
		}})
		type amounts struct{ Net, Gross, Fees, Entry, Volume, Risk, MFE string }
		rowsOf := func(b *columns.Snapshot) (list []amounts) {
			for i := range b.Columns[0].Len() {
				r := b.Columns[0].Trade(i)
				if r.Quality != 4 || r.Side != analytics.Short || r.InstrumentType != "future" || !r.OpenedAt.Equal(minute(0)) {
					t.Errorf("the row is %+v", r)
				}
				list = append(list, amounts{
					r.Net.String(), r.Gross.String(), r.Fees.String(), r.EntryNotional.String(), r.Volume.String(), r.InitialRisk.String(), r.MFE.String(),
				})
			}
			return list
		}
		must(t, h.Figures.View(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			want := []amounts{{"-5", "0", "5", "3000", "6000", "120", "300"}}
			if diff := cmp.Diff(want, rowsOf(b)); diff != "" {
				t.Errorf("the row of the closed trade (-want +got):\n%s", diff)
			}
			return nil
		}))
		must(t, h.Figures.ViewRealized(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			want := []amounts{{"97", "100", "3", "3000", "1900", "120", "300"}, {"-102", "-100", "2", "3000", "4100", "120", "300"}}
			if diff := cmp.Diff(want, rowsOf(b)); diff != "" {
				t.Errorf("the rows of its parts (-want +got):\n%s", diff)
			}
			return nil
		}))
	})
}
