package httpapi

import (
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/transport"
)

// Trades, fills and figure explanations are appended to a buffer member by member:
// encoding them by reflection takes longer than reading or computing them. The result is
// the same, byte for byte; TestAppendedRecordsEqualMarshaled compares it for every
// member. The functions in encode_records.go are generated from the structs, which are
// the only member lists.

//go:generate go test -run TestAppendersAreGenerated -update .

// marshalBody returns an answer's JSON.
func marshalBody(value any) ([]byte, error) {
	if summary, ok := value.(summaryAnswer); ok {
		return appendRecord(nil, &summary)
	}
	return transport.Marshal(value)
}

// appendRecord appends a record's JSON. The types are listed instead of having a method,
// because a struct embedding one of them would have the method too and lose its own
// members.
func appendRecord[T any](b []byte, record *T) ([]byte, error) {
	o := jsonObject{b: append(b, '{')}
	switch r := any(record).(type) {
	case *Trade:
		appendTrade(&o, r)
	case *Execution:
		appendExecution(&o, r)
	case *summaryAnswer:
		return appendSummary(b, r)
	default:
		text, err := transport.Marshal(record)
		return append(b, text...), err
	}
	return append(o.b, '}'), o.err
}

// jsonObject appends an object's members.
type jsonObject struct {
	b   []byte
	err error // the first invalid text
}

// open begins an object or a list, after a comma unless it is the first element.
func (o *jsonObject) open(bracket byte) {
	if last := o.b[len(o.b)-1]; last != ':' && last != '[' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, bracket)
}

func (o *jsonObject) close(bracket byte) { o.b = append(o.b, bracket) }

func (o *jsonObject) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *jsonObject) text(name, value string) {
	o.name(name)
	o.appendText(value)
}

// appendText appends a JSON string. Most texts need no escape.
func (o *jsonObject) appendText(value string) {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			o.appendQuoted(value)
			return
		}
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, value...)
	o.b = append(o.b, '"')
}

func (o *jsonObject) appendQuoted(value string) {
	quoted, err := jsontext.AppendQuote(o.b, value)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.b = quoted
}

func (o *jsonObject) null(name string) {
	o.name(name)
	o.b = append(o.b, "null"...)
}

func (o *jsonObject) number(name string, value decimal.Decimal) {
	o.name(name)
	o.b = value.AppendTo(o.b)
}

func (o *jsonObject) nullNumber(name string, value decimal.Null) {
	o.name(name)
	o.b = value.AppendTo(o.b)
}

func (o *jsonObject) integer(name string, value int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, value, 10)
}

func (o *jsonObject) nullInteger(name string, value *int64) {
	if value == nil {
		o.null(name)
		return
	}
	o.integer(name, *value)
}

// grade appends a grade, or null for 0.
func (o *jsonObject) grade(name string, value annotations.Grade) {
	if value == 0 {
		o.null(name)
		return
	}
	o.integer(name, int64(value))
}

func (o *jsonObject) flag(name string, value bool) {
	o.name(name)
	o.b = strconv.AppendBool(o.b, value)
}

func (o *jsonObject) instant(name string, value time.Time) {
	o.name(name)
	o.b = append(o.b, '"')
	o.b = value.AppendFormat(o.b, time.RFC3339Nano)
	o.b = append(o.b, '"')
}

func (o *jsonObject) nullInstant(name string, value *time.Time) {
	if value == nil {
		o.null(name)
		return
	}
	o.instant(name, *value)
}

// value appends any other member.
func (o *jsonObject) value(name string, value any) {
	o.name(name)
	text, err := transport.Marshal(value)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.b = append(o.b, text...)
}

// texts appends texts by name.
func (o *jsonObject) texts(name string, values map[string]string) {
	if len(values) > 0 {
		o.value(name, values)
		return
	}
	o.name(name)
	o.b = append(o.b, "{}"...)
}

func appendNullText[T ~string](o *jsonObject, name string, value *T) {
	if value == nil {
		o.null(name)
		return
	}
	o.text(name, string(*value))
}

func appendTextList[T ~string](o *jsonObject, name string, values []T) {
	o.name(name)
	o.b = append(o.b, '[')
	for i, value := range values {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.appendText(string(value))
	}
	o.b = append(o.b, ']')
}

// appendSummary appends the explanation, which lists thousands of trades, by hand. It is
// the last member.
func appendSummary(b []byte, s *summaryAnswer) ([]byte, error) {
	short := *s
	short.Explanation = nil
	text, err := transport.Marshal(&short)
	if err != nil || len(s.Explanation) == 0 {
		return append(b, text...), err
	}
	b = slices.Grow(b, len(text)+len(s.Explanation)*explanationBytes)
	o := jsonObject{b: append(b, text[:len(text)-1]...)}
	o.name("explanation")
	lists := map[*journal.TradeID]span{}
	o.open('[')
	for i := range s.Explanation {
		o.open('{')
		s.Explanation[i].append(&o, lists)
		o.close('}')
	}
	return append(o.b, ']', '}'), o.err
}

// span is a part of the JSON so far, with this many ids.
type span struct{ first, end, ids int }

// explanationBytes is about the length of one figure's explanation.
const explanationBytes = 4 << 10

// append appends an explanation. lists are the id lists so far, by their first element:
// most figures share a list, which is copied instead of being written again.
func (e *explained) append(o *jsonObject, lists map[*journal.TradeID]span) {
	o.text("figure", e.Figure)
	o.text("formula", e.Formula)
	o.value("value", e.Value)
	o.name("inputs")
	o.open('[')
	for _, input := range e.Inputs {
		o.open('{')
		o.text("name", input.Name)
		o.value("value", input.Value)
		o.close('}')
	}
	o.close(']')
	o.text("which", string(e.Which))
	o.integer("trade_count", int64(e.TradeCount))
	var key *journal.TradeID // nil for an empty list
	if len(e.TradeIDs) > 0 {
		key = &e.TradeIDs[0]
	}
	if list, written := lists[key]; written && list.ids == len(e.TradeIDs) {
		o.b = append(o.b, o.b[list.first:list.end]...)
	} else {
		first := len(o.b)
		appendTextList(o, "trade_ids", e.TradeIDs)
		lists[key] = span{first, len(o.b), len(e.TradeIDs)}
	}
	o.text("trades_link", e.TradesLink)
}
