package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
)

// Users of the journal.
const (
	email    = "keeper@example.org"
	guest    = "guest@example.org"
	password = "kept for all versions to come"
)

// release describes a stored journal: credentials, and responses of that
// version. The owner has a second factor, whose codes depend on the clock, so
// the requests use a token; the guest has none.
type release struct {
	Token    string                     `json:"access_token"`
	Guest    string                     `json:"guest"`
	Password string                     `json:"password"`
	Answers  map[string]json.RawMessage `json:"answers"`
}

// client sends requests and keeps the first error.
type client struct {
	address, token string
	err            error
}

// call sends a request and returns the fields of the response.
func (c *client) call(ctx context.Context, method, path, contentType string, body []byte) map[string]any {
	answer := map[string]any{}
	if text := c.request(ctx, method, path, contentType, body); len(text) > 0 && text[0] == '{' && c.err == nil {
		c.err = json.Unmarshal(text, &answer)
	}
	return answer
}

func (c *client) request(ctx context.Context, method, path, contentType string, body []byte) []byte {
	if c.err != nil {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		c.err = err
		return nil
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.err = err
		return nil
	}
	defer response.Body.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}
	c.err = err
	return text
}

// send sends JSON formatted with args and returns the id of the response.
func (c *client) send(ctx context.Context, method, path, body string, args ...any) (id string) {
	id, _ = c.call(ctx, method, path, "application/json", fmt.Appendf(nil, body, args...))["id"].(string)
	return id
}

// upload sends a file with the field account_id.
func (c *client) upload(ctx context.Context, path, account, name, content string) map[string]any {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("account_id", account)
	_ = form.WriteField("source_tz", "America/New_York")
	part, _ := form.CreateFormFile("file", name)
	_, _ = io.WriteString(part, content)
	_ = form.Close()
	return c.call(ctx, http.MethodPost, path, form.FormDataContentType(), body.Bytes())
}

const fills = `Date,Time,Symbol,Side,Quantity,Price,Commission
2026-03-02,09:31:07,AAPL,Buy,100,189.25,1.00
2026-03-02,10:02:44,AAPL,Sell,100,190.10,1.00
2026-03-03,09:45:00,MSFT,Buy,50,402.10,1.00
2026-03-03,09:58:30,MSFT,Sell,80,400.90,1.00
2026-03-04,11:15:00,MSFT,Buy,30,399.05,0.35
2026-03-05,15:59:59,TSLA,Sell,12.5,251.333333,0
`

const again = `Date,Time,Symbol,Side,Quantity,Price,Commission
2026-03-09,09:31:07,NVDA,Buy,10,120.5,1.00
`

// picture is a minimal PNG.
const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"

// createJournal creates a journal with records of every kind.
func createJournal(ctx context.Context, address string) (*release, error) {
	c := &client{address: address}
	first := c.call(ctx, http.MethodPost, "/setup", "application/json", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password))
	c.token, _ = first["access_token"].(string)
	account := c.send(ctx, http.MethodPost, "/accounts", `{"name":"Main","broker":"Example","starting_balance":10000}`)
	futures := c.send(ctx, http.MethodPost, "/accounts", `{"name":"Futures","account_type":"margin","starting_balance":"5000.50"}`)
	c.upload(ctx, "/imports/commit", account, "fills.csv", fills)
	reversed, _ := c.upload(ctx, "/imports/commit", account, "more.csv", again)["import_batch_id"].(string)
	c.send(ctx, http.MethodDelete, "/imports/"+reversed, "")
	trade := c.addTrade(ctx, futures)
	c.annotate(ctx, account, trade)
	c.addRoutine(ctx)
	c.send(ctx, http.MethodPost, "/admin/users", `{"email":%q,"password":%q}`, guest, password)
	result := &release{Guest: guest, Password: password}
	result.Token, _ = c.call(ctx, http.MethodPost, "/access-tokens", "application/json", []byte(`{"name":"script","scope":"read"}`))["token"].(string)
	link := c.call(ctx, http.MethodPost, "/share-links", "application/json", []byte(`{"expires_in_days":0}`))
	c.enableSecondFactor(ctx)
	result.Answers = c.recordResponses(ctx, fmt.Sprint(link["token"]), trade)
	return result, c.err
}

// addTrade enters a future with a reversal in one fill, and returns the id of
// the first trade.
func (c *client) addTrade(ctx context.Context, account string) string {
	const fill = `{"account_id":%q,"symbol":"ESH6","instrument_type":"future","side":%q,"quantity":%d,"price":%q,"commission":"2.10","executed_at":%q}`
	opened := c.call(ctx, http.MethodPost, "/executions", "application/json", fmt.Appendf(nil, fill, account, "buy", 2, "5000.25", "2026-02-10T15:00:00Z"))
	c.send(ctx, http.MethodPost, "/executions", fill, account, "sell", 3, "5010", "2026-02-10T15:30:00.123456Z")
	c.send(ctx, http.MethodPost, "/executions", fill, account, "buy", 1, "5008.75", "2026-02-10T16:00:00Z")
	c.send(ctx, http.MethodPost, "/cash-transactions", `{"account_id":%q,"type":"withdrawal","amount":250,"occurred_at":"2026-02-11T00:00:00Z","note":"rent"}`, account)
	trade, _ := opened["trade_id"].(string)
	return trade
}

// annotate adds annotations to a trade, and notes.
func (c *client) annotate(ctx context.Context, account, trade string) {
	tag := c.send(ctx, http.MethodPost, "/tags", `{"name":"chased","kind":"mistake","color":"#b3261e"}`)
	setup := c.send(ctx, http.MethodPost, "/setups", `{"name":"Opening range","direction":"long","checklist":["volume","trend"],"stop_price":"4990.5"}`)
	c.send(ctx, http.MethodPatch, "/trades/"+trade, `{"notes":"Held **well**. ünïcödé","tag_ids":[%q],"setup_ids":[%q],"stop_price":"4995.25","confidence":4,"trade_quality":3,"emotional_state":"calm","mae":125,"reviewed":true}`, tag, setup)
	c.upload(ctx, "/trades/"+trade+"/attachments", account, "chart.png", picture)
	note := c.send(ctx, http.MethodPost, "/notes", `{"type":"daily_log","occurred_at":"2026-02-10","title":"Tuesday","body":"- [x] Read the news\n","symbols":[{"symbol":"ES","body":"trend day"}]}`)
	c.send(ctx, http.MethodPatch, "/notes/"+note, `{"title":"A Tuesday"}`)
	c.send(ctx, http.MethodPost, "/notes", `{"type":"weekly_review","occurred_at":"2026-02-13T20:00:00Z","body":"Less is more.","trade_id":%q}`, trade)
	c.send(ctx, http.MethodPost, "/missed-trades", `{"account_id":%q,"setup_id":%q,"symbol":"NQ","direction":"long","observed_at":"2026-02-12T15:00:00Z","entry":100,"stop":98,"target":105,"reason":"hesitated","outcome":"target"}`, account, setup)
	c.send(ctx, http.MethodPatch, "/me/preferences", `{"theme":"dark","timezone":"Europe/Berlin","display_currency":null}`)
	c.send(ctx, http.MethodPut, "/settings/instruments", `{"account_id":%q,"instruments":[{"root":"XYZ","multiplier":"12.5","tick_size":"0.25"}]}`, account)
}

// addRoutine adds an item that changes its weekdays, with ticks before and
// after.
func (c *client) addRoutine(ctx context.Context) {
	item := c.send(ctx, http.MethodPost, "/routines", `{"title":"Read the news","stage":"pre","weekdays":[1,2,3,4,5],"day":"2026-02-02"}`)
	c.send(ctx, http.MethodPut, "/routines/day/2026-02-03/items/"+item, `{"done":true}`)
	next := c.send(ctx, http.MethodPatch, "/routines/"+item, `{"weekdays":[2,4],"day":"2026-02-09"}`)
	c.send(ctx, http.MethodPut, "/routines/day/2026-02-10/items/"+next, `{"done":true}`)
}

// enableSecondFactor turns on the second factor.
func (c *client) enableSecondFactor(ctx context.Context) {
	secret, _ := c.call(ctx, http.MethodPost, "/me/totp/start", "application/json", nil)["secret"].(string)
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil && c.err == nil {
		c.err = err
	}
	c.send(ctx, http.MethodPost, "/me/totp/confirm", `{"secret":%q,"code":%q}`, secret, code)
}

// recordResponses returns the responses that later versions must reproduce. The
// share link is requested first, because requests are counted in the list of
// links.
func (c *client) recordResponses(ctx context.Context, link, trade string) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for path := range strings.FieldsSeq("/public/share/" + link + " /trades/" + trade + `
		/me /me/preferences /accounts /executions /trades /cash-transactions /notes /tags /setups /missed-trades
		/missed-trades/summary /imports /settings/checklist-template
		/routines?day=2026-02-10 /routines/day/2026-02-03 /routines/history?from=2026-02-01&to=2026-02-15
		/analytics/summary /analytics/daily?tz=America/New_York /analytics/equity-curve /analytics/behavior /analytics/r
		/share-links`) {
		found[path] = c.request(ctx, http.MethodGet, path, "application/json", nil)
	}
	return found
}
