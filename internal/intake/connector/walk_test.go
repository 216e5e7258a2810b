package connector_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

var (
	start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	week  = connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"}
)

// walk fetches two streams of some pages with one fill each.
func walk(t *testing.T, query connector.Query, kept map[string]string) connector.Delivery {
	t.Helper()
	rows := connector.NewRows(query, "Test")
	stream := func(name string, pages int) connector.Stream {
		return connector.Stream{Name: name, Fetch: func(_ context.Context, position string) (string, error) {
			page, _ := strconv.Atoi(position)
			id := fmt.Sprint(name, page)
			if record, isNew := rows.Start(id); isNew {
				record.AddFill(statement.Fill{
					ID: id, Symbol: "BTCUSDT", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(1), At: start.Add(time.Duration(page) * time.Second),
				}, "USDT")
			}
			if page+1 == pages {
				return "", nil
			}
			return strconv.Itoa(page + 1), nil
		}}
	}
	d, err := rows.Walk(t.Context(), kept, []connector.Stream{stream("a", 3), stream("b", 2)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for maxRows, want := range map[int]string{0: "a0 b0 a1 b1 a2", 1: "a0|a1|a2|b0|b1", 2: "a0 a1|b0 a2|b1", 3: "a0 a1 a2|b0 b1"} {
		query := week
		query.MaxRows = maxRows
		var got []string
		for {
			d := walk(t, query, map[string]string{"seen": "yes"})
			var ids []string
			for _, f := range d.Statement.Fills {
				ids = append(ids, f.ID)
			}
			got = append(got, strings.Join(ids, " "))
			query.State, query.IsContinued = d.State, true
			if connector.Kept(query)["seen"] != "yes" {
				t.Errorf("state %s", d.State)
			}
			if !d.IsPartial {
				break
			}
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%d rows: got %s, want %s", maxRows, text, want)
		}
	}
	fresh := week
	fresh.State = `{"progress": {"stream": "b", "position": "1"}}`
	if d := walk(t, fresh, nil); len(d.Statement.Fills) != 5 || d.State != "" {
		t.Errorf("another time begins with %d fills, state %q", len(d.Statement.Fills), d.State)
	}
	d, err := connector.NewRows(week, "Test").Walk(t.Context(), nil, []connector.Stream{
		{Name: "a", Fetch: func(context.Context, string) (string, error) { return "same", nil }},
	})
	if err != nil || !errors.Is(d.Stopped, remote.ErrMalformed) {
		t.Errorf("the same page again and again: stopped by %v, error %v", d.Stopped, err)
	}
}

// TestWalkKeepsCompletePages lets each page fail once after half of it was read. Each
// delivery ends with the page before, and the next one goes on there.
func TestWalkKeepsCompletePages(t *testing.T) {
	t.Parallel()
	query, failed := week, map[string]bool{}
	var got []string
	for range 20 {
		rows, kept := connector.NewRows(query, "Test"), connector.Kept(query)
		fetch := func(_ context.Context, position string) (string, error) {
			page, _ := strconv.Atoi(position)
			kept["pages"] += "."
			rows.AddMessage("page %d", page)
			for half := range 2 {
				if half == 1 && !failed[position] {
					failed[position] = true
					return "", remote.ErrUnavailable
				}
				id := fmt.Sprint(page, "-", half)
				record, _ := rows.Start(id)
				record.AddFill(statement.Fill{ID: id, Symbol: "BTCUSDT", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(1), At: start}, "USDT")
			}
			if page == 4 {
				return "", nil
			}
			return strconv.Itoa(page + 1), nil
		}
		d, err := rows.Walk(t.Context(), kept, []connector.Stream{{Name: "a", Fetch: fetch}})
		if err != nil { // the first page failed
			if !errors.Is(err, remote.ErrUnavailable) || d.Statement != nil {
				t.Errorf("error %v", err)
			}
			continue
		}
		var ids []string
		for _, f := range d.Statement.Fills {
			ids = append(ids, f.ID)
		}
		got = append(got, strings.Join(ids, " ")+" "+strings.Join(d.Messages, ","))
		query.State, query.IsContinued = d.State, true
		if !d.IsPartial {
			break
		}
		if !errors.Is(d.Stopped, remote.ErrUnavailable) {
			t.Errorf("stopped by %v", d.Stopped)
		}
	}
	want := "0-0 0-1 page 0|1-0 1-1 page 1|2-0 2-1 page 2|3-0 3-1 page 3|4-0 4-1 page 4"
	if text := strings.Join(got, "|"); text != want || connector.Kept(query)["pages"] != "....." {
		t.Errorf("got %s, want %s; kept %v", text, want, connector.Kept(query))
	}
}

// TestWalkBeginsAgain has a position the broker no longer knows.
func TestWalkBeginsAgain(t *testing.T) {
	t.Parallel()
	query := week
	query.State, query.IsContinued = `{"progress": {"stream": "a", "position": "old"}}`, true
	var asked []string
	fetch := func(_ context.Context, position string) (string, error) {
		if asked = append(asked, position); position == "old" {
			return "", &remote.Error{Kind: remote.ErrRefused}
		}
		return "", nil
	}
	d, err := connector.NewRows(query, "Test").Walk(t.Context(), nil, []connector.Stream{{Name: "a", Fetch: fetch}})
	if err != nil || d.IsPartial || strings.Join(asked, ",") != "old," {
		t.Errorf("%v, asked %q", err, asked)
	}
}

func TestOrderOfOneInstant(t *testing.T) {
	t.Parallel()
	rows := connector.NewRows(week, "Test")
	for i, order := range []int64{3, 1, 2, 2} {
		record, _ := rows.Start(strconv.Itoa(i))
		record.Order = order
		record.AddFill(statement.Fill{ID: strconv.Itoa(i), Symbol: "A", Quantity: decimal.New(1), At: start}, "")
	}
	var ids strings.Builder
	for _, f := range rows.Delivery().Statement.Fills {
		ids.WriteString(f.ID)
	}
	if ids.String() != "1230" {
		t.Errorf("the fills are in the order %s", ids.String())
	}
}
