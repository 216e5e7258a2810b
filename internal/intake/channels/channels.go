// Package channels sends events of a journal to addresses that its user enters: webhooks,
// push services, chats and email.
//
// An event is stored with its deliveries in the transaction of the change, so none is lost.
// A job for each channel sends them at least once, on one of several servers, and repeats
// what failed by a fixed schedule. Everything is sent through the outbound package.
package channels

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/jobs"
)

// Kind is how a channel sends.
type Kind string

// The kinds.
const (
	Webhook  Kind = "webhook"
	Ntfy     Kind = "ntfy"
	Gotify   Kind = "gotify"
	Discord  Kind = "discord"
	Slack    Kind = "slack"
	Telegram Kind = "telegram"
	Email    Kind = "email"
)

// Kinds returns all kinds, in the order in which they are offered.
func Kinds() []Kind { return []Kind{Webhook, Ntfy, Gotify, Discord, Slack, Telegram, Email} }

// Channel is an address that receives events.
type Channel struct {
	ID   journal.ChannelID
	Kind Kind
	Name string
	// Events and Accounts are what is sent; empty for all.
	Events   []EventType
	Accounts []journal.AccountID
	// WithFigures adds symbol, result and R to events of trades. Amounts adds amounts to
	// messages.
	WithFigures, Amounts bool
	Enabled              bool
	// Host is the server that receives the deliveries, or the mail address without its user.
	Host string
	// Message says why the channel is switched off, if not by the user.
	Message              string
	FailingSince         *time.Time
	CreatedAt, UpdatedAt time.Time
	// HasCredentials reports whether the address and the keys are stored.
	HasCredentials bool
}

var channelTable = fields.New("channels",
	fields.List[Channel]{fields.NewID("id", func(c *Channel) *journal.ChannelID { return &c.ID })},
	fields.List[Channel]{
		fields.NewText("kind", func(c *Channel) *Kind { return &c.Kind }).Freeze(),
		fields.NewText("name", func(c *Channel) *string { return &c.Name }),
		fields.NewJSON("events", func(c *Channel) *[]EventType { return &c.Events }),
		fields.NewJSON("account_ids", func(c *Channel) *[]journal.AccountID { return &c.Accounts }),
		fields.NewFlag("with_figures", func(c *Channel) *bool { return &c.WithFigures }),
		fields.NewFlag("amounts", func(c *Channel) *bool { return &c.Amounts }),
		fields.NewFlag("enabled", func(c *Channel) *bool { return &c.Enabled }),
		fields.NewText("host", func(c *Channel) *string { return &c.Host }),
		fields.NewText("message", func(c *Channel) *string { return &c.Message }).Hide(),
		fields.NewInstant("failing_since", func(c *Channel) **time.Time { return &c.FailingSince }).Hide(),
		fields.NewTime("created_at", func(c *Channel) *time.Time { return &c.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(c *Channel) *time.Time { return &c.UpdatedAt }),
	},
)

var channelHistory = history.NewType("channel", channelTable.Fields, history.Of[Channel]{
	ID: func(c *Channel) string { return string(c.ID) }, Label: func(c *Channel) string { return c.Name },
	SeenIn: func(*Channel) journal.AccountID { return history.AllAccounts },
})

var store = credentials.Store{Table: "channels", Label: "channel"}

// RotateSecret seals all credentials with a new secret. It is a step.
func RotateSecret(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	return store.Rotate(ctx, tx, from, to)
}

// Figures are a trade's values that are sent only if the user wants it.
type Figures struct {
	Symbol string
	Net, R decimal.Null
}

// Limits are a user's limits for messages.
type Limits struct {
	// QuietFrom and QuietTo are times such as 22:00 in Zone, between which nothing is sent;
	// empty for never.
	QuietFrom, QuietTo string
	Zone               *time.Location
	// MaxPerHour is how many messages a channel sends in an hour; 0 for no limit.
	MaxPerHour int
}

// Options are what a Service needs.
type Options struct {
	DB      *db.DB
	Keys    *secrets.Keys
	Clock   journal.Clock
	Log     *slog.Logger
	Network *outbound.Network
	// Wake makes the job queue look for due jobs.
	Wake func()
	// PublicURL is the installation's address for links; empty if it is not known.
	PublicURL string
	// Figures reads a trade's figures, Limits a user's limits, and CountDay how many trades
	// were opened or closed in a period. They are steps.
	Figures  func(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (Figures, error)
	Limits   func(ctx context.Context, tx *db.Tx, owner journal.UserID) (Limits, error)
	CountDay func(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to time.Time) (int, error)
	// Zone reads the time zone in which a user's days end. It is a step.
	Zone func(ctx context.Context, tx *db.Tx, owner journal.UserID) (*time.Location, error)
	// CheckAccount returns an error if an account is not the owner's. It is a step.
	CheckAccount func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error
}

// Service manages an installation's channels. It is safe for concurrent use.
type Service struct {
	Options
	client  *outbound.UserClient
	senders map[Kind]sender
}

// TelegramEndpoint is the name of Telegram in the list of other addresses.
const TelegramEndpoint = "telegram"

// New returns a Service.
func New(options Options) *Service {
	s := &Service{Options: options, client: options.Network.UserClient()}
	telegram := options.Network.LimitedClient(TelegramEndpoint, []string{telegramHost}, outbound.Limits{MaxBytes: 64 << 10, MaxTime: sendTime})
	s.senders = map[Kind]sender{
		Webhook: webhookSender{s.client}, Ntfy: ntfySender{s.client}, Gotify: gotifySender{s.client}, Discord: discordSender{s.client},
		Slack: slackSender{s.client}, Telegram: telegramSender{telegram}, Email: emailSender{options.Network, options.PublicURL},
	}
	return s
}

// Enabled reports whether the server may send anything.
func (s *Service) Enabled() bool { return s.Network.Enabled() }

// IsAvailable reports whether the server can send with a kind.
func (s *Service) IsAvailable(kind Kind) bool {
	return s.Enabled() && (kind != Email || s.Network.MailFrom() != "")
}

var selectChannels = channelTable.Select("c")

func scanChannel(row db.Scanner) (c Channel, err error) {
	err = channelTable.Scan(row, &c)
	return c, err
}

// ListStored returns the owner's channels, the oldest first. It is a step.
func ListStored(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Channel, error) {
	return db.List(ctx, tx, scanChannel, selectChannels+` WHERE c.user_id = $1 ORDER BY c.created_at, c.id`, owner)
}

// List returns the owner's channels, the oldest first.
func (s *Service) List(ctx context.Context, owner journal.UserID) (list []Channel, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if list, err = ListStored(ctx, tx, owner); err != nil {
			return err
		}
		return addHasCredentials(ctx, tx, owner, list)
	})
	return list, err
}

func addHasCredentials(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Channel) error {
	with, err := db.List(ctx, tx, db.Single[journal.ChannelID],
		`SELECT id FROM channels WHERE user_id = $1 AND credentials IS NOT NULL ORDER BY id`, owner)
	for i := range list {
		list[i].HasCredentials = slices.Contains(with, list[i].ID)
	}
	return err
}

// read returns one of the owner's channels. It is a step.
func read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID, lock string) (Channel, error) {
	c, err := scanChannel(tx.QueryRow(ctx, selectChannels+` WHERE c.user_id = $1 AND c.id = $2`+lock, owner, id))
	if err != nil {
		return c, db.NotFound(err, "channel")
	}
	c.HasCredentials, err = store.Has(ctx, tx, owner, string(id))
	return c, err
}

// Get returns one of the owner's channels.
func (s *Service) Get(ctx context.Context, owner journal.UserID, id journal.ChannelID) (Channel, error) {
	return db.Get(ctx, s.DB.View, func(tx *db.Tx) (Channel, error) { return read(ctx, tx, owner, id, "") })
}

// CheckIDs returns an error unless all ids are channels of the owner. It is a step.
func CheckIDs(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) error {
	stored, err := ListStored(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(stored, func(c Channel) bool { return string(c.ID) == id }) {
			return journal.InvalidField("kinds", "kinds names a channel that does not exist.")
		}
	}
	return nil
}

// accepts reports whether the channel receives an event.
func (c *Channel) accepts(e *Event) bool {
	switch {
	case !c.Enabled:
		return false
	case e.Channels != nil:
		return slices.Contains(e.Channels, string(c.ID))
	case len(c.Events) > 0 && !slices.Contains(c.Events, e.Type):
		return false
	}
	return e.Account == "" || len(c.Accounts) == 0 || slices.Contains(c.Accounts, e.Account)
}

// jobKey returns the key of the job that sends a channel's deliveries.
func jobKey(owner journal.UserID, id journal.ChannelID) jobs.Key {
	return jobs.Key{Owner: owner, Kind: JobKind, ID: string(id)}
}

// remove deletes a channel with its key and deliveries. It is a step.
func remove(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID) error {
	if err := jobs.Delete(ctx, tx, jobKey(owner, id)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM channels WHERE user_id = $1 AND id = $2`, owner, id)
	return err
}

// updateFollowed makes the history call this package for changes of users with channels that
// are switched on, and schedules the ends of their days.
func (s *Service) updateFollowed(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	all, err := ListStored(ctx, tx, owner)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c Channel) bool { return !c.Enabled })
	history.SetFollowed(tx, owner, len(all) > 0)
	day := Event{Type: DayClosed}
	if !slices.ContainsFunc(all, func(c Channel) bool { return c.accepts(&day) }) {
		return jobs.Delete(ctx, tx, dayKey(owner))
	}
	return s.scheduleDays(ctx, tx, owner)
}

// clone returns a copy of credentials.
func clone(values map[string]string) map[string]string {
	if values == nil {
		return map[string]string{}
	}
	return maps.Clone(values)
}
