package files

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"fillbook/internal/prices/market"
)

// binaryReader reads fixed-size records from a binary file.
type binaryReader struct {
	in      *bufio.Reader
	file    *File
	options Options
	record  int
}

// eachRecord calls add with every record. A refused record is counted as a row error. A
// file ending inside a record is damaged.
func (r *binaryReader) eachRecord(size int, add func(record []byte) error) error {
	record := make([]byte, size)
	for {
		_, err := io.ReadFull(r.in, record)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: it ends inside record %d", ErrDamaged, r.record+1)
		}
		if err != nil {
			return err
		}
		r.record++
		r.file.Rows++
		if err := r.options.budget.countRow(); err != nil {
			return err
		}
		err = add(record)
		if _, isLimit := errors.AsType[LimitError](err); isLimit {
			return err
		}
		if err != nil {
			r.options.addError(r.file, r.record, sentence(err))
		}
	}
}

// addSeries adds a series to the file.
func (r *binaryReader) addSeries(s Series) (*Series, error) {
	added, err := r.options.newSeries(s)
	r.file.Series = append(r.file.Series, added)
	return added, err
}

// readHeader reads n bytes at the start of the file.
func (r *binaryReader) readHeader(n int) ([]byte, error) {
	header := make([]byte, n)
	if _, err := io.ReadFull(r.in, header); err != nil {
		return nil, fmt.Errorf("%w: its header is cut off", ErrDamaged)
	}
	return header, nil
}

var little = binary.LittleEndian

// The sizes in MetaTrader's history files.
const (
	hstHeader    = 148
	hstRecord401 = 60
	hstRecord400 = 44

	maxHSTMinutes = 31 * 24 * 60 // a month
	maxHSTDigits  = 12
)

// isHST reports whether a file has a history file header: version, symbol, minutes and
// digits. The text between is the writing program's copyright.
func isHST(start []byte) bool {
	if len(start) < hstHeader {
		return false
	}
	version, minutes, digits := little.Uint32(start), little.Uint32(start[80:]), little.Uint32(start[84:])
	return (version == 400 || version == 401) && start[68] > ' ' && minutes > 0 && minutes <= maxHSTMinutes && digits <= maxHSTDigits
}

// readHST reads MetaTrader 4's history file. Its prices are floats, which are rounded to
// the digits stated in the header.
func readHST(r *binaryReader, _ string) error {
	header, err := r.readHeader(hstHeader)
	if err != nil {
		return err
	}
	minutes, digits := little.Uint32(header[80:]), int32(little.Uint32(header[84:]))
	s, err := r.addSeries(Series{
		Symbol: cleanSymbol(cutZero(header[68:80])), Secs: int64(minutes) * 60, PriceKind: market.BidPrice, VolumeKind: market.TickVolume,
		Clock: Clock{StampKnown: true},
	})
	if err != nil {
		return err
	}
	r.file.Layout = "MetaTrader 4 history"
	if little.Uint32(header) == 400 {
		return r.eachRecord(hstRecord400, func(record []byte) error {
			// Open, low, high, close.
			return s.addFloats(int64(int32(little.Uint32(record))), digits, toFloats(record[4:], 0, 2, 1, 3), int64(math.Float64frombits(little.Uint64(record[36:]))))
		})
	}
	return r.eachRecord(hstRecord401, func(record []byte) error {
		return s.addFloats(int64(little.Uint64(record)), digits, toFloats(record[8:], 0, 1, 2, 3), int64(little.Uint64(record[40:])))
	})
}

func cutZero(text []byte) string {
	before, _, _ := bytes.Cut(text, []byte{0})
	return string(before)
}

// toFloats returns a record's floats in the order open, high, low, close.
func toFloats(record []byte, order ...int) (prices [4]float64) {
	for i, from := range order {
		prices[i] = math.Float64frombits(little.Uint64(record[8*from:]))
	}
	return prices
}

// addFloats adds a bar with float prices and a stated number of decimals.
func (s *Series) addFloats(second int64, digits int32, prices [4]float64, volume int64) error {
	if second < 0 || second > maxSecond {
		return errTime
	}
	v := values{time: second, volume: number{coef: max(volume, 0)}}
	for i, into := range [...]*number{&v.open, &v.high, &v.low, &v.close} {
		n, err := parseNumber(strconv.AppendFloat(nil, prices[i], 'f', int(digits), 64))
		if err != nil {
			return errNumber
		}
		*into = n
	}
	return s.bars.add(v)
}

// maxSecond is in the year 2242, as for dates in text files.
const maxSecond = 1 << 33

// The sizes in Sierra Chart's files.
const (
	scidHeader = 56
	scidRecord = 40
)

// scidEpoch is 30 December 1899 in seconds before 1970.
const scidEpoch = 25569 * secondsOfDay

func isSCID(start []byte) bool {
	return len(start) >= scidHeader && bytes.HasPrefix(start, []byte("SCID")) && little.Uint32(start[8:]) == scidRecord
}

// readSCID reads Sierra Chart's intraday file. A record is a bar, or one trade, which has
// no open: those become bars.
func readSCID(r *binaryReader, name string) error {
	header, err := r.readHeader(scidHeader)
	if err != nil {
		return err
	}
	size := little.Uint32(header[4:])
	if size < scidHeader || size > 1<<16 {
		return fmt.Errorf("%w: its header is not valid", ErrDamaged)
	}
	if _, err := r.readHeader(int(size) - scidHeader); err != nil {
		return err
	}
	s, err := r.addSeries(Series{Symbol: parseName(name).symbol, PriceKind: market.TradePrice, Clock: Clock{Zone: time.UTC, StampKnown: true}, isUTC: true})
	if err != nil {
		return err
	}
	r.file.Layout = "Sierra Chart"
	return r.eachRecord(scidRecord, func(record []byte) error {
		v := values{time: floorSecond(int64(little.Uint64(record))) - scidEpoch, volume: number{coef: int64(little.Uint32(record[28:]))}}
		if v.time < 0 || v.time > maxSecond {
			return errTime
		}
		last, err := toSinglePrice(record[20:])
		if err != nil {
			return err
		}
		v.open, v.high, v.low, v.close = last, last, last, last
		// A single trade's open is zero, or a large negative number if it is part of a
		// bundle; its high and low are ask and bid.
		if open := math.Float32frombits(little.Uint32(record[8:])); open == 0 || open < -1e9 {
			s.Secs = r.options.tickSecs()
			v.time -= v.time % s.Secs
			return s.bars.addTick(v)
		}
		for i, into := range [...]*number{&v.open, &v.high, &v.low} {
			if *into, err = toSinglePrice(record[8+4*i:]); err != nil {
				return err
			}
		}
		return s.bars.add(v)
	})
}

// toSinglePrice returns the shortest decimal for a 32-bit float: 4144.25 and not
// 4144.25000000001.
func toSinglePrice(bits []byte) (number, error) {
	return parseNumber(strconv.AppendFloat(nil, float64(math.Float32frombits(little.Uint32(bits))), 'f', -1, 32))
}

// The sizes in Databento's files.
const (
	dbnPrefix = 8
	dbnRecord = 56
)

func isDBN(start []byte) bool {
	return len(start) >= dbnPrefix && bytes.HasPrefix(start, []byte("DBN"))
}

// readDBN reads a Databento file with bars. Other record kinds are errors.
func readDBN(r *binaryReader, name string) error {
	prefix, err := r.readHeader(dbnPrefix)
	if err != nil {
		return err
	}
	length := little.Uint32(prefix[4:])
	if length > 16<<20 {
		return fmt.Errorf("%w: its header is not valid", ErrDamaged)
	}
	metadata, err := r.readHeader(int(length))
	if err != nil {
		return err
	}
	symbols, hasSendTime := dbnSymbols(metadata, prefix[3])
	size := dbnRecord
	if hasSendTime {
		size += 8
	}
	r.file.Layout = "Databento"
	type key struct {
		instrument uint32
		kind       byte
	}
	found := map[key]*Series{}
	return r.eachRecord(size, func(record []byte) error {
		secs, ok := recordSeconds[strconv.Itoa(int(record[1]))]
		if !ok || int(record[0])*4 != size {
			return fmt.Errorf("record of kind %d is not a bar", record[1])
		}
		k := key{instrument: little.Uint32(record[4:]), kind: record[1]}
		s := found[k]
		if s == nil {
			symbol := symbols[k.instrument]
			if symbol == "" && len(symbols) == 0 {
				symbol = parseName(name).symbol
			}
			var err error
			if s, err = r.addSeries(Series{Symbol: symbol, Secs: secs, PriceKind: market.TradePrice, Clock: Clock{Zone: time.UTC, StampKnown: true}, isUTC: true}); err != nil {
				return err
			}
			found[k] = s
		}
		return s.addDBN(record)
	})
}

// addDBN adds a bar record: prices are integers with nine decimals.
func (s *Series) addDBN(record []byte) error {
	nanos, volume := little.Uint64(record[8:]), little.Uint64(record[48:])
	if nanos > maxSecond*1_000_000_000 || volume > market.MaxNumber {
		return errRange
	}
	v := values{time: int64(nanos / 1_000_000_000), volume: number{coef: int64(volume)}}
	for i, into := range [...]*number{&v.open, &v.high, &v.low, &v.close} {
		price := int64(little.Uint64(record[16+8*i:]))
		if price == math.MaxInt64 { // no price
			return errNumber
		}
		*into = number{coef: price, scale: nanoDecimals}.trim()
	}
	return s.bars.add(v)
}

// The sizes of unused bytes and symbols in DBN metadata.
const (
	dbnReserved1 = 47
	dbnSymbol1   = 22
	dbnReserved  = 53 // since version 2, which states the symbol size
)

// dbnSymbols returns the instrument symbols in DBN metadata, and whether each record ends
// with its send time.
func dbnSymbols(metadata []byte, version byte) (symbols map[uint32]string, hasSendTime bool) {
	d := dbnMetadata{rest: metadata}
	d.skip(16 + 2 + 8 + 8 + 8) // dataset, schema, start, end, limit
	if version == 1 {
		d.skip(8) // record count
	}
	d.skip(1 + 1) // symbol kinds
	if sent := d.take(1); sent != nil {
		hasSendTime = sent[0] == 1
	}
	symbolLength := dbnSymbol1
	if version == 1 {
		d.skip(dbnReserved1)
	} else {
		symbolLength = int(d.uint16())
		d.skip(dbnReserved)
	}
	d.skip(int(d.uint32())) // schema definition
	for range 3 {           // symbols asked for, found in part, not found
		d.skip(int(d.uint32()) * symbolLength)
	}
	symbols = map[uint32]string{}
	for range d.uint32() {
		asked := cutZero(d.take(symbolLength))
		for range d.uint32() {
			d.skip(4 + 4) // first and last day
			found := cutZero(d.take(symbolLength))
			if d.failed {
				return symbols, hasSendTime
			}
			addDBNSymbol(symbols, asked, found)
		}
		if d.failed {
			return symbols, hasSendTime
		}
	}
	return symbols, hasSendTime
}

// addDBNSymbol adds an instrument's symbol. Either the symbol was asked for and a number
// was found, or the other way round.
func addDBNSymbol(symbols map[uint32]string, asked, found string) {
	id, err := strconv.ParseUint(found, 10, 32)
	symbol := asked
	if err != nil {
		id, err = strconv.ParseUint(asked, 10, 32)
		symbol = found
	}
	if err == nil && len(symbols) < maxSeries {
		symbols[uint32(id)] = cleanSymbol(symbol)
	}
}

// dbnMetadata reads the metadata fields. After its end it returns zeros.
type dbnMetadata struct {
	rest   []byte
	failed bool
}

func (d *dbnMetadata) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.failed, d.rest = true, nil
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *dbnMetadata) skip(n int) { d.take(n) }

func (d *dbnMetadata) uint16() uint16 {
	if b := d.take(2); b != nil {
		return little.Uint16(b)
	}
	return 0
}

func (d *dbnMetadata) uint32() uint32 {
	if b := d.take(4); b != nil {
		return little.Uint32(b)
	}
	return 0
}
