package httpapi

import (
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// Trades, fills and explanations of figures are appended to a buffer member by
// member: encoding them by reflection takes longer than reading or computing them.
// The result is the same, byte for byte; TestAppendedRecordsEqualMarshaled compares
// it for every member.

// marshalBody returns the JSON of an answer.
func marshalBody(value any) ([]byte, error) {
	if summary, ok := value.(summaryAnswer); ok {
		return appendRecord(nil, &summary)
	}
	return transport.Marshal(value)
}

// appendRecord appends the JSON of a record. The types are listed
// instead of having a method, because a struct that embeds one of them would
// have the method too and lose its own members.
func appendRecord[T any](b []byte, record *T) ([]byte, error) {
	switch r := any(record).(type) {
	case *Trade:
		return appendTrade(b, r)
	case *Execution:
		return appendExecution(b, r)
	case *summaryAnswer:
		return appendSummary(b, r)
	}
	text, err := transport.Marshal(record)
	return append(b, text...), err
}

// jsonObject appends the members of an object.
type jsonObject struct {
	b   []byte
	err error // the first text that is not valid
}

func (o *jsonObject) name(name string) {
	if last := len(o.b) - 1; last < 0 || o.b[last] != '{' {
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

// grade appends a grade, or null for 0.
func (o *jsonObject) grade(name string, value int) {
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

// value appends a member of any other type.
func (o *jsonObject) value(name string, value any) {
	o.name(name)
	text, err := transport.Marshal(value)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.b = append(o.b, text...)
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

func appendTrade(b []byte, t *Trade) ([]byte, error) {
	o := jsonObject{b: append(b, '{')}
	o.text("id", string(t.ID))
	o.text("account_id", string(t.AccountID))
	o.text("symbol", t.Symbol)
	o.text("instrument_type", t.InstrumentType)
	o.text("direction", string(t.Direction))
	o.text("status", string(t.Status))
	o.instant("opened_at", t.OpenedAt)
	o.nullInstant("closed_at", t.ClosedAt)
	o.number("qty_opened", t.QtyOpened)
	o.number("qty_remaining", t.QtyRemaining)
	o.number("avg_entry_price", t.AvgEntryPrice)
	o.nullNumber("avg_exit_price", t.AvgExitPrice)
	o.nullNumber("gross_pnl", t.GrossPnL)
	o.number("fees_total", t.FeesTotal)
	o.nullNumber("net_pnl", t.NetPnL)
	o.number("realized_pnl", t.RealizedPnL)
	o.text("pnl_currency", t.PnLCurrency)
	o.nullNumber("return_pct", t.ReturnPct)
	if t.TimeInTradeSecs == nil {
		o.null("time_in_trade_secs")
	} else {
		o.integer("time_in_trade_secs", *t.TimeInTradeSecs)
	}
	o.number("multiplier", t.Multiplier)
	o.integer("execution_count", int64(t.ExecutionCount))
	appendNullText(&o, "option_right", t.OptionRight)
	o.nullNumber("strike", t.Strike)
	appendNullText(&o, "expiry", t.Expiry)
	o.text("notes", t.Notes)
	o.name("tags")
	o.b = append(o.b, '[')
	for i := range t.Tags {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		t.Tags[i].append(&o)
	}
	o.b = append(o.b, ']')
	appendTextList(&o, "tag_ids", t.TagIDs)
	appendTextList(&o, "setup_ids", t.SetupIDs)
	if len(t.Rules) == 0 {
		o.name("rules")
		o.b = append(o.b, "[]"...)
	} else {
		o.value("rules", t.Rules)
	}
	o.nullNumber("initial_risk", t.InitialRisk)
	o.flag("initial_risk_derived", t.InitialRiskDerived)
	o.nullNumber("stop_price", t.StopPrice)
	o.nullNumber("risk_to_stop", t.RiskToStop)
	o.nullNumber("target_price", t.TargetPrice)
	o.nullNumber("last_stop", t.LastStop)
	o.nullNumber("r_multiple", t.RMultiple)
	o.nullNumber("planned_r", t.PlannedR)
	o.text("emotional_state", t.EmotionalState)
	o.grade("confidence", int(t.Confidence))
	o.grade("trade_quality", int(t.TradeQuality))
	if t.Excursion.value == nil {
		o.null("excursion")
	} else {
		t.Excursion.value.append(&o)
	}
	o.nullNumber("mae", t.MAE)
	o.nullNumber("mfe", t.MFE)
	o.nullInstant("reviewed_at", t.ReviewedAt)
	return append(o.b, '}'), o.err
}

func (e *TradeExcursion) append(o *jsonObject) {
	o.name("excursion")
	o.b = append(o.b, '{')
	o.number("mae_low", e.MAELow)
	o.number("mae_high", e.MAEHigh)
	o.number("mfe_low", e.MFELow)
	o.number("mfe_high", e.MFEHigh)
	o.number("coverage", e.Coverage)
	o.b = append(o.b, '}')
}

func (t *tradeTag) append(o *jsonObject) {
	o.b = append(o.b, '{')
	o.text("id", string(t.ID))
	o.text("name", t.Name)
	o.text("color", t.Color)
	o.text("kind", string(t.Kind))
	o.b = append(o.b, '}')
}

func appendExecution(b []byte, e *Execution) ([]byte, error) {
	o := jsonObject{b: append(b, '{')}
	o.text("id", string(e.ID))
	o.text("account_id", string(e.AccountID))
	appendTextList(&o, "trade_ids", e.TradeIDs)
	appendNullText(&o, "external_id", e.ExternalID)
	o.text("symbol", e.Symbol)
	o.text("instrument_type", e.InstrumentType)
	o.text("side", string(e.Side))
	o.number("quantity", e.Quantity)
	o.number("price", e.Price)
	o.number("fees", e.Fees)
	o.number("commission", e.Commission)
	o.number("multiplier", e.Multiplier)
	o.nullNumber("stated_pnl", e.StatedPnL)
	o.instant("executed_at", e.ExecutedAt)
	if len(e.Details) == 0 {
		o.name("details")
		o.b = append(o.b, "{}"...)
	} else {
		o.value("details", e.Details)
	}
	appendNullText(&o, "import_batch_id", e.ImportBatchID)
	o.instant("created_at", e.CreatedAt)
	return append(o.b, '}'), o.err
}

// appendSummary appends the explanation, which lists thousands of trades, by hand.
// It is the last member.
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
	for i := range s.Explanation {
		o.b = append(o.b, "[,"[min(i, 1)], '{')
		s.Explanation[i].append(&o, lists)
		o.b = append(o.b, '}')
	}
	return append(o.b, ']', '}'), o.err
}

// span is a part of the JSON so far, with a list of so many ids.
type span struct{ first, end, ids int }

// explanationBytes is about the length of the explanation of one figure.
const explanationBytes = 4 << 10

// append appends an explanation. lists are the lists of ids so far, by their first
// element: most figures share theirs, which is copied instead of being written again.
func (e *explained) append(o *jsonObject, lists map[*journal.TradeID]span) {
	o.text("figure", e.Figure)
	o.text("formula", e.Formula)
	o.value("value", e.Value)
	o.name("inputs")
	o.b = append(o.b, '[')
	for i, input := range e.Inputs {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = append(o.b, '{')
		o.text("name", input.Name)
		o.value("value", input.Value)
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, ']')
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
