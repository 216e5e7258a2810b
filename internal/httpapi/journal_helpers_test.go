package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"fillbook/internal/base/decimal"
)

// more are further request fields.
type more map[string]any

// trader is a signed-in user with an account.
type trader struct {
	*client
	account string
}

// trader creates an account.
func (c *client) addAccount(name string, fields ...more) trader {
	c.w.t.Helper()
	return trader{c, c.made("/accounts", fieldsOf(more{"name": name}, fields...)).text("id")}
}

// trader returns the owner of a new installation with a new account.
func (w *world) trader() trader {
	w.t.Helper()
	return w.setUp().addAccount("Main")
}

// in returns the trader to a subtest.
func (d trader) in(t *testing.T) trader {
	t.Helper()
	return trader{d.client.in(t), d.account}
}

// made creates a record.
func (c *client) made(path string, body any) *reply {
	c.w.t.Helper()
	return c.post(path, body).want(http.StatusCreated)
}

func fieldsOf(base more, extra ...more) more {
	all := maps.Clone(base)
	for _, fields := range extra {
		maps.Copy(all, fields)
	}
	return all
}

// at is an instant so many minutes into the tests' trading day.
func at(minute int) string {
	return time.Date(2026, 1, 5, 15, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute).Format(time.RFC3339)
}

// order returns the body for a fill, written as "buy 100@10".
func (d trader) order(symbol, text string, minute int, extra ...more) more {
	d.w.t.Helper()
	side, rest, _ := strings.Cut(text, " ")
	quantity, price, ok := strings.Cut(rest, "@")
	if !ok {
		d.w.t.Fatalf("%q is no fill", text)
	}
	return fieldsOf(more{
		"account_id": d.account, "symbol": symbol, "side": side, "quantity": json.Number(quantity), "price": json.Number(price),
		"executed_at": at(minute),
	}, extra...)
}

// fill records a fill, written as "buy 100@10".
func (d trader) fill(symbol, text string, minute int, extra ...more) *reply {
	d.w.t.Helper()
	return d.made("/executions", d.order(symbol, text, minute, extra...))
}

// fills records fills a minute apart and returns the answers.
func (d trader) fills(symbol string, first int, texts ...string) []*reply {
	d.w.t.Helper()
	made := make([]*reply, len(texts))
	for i, text := range texts {
		made[i] = d.fill(symbol, text, first+i)
	}
	return made
}

// roundTrip records a closed trade and returns its id.
func (d trader) roundTrip(symbol string) string {
	d.w.t.Helper()
	return d.fills(symbol, 0, "buy 100@10", "sell 100@12")[1].text("trade_id")
}

// trades lists a symbol's trades.
func (d trader) trades(symbol string) *reply {
	d.w.t.Helper()
	return d.get("/trades?symbol=" + symbol).want(http.StatusOK)
}

// trade reads a trade.
func (d trader) trade(id string) *reply {
	d.w.t.Helper()
	return d.get("/trades/" + id).want(http.StatusOK)
}

// annotate changes a trade's annotations.
func (d trader) annotate(trade string, fields any) *reply {
	d.w.t.Helper()
	return d.patch("/trades/"+trade, fields).want(http.StatusOK)
}

// unknown returns an unused id.
func unknown() string { return uuid.Must(uuid.NewV7()).String() }

// holds requires that the value at a path agrees with a JSON pattern: an object must have
// the pattern's fields and may have others, a list must have as many elements, and
// numbers must have the same digits.
func (r *reply) holds(path, pattern string) *reply {
	r.t.Helper()
	decoder := json.NewDecoder(strings.NewReader(pattern))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		r.t.Fatalf("the pattern %s: %v", pattern, err)
	}
	got := r.value(path)
	if diff := cmp.Diff(want, reduced(got, want)); diff != "" {
		r.t.Errorf("%s: %q differs: %s\nin %s", r.call, path, diff, r.body)
	}
	return r
}

// reduced keeps only the fields in the pattern.
func reduced(value, pattern any) any {
	switch p := pattern.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return value
		}
		out := map[string]any{}
		for name := range p {
			if v, there := object[name]; there {
				out[name] = reduced(v, p[name])
			}
		}
		return out
	case []any:
		list, ok := value.([]any)
		if !ok || len(list) != len(p) {
			return value
		}
		out := make([]any, len(list))
		for i := range list {
			out[i] = reduced(list[i], p[i])
		}
		return out
	}
	return value
}

// is requires exactly this JSON at a path.
func (r *reply) is(path, want string) *reply {
	r.t.Helper()
	if got := r.json(path); got != want {
		r.t.Errorf("%s: %q is %s, want %s", r.call, path, got, want)
	}
	return r
}

// json returns the value at a path as JSON, with the original digits.
func (r *reply) json(path string) string {
	r.t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r.value(path)); err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

// wantTag requires the same record tag in two answers.
func (r *reply) wantTag(other *reply) {
	r.t.Helper()
	if r.tag() != other.tag() {
		r.t.Errorf("%s has the tag %s, %s the tag %s", r.call, r.tag(), other.call, other.tag())
	}
}

// column returns one field from every list element.
func (r *reply) column(field string) []string {
	r.t.Helper()
	list, ok := r.value("").([]any)
	if !ok {
		r.t.Fatalf("%s: no list: %s", r.call, r.body)
	}
	column := make([]string, len(list))
	for i, element := range list {
		object, _ := element.(map[string]any)
		switch v := object[field].(type) {
		case string:
			column[i] = v
		case json.Number:
			column[i] = v.String()
		}
	}
	return column
}

// wantColumn requires these values in one field, in order.
func (r *reply) wantColumn(field string, want ...string) *reply {
	r.t.Helper()
	if got := r.column(field); strings.Join(got, "|") != strings.Join(want, "|") {
		r.t.Errorf("%s: %s are %q, want %q", r.call, field, got, want)
	}
	return r
}

// pages follows a list by its Link headers to its end and returns one field from every
// element.
func (c *client) pages(path, field string) (column []string, sizes []int) {
	c.w.t.Helper()
	for len(sizes) < 100 {
		page := c.get(path).want(http.StatusOK)
		column = append(column, page.column(field)...)
		sizes = append(sizes, page.count(""))
		link := page.header.Get("Link")
		if link == "" {
			return column, sizes
		}
		target, rel, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">; ")
		if rel != `rel="next"` || !strings.HasPrefix(target, "/api/v1/") {
			c.w.t.Fatalf("the Link header is %q", link)
		}
		path = strings.TrimPrefix(target, "/api/v1")
	}
	c.w.t.Fatal("the pages have no end")
	return nil, nil
}

// add sums decimals exactly.
func add(t *testing.T, numbers ...string) string {
	t.Helper()
	var sum decimal.Decimal
	for _, text := range numbers {
		number, err := decimal.ParseExact(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		sum = sum.Add(number)
	}
	return sum.String()
}

func itoa(n int) string { return strconv.Itoa(n) }
