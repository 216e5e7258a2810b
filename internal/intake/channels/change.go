package channels

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/remote"
)

// Change is a change to a channel. What is not set stays.
type Change struct {
	Kind        journal.Opt[Kind]
	Name        journal.Opt[string]
	Events      journal.Opt[[]EventType]
	Accounts    journal.Opt[[]journal.AccountID]
	WithFigures journal.Opt[bool]
	Amounts     journal.Opt[bool]
	Enabled     journal.Opt[bool]
	// Credentials are by name; an empty text clears one that is optional.
	Credentials map[string]journal.Opt[string]
}

// The names of credentials.
const (
	urlKey       = "url"
	topicKey     = "topic"
	tokenKey     = "token"
	chatKey      = "chat_id"
	addressKey   = "address"
	secretKey    = "secret"
	oldSecretKey = "old_secret"
	oldUntilKey  = "old_until"
)

// needs lists the credentials of each kind, those that are required first.
var needs = map[Kind]struct{ required, optional []string }{
	Webhook:  {required: []string{urlKey}, optional: []string{secretKey}},
	Ntfy:     {required: []string{urlKey, topicKey}, optional: []string{tokenKey}},
	Gotify:   {required: []string{urlKey, tokenKey}},
	Discord:  {required: []string{urlKey}},
	Slack:    {required: []string{urlKey}},
	Telegram: {required: []string{tokenKey, chatKey}},
	Email:    {required: []string{addressKey}},
}

// Needs returns the names of the credentials that a kind needs, and those that it may have.
func Needs(kind Kind) (required, optional []string) {
	return slices.Clone(needs[kind].required), slices.Clone(needs[kind].optional)
}

// apply returns a channel after a change, without its credentials.
func (c *Change) apply(channel Channel) (Channel, error) {
	channel.WithFigures, channel.Amounts = c.WithFigures.Or(channel.WithFigures), c.Amounts.Or(channel.Amounts)
	channel.Enabled = c.Enabled.Or(channel.Enabled)
	channel.Events, channel.Accounts = c.Events.Or(channel.Events), c.Accounts.Or(channel.Accounts)
	if err := c.Enabled.NotNull("enabled"); err != nil {
		return channel, err
	}
	var err error
	if channel.Name, err = journal.CleanName("name", c.Name.Or(channel.Name)); err != nil {
		return channel, err
	}
	if channel.Name == "" {
		channel.Name = string(channel.Kind)
	}
	for _, e := range channel.Events {
		if !slices.Contains(EventTypes(), e) || e == Test {
			return channel, journal.InvalidField("events", "events has %q, which is not an event.", e)
		}
	}
	channel.Events = unique(channel.Events)
	channel.Accounts = unique(channel.Accounts)
	return channel, nil
}

// unique returns a sorted list without repetitions.
func unique[T ~string](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// applyCredentials returns the credentials of a channel after a change, and sets its host.
func (s *Service) applyCredentials(channel *Channel, change *Change, stored map[string]string) (map[string]string, error) {
	values, of := clone(stored), needs[channel.Kind]
	for name, given := range change.Credentials {
		if !given.Set {
			continue
		}
		if !slices.Contains(of.required, name) && !slices.Contains(of.optional, name) {
			return nil, journal.InvalidField(name, "A channel of the kind %s has no %s.", channel.Kind, name)
		}
		text := strings.TrimSpace(given.Value)
		if text == "" {
			delete(values, name)
			continue
		}
		if err := s.checkCredential(name, text); err != nil {
			return nil, err
		}
		values[name] = text
	}
	for _, name := range of.required {
		if values[name] == "" {
			return nil, journal.InvalidField(name, "%s is missing.", name)
		}
	}
	channel.Host = hostOf(channel.Kind, values)
	return values, nil
}

// hostOf returns what users see of an address.
func hostOf(kind Kind, values map[string]string) string {
	switch kind {
	case Telegram:
		return telegramHost
	case Email:
		_, host, _ := strings.Cut(values[addressKey], "@")
		return host
	case Webhook, Ntfy, Gotify, Discord, Slack:
	}
	to, err := url.Parse(values[urlKey])
	if err != nil {
		return ""
	}
	return to.Host
}

// maxCredential bounds keys and names.
const maxCredential = 500

func (s *Service) checkCredential(name, text string) error {
	switch name {
	case urlKey:
		if err := s.Network.CheckURL(text); err != nil {
			return refuseURL(err)
		}
		return nil
	case addressKey:
		parsed, err := mail.ParseAddress(text)
		if err != nil || parsed.Address != text || len(text) > 254 {
			return journal.InvalidField(name, "address must be one mail address, such as me@example.org.")
		}
		return nil
	case secretKey:
		_, err := parseSecret(text)
		return err
	case topicKey:
		if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || len(text) > 64 {
			return journal.InvalidField(name, "topic must have at most 64 letters, digits, _ or -.")
		}
		return nil
	case tokenKey, chatKey:
	}
	// Keys become part of headers and paths.
	if len(text) > maxCredential || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("/?#%\\", r) }) {
		return journal.InvalidField(name, "%s is not valid. Copy it again.", name)
	}
	return nil
}

// newSecret returns a new webhook secret.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// Create adds a channel. The secret of a webhook is returned once.
func (s *Service) Create(ctx context.Context, owner journal.UserID, change Change) (channel Channel, secret string, err error) {
	if !s.Enabled() {
		return Channel{}, "", remote.Disabled()
	}
	channel = Channel{ID: journal.NewID[journal.ChannelID](), Kind: change.Kind.Value, Enabled: true, CreatedAt: s.Clock(), HasCredentials: true}
	channel.Events, channel.Accounts = []EventType{}, []journal.AccountID{}
	channel.UpdatedAt = channel.CreatedAt
	if !slices.Contains(Kinds(), channel.Kind) {
		return Channel{}, "", journal.InvalidField("kind", "kind must be webhook, ntfy, gotify, discord, slack, telegram or email.")
	}
	if !s.IsAvailable(channel.Kind) {
		return Channel{}, "", journal.InvalidField("kind", "This server sends no email. Ask its administrator to set SVC_SMTP_HOST.")
	}
	if channel, err = change.apply(channel); err != nil {
		return Channel{}, "", err
	}
	if err := s.checkPlainHost(ctx, &change); err != nil {
		return Channel{}, "", err
	}
	values, err := s.applyCredentials(&channel, &change, nil)
	if err != nil {
		return Channel{}, "", err
	}
	if channel.Kind == Webhook {
		if values[secretKey] == "" {
			values[secretKey] = newSecret()
		}
		secret = values[secretKey]
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		if err := s.checkAccounts(ctx, tx, owner, channel.Accounts); err != nil {
			return err
		}
		if err := limits.Channels.Check(ctx, tx, owner, `SELECT COUNT(*) FROM channels WHERE user_id = $1`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, channelTable.Insert(), channelTable.Values(owner, &channel)...); err != nil {
			return err
		}
		if err := store.Put(ctx, tx, s.Keys, owner, string(channel.ID), values); err != nil {
			return err
		}
		channelHistory.Created(tx, owner, &channel)
		return s.updateFollowed(ctx, tx, owner)
	})
	return channel, secret, err
}

// checkPlainHost checks the host of a new address without TLS. Names are looked up, so it
// comes before the transaction.
func (s *Service) checkPlainHost(ctx context.Context, change *Change) error {
	given := change.Credentials[urlKey]
	if !given.Set || !s.Enabled() || s.Network.CheckURL(strings.TrimSpace(given.Value)) != nil {
		return nil // refused with the other values
	}
	if err := s.Network.CheckPlainHost(ctx, strings.TrimSpace(given.Value)); err != nil {
		return refuseURL(err)
	}
	return nil
}

func refuseURL(reason error) error {
	return journal.InvalidField(urlKey, "This url can't be used: %s.", reason)
}

func (s *Service) checkAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID) error {
	for _, id := range ids {
		if err := s.CheckAccount(ctx, tx, owner, id); err != nil {
			if journal.IsKind(err, journal.KindNotFound) {
				return journal.InvalidField("account_ids", "account_ids names an account that does not exist.")
			}
			return err
		}
	}
	return nil
}

// Update changes a channel. check may refuse the change to the stored channel.
func (s *Service) Update(
	ctx context.Context, owner journal.UserID, id journal.ChannelID, change Change, check func(Channel) error,
) (Channel, error) {
	if err := s.checkPlainHost(ctx, &change); err != nil {
		return Channel{}, err
	}
	return db.Get(ctx, s.DB.Update, func(tx *db.Tx) (Channel, error) {
		stored, err := read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return Channel{}, err
		}
		if check != nil {
			if err := check(stored); err != nil {
				return Channel{}, err
			}
		}
		if change.Kind.Set && change.Kind.Value != stored.Kind {
			return Channel{}, journal.InvalidField("kind", "The kind can't be changed. Delete the channel and create another.")
		}
		channel, err := change.apply(stored)
		if err != nil {
			return Channel{}, err
		}
		if change.Accounts.Set {
			// An account that the channel has already may be deleted.
			isStored := func(id journal.AccountID) bool { return slices.Contains(stored.Accounts, id) }
			if err := s.checkAccounts(ctx, tx, owner, slices.DeleteFunc(slices.Clone(channel.Accounts), isStored)); err != nil {
				return Channel{}, err
			}
		}
		replaced, err := s.updateCredentials(ctx, tx, owner, &channel, &change)
		if err != nil {
			return Channel{}, err
		}
		if channel.Enabled && !stored.Enabled {
			if err := s.checkEnable(ctx, tx, owner, channel); err != nil {
				return Channel{}, err
			}
			channel.Message, channel.FailingSince = "", nil
		}
		if len(channelTable.Fields.Compare(&stored, &channel)) == 0 && !replaced {
			return channel, nil
		}
		return channel, s.write(ctx, tx, owner, &stored, &channel)
	})
}

// write stores a changed channel.
func (s *Service) write(ctx context.Context, tx *db.Tx, owner journal.UserID, stored, channel *Channel) error {
	channel.UpdatedAt = s.Clock()
	channelHistory.Updated(tx, owner, stored, channel)
	if _, err := tx.Exec(ctx, channelTable.Update(), channelTable.UpdateValues(owner, channel)...); err != nil {
		return err
	}
	if stored.Enabled && !channel.Enabled {
		if err := dropPending(ctx, tx, owner, channel.ID, "the channel was switched off"); err != nil {
			return err
		}
	}
	return s.updateFollowed(ctx, tx, owner)
}

// updateCredentials replaces the credentials that a change has, and reports whether it has
// any.
func (s *Service) updateCredentials(ctx context.Context, tx *db.Tx, owner journal.UserID, channel *Channel, change *Change) (bool, error) {
	isSet := false
	for _, value := range change.Credentials {
		isSet = isSet || value.Set
	}
	if !isSet {
		return false, nil
	}
	if !s.Enabled() {
		return false, remote.Disabled()
	}
	stored, err := store.Load(ctx, tx, s.Keys, owner, string(channel.ID))
	if err != nil {
		return false, err
	}
	values, err := s.applyCredentials(channel, change, stored)
	if err != nil {
		return false, err
	}
	channel.HasCredentials = true
	s.recordSecurity(tx, owner, channel, "credentials")
	return true, store.Put(ctx, tx, s.Keys, owner, string(channel.ID), values)
}

// recordSecurity records that a key was replaced, without the key.
func (s *Service) recordSecurity(tx *db.Tx, owner journal.UserID, channel *Channel, field string) {
	history.Describe(tx, owner, history.Description{Action: history.Security})
	history.Record(tx, owner, history.Object{
		Type: "channel", ID: string(channel.ID), Label: channel.Name, Action: history.Updated, SeenIn: history.AllAccounts,
		Fields: []history.Field{history.NewField(field, nil, "replaced")},
	})
}

// checkEnable returns the reason why a channel cannot be switched on.
func (s *Service) checkEnable(ctx context.Context, tx *db.Tx, owner journal.UserID, channel Channel) error {
	if !s.Enabled() {
		return remote.Disabled()
	}
	values, err := store.Load(ctx, tx, s.Keys, owner, string(channel.ID))
	if err != nil {
		return err
	}
	for _, name := range needs[channel.Kind].required {
		if values[name] == "" {
			return journal.Conflict("The address and the keys of this channel are not stored. Enter them first.")
		}
	}
	if channel.Kind == Webhook && values[secretKey] == "" {
		return journal.Conflict("This webhook has no secret. Create one first.")
	}
	return nil
}

// rotationTime is how long deliveries are signed with the old secret as well.
const rotationTime = 24 * time.Hour

// Rotate replaces a webhook's secret and returns the new one, which is not returned again.
// Deliveries are signed with both for 24 hours.
func (s *Service) Rotate(ctx context.Context, owner journal.UserID, id journal.ChannelID) (secret string, err error) {
	secret = newSecret()
	return secret, s.DB.Update(ctx, func(tx *db.Tx) error {
		channel, err := read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if channel.Kind != Webhook {
			return journal.Conflict("Only webhooks have a secret.")
		}
		stored, err := store.Load(ctx, tx, s.Keys, owner, string(id))
		if err != nil {
			return err
		}
		values := clone(stored)
		delete(values, oldSecretKey)
		delete(values, oldUntilKey)
		if old := values[secretKey]; old != "" {
			values[oldSecretKey], values[oldUntilKey] = old, s.Clock().Add(rotationTime).Format(time.RFC3339)
		}
		values[secretKey] = secret
		s.recordSecurity(tx, owner, &channel, "secret")
		return store.Put(ctx, tx, s.Keys, owner, string(id), values)
	})
}

// Delete deletes a channel with its keys and deliveries.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.ChannelID, check func(Channel) error) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		channel, err := read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(channel); err != nil {
				return err
			}
		}
		channelHistory.Deleted(tx, owner, &channel)
		if err := keep(ctx, tx, owner, &channel); err != nil {
			return err
		}
		if err := remove(ctx, tx, owner, id); err != nil {
			return err
		}
		return s.updateFollowed(ctx, tx, owner)
	})
}

// keep keeps a channel for an undo, switched off and without its keys.
func keep(ctx context.Context, tx *db.Tx, owner journal.UserID, channel *Channel) error {
	_, err := tx.Exec(ctx, `UPDATE channels SET enabled = FALSE, message = $1 WHERE user_id = $2 AND id = $3`,
		"Its keys were destroyed when it was deleted. Enter them again and switch it on.", owner, channel.ID)
	if err != nil {
		return err
	}
	return history.Keep(ctx, tx, owner, "channels", `id = $2`, channel.ID)
}

// Undoers undo changes to channels. A deleted channel comes back switched off, without its
// keys and deliveries.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(channelHistory, channelTable, s.Clock)
	r.Keep = keep
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Channel) error {
		return remove(ctx, tx, owner, c.ID)
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Channel) error {
		if before != nil && after != nil && after.Enabled && !before.Enabled {
			if err := s.checkEnable(ctx, u.Tx, u.Owner, *after); err != nil {
				return err
			}
		}
		return s.updateFollowed(ctx, u.Tx, u.Owner)
	}
	return []history.TypeUndoer{{Type: "channel", Undoer: r}}
}

// switchOff switches a channel off and says why.
func switchOff(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID, message string) error {
	_, err := tx.Exec(ctx, `UPDATE channels SET enabled = FALSE, message = $1 WHERE user_id = $2 AND id = $3`, message, owner, id)
	if err != nil {
		return err
	}
	return dropPending(ctx, tx, owner, id, "the channel was switched off")
}

// Restore adds the channels of a backup that are not stored, switched off and without their
// keys. It is a step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Channel) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := ListStored(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	known := map[string]bool{}
	for i := range stored {
		known[restoreKey(&stored[i])] = true
	}
	refusals = make([]error, len(list))
	for i := range list {
		channel, err := newRestored(list[i])
		switch {
		case err != nil:
			refusals[i] = err
		case known[restoreKey(&channel)]:
		case len(stored)+added >= limits.Channels.Max:
			refusals[i] = limits.Channels.Reached()
		default:
			known[restoreKey(&channel)] = true
			added++
			if _, err := tx.Exec(ctx, channelTable.Insert(), channelTable.Values(owner, &channel)...); err != nil {
				return 0, nil, err
			}
			channelHistory.Brought(tx, owner, &channel)
		}
	}
	return added, refusals, nil
}

// restoreKey identifies a channel by its content.
func restoreKey(c *Channel) string {
	return string(fields.ShowList([]any{c.Kind, c.Name, c.Host, c.CreatedAt.UnixMicro()}))
}

func newRestored(c Channel) (Channel, error) {
	if !slices.Contains(Kinds(), c.Kind) {
		return c, journal.InvalidField("kind", "kind is %q, which this version does not have.", c.Kind)
	}
	host, err := journal.CleanName("host", c.Host)
	if err != nil {
		return c, err
	}
	c.Host = host
	c.ID, c.Enabled, c.UpdatedAt, c.FailingSince = journal.NewID[journal.ChannelID](), false, c.CreatedAt, nil
	c.Message = "Restored from a backup, which has no keys. Enter its address and keys again, and switch it on."
	return (&Change{}).apply(c)
}
