package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// HookCounts are the outcomes for a delivery's fills.
type HookCounts struct {
	Accepted    int `json:"accepted" doc:"New fills, and fills that completed or corrected a stored one."`
	Skipped     int `json:"skipped" doc:"Fills that were stored before, or that you deleted."`
	Quarantined int `json:"quarantined" doc:"Fills that could not be stored. GET /hooks/{id}/quarantine has the reasons."`
}

type hookDelivery struct {
	At time.Time `json:"at"`
	HookCounts
}

// Hook is an address to which a program sends fills.
type Hook struct {
	ID           journal.HookID       `json:"id"`
	AccountID    journal.AccountID    `json:"account_id"`
	Name         string               `json:"name"`
	URL          string               `json:"url" doc:"The address to send fills to, without the secret."`
	CreatedAt    time.Time            `json:"created_at"`
	LastDelivery orNull[hookDelivery] `json:"last_delivery" doc:"What arrived last; null if nothing did."`
	Quarantined  int                  `json:"quarantined" doc:"How many fills are in the quarantine."`
}

// hookAPI has the operations on hooks.
type hookAPI struct {
	hooks     *hooks.Service
	publicURL string
}

func (a hookAPI) shapeHook(ctx context.Context, h hooks.Hook) Hook {
	shaped := Hook{
		ID: h.ID, AccountID: h.Account, Name: h.Name, URL: a.absoluteURL(ctx, prefix+"/hooks/"+string(h.ID)), CreatedAt: h.CreatedAt,
		Quarantined: h.Quarantined,
	}
	if h.Last != nil {
		shaped.LastDelivery = orNull[hookDelivery]{&hookDelivery{At: h.Last.At, HookCounts: HookCounts(h.Last.Counts)}}
	}
	return shaped
}

// absoluteURL returns a path's public address: from the settings, or else from the
// request.
func (a hookAPI) absoluteURL(ctx context.Context, path string) string {
	if a.publicURL != "" {
		return strings.TrimRight(a.publicURL, "/") + path
	}
	request := transport.RequestOf(ctx)
	scheme := "http://"
	if request.Secure {
		scheme = "https://"
	}
	return scheme + request.Host + path
}

type newHook struct {
	AccountID journal.AccountID `json:"account_id" doc:"The account that receives the fills."`
	Name      string            `json:"name"`
}

type createdHook struct {
	Hook
	Secret string `json:"secret" doc:"Shown once. Send it as Authorization: Bearer SECRET, or as ?secret=SECRET."`
}

// createdHookAnswer has the listed hook's tag, for If-Match.
type createdHookAnswer struct {
	ETag string `header:"ETag"`
	Body createdHook
}

type hookSecret struct {
	Secret string `json:"secret" doc:"Shown once. The one before it no longer works."`
}

// quarantineEntry is a delivery that could not be stored.
type quarantineEntry struct {
	ID         journal.QuarantineID `json:"id"`
	ReceivedAt time.Time            `json:"received_at"`
	Reason     string               `json:"reason"`
	Body       string               `json:"body" doc:"The fill as it was received, or the whole body if it could not be read. At most 4 KiB."`
}

// maxShownBody is how many bytes of a quarantined body are shown.
const maxShownBody = 4 << 10

func shapeEntry(e hooks.Entry) quarantineEntry {
	shown := e.Body[:min(len(e.Body), maxShownBody)]
	return quarantineEntry{ID: e.ID, ReceivedAt: e.ReceivedAt, Reason: e.Reason, Body: strings.ToValidUTF8(string(shown), "�")}
}

// EntryOf selects a quarantine entry.
type EntryOf struct {
	ByID[journal.HookID]
	Entry journal.QuarantineID `path:"entry"`
}

type quarantineQuery struct {
	ByID[journal.HookID]
	Paging
}

func hookActor(ctx context.Context) hooks.Actor {
	return hooks.Actor{Principal: caller(ctx), Client: client(ctx)}
}

func (a hookAPI) register(api *API) {
	route := func(method, path, id, summary string) route {
		needs := writeHooks
		if method == http.MethodGet {
			needs = readHooks
		}
		return journalRoute(needs, method, "/hooks"+path, id, "Hooks", summary)
	}
	registerList(api, route(http.MethodGet, "", "listHooks", "List your hooks, oldest first"),
		func(ctx context.Context, in *Paging) (*listing[Hook], error) {
			list, err := a.hooks.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			shape := func(h hooks.Hook) Hook { return a.shapeHook(ctx, h) }
			return paginate(in, list, shape, func(h hooks.Hook) string { return string(h.ID) })
		})
	create := route(http.MethodPost, "", "createHook", "Create an address that a program can send fills to")
	create.secret = true
	register(api, create, a.createHook)
	register(api, route(http.MethodDelete, "/{id}", "deleteHook", "Delete a hook and its quarantine; its fills stay"),
		func(ctx context.Context, in *DeleteOf[journal.HookID]) (*nothing, error) {
			check := transport.IfMatch(in.IfMatch, func(h hooks.Hook) any { return a.shapeHook(ctx, h) })
			return nil, a.hooks.Delete(ctx, hookActor(ctx), in.ID, check)
		})
	rotate := route(http.MethodPost, "/{id}/rotate", "rotateHook", "Replace the secret of a hook")
	rotate.secret, rotate.status, rotate.body = true, http.StatusOK, transport.NoBody
	register(api, rotate, func(ctx context.Context, in *ByID[journal.HookID]) (*body[hookSecret], error) {
		if err := caller(ctx).RequireNotEnded(); err != nil { // the secret outlives the session
			return nil, err
		}
		secret, err := a.hooks.Rotate(ctx, hookActor(ctx), in.ID)
		return answer(hookSecret{Secret: secret}, err)
	})
	a.registerQuarantineRoutes(api, route)
	a.registerDeliveryRoute(api)
}

func (a hookAPI) createHook(ctx context.Context, in *body[newHook]) (*createdHookAnswer, error) {
	if err := caller(ctx).RequireNotEnded(); err != nil { // the secret outlives the session
		return nil, err
	}
	if in.Body.AccountID == "" {
		return nil, requiredField("account_id")
	}
	hook, secret, err := a.hooks.Create(ctx, hookActor(ctx), in.Body.AccountID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	shaped := a.shapeHook(ctx, hook)
	tag, err := transport.ETag(shaped)
	return &createdHookAnswer{ETag: tag, Body: createdHook{Hook: shaped, Secret: secret}}, err
}

func (a hookAPI) registerQuarantineRoutes(api *API, route func(method, path, id, summary string) route) {
	registerList(api, route(http.MethodGet, "/{id}/quarantine", "listQuarantine", "List what a hook could not store, newest first; kept for 30 days"),
		func(ctx context.Context, in *quarantineQuery) (*listing[quarantineEntry], error) {
			list, err := a.hooks.Quarantine(ctx, caller(ctx).UserID, in.ID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, list, shapeEntry, func(e hooks.Entry) string { return string(e.ID) })
		})
	register(api, route(http.MethodDelete, "/{id}/quarantine/{entry}", "discardQuarantined", "Delete an entry of the quarantine"),
		func(ctx context.Context, in *EntryOf) (*nothing, error) {
			return nil, a.hooks.Discard(ctx, caller(ctx).UserID, in.ID, in.Entry)
		})
	retry := route(http.MethodPost, "/{id}/quarantine/{entry}/retry", "retryQuarantined", "Try to store an entry of the quarantine again")
	retry.status, retry.body = http.StatusOK, transport.NoBody
	register(api, retry, func(ctx context.Context, in *EntryOf) (*body[HookCounts], error) {
		counts, err := a.hooks.Retry(ctx, caller(ctx).UserID, in.ID, in.Entry, readHookFill)
		return answer(HookCounts(counts), err)
	})
}

// deliveryInput is a request to a hook. [API.verifySender] reads its secret, and the
// transport its body.
type deliveryInput struct {
	ByID[journal.HookID]
	Authorization string `header:"Authorization" doc:"Bearer SECRET."`
	Secret        string `query:"secret" doc:"The secret, for senders that cannot set headers."`
}

// registerDeliveryRoute registers the route for programs with a hook's secret.
func (a hookAPI) registerDeliveryRoute(api *API) {
	deliver := route{
		method: http.MethodPost, path: "/hooks/{id}", id: "sendFills", tag: "Hooks", access: accessPublic, limitKind: hookLimit,
		summary: "Send fills to a hook", status: http.StatusAccepted, body: transport.RawBody, limit: hooks.MaxBody,
		refusals: []int{http.StatusNotFound},
		about: "The body is one fill or a list of at most 500, as JSON of at most 256 KiB; its content type does not matter. " +
			"The answer is sent after the fills are stored; deliveries to the hooks of one user wait for each other, and none is refused for its rate. What cannot be stored, also a body that is not JSON, is kept in the quarantine. " +
			"The same body again within a day is skipped. An unknown id and a wrong secret are both 404.",
	}
	register(api, deliver, a.receiveFills)
	if api.document == nil {
		return
	}
	item := api.document.Paths[prefix+deliver.path].Post
	fill := api.document.Components.Schemas.Schema(reflect.TypeFor[NewFill](), true, "NewFill")
	item.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
		Schema: &huma.Schema{OneOf: []*huma.Schema{fill, {Type: huma.TypeArray, Items: fill}}},
	}}}
}

func (a hookAPI) receiveFills(ctx context.Context, _ *deliveryInput) (*body[HookCounts], error) {
	sender, _ := ctx.Value(senderKey{}).(hooks.Sender)
	counts, err := a.hooks.Receive(ctx, sender, transport.RawBodyOf(ctx), readHookFill)
	return answer(HookCounts(counts), err)
}

type senderKey struct{}

// verifySender checks a delivery's secret, before its body is read and before any limit:
// a sender with the secret is not refused because of others at its address. Wrong secrets
// are counted by address.
func (a *API) verifySender(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		sender, err := a.Hooks.Verify(ctx, journal.HookID(r.PathValue("id")), hookSecretOf(r))
		if journal.IsKind(err, journal.KindNotFound) {
			if limited := a.failures.hooks.CountByAddress(ctx); limited != nil {
				err = limited
			}
		}
		if err != nil {
			transport.WriteError(w, r, err)
			return
		}
		transport.RequestOf(ctx).Sender = fmt.Sprint("user ", sender.Owner)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, senderKey{}, sender)))
	})
}

// hookSecretOf returns the secret in a delivery's header.
func hookSecretOf(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return r.URL.Query().Get("secret")
}

// readHookFill reads a delivered fill. An account in it is ignored.
func readHookFill(text []byte) (ledger.NewFill, error) {
	if err := transport.CheckJSON(text); err != nil {
		return ledger.NewFill{}, err
	}
	var fill NewFill
	if err := transport.Unmarshal(text, &fill); err != nil {
		return ledger.NewFill{}, err
	}
	return fill.fill()
}
