package alerts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Settings are which alerts a user wants, and when they are delivered. The zero value has
// the defaults.
type Settings struct {
	// Kinds has the kinds that differ from the default: enabled, without channels.
	Kinds map[Kind]KindSettings
	// QuietHours are the hours in which nothing is delivered; nil for none.
	QuietHours *QuietHours
	// MaxPerHour is how many messages are sent in an hour at most; 0 is no limit.
	MaxPerHour int
}

// KindSettings are the settings of one kind.
type KindSettings struct {
	Disabled bool     `json:"disabled,omitempty"`
	Channels []string `json:"channels,omitempty"`
}

// isDefault reports whether the kind has its default.
func (k KindSettings) isDefault() bool { return !k.Disabled && len(k.Channels) == 0 }

// QuietHours are hours of the day in which nothing is delivered. They run over midnight if
// From is after To.
type QuietHours struct {
	From string `json:"from"`
	To   string `json:"to"`
	Zone string `json:"tz"`
}

// Location returns the zone.
func (q *QuietHours) Location() *time.Location {
	zone, err := journal.ParseZone("tz", q.Zone)
	if err != nil {
		return time.UTC // a zone that a later system no longer has
	}
	return zone
}

// Contains reports whether an instant is within the quiet hours.
func (q *QuietHours) Contains(at time.Time) bool {
	now := at.In(q.Location()).Format("15:04")
	if q.From < q.To {
		return q.From <= now && now < q.To
	}
	return now >= q.From || now < q.To
}

// Wants reports whether alerts of a kind are enabled.
func (s *Settings) Wants(kind Kind) bool { return !s.Kinds[kind].Disabled }

// Channels returns the ids of the channels for a kind.
func (s *Settings) Channels(kind Kind) []string { return s.Kinds[kind].Channels }

// KindChange is a change to one kind. What is not set stays.
type KindChange struct {
	Enabled  journal.Opt[bool]
	Channels journal.Opt[[]string]
}

// SettingsChange is a change to the settings. What is not set stays; null clears.
type SettingsChange struct {
	Kinds      map[string]KindChange
	QuietHours journal.Opt[QuietHours]
	MaxPerHour journal.Opt[int]
}

const (
	maxChannels   = 50
	maxPerHourTop = 1000
)

// apply returns the settings after a change, or the reason why it is invalid.
func (c *SettingsChange) apply(s Settings) (Settings, error) {
	kinds := map[Kind]KindSettings{}
	for kind, set := range s.Kinds {
		kinds[kind] = set
	}
	for name, change := range c.Kinds {
		kind := Kind(name)
		if !slices.Contains(Kinds(), kind) {
			return s, journal.InvalidField("kinds", "kinds has an unknown kind of alerts: %s.", strings.ToValidUTF8(name, "?"))
		}
		set := kinds[kind]
		if change.Enabled.Set {
			set.Disabled = !change.Enabled.Or(true)
		}
		if change.Channels.Set {
			list := slices.Clone(change.Channels.Value)
			slices.Sort(list)
			set.Channels = slices.Compact(list)
			if len(set.Channels) > maxChannels {
				return s, journal.InvalidField("kinds", "A kind of alerts can have at most %d channels.", maxChannels)
			}
		}
		if kinds[kind] = set; set.isDefault() {
			delete(kinds, kind)
		}
	}
	s.Kinds = kinds
	if c.QuietHours.Set {
		if s.QuietHours = c.QuietHours.OrNil(nil); s.QuietHours != nil {
			if err := s.QuietHours.check(); err != nil {
				return s, err
			}
		}
	}
	if c.MaxPerHour.Set {
		if s.MaxPerHour = c.MaxPerHour.Or(0); !c.MaxPerHour.Null && (s.MaxPerHour < 1 || s.MaxPerHour > maxPerHourTop) {
			return s, journal.InvalidField("max_per_hour", "max_per_hour must be a whole number from 1 to %d, or null for no limit.", maxPerHourTop)
		}
	}
	return s, nil
}

// check returns why quiet hours are invalid.
func (q *QuietHours) check() error {
	for _, text := range []string{q.From, q.To} {
		if at, err := time.Parse("15:04", text); err != nil || at.Format("15:04") != text {
			return journal.InvalidField("quiet_hours", "quiet_hours must have from and to as times such as 22:00.")
		}
	}
	if q.From == q.To {
		return journal.InvalidField("quiet_hours", "quiet_hours must have two different times.")
	}
	if q.Zone == "" {
		q.Zone = "UTC"
	}
	if _, err := journal.ParseZone("quiet_hours", q.Zone); err != nil {
		return err
	}
	return nil
}

// newChannels returns the channels of a change that a kind does not have yet.
func (c *SettingsChange) newChannels(stored Settings) (ids []string) {
	for kind, change := range c.Kinds {
		for _, id := range change.Channels.Value {
			if !slices.Contains(stored.Channels(Kind(kind)), id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ReadSettings returns a user's settings. It is a step.
func ReadSettings(ctx context.Context, tx *db.Tx, owner journal.UserID) (Settings, error) {
	return readSettings(ctx, tx, owner, "")
}

func readSettings(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) (s Settings, err error) {
	var kinds string
	var quiet *string
	var most *int
	err = tx.QueryRow(ctx, `SELECT kinds, quiet_hours, max_per_hour FROM alert_settings WHERE user_id = $1`+lock, owner).Scan(&kinds, &quiet, &most)
	if errors.Is(err, db.ErrNoRows) {
		return Settings{}, nil
	}
	if err != nil {
		return Settings{}, err
	}
	if most != nil {
		s.MaxPerHour = *most
	}
	if quiet != nil {
		s.QuietHours = &QuietHours{}
		if err := json.Unmarshal([]byte(*quiet), s.QuietHours); err != nil {
			return Settings{}, err
		}
	}
	return s, json.Unmarshal([]byte(kinds), &s.Kinds)
}

// lockSettings returns the settings and locks them until the transaction ends. The row is
// created first, so two changes of a new user's settings are both kept.
func lockSettings(ctx context.Context, tx *db.Tx, owner journal.UserID) (Settings, error) {
	_, err := tx.Exec(ctx, `INSERT INTO alert_settings (user_id, kinds) VALUES ($1, '{}') ON CONFLICT (user_id) DO NOTHING`, owner)
	if err != nil {
		return Settings{}, err
	}
	return readSettings(ctx, tx, owner, tx.Lock())
}

func writeSettings(ctx context.Context, tx *db.Tx, owner journal.UserID, s Settings) error {
	var most any
	if s.MaxPerHour > 0 {
		most = s.MaxPerHour
	}
	_, err := tx.Exec(ctx, `UPDATE alert_settings SET kinds = $2, quiet_hours = $3, max_per_hour = $4 WHERE user_id = $1`,
		owner, s.kindsText(), s.quietText(), most)
	return err
}

// kindsText returns the kinds as JSON, in order.
func (s *Settings) kindsText() string {
	if len(s.Kinds) == 0 {
		return "{}"
	}
	text, err := json.Marshal(s.Kinds)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// quietText returns the quiet hours as JSON, or nil.
func (s *Settings) quietText() any {
	if s.QuietHours == nil {
		return nil
	}
	text, err := json.Marshal(s.QuietHours)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// Settings returns a user's settings.
func (s *Service) Settings(ctx context.Context, owner journal.UserID) (Settings, error) {
	return db.Get(ctx, s.DB.Peek, func(tx *db.Tx) (Settings, error) { return ReadSettings(ctx, tx, owner) })
}

// UpdateSettings changes what is set and returns the settings. check may be nil; it is
// called with the stored settings and may refuse the change.
func (s *Service) UpdateSettings(ctx context.Context, owner journal.UserID, change SettingsChange, check func(Settings) error) (Settings, error) {
	if _, err := change.apply(Settings{}); err != nil {
		return Settings{}, err
	}
	return db.Get(ctx, s.DB.Update, func(tx *db.Tx) (Settings, error) {
		stored, err := lockSettings(ctx, tx, owner)
		if err != nil {
			return Settings{}, err
		}
		if check != nil {
			if err := check(stored); err != nil {
				return Settings{}, err
			}
		}
		if ids := change.newChannels(stored); len(ids) > 0 {
			if err := s.checkChannels(ctx, tx, owner, ids); err != nil {
				return Settings{}, err
			}
		}
		changed, err := change.apply(stored)
		if err != nil {
			return Settings{}, err
		}
		settingsHistory.Updated(tx, owner, &stored, &changed)
		history.Describe(tx, owner, history.Description{Action: history.Settings})
		return changed, writeSettings(ctx, tx, owner, changed)
	})
}

func (s *Service) checkChannels(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) error {
	if s.CheckChannels == nil {
		return journal.InvalidField("kinds", "kinds names a channel that does not exist.")
	}
	return s.CheckChannels(ctx, tx, owner, ids)
}

// RestoreSettings sets the settings from a backup that have their default and returns how
// many it set. It is a step; invalid settings are refused before anything is written.
func RestoreSettings(ctx context.Context, tx *db.Tx, owner journal.UserID, change SettingsChange) (added int, err error) {
	if _, err := change.apply(Settings{}); err != nil {
		return 0, err
	}
	if len(change.Kinds) == 0 && !change.QuietHours.Set && !change.MaxPerHour.Set {
		return 0, nil
	}
	stored, err := lockSettings(ctx, tx, owner)
	if err != nil {
		return 0, err
	}
	kinds := map[string]KindChange{}
	for name, set := range change.Kinds {
		if stored.Kinds[Kind(name)].isDefault() {
			kinds[name] = set
		}
	}
	change.Kinds = kinds
	change.QuietHours.Set = change.QuietHours.Set && stored.QuietHours == nil
	change.MaxPerHour.Set = change.MaxPerHour.Set && stored.MaxPerHour == 0
	added = len(kinds)
	for _, set := range []bool{change.QuietHours.Set, change.MaxPerHour.Set} {
		if set {
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	changed, err := change.apply(stored)
	if err != nil {
		return 0, err
	}
	return added, writeSettings(ctx, tx, owner, changed)
}

var settingsHistory = history.NewType("alert_settings", fields.List[Settings]{
	fields.NewShown("kinds", func(s *Settings) any { return s.kindsText() }),
	fields.NewShown("quiet_hours", func(s *Settings) any { return s.quietText() }),
	fields.NewShown("max_per_hour", func(s *Settings) any {
		if s.MaxPerHour == 0 {
			return nil
		}
		return int64(s.MaxPerHour)
	}),
}, history.Of[Settings]{ID: func(*Settings) string { return "" }, Label: func(*Settings) string { return "" }})
