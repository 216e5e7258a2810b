package parse

import (
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
)

// Zone is how a file's clock runs: a time zone, perhaps moved by whole hours. The move is
// for MetaTrader servers whose midnight is 17:00 in New York. They change with New York's
// daylight saving, so neither an eastern Mediterranean zone nor a fixed offset is
// equivalent; America/New_York+7 is.
type Zone struct {
	name     string
	location *time.Location
	shift    time.Duration
}

func utc() Zone { return Zone{name: "UTC", location: time.UTC} }

// String returns the name, which LoadZone reads again.
func (z Zone) String() string { return z.name }

var (
	offsetText = lazyregexp.New(`^(?:UTC|GMT|UT)? ?([+-])(\d{1,2})(?::?([0-5]\d))?$`)
	movedText  = lazyregexp.New(`^([A-Za-z_]+/[A-Za-z_/-]+) ?([+-]) ?(\d{1,2})$`)
)

// farthestOffset is the Line Islands' offset.
const farthestOffset = 14 * time.Hour

// labels are the zone abbreviations in files. Those for the United States and Central
// Europe are taken as a place name and not as an offset, because programs write EST the
// whole year round.
var labels = map[string]string{
	"ET": newYork, "EST": newYork, "EDT": newYork,
	"CT": "America/Chicago", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MT": "America/Denver", "MST": "UTC-07:00", "MDT": "UTC-06:00",
	"PT": "America/Los_Angeles", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"AKST": "UTC-09:00", "AKDT": "UTC-08:00", "ADT": "UTC-03:00", "BRT": "UTC-03:00",
	"UTC": "UTC", "UCT": "UTC", "UT": "UTC", "GMT": "UTC", "Z": "UTC",
	"WET": "UTC", "WEST": "UTC+01:00", "BST": "UTC+01:00",
	"CET": berlin, "CEST": berlin, "CE(S)T": berlin, "MEZ": berlin, "MESZ": berlin,
	"EET": "UTC+02:00", "EEST": "UTC+03:00", "SAST": "UTC+02:00", "MSK": "UTC+03:00", "TRT": "UTC+03:00",
	"PKT": "UTC+05:00", "IST": "UTC+05:30", "ICT": "UTC+07:00", "WIB": "UTC+07:00",
	"HKT": "UTC+08:00", "SGT": "UTC+08:00", "MYT": "UTC+08:00", "PHT": "UTC+08:00", "AWST": "UTC+08:00",
	"JST": "UTC+09:00", "KST": "UTC+09:00", "ACST": "UTC+09:30", "ACDT": "UTC+10:30",
	"AEST": "UTC+10:00", "AEDT": "UTC+11:00", "NZST": "UTC+12:00", "NZDT": "UTC+13:00",
}

const (
	newYork = "America/New_York"
	berlin  = "Europe/Berlin"
)

// LoadZone finds a zone by its IANA name, by an offset such as UTC+2, GMT-4 or +02:00, by
// a common abbreviation, or as an IANA zone moved by whole hours, such as
// America/New_York+7.
func LoadZone(name string) (Zone, error) {
	name = PlainSigns(TrimCell(name))
	if place, ok := labels[strings.ToUpper(name)]; ok {
		name = place
	}
	if name == "UTC" {
		return utc(), nil
	}
	if offset, ok := parseOffset(name); ok {
		return fixedZone(offset), nil
	}
	if location, err := journal.ParseZone("zone", name); err == nil {
		return Zone{name: name, location: location}, nil
	}
	if zone, ok := movedZone(name); ok {
		return zone, nil
	}
	return Zone{}, fmt.Errorf("%q is not a time zone", Shorten(name))
}

// movedZone reads a zone moved by whole hours.
func movedZone(name string) (Zone, bool) {
	parts := movedText().FindStringSubmatch(name)
	if parts == nil {
		return Zone{}, false
	}
	location, err := journal.ParseZone("zone", parts[1])
	hours := number(parts[3])
	shift := time.Duration(hours) * time.Hour
	if err != nil || shift > farthestOffset {
		return Zone{}, false
	}
	if parts[2] == "-" {
		shift = -shift
	}
	return Zone{name: fmt.Sprintf("%s%s%d", parts[1], parts[2], hours), location: location, shift: shift}, true
}

// parseOffset reads a distance from UTC, with or without those letters.
func parseOffset(text string) (time.Duration, bool) {
	parts := offsetText().FindStringSubmatch(strings.ToUpper(text))
	if parts == nil {
		return 0, false
	}
	offset := time.Duration(number(parts[2]))*time.Hour + time.Duration(number(parts[3]))*time.Minute
	if offset > farthestOffset {
		return 0, false
	}
	if parts[1] == "-" {
		offset = -offset
	}
	return offset, true
}

// fixedZone returns a zone that never changes its clocks.
func fixedZone(offset time.Duration) Zone {
	if offset == 0 {
		return utc()
	}
	sign, size := '+', offset
	if offset < 0 {
		sign, size = '-', -offset
	}
	name := fmt.Sprintf("UTC%c%02d:%02d", sign, int(size.Hours()), int(size.Minutes())%60)
	return Zone{name: name, location: time.FixedZone(name, int(offset.Seconds()))}
}

// reading is what a time on a calendar day means in a zone: one instant, two where the
// clocks were put back, or none where they were put forward.
type reading struct {
	earlier, later time.Time // equal where there is only one
	change         time.Time // when the clocks were put back or forward
	gap            bool
}

// read finds the instants at which the zone's clocks show a wall time, which is
// given as if it were UTC.
func (z Zone) read(wall time.Time) reading {
	wall = wall.Add(-z.shift)
	if z.location == time.UTC {
		return reading{earlier: wall, later: wall}
	}
	const aside = 26 * time.Hour // farther than any zone is from UTC, less than between two changes
	before := wall.Add(-z.offset(wall.Add(-aside)))
	after := wall.Add(-z.offset(wall.Add(aside)))
	holdsBefore := z.offset(before) == wall.Sub(before)
	holdsAfter := z.offset(after) == wall.Sub(after)
	switch {
	case before.Equal(after) && holdsBefore:
		return reading{earlier: before, later: before}
	case holdsBefore && holdsAfter:
		start, _ := after.In(z.location).ZoneBounds()
		return reading{earlier: before, later: after, change: start.UTC()}
	case holdsBefore:
		return reading{earlier: before, later: before}
	case holdsAfter:
		return reading{earlier: after, later: after}
	}
	start, _ := before.In(z.location).ZoneBounds()
	return reading{gap: true, change: start.UTC()}
}

// offset is the zone's distance from UTC at an instant.
func (z Zone) offset(at time.Time) time.Duration {
	_, seconds := at.In(z.location).Zone()
	return time.Duration(seconds) * time.Second
}

// startOfDay returns the first instant of a calendar day, which is given as midnight in
// UTC. Where midnight falls into a gap the day starts when the gap ends; a day left out
// by a place, as Samoa did once, has no start.
func (z Zone) startOfDay(midnight time.Time) (time.Time, bool) {
	r := z.read(midnight)
	if !r.gap {
		return r.earlier, true
	}
	shown := r.change.In(z.location).Add(z.shift)
	return r.change, journal.DayOf(shown) == journal.DayOf(midnight)
}
