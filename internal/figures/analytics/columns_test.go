package analytics

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Ids in any form are stored and distinguished.
func TestIDs(t *testing.T) {
	t.Parallel()
	ids := []journal.TradeID{
		"", "a", "b", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-8000-000000000000", "0198c0de-0000-7000-8000-000000000001",
		"0198c0de-0000-7000-8000-00000000000a", "0198C0DE-0000-7000-8000-00000000000A", "{0198c0de-0000-7000-8000-00000000000a}",
		"urn:uuid:0198c0de-0000-7000-8000-00000000000a", "0198c0de00007000800000000000000a", "ffffffff-ffff-ffff-ffff-ffffffffffff", "zzz",
	}
	rows := make([]Trade, len(ids))
	for i, id := range ids {
		rows[i].ID, rows[i].Arrival = id, int64(i)
	}
	c := BuildColumns("a", rows)
	var got []journal.TradeID
	for i := range c.Len() {
		got = append(got, c.Trade(i).ID)
	}
	if !slices.Equal(got, ids) {
		t.Errorf("got %q, want %q", got, ids)
	}
	for i, id := range ids {
		left := c.WithChanges(nil, ids[:i+1])
		if left.Len() != len(ids)-i-1 || slices.ContainsFunc(allRows(left), func(row Trade) bool { return row.ID == id }) {
			t.Errorf("%d rows are left, want %q removed", left.Len(), id)
		}
	}
}

// A trade takes about 130 bytes, and unused optional columns take nothing.
func TestBytes(t *testing.T) {
	t.Parallel()
	rows := generateTrades(5000)
	annotated := BuildColumns("a", rows).Bytes()
	for i := range rows {
		rows[i].InitialRisk, rows[i].MFE, rows[i].MAE = decimal.Null{}, decimal.Null{}, decimal.Null{}
	}
	plain := BuildColumns("a", rows).Bytes()
	if plain/5000 > 140 || annotated-plain < 2*8*5000 || BuildColumns("a", nil).Bytes() > 100 {
		t.Errorf("%d bytes a trade, %d with optional columns, %d without trades", plain/5000, annotated/5000, BuildColumns("a", nil).Bytes())
	}
}

// Many small changes do not make the columns grow.
func TestManyChangesStaySmall(t *testing.T) {
	t.Parallel()
	rows := generateTrades(500)
	c := BuildColumns("a", rows)
	first := c.Bytes()
	for i := range 300 {
		row := rows[i]
		row.Net = row.Net.Add(decimal.New(1))
		c = c.WithChanges([]Trade{row}, nil)
	}
	if c.Len() != 500 || c.Bytes() > first*11/10 {
		t.Errorf("%d rows take %d bytes, took %d", c.Len(), c.Bytes(), first)
	}
}

// If new rows need a larger scale or width, old rows keep their values.
func TestWithWidens(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	c := BuildColumns("a", []Trade{{ID: "b", ClosedAt: at, Net: decimal.Must("1.25")}})
	for _, net := range []string{"0.000000000000000001", "99999999999999999999", "123456789012345678901234567890.123456789012345678"} {
		c = c.WithChanges([]Trade{{ID: "a", ClosedAt: at, Net: decimal.Must(net)}}, nil)
		if rows := allRows(c); len(rows) != 2 || rows[0].Net.String() != net || rows[1].Net.String() != "1.25" {
			t.Errorf("with %s: %v", net, rows)
		}
	}
	if c = c.WithChanges(nil, []journal.TradeID{"a"}); c.Len() != 1 || c.Trade(0).Net.String() != "1.25" {
		t.Errorf("%d rows are left", c.Len())
	}
}

func TestDimensionsAreParsed(t *testing.T) {
	t.Parallel()
	for _, by := range Dimensions() {
		if got, err := ParseDimension("by", string(by)); err != nil || got != by {
			t.Errorf("%s: %s, %v", by, got, err)
		}
	}
	for _, text := range []string{"", "Symbol", "luck", "symbol "} {
		_, err := ParseDimension("by", text)
		var refusal *journal.Error
		if !errors.As(err, &refusal) || refusal.Details["field"] != "by" || !strings.Contains(refusal.Message, "hold_time") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A small selection from a large account is in the same opening order as the same trades
// alone.
func TestOpeningOrderOfAFew(t *testing.T) {
	t.Parallel()
	rows := generateTrades(3000)
	rows[1500].OpenedAt = rows[1000].OpenedAt
	from, to := rows[1400].ClosedAt, rows[1520].ClosedAt
	filter := Filter{Period: journal.Period{From: &from, To: &to}}
	few := SelectTrades([]*Columns{BuildColumns("a", rows)}, filter)
	var alone []Trade
	for _, p := range few.picks {
		alone = append(alone, few.pages[p.source].trade(p.row))
	}
	other := SelectTrades([]*Columns{BuildColumns("a", alone)}, filter)
	if few.Len() < 50 || !slices.Equal(few.sortByOpening(), other.sortByOpening()) {
		t.Errorf("%d trades open in the order %v, alone %v", few.Len(), few.sortByOpening(), other.sortByOpening())
	}
	if slices.IsSorted(few.sortByOpening()) {
		t.Error("trades open in the order in which they close; the test needs another order")
	}
}
