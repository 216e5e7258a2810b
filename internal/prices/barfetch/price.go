package barfetch

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/prices/barsource"
)

// Quote is the price for the bars a source would fetch.
type Quote struct {
	barsource.Price
	// Sessions and Symbols count what would be fetched.
	Sessions, Symbols int
	// Remaining counts the sessions left out of the price, because there are too many.
	// They can be fetched later.
	Remaining int
}

// maxPriced is how many queries a price is for.
const maxPriced = 25

// Price returns the price for the bars a source would fetch. It orders nothing.
func (s *Service) Price(ctx context.Context, owner journal.UserID, id journal.BarSourceID) (quote Quote, err error) {
	if !s.Enabled() {
		return Quote{}, remote.Disabled()
	}
	var pricer barsource.Pricer
	var credentials map[string]string
	var queries []query
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		source, err := s.Read(ctx, tx, owner, id, "")
		if err != nil {
			return err
		}
		provider, _ := s.Find(source.Provider)
		var ok bool
		if pricer, ok = provider.(barsource.Pricer); !ok {
			return journal.Conflict("This provider doesn't charge for prices.")
		}
		if credentials, err = s.Credentials.Load(ctx, tx, s.Keys, owner, string(id)); err != nil {
			return err
		}
		plan, err := loadPlan(ctx, tx, owner, source, provider, s.Clock(), true)
		if err == nil {
			queries = plan.queries()
		}
		return err
	})
	if err != nil {
		return Quote{}, err
	}
	return s.sumPrices(jobs.WithCaller(ctx, owner), pricer, credentials, queries)
}

func (s *Service) sumPrices(ctx context.Context, pricer barsource.Pricer, credentials map[string]string, queries []query) (quote Quote, err error) {
	about := pricer.Describe()
	client := s.newCounter(about.Name)
	quote.Currency, quote.Amount = "USD", decimal.New(0)
	names := map[string]bool{}
	for i, q := range queries {
		if i >= maxPriced {
			quote.Remaining += len(q.sessions)
			continue
		}
		price, err := pricer.Price(ctx, client, credentials, q.toQuery(s.Clock()))
		switch {
		case errors.Is(err, remote.ErrNotFound), errors.Is(err, barsource.ErrNotCovered), errors.Is(err, barsource.ErrTooOld):
			continue
		case err != nil:
			return Quote{}, priceError(about.Title, err)
		}
		quote.Amount, quote.Currency = quote.Amount.Add(price.Amount), price.Currency
		quote.Sessions += len(q.sessions)
		names[q.name] = true
	}
	quote.Symbols = len(names)
	return quote, nil
}

// priceError returns the refusal for a price the provider did not say.
func priceError(title string, err error) error {
	var limited *remote.RateLimited
	switch {
	case errors.As(err, &limited):
		refused := journal.Limited(limited.RetryAfter)
		refused.Message = title + " got too many requests. Try again later."
		return refused
	case errors.Is(err, remote.ErrUnauthorized):
		return journal.Conflict("%s doesn't accept the key. Enter it again.%s", title, remote.QuoteWords(err))
	case errors.Is(err, remote.ErrForbidden), errors.Is(err, remote.ErrRefused):
		return journal.Conflict("%s refused the request. Check your key and your plan there.%s", title, remote.QuoteWords(err))
	}
	refused := journal.Conflict("%s doesn't answer. Try again later.%s", title, remote.QuoteWords(err))
	refused.Code = "provider_unavailable"
	return refused
}
