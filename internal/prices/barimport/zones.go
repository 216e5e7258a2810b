package barimport

import (
	"context"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/trading/settings"
)

var offsetText = lazyregexp.New(`^([+-])(\d{2}):([0-5]\d)$`)

// parseZone parses an IANA name or an offset such as +02:00.
func parseZone(text string) (*time.Location, error) {
	if parts := offsetText().FindStringSubmatch(text); parts != nil {
		hours, _ := strconv.Atoi(parts[2])
		minutes, _ := strconv.Atoi(parts[3])
		seconds := hours*3600 + minutes*60
		if seconds > 14*3600 {
			return nil, journal.InvalidField("tz", "tz must be at most 14 hours from UTC.")
		}
		if parts[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(text, seconds), nil
	}
	zone, err := journal.ParseZone("tz", text)
	if err != nil {
		return nil, journal.InvalidField("tz", "The time zone %q is not known. Use a name such as America/New_York or an offset such as +02:00.", text)
	}
	return zone, nil
}

// userZone returns the owner's journal time zone, or nil.
func userZone(ctx context.Context, tx *db.Tx, owner journal.UserID) (*time.Location, error) {
	stored, err := settings.Read(ctx, tx, owner)
	return stored.Location(), err
}

// commonZones are those of exchanges and broker servers. They are tried last, for files
// spanning a clock change.
var commonZones = func() (zones []*time.Location) {
	for _, name := range []string{"America/New_York", "America/Chicago", "Europe/London", "Europe/Berlin", "Europe/Athens"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic("barimport: " + err.Error())
		}
		zones = append(zones, zone)
	}
	return zones
}()
