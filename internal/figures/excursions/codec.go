package excursions

import (
	"encoding/binary"
	"errors"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// errDamaged reports a stored result that cannot be decoded.
var errDamaged = errors.New("excursions: damaged result")

// codecVersion is a stored result's first byte.
const codecVersion = 3

// appendTo appends the result as it is stored. Equal results have equal bytes.
func (r *Result) appendTo(data []byte) []byte {
	c := codec{data: append(data, codecVersion)}
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

// code lists a result's fields in storage order.
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
	c.flag(&r.IsOtherSide)
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

func (c *codec) flag(is *bool) {
	n := int64(0)
	if *is {
		n = 1
	}
	c.integer(&n)
	*is = n == 1
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
	text, c.data = c.data[size:size+int(length)], c.data[size+int(length):] // it is at most the data length
	return text
}

func codeText[T ~string](c *codec, text *T) {
	if read := c.bytes([]byte(*text)); c.isReading {
		*text = T(read)
	}
}

// textNumber is the first byte for a number stored as text, because it has more than 18
// digits. The first byte is 0 if the number is absent, and otherwise its number of
// decimals plus 1.
const textNumber = 255

// number codes an optional number.
func (c *codec) number(n *decimal.Null) {
	if c.isReading {
		c.readNumber(n)
		return
	}
	if !n.Valid {
		c.data = append(c.data, 0)
		return
	}
	coef, scale, ok := n.Decimal.Scaled()
	if !ok {
		c.data = append(c.data, textNumber)
		c.bytes(n.AppendTo(nil))
		return
	}
	c.data = binary.AppendVarint(append(c.data, byte(scale+1)), coef)
}

func (c *codec) readNumber(n *decimal.Null) {
	if len(c.data) == 0 {
		c.failed = true
		return
	}
	first := c.data[0]
	c.data = c.data[1:]
	switch {
	case first == 0:
	case first == textNumber:
		d, err := decimal.ParseExact(string(c.bytes(nil)))
		c.failed = c.failed || err != nil
		*n = decimal.Of(d)
	case first > maxDecimals+1:
		c.failed, c.data = true, nil
	default:
		var coef int64
		c.integer(&coef)
		*n = decimal.Of(decimal.FromScaled(coef, int32(first)-1))
	}
}

// maxDecimals is the most decimals for a number not stored as text.
const maxDecimals = 18

func (c *codec) amount(d *decimal.Decimal) {
	n := decimal.Null{Decimal: *d, Valid: !c.isReading}
	c.number(&n)
	if c.isReading {
		c.failed = c.failed || !n.Valid
		*d = n.Decimal
	}
}
