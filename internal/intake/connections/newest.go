package connections

import (
	"context"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// Tested is what a test of credentials found.
type Tested struct {
	Identity
	// Newest is the newest fill; nil if the searched period has none.
	Newest *NewestFill
}

// NewestFill is a fill a test of credentials found.
type NewestFill struct {
	Symbol          string
	Side            matching.Side
	Quantity, Price decimal.Decimal
	At              time.Time
}

const (
	// newestTime is how far back a test looks for a fill. It begins with the last
	// newestFirst, because a long time may need many requests.
	newestTime  = 30 * 24 * time.Hour
	newestFirst = 3 * 24 * time.Hour
	// newestLimit is how long a test looks for a fill. Requests to some brokers are seconds
	// apart, and the user waits.
	newestLimit = 6 * time.Second
	// newestParts is how many deliveries for one period are fetched.
	newestParts = 20
)

// findNewest returns the newest fill of the last days, nil if none. Only errors
// about which the user must do something are returned; note is a sentence about the
// others.
func (s *Service) findNewest(
	ctx context.Context, owner journal.UserID, with connector.Connector, session *remote.Session,
) (newest *NewestFill, note string, err error) {
	limited, cancel := context.WithTimeout(ctx, newestLimit)
	defer cancel()
	about := with.Describe()
	timing := newTiming(about, s.Clock())
	first := later(timing.end().Add(-newestTime), timing.earliest(""))
	length := newestFirst
	if about.WholeDays { // a report for each time
		first, length = timing.midnight(first, 0), newestTime
	}
	for to := timing.end(); to.After(first); {
		from := later(to.Add(-length), first)
		if about.Window > 0 {
			from = later(from, to.Add(-about.Window))
		}
		newest, err = s.fetchNewest(limited, owner, with, session, connector.Query{From: from, To: to})
		to, length = from, newestTime
		switch {
		case err != nil && explain(about.Title, err).NeedsUser:
			return nil, "", err
		case err != nil:
			return nil, "The newest fill could not be fetched. That does not prevent the connection.", nil
		case newest != nil:
			return newest, "", nil
		}
	}
	return nil, "", nil
}

// fetchNewest returns the newest fill of a query, nil if it has none.
func (s *Service) fetchNewest(
	ctx context.Context, owner journal.UserID, with connector.Connector, session *remote.Session, query connector.Query,
) (newest *NewestFill, err error) {
	for range newestParts {
		delivery, err := with.Fetch(ctx, session, query)
		if err != nil {
			return nil, err
		}
		if delivery.File != nil {
			if delivery.Statement, err = s.imports.Read(ctx, owner, "", delivery.FileName, delivery.File); err != nil {
				return nil, err
			}
		}
		for _, f := range delivery.Statement.Fills {
			if newest == nil || f.At.After(newest.At) {
				newest = newNewestFill(f)
			}
		}
		if newest == nil && delivery.Stopped != nil {
			return nil, delivery.Stopped
		}
		if isEnd := !delivery.IsPartial || delivery.Stopped != nil; isEnd {
			break
		}
		query.State, query.IsContinued = delivery.State, true
	}
	return newest, nil
}

func newNewestFill(f *statement.Fill) *NewestFill {
	return &NewestFill{Symbol: f.Symbol, Side: f.Side, Quantity: f.Quantity, Price: f.Price, At: f.At}
}
