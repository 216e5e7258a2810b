package httpapi

import (
	"net/url"
	"slices"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

// permission is what a route does, as far as access tokens are concerned. A route
// declares it once, and it decides which token scopes may call the route.
type permission string

const (
	readFigures        permission = "read figures"
	readNames          permission = "read names"    // setups and tags
	readAccounts       permission = "read accounts" // their names
	readBars           permission = "read bars"
	readImports        permission = "read imports"      // an import token sees its own
	readLayouts        permission = "read layouts"      // import layouts
	uploadFiles        permission = "upload files"      // trade and bar files
	readJournal        permission = "read the journal"  // everything else to see
	writeJournal       permission = "write the journal" // everything else to change
	eraseHistory       permission = "erase history"
	readLinks          permission = "read share links"
	writeLinks         permission = "change share links"
	readSources        permission = "read sources"     // bar sources, which have provider keys
	writeSources       permission = "change sources"   // and run them, which may cost money
	readConnections    permission = "read connections" // they have broker keys
	writeConnections   permission = "change connections"
	readHooks          permission = "read hooks"
	writeHooks         permission = "change hooks" // their secrets let programs add fills
	readAlertSettings  permission = "read alert settings"
	writeAlertSettings permission = "change alert settings" // they choose the channels
	useChannels        permission = "use channels"          // they send the journal's events to others
	readAccess         permission = "read access"           // sessions and access tokens
	writeAccess        permission = "revoke access"         // sessions and access tokens
	readAdmin          permission = "read administration"
	writeAdmin         permission = "administer"
)

// grant is who has a permission.
type grant struct {
	// scopes are access token scopes, the weakest first.
	scopes []identity.Scope
	// everyAccount: a token limited to accounts does not have the permission, because it
	// concerns the user and not accounts.
	everyAccount bool
	// namesOnly: a token with scope analytics gets only ids and names.
	namesOnly bool
	// refused are the query parameters forbidden to a token with scope analytics: they
	// would confirm the trader's texts, and ids of hidden records.
	refused []string
	// about is a further sentence for the description.
	about string
}

// grants are the only place with the rights of each scope.
var grants = map[permission]grant{
	readFigures: {
		scopes:  []identity.Scope{identity.ScopeAnalytics, identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull},
		refused: []string{"q", "emotional_state", "rule", "trade_id", "import_batch_id", "view_id"},
		about:   " With analytics, trade ids and links to trades are empty.",
	},
	readNames: {
		scopes:    []identity.Scope{identity.ScopeAnalytics, identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull},
		namesOnly: true, about: " With analytics, records have id and name only.",
	},
	readAccounts: {scopes: identity.Scopes(), namesOnly: true, about: " With analytics, records have id and name only."},
	readBars:     {scopes: []identity.Scope{identity.ScopeAnalytics, identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull}},
	readImports: {
		scopes: []identity.Scope{identity.ScopeImport, identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull},
		about:  " With import, only imports that the token made.",
	},
	readLayouts:        {scopes: []identity.Scope{identity.ScopeImport, identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull}},
	uploadFiles:        {scopes: []identity.Scope{identity.ScopeImport, identity.ScopeWrite, identity.ScopeFull}},
	readJournal:        {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeWrite, identity.ScopeFull}},
	writeJournal:       {scopes: []identity.Scope{identity.ScopeWrite, identity.ScopeFull}},
	eraseHistory:       {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
	readLinks:          {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}},
	writeLinks:         {scopes: []identity.Scope{identity.ScopeFull}},
	readSources:        {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}, everyAccount: true},
	writeSources:       {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
	readConnections:    {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}},
	writeConnections:   {scopes: []identity.Scope{identity.ScopeFull}},
	readHooks:          {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}},
	writeHooks:         {scopes: []identity.Scope{identity.ScopeFull}},
	readAlertSettings:  {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}},
	writeAlertSettings: {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
	useChannels:        {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
	readAccess:         {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}, everyAccount: true},
	writeAccess:        {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
	readAdmin:          {scopes: []identity.Scope{identity.ScopeRead, identity.ScopeFull}, everyAccount: true},
	writeAdmin:         {scopes: []identity.Scope{identity.ScopeFull}, everyAccount: true},
}

// requirePermission panics if a route for access tokens does not declare what it does, or
// if another declares it.
func (r route) requirePermission() {
	_, known := grants[r.needs]
	if byToken := r.access == accessUser || r.access == accessOwner; known != byToken {
		panic(r.id + ": routes for access tokens, and no others, declare what they need")
	}
}

// scopes returns the token scopes that may call the route.
func (r route) scopes() []identity.Scope { return grants[r.needs].scopes }

// checkToken returns an error if the caller's access token may not call the route with
// the query.
func (r route) checkToken(caller identity.Principal, query url.Values) error {
	if caller.Credential != identity.CredentialToken {
		return nil
	}
	if !slices.Contains(r.scopes(), caller.Scope) {
		return identity.InsufficientScope(caller.Scope, r.scopes(), "")
	}
	if parameter := r.findRefused(query); caller.Scope == identity.ScopeAnalytics && parameter != "" {
		others := slices.DeleteFunc(slices.Clone(r.scopes()), func(s identity.Scope) bool { return s == caller.Scope })
		return identity.InsufficientScope(caller.Scope, others, parameter)
	}
	if caller.Accounts != nil && (r.everyAccount || grants[r.needs].everyAccount) {
		return needsEveryAccount()
	}
	return nil
}

// needsEveryAccount returns the refusal for a token limited to accounts.
func needsEveryAccount() error {
	return journal.Forbidden("This access token is limited to some accounts. What concerns all accounts needs a token without that limit.")
}

// findRefused returns a query parameter forbidden to a token with scope analytics, or "".
// Empty values are ignored, as everywhere.
func (r route) findRefused(query url.Values) string {
	for _, name := range grants[r.needs].refused {
		if slices.ContainsFunc(query[name], func(value string) bool { return value != "" }) {
			return name
		}
	}
	return ""
}

// hidesTrades reports whether figures must not identify single trades to the caller, by
// id or by link.
func hidesTrades(caller identity.Principal) bool { return caller.Scope == identity.ScopeAnalytics }

// showsNamesOnly reports whether the route answers only with ids and names.
func (r route) showsNamesOnly(caller identity.Principal) bool {
	return caller.Scope == identity.ScopeAnalytics && grants[r.needs].namesOnly
}

// describeAccess returns the sentence about access tokens in the route's description.
func (r route) describeAccess() string {
	if r.access == accessPublic {
		return ""
	}
	if r.access == accessSession {
		return "Access tokens cannot call it."
	}
	names := make([]string, len(r.scopes()))
	for i, scope := range r.scopes() {
		names[i] = string(scope)
	}
	text := "Scopes of access tokens: " + strings.Join(names, ", ") + "." + grants[r.needs].about
	if refused := grants[r.needs].refused; len(refused) > 0 {
		text += " Parameters that analytics cannot use, because they test texts or ids of records: " + strings.Join(refused, ", ") + "."
	}
	if r.everyAccount || grants[r.needs].everyAccount {
		text += " Not for tokens that are limited to accounts."
	}
	return text
}
