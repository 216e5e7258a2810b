package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/transport"
)

type shareScope struct {
	AccountID   journal.AccountID `json:"account_id,omitempty"`
	From        *time.Time        `json:"from,omitempty"`
	To          *time.Time        `json:"to,omitempty"`
	TZ          string            `json:"tz,omitempty"`
	ShowAmounts bool              `json:"show_amounts"`
	Currency    string            `json:"currency,omitempty"`
	Unit        string            `json:"unit,omitempty"`
	Title       string            `json:"title,omitempty"`
	Text        string            `json:"text,omitempty"`
}

type shareLink struct {
	ID        journal.ShareID `json:"id"`
	Token     string          `json:"token" doc:"Part of the public address. Anyone with it can open the link."`
	URL       string          `json:"url,omitempty" doc:"The public address, if SVC_PUBLIC_URL is set."`
	Scope     shareScope      `json:"scope"`
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt *time.Time      `json:"expires_at" doc:"null: never"`
	ViewCount int64           `json:"view_count"`
}

// shareAPI has the operations on share links.
type shareAPI struct {
	sharing   *sharing.Service
	publicURL string
	isOn      bool // see Options.ShareLinks
}

func (a shareAPI) shapeLink(l sharing.Link) shareLink {
	address := ""
	if a.publicURL != "" {
		address = strings.TrimRight(a.publicURL, "/") + "/s/" + l.Token
	}
	scope := shareScope{
		AccountID: l.Scope.Account, From: l.Scope.From, To: l.Scope.To, TZ: l.Scope.Zone, ShowAmounts: l.Scope.ShowAmounts,
		Currency: l.Scope.Currency, Unit: l.Scope.Unit, Title: l.Scope.Title, Text: l.Scope.Text,
	}
	return shareLink{
		ID: l.ID, Token: l.Token, URL: address, Scope: scope, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt, ViewCount: l.Views,
	}
}

// ShareFields are what a link shows. They may be sent at the top level or inside scope.
type ShareFields struct {
	AccountID   opt[string]  `json:"account_id" required:"false" doc:"One account; all without it."`
	From        opt[instant] `json:"from" required:"false"`
	To          opt[instant] `json:"to" required:"false"`
	TZ          opt[string]  `json:"tz" required:"false" doc:"The IANA time zone of days. Default UTC."`
	ShowAmounts opt[bool]    `json:"show_amounts" required:"false" doc:"Whether to show money. Default false: ratios and shapes only."`
	Currency    opt[string]  `json:"currency" required:"false" doc:"Convert all amounts into this currency: each trade with the rate of its closing day. 409 rates_missing names missing rates. In links made by earlier versions it is a label."`
	Unit        opt[string]  `json:"unit" required:"false" enum:"trade,strategy" doc:"What counts as one. Default trade. With strategy, each accepted or manual strategy does."`
	Title       opt[string]  `json:"title" required:"false" doc:"The heading of the public page, at most 100 characters."`
	Text        opt[string]  `json:"text" required:"false" doc:"A text below the heading, at most 1,000 characters."`
}

type newShareLink struct {
	ShareFields
	Scope         *ShareFields `json:"scope" required:"false"`
	ExpiresInDays opt[integer] `json:"expires_in_days" required:"false" doc:"0 to 3650; 0 means never. Default 90."`
}

// withDefaults returns the fields, with the defaults if they are not set.
func (f ShareFields) withDefaults(defaults ShareFields) ShareFields {
	if !f.AccountID.Set {
		f.AccountID = defaults.AccountID
	}
	if !f.From.Set {
		f.From = defaults.From
	}
	if !f.To.Set {
		f.To = defaults.To
	}
	if !f.TZ.Set {
		f.TZ = defaults.TZ
	}
	if !f.ShowAmounts.Set {
		f.ShowAmounts = defaults.ShowAmounts
	}
	if !f.Currency.Set {
		f.Currency = defaults.Currency
	}
	if !f.Unit.Set {
		f.Unit = defaults.Unit
	}
	if !f.Title.Set {
		f.Title = defaults.Title
	}
	if !f.Text.Set {
		f.Text = defaults.Text
	}
	return f
}

func (f ShareFields) scope() sharing.Scope {
	return sharing.Scope{
		Account: journal.AccountID(strings.TrimSpace(f.AccountID.Value)), From: instantOrNil(f.From), To: instantOrNil(f.To),
		Zone: f.TZ.Value, ShowAmounts: f.ShowAmounts.Value, Currency: f.Currency.Value, Unit: f.Unit.Value,
		Title: f.Title.Value, Text: f.Text.Value,
	}
}

func instantOrNil(o opt[instant]) *time.Time {
	if !o.Set || o.Null {
		return nil
	}
	at := o.Value.Time
	return &at
}

func (a shareAPI) register(api *API) {
	route := func(needs permission, method, path, id, summary string) route {
		r := journalRoute(needs, method, "/share-links"+path, id, "Share links", summary)
		r.gate = a.shareGate
		return r
	}
	registerList(api, route(readLinks, http.MethodGet, "", "listShareLinks", "List share links, newest first"),
		func(ctx context.Context, in *Paging) (*listing[shareLink], error) {
			links, err := a.sharing.Links(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, links, a.shapeLink, func(l sharing.Link) string { return string(l.ID) })
		})
	register(api, route(writeLinks, http.MethodPost, "", "mintShareLink", "Create a public link to a performance summary"), a.mintShareLink)
	register(api, route(writeLinks, http.MethodDelete, "/{id}", "revokeShareLink", "Revoke a share link"),
		func(ctx context.Context, in *DeleteOf[journal.ShareID]) (*nothing, error) {
			check := transport.IfMatch(in.IfMatch, func(l sharing.Link) any { return a.shapeLink(l) })
			return nil, a.sharing.Revoke(ctx, sharing.Actor{Principal: caller(ctx), Client: client(ctx)}, in.ID, check)
		})
	a.registerPublicShareRoute(api)
}

// shareGate refuses calls while share links are turned off.
func (a shareAPI) shareGate(context.Context) error {
	if a.isOn {
		return nil
	}
	return &journal.Error{
		Kind: journal.KindNotFound, Code: "share_links_disabled", Message: "Share links are turned off on this server.",
	}
}

func (a shareAPI) mintShareLink(ctx context.Context, in *body[newShareLink]) (*body[shareLink], error) {
	if err := caller(ctx).RequireNotEnded(); err != nil { // a link outlives the session
		return nil, err
	}
	fields := in.Body.ShareFields
	if in.Body.Scope != nil {
		fields = fields.withDefaults(*in.Body.Scope)
	}
	days := sharing.DefaultDays
	if in.Body.ExpiresInDays.Set && !in.Body.ExpiresInDays.Null {
		days = int(in.Body.ExpiresInDays.Value)
	}
	link, err := a.sharing.Mint(ctx, sharing.Actor{Principal: caller(ctx), Client: client(ctx)}, fields.scope(), days)
	return answer(a.shapeLink(link), err)
}

type shareToken struct {
	Token string `path:"token"`
}

// registerPublicShareRoute registers the route for anyone with the token. The
// refusal is the same for every invalid token and while links are turned off.
func (a shareAPI) registerPublicShareRoute(api *API) {
	open := route{
		method: http.MethodGet, path: "/public/share/{token}", id: "openShareLink", tag: "Share links",
		summary: "Read what a share link shows", access: accessPublic, limitKind: shareLimit,
		refusals: []int{http.StatusNotFound},
	}
	register(api, open, func(ctx context.Context, in *shareToken) (*body[sharing.ShareView], error) {
		if !a.isOn {
			return nil, sharing.ErrNotFound()
		}
		view, err := a.sharing.Open(ctx, in.Token)
		return answer(view, err)
	})
}
