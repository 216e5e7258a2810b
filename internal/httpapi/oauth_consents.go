package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// consentAPI has the operations for allowing an app access.
type consentAPI struct {
	api      *API
	identity *identity.Service
	ledger   *ledger.Service
}

// appRequest is what an app asks for.
type appRequest struct {
	ClientID         string         `json:"client_id"`
	ClientName       string         `json:"client_name" doc:"The name that the app states; it is not verified."`
	RedirectHost     string         `json:"redirect_host" doc:"Where the browser continues, and where the access goes: a host, or the scheme of an app on this computer."`
	Scope            identity.Scope `json:"scope" enum:"analytics,read,write" doc:"The most that can be allowed."`
	ExpiresAt        time.Time      `json:"expires_at" doc:"When the request expires."`
	PasswordRequired bool           `json:"password_required" doc:"The session is old: send the password with the consent."`
	DenyURL          string         `json:"deny_url" doc:"Where the browser continues if the user does not allow it."`
}

type consent struct {
	RequestID     string                   `json:"request_id"`
	Scope         string                   `json:"scope" enum:"analytics,read,write" doc:"At most the requested scope."`
	AccountIDs    opt[[]journal.AccountID] `json:"account_ids" required:"false" minItems:"1" maxItems:"200" doc:"The accounts that the app sees. Default all."`
	ExpiresInDays opt[integer]             `json:"expires_in_days" required:"false" doc:"1 to 365. Default 90."`
	Password      opt[secrets.Secret]      `json:"password" required:"false" doc:"Required if the session is older than 15 minutes."`
}

type consentAnswer struct {
	RedirectTo string `json:"redirect_to" doc:"Where the browser continues. It has the code for the app."`
}

// defaultAppDays is how long an app has access without another choice.
const defaultAppDays = 90

func (a consentAPI) register(api *API) {
	register(api, route{
		method: http.MethodGet, path: "/oauth/consents", id: "getAppRequest", tag: "Access tokens", access: accessSession, gate: a.gate,
		summary: "Read what an app asks for", refusals: []int{http.StatusNotFound},
	}, a.readRequest)
	register(api, route{
		method: http.MethodPost, path: "/oauth/consents", id: "allowApp", tag: "Access tokens", access: accessSession, gate: a.gate,
		summary: "Allow an app access", about: "The app gets an access token for assistants, which is listed among the access tokens. A request can be answered once.",
		secret: true, body: transport.JSONBody, limit: authBody, limitKind: secretLimit, refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, a.allow)
}

func (a consentAPI) gate(context.Context) error {
	if !a.api.offersOAuth() {
		return journal.NotFound("path")
	}
	return nil
}

type appRequestQuery struct {
	RequestID string `query:"request_id" required:"true" doc:"The request_id of the page's address."`
}

func (a consentAPI) readRequest(ctx context.Context, in *appRequestQuery) (*body[appRequest], error) {
	request, err := openRequest(a.api.Keys, in.RequestID, a.api.Clock())
	if err != nil {
		return nil, err
	}
	needsPassword, err := a.identity.NeedsPassword(ctx, caller(ctx))
	return answer(appRequest{
		ClientID: request.ClientID, ClientName: request.ClientName, RedirectHost: redirectHost(request.RedirectURI), Scope: request.Scope,
		ExpiresAt: request.At.Add(accessRequestLifetime), PasswordRequired: needsPassword,
		DenyURL: redirectTo(request.RedirectURI, request.State, a.api.issuer(), url.Values{"error": {"access_denied"}}),
	}, err)
}

func (a consentAPI) allow(ctx context.Context, in *body[consent]) (*body[consentAnswer], error) {
	request, err := openRequest(a.api.Keys, in.Body.RequestID, a.api.Clock())
	if err != nil {
		return nil, err
	}
	for _, id := range in.Body.AccountIDs.Value {
		if _, err := a.ledger.Account(ctx, caller(ctx).UserID, id); err != nil {
			return nil, err
		}
	}
	days := defaultAppDays
	if sent := in.Body.ExpiresInDays; sent.Set && !sent.Null {
		days = int(sent.Value)
	}
	code, err := a.identity.AllowApp(ctx, caller(ctx), client(ctx), identity.AppGrant{
		RequestID: request.ID, RequestEnds: request.At.Add(accessRequestLifetime), App: identity.TokenApp{ClientID: request.ClientID, RedirectURI: request.RedirectURI},
		Name: request.ClientName, Challenge: request.Challenge, Requested: request.Scope, Scope: identity.Scope(in.Body.Scope),
		Accounts: in.Body.AccountIDs.Value, Days: days, Password: in.Body.Password.Value,
	})
	if err != nil {
		return nil, err
	}
	return answer(consentAnswer{redirectTo(request.RedirectURI, request.State, a.api.issuer(), url.Values{"code": {code.Reveal()}})}, nil)
}
