package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Paging is the input for a list with pages. Without limit the list is complete.
type Paging struct {
	Limit  intParam[pageRange] `query:"limit" doc:"The page size, 1 to 1000. Without it the list is complete."`
	Cursor string              `query:"cursor" doc:"The cursor from the Link header of the previous page."`
	url    *url.URL
}

// resolve stores the request URL for the link to the next page.
func (p *Paging) resolve(r *http.Request) error {
	p.url = r.URL
	return nil
}

const maxPage = 1000

type pageRange struct{}

func (pageRange) bounds() (least, most int) { return 1, maxPage }

// pageSize returns the page size, or 0 for the complete list.
func (p *Paging) pageSize() int { return p.Limit.Value }

// decodeCursor returns the keys of the previous page's last record, or nil without a
// cursor. keys is how many there must be.
func (p *Paging) decodeCursor(keys int) ([]string, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	values, err2 := url.ParseQuery(string(text))
	if err != nil || err2 != nil || len(values["k"]) != keys || slices.ContainsFunc(values["k"], isInvalidText) {
		return nil, invalidCursor()
	}
	return values["k"], nil
}

// isInvalidText reports whether PostgreSQL would refuse a text as an id.
func isInvalidText(key string) bool { return !utf8.ValidString(key) || strings.ContainsRune(key, 0) }

func invalidCursor() error {
	return journal.InvalidField("cursor", "cursor is not valid. Use the one from the Link header of the previous page.")
}

// encodeCursor returns the cursor for the page after the record with these keys.
func encodeCursor(keys ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(url.Values{"k": keys}.Encode()))
}

// nextLink returns the link to the page after the record with these keys.
func (p *Paging) nextLink(keys ...string) string {
	query := p.url.Query()
	query.Set("cursor", encodeCursor(keys...))
	return "<" + p.url.Path + "?" + query.Encode() + `>; rel="next"`
}

// timeKeys returns a record's keys in a list sorted by an instant.
func timeKeys(at time.Time, id string) []string {
	return []string{strconv.FormatInt(at.UnixMicro(), 10), id}
}

// decodeTimeCursor parses a cursor with timeKeys.
func (p *Paging) decodeTimeCursor() (at time.Time, id string, given bool, err error) {
	keys, err := p.decodeCursor(2)
	if err != nil || keys == nil {
		return time.Time{}, "", false, err
	}
	micros, err := strconv.ParseInt(keys[0], 10, 64)
	if err != nil {
		return time.Time{}, "", false, invalidCursor()
	}
	return time.UnixMicro(micros).UTC(), keys[1], true, nil
}

// tradeKeyCount is how many keys locate a trade.
const tradeKeyCount = 8

// tradeKeys returns a trade's keys in a trade list.
func tradeKeys(at ledger.TradeCursor) []string {
	keys := make([]string, 0, tradeKeyCount)
	for _, number := range []int64{at.ListedAt, at.OpenedAt, at.ClosedAt, at.Arrival, at.AccountNumber} {
		keys = append(keys, strconv.FormatInt(number, 10))
	}
	return append(keys, at.Instrument, at.Account, at.External)
}

// decodeTradeCursor parses a cursor with tradeKeys. It returns nil if none.
func (p *Paging) decodeTradeCursor() (*ledger.TradeCursor, error) {
	keys, err := p.decodeCursor(tradeKeyCount)
	if err != nil || keys == nil {
		return nil, err
	}
	return parseTradeCursor(keys)
}

func parseTradeCursor(keys []string) (*ledger.TradeCursor, error) {
	at := &ledger.TradeCursor{Instrument: keys[5], Account: keys[6], External: keys[7]}
	for i, into := range []*int64{&at.ListedAt, &at.OpenedAt, &at.ClosedAt, &at.Arrival, &at.AccountNumber} {
		number, err := strconv.ParseInt(keys[i], 10, 64)
		if err != nil {
			return nil, invalidCursor()
		}
		*into = number
	}
	return at, nil
}

// playbookPage returns the page for package playbook, with one more record than
// the page has, which shows whether there is a next page.
func (p *Paging) playbookPage() (playbook.Page, error) {
	size := p.pageSize()
	at, id, _, err := p.decodeTimeCursor()
	if size > 0 {
		size++
	}
	return playbook.Page{Limit: size, After: playbook.Position{At: at, ID: id}}, err
}

// listing is a list answer: its headers and a function for reading the records.
type listing[T any] struct {
	link    string
	total   string
	headers map[string]string // further ones; may be nil
	each    func(emit func(T) error) error
}

// newListing returns a listing with the given records. If there is one more than the page
// size, it has a link to the next page, made from keys.
func newListing[From, To any](p *Paging, records []From, total int, shape func(From) To, keys func(From) []string) *listing[To] {
	size := p.pageSize()
	out := &listing[To]{}
	if size > 0 {
		out.total = strconv.Itoa(total)
	}
	if size > 0 && len(records) > size {
		records = records[:size]
		out.link = p.nextLink(keys(records[size-1])...)
	}
	out.each = func(emit func(To) error) error {
		for _, record := range records {
			if err := emit(shape(record)); err != nil {
				return err
			}
		}
		return nil
	}
	return out
}

// paginate returns a page of a short list in memory. The cursor has the id of the
// previous page's last record, and its position in case the record has been deleted
// since.
func paginate[From, To any](p *Paging, records []From, shape func(From) To, id func(From) string) (*listing[To], error) {
	keys, err := p.decodeCursor(2)
	if err != nil {
		return nil, err
	}
	first := 0
	if keys != nil {
		place, err := strconv.Atoi(keys[1])
		if err != nil || place < 1 {
			return nil, invalidCursor()
		}
		first = slices.IndexFunc(records, func(record From) bool { return id(record) == keys[0] }) + 1
		if first == 0 {
			first = min(place-1, len(records))
		}
	}
	places := make([]int, len(records)-first)
	for i := range places {
		places[i] = first + i
	}
	return newListing(p, places, len(records), func(i int) To { return shape(records[i]) }, func(i int) []string {
		return []string{id(records[i]), strconv.Itoa(i + 1)}
	}), nil
}

// namedRecord is a record for access tokens with scope analytics.
type namedRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// namesOf returns a list with only the ids and names.
func namesOf[T any](list *listing[T]) *listing[namedRecord] {
	return &listing[namedRecord]{link: list.link, total: list.total, each: func(emit func(namedRecord) error) error {
		return list.each(func(record T) error {
			var named namedRecord
			text, err := appendRecord(nil, &record)
			if err == nil {
				err = json.Unmarshal(text, &named)
			}
			if err != nil {
				return err
			}
			return emit(named)
		})
	}}
}

// registerList registers a list route. The list is written while it is read, so memory
// use does not depend on its length.
func registerList[In, T any](a *API, r route, handler func(context.Context, *In) (*listing[T], error)) {
	a.addRoute(r, reflect.TypeFor[In](), reflect.TypeFor[listAnswer[T]](), func(ctx context.Context, in any) (any, error) {
		list, err := handler(ctx, in.(*In))
		if err != nil {
			return nil, err
		}
		if r.showsNamesOnly(caller(ctx)) {
			return &streamed{func(w http.ResponseWriter, r *http.Request) { writeList(w, r, namesOf(list)) }}, nil
		}
		return &streamed{func(w http.ResponseWriter, r *http.Request) { writeList(w, r, list) }}, nil
	})
}

// listAnswer describes the answer of a list route.
type listAnswer[T any] struct {
	Body []T
	Link string `header:"Link" doc:"The next page, rel=\"next\"."`
	// Total is empty for a complete list.
	Total int `header:"X-Total-Count" doc:"The number of records in all pages; only with limit."`
}
