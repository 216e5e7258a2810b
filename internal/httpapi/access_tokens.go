package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// AccessToken is a token as it is listed, without its secret.
type AccessToken struct {
	ID          journal.TokenID             `json:"id"`
	Name        string                      `json:"name"`
	TokenPrefix string                      `json:"token_prefix"`
	Scope       identity.Scope              `json:"scope" enum:"analytics,import,read,write,full"`
	AccountIDs  orNull[[]journal.AccountID] `json:"account_ids" doc:"The accounts that the token is limited to; null means all."`
	AllowedIPs  orNull[[]string]            `json:"allowed_ips" doc:"The addresses and ranges that it can be used from, as they were sent; null means any."`
	CreatedAt   time.Time                   `json:"created_at"`
	ExpiresAt   *time.Time                  `json:"expires_at"`
	LastUsedAt  *time.Time                  `json:"last_used_at"`
	App         orNull[TokenApp]            `json:"app" doc:"The app that got the token because the user allowed it; null for tokens that the user created. Such a token is for assistants only."`
}

// TokenApp is the app that got an access token.
type TokenApp struct {
	ClientID     string `json:"client_id"`
	RedirectHost string `json:"redirect_host" doc:"Where the access went."`
}

type mintedToken struct {
	AccessToken
	Token string `json:"token" doc:"The secret. It is shown here once and never again."`
}

type tokenRequest struct {
	Name          string                   `json:"name"`
	ExpiresInDays opt[integer]             `json:"expires_in_days" required:"false" doc:"30, 90 or 365; without it and expires_at the token never expires."`
	ExpiresAt     opt[instant]             `json:"expires_at" required:"false" doc:"When the token expires; not together with expires_in_days."`
	Scope         string                   `json:"scope" required:"false" enum:"analytics,import,read,write,full" doc:"What the token may do. analytics: figures, and the names of accounts, setups and tags. import: upload files, and see the imports that it made. read: read everything. write: read and write the journal, without administration, access tokens, sessions and share links. full: everything. Default full."`
	AccountIDs    opt[[]journal.AccountID] `json:"account_ids" required:"false" minItems:"1" maxItems:"200" doc:"The accounts that the token sees; other accounts do not exist for it. Default all."`
	AllowedIPs    opt[[]string]            `json:"allowed_ips" required:"false" minItems:"1" maxItems:"20" doc:"The addresses and ranges in CIDR notation that it can be used from. Default any."`
}

func (r tokenRequest) token() identity.NewToken {
	in := identity.NewToken{Name: r.Name, Scope: r.Scope, Accounts: r.AccountIDs.Value, AllowedIPs: r.AllowedIPs.Value}
	if sent := r.ExpiresInDays; sent.Set && !sent.Null {
		days := int(sent.Value)
		in.ExpiresInDays = &days
	}
	if sent := r.ExpiresAt; sent.Set && !sent.Null {
		in.ExpiresAt = &sent.Value.Time
	}
	return in
}

type tokenUse struct {
	UsedAt    time.Time `json:"used_at"`
	IP        string    `json:"ip"`
	UserAgent string    `json:"user_agent"`
}

func shapeToken(t identity.AccessToken) AccessToken {
	shaped := AccessToken{
		ID: t.ID, Name: t.Name, TokenPrefix: t.Prefix, Scope: t.Scope, AccountIDs: nullIfNil(t.Accounts), AllowedIPs: nullIfNil(t.AllowedIPs),
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, LastUsedAt: t.LastUsedAt,
	}
	if t.App != nil {
		shaped.App.value = &TokenApp{t.App.ClientID, redirectHost(t.App.RedirectURI)}
	}
	return shaped
}

// tokenAPI has the operations on access tokens.
type tokenAPI struct {
	identity *identity.Service
	ledger   *ledger.Service
}

func (a tokenAPI) register(api *API) {
	registerList(api, route{
		needs: readAccess, method: http.MethodGet, path: "/access-tokens", id: "listAccessTokens", tag: "Access tokens",
		summary: "List the access tokens, without their secrets",
	}, func(ctx context.Context, in *Paging) (*listing[AccessToken], error) {
		tokens, err := a.identity.AccessTokens(ctx, caller(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return paginate(in, tokens, shapeToken, func(t identity.AccessToken) string { return string(t.ID) })
	})
	register(api, route{
		method: http.MethodPost, path: "/access-tokens", id: "mintAccessToken", tag: "Access tokens", access: accessSession,
		summary: "Create an access token", status: http.StatusCreated, secret: true, body: transport.JSONBody, limit: authBody,
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, a.mintToken)
	register(api, route{
		needs: writeAccess, method: http.MethodDelete, path: "/access-tokens/{id}", id: "revokeAccessToken", tag: "Access tokens",
		summary: "Revoke an access token", refusals: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}, func(ctx context.Context, in *DeleteOf[journal.TokenID]) (*nothing, error) {
		check := transport.IfMatch(in.IfMatch, func(t identity.AccessToken) any { return shapeToken(t) })
		return nil, a.identity.RevokeAccessToken(ctx, caller(ctx), client(ctx), in.ID, check)
	})
	registerList(api, route{
		needs: readAccess, method: http.MethodGet, path: "/access-tokens/{id}/uses", id: "listAccessTokenUses", tag: "Access tokens",
		summary: "List the uses of a token", about: "The newest 50. Empty for a token that is not yours.",
	}, a.listUses)
}

type usesQuery struct {
	ByID[journal.TokenID]
	Paging
}

func (a tokenAPI) listUses(ctx context.Context, in *usesQuery) (*listing[tokenUse], error) {
	uses, err := a.identity.AccessTokenUses(ctx, caller(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	return paginate(&in.Paging, uses, func(u identity.TokenUse) tokenUse { return tokenUse(u) },
		func(u identity.TokenUse) string { return strings.Join(timeKeys(u.UsedAt, u.IP+" "+u.UserAgent), " ") })
}

// mintedAnswer carries the tag of the stored token, without the secret, so the answer's
// tag works in If-Match.
type mintedAnswer struct {
	ETag string `header:"ETag"`
	Body mintedToken
}

func (a tokenAPI) mintToken(ctx context.Context, in *body[tokenRequest]) (*mintedAnswer, error) {
	for _, id := range in.Body.AccountIDs.Value {
		if _, err := a.ledger.Account(ctx, caller(ctx).UserID, id); err != nil {
			return nil, err
		}
	}
	minted, secret, err := a.identity.MintAccessToken(ctx, caller(ctx), client(ctx), in.Body.token())
	if err != nil {
		return nil, err
	}
	tag, err := transport.ETag(shapeToken(minted))
	return &mintedAnswer{ETag: tag, Body: mintedToken{shapeToken(minted), secret.Reveal()}}, err
}
