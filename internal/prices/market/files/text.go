package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/prices/market"
)

// maxLine is the maximum line length in a text file. TradingView writes a column for
// every indicator.
const maxLine = 64 << 10

// row is a line cut into cells. The cells are valid until the next line.
type row struct {
	cells [][]byte
}

func (r row) len() int { return len(r.cells) }

func (r row) cell(i int) []byte {
	if i < 0 || i >= len(r.cells) {
		return nil
	}
	return r.cells[i]
}

// split cuts a line at the delimiter. Bar cells contain neither quotes nor line breaks,
// so quotes around a cell are only removed.
func (r *row) split(line []byte, delimiter byte) {
	r.cells = r.cells[:0]
	for {
		i := bytes.IndexByte(line, delimiter)
		cell := line
		if i >= 0 {
			cell = line[:i]
		}
		r.cells = append(r.cells, trimCell(cell))
		if i < 0 {
			return
		}
		line = line[i+1:]
	}
}

// trimCell removes blanks and quotes around a cell, which most have not.
func trimCell(cell []byte) []byte {
	if n := len(cell); n > 0 && isTrimmed(cell[0]) && isTrimmed(cell[n-1]) {
		return cell
	}
	return bytes.Trim(cell, "\" \r")
}

func isTrimmed(c byte) bool { return c != '"' && c != ' ' && c != '\r' }

// textReader reads a text file's lines into series.
type textReader struct {
	file    *File
	options Options
	name    fileName
	layout  layout
	roles   []role
	index   [priceColumn + 1]int // each role's column, or -1
	times   timeParser
	lines   *bufio.Scanner
	// decimals is how many of a price's last digits are decimals.
	decimals int32
	// hasDecimalCommas allows numbers like 1,25, because commas do not separate cells.
	hasDecimalCommas bool

	line int
	row  row
	// series by the texts of symbol, period and record; last is the previous row's.
	series  map[string]*Series
	lastKey []byte
	last    *Series
	// rates are the column series in a reference rates file, nil for a column without
	// one.
	rates []*Series
}

// readText reads a text file.
func readText(in io.Reader, name string, options Options) (*File, error) {
	r := &textReader{file: &File{}, options: options, name: parseName(name), series: map[string]*Series{}}
	r.times.order, r.times.isProven = options.dates, options.dates != 0
	buffered := bufio.NewReaderSize(in, sniffed)
	start, _ := buffered.Peek(sniffed)
	r.lines = bufio.NewScanner(buffered)
	if options.budget.lines == nil {
		options.budget.lines = make([]byte, maxLine)
	}
	r.lines.Buffer(options.budget.lines, maxLine)
	if bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(bytes.TrimSuffix(start, []byte{'\r'}), '\r') >= 0 {
		r.lines.Split(scanReturns)
	}
	delimiter, err := r.findLayout(name)
	if err != nil {
		return nil, err
	}
	r.hasDecimalCommas = delimiter != ','
	add := r.addRow
	if r.rates != nil {
		add = r.addRates
	}
	for {
		if err := add(); err != nil {
			return nil, err
		}
		if !r.next() {
			break
		}
		r.row.split(r.lines.Bytes(), delimiter)
	}
	if err := r.lines.Err(); err != nil {
		return nil, lineError(err, r.line)
	}
	return r.file, r.finish()
}

// scanReturns is a [bufio.SplitFunc] for lines ending with a carriage return only, as
// from old Macintosh programs.
func scanReturns(data []byte, isEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\r'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if isEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func lineError(err error, line int) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: line %d is too long", ErrDamaged, line+1)
	}
	return err
}

// next reads the next non-empty line.
func (r *textReader) next() bool {
	for r.lines.Scan() {
		r.line++
		if len(bytes.TrimSpace(r.lines.Bytes())) > 0 {
			return true
		}
	}
	return false
}

// findLayout reads the header, if there is one, and the first row, and finds the
// layout.
func (r *textReader) findLayout(name string) (delimiter byte, err error) {
	if !r.next() {
		return 0, orError(lineError(r.lines.Err(), 0), ErrNoBars)
	}
	first := bytes.Clone(r.lines.Bytes())
	delimiter = findDelimiter(first)
	header := parseHeader(first, delimiter)
	if header != nil && !r.next() {
		return 0, orError(lineError(r.lines.Err(), r.line), ErrNoBars)
	}
	r.row.split(r.lines.Bytes(), delimiter)
	if currencies := parseRatesHeader(header); currencies != nil {
		return delimiter, r.useRates(currencies)
	}
	for _, l := range layouts {
		if l.fits(name, header, r.row) {
			r.useLayout(l, header)
			return delimiter, nil
		}
	}
	return 0, ErrUnknownLayout
}

func orError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// findDelimiter returns the most frequent delimiter in the line.
func findDelimiter(line []byte) byte {
	best := byte(',')
	for _, delimiter := range []byte{';', '\t'} {
		if bytes.Count(line, []byte{delimiter}) > bytes.Count(line, []byte{best}) {
			best = delimiter
		}
	}
	return best
}

// parseHeader returns the column names, or nil if the line is data: a header has no cell
// beginning with a digit. Names may be quoted.
func parseHeader(line []byte, delimiter byte) []string {
	if trimmed := bytes.TrimLeft(line, `" `); len(trimmed) == 0 || trimmed[0] >= '0' && trimmed[0] <= '9' {
		return nil
	}
	reader := csv.NewReader(bytes.NewReader(line))
	reader.Comma, reader.LazyQuotes, reader.TrimLeadingSpace = rune(delimiter), true, true
	names, err := reader.Read()
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = normalizeName(name)
	}
	return names
}

func (r *textReader) useLayout(l layout, header []string) {
	r.layout, r.file.Layout = l, l.name
	if r.roles = l.columns; header != nil {
		r.roles = assignRoles(header)
	}
	for i := range r.index {
		r.index[i] = -1
	}
	for i, found := range r.roles {
		r.index[found] = i
	}
	if l.nanoPrices && r.hasNanoPrices() {
		r.decimals = nanoDecimals
	}
}

// nanoDecimals is the number of decimals in Databento's prices.
const nanoDecimals = 9

// hasNanoPrices reports whether the current row's prices are integers with nine decimals:
// they have no point, and are at least a cent.
func (r *textReader) hasNanoPrices() bool {
	const cent = 10_000_000
	largest := int64(0)
	for _, column := range [...]role{openColumn, highColumn, lowColumn, closeColumn} {
		n, err := strconv.ParseInt(string(r.cellOf(column)), 10, 64)
		if err != nil {
			return false
		}
		largest = max(largest, n, -n)
	}
	return largest >= cent
}

func (r *textReader) cellOf(of role) []byte { return r.row.cell(r.index[of]) }

// addRow adds the current row to its series, or to the file's errors. A returned error
// ends the file.
func (r *textReader) addRow() error {
	r.file.Rows++
	if err := r.options.budget.countRow(); err != nil {
		return err
	}
	problem, err := r.readRow()
	if problem != "" {
		r.options.addError(r.file, r.line, problem)
	}
	return err
}

// readRow adds the current row to its series, or returns why it cannot be read.
func (r *textReader) readRow() (problem string, err error) {
	at, err := r.parseTime()
	if _, ok := errors.AsType[dateOrderError](err); ok {
		return "", err
	}
	if err != nil {
		return "The time can't be read.", nil //nolint:nilerr // a problem of the row
	}
	s, err := r.seriesOf(at)
	if s == nil {
		return "The symbol is too long.", err
	}
	if s.isUTC != at.isUTC {
		return "The time has an offset from UTC in some rows and none in others.", nil
	}
	v, problem := r.parseValues()
	if problem != "" {
		return problem, nil
	}
	v.time = floorSecond(at.micros)
	if r.layout.ticks {
		v.time -= v.time % s.Secs
	}
	into := s.collectorOf(v.time)
	add := into.add
	if r.layout.ticks {
		add = into.addTick
	}
	if refused := add(v); refused != nil {
		return sentence(refused), nil
	}
	return "", nil
}

func (r *textReader) parseTime() (moment, error) {
	at, err := r.times.parse(r.cellOf(timeColumn), r.cellOf(clockColumn))
	if r.layout.datesAreDays {
		at = at.toDay()
	}
	at.isUTC = at.isUTC && (!at.isUnix || !r.layout.localUnix)
	return at, err
}

func floorSecond(micros int64) int64 {
	second := micros / microsOfSecond
	if micros%microsOfSecond < 0 {
		second--
	}
	return second
}

// sentence returns an error as a sentence for users.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (r *textReader) parseValues() (v values, problem string) {
	if r.layout.ticks {
		return r.parseTick()
	}
	for _, part := range [...]struct {
		into   *number
		column role
		name   string
	}{
		{&v.open, openColumn, "open"},
		{&v.high, highColumn, "high"},
		{&v.low, lowColumn, "low"},
		{&v.close, closeColumn, "close"},
	} {
		n, err := r.parsePrice(r.cellOf(part.column))
		if err != nil {
			return values{}, "The " + part.name + " isn't a number."
		}
		*part.into = n
	}
	return v, r.parseVolume(&v)
}

// parsePrice parses a price, whose last digits are decimals in some files.
func (r *textReader) parsePrice(text []byte) (number, error) {
	if r.decimals == 0 {
		return r.parseNumber(text)
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n == math.MaxInt64 { // no price
		return number{}, errNumber
	}
	return number{coef: n, scale: r.decimals}.trim(), nil
}

// parseNumber parses a number, which may have a decimal comma if commas do not separate
// cells.
func (r *textReader) parseNumber(text []byte) (number, error) {
	n, err := parseNumber(text)
	if err == nil || !r.hasDecimalCommas {
		return n, err
	}
	whole, decimals, found := bytes.Cut(text, []byte{','})
	if !found || bytes.ContainsAny(decimals, ",.") || bytes.IndexByte(whole, '.') >= 0 {
		return n, err
	}
	return parseNumber(slices.Concat(whole, []byte{'.'}, decimals))
}

func (r *textReader) parseTick() (v values, problem string) {
	price, err := r.parseNumber(r.cellOf(priceColumn))
	if err != nil {
		return values{}, "The price isn't a number."
	}
	v.open, v.high, v.low, v.close = price, price, price, price
	return v, r.parseVolume(&v)
}

// parseVolume parses the volume and the tick count. An empty one, and words such as NaN
// and null, are none; Interactive Brokers writes -1 for none.
func (r *textReader) parseVolume(v *values) (problem string) {
	for _, part := range [...]struct {
		into   *number
		column role
	}{{&v.volume, volumeColumn}, {&v.ticks, tickVolumeColumn}} {
		text := r.cellOf(part.column)
		n, err := r.parseNumber(text)
		switch {
		case err == nil && n.coef > 0:
			*part.into = n
		case err != nil && !isNothing(text):
			return "The volume isn't a number."
		}
	}
	return ""
}

func isNothing(text []byte) bool {
	switch strings.ToLower(string(text)) {
	case "", "nan", "null", "none", "-":
		return true
	}
	return false
}

// seriesOf returns the current row's series, or nil if its symbol is too long.
func (r *textReader) seriesOf(at moment) (*Series, error) {
	symbol := r.cellOf(symbolColumn)
	period, record := r.cellOf(periodColumn), r.cellOf(recordColumn)
	if r.last != nil && len(r.lastKey) == len(symbol)+len(period)+len(record)+2 && r.isLast(symbol, period, record) {
		return r.last, nil
	}
	r.lastKey = append(append(append(append(append(r.lastKey[:0], symbol...), 0), period...), 0), record...)
	if found := r.series[string(r.lastKey)]; found != nil {
		r.last = found
		return found, nil
	}
	if r.last = nil; len(r.lastKey) > maxKey {
		return nil, nil
	}
	added, err := r.newSeries(string(symbol), string(period), string(record), at)
	if err != nil {
		return nil, err
	}
	r.last = added
	r.series[string(r.lastKey)] = r.last
	r.file.Series = append(r.file.Series, r.last)
	return r.last, nil
}

// maxKey is the maximum total length of symbol, period and record.
const maxKey = 4 * maxSymbol

func (r *textReader) isLast(symbol, period, record []byte) bool {
	key := r.lastKey
	return bytes.HasPrefix(key, symbol) && bytes.HasSuffix(key, record) && bytes.Equal(key[len(symbol)+1:len(symbol)+1+len(period)], period)
}

func (r *textReader) newSeries(symbol, period, record string, at moment) (*Series, error) {
	s := Series{
		Symbol: cleanSymbol(symbol), Secs: r.name.secs, PriceKind: market.TradePrice,
		Clock: Clock{Zone: loadZone(r.layout.zone), Stamp: r.layout.stamp, StampKnown: r.layout.stampKnown},
	}
	if symbol == "" {
		s.Symbol = r.name.symbol
	}
	if s.isUTC = at.isUTC; at.isUTC {
		s.Clock.Zone = time.UTC
	}
	if period != "" {
		s.Secs = parsePeriod(period)
	}
	if secs, ok := recordSeconds[record]; ok {
		s.Secs = secs
	}
	if r.layout.ticks {
		s.Secs, s.Clock.StampKnown = r.options.tickSecs(), true
	}
	switch {
	case r.name.price != "":
		s.PriceKind = r.name.price
	case r.layout.price != "":
		s.PriceKind = r.layout.price
	}
	return r.options.newSeries(s)
}

// recordSeconds are the bar lengths by Databento's record kinds.
var recordSeconds = map[string]int64{"32": 1, "33": 60, "34": 60 * 60, "35": 24 * 60 * 60}

// finish sets what follows from the whole file only.
func (r *textReader) finish() error {
	isNewestFirst := false
	for _, s := range r.file.Series {
		isNewestFirst = isNewestFirst || s.bars.isNewest
		s.finish(r.layout.volume)
	}
	r.file.Series = slices.DeleteFunc(r.file.Series, func(s *Series) bool { return s.bars.count == 0 })
	if len(r.file.Series) == 0 {
		if len(r.file.Errors) == 0 {
			return ErrNoBars // a rates file may have no rate
		}
		first := r.file.Errors[0]
		return fmt.Errorf("%w that can be read. Row %d: %s", ErrNoBars, first.Row, strings.TrimSuffix(first.Reason, "."))
	}
	if r.layout.name == "FirstRate Data" && isNewestFirst {
		r.file.Layout = "Alpha Vantage"
		for _, s := range r.file.Series {
			s.Clock.Stamp = market.CloseStamp
		}
	}
	return nil
}
