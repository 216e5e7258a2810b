package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
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
	// ZoneOfDays means that there are only days, and no zone in which they are.
	ZoneOfDays ZoneSource = "days"
	// ZoneUnknown means that the times were read in the default zone.
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
