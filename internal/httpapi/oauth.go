package httpapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// The limits of OAuth: requests from an address, and apps that register from one.
var (
	oauthRate    = transport.Rate{PerSecond: 1, Burst: 60}
	registerRate = transport.Rate{PerSecond: 10. / 3600, Burst: 10}
)

// oauthServer lets apps get access tokens for assistants through OAuth: as the authorization
// server of RFC 6749 with PKCE, for public clients. See ADR 33.
type oauthServer struct {
	api      *API
	identity *identity.Service
	clients  *appClients
	issuer   string // the public URL
}

// offersOAuth reports whether apps can ask for access. Without it, nothing advertises it.
func (a *API) offersOAuth() bool {
	return a.options.Assistants && a.options.AssistantOAuth && a.options.PublicURL != ""
}

func (a *API) issuer() string { return strings.TrimRight(a.options.PublicURL, "/") }

// registerOAuth adds the endpoints for apps. If they are off, they do not exist.
func (a *API) registerOAuth() {
	if !a.offersOAuth() {
		for _, path := range []string{"/oauth/", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/"} {
			a.handlePlain(path, writePathNotFound)
		}
		return
	}
	s := &oauthServer{api: a, identity: a.Identity, clients: a.appClients, issuer: a.issuer()}
	limit := transport.NewLimiter(oauthRate, a.Clock)
	registrations := transport.NewLimiter(registerRate, a.Clock)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		a.mux.Handle(path, s.open(path, http.MethodGet, nil, s.describeServer))
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource" + assistantsPath} {
		a.mux.Handle(path, s.open(path, http.MethodGet, nil, s.describeResource))
	}
	a.handlePlain("/oauth/", writePathNotFound)
	a.mux.Handle("GET /oauth/authorize", transport.Chain(http.HandlerFunc(s.authorize), withRouteName("GET /oauth/authorize"), limit.ByAddress()))
	a.mux.Handle("/oauth/token", s.open("/oauth/token", http.MethodPost, limit, s.token))
	a.mux.Handle("/oauth/revoke", s.open("/oauth/revoke", http.MethodPost, limit, s.revoke))
	a.mux.Handle("/oauth/register", s.open("/oauth/register", http.MethodPost, registrations, s.register))
}

// open returns the handler of an endpoint that pages of all sites may call: it uses no
// cookies, and apps can run in a browser.
func (s *oauthServer) open(name, method string, limit *transport.Limiter, handler http.HandlerFunc) http.Handler {
	body := transport.NoBody
	if method == http.MethodPost {
		body = transport.RawBody
	}
	intake := transport.Intake{Body: body, Limit: publicBody, Spool: s.api.spool, Budget: s.api.bodies}
	chain := []transport.Middleware{withRouteName(name), intake.Middleware()}
	if limit != nil {
		chain = slices.Insert(chain, 1, limit.ByAddress())
	}
	limited := transport.Chain(handler, chain...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cache-Control", "no-store")
		switch {
		case r.Method == http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", method)
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
		case r.Method != method && !(method == http.MethodGet && r.Method == http.MethodHead):
			h.Set("Allow", method)
			transport.WriteRefusal(w, http.StatusMethodNotAllowed, "method_not_allowed", "This path supports "+method+" only.")
		default:
			limited.ServeHTTP(w, r)
		}
	})
}

// serverMetadata describes the authorization server (RFC 8414).
type serverMetadata struct {
	Issuer                string           `json:"issuer"`
	AuthorizationEndpoint string           `json:"authorization_endpoint"`
	TokenEndpoint         string           `json:"token_endpoint"`
	RegistrationEndpoint  string           `json:"registration_endpoint"`
	RevocationEndpoint    string           `json:"revocation_endpoint"`
	Scopes                []identity.Scope `json:"scopes_supported"`
	ResponseTypes         []string         `json:"response_types_supported"`
	ResponseModes         []string         `json:"response_modes_supported"`
	GrantTypes            []string         `json:"grant_types_supported"`
	TokenMethods          []string         `json:"token_endpoint_auth_methods_supported"`
	RevocationMethods     []string         `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods      []string         `json:"code_challenge_methods_supported"`
	SendsIssuer           bool             `json:"authorization_response_iss_parameter_supported"`
	ReadsDocuments        bool             `json:"client_id_metadata_document_supported"`
	Documentation         string           `json:"service_documentation"`
}

func (s *oauthServer) describeServer(w http.ResponseWriter, _ *http.Request) {
	public := []string{"none"}
	writeJSON(w, serverMetadata{
		Issuer: s.issuer, AuthorizationEndpoint: s.issuer + "/oauth/authorize", TokenEndpoint: s.issuer + "/oauth/token",
		RegistrationEndpoint: s.issuer + "/oauth/register", RevocationEndpoint: s.issuer + "/oauth/revoke",
		Scopes: identity.AppScopes(), ResponseTypes: []string{"code"}, ResponseModes: []string{"query"}, GrantTypes: grantTypes,
		TokenMethods: public, RevocationMethods: public, ChallengeMethods: []string{"S256"}, SendsIssuer: true,
		ReadsDocuments: s.clients.documents.Enabled(), Documentation: s.issuer + "/guide/ask-an-assistant",
	})
}

var grantTypes = []string{"authorization_code", "refresh_token"}

// resourceMetadata describes what the tokens are for (RFC 9728).
type resourceMetadata struct {
	Resource string           `json:"resource"`
	Servers  []string         `json:"authorization_servers"`
	Scopes   []identity.Scope `json:"scopes_supported"`
	Methods  []string         `json:"bearer_methods_supported"`
	Name     string           `json:"resource_name"`
}

func (s *oauthServer) describeResource(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, resourceMetadata{
		Resource: s.resource(), Servers: []string{s.issuer}, Scopes: identity.AppScopes(), Methods: []string{"header"}, Name: "Fillbook",
	})
}

// resource identifies what the tokens are for: the endpoint of assistants.
func (s *oauthServer) resource() string { return s.issuer + assistantsPath }

// challengeApp adds to a refusal of the endpoint for assistants where an app can ask for
// access. A program with a personal token is not told: it would begin to ask.
func (a *API) challengeApp(refusal transport.Refusal, r *http.Request) transport.Refusal {
	token, _ := parseBearer(r.Header.Values("Authorization"))
	if refusal.Status != http.StatusUnauthorized || !a.offersOAuth() || identity.IsPersonalToken(token) {
		return refusal
	}
	challenge := `Bearer realm="fillbook", resource_metadata="` + a.issuer() + `/.well-known/oauth-protected-resource` + assistantsPath + `"`
	if token != "" {
		challenge += `, error="invalid_token"`
	}
	refusal.Headers.Set("WWW-Authenticate", challenge)
	return refusal
}

// accessRequest is an app's request for access. It is not stored: request_id is its sealed
// text.
type accessRequest struct {
	ID          string         `json:"id"`
	At          time.Time      `json:"at"`
	ClientID    string         `json:"client_id"`
	ClientName  string         `json:"client_name"`
	RedirectURI string         `json:"redirect_uri"`
	State       string         `json:"state"`
	Challenge   string         `json:"challenge"`
	Scope       identity.Scope `json:"scope"`
}

const (
	accessRequestLabel    = "oauth request"
	accessRequestLifetime = 10 * time.Minute
	maxRequestID          = 7000 // a query with it is shorter than the limit of queries
	maxState              = 2000
	consentPath           = "/connect-app"
)

// seal returns the request's id for the page.
func (q accessRequest) seal(keys *secrets.Keys) (string, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	sealed, err := keys.Seal(accessRequestLabel, "", text)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// openRequest returns the request with an id, if it has not expired.
func openRequest(keys *secrets.Keys, id string, now time.Time) (accessRequest, error) {
	unknown := journal.NotFound("request")
	unknown.Message = "This request is unknown or has expired. Start again in the app."
	var q accessRequest
	sealed, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(id) > maxRequestID {
		return q, unknown
	}
	text, err := keys.Open(accessRequestLabel, "", sealed)
	if err != nil {
		return q, unknown
	}
	if err := json.Unmarshal(text, &q); err != nil {
		return q, err
	}
	if now.Sub(q.At).Abs() >= accessRequestLifetime {
		return q, unknown
	}
	return q, nil
}

// redirectTo returns the app's address with parameters of an answer.
func redirectTo(redirectURI, state, issuer string, answer url.Values) string {
	to, err := url.Parse(redirectURI)
	if err != nil { // it was checked before
		return redirectURI
	}
	if state != "" {
		answer.Set("state", state)
	}
	answer.Set("iss", issuer)
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += answer.Encode()
	return to.String()
}

// authorize answers the browser that an app sent: it goes on to the page, or back to the app
// with an error. A request of an unknown app goes nowhere.
func (s *oauthServer) authorize(w http.ResponseWriter, r *http.Request) {
	// The app may have opened a window and wait for its end.
	w.Header().Set("Cross-Origin-Opener-Policy", "unsafe-none")
	w.Header().Set("Cache-Control", "no-store")
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(query["client_id"]) > 1 || len(query["redirect_uri"]) > 1 {
		writeAuthorizeError(w, "The address of the request is malformed.")
		return
	}
	app, err := s.clients.find(r.Context(), query.Get("client_id"))
	if refused, isRefusal := errors.AsType[*identity.AppRefusal](err); isRefusal {
		writeAuthorizeError(w, refused.Message)
		return
	}
	if err != nil {
		transport.WriteError(w, r, err)
		return
	}
	redirectURI := query.Get("redirect_uri")
	if !slices.ContainsFunc(app.RedirectURIs, func(known string) bool { return matchesRedirect(known, redirectURI) }) {
		writeAuthorizeError(w, "The app wants to continue at an address that it has not registered.")
		return
	}
	request := accessRequest{
		ID: journal.NewID[string](), At: s.api.Clock(), ClientID: app.ID, ClientName: cmp.Or(app.Name, redirectHost(redirectURI)), RedirectURI: redirectURI,
		State: query.Get("state"), Challenge: query.Get("code_challenge"), Scope: requestedScope(query.Get("scope")),
	}
	var id string
	refusal := s.checkAuthorize(query)
	if refusal == nil {
		if id, err = request.seal(s.api.Keys); err != nil {
			transport.WriteError(w, r, err)
			return
		}
		if len(id) > maxRequestID {
			refusal = &identity.AppRefusal{Code: "invalid_request", Message: "The request is too long."}
		}
	}
	to := consentPath + "?request_id=" + id
	if refusal != nil {
		answer := url.Values{"error": {refusal.Code}, "error_description": {refusal.Message}}
		to = redirectTo(redirectURI, query.Get("state"), s.issuer, answer)
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// checkAuthorize returns the reason why an app cannot ask for access in this way, or nil.
func (s *oauthServer) checkAuthorize(query url.Values) *identity.AppRefusal {
	for name, values := range query {
		if len(values) > 1 {
			return &identity.AppRefusal{Code: "invalid_request", Message: strconv.Quote(name) + " is given twice."}
		}
	}
	switch resource := query.Get("resource"); {
	case query.Get("response_type") != "code":
		return &identity.AppRefusal{Code: "unsupported_response_type", Message: "response_type must be code."}
	case query.Get("code_challenge_method") != "S256" || !isChallenge(query.Get("code_challenge")):
		return &identity.AppRefusal{Code: "invalid_request", Message: "code_challenge with code_challenge_method S256 is required."}
	case resource != "" && resource != s.resource():
		return &identity.AppRefusal{Code: "invalid_target", Message: "resource must be " + s.resource() + "."}
	case len(query.Get("state")) > maxState:
		return &identity.AppRefusal{Code: "invalid_request", Message: "state is too long."}
	}
	return nil
}

// isChallenge reports whether a text is a SHA-256 in base64url.
func isChallenge(text string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(sum) == 32
}

// requestedScope returns the widest known scope in a list, or read if it has none.
func requestedScope(list string) identity.Scope {
	named := strings.Fields(list)
	for _, scope := range slices.Backward(identity.AppScopes()) {
		if slices.Contains(named, string(scope)) {
			return scope
		}
	}
	return identity.ScopeRead
}

// writeAuthorizeError shows a person why an app cannot be connected.
func writeAuthorizeError(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, "<!doctype html><html lang=en><title>Fillbook</title><h1>This app can’t be connected</h1><p>%s</p>", html.EscapeString(message))
}

// tokenAnswer is the answer of RFC 6749, section 5.1.
type tokenAnswer struct {
	AccessToken  string         `json:"access_token"`
	TokenType    string         `json:"token_type"`
	ExpiresIn    int64          `json:"expires_in"`
	RefreshToken string         `json:"refresh_token,omitempty"`
	Scope        identity.Scope `json:"scope"`
}

// token answers an app with its secrets for a code or a refresh token.
func (s *oauthServer) token(w http.ResponseWriter, r *http.Request) {
	form, clientID, err := s.readForm(r)
	if err == nil {
		err = s.checkClient(r, clientID)
	}
	if resource := form.Get("resource"); err == nil && resource != "" && resource != s.resource() {
		err = &identity.AppRefusal{Code: "invalid_target", Message: "resource must be " + s.resource() + "."}
	}
	var given identity.AppSecrets
	if err == nil {
		switch form.Get("grant_type") {
		case "authorization_code":
			given, err = s.identity.ExchangeCode(r.Context(), client(r.Context()), identity.CodeExchange{
				Code: secrets.Secret(form.Get("code")), Verifier: form.Get("code_verifier"),
				App: identity.TokenApp{ClientID: clientID, RedirectURI: form.Get("redirect_uri")},
			})
		case "refresh_token":
			given, err = s.identity.RefreshApp(r.Context(), client(r.Context()), secrets.Secret(form.Get("refresh_token")), clientID, strings.Fields(form.Get("scope")))
		default:
			err = &identity.AppRefusal{Code: "unsupported_grant_type", Message: "grant_type must be authorization_code or refresh_token."}
		}
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, tokenAnswer{
		AccessToken: given.Access.Reveal(), TokenType: "Bearer", ExpiresIn: int64(given.ExpiresIn.Seconds()),
		RefreshToken: given.Refresh.Reveal(), Scope: given.Scope,
	})
}

// revoke ends what an app may do (RFC 7009).
func (s *oauthServer) revoke(w http.ResponseWriter, r *http.Request) {
	form, clientID, err := s.readForm(r)
	if err == nil && form.Get("token") == "" {
		err = &identity.AppRefusal{Code: "invalid_request", Message: "token is missing."}
	}
	if err == nil {
		err = s.identity.RevokeApp(r.Context(), client(r.Context()), secrets.Secret(form.Get("token")), clientID)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// readForm returns a request's form, and the client's id from the form or from a Basic
// header without a password, which some clients send.
func (s *oauthServer) readForm(r *http.Request) (url.Values, string, error) {
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		return nil, "", &identity.AppRefusal{Code: "invalid_request", Message: "The body must be application/x-www-form-urlencoded."}
	}
	form, err := url.ParseQuery(string(transport.RawBodyOf(r.Context())))
	if err != nil {
		return nil, "", &identity.AppRefusal{Code: "invalid_request", Message: "The form is malformed."}
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, "", &identity.AppRefusal{Code: "invalid_request", Message: strconv.Quote(name) + " is given twice."}
		}
	}
	id := form.Get("client_id")
	if user, password, ok := r.BasicAuth(); ok && id == "" && password == "" {
		id, err = url.QueryUnescape(user)
	}
	if err != nil {
		return nil, "", &identity.AppRefusal{Code: "invalid_client", Message: "The Authorization header is malformed."}
	}
	return form, id, nil
}

// checkClient returns an error for an app without an id, and for one whose registration was
// deleted, so that it registers again.
func (s *oauthServer) checkClient(r *http.Request, id string) error {
	if id == "" {
		return &identity.AppRefusal{Code: "invalid_request", Message: "client_id is missing."}
	}
	if isDocumentID(id) {
		return nil
	}
	_, err := s.identity.RegisteredApp(r.Context(), id)
	if errors.Is(err, db.ErrNoRows) {
		return &identity.AppRefusal{Code: "invalid_client", Message: "The client is unknown. Register again."}
	}
	return err
}

// registration is an app's request and answer of RFC 7591. All apps are public clients: what
// they ask for beyond that is not granted.
type registration struct {
	ID            string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name,omitempty"`
	RedirectURIs  []string `json:"redirect_uris"`
	TokenMethod   string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

func (s *oauthServer) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name         string   `json:"client_name"`
		RedirectURIs []string `json:"redirect_uris"`
	}
	if err := transport.Unmarshal(transport.RawBodyOf(r.Context()), &in); err != nil {
		s.refuse(w, r, &identity.AppRefusal{Code: "invalid_client_metadata", Message: err.Error()})
		return
	}
	name, err := checkClientName(in.Name)
	if err == nil {
		err = checkRedirects(in.RedirectURIs)
	}
	var app identity.AppClient
	if err == nil {
		app, err = s.identity.RegisterApp(r.Context(), identity.AppClient{Name: name, RedirectURIs: in.RedirectURIs})
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	writeJSONStatus(w, http.StatusCreated, registration{
		ID: app.ID, IssuedAt: app.CreatedAt.Unix(), Name: app.Name, RedirectURIs: app.RedirectURIs,
		TokenMethod: "none", GrantTypes: grantTypes, ResponseTypes: []string{"code"},
	})
}

// oauthError is the error of RFC 6749, section 5.2.
type oauthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// refuse writes an error in the form that clients of OAuth read.
func (s *oauthServer) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if refused, ok := errors.AsType[*identity.AppRefusal](err); ok {
		status := http.StatusBadRequest
		if refused.Code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		writeJSONStatus(w, status, oauthError{refused.Code, refused.Message})
		return
	}
	transport.WriteError(w, r, err) // a fault of ours
}
