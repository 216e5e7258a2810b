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

// signature returns a hash of a file's layout: its preset and its column names. A file
// with a special reader is identified by its preset alone, because its tables differ from
// file to file.
func (c *content) signature() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{c.layout}, c.headers...), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// ZoneSource states what decided the zone for a file's times.
type ZoneSource string

// The sources for a zone. It is empty while columns must be named.
const (
	// ZoneFromFile means that each time names its zone, or its column name does.
	ZoneFromFile    ZoneSource = "file"
	ZoneFromFormat  ZoneSource = "format"  // the format's default
	ZoneFromRequest ZoneSource = "request" // the upload's zone
	// ZoneOfDays means that there are only days, without a zone. They begin in the
	// default zone.
	ZoneOfDays ZoneSource = "days"
	// ZoneUnknown means times read in the default zone, see [DefaultZoneSource].
	ZoneUnknown ZoneSource = "unknown"
)

// zoneSource returns what decided the zone for the file's times.
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

// DefaultZoneSource states where the default zone comes from, which is used for times
// without any other zone.
type DefaultZoneSource string

// The sources for a default zone, in order of use. Only a recognized file is read in the
// user's zone or its market's.
const (
	DefaultFromImport   DefaultZoneSource = "import" // the last import from this broker into the account
	DefaultFromRequest  DefaultZoneSource = "request"
	DefaultFromSettings DefaultZoneSource = "settings" // the journal's time zone
	DefaultFromMarket   DefaultZoneSource = "market"   // the exchange's
	DefaultIsUTC        DefaultZoneSource = "utc"
)

// defaultZone is the zone if nothing says which it is.
type defaultZone struct {
	name string
	from DefaultZoneSource
}

// findDefaultZone returns a file's default zone. The settings are not read if the zone is
// known without them.
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

// readEarlierZone returns the zone used in the last import from a broker into an account,
// or nothing. Fills without ids in both files are found again only if their times are
// read in the same zone.
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

// suggestedZone returns the zone for a file's times, which a recognized one always has:
// the one stated for them all, the format's, the user's or the default. It is empty for
// an unrecognized file without any.
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
