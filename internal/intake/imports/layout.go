package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/settings"
)

// signature returns a hash of the layout of a file: the preset that fits it and
// the names of its columns. A file with a reader of its own is identified by its
// preset alone, because its tables differ from file to file.
func (c *content) signature() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{c.layout}, c.headers...), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// ZoneSource states what decided the zone of the times of a file.
type ZoneSource string

// The sources of a zone. It is empty while columns must be named.
const (
	// ZoneFromFile means that each time names its zone, or the name of its column
	// does.
	ZoneFromFile    ZoneSource = "file"
	ZoneFromFormat  ZoneSource = "format"  // the default of the format
	ZoneFromRequest ZoneSource = "request" // the zone of the upload
	// ZoneOfDays means that there are only days, and no zone in which they are. They
	// begin in the default zone.
	ZoneOfDays ZoneSource = "days"
	// ZoneUnknown means that the times were read in the default zone, see
	// [DefaultZoneSource].
	ZoneUnknown ZoneSource = "unknown"
)

// zoneSource returns what decided the zone of the times of the file.
func (c *content) zoneSource() ZoneSource {
	if c.statement == nil {
		return ""
	}
	switch times, days := c.statement.Unzoned(); {
	case !times && !days:
		return ZoneFromFile
	case c.zone != "":
		return ZoneFromRequest
	case c.found.Preset.Zone != "":
		return ZoneFromFormat
	case times:
		return ZoneUnknown
	}
	return ZoneOfDays
}

// DefaultZoneSource states where the default zone comes from, in which times
// are read that nothing else places.
type DefaultZoneSource string

// The sources of a default zone, in the order in which they are used. Only a
// recognized file is read in the user's zone or that of its market.
const (
	DefaultFromImport   DefaultZoneSource = "import" // the last import from this broker into the account
	DefaultFromRequest  DefaultZoneSource = "request"
	DefaultFromSettings DefaultZoneSource = "settings" // the time zone of the journal
	DefaultFromMarket   DefaultZoneSource = "market"   // that of the exchange
	DefaultIsUTC        DefaultZoneSource = "utc"
)

// defaultZone is the zone of times if nothing says which it is.
type defaultZone struct {
	name string
	from DefaultZoneSource
}

// findDefaultZone returns the default zone of a file. The settings are not read
// for a file whose zone is known without them.
func (s *choices) findDefaultZone(
	ctx context.Context, owner journal.UserID, up Upload, account journal.AccountID, c *content,
) (defaultZone, error) {
	preset := c.found.Preset
	if !c.isRecognized() || cmp.Or(up.Zone, preset.Zone) != "" {
		if up.DefaultZone != "" {
			return defaultZone{up.DefaultZone, DefaultFromRequest}, nil
		}
		return defaultZone{"UTC", DefaultIsUTC}, nil
	}
	var stored settings.Journal
	var earlier string
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if earlier, err = readEarlierZone(ctx, tx, owner, account, preset.Broker); err != nil {
			return err
		}
		stored, err = settings.Read(ctx, tx, owner)
		return err
	})
	switch {
	case err != nil:
		return defaultZone{}, err
	case earlier != "":
		return defaultZone{earlier, DefaultFromImport}, nil
	case up.DefaultZone != "":
		return defaultZone{up.DefaultZone, DefaultFromRequest}, nil
	case stored.Timezone != "":
		return defaultZone{stored.Timezone, DefaultFromSettings}, nil
	case preset.MarketZone != "":
		return defaultZone{preset.MarketZone, DefaultFromMarket}, nil
	}
	return defaultZone{"UTC", DefaultIsUTC}, nil
}

// readEarlierZone returns the zone of the last import from a broker into an account,
// or nothing. Fills without ids that both files contain are found again only if their
// times are read in the same zone.
func readEarlierZone(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, broker string) (zone string, err error) {
	err = tx.QueryRow(ctx, `SELECT source_tz FROM import_batches
		WHERE user_id = $1 AND account_id = $2 AND broker = $3 AND status = 'committed' AND source_tz <> ''
		ORDER BY created_at DESC, id DESC LIMIT 1`, owner, account, broker).Scan(&zone)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	return zone, err
}

// isRecognized reports whether a preset fits the file.
func (c *content) isRecognized() bool { return c.layout != "" }

// suggestedZone returns the zone for the times of a file, which a recognized one
// always has: the one that it states for all of them, that of the format, the
// user's or the default. It is empty if nothing says which zone an unrecognized file
// has.
func (c *content) suggestedZone() string {
	stated := ""
	if c.statement != nil {
		stated = c.statement.StatedZone()
	}
	zone := cmp.Or(c.found.Preset.Zone, c.zone)
	switch c.zoneSource() {
	case ZoneFromFile:
		zone = cmp.Or(stated, zone)
	case ZoneOfDays:
		zone = cmp.Or(zone, stated)
	case ZoneFromFormat, ZoneFromRequest, ZoneUnknown:
	}
	if zone == "" && c.isRecognized() {
		return c.defaultZone.name
	}
	return zone
}
