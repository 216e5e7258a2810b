package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/channels"
	"fillbook/internal/transport"
)

// Channel is an address that receives events, as the API shows it.
type Channel struct {
	ID             journal.ChannelID    `json:"id"`
	Kind           channels.Kind        `json:"kind" enum:"webhook,ntfy,gotify,discord,slack,telegram,email"`
	Name           string               `json:"name"`
	Events         []channels.EventType `json:"events" doc:"Empty for all."`
	AccountIDs     []journal.AccountID  `json:"account_ids" doc:"Empty for all accounts. Events of no account are always sent."`
	WithFigures    bool                 `json:"with_figures" doc:"Whether symbol, net and R of a trade are sent."`
	Amounts        bool                 `json:"amounts" doc:"Whether messages have amounts of money."`
	Enabled        bool                 `json:"enabled"`
	Host           string               `json:"host" doc:"The server that receives the deliveries. The address itself and the keys are never returned."`
	HasCredentials bool                 `json:"has_credentials" doc:"Whether the address and the keys are stored."`
	Message        string               `json:"message" doc:"Why it is switched off, if you did not do it."`
	FailingSince   *time.Time           `json:"failing_since" doc:"Since when all deliveries fail."`
	CreatedAt      time.Time            `json:"created_at"`
	UpdatedAt      time.Time            `json:"updated_at"`
}

func shapeChannel(c channels.Channel) Channel {
	return Channel{
		ID: c.ID, Kind: c.Kind, Name: c.Name, Events: shapeAll(c.Events, keepShape), AccountIDs: shapeAll(c.Accounts, keepShape),
		WithFigures: c.WithFigures, Amounts: c.Amounts, Enabled: c.Enabled, Host: c.Host, HasCredentials: c.HasCredentials, Message: c.Message,
		FailingSince: c.FailingSince, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

func channelTag(c channels.Channel) any { return shapeChannel(c) }

type channelFields struct {
	Kind        opt[channels.Kind]        `json:"kind" enum:"webhook,ntfy,gotify,discord,slack,telegram,email" doc:"It can't be changed."`
	Name        opt[string]               `json:"name" doc:"Default: the kind."`
	Events      opt[[]channels.EventType] `json:"events" doc:"Types of events. Default: all."`
	AccountIDs  opt[[]journal.AccountID]  `json:"account_ids" doc:"Default: all accounts."`
	WithFigures opt[bool]                 `json:"with_figures" doc:"Send symbol, net and R of trades. Default false."`
	Amounts     opt[bool]                 `json:"amounts" doc:"Send amounts of money in messages. Default false."`
	Enabled     opt[bool]                 `json:"enabled" doc:"Default true."`
	URL         opt[string]               `json:"url" doc:"Of webhook, ntfy (the server), gotify (the server), discord and slack. https, or http to a network that the operator opened."`
	Topic       opt[string]               `json:"topic" doc:"Of ntfy."`
	Token       opt[string]               `json:"token" doc:"Of gotify (the application's) and telegram (the bot's); of ntfy if its server needs one."`
	ChatID      opt[string]               `json:"chat_id" doc:"Of telegram."`
	Address     opt[string]               `json:"address" doc:"Of email."`
	Secret      opt[string]               `json:"secret" doc:"Of webhook: whsec_ and 24 to 64 bytes in base64. Default: one is made."`
}

// TransformSchema describes what a request must have.
func (channelFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "kind")
}

func (f channelFields) change() channels.Change {
	return channels.Change{
		Kind: f.Kind.Opt, Name: f.Name.Opt, Events: f.Events.Opt, Accounts: f.AccountIDs.Opt, WithFigures: f.WithFigures.Opt,
		Amounts: f.Amounts.Opt, Enabled: f.Enabled.Opt,
		Credentials: map[string]journal.Opt[string]{
			"url": f.URL.Opt, "topic": f.Topic.Opt, "token": f.Token.Opt, "chat_id": f.ChatID.Opt, "address": f.Address.Opt, "secret": f.Secret.Opt,
		},
	}
}

type createdChannel struct {
	Channel
	Secret *string `json:"secret" doc:"Of a webhook, shown once: the key for checking signatures. Null for other kinds."`
}

// createdChannelAnswer has the listed channel's tag, for If-Match.
type createdChannelAnswer struct {
	ETag string `header:"ETag"`
	Body createdChannel
}

type channelSecret struct {
	Secret string `json:"secret" doc:"Shown once. Deliveries are signed with the one before it as well for 24 hours."`
}

type channelTest struct {
	OK         bool               `json:"ok"`
	Status     *int               `json:"status" doc:"The receiver's answer; null if there was none."`
	Error      string             `json:"error" doc:"What failed, in a few words; empty if nothing did."`
	DeliveryID journal.DeliveryID `json:"delivery_id"`
}

// channelDelivery is an event on its way to a channel.
type channelDelivery struct {
	ID         journal.DeliveryID `json:"id"`
	ChannelID  journal.ChannelID  `json:"channel_id"`
	EventID    string             `json:"event_id" doc:"The header webhook-id: the same for all attempts and replays."`
	Type       channels.EventType `json:"type"`
	State      channels.State     `json:"state" enum:"pending,delivered,failed,held,dropped" doc:"held: until the end of quiet hours or of the hourly limit. dropped: not sent, for the reason in last_error."`
	Attempts   int                `json:"attempts"`
	NextAt     *time.Time         `json:"next_at"`
	LastStatus *int               `json:"last_status"`
	LastError  string             `json:"last_error"`
	CreatedAt  time.Time          `json:"created_at"`
}

func shapeDelivery(d channels.Delivery) channelDelivery {
	return channelDelivery{
		ID: d.ID, ChannelID: d.Channel, EventID: d.EventID, Type: d.Type, State: d.State, Attempts: d.Attempts, NextAt: d.NextAt,
		LastStatus: d.LastStatus, LastError: d.LastError, CreatedAt: d.CreatedAt,
	}
}

type deliveriesQuery struct {
	ByID[journal.ChannelID]
	Paging
}

// channelKind is a kind to choose.
type channelKind struct {
	Kind      channels.Kind `json:"kind" enum:"webhook,ntfy,gotify,discord,slack,telegram,email"`
	Available bool          `json:"available" doc:"Whether this server can send with it: SVC_OUTBOUND is set, for email also SVC_SMTP_HOST."`
	Required  []string      `json:"required" doc:"The members that a channel of the kind needs."`
	Optional  []string      `json:"optional"`
}

// channelAPI has the operations on channels.
type channelAPI struct{ channels *channels.Service }

func (a channelAPI) register(api *API) {
	route := func(method, path, id, summary string) route {
		return journalRoute(useChannels, method, path, id, "Channels", summary)
	}
	registerList(api, route(http.MethodGet, "/channels", "listChannels", "List your channels, the oldest first"),
		func(ctx context.Context, in *Paging) (*listing[Channel], error) {
			list, err := a.channels.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeChannel, func(c channels.Channel) string { return string(c.ID) })
		})
	create := route(http.MethodPost, "/channels", "createChannel", "Send events to an address: a webhook, a push service, a chat or email")
	create.secret = true
	register(api, create, a.create)
	register(api, route(http.MethodGet, "/channels/kinds", "listChannelKinds", "List the kinds of channels and what they need"),
		func(context.Context, *struct{}) (*body[[]channelKind], error) {
			return answer(shapeAll(channels.Kinds(), func(kind channels.Kind) channelKind {
				required, optional := channels.Needs(kind)
				return channelKind{Kind: kind, Available: a.channels.IsAvailable(kind), Required: required, Optional: optional}
			}), nil)
		})
	register(api, route(http.MethodGet, "/channels/{id}", "getChannel", "Read a channel"),
		func(ctx context.Context, in *ByID[journal.ChannelID]) (*body[Channel], error) {
			found, err := a.channels.Get(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeChannel(found), err)
		})
	register(api, route(http.MethodPatch, "/channels/{id}", "changeChannel", "Change a channel, or its address and keys"),
		func(ctx context.Context, in *ChangeOf[journal.ChannelID, channelFields]) (*body[Channel], error) {
			changed, err := a.channels.Update(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, channelTag))
			return answer(shapeChannel(changed), err)
		})
	register(api, route(http.MethodDelete, "/channels/{id}", "deleteChannel", "Delete a channel with its keys and deliveries"),
		func(ctx context.Context, in *DeleteOf[journal.ChannelID]) (*nothing, error) {
			return nil, a.channels.Delete(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, channelTag))
		})
	a.registerDeliveryRoutes(api, route)
}

func (a channelAPI) create(ctx context.Context, in *body[channelFields]) (*createdChannelAnswer, error) {
	if err := caller(ctx).RequireNotEnded(); err != nil { // the channel outlives the session
		return nil, err
	}
	created, secret, err := a.channels.Create(ctx, caller(ctx).UserID, in.Body.change())
	if err != nil {
		return nil, err
	}
	shaped := shapeChannel(created)
	tag, err := transport.ETag(shaped)
	return &createdChannelAnswer{ETag: tag, Body: createdChannel{Channel: shaped, Secret: nilIfZero(secret)}}, err
}

func (a channelAPI) registerDeliveryRoutes(api *API, route func(method, path, id, summary string) route) {
	rotate := route(http.MethodPost, "/channels/{id}/secret", "rotateChannelSecret", "Replace the secret of a webhook; both sign for 24 hours")
	rotate.secret, rotate.status, rotate.body = true, http.StatusOK, transport.NoBody
	register(api, rotate, func(ctx context.Context, in *ByID[journal.ChannelID]) (*body[channelSecret], error) {
		if err := caller(ctx).RequireNotEnded(); err != nil { // the secret outlives the session
			return nil, err
		}
		secret, err := a.channels.Rotate(ctx, caller(ctx).UserID, in.ID)
		return answer(channelSecret{Secret: secret}, err)
	})
	test := route(http.MethodPost, "/channels/{id}/test", "testChannel", "Send a test by a channel now and wait for the answer")
	test.status, test.body = http.StatusOK, transport.NoBody
	register(api, test, func(ctx context.Context, in *ByID[journal.ChannelID]) (*body[channelTest], error) {
		r, err := a.channels.SendTest(ctx, caller(ctx).UserID, in.ID)
		return answer(channelTest{OK: r.OK, Status: nilIfZero(r.Status), Error: r.Error, DeliveryID: r.Delivery}, err)
	})
	registerList(api, route(http.MethodGet, "/channels/{id}/deliveries", "listDeliveries", "List the newest 1000 deliveries of a channel, newest first; kept for 30 days"),
		func(ctx context.Context, in *deliveriesQuery) (*listing[channelDelivery], error) {
			list, err := a.channels.Deliveries(ctx, caller(ctx).UserID, in.ID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, list, shapeDelivery, func(d channels.Delivery) string { return string(d.ID) })
		})
	replay := route(http.MethodPost, "/deliveries/{id}/replay", "replayDelivery", "Send a delivery again, with the same id and body")
	replay.status, replay.body = http.StatusAccepted, transport.NoBody
	register(api, replay, func(ctx context.Context, in *ByID[journal.DeliveryID]) (*body[channelDelivery], error) {
		d, err := a.channels.Replay(ctx, caller(ctx).UserID, in.ID)
		return answer(shapeDelivery(d), err)
	})
}
