package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/installation/notices"
)

// notice is an event while the user was away.
type notice struct {
	ID      *journal.AlertID      `json:"id" doc:"The id of the alert; null for what is not an alert."`
	At      time.Time             `json:"at"`
	Kind    notices.Kind          `json:"kind" enum:"arrived,problem,alert" doc:"arrived: fills or cash were stored. problem: something was not stored, or a source has stopped. alert: any other alert."`
	Text    string                `json:"text" example:"Alerts: 14 fills, 5 trades closed, +312 USD, 2 need review."`
	Link    string                `json:"link" doc:"Where the page shows it." example:"/import/01a1e6be-3407-71e0-9be2-65869e7500c6"`
	Source  string                `json:"source" doc:"The name of the hook, connection, file or provider."`
	Message string                `json:"message" doc:"The text without the name of the source."`
	Arrival orNull[noticeArrival] `json:"arrival" doc:"What was stored; null for a problem."`
}

type noticeArrival struct {
	Fills       int             `json:"fills" doc:"New fills."`
	Cash        int             `json:"cash" doc:"New cash transactions."`
	Closed      int             `json:"trades_closed" doc:"Trades that these fills closed."`
	NetPnL      decimal.Decimal `json:"net_pnl" doc:"The net result of these trades."`
	Currency    string          `json:"currency"`
	NeedsReview int             `json:"need_review" doc:"How many of these trades are not reviewed."`
}

func shapeNotice(n notices.Notice) notice {
	shaped := notice{ID: nilIfZero(n.Alert), At: n.At, Kind: n.Kind, Text: n.Source + ": " + n.Text, Link: n.Link, Source: n.Source, Message: n.Text}
	if n.Kind == notices.Alerted {
		shaped.Text = n.Text
	}
	if a := n.Arrival; a != nil {
		shaped.Arrival = orNull[noticeArrival]{&noticeArrival{
			Fills: a.Fills, Cash: a.Cash, Closed: a.Closed, NetPnL: a.NetPnL, Currency: a.Currency, NeedsReview: a.Unreviewed,
		}}
	}
	return shaped
}

type noticeQuery struct {
	Since instantParam `query:"since" doc:"Only what happened after this instant. Default: a week ago."`
}

// noticeTime is how far notices go back if the request does not say.
const noticeTime = 7 * 24 * time.Hour

// noticeAPI has the operations on notices.
type noticeAPI struct {
	clock   journal.Clock
	notices *notices.Service
}

func (a noticeAPI) register(api *API) {
	list := journalRoute(readJournal, http.MethodGet, "/notices", "listNotices", "Notices", "List what arrived and what needs attention, newest first")
	list.about = "What connections, hooks and watched folders stored, and what stopped or could not be stored. At most 50."
	register(api, list, func(ctx context.Context, in *noticeQuery) (*body[[]notice], error) {
		since := a.clock().Add(-noticeTime)
		if in.Since.at != nil {
			since = *in.Since.at
		}
		found, err := a.notices.List(ctx, caller(ctx).UserID, since)
		return answer(shapeAll(found, shapeNotice), err)
	})
}
