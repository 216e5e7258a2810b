package ibkrflex

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"fillbook/internal/base/remote"
)

// isCSV reports whether an answer is a report as CSV.
func isCSV(body []byte) bool {
	const enough = 2000
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), enough)]))
	return len(head) > 0 && head[0] != '<' && slices.ContainsFunc([]string{"clientaccountid", "ibexecid", "tradeprice"}, func(name string) bool {
		return bytes.Contains(head, []byte(name))
	})
}

// columns are the names of XML for columns of CSV, in lower case. Others are the same.
var columns = map[string]string{
	"clientaccountid": "accountId", "assetclass": "assetCategory", "ibexecid": "ibExecID", "execid": "execID", "datetime": "dateTime",
	"date/time": "dateTime", "tradeprice": "tradePrice", "ibcommission": "ibCommission", "tradeid": "tradeID", "transactiontype": "transactionType",
	"notes/codes": "notes", "tradedate": "tradeDate", "reportdate": "reportDate", "put/call": "putCall", "levelofdetail": "levelOfDetail",
}

// section is a part of a CSV file: what its rows are, and the names of their columns.
type section struct {
	name  string
	names []string
}

// parseCSV finds a report's rows as CSV. It may have several sections, each with a
// header.
func parseCSV(body []byte) (*report, error) {
	r := &report{body: body, isCSV: true}
	reader := csv.NewReader(bytes.NewReader(body))
	reader.FieldsPerRecord = -1
	var now section
	for {
		start := reader.InputOffset()
		cells, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && bytes.HasSuffix(body, []byte(",")):
			return nil, remote.ErrTruncated
		case errors.Is(err, io.EOF):
			return r, nil
		case errors.Is(err, csv.ErrQuote) && reader.InputOffset() >= int64(len(body)):
			return nil, remote.ErrTruncated
		case err != nil:
			return nil, remote.Malformed("it is not CSV")
		}
		if next, isHead := newSection(cells); isHead {
			now = next
			r.addHead(now)
			continue
		}
		if now.name == "" || cells[0] != "DATA" && len(cells) < len(now.names) && len(cells[0]) == len("EOS") {
			continue // a line that begins or ends something
		}
		if len(cells) < len(now.names) {
			return nil, remote.ErrTruncated
		}
		r.addRow(now, cells, start, reader.InputOffset())
	}
}

// newSection returns a header's section, and whether a row is one.
func newSection(cells []string) (section, bool) {
	names := make([]string, len(cells))
	for i, cell := range cells {
		cell = strings.ToLower(strings.TrimSpace(cell))
		names[i] = cell
		if name, ok := columns[cell]; ok {
			names[i] = name
		}
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("quantity") && has("execID"):
		return section{confirmName, names}, true
	case has("quantity") && (has("tradePrice") || has("ibExecID") || has("tradeID") || has("buy/sell")):
		return section{tradeName, names}, true
	case has("type") && has("amount"):
		return section{cashName, names}, true
	case has("accountId"):
		return section{"", names}, true
	}
	return section{}, false
}

// addHead keeps the fields of a trade section.
func (r *report) addHead(of section) {
	if of.name != tradeName && of.name != confirmName {
		return
	}
	head := element{name: of.name, attr: map[string]string{}}
	for _, name := range of.names {
		head.attr[name] = ""
	}
	r.heads, r.hasTrades = append(r.heads, head), true
}

// addRow keeps a used row. Trade rows may also be sums or closed lots.
func (r *report) addRow(of section, cells []string, start, end int64) {
	e := element{name: of.name, attr: map[string]string{}, start: start, end: end}
	for i, name := range of.names {
		e.attr[name] = strings.TrimSpace(cells[i])
	}
	e.statement = r.findStatement(e.attr["accountId"])
	switch level := strings.ToUpper(e.attr["levelOfDetail"]); {
	case of.name != cashName && level == "ORDER":
		e.name = orderName
	case of.name != cashName && level != "" && level != "EXECUTION":
		return
	}
	r.add(e)
}

// findStatement returns the index for an account's statement. A CSV file has none, so one
// without a place is made.
func (r *report) findStatement(account string) int {
	i := slices.IndexFunc(r.statements, func(s element) bool { return s.attr["accountId"] == account })
	if i < 0 {
		i = len(r.statements)
		r.statements = append(r.statements, element{name: statementName, attr: map[string]string{"accountId": account}})
	}
	return i
}
