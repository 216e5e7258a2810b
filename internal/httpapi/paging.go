package httpapi

import (
	"context"
	"encoding/base64"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// Paging is the input of a list that can be read in pages. Without limit the
// list is whole.
type Paging struct {
	Limit  intParam `query:"limit" minimum:"1" maximum:"1000" doc:"Page size, 1 to 1000; without it the list is whole."`
	Cursor string   `query:"cursor" doc:"From the Link header of the page before."`
	url    url.URL
}

// Resolve remembers the address, for the link to the next page.
func (p *Paging) Resolve(ctx huma.Context) []error {
	p.url = ctx.URL()
	return nil
}

const maxPage = 1000

// pageSize is the page size, 0 for the whole list.
func (p *Paging) pageSize() (int, error) {
	if p.Limit == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(string(p.Limit))
	if err != nil || n < 1 || n > maxPage {
		return 0, journal.InvalidField("limit", "limit must be a whole number from 1 to %d.", maxPage)
	}
	return n, nil
}

// decodeCursor opens the cursor, which holds so many keys of the last record of
// the page before; nil where there is no cursor.
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

// isInvalidText tells of what PostgreSQL would not take as an id.
func isInvalidText(key string) bool { return !utf8.ValidString(key) || strings.ContainsRune(key, 0) }

func invalidCursor() error {
	return journal.InvalidField("cursor", "cursor must be one that a Link header gave.")
}

// nextLink points to the page that begins after the record with these keys.
func (p *Paging) nextLink(keys ...string) string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(url.Values{"k": keys}.Encode()))
	query := p.url.Query()
	query.Set("cursor", cursor)
	return "<" + p.url.Path + "?" + query.Encode() + `>; rel="next"`
}

// timeKeys are the keys of a record in a list that is sorted by an instant.
func timeKeys(at time.Time, id string) []string {
	return []string{strconv.FormatInt(at.UnixMicro(), 10), id}
}

// decodeTimeCursor reads what timeKeys wrote.
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

// tradeKeyCount is how many keys the place of a trade has.
const tradeKeyCount = 8

// tradeKeys are the keys of a trade in a list of trades.
func tradeKeys(at ledger.TradeCursor) []string {
	keys := make([]string, 0, tradeKeyCount)
	for _, number := range []int64{at.ListedAt, at.OpenedAt, at.ClosedAt, at.Arrival, at.AccountNumber} {
		keys = append(keys, strconv.FormatInt(number, 10))
	}
	return append(keys, at.Instrument, at.Account, at.External)
}

// decodeTradeCursor reads what tradeKeys wrote, nil where there is no cursor.
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

// playbookPage is the page in the playbook's words. It asks for one record
// more than wanted, to know whether there is a next page.
func (p *Paging) playbookPage() (playbook.Page, error) {
	size, err := p.pageSize()
	if err != nil {
		return playbook.Page{}, err
	}
	at, id, _, err := p.decodeTimeCursor()
	if size > 0 {
		size++
	}
	return playbook.Page{Limit: size, After: playbook.Position{At: at, ID: id}}, err
}

// listing is the answer of a list: its headers, and the records as they are
// read.
type listing[T any] struct {
	link  string
	total string
	each  func(emit func(T) error) error
}

// newListing is a listing of records that are already there. More than size of
// them mean that there is a next page, which keys points to.
func newListing[From, To any](p *Paging, records []From, total int, shape func(From) To, keys func(From) []string) (*listing[To], error) {
	size, err := p.pageSize()
	if err != nil {
		return nil, err
	}
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
	return out, nil
}

// paginate is a listing of a short list that was read whole. The cursor names the
// last record of the page before, and its place in case it is gone meanwhile.
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
	})
}

// registerList adds an operation that answers with a list. The list is written
// while it is read, so that memory stays flat however long it is.
func registerList[In, T any](a *API, r route, handler func(context.Context, *In) (*listing[T], error)) {
	requireExportedEmbeds(reflect.TypeFor[In](), r)
	requireExportedEmbeds(reflect.TypeFor[T](), r)
	operation := a.operation(r)
	operation.Responses = map[string]*huma.Response{"200": {
		Description: "OK",
		Headers: map[string]*huma.Param{
			"Link":          {Description: `The next page, rel="next".`, Schema: &huma.Schema{Type: huma.TypeString}},
			"X-Total-Count": {Description: "How many records there are in all; with limit.", Schema: &huma.Schema{Type: huma.TypeInteger}},
		},
		Content: map[string]*huma.MediaType{"application/json": {
			Schema: a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[[]T](), true, r.id+"List"),
		}},
	}}
	huma.Register(a.huma, operation, func(ctx context.Context, in *In) (*huma.StreamResponse, error) {
		list, err := handler(ctx, in)
		if err != nil {
			return nil, toErrorAnswer(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) { writeList(hc, list) }}, nil
	})
}
