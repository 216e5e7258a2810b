package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

type me struct {
	ID          journal.PublicID `json:"id"`
	Email       string           `json:"email" format:"email"`
	IsAdmin     bool             `json:"is_admin"`
	CreatedAt   time.Time        `json:"created_at"`
	TOTPEnabled bool             `json:"totp_enabled"`
}

type passwordChange struct {
	Current secrets.Secret `json:"current_password"`
	Next    secrets.Secret `json:"new_password"`
}

type totpCandidate struct {
	Secret string `json:"secret" doc:"Base32, for typing into an authenticator."`
	URL    string `json:"otpauth_url" doc:"The same as an otpauth:// URL, for a QR code."`
}

type totpConfirmation struct {
	Secret secrets.Secret `json:"secret"`
	Code   secrets.Secret `json:"code"`
}

type totpRemoval struct {
	Password secrets.Secret `json:"password"`
	Code     secrets.Secret `json:"code"`
}

type preferences struct {
	Prefs     map[string]json.RawMessage `json:"prefs" doc:"The server does not interpret the values. Empty until one is stored."`
	UpdatedAt *time.Time                 `json:"updated_at"`
}

func shapePreferences(p identity.Preferences) preferences { return preferences{p.Values, p.UpdatedAt} }

// meAPI has the operations on the signed-in user and their sessions.
type meAPI struct {
	identity *identity.Service
}

func (a meAPI) register(api *API) {
	register(api, route{
		needs: readJournal, method: http.MethodGet, path: "/me", id: "getMe", tag: "Me", summary: "Read the signed-in user",
	}, func(ctx context.Context, _ *nothing) (*body[me], error) {
		u := caller(ctx)
		return answer(me{ID: u.PublicID, Email: u.Email, IsAdmin: u.IsAdmin, CreatedAt: u.CreatedAt, TOTPEnabled: u.TOTPEnabled}, nil)
	})
	register(api, route{
		method: http.MethodPut, path: "/me/password", id: "changePassword", tag: "Me", access: accessSession,
		summary: "Change the password and sign out every other device", secret: true,
		body: transport.JSONBody, limit: authBody, limitKind: secretLimit, refusals: []int{http.StatusConflict},
	}, func(ctx context.Context, in *body[passwordChange]) (*body[TokenPair], error) {
		pair, err := a.identity.ChangePassword(ctx, caller(ctx), client(ctx), in.Body.Current, in.Body.Next)
		return answer(shapePair(pair), err)
	})
	a.registerTOTPRoutes(api)
	a.registerPreferenceRoutes(api)
	a.registerSessionRoutes(api)
}

func (a meAPI) registerTOTPRoutes(api *API) {
	second := func(path, id, summary string) route {
		return route{
			method: http.MethodPost, path: "/me/totp/" + path, id: id, tag: "Me", access: accessSession, secret: true,
			summary: summary, body: transport.JSONBody, limit: authBody, limitKind: secretLimit, refusals: []int{http.StatusConflict},
		}
	}
	start := second("start", "startTOTP", "Create a secret for the second factor; nothing is stored yet")
	start.body, start.limitKind = transport.NoBody, unlimited
	register(api, start, func(ctx context.Context, _ *nothing) (*body[totpCandidate], error) {
		candidate, err := a.identity.StartTOTP(ctx, caller(ctx).UserID)
		return answer(totpCandidate(candidate), err)
	})
	register(api, second("confirm", "confirmTOTP", "Turn on the second factor with a code"),
		func(ctx context.Context, in *body[totpConfirmation]) (*nothing, error) {
			return nil, a.identity.ConfirmTOTP(ctx, caller(ctx), client(ctx), in.Body.Secret, in.Body.Code)
		})
	register(api, second("disable", "disableTOTP", "Turn off the second factor with password and code"),
		func(ctx context.Context, in *body[totpRemoval]) (*nothing, error) {
			return nil, a.identity.DisableTOTP(ctx, caller(ctx), client(ctx), in.Body.Password, in.Body.Code)
		})
}

func (a meAPI) registerPreferenceRoutes(api *API) {
	register(api, route{
		needs: readJournal, method: http.MethodGet, path: "/me/preferences", id: "getPreferences", tag: "Me",
		summary: "Read the preferences of this user",
	}, func(ctx context.Context, _ *nothing) (*body[preferences], error) {
		stored, err := a.identity.Preferences(ctx, caller(ctx).UserID)
		return answer(shapePreferences(stored), err)
	})
	register(api, route{
		needs: writeJournal, method: http.MethodPatch, path: "/me/preferences", id: "mergePreferences", tag: "Me",
		summary: "Set some preferences; the others stay as they are", about: "An explicit null is stored as null.",
		body: transport.JSONBody, limit: prefsBody, refusals: []int{http.StatusPreconditionFailed},
	}, a.mergePreferences)
}

type preferencesChange struct {
	Precondition
	Body map[string]json.RawMessage
}

func (a meAPI) mergePreferences(ctx context.Context, in *preferencesChange) (*nothing, error) {
	check := transport.IfMatch(in.IfMatch, func(p identity.Preferences) any { return shapePreferences(p) })
	return nil, a.identity.MergePreferences(ctx, caller(ctx).UserID, in.Body, check)
}

type device struct {
	ID         journal.SessionID `json:"id"`
	CreatedAt  time.Time         `json:"created_at"`
	LastUsedAt time.Time         `json:"last_used_at"`
	ExpiresAt  time.Time         `json:"expires_at"`
	IP         string            `json:"ip"`
	UserAgent  string            `json:"user_agent"`
	Current    bool              `json:"current" doc:"Whether this is the session of the request."`
}

func shapeSession(s identity.Session, by identity.Principal) device {
	return device{
		ID: s.ID, CreatedAt: s.CreatedAt, LastUsedAt: s.LastUsedAt, ExpiresAt: s.ExpiresAt, IP: s.IP, UserAgent: s.UserAgent,
		Current: s.ID == by.SessionID,
	}
}

func (a meAPI) registerSessionRoutes(api *API) {
	registerList(api, route{
		needs: readAccess, method: http.MethodGet, path: "/me/sessions", id: "listSessions", tag: "Me", summary: "List the signed-in devices",
	}, func(ctx context.Context, in *Paging) (*listing[device], error) {
		sessions, err := a.identity.Sessions(ctx, caller(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return paginate(in, sessions, func(s identity.Session) device { return shapeSession(s, caller(ctx)) }, func(s identity.Session) string { return string(s.ID) })
	})
	register(api, route{
		needs: writeAccess, method: http.MethodDelete, path: "/me/sessions/{id}", id: "endSession", tag: "Me",
		summary: "Sign out a device", refusals: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}, func(ctx context.Context, in *DeleteOf[journal.SessionID]) (*nothing, error) {
		check := transport.IfMatch(in.IfMatch, func(s identity.Session) any { return shapeSession(s, caller(ctx)) })
		return nil, a.identity.EndSession(ctx, caller(ctx), client(ctx), in.ID, check)
	})
}

// ByID is the input for an operation on one record.
type ByID[T ~string] struct {
	ID T `path:"id"`
}

// ChangeOf is the input for a conditional write to one record.
type ChangeOf[T ~string, B any] struct {
	ByID[T]
	Precondition
	Body B
}

// DeleteOf is the input for a conditional deletion.
type DeleteOf[T ~string] struct {
	ByID[T]
	Precondition
}

// Precondition is a write's condition.
type Precondition struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the record as you read it; 412 when it has changed since."`
}

// keepShape returns a record that is answered as stored.
func keepShape[T any](record T) T { return record }

func shapeAll[From, To any](list []From, shape func(From) To) []To {
	out := make([]To, len(list))
	for i, item := range list {
		out[i] = shape(item)
	}
	return out
}
