package analytics

import (
	"bytes"
	"cmp"
	"strings"
)

// Closing order and opening order. Trades with the same instants are ordered by their
// content and never by their ids, so figures are the same after a restore or an import in
// another order.

// compareTrades compares two trades of one account in closing order.
func compareTrades(a, b *Trade) int {
	if closed := a.ClosedAt.Compare(b.ClosedAt); closed != 0 {
		return closed
	}
	return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), strings.Compare(a.Instrument, b.Instrument),
		strings.Compare(a.External, b.External), cmp.Compare(a.Arrival, b.Arrival))
}

// compareClosing compares rows from two pages in closing order. accounts is the
// comparison of their account names.
func compareClosing(x *page, i int32, y *page, j int32, accounts int) int {
	if x.closed[i] != y.closed[j] {
		return cmp.Compare(x.closed[i], y.closed[j])
	}
	if x.opened[i] != y.opened[j] {
		return cmp.Compare(x.opened[i], y.opened[j])
	}
	return cmp.Or(strings.Compare(x.order.at(i), y.order.at(j)), accounts, compareFirstFills(x, i, y, j))
}

// compareOpening compares in opening order.
func compareOpening(x *page, i int32, y *page, j int32, accounts int) int {
	if x.opened[i] != y.opened[j] {
		return cmp.Compare(x.opened[i], y.opened[j])
	}
	return cmp.Or(strings.Compare(x.order.at(i), y.order.at(j)), accounts, cmp.Compare(x.closed[i], y.closed[j]),
		compareFirstFills(x, i, y, j))
}

func compareFirstFills(x *page, i int32, y *page, j int32) int {
	return cmp.Or(bytes.Compare(x.external.bytesAt(i), y.external.bytesAt(j)), cmp.Compare(x.arrival[i], y.arrival[j]))
}

// texts is a column for strings that rarely repeat, stored back to back.
type texts struct {
	all  []byte
	ends []uint32
}

func (t *texts) push(text string) {
	t.all = append(t.all, text...)
	t.ends = append(t.ends, uint32(len(t.all))) // a page with ids of 200 characters is far smaller
}

func (t *texts) start(row int32) uint32 {
	if row == 0 {
		return 0
	}
	return t.ends[row-1]
}

func (t *texts) bytesAt(row int32) []byte { return t.all[t.start(row):t.ends[row]] }

func (t *texts) at(row int32) string { return string(t.bytesAt(row)) }

func (t *texts) appendRange(from *texts, first, end int32) {
	if first == end {
		return
	}
	start, offset := from.start(first), uint32(len(t.all)) // see push
	t.all = append(t.all, from.all[start:from.ends[end-1]]...)
	for _, at := range from.ends[first:end] {
		t.ends = append(t.ends, at-start+offset)
	}
}

func (t *texts) bytes() int { return cap(t.all) + 4*cap(t.ends) }
