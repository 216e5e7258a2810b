package ibkrflex

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/providers/providertest"
)

var (
	newYork = mustLoad("America/New_York")
	now     = time.Date(2026, 9, 2, 7, 15, 0, 0, newYork)
	start   = time.Date(2026, 8, 1, 0, 0, 0, 0, newYork)
	end     = time.Date(2026, 9, 2, 0, 0, 0, 0, newYork)
)

func mustLoad(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// row is an element in the server's report, with the day by which it is selected.
type row struct {
	account, day, text string
}

// server answers as the Flex Web Service is documented to.
type server struct {
	trades, cash []row
	accounts     []string
	// pending is how often a report is still being made, and fails the errors the first
	// requests get, by path.
	pending int
	fails   map[string][]string
	// refusesPeriods makes it answer 1003 to a request with a period.
	refusesPeriods bool
	// url is the address it names for the download.
	url string
	// answer is sent instead of the report by the first host.
	answer string

	references []period
	polls      map[string]int
	hosts      []string
}

func newServer() *server {
	s := &server{accounts: []string{"U7654321"}, pending: 1, fails: map[string][]string{}, polls: map[string]int{}}
	s.url = "https://" + host + download
	s.addTrade("20260803", `dateTime="20260803;093122" quantity="-2" tradePrice="6480.25" ibCommission="-1.24" buySell="SELL" ibExecID="0000e1a7.66aa.01.01" tradeID="7001"`)
	s.addTrade("20260803", `dateTime="20260803;101500" quantity="2" tradePrice="6478" ibCommission="-1.24" buySell="BUY" ibExecID="0000e1a7.66ab.01.01" tradeID="7002"`)
	// An evening trade of a future belongs to the next day.
	s.addTrade("20260811", `dateTime="20260810;190000" quantity="1" tradePrice="6500" ibCommission="-0.62" buySell="BUY" ibExecID="0000e1a7.66ac.01.01" tradeID="7003"`)
	s.addTrade("20260831", `dateTime="20260831;160000" quantity="-1" tradePrice="6510.5" ibCommission="-0.62" buySell="SELL" ibExecID="0000e1a7.66ad.01.01" tradeID="7004"`)
	s.cash = append(s.cash, row{"U7654321", "20260814", `<CashTransaction accountId="U7654321" type="Dividends" amount="12.40" currency="USD" dateTime="20260814;202000" transactionID="9100" symbol="KO" levelOfDetail="DETAIL"/>`})
	return s
}

func (s *server) addTrade(day, attributes string) {
	s.trades = append(s.trades, row{"U7654321", day, `<Trade accountId="U7654321" assetCategory="FUT" symbol="MESU6" multiplier="5" currency="USD" ` +
		`transactionType="ExchTrade" levelOfDetail="EXECUTION" tradeDate="` + day + `" ` + attributes + `/>`})
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	s.hosts = append(s.hosts, r.Host)
	q := r.URL.Query()
	code := ""
	switch {
	case q.Get("t") != providertest.Secret:
		code = "1015"
	case q.Get("v") != "3":
		code = "1020"
	case len(s.fails[r.URL.Path]) > 0:
		code, s.fails[r.URL.Path] = s.fails[r.URL.Path][0], s.fails[r.URL.Path][1:]
	}
	switch {
	case code != "":
		writeError(w, code)
	case r.URL.Path == ask:
		s.ask(w, q)
	case r.Host == host && s.answer != "":
		_, _ = io.WriteString(w, s.answer)
	default:
		s.download(w, q.Get("q"))
	}
}

func writeError(w io.Writer, code string) {
	_, _ = fmt.Fprintf(w, `<FlexStatementResponse timestamp="26 August, 2026 01:59 PM EDT"><Status>Fail</Status><ErrorCode>%s</ErrorCode><ErrorMessage>failed for %s</ErrorMessage></FlexStatementResponse>`,
		code, providertest.Secret)
}

// ask begins a report. A period has at most 365 days and ends before today.
func (s *server) ask(w http.ResponseWriter, q url.Values) {
	asked := period{from: "20260801", to: "20260901"} // the query's
	if fd, td := q.Get("fd"), q.Get("td"); fd != "" || td != "" {
		first, err := time.Parse(dayForm, fd)
		last, err2 := time.Parse(dayForm, td)
		if err != nil || err2 != nil || last.Before(first) || last.Sub(first) >= 365*day || td >= "20260902" || s.refusesPeriods {
			writeError(w, "1003")
			return
		}
		asked = period{from: fd, to: td}
	}
	if q.Get("q") != "998877" {
		writeError(w, "1014")
		return
	}
	s.references = append(s.references, asked)
	_, _ = fmt.Fprintf(w, `<FlexStatementResponse timestamp="26 August, 2026 01:59 PM EDT"><Status>Success</Status><ReferenceCode>%d</ReferenceCode><Url>%s</Url></FlexStatementResponse>`,
		len(s.references), s.url)
}

func (s *server) download(w http.ResponseWriter, reference string) {
	n, err := strconv.Atoi(reference)
	if err != nil || n < 1 || n > len(s.references) {
		writeError(w, "1017")
		return
	}
	if s.polls[reference]++; s.polls[reference] <= s.pending {
		writeError(w, "1019")
		return
	}
	_, _ = io.WriteString(w, s.report(s.references[n-1]))
}

func (s *server) report(asked period) string {
	text := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<FlexQueryResponse queryName="fillbook" type="AF"><FlexStatements count="1">` + "\n"
	for _, account := range s.accounts {
		text += fmt.Sprintf(`<FlexStatement accountId="%s" fromDate="%s" toDate="%s"><AccountInformation accountId="%s" currency="USD" newField="1"/>`+"\n<Trades>\n",
			account, asked.from, asked.to, account)
		text += selectRows(s.trades, account, asked) + "</Trades>\n<CashTransactions>\n" + selectRows(s.cash, account, asked) + "</CashTransactions>\n</FlexStatement>\n"
	}
	return text + "</FlexStatements></FlexQueryResponse>\n"
}

func selectRows(rows []row, account string, asked period) (text string) {
	for _, r := range rows {
		if r.account == account && r.day >= asked.from && r.day <= asked.to {
			text += r.text + "\n"
		}
	}
	return text
}

// newFills returns the connector with a server.
func newFills(s *server) providertest.FillCase {
	return providertest.FillCase{
		Connector:   Fills(),
		Credentials: map[string]string{"token": providertest.Secret, "query_id": "998877"},
		Query:       connector.Query{From: start, To: end, Currency: "USD"},
		Now:         now, Answer: s.handle, MaySendSecret: true, SendsFiles: true,
		Identity: connector.Identity{Account: "U7654321", Name: "U7654321"},
	}
}

// readFile returns the fills and the cash of delivered files as an import reads them,
// each once, in time order.
func readFile(t *testing.T, list ...connector.Delivery) []string {
	t.Helper()
	var lines []string
	for _, d := range list {
		file, err := tabular.ReadContext(t.Context(), d.File, tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		found, known := statement.NewDetector(brokers.All()).Detect(file)
		if !known {
			t.Fatalf("the file is not known:\n%s", d.File)
		}
		st, err := statement.ReadContext(t.Context(), file, found, statement.Hints{Currency: "USD"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range st.Fills {
			lines = append(lines, fmt.Sprintf("%s %s %s %s @ %s x %s commission %s id %s", f.At.UTC().Format(time.RFC3339), f.Side, f.Quantity, f.Symbol, f.Price, f.Multiplier, f.Commission, f.ID))
		}
		for _, c := range st.Cash {
			lines = append(lines, fmt.Sprintf("%s %s %s", c.At.UTC().Format(time.RFC3339), c.Type, c.Amount))
		}
		for _, p := range st.Problems {
			lines = append(lines, "problem "+p.Message)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// history is what the server's report has.
var history = []string{
	"2026-08-03T13:31:22Z sell 2 MESU6 @ 6480.25 x 5 commission 1.24 id 0000e1a7.66aa.01.01",
	"2026-08-03T14:15:00Z buy 2 MESU6 @ 6478 x 5 commission 1.24 id 0000e1a7.66ab.01.01",
	"2026-08-10T23:00:00Z buy 1 MESU6 @ 6500 x 5 commission 0.62 id 0000e1a7.66ac.01.01",
	"2026-08-15T00:20:00Z dividend 12.4",
	"2026-08-31T20:00:00Z sell 1 MESU6 @ 6510.5 x 5 commission 0.62 id 0000e1a7.66ad.01.01",
}

func expectLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newServer()) })
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.pending = 3
	list := newFills(s).MustFetch(t)
	expectLines(t, "the report", readFile(t, list...), history)
	if len(list[0].Withdrawn)+len(list[0].Replaced)+len(list[0].Messages) != 0 || s.polls["1"] != 4 {
		t.Errorf("the delivery is %+v after %d polls", list[0], s.polls["1"])
	}
	if want := (period{from: "20260801", to: "20260901"}); s.references[0] != want {
		t.Errorf("it asked for %v, want %v", s.references[0], want)
	}
}

// TestWindows fetches the history in whole-day windows: they have the same rows together,
// and none is longer than the broker allows.
func TestWindows(t *testing.T) {
	t.Parallel()
	for _, days := range []int{1, 2, 7, 31} {
		s := newServer()
		s.pending = 0
		c := newFills(s)
		var list []connector.Delivery
		for from := start; from.Before(end); from = c.Query.To {
			if c.Query.From, c.Query.To = from, from.AddDate(0, 0, days); c.Query.To.After(end) {
				c.Query.To = end
			}
			list = append(list, c.MustFetch(t)...)
		}
		expectLines(t, fmt.Sprintf("windows of %d days", days), readFile(t, list...), history)
	}
	s := newServer()
	c := newFills(s)
	c.Query.From = c.Query.To.Add(-Fills().Describe().Window)
	expectLines(t, "the longest window", readFile(t, c.MustFetch(t)...), history)
	c.Query.From, c.Query.To = start, start.AddDate(0, 0, 1)
	expectLines(t, "a day without trades", readFile(t, c.MustFetch(t)...), nil)
}

// TestCodes checks what each broker code means when a report is asked for.
func TestCodes(t *testing.T) {
	t.Parallel()
	wants := map[string]error{
		"1001": remote.ErrUnavailable, "1003": connector.ErrSetup, "1004": remote.ErrUnavailable, "1005": remote.ErrUnavailable,
		"1006": remote.ErrUnavailable, "1007": remote.ErrUnavailable, "1008": remote.ErrUnavailable, "1009": remote.ErrUnavailable,
		"1010": connector.ErrSetup, "1011": connector.ErrSetup, "1012": connector.ErrSetup, "1013": connector.ErrSetup,
		"1014": connector.ErrSetup, "1015": connector.ErrSetup, "1016": connector.ErrSetup, "1017": remote.ErrUnavailable,
		"1018": &remote.RateLimited{RetryAfter: time.Minute}, "1019": remote.ErrUnavailable, "1020": remote.ErrUnavailable,
		"1021": remote.ErrUnavailable, "1099": remote.ErrRefused,
	}
	for _, code := range slices.Sorted(maps.Keys(wants)) {
		for _, path := range []string{ask, download} {
			s := newServer()
			s.fails[path] = slices.Repeat([]string{code}, 100)
			_, err := newFills(s).Fetch(t, s.handle)
			if !providertest.IsError(err, wants[code]) || strings.Contains(err.Error(), providertest.Secret) {
				t.Errorf("%s at %s: error %v, want %v", code, path, err, wants[code])
			}
			if most := maxPolls + 2; len(s.hosts) > most {
				t.Errorf("%s at %s: %d requests", code, path, len(s.hosts))
			}
		}
	}
	s := newServer()
	unknown := providertest.Reply(http.StatusOK, `<FlexStatementResponse><Status>Warn</Status><ErrorCode>1098</ErrorCode><ErrorMessage>Please try again shortly.</ErrorMessage></FlexStatementResponse>`)
	if _, err := newFills(s).Fetch(t, unknown); !errors.Is(err, remote.ErrUnavailable) {
		t.Errorf("an unknown code that asks for patience: %v", err)
	}
}

// TestTemporaryCodes: a report comes after errors that pass.
func TestTemporaryCodes(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]map[string][]string{
		"cannot be made":    {ask: {"1001", "1009"}},
		"cannot be fetched": {download: {"1021", "1019", "1004"}},
		"unknown reference": {download: {"1017"}},
		"period refused":    {ask: {"1003"}},
	} {
		s := newServer()
		s.fails = fails
		expectLines(t, name, readFile(t, newFills(s).MustFetch(t)...), history)
	}
}

// TestRefusedPeriod: the report has the period of the query instead. What is before the
// time that was asked for is left out, and the user learns what is missing.
func TestRefusedPeriod(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.refusesPeriods = true
	c := newFills(s)
	c.Query.From = time.Date(2026, 8, 11, 0, 0, 0, 0, newYork)
	list := c.MustFetch(t)
	expectLines(t, "a later start", readFile(t, list...), history[2:])
	if len(list[0].Messages) != 0 {
		t.Errorf("the messages are %q", list[0].Messages)
	}
	c.Query.From = time.Date(2026, 7, 1, 0, 0, 0, 0, newYork)
	want := []string{"Interactive Brokers sent the report for 20260801 to 20260901 instead of 20260701 to 20260901."}
	if got := c.MustFetch(t)[0].Messages; !slices.Equal(got, want) {
		t.Errorf("the messages are %q", got)
	}
	c.Query.From, c.Query.To = time.Date(2016, 9, 2, 0, 0, 0, 0, newYork), time.Date(2017, 9, 2, 0, 0, 0, 0, newYork)
	list = c.MustFetch(t)
	expectLines(t, "before the account was opened", readFile(t, list...), nil)
	if got, want := list[0].Messages, []string{"Interactive Brokers has no report for 20160902 to 20170901."}; !slices.Equal(got, want) {
		t.Errorf("the messages are %q", got)
	}
}

// TestNamedAddress: the address the broker names is used if the documented one has no
// report, and only if it is one of the broker's.
func TestNamedAddress(t *testing.T) {
	t.Parallel()
	for address, isUsed := range map[string]bool{
		"https://" + otherHost + download:           true,
		"https://example.com" + download:            false,
		"http://" + otherHost + download:            false,
		"https://" + otherHost + "/elsewhere":       false,
		"https://" + otherHost + ":8443" + download: false,
		"https://user@example.com%2f" + otherHost:   false,
		"": false,
	} {
		s := newServer()
		s.url, s.answer, s.pending = address, "<html><body>Please sign in</body></html>", 0
		delivery, err := newFills(s).Fetch(t, s.handle)
		if slices.Contains(s.hosts, otherHost) != isUsed || (err == nil) != isUsed {
			t.Errorf("%s: hosts %v, error %v", address, s.hosts, err)
		}
		if err != nil && !errors.Is(err, remote.ErrMalformed) || err == nil && !strings.Contains(string(delivery.File), "7001") {
			t.Errorf("%s: error %v", address, err)
		}
	}
}

// TestSetup: what a query lacks is named, and nothing is delivered.
func TestSetup(t *testing.T) {
	t.Parallel()
	const good = `accountId="U7654321" assetCategory="FUT" symbol="MESU6" multiplier="5" dateTime="20260803;093122" quantity="-2" tradePrice="6480.25" ibCommission="-1.24"`
	report := func(rows string) string {
		return `<FlexQueryResponse><FlexStatements><FlexStatement accountId="U7654321"><Trades>` + rows + `</Trades></FlexStatement></FlexStatements></FlexQueryResponse>`
	}
	for name, c := range map[string]struct{ answer, want string }{
		"no execution id": {report(`<Trade ` + good + `/>`), "IB Execution ID (ibExecID)"},
		"no time":         {report(`<Trade ibExecID="1" ` + strings.Replace(good, "dateTime", "date", 1) + `/>`), "Date/Time (dateTime)"},
		"confirmations":   {report(`<TradeConfirm ` + good + `/>`), "Exec ID (execID), Price (price), Commission (commission)"},
		"orders only":     {report(`<Order ` + good + `/>`), "tick Execution"},
		"no account":      {`<FlexQueryResponse><FlexStatements count="0"/></FlexQueryResponse>`, "has no account"},
		"CSV":             {"\"ClientAccountID\",\"Symbol\",\"Quantity\",\"Buy/Sell\"\n", "IB Execution ID (ibExecID), Date/Time (dateTime), Asset Class"},
		"CSV of orders":   {strings.ReplaceAll(csvReport, "EXECUTION", "ORDER"), "tick Execution"},
		"CSV of two":      {strings.Replace(csvReport, "U7654321", "U1", 1), "several accounts: U1, U7654321"},
	} {
		s := newServer()
		s.answer = c.answer
		delivery, err := newFills(s).Fetch(t, s.handle)
		if !errors.Is(err, connector.ErrSetup) || !strings.Contains(err.Error(), c.want) || delivery.File != nil {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	for name, answer := range map[string]string{
		"document type": `<!DOCTYPE a [<!ENTITY b "c">]><FlexQueryResponse></FlexQueryResponse>`,
		"entity":        `<FlexQueryResponse a="&b;"></FlexQueryResponse>`,
		"no CSV":        "\"a\"b\n" + csvReport,
		"wrong end":     `<FlexQueryResponse></FlexStatements>`,
		"deep":          `<FlexQueryResponse>` + strings.Repeat("<a>", 30) + strings.Repeat("</a>", 30) + `</FlexQueryResponse>`,
	} {
		s := newServer()
		s.answer = answer
		if _, err := newFills(s).Fetch(t, s.handle); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// csvReport is a report as CSV with two sections. A row is canceled by another one.
const csvReport = `"ClientAccountID","AssetClass","Symbol","Multiplier","CurrencyPrimary","TradeID","IBExecID","TransactionID","DateTime","TradeDate","Quantity","TradePrice","IBCommission","Buy/Sell","Notes/Codes","LevelOfDetail"
"U7654321","FUT","MESU6","5","USD","71","0000e1a7.66aa.01.01","91","20260803;093122","20260803","-2","6480.25","-1.24","SELL","","EXECUTION"
"U7654321","FUT","MESU6","5","USD","71","","91","20260803;093122","20260803","-2","6480.25","-1.24","SELL","","CLOSED_LOT"
"U7654321","FUT","MESU6","5","USD","72","0000e1a7.66ab.01.01","92","20260803;101500","20260803","2","6478","-1.24","BUY","","EXECUTION"
"U7654321","FUT","MESU6","5","USD","73","0000e1a7.66ae.01.01","93","20260804;101500","20260804","2","6470","-1.24","BUY","","EXECUTION"
"U7654321","FUT","MESU6","5","USD","73","","94","20260804;101500","20260804","-2","6470","1.24","SELL","Ca","EXECUTION"
"ClientAccountID","CurrencyPrimary","Symbol","Description","Date/Time","SettleDate","Amount","Type"
"U7654321","USD","KO","KO CASH DIVIDEND","20260814;202000","20260814","12.40","Dividends"
`

// TestCSV: a query may send CSV instead of XML, with the codes of rows or without.
func TestCSV(t *testing.T) {
	t.Parallel()
	coded := "\"BOF\",\"U7654321\",\"Fillbook\"\n\"BOS\",\"TRNT\",\"Trades\"\n"
	for line := range strings.Lines(csvReport) {
		code := `"DATA","TRNT",`
		if strings.HasPrefix(line, `"Client`) {
			code = `"HEADER","TRNT",`
		}
		coded += code + line
	}
	coded += "\"EOS\",\"TRNT\",\"3\"\n\"EOF\",\"U7654321\"\n"
	want := []string{history[0], history[1], history[3]}
	for name, answer := range map[string]string{"plain": csvReport, "with codes": coded} {
		s := newServer()
		s.answer = answer
		list := newFills(s).MustFetch(t)
		expectLines(t, name, readFile(t, list...), want)
		if got := list[0].Withdrawn; !slices.Equal(got, []string{"0000e1a7.66ae.01.01"}) || len(list[0].Messages) != 0 {
			t.Errorf("%s: withdrawn %q, messages %q", name, got, list[0].Messages)
		}
		if identity := newFills(s).MustCheck(t); identity.Account != "U7654321" {
			t.Errorf("%s: the identity is %+v", name, identity)
		}
	}
	s := newServer()
	s.answer, _, _ = strings.Cut(csvReport, "\n")
	identity, err := newFills(s).Check(t, s.handle)
	list := newFills(s).MustFetch(t)
	if err != nil || identity.Account != "" || list[0].File != nil || len(list[0].Statement.Fills) != 0 {
		t.Errorf("without rows: %+v, %v, %+v", identity, err, list[0])
	}
	for cut := strings.Index(csvReport, "EXECUTION"); cut < len(csvReport); cut++ {
		s := newServer()
		if s.answer = csvReport[:cut]; strings.HasSuffix(s.answer, `"`) || strings.HasSuffix(s.answer, "\n") {
			continue // what is left may be a whole report
		}
		if delivery, err := newFills(s).Fetch(t, s.handle); err == nil {
			t.Fatalf("a file that ends after %d characters was accepted: %+v", cut, delivery)
		}
	}
}

// TestCoveredTime: a report of another period than the one that was asked for says which
// part of the time it has.
func TestCoveredTime(t *testing.T) {
	t.Parallel()
	at := func(month time.Month, day int) time.Time {
		return time.Date(2026, month, day, 0, 0, 0, 0, newYork).UTC()
	}
	for name, c := range map[string]struct{ from, to, wantFrom, wantTo time.Time }{
		"a part": {at(7, 1), at(9, 2), at(8, 1), at(9, 2)},
		"all":    {at(8, 11), at(8, 21), at(8, 11), at(8, 21)},
		"none":   {at(5, 1), at(6, 1), at(6, 1), at(6, 1)},
	} {
		s := newServer()
		s.refusesPeriods = true
		of := newFills(s)
		of.Query.From, of.Query.To = c.from, c.to
		if from, to := of.MustFetch(t)[0].Covered(of.Query); !from.Equal(c.wantFrom) || !to.Equal(c.wantTo) {
			t.Errorf("%s: covers %s to %s", name, from, to)
		}
	}
}

// TestSeveralAccounts: a report of several accounts needs a choice, and only the chosen
// ones are delivered.
func TestSeveralAccounts(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.accounts = []string{"U7654321", "U7000002", "U7000003"}
	s.trades = append(s.trades, row{"U7000002", "20260804", strings.NewReplacer("U7654321", "U7000002", "66aa", "77aa", "20260803", "20260804").Replace(s.trades[0].text)})
	other := "2026-08-04T13:31:22Z sell 2 MESU6 @ 6480.25 x 5 commission 1.24 id 0000e1a7.77aa.01.01"
	for choice, want := range map[string]struct {
		err     string
		account string
		fills   []string
	}{
		"":                    {err: "U7000002, U7000003, U7654321"},
		"U7000009":            {err: "no account U7000009"},
		"U7654321":            {account: "U7654321", fills: history},
		"U7000002, U7000003":  {account: "U7000002, U7000003", fills: []string{other}},
		" U7654321;U7000002 ": {account: "U7000002, U7654321", fills: slices.Insert(slices.Clone(history), 2, other)},
	} {
		c := newFills(s)
		c.Credentials["accounts"] = choice
		identity, err := c.Check(t, s.handle)
		if want.err != "" {
			if !errors.Is(err, connector.ErrSetup) || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%q: error %v, want one with %q", choice, err, want.err)
			}
			continue
		}
		if err != nil || identity.Account != want.account {
			t.Errorf("%q: %+v, %v", choice, identity, err)
		}
		expectLines(t, choice, readFile(t, c.MustFetch(t)...), want.fills)
	}
}

// TestCanceledAndCorrected: canceled executions are withdrawn and not in the file, and a
// correction names the id before.
func TestCanceledAndCorrected(t *testing.T) {
	t.Parallel()
	const trade = `dateTime="20260805;100000" quantity="%s" tradePrice="%s" ibCommission="-1" buySell="%s" ibExecID="%s" tradeID="%s"`
	add := func(s *server, quantity, price, side, id, tradeID, more string) {
		text := fmt.Sprintf(trade, quantity, price, side, id, tradeID)
		s.addTrade("20260805", text+more)
	}
	const cancel = ` notes="P;Ca"`
	for name, c := range map[string]struct {
		add       func(*server)
		withdrawn []string
		replaced  map[string]string
		fills     []string // beside those of the server
	}{
		"in the report": {
			func(s *server) {
				add(s, "3", "6400", "BUY", "aa.01", "8001", "")
				add(s, "-3", "6400.00", "BUY (Ca.)", "", "8001", cancel)
			},
			[]string{"aa.01"},
			nil, nil,
		},
		"without a trade id": {
			func(s *server) {
				add(s, "-3", "6400.00", "BUY (Ca.)", "", "", cancel)
				add(s, "3", "6400", "BUY", "aa.01", "8001", "")
			},
			[]string{"aa.01"},
			nil, nil,
		},
		"in an earlier report": {
			func(s *server) { add(s, "-3", "6400", "BUY (Ca.)", "aa.01", "8001", cancel) },
			[]string{"aa.01"},
			nil, nil,
		},
		"of an unknown execution": {
			func(s *server) { add(s, "-3", "6400", "BUY (Ca.)", "", "8001", cancel) },
			nil, nil,
			[]string{"2026-08-05T14:00:00Z sell 3 MESU6 @ 6400 x 5 commission 1 id "},
		},
		"corrected": {
			func(s *server) {
				add(s, "3", "6400", "BUY", "aa.01", "8001", "")
				add(s, "-3", "6400", "BUY (Ca.)", "", "8001", cancel)
				add(s, "3", "6401", "BUY", "aa.02", "8001", "")
			},
			[]string{"aa.01"},
			map[string]string{"aa.02": "aa.01"},
			[]string{"2026-08-05T14:00:00Z buy 3 MESU6 @ 6401 x 5 commission 1 id aa.02"},
		},
		"corrected twice, later": {
			func(s *server) { add(s, "3", "6402", "BUY", "aa.03", "8001", "") },
			nil,
			map[string]string{"aa.03": "aa.02", "aa.02": "aa.01"},
			[]string{"2026-08-05T14:00:00Z buy 3 MESU6 @ 6402 x 5 commission 1 id aa.03"},
		},
		"two executions of alike ids": {
			func(s *server) {
				add(s, "3", "6400", "BUY", "aa.01", "8001", "")
				add(s, "1", "6401", "BUY", "aa.02", "8002", "")
			},
			nil, nil,
			[]string{
				"2026-08-05T14:00:00Z buy 1 MESU6 @ 6401 x 5 commission 1 id aa.02",
				"2026-08-05T14:00:00Z buy 3 MESU6 @ 6400 x 5 commission 1 id aa.01",
			},
		},
	} {
		s := newServer()
		c.add(s)
		d := newFills(s).MustFetch(t)[0]
		if !slices.Equal(d.Withdrawn, c.withdrawn) || !maps.Equal(d.Replaced, c.replaced) {
			t.Errorf("%s: withdrawn %q, replaced %q", name, d.Withdrawn, d.Replaced)
		}
		expectLines(t, name, readFile(t, d), slices.Insert(slices.Clone(history), 2, c.fills...))
	}
}

func TestEarlierVersion(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"0000e1a7.66aa.01.02": "0000e1a7.66aa.01.01", "a.10": "a.09", "a.20": "a.19", "a.01": "", "a.00": "", "a.2": "", "a.1x": "", "02": "", "": "",
	} {
		if got := earlierVersion(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func FuzzFills(f *testing.F) {
	newFills(newServer()).FuzzAnswer(f, `<FlexQueryResponse><FlexStatement accountId="U1"><Trades><Trade ibExecID="a.02" notes="Ca"/></Trades></FlexStatement></FlexQueryResponse>`)
}
