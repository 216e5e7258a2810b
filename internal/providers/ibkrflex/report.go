package ibkrflex

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// envelope is the answer to a request that is not a report.
type envelope struct {
	XMLName   xml.Name `xml:"FlexStatementResponse"`
	Reference string   `xml:"ReferenceCode"`
	URL       string   `xml:"Url"`
	Code      string   `xml:"ErrorCode"`
	Message   string   `xml:"ErrorMessage"`
}

// parse reads an answer. It is an error if it is something else.
func (e *envelope) parse(body []byte) error {
	if hasDocumentType(body) {
		return remote.Malformed("it has a document type")
	}
	err := xml.Unmarshal(body, e)
	switch {
	case err == nil:
		return nil
	case isCut(err):
		return remote.ErrTruncated
	}
	return remote.Malformed("it is not the XML that was expected")
}

// promisesMore reports whether the broker asks to try again.
func (e *envelope) promisesMore() bool {
	text := strings.ToLower(e.Message)
	return slices.ContainsFunc([]string{"try again", "shortly", "not ready"}, func(words string) bool { return strings.Contains(text, words) })
}

func hasDocumentType(body []byte) bool { return bytes.Contains(body, []byte("<!DOCTYPE")) }

// isCut reports whether XML ended too early.
func isCut(err error) bool {
	syntax := (*xml.SyntaxError)(nil)
	return errors.Is(err, io.EOF) || errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF")
}

const root = "FlexQueryResponse"

// isReport reports whether an answer is a report, and not a page for people.
func isReport(body []byte) bool {
	const enough = 1000
	return bytes.Contains(body[:min(len(body), enough)], []byte("<"+root)) || isCSV(body)
}

// report is a report and where its elements are.
type report struct {
	body       []byte
	statements []element
	trades     []element
	orders     []element
	cash       []element
	// heads are the fields of the section of trades of a CSV file, which may be empty.
	heads     []element
	hasTrades bool // it has the section
	isCSV     bool
	chosen    []string
	// hasOwnPeriod reports that it has the period of the query at the broker, and not
	// the one that was asked for.
	hasOwnPeriod bool
}

// element is a report element: its attributes, and where it begins and ends.
type element struct {
	name       string
	attr       map[string]string
	start, end int64
	// statement is the index of the statement it is in.
	statement int
}

// The used elements.
const (
	statementName = "FlexStatement"
	tradeName     = "Trade"
	confirmName   = "TradeConfirm"
	orderName     = "Order"
	cashName      = "CashTransaction"
)

const maxDepth = 20

// parseReport finds a report's elements.
func parseReport(body []byte) (*report, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, remote.ErrTruncated
	}
	if !isReport(body) {
		return nil, notReport(body)
	}
	if isCSV(body) {
		return parseCSV(body)
	}
	r := &report{body: body}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	var open []*element
	for {
		start := decoder.InputOffset()
		token, err := decoder.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(open) == 0:
			return r, nil
		case err != nil && isCut(err):
			return nil, remote.ErrTruncated
		case err != nil:
			return nil, remote.Malformed("it is not XML")
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, remote.Malformed("it has a document type")
		case xml.StartElement:
			if len(open) == maxDepth {
				return nil, remote.Malformed("its elements are nested too deep")
			}
			open = append(open, r.newElement(token, start))
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 || open[last].name != token.Name.Local {
				return nil, remote.Malformed("an element is closed that is not open")
			}
			open[last].end = decoder.InputOffset()
			r.add(*open[last])
			open = open[:last]
		}
	}
}

// notReport returns the error for an answer that is not an XML report.
func notReport(body []byte) error {
	var answer envelope
	if err := answer.parse(body); errors.Is(err, remote.ErrTruncated) {
		return err
	}
	return remote.Malformed("it is not a report")
}

func (r *report) newElement(token xml.StartElement, start int64) *element {
	e := &element{name: token.Name.Local, attr: map[string]string{}, start: start, statement: len(r.statements)}
	for _, a := range token.Attr {
		e.attr[a.Name.Local] = strings.TrimSpace(a.Value)
	}
	return e
}

// add keeps an element that is used. A statement ends after all it contains.
func (r *report) add(e element) {
	switch e.name {
	case statementName:
		r.statements = append(r.statements, e)
	case "Trades", "TradeConfirms":
		r.hasTrades = true
	case tradeName, confirmName:
		r.trades = append(r.trades, e)
	case orderName:
		r.orders = append(r.orders, e)
	case cashName:
		r.cash = append(r.cash, e)
	}
}

// requiredFields are the attributes a trade must have, with their names in Client Portal.
var requiredFields = map[string][][2]string{
	tradeName: {
		{"ibExecID", "IB Execution ID"},
		{"dateTime", "Date/Time"},
		{"symbol", "Symbol"},
		{"assetCategory", "Asset Class"},
		{"multiplier", "Multiplier"},
		{"quantity", "Quantity"},
		{"tradePrice", "TradePrice"},
		{"ibCommission", "IB Commission"},
	},
	confirmName: {
		{"execID", "Exec ID"},
		{"dateTime", "Date/Time"},
		{"symbol", "Symbol"},
		{"assetCategory", "Asset Class"},
		{"multiplier", "Multiplier"},
		{"quantity", "Quantity"},
		{"price", "Price"},
		{"commission", "Commission"},
	},
}

// checkFields returns an error if the query lacks something without which fills would be
// stored twice or wrong.
func (r *report) checkFields() error {
	if len(r.trades) == 0 && len(r.orders) > 0 {
		return connector.SetupError("The query has orders and no executions. Edit it in Client Portal, and tick Execution in the section Trades.")
	}
	var missing []string
	for _, e := range slices.Concat(r.heads, r.trades) {
		for _, field := range requiredFields[e.name] {
			text := fmt.Sprintf("%s (%s)", field[1], field[0])
			if _, found := e.attr[field[0]]; !found && !slices.Contains(missing, text) {
				missing = append(missing, text)
			}
		}
	}
	if len(missing) > 0 {
		return connector.SetupError("The query lacks fields in the section Trades: %s. Edit it in Client Portal, and tick them.", strings.Join(missing, ", "))
	}
	return nil
}

// chooseAccounts selects the accounts the user chose. A report of several accounts needs
// a choice, because all of it goes to one account.
func (r *report) chooseAccounts(choice string) error {
	all := r.accounts()
	chosen := strings.FieldsFunc(choice, func(c rune) bool { return c == ',' || c == ' ' || c == ';' })
	slices.Sort(chosen)
	switch {
	case len(all) == 0 && r.isCSV: // a file without rows does not name its account
		return nil
	case len(all) == 0:
		return connector.SetupError("The report has no account. Edit the query in Client Portal, and choose your account under Delivery Configuration.")
	case len(chosen) == 0 && len(all) > 1:
		return connector.SetupError("The query has several accounts: %s. Enter the ones to fetch in the field Accounts, or make a query for each.", strings.Join(all, ", "))
	}
	for _, id := range chosen {
		if !slices.Contains(all, id) {
			return connector.SetupError("The query has no account %s. It has %s. Change the field Accounts, or the accounts of the query in Client Portal.",
				id, strings.Join(all, ", "))
		}
	}
	r.chosen = slices.Compact(chosen)
	return nil
}

// accounts returns the report's accounts, or those the user chose, sorted.
func (r *report) accounts() []string {
	if len(r.chosen) > 0 {
		return r.chosen
	}
	var list []string
	for _, s := range r.statements {
		if id := s.attr["accountId"]; id != "" {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isChosen reports whether an element is in a chosen account's statement.
func (r *report) isChosen(e element) bool {
	return e.statement < len(r.statements) && slices.Contains(r.accounts(), r.statements[e.statement].attr["accountId"])
}

// delivery returns the report as a file, without what the user did not choose, what is
// outside the period that was asked for, and what the broker has canceled.
func (r *report) delivery(asked period) connector.Delivery {
	d := connector.Delivery{FileName: "flex.xml"}
	if r.isCSV {
		d.FileName = "flex.csv"
	}
	var left []element
	for _, s := range r.statements {
		if !slices.Contains(r.accounts(), s.attr["accountId"]) {
			left = append(left, s)
		}
	}
	trades := slices.DeleteFunc(slices.Clone(r.trades), func(e element) bool { return !r.isChosen(e) })
	for _, e := range slices.Concat(r.trades, r.cash, r.orders) {
		if !r.isChosen(e) || r.hasOwnPeriod && e.day() != "" && (e.day() < asked.from || e.day() > asked.to) {
			left = append(left, e)
		}
	}
	canceled, withdrawn := findCanceled(trades)
	d.Withdrawn = withdrawn
	d.Replaced = findReplaced(trades, withdrawn)
	d.File = r.without(append(left, canceled...))
	d.Messages = r.messages(asked)
	d.From, d.To = r.covered(asked)
	return d
}

// covered returns the time the report has, if it is not the one that was asked for.
func (r *report) covered(asked period) (from, to time.Time) {
	if !r.hasOwnPeriod {
		return time.Time{}, time.Time{}
	}
	got := asked
	for _, s := range r.statements {
		if slices.Contains(r.accounts(), s.attr["accountId"]) {
			got.from, got.to = max(got.from, s.attr["fromDate"]), min(got.to, s.attr["toDate"])
		}
	}
	from, fromErr := time.ParseInLocation(dayForm, got.from, zone)
	to, toErr := time.ParseInLocation(dayForm, got.to, zone)
	if fromErr != nil || toErr != nil || from.After(to) || len(r.statements) == 0 {
		none, _ := time.ParseInLocation(dayForm, asked.to, zone)
		return none.AddDate(0, 0, 1).UTC(), time.Time{}
	}
	return from.UTC(), to.AddDate(0, 0, 1).UTC()
}

// messages returns what the report lacks.
func (r *report) messages(asked period) (list []string) {
	if !r.hasTrades {
		list = append(list, "The report has no section Trades. If you traded in this time, add the section to the query in Client Portal.")
	}
	for _, s := range r.statements {
		from, to := s.attr["fromDate"], s.attr["toDate"]
		switch {
		case !r.hasOwnPeriod || !slices.Contains(r.accounts(), s.attr["accountId"]):
		case from > asked.to || to < asked.from:
			list = append(list, fmt.Sprintf("Interactive Brokers has no report for %s to %s.", asked.from, asked.to))
		case from > asked.from || to < asked.to:
			list = append(list, fmt.Sprintf("Interactive Brokers sent the report for %s to %s instead of %s to %s.", from, to, asked.from, asked.to))
		}
	}
	return slices.Compact(list)
}

// without returns the report without some elements.
func (r *report) without(left []element) []byte {
	slices.SortFunc(left, func(a, b element) int { return int(a.start - b.start) })
	var file []byte
	at := int64(0)
	for _, e := range left {
		if e.start >= at { // not in one that is left out already
			file, at = append(file, r.body[at:e.start]...), e.end
		}
	}
	return append(file, r.body[at:]...)
}

// day returns the day by which the broker selects a trade or cash, or an empty text.
func (e element) day() string {
	at := cmp.Or(e.attr["tradeDate"], e.attr["reportDate"], e.attr["dateTime"])
	return at[:min(len(at), len(dayForm))]
}

// id returns the broker's execution id.
func (e element) id() string {
	return cmp.Or(e.attr["ibExecID"], e.attr["execID"])
}

// isCancel reports whether a trade takes back another.
func (e element) isCancel() bool {
	codes := strings.FieldsFunc(e.attr["notes"]+";"+e.attr["code"], func(c rune) bool { return c == ';' || c == ' ' || c == ',' })
	return strings.EqualFold(e.attr["transactionType"], "TradeCancel") || slices.Contains(codes, "Ca")
}

// findCanceled returns the canceled trades together with what cancels them, and the ids
// of the canceled ones. A cancellation that names no execution, and whose trade is not in
// the report, stays: the reader makes the opposite trade of it.
func findCanceled(trades []element) (canceled []element, ids []string) {
	isGone := map[int64]bool{}
	for _, c := range trades {
		if !c.isCancel() {
			continue
		}
		id := c.id()
		for _, t := range trades {
			if !t.isCancel() && !isGone[t.start] && t.id() != "" && (t.id() == id || c.takesBack(t)) {
				id, isGone[t.start] = t.id(), true
				canceled = append(canceled, t)
				break
			}
		}
		if id != "" {
			canceled, ids = append(canceled, c), append(ids, id)
		}
	}
	slices.Sort(ids)
	return canceled, slices.Compact(ids)
}

// takesBack reports whether a cancellation is that of a trade: of the same instrument and
// price, with the opposite quantity, and not of another trade id.
func (e element) takesBack(t element) bool {
	if id := e.attr["tradeID"]; id != "" && id != t.attr["tradeID"] {
		return false
	}
	for _, name := range []string{"symbol", "assetCategory", "accountId", "tradeDate", "putCall", "strike", "expiry"} {
		if e.attr[name] != t.attr[name] {
			return false
		}
	}
	return sameNumber(e.price(), t.price(), false) && sameNumber(e.attr["quantity"], t.attr["quantity"], true)
}

func (e element) price() string {
	return cmp.Or(e.attr["tradePrice"], e.attr["price"])
}

// sameNumber compares two numbers, or one with the other's opposite.
func sameNumber(a, b string, isOpposite bool) bool {
	x, errX := decimal.Parse(strings.ReplaceAll(a, ",", ""))
	y, errY := decimal.Parse(strings.ReplaceAll(b, ",", ""))
	if isOpposite {
		y = y.Neg()
	}
	return errX == nil && errY == nil && x.Equal(y)
}

// findReplaced returns for the id of each corrected execution the one before. The ids
// differ only in the number after the last point. Executions the report has beside each
// other, under different trade ids, are different ones.
func findReplaced(trades []element, withdrawn []string) map[string]string {
	tradeIDs := map[string]string{}
	for _, t := range trades {
		if !t.isCancel() && !slices.Contains(withdrawn, t.id()) {
			tradeIDs[t.id()] = t.attr["tradeID"]
		}
	}
	replaced := map[string]string{}
	for id, trade := range tradeIDs {
		for next, before := id, earlierVersion(id); before != ""; next, before = before, earlierVersion(before) {
			if other, found := tradeIDs[before]; found && other != trade {
				break
			}
			replaced[next] = before
		}
	}
	return replaced
}

// earlierVersion returns an execution's id before its correction, or an empty text if it
// is the first version.
func earlierVersion(id string) string {
	at := strings.LastIndexByte(id, '.')
	if at < 0 || len(id)-at != len(".01") {
		return ""
	}
	tens, ones := id[at+1], id[at+2]
	switch {
	case tens < '0' || tens > '9' || ones < '0' || ones > '9':
		return ""
	case ones > '0' && id[at+1:] > "01":
		ones--
	case tens > '0':
		tens, ones = tens-1, '9'
	default:
		return ""
	}
	return id[:at+1] + string([]byte{tens, ones})
}
