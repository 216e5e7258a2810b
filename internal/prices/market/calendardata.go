package market

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed calendars.txt
var calendarsText string

// InstrumentKind is by what an instrument is found in calendars.txt.
type InstrumentKind string

// The line kinds.
const (
	BySuffix   InstrumentKind = "suffix"
	ByExchange InstrumentKind = "exchange"
	ByFutures  InstrumentKind = "futures"
	ByRoot     InstrumentKind = "roots"
	ByCFD      InstrumentKind = "cfd"
)

// calendarTable is the parsed data.
type calendarTable struct {
	calendars   map[string]Calendar
	instruments map[InstrumentKind]map[string]Calendar
}

// calendars parses the embedded data at first use. The package's tests ensure that the
// data is valid; it panics otherwise.
var calendars = sync.OnceValue(func() calendarTable {
	table, err := readCalendars(calendarsText)
	if err != nil {
		panic("market: calendars.txt: " + err.Error())
	}
	return table
})

// FindCalendar returns an instrument's calendar by its suffix, exchange, root or name, in
// capital letters. It returns false if none.
func FindCalendar(by InstrumentKind, key string) (Calendar, bool) {
	found, ok := calendars().instruments[by][key]
	return found, ok
}

// FindCFDCalendar returns the calendar for the CFD whose name in calendars.txt is the
// longest beginning of a symbol.
func FindCFDCalendar(symbol string) (Calendar, bool) {
	for n := len(symbol); n > 0; n-- {
		if found, ok := FindCalendar(ByCFD, symbol[:n]); ok {
			return found, true
		}
	}
	return Calendar{}, false
}

func mustFindCalendar(name string) Calendar {
	found, ok := calendars().calendars[name]
	if !ok {
		panic("market: calendars.txt has no calendar " + name)
	}
	return found
}

// calendarReader parses the data file; the file documents its notation.
type calendarReader struct {
	table calendarTable
	// current has the lines in the current calendar or set, uses the included sets.
	current *schedule
	sets    map[string]*schedule
	uses    map[*schedule][]string
}

func readCalendars(text string) (calendarTable, error) {
	r := calendarReader{
		table: calendarTable{calendars: map[string]Calendar{}, instruments: map[InstrumentKind]map[string]Calendar{}},
		sets:  map[string]*schedule{}, uses: map[*schedule][]string{},
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if err := r.add(fields[0], fields[1:]); err != nil {
			return r.table, fmt.Errorf("line %d: %w", number, err)
		}
	}
	for name, c := range r.table.calendars {
		if err := r.includeSets(c.schedule, c.schedule, 0); err != nil {
			return r.table, fmt.Errorf("calendar %s: %w", name, err)
		}
	}
	return r.table, nil
}

func (r *calendarReader) add(word string, fields []string) (err error) {
	if len(fields) == 0 && word != "broker" {
		return fmt.Errorf("%s has no values", word)
	}
	switch word {
	case "calendar":
		return r.addCalendar(fields)
	case "set":
		r.current = &schedule{name: fields[0], ends: minutesOfDay}
		r.sets[fields[0]] = r.current
		return nil
	case "suffix", "exchange", "futures", "roots", "cfd":
		return r.addInstruments(InstrumentKind(word), fields)
	}
	if r.current == nil {
		return fmt.Errorf("%s is outside of a calendar", word)
	}
	switch s := r.current; word {
	case "ends":
		s.ends, err = parseMinute(fields[0])
	case "hours":
		err = s.addHours(fields)
	case "wide":
		s.wide, err = s.parseIntervals(fields)
	case "broker":
		s.isBroker = true
	case "use":
		r.uses[s] = append(r.uses[s], fields...)
	case "closed":
		err = s.addRules(dayRule{kind: isClosed}, fields)
	case "early":
		err = s.addEarly(fields)
	case "short":
		err = s.addShort(fields)
	default:
		err = errors.New("the word is not known")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	return nil
}

func (r *calendarReader) addCalendar(fields []string) error {
	if len(fields) != 2 {
		return errors.New("a calendar has a name and a zone")
	}
	if _, taken := r.table.calendars[fields[0]]; taken {
		return fmt.Errorf("%s occurs twice", fields[0])
	}
	r.current = &schedule{name: fields[0], zone: loadZone(fields[1]), ends: minutesOfDay}
	r.table.calendars[fields[0]] = Calendar{r.current}
	return nil
}

func (r *calendarReader) addInstruments(kind InstrumentKind, fields []string) error {
	c, known := r.table.calendars[fields[0]]
	if !known {
		return fmt.Errorf("the calendar %s is not defined above", fields[0])
	}
	if r.table.instruments[kind] == nil {
		r.table.instruments[kind] = map[string]Calendar{}
	}
	for _, key := range fields[1:] {
		if _, taken := r.table.instruments[kind][key]; taken {
			return fmt.Errorf("%s occurs twice", key)
		}
		r.table.instruments[kind][key] = c
	}
	return nil
}

// includeSets adds the rules from the sets used by a calendar or set.
func (r *calendarReader) includeSets(into, from *schedule, depth int) error {
	const maxDepth = 4
	for _, name := range r.uses[from] {
		set, known := r.sets[name]
		if !known || depth == maxDepth {
			return fmt.Errorf("the set %s is not defined or uses itself", name)
		}
		into.days = append(into.days, set.days...)
		if err := r.includeSets(into, set, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *schedule) addHours(fields []string) (err error) {
	var p period
	if date, err := time.Parse(time.DateOnly, fields[0]); err == nil {
		p.from, fields = date.Unix(), fields[1:]
	} else {
		p.from = utcDate(1, 1, 1)
	}
	if n := len(s.periods); n > 0 && p.from <= s.periods[n-1].from {
		return errors.New("the dates are not in order")
	}
	if len(fields) > 0 && fields[0] == "daily" {
		p.isDaily, fields = true, fields[1:]
	}
	p.hours, err = s.parseIntervals(fields)
	s.periods = append(s.periods, p)
	return err
}

func (s *schedule) addEarly(fields []string) error {
	minute, err := parseMinute(fields[0])
	if err != nil {
		return err
	}
	return s.addRules(dayRule{kind: isEarly, close: minute}, fields[1:])
}

func (s *schedule) addShort(fields []string) error {
	hours, err := s.parseIntervals(fields[:1])
	if err != nil {
		return err
	}
	return s.addRules(dayRule{kind: isShort, hours: hours}, fields[1:])
}

func (s *schedule) addRules(rule dayRule, patterns []string) (err error) {
	for _, text := range patterns {
		if rule.days, err = parsePattern(text); err != nil {
			return err
		}
		s.days = append(s.days, rule)
	}
	return nil
}

// parseIntervals parses parts of a session in time order. Times after the session's end
// are on the day before it.
func (s *schedule) parseIntervals(fields []string) (list []interval, err error) {
	if len(fields) == 0 {
		return nil, errors.New("the hours are missing")
	}
	last := s.ends - minutesOfDay
	for _, field := range fields {
		from, to, _ := strings.Cut(field, "-")
		var i interval
		if i.from, err = parseMinute(from); err != nil {
			return nil, err
		}
		if i.to, err = parseMinute(to); err != nil {
			return nil, err
		}
		if s.ends < minutesOfDay && i.from >= s.ends {
			i.from -= minutesOfDay
		}
		if s.ends < minutesOfDay && i.to > s.ends {
			i.to -= minutesOfDay
		}
		if i.from < last || i.to <= i.from {
			return nil, fmt.Errorf("%s is not after the hours before it, or outside of the session", field)
		}
		list, last = append(list, i), i.to
	}
	return list, nil
}

// parseMinute parses a time up to 24:00.
func parseMinute(text string) (int, error) {
	hourText, minuteText, _ := strings.Cut(text, ":")
	hour, err := strconv.Atoi(hourText)
	if err != nil {
		return 0, err
	}
	minute, err := strconv.Atoi(minuteText)
	if err != nil || len(minuteText) != 2 || minute >= 60 || hour*60+minute > minutesOfDay || hour < 0 {
		return 0, fmt.Errorf("%s is not a time of day", text)
	}
	return hour*60 + minute, nil
}
