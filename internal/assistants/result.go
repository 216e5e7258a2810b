package assistants

import (
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxResult is the largest result in bytes, about 6,000 tokens.
	maxResult = 24_576
	// resultMargin is what the SDK adds to a result: its type and the server's name.
	resultMargin = 512
	// maxSummary is the longest summary, in characters.
	maxSummary = 600
	// maxTable is how many rows text content has; structured content has all.
	maxTable = 20
)

// answer is a tool's result before it is encoded.
type answer struct {
	summary string
	data    object
	extra   object // further members next to data
	link    string // a path of the page
	cursor  string // of the next page
	// lists are the lists in data that can be shortened, the first to be shortened first.
	lists []*list
	table table
	// after is called after rows were left out: it adapts data to the shown rows.
	after func(a *answer)
}

// more describes what was left out, and how to get it.
type more struct {
	Cursor *string `json:"cursor"`
	Shown  int     `json:"shown"`
	Total  int     `json:"total"`
	Hint   string  `json:"hint"`
}

// list is a list in an answer that may be too long for it.
type list struct {
	field string
	rows  []object
	total int  // including what is not in rows
	first bool // shorten at the beginning
	hint  string
}

// table is the compact table of text content.
type table struct {
	field   string // the list in data
	columns []string
}

func (l *list) cut(n int) {
	if l.first {
		l.rows = l.rows[len(l.rows)-n:]
		return
	}
	l.rows = l.rows[:n]
}

// textLimits are the longest texts of users in an answer, in characters. If an answer does not
// fit although its lists are empty, the next one is tried; 0 leaves the names out.
var textLimits = []int{maxText, 500, 100, 20, 0}

// encodeAnswer returns the result for the client. Rows that do not fit are left out; then texts
// are shortened.
func (c *call) encodeAnswer(a *answer) (result *mcp.CallToolResult) {
	all := make([][]object, len(a.lists))
	for i, l := range a.lists {
		all[i] = l.rows
	}
	for _, longest := range textLimits {
		for i, l := range a.lists {
			l.rows = all[i]
		}
		if result = c.encodeRows(a, longest); fits(result) {
			break
		}
	}
	return result
}

// encodeRows returns the result with as many rows as fit.
func (c *call) encodeRows(a *answer, longest int) *mcp.CallToolResult {
	result := c.tryEncode(a, longest)
	for _, l := range a.lists {
		if fits(result) {
			break
		}
		all := l.rows
		fewest := sort.Search(len(all), func(left int) bool { // how many must be left out
			l.rows = all
			l.cut(len(all) - left)
			return fits(c.tryEncode(a, longest))
		})
		l.rows = all
		l.cut(len(all) - fewest)
		result = c.tryEncode(a, longest)
	}
	return result
}

// fits reports whether a result is small enough.
func fits(result *mcp.CallToolResult) bool { return size(result) <= maxResult-resultMargin }

func size(result *mcp.CallToolResult) int {
	text, err := json.Marshal(result)
	if err != nil {
		panic(err) // the content consists of JSON and texts
	}
	return len(text)
}

// tryEncode returns the result with texts up to a length.
func (c *call) tryEncode(a *answer, longest int) *mcp.CallToolResult {
	for _, l := range a.lists {
		a.data.set(l.field, nonNil(l.rows))
	}
	if a.after != nil {
		a.after(a)
	}
	data := a.data
	if longest < maxText {
		data = object{"data": shortenTexts(encode(data), max(longest, 1))}.object("data")
	}
	content := object{"data": encode(data), "summary": encode(cutText(a.summary, maxSummary))}
	maps.Copy(content, a.extra)
	content.set("more", a.describeMore())
	content.set("link", c.pageLink(a.link))
	names := c.namesIn(encode(content), longest)
	content.set("names", names)
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: c.renderText(a, data, content, names)}},
		StructuredContent: json.RawMessage(encode(content)),
	}
}

// nonNil returns the list as JSON has it: never null.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// describeMore returns what was left out; nil if nothing was.
func (a *answer) describeMore() *more {
	out := more{}
	isCut := false
	for _, l := range a.lists {
		out.Shown += len(l.rows)
		out.Total += max(l.total, len(l.rows))
		if len(l.rows) < l.total && out.Hint == "" {
			isCut, out.Hint = true, l.hint
		}
	}
	if a.cursor != "" {
		out.Cursor, out.Hint, isCut = &a.cursor, a.lists[0].hint, true
	}
	if !isCut {
		return nil
	}
	return &out
}

func (c *call) pageLink(path string) *string {
	if c.PublicURL == "" || path == "" {
		return nil
	}
	link := strings.TrimRight(c.PublicURL, "/") + path
	return &link
}

// renderText returns the text content: the summary and a table.
func (c *call) renderText(a *answer, data, content object, names map[string]untrusted) string {
	var text strings.Builder
	text.WriteString(cutText(a.summary, maxSummary))
	rows := data.objects(a.table.field)
	if len(rows) > 0 {
		text.WriteString("\n\n" + strings.Join(a.table.columns, " | "))
	}
	for _, row := range rows[:min(len(rows), maxTable)] {
		cells := make([]string, len(a.table.columns))
		for i, column := range a.table.columns {
			cells[i] = c.renderCell(row[column], names)
		}
		text.WriteString("\n" + strings.Join(cells, " | "))
	}
	if !content.isNull("more") {
		m := content.object("more")
		fmt.Fprintf(&text, "\n\nShown: %d of %d. %s", m.count("shown"), m.count("total"), m.text("hint"))
	}
	return text.String()
}

// renderCell returns a value as text. What users wrote is between markers.
func (c *call) renderCell(value jsontext.Value, names map[string]untrusted) string {
	row := object{"value": value}
	if text := row.text("value"); text != "" {
		if name, isID := names[text]; isID {
			return c.quote(name.Text, maxName)
		}
		return text
	}
	if inner := row.object("value"); inner != nil && inner["untrusted_text"] != nil {
		return c.quote(inner.text("untrusted_text"), maxSnippet)
	}
	var cells []string
	for _, id := range row.texts("value") {
		cells = append(cells, c.renderCell(encode(id), names))
	}
	if cells != nil {
		return strings.Join(cells, ", ")
	}
	if value == nil || string(value) == `""` || string(value) == "null" || string(value) == "[]" {
		return "-"
	}
	return string(value)
}

// quote returns a text of a user between markers. The text cannot contain the markers: their
// tag is new for each call.
func (c *call) quote(text string, longest int) string {
	text = strings.Join(strings.Fields(cutText(text, longest)), " ")
	return "<<untrusted " + c.tag + ">>" + text + "<<end " + c.tag + ">>"
}

// encodeRefusal returns the result for a refused call.
func (c *call) encodeRefusal(r *refusal) (result *mcp.CallToolResult) {
	for _, longest := range textLimits {
		if result = c.tryRefusal(r, longest); fits(result) {
			break
		}
	}
	return result
}

func (c *call) tryRefusal(r *refusal, longest int) *mcp.CallToolResult {
	content := object{"error": encode(r)}
	names := c.namesIn(content["error"], longest)
	content.set("names", names)
	lines := []string{r.Message}
	for _, choice := range r.Choices {
		lines = append(lines, choice.ID+" "+c.quote(names[choice.ID].Text, maxName))
	}
	return &mcp.CallToolResult{
		IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(lines, "\n")}}, StructuredContent: json.RawMessage(encode(content)),
	}
}
