package excursions

import (
	"encoding/binary"
	"errors"

	"fillbook/internal/decimal"
	"fillbook/internal/market"
)

// errDamaged is the error of a stored result that cannot be decoded.
var errDamaged = errors.New("excursions: damaged result")

// codecVersion is the first byte of a stored result.
const codecVersion = 1

// encode returns the result as it is stored. Equal results have equal bytes.
func (r *Result) encode() []byte {
	c := codec{data: append(make([]byte, 0, 128), codecVersion)}
	r.code(&c)
	return c.data
}

// decodeResult returns a stored result.
func decodeResult(data []byte) (r Result, err error) {
	if len(data) == 0 || data[0] != codecVersion {
		return Result{}, errDamaged
	}
	c := codec{data: data[1:], isReading: true}
	r.code(&c)
	if c.failed || len(c.data) > 0 {
		return Result{}, errDamaged
	}
	return r, nil
}

// code lists the fields of a result in the order in which they are stored.
func (r *Result) code(c *codec) {
	codeText(c, &r.Reason)
	c.amount(&r.Coverage)
	context := &r.Context
	for _, n := range []*decimal.Null{&context.ATR, &context.GapPct, &context.RelativeVolume, &context.OpeningRangePlace} {
		c.number(n)
	}
	if r.Reason != "" {
		return
	}
	for _, b := range []*market.Bounds{&r.MAE, &r.MFE} {
		c.amount(&b.Low)
		c.amount(&b.High)
	}
	for _, n := range []*int64{&r.FillsChecked, &r.FillsInside, &r.FillsWithoutBar, &r.BarSecs, &r.SessionEnd} {
		c.integer(n)
	}
	codeText(c, &r.PriceKind)
	codeText(c, &r.Source)
	for _, n := range []*decimal.Null{&r.GrossAtExit, &r.BestExitLow, &r.BestExitHigh} {
		c.number(n)
	}
	for i := range r.AfterExit {
		c.number(&r.AfterExit[i])
	}
}

// codec writes or reads values. After a failure it reads nothing.
type codec struct {
	data              []byte
	isReading, failed bool
}

func (c *codec) integer(n *int64) {
	if !c.isReading {
		c.data = binary.AppendVarint(c.data, *n)
		return
	}
	value, size := binary.Varint(c.data)
	if size <= 0 {
		c.failed, c.data = true, nil
		return
	}
	*n, c.data = value, c.data[size:]
}

func (c *codec) bytes(text []byte) []byte {
	if !c.isReading {
		c.data = append(binary.AppendUvarint(c.data, uint64(len(text))), text...)
		return nil
	}
	length, size := binary.Uvarint(c.data)
	if size <= 0 || length > uint64(len(c.data)-size) {
		c.failed, c.data = true, nil
		return nil
	}
	text, c.data = c.data[size:size+int(length)], c.data[size+int(length):] //nolint:gosec // it is at most the length of data
	return text
}

func codeText[T ~string](c *codec, text *T) {
	if read := c.bytes([]byte(*text)); c.isReading {
		*text = T(read)
	}
}

// number codes a number as its text, and an absent one as an empty text.
func (c *codec) number(n *decimal.Null) {
	var buffer [40]byte
	var text []byte
	if n.Valid && !c.isReading {
		text = n.AppendTo(buffer[:0])
	}
	read := c.bytes(text)
	if !c.isReading || len(read) == 0 {
		return
	}
	d, err := decimal.ParseExact(string(read))
	if err != nil {
		c.failed = true
		return
	}
	*n = decimal.Of(d)
}

func (c *codec) amount(d *decimal.Decimal) {
	n := decimal.Null{Decimal: *d, Valid: !c.isReading}
	c.number(&n)
	if c.isReading {
		c.failed = c.failed || !n.Valid
		*d = n.Decimal
	}
}
