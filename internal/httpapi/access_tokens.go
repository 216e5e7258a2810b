package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/identity"
	"fillbook/internal/journal"
	"fillbook/internal/transport"
)

// AccessToken is a token as it is listed, without its secret.
type AccessToken struct {
	ID          journal.TokenID `json:"id"`
	Name        string          `json:"name"`
	TokenPrefix string          `json:"token_prefix"`
	Scope       string          `json:"scope" enum:"read,full"`
	CreatedAt   time.Time       `json:"created_at"`
	ExpiresAt   *time.Time      `json:"expires_at"`
	LastUsedAt  *time.Time      `json:"last_used_at"`
}

type mintedToken struct {
	AccessToken
	Token string `json:"token" doc:"The secret. It is shown here once and never again."`
}

type tokenRequest struct {
	Name          string       `json:"name"`
	ExpiresInDays opt[integer] `json:"expires_in_days" required:"false" doc:"30, 90 or 365; without it the token never expires."`
	Scope         string       `json:"scope" required:"false" enum:"read,full" doc:"A read token gets 403 on writes. Default full."`
}

type tokenUse struct {
	UsedAt    time.Time `json:"used_at"`
	IP        string    `json:"ip"`
	UserAgent string    `json:"user_agent"`
}

func shapeToken(t identity.AccessToken) AccessToken {
	return AccessToken{
		ID: t.ID, Name: t.Name, TokenPrefix: t.Prefix, Scope: t.Scope, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
		LastUsedAt: t.LastUsedAt,
	}
}

func (a *API) registerAccessTokenRoutes() {
	registerList(a, route{
		method: http.MethodGet, path: "/access-tokens", id: "listAccessTokens", tag: "Access tokens",
		summary: "List the access tokens, without their secrets",
	}, func(ctx context.Context, in *Paging) (*listing[AccessToken], error) {
		tokens, err := a.Identity.AccessTokens(ctx, caller(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return paginate(in, tokens, shapeToken, func(t identity.AccessToken) string { return string(t.ID) })
	})
	register(a, route{
		method: http.MethodPost, path: "/access-tokens", id: "mintAccessToken", tag: "Access tokens", access: accessSession,
		summary: "Create an access token", status: http.StatusCreated, secret: true, body: transport.JSONBody, limit: authBody,
	}, a.mintToken)
	register(a, route{
		method: http.MethodDelete, path: "/access-tokens/{id}", id: "revokeAccessToken", tag: "Access tokens",
		summary: "Revoke an access token", refusals: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}, func(ctx context.Context, in *DeleteOf[journal.TokenID]) (*nothing, error) {
		check := transport.IfMatch(in.IfMatch, func(t identity.AccessToken) any { return shapeToken(t) })
		return nil, a.Identity.RevokeAccessToken(ctx, caller(ctx), client(ctx), in.ID, check)
	})
	registerList(a, route{
		method: http.MethodGet, path: "/access-tokens/{id}/uses", id: "listAccessTokenUses", tag: "Access tokens",
		summary: "List the uses of a token", about: "The newest 50. Empty for a token that is not yours.",
	}, a.listUses)
}

type usesQuery struct {
	ByID[journal.TokenID]
	Paging
}

func (a *API) listUses(ctx context.Context, in *usesQuery) (*listing[tokenUse], error) {
	uses, err := a.Identity.AccessTokenUses(ctx, caller(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	return paginate(&in.Paging, uses, func(u identity.TokenUse) tokenUse { return tokenUse(u) },
		func(u identity.TokenUse) string { return strings.Join(timeKeys(u.UsedAt, u.IP+" "+u.UserAgent), " ") })
}

// mintedAnswer carries the tag of the token as it is stored, without the
// secret, so that the tag of the answer works in If-Match.
type mintedAnswer struct {
	ETag string `header:"ETag"`
	Body mintedToken
}

func (a *API) mintToken(ctx context.Context, in *body[tokenRequest]) (*mintedAnswer, error) {
	var days *int
	if in.Body.ExpiresInDays.Set && !in.Body.ExpiresInDays.Null {
		n := int(in.Body.ExpiresInDays.Value)
		days = &n
	}
	minted, secret, err := a.Identity.MintAccessToken(ctx, caller(ctx), client(ctx), in.Body.Name, days, in.Body.Scope)
	if err != nil {
		return nil, err
	}
	tag, err := transport.ETag(shapeToken(minted))
	return &mintedAnswer{ETag: tag, Body: mintedToken{shapeToken(minted), secret.Reveal()}}, err
}
