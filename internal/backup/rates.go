package backup

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/rates"
)

// Rate is a typed exchange rate.
type Rate struct {
	Base      string          `json:"base"`
	Quote     string          `json:"quote"`
	On        string          `json:"on"`
	Rate      decimal.Decimal `json:"rate"`
	CreatedAt Instant         `json:"created_at,omitzero"`
}

func (e *exporter) writeRates() error {
	list, err := rates.List(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "rates", list, func(r rates.Stored) Rate {
		return Rate{Base: r.Base, Quote: r.Quote, On: string(r.On), Rate: r.Rate, CreatedAt: Instant{r.CreatedAt}}
	})
}

// restoreRates adds the typed rates whose pair has none for the day.
func (r *restorer) restoreRates() error {
	list, places, err := convertRows(r, "Rate", slices.All(r.Document.Rates), func(in Rate) (rates.NewRate, error) {
		return rates.NewRate{CreatedAt: in.CreatedAt.instantOr(r.now), Change: rates.Change{
			Base: journal.Some(in.Base), Quote: journal.Some(in.Quote), On: journal.Some(in.On), Rate: journal.Some(in.Rate),
		}}, nil
	})
	if err != nil {
		return err
	}
	added, refusals, err := rates.Restore(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.Rates = added
	return r.acceptAll("Rate", places, refusals)
}
