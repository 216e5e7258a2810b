package analytics

import (
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Columns can be stored and read again, much faster than they are built from trades. The
// stored copy may be deleted at any time.

// StoredFormat is the version of the stored form. It must be raised with every change to
// the columns or to the meaning of their values.
const StoredFormat = 7

// storedPage is a page's stored form.
type storedPage struct {
	IDs                      []byte
	OtherIDs                 []journal.TradeID
	Opened, Closed, Arrival  []int64
	ByOpening                []int32
	Externals                []byte
	ExternalEnds             []uint32
	Amounts                  []storedAmounts // amountColumns, then rankedAmounts
	Optionals                []storedOptional
	Excursion                []storedOptional
	Sides, Qualities, States []byte
	Dictionaries             []storedDictionary
}

type storedAmounts struct {
	Scale     int32
	Bits      int
	Narrow    []int64
	High      []int64 // for wide numbers
	Low       []uint64
	Unbounded []string
	IsNarrow  bool // an empty list is stored as none
}

type storedOptional struct {
	Rows    int
	Present []bool
	Values  storedAmounts
}

type storedDictionary struct {
	Values []string
	Codes  []int32
}

// Write writes the columns.
func (c *Columns) Write(w io.Writer) error {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	out := gob.NewEncoder(io.MultiWriter(w, sum))
	err := out.Encode(len(c.pages))
	for _, p := range c.pages {
		if err == nil {
			err = out.Encode(p.toStored())
		}
	}
	if err != nil {
		return fmt.Errorf("writing columns: %w", err)
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// ReadColumns reads an account's columns written by [Columns.Write]. It returns an error
// if a byte has changed.
func ReadColumns(account journal.AccountID, r io.Reader) (*Columns, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	source := &byteReader{r: io.TeeReader(r, sum)}
	in := gob.NewDecoder(source) // reads no further than it needs, because source is an io.ByteReader
	var n int
	if err := in.Decode(&n); err != nil {
		return nil, fmt.Errorf("reading columns: %w", err)
	}
	stored := make([]storedPage, 0, min(max(n, 0), 1<<16))
	for range n {
		var p storedPage
		if err := in.Decode(&p); err != nil {
			return nil, fmt.Errorf("reading columns: %w", err)
		}
		stored = append(stored, p)
	}
	want, got := sum.Sum(nil), make([]byte, crc32.Size)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != string(want) {
		return nil, errors.Join(errors.New("reading columns: the checksum differs"), err)
	}
	c := &Columns{account: account, pageRows: pageRows}
	for i := range stored {
		c.pages = append(c.pages, stored[i].toPage(account))
	}
	return c, nil
}

// byteReader makes a reader an io.ByteReader, so gob adds no buffer.
type byteReader struct{ r io.Reader }

func (b *byteReader) Read(p []byte) (int, error) { return b.r.Read(p) }

func (b *byteReader) ReadByte() (byte, error) {
	var one [1]byte
	_, err := io.ReadFull(b.r, one[:])
	return one[0], err
}

func (c *page) toStored() *storedPage {
	s := &storedPage{
		IDs: make([]byte, 0, 16*len(c.ids.keys)), OtherIDs: c.ids.others, Opened: c.opened, Closed: c.closed, Arrival: c.arrival,
		ByOpening: c.byOpening, Externals: c.external.all, ExternalEnds: c.external.ends, Qualities: c.quality,
	}
	for _, key := range c.ids.keys {
		s.IDs = append(s.IDs, key[:]...)
	}
	for _, a := range append(c.amountColumns(), c.rankedAmounts()...) {
		s.Amounts = append(s.Amounts, a.toStored())
	}
	for _, o := range append(c.optionalColumns(), c.rankedOptionals()...) {
		s.Optionals = append(s.Optionals, o.toStored())
	}
	for i := range c.excursion {
		s.Excursion = append(s.Excursion, c.excursion[i].toStored())
	}
	for i := range c.side {
		s.Sides, s.States = append(s.Sides, byte(c.side[i])), append(s.States, byte(c.state[i]))
	}
	for _, d := range c.dictionaries() {
		s.Dictionaries = append(s.Dictionaries, storedDictionary{Values: d.values, Codes: d.codes})
	}
	return s
}

func (s *storedPage) toPage(account journal.AccountID) *page {
	c := &page{
		account: account, ids: idColumn{keys: make([]idKey, len(s.IDs)/16), others: s.OtherIDs},
		opened: s.Opened, closed: s.Closed, arrival: s.Arrival, byOpening: s.ByOpening,
		external: texts{all: s.Externals, ends: s.ExternalEnds}, quality: s.Qualities,
		side: make([]Side, len(s.Sides)), state: make([]rowState, len(s.States)),
	}
	c.setLazyValues()
	for i := range c.ids.keys {
		c.ids.keys[i] = idKey(s.IDs[16*i:])
	}
	for i, a := range append(c.amountColumns(), c.rankedAmounts()...) {
		*a = s.Amounts[i].toAmounts()
	}
	for i, o := range append(c.optionalColumns(), c.rankedOptionals()...) {
		*o = s.Optionals[i].toOptional()
	}
	for i := range c.excursion {
		c.excursion[i] = s.Excursion[i].toOptional()
	}
	for i := range c.side {
		c.side[i], c.state[i] = Side(s.Sides[i]), rowState(s.States[i])
	}
	for i, d := range c.dictionaries() {
		d.values, d.codes, d.codeOf = s.Dictionaries[i].Values, s.Dictionaries[i].Codes, map[string]int32{}
		for code, value := range d.values {
			d.codeOf[value] = int32(code)
		}
	}
	return c
}

func (o *optional) toStored() storedOptional {
	return storedOptional{Rows: o.rows, Present: o.present, Values: o.values.toStored()}
}

func (s *storedOptional) toOptional() optional {
	return optional{rows: s.Rows, present: s.Present, values: s.Values.toAmounts()}
}

func (a *amounts) toStored() storedAmounts {
	s := storedAmounts{Scale: a.scale, Bits: a.bits, Narrow: a.narrow, IsNarrow: a.narrow != nil}
	for _, v := range a.wide {
		s.High, s.Low = append(s.High, v.hi), append(s.Low, v.lo)
	}
	for _, d := range a.unbounded {
		s.Unbounded = append(s.Unbounded, d.String())
	}
	return s
}

func (s *storedAmounts) toAmounts() amounts {
	a := amounts{scale: s.Scale, bits: s.Bits, narrow: s.Narrow}
	if s.IsNarrow && a.narrow == nil {
		a.narrow = []int64{}
	}
	for i := range s.High {
		a.wide = append(a.wide, int128{hi: s.High[i], lo: s.Low[i]})
	}
	for _, text := range s.Unbounded {
		a.unbounded = append(a.unbounded, decimal.Must(text))
	}
	return a
}
