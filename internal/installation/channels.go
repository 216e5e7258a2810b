package installation

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/intake/channels"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/imports"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/settings"
)

// connectChannels creates the channels and lets them follow the history.
func (i *Installation) connectChannels(network *outbound.Network, publicURL string) {
	i.Channels = channels.New(channels.Options{
		DB: i.DB, Keys: i.Keys, Clock: i.Clock, Log: i.Log, Network: network, PublicURL: publicURL, Wake: func() { i.Jobs.Wake() },
		Figures: readFigures, Limits: readLimits, CountDay: countDay, Zone: readZone, CheckAccount: ledger.CheckAccountOwner,
	})
	i.History.SetFollower(i.Channels.Follow)
}

// readFigures reads what a channel may send of a trade.
func readFigures(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (channels.Figures, error) {
	detail, err := tradeview.ReadDetail(ctx, tx, owner, trade)
	return channels.Figures{Symbol: detail.Instrument.Symbol, Net: detail.NetPnL, R: detail.Derived.RMultiple}, err
}

// readLimits reads the limits for messages.
func readLimits(ctx context.Context, tx *db.Tx, owner journal.UserID) (channels.Limits, error) {
	stored, err := alerts.ReadSettings(ctx, tx, owner)
	limits := channels.Limits{MaxPerHour: stored.MaxPerHour}
	if q := stored.QuietHours; q != nil {
		limits.QuietFrom, limits.QuietTo, limits.Zone = q.From, q.To, q.Location()
	}
	return limits, err
}

// alertSender sends alerts by the channels that the user chose for their kinds.
type alertSender struct{ *Installation }

// SendAlert implements [alerts.Sender].
func (s alertSender) SendAlert(ctx context.Context, tx *db.Tx, owner journal.UserID, alert *alerts.Alert, settings alerts.Settings) error {
	to := settings.Channels(alert.Kind)
	if len(to) == 0 {
		return nil
	}
	e := channels.Event{
		Type: channels.AlertFired, At: alert.FiredAt, Alert: string(alert.ID), Kind: string(alert.Kind), Link: alert.Link, Title: alert.Title, Channels: to,
	}
	if alert.Account != nil {
		e.Account = *alert.Account
	}
	if alert.Trade != nil {
		e.Trade = *alert.Trade
	}
	if alert.Batch != nil {
		e.Batch = *alert.Batch
	}
	return s.Channels.Emit(ctx, tx, owner, e)
}

// countDay counts the trades that were opened or closed in a period.
func countDay(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to time.Time) (int, error) {
	found, last := map[journal.TradeID]bool{}, to.Add(-time.Microsecond)
	for _, basis := range []ledger.DateBasis{ledger.ByOpening, ledger.ByClosing} {
		q := ledger.TradeQuery{Scope: journal.Scope{Mixed: true, Period: journal.Period{From: &from, To: &last}}, Basis: basis}
		err := ledger.EachTrade(ctx, tx, owner, q, func(t ledger.Trade) error {
			found[t.ID] = true
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return len(found), nil
}

// readZone reads the time zone in which a user's days end.
func readZone(ctx context.Context, tx *db.Tx, owner journal.UserID) (*time.Location, error) {
	stored, err := settings.Read(ctx, tx, owner)
	if zone := stored.Location(); err == nil && stored.Timezone != "" && zone != nil {
		return zone, nil
	}
	return time.UTC, err
}

// announceFailure emits the event of an import that failed.
func (i *Installation) announceFailure(ctx context.Context, tx *db.Tx, b imports.Batch) error {
	return i.Channels.Emit(ctx, tx, b.UserID, channels.Event{
		Type: channels.ImportFailed, Account: b.Account, Batch: b.ID, Link: "/import/" + string(b.ID),
	})
}

// announceAttention emits the event of a connection that needs its user.
func (i *Installation) announceAttention(ctx context.Context, tx *db.Tx, owner journal.UserID, c connections.Connection) error {
	return i.Channels.Emit(ctx, tx, owner, channels.Event{
		Type: channels.NeedsAttention, Account: c.Account, Connection: c.ID, Link: "/connections",
	})
}
