package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// setupStatus is what the page reads before it shows anything.
type setupStatus struct {
	NeedsSetup        bool `json:"needs_setup" doc:"No user exists yet: call POST /setup."`
	RegistrationOpen  bool `json:"registration_open" doc:"Whether anyone can use POST /auth/register."`
	UserCount         int  `json:"user_count"`
	MinPasswordLength int  `json:"min_password_length"`
}

// TokenPair is the answer to a sign-in.
type TokenPair struct {
	AccessToken  string `json:"access_token" doc:"A JWT for the Authorization header, valid for 15 minutes."`
	RefreshToken string `json:"refresh_token" doc:"Exchange it at POST /auth/refresh for a new pair. It works once."`
	IsAdmin      bool   `json:"is_admin"`
	TokenType    string `json:"token_type" example:"Bearer"`
	ExpiresIn    int    `json:"expires_in" doc:"Seconds until the access token expires." example:"900"`
}

func shapePair(pair identity.TokenPair) TokenPair {
	return TokenPair{
		AccessToken: pair.AccessToken.Reveal(), RefreshToken: pair.RefreshToken.Reveal(), IsAdmin: pair.IsAdmin,
		TokenType: "Bearer", ExpiresIn: int(identity.AccessTokenLifetime.Seconds()),
	}
}

// NewUser is a token pair with the created user.
type NewUser struct {
	TokenPair
	ID    journal.PublicID `json:"id"`
	Email string           `json:"email" format:"email"`
}

// Credentials are what a user signs in with.
type Credentials struct {
	Email    string         `json:"email" format:"email"`
	Password secrets.Secret `json:"password" doc:"At least min_password_length characters."`
}

type body[T any] struct {
	Body T
}

func answer[T any](value T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{Body: value}, nil
}

type nothing struct{}

// firstUserAPI has the operations for setting up an installation.
type firstUserAPI struct {
	identity *identity.Service
	clock    journal.Clock
}

func (a firstUserAPI) register(api *API) {
	register(api, route{
		method: http.MethodGet, path: "/setup/status", id: "getSetupStatus", tag: "Setup", access: accessPublic,
		summary: "Read whether the installation has been set up",
	}, func(ctx context.Context, _ *nothing) (*body[setupStatus], error) {
		status, err := a.identity.SetupStatus(ctx)
		return answer(setupStatus(status), err)
	})
	register(api, route{
		method: http.MethodPost, path: "/setup", id: "setUp", tag: "Setup", access: accessPublic, secret: true,
		summary: "Create the first user, who owns the installation", status: http.StatusCreated,
		body: transport.JSONBody, limit: publicBody, limitKind: authLimit, refusals: []int{http.StatusConflict},
	}, a.setUp)
}

type setupRequest struct {
	Credentials
	Account *accountFields `json:"account" required:"false" doc:"The first trading account, created in the same transaction."`
}

type setupAnswer struct {
	NewUser
	Account orNull[account] `json:"account"`
}

// setUp creates the first user and, in the same transaction, the first account.
func (a firstUserAPI) setUp(ctx context.Context, in *body[setupRequest]) (*body[setupAnswer], error) {
	var made *account
	created, pair, err := a.identity.Setup(ctx, client(ctx), in.Body.Email, in.Body.Password,
		func(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
			made = nil
			if in.Body.Account == nil {
				return nil
			}
			first, err := ledger.CreateAccount(ctx, tx, owner, a.clock(), in.Body.Account.create())
			shaped := shapeAccount(first)
			made = &shaped
			return err
		})
	return answer(setupAnswer{NewUser{shapePair(pair), created.PublicID, created.Email}, orNull[account]{made}}, err)
}
