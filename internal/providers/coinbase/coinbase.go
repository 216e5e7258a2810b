// Package coinbase fetches fills from Coinbase Advanced Trade: coin pairs, futures and
// perpetuals.
//
// The client was written from Coinbase's documentation and tested against our own server.
// It was never tried against Coinbase.
package coinbase

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	keyField    = "api_key"
	secretField = "api_secret"
)

const (
	host            = "api.coinbase.com"
	prefix          = "/api/v3/brokerage/"
	permissionsPath = prefix + "key_permissions"
	fillsPath       = prefix + "orders/historical/fills"
	productsPath    = prefix + "products/"
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "coinbase",
		Title:  "Coinbase Advanced",
		Covers: "Fills of Advanced Trade: coins, futures and perpetuals, with their fees",
		Notes: "A key reads the fills of one portfolio, without deposits, withdrawals, rewards, and simple buys and sells. " +
			"The statement file of Coinbase has other ids: do not import it for the same time, or fills are stored twice.",
		Steps: []string{
			"Sign in at portal.cdp.coinbase.com and open API keys, then the tab Secret API keys.",
			"Choose Create API key and name it Fillbook.",
			"Under API restrictions choose the portfolio and tick only View.",
			"Under Advanced settings keep either signature algorithm.",
			"Choose Create API key. Copy the name of the key and the private key into the fields here.",
		},
		Hosts: []string{host},
		Calls: connector.Gets(permissionsPath, fillsPath, productsPath+"*"),
		Fields: []remote.Field{
			{Name: keyField, Title: "Name of the API key", Help: "It begins with organizations/, or is the ID of the key."},
			{Name: secretField, Title: "Private key", Help: "The whole text, with its first and last line if it has any.", IsSecret: true, IsMultiline: true},
		},
		RequestsPerMinute: 600, // the limit is 30 a second
		Delay:             time.Minute,
		Overlap:           24 * time.Hour,
		ListsAll:          true,
		Rights:            connector.RightsChecked,
	}
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var key struct {
		CanView       remote.Member[bool] `json:"can_view"`
		CanTrade      remote.Member[bool] `json:"can_trade"`
		CanTransfer   remote.Member[bool] `json:"can_transfer"`
		Portfolio     string              `json:"portfolio_uuid"`
		PortfolioType string              `json:"portfolio_type"`
	}
	if err := call(ctx, session, permissionsPath, nil, &key); err != nil {
		return connector.Identity{}, err
	}
	switch {
	case !key.CanView.IsPresent || !key.CanTrade.IsPresent || !key.CanTransfer.IsPresent || key.Portfolio == "":
		return connector.Identity{}, remote.Malformed("it has no rights or no portfolio")
	case !key.CanView.Value:
		return connector.Identity{}, connector.SetupError("The key cannot read the portfolio. Make a new one at Coinbase with the right View.")
	}
	return connector.Identity{
		Account:     key.Portfolio,
		Name:        fmt.Sprintf("Portfolio %s (%s)", key.Portfolio, strings.ToLower(key.PortfolioType)),
		CanTrade:    key.CanTrade.Value,
		CanWithdraw: key.CanTransfer.Value,
	}, nil
}

// call sends a request with its own token and decodes the answer.
func call(ctx context.Context, session *remote.Session, path string, parameters map[string]string, into any) error {
	key, err := parseKey(session.Value(secretField))
	if err != nil {
		return err
	}
	var signedAt time.Time
	var failure error
	err = session.Fetch(ctx, remote.Request{
		Address:    "https://" + host + path,
		Parameters: parameters,
		Sign: func(request *http.Request, _ []byte) {
			signedAt = session.ProviderNow()
			var token string
			token, failure = newToken(key, session.Value(keyField), http.MethodGet+" "+host+request.URL.Path, signedAt.Add(-tokenMargin))
			request.Header.Set("Authorization", "Bearer "+token)
		},
		Classify: func(a remote.Answer) error { return classify(a, signedAt) },
	}, into)
	if failure != nil {
		return fmt.Errorf("signing a request: %w", failure)
	}
	return err
}

// maxSkew is how much a token's time may differ from that of an answer, which has whole
// seconds.
const maxSkew = 2 * time.Second

// classify returns an answer's error. Coinbase refuses a token for another time as it
// refuses a wrong key.
func classify(a remote.Answer, signedAt time.Time) error {
	at, err := http.ParseTime(a.Header.Get("Date"))
	if a.Status == http.StatusUnauthorized && err == nil && at.Sub(signedAt).Abs() > maxSkew {
		return remote.ErrClock
	}
	return nil
}
