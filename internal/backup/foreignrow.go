package backup

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// foreignRow is a row of a file of unknown origin, by plain names.
type foreignRow map[string]jsontext.Value

// The names in use for what decides the shape of a file.
var (
	accountNames = []string{"account", "tradingaccount"}
	fillNames    = []string{"fills", "executions", "orders"}
	entryPrices  = []string{"entryprice", "openprice", "avgentryprice", "avgentry", "entry"}
	exitPrices   = []string{"exitprice", "closeprice", "avgexitprice", "avgexit", "exit"}
	exitTimes    = []string{"closedat", "closetime", "exitat", "exittime", "exitdate", "closedate"}
)

const (
	sideBuy  = "buy"
	sideSell = "sell"
)

// plainName is a name without regard to case and to how words are joined:
// executedAt, executed_at and "Executed At" are one.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func fieldsOf(raw jsontext.Value) (foreignRow, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, journal.Invalid("It must be an object.")
	}
	return plainFields(members), nil
}

// plainFields returns members by their plain names. Of two that are the same
// then, the first in the order of the alphabet counts.
func plainFields(members map[string]jsontext.Value) foreignRow {
	in := make(foreignRow, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if plain := plainName(name); in[plain] == nil {
			in[plain] = members[name]
		}
	}
	return in
}

// find returns the first of some fields that is there and not null.
func (in foreignRow) find(names ...string) (jsontext.Value, bool) {
	for _, name := range names {
		if value, there := in[name]; there && value.Kind() != 'n' {
			return value, true
		}
	}
	return nil, false
}

func (in foreignRow) object(names ...string) (foreignRow, bool) {
	value, there := in.find(names...)
	if !there {
		return nil, false
	}
	object, err := fieldsOf(value)
	return object, err == nil
}

// rows returns a list; there reports whether the file has one.
func (in foreignRow) rows(names ...string) (rows []jsontext.Value, there bool, err error) {
	value, there := in.find(names...)
	if !there {
		return nil, false, nil
	}
	if err := json.Unmarshal(value, &rows); err != nil {
		return nil, true, journal.Invalid("%s must be a list.", names[0])
	}
	return rows, true, nil
}

// text returns a text, or a number as it is written; empty for anything else.
func (in foreignRow) text(names ...string) string {
	value, there := in.find(names...)
	if !there {
		return ""
	}
	return textOf(value)
}

func textOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return ""
		}
		return strings.TrimSpace(text)
	case '0', 't', 'f':
		return value.String()
	default:
		return ""
	}
}

// texts returns a list of texts, or of objects with a name, or one text.
func (in foreignRow) texts(names ...string) []string {
	value, there := in.find(names...)
	if !there {
		return nil
	}
	var rows []jsontext.Value
	if err := json.Unmarshal(value, &rows); err != nil {
		rows = []jsontext.Value{value}
	}
	var list []string
	for _, row := range rows {
		text := textOf(row)
		if object, err := fieldsOf(row); err == nil {
			text = object.text("name", "title", "text")
		}
		if !journal.IsBlank(text) {
			list = append(list, text)
		}
	}
	return list
}

func (in foreignRow) number(names ...string) (decimal.Null, error) {
	text := in.text(names...)
	if text == "" {
		return decimal.Null{}, nil
	}
	n, err := decimal.Parse(strings.TrimPrefix(text, "+"))
	if err != nil {
		return decimal.Null{}, journal.Invalid("%s must be a number: %s.", names[0], err)
	}
	return decimal.Of(n), nil
}

func (in foreignRow) required(names ...string) (decimal.Decimal, error) {
	n, err := in.number(names...)
	if err == nil && !n.Valid {
		err = journal.Invalid("%s is missing.", names[0])
	}
	return n.Decimal, err
}

// plainTimes are the ways to write an instant without an offset, which is
// then taken for UTC.
var plainTimes = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

func (in foreignRow) instant(names ...string) (Instant, error) {
	text := in.text(names...)
	if text == "" {
		return Instant{}, journal.Invalid("%s is missing.", names[0])
	}
	for _, layout := range plainTimes {
		if at, err := time.Parse(layout, text); err == nil {
			text = at.Format(time.RFC3339Nano)
			break
		}
	}
	if at, ok := sinceEpoch(text); ok {
		text = at.Format(time.RFC3339Nano)
	}
	at, err := journal.ParseInstant(names[0], strings.Replace(text, " ", "T", 1))
	return Instant{at}, err
}

// sinceEpoch reads seconds or milliseconds since 1970.
func sinceEpoch(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}, false
	case len(text) == len("1700000000"):
		return time.Unix(n, 0).UTC(), true
	case len(text) == len("1700000000000"):
		return time.UnixMilli(n).UTC(), true
	}
	return time.Time{}, false
}

// isTrade reports whether a row is a trade and not an execution.
func (in foreignRow) isTrade() bool {
	if _, there := in.find(fillNames...); there {
		return true
	}
	_, there := in.find(entryPrices...)
	return there
}

// execution reads a fill. What it does not tell itself is taken from the
// trade that it is in.
func (in foreignRow) execution(trade foreignRow) (x Execution, err error) {
	both := func(names ...string) string {
		if text := in.text(names...); text != "" {
			return text
		}
		return trade.text(names...)
	}
	x.Symbol = both("symbol", "ticker", "instrument", "market")
	if x.Symbol == "" {
		return x, journal.Invalid("symbol is missing.")
	}
	x.InstrumentType = instrumentType(both("instrumenttype", "assettype", "assetclass", "securitytype"))
	if x.Side, err = side(in.text("side", "action", "direction", "buysell", "type")); err != nil {
		return x, err
	}
	quantity, err := in.required("quantity", "qty", "size", "shares", "contracts", "volume", "qtyopened")
	if err != nil {
		return x, err
	}
	x.Quantity = quantity.Abs()
	if x.Price, err = in.required(append([]string{"price", "fillprice", "avgprice", "averageprice"}, entryPrices...)...); err != nil {
		return x, err
	}
	x.ExecutedAt, err = in.instant("executedat", "filledat", "executiontime", "time", "datetime", "timestamp", "tradedat",
		"openedat", "opentime", "entryat", "entrytime", "entrydate", "opendate", "date")
	if err != nil {
		return x, err
	}
	x.ExternalID = in.text("externalid", "brokerid", "executionid")
	x.Details = contract(both)
	err = in.costs(&x, trade)
	return x, err
}

func (in foreignRow) costs(x *Execution, trade foreignRow) (err error) {
	fees, err := in.number("fees", "fee", "feestotal")
	if err != nil {
		return err
	}
	commission, err := in.number("commission", "commissions")
	if err != nil {
		return err
	}
	x.Fees, x.Commission = fees.Decimal, commission.Decimal
	if x.Multiplier, err = in.number("multiplier", "pointvalue", "contractsize"); err != nil {
		return err
	}
	if !x.Multiplier.Valid {
		if x.Multiplier, err = trade.number("multiplier", "pointvalue", "contractsize"); err != nil {
			return err
		}
	}
	x.StatedPnL, err = in.number("statedpnl")
	return err
}

// contract collects what makes an option.
func contract(both func(names ...string) string) map[string]string {
	right := strings.ToLower(both("optionright", "right", "optiontype", "putcall", "callput"))
	switch right {
	case "c":
		right = "call"
	case "p":
		right = "put"
	}
	expiry, _, _ := strings.Cut(both("expiry", "expiration", "expirationdate"), "T") // the day of an instant
	details := map[string]string{"option_right": right, "strike": both("strike", "strikeprice"), "expiry": expiry, "lot": both("lot")}
	maps.DeleteFunc(details, func(_, text string) bool { return text == "" })
	return details
}

// side reads the many words for two things.
func side(text string) (string, error) {
	switch strings.ToLower(text) {
	case "buy", "b", "bot", "bought", "long", "buytoopen", "buytoclose", "buy_to_open", "buy_to_close", "cover":
		return sideBuy, nil
	case "sell", "s", "sld", "sold", "short", "selltoopen", "selltoclose", "sell_to_open", "sell_to_close", "sell_short":
		return sideSell, nil
	case "":
		return "", journal.Invalid("side is missing.")
	}
	return "", journal.Invalid("side must be buy or sell.")
}

// instrumentType returns our name of a kind of instrument.
func instrumentType(text string) string {
	word := strings.TrimSuffix(strings.ToLower(text), "s")
	switch word {
	case "equity", "share", "stk", "etf":
		return "stock"
	case "opt":
		return "option"
	case "fut":
		return "future"
	case "fx", "currency", "cash":
		return "forex"
	}
	return word
}

func cashType(text string) (ledger.CashType, error) {
	switch word := ledger.CashType(strings.ToLower(text)); word {
	case ledger.Deposit, ledger.Withdrawal, ledger.Fee, ledger.Dividend, ledger.Interest, ledger.Adjustment:
		return word, nil
	case "withdraw":
		return ledger.Withdrawal, nil
	case "fees", "commission":
		return ledger.Fee, nil
	}
	return "", journal.Invalid("type must be deposit, withdrawal, fee, dividend, interest or adjustment.")
}

// annotations reads the annotations of a trade.
func (in foreignRow) annotations() (w Annotations, err error) {
	for _, f := range playbook.AnnotationFields {
		names := append([]string{strings.ReplaceAll(f.Name, "_", "")}, f.Aliases...)
		switch value := f.At(&w.AnnotationValues).(type) {
		case *string:
			*value = in.text(names...)
		case *annotations.Grade:
			*value = in.grade(names...)
		case *decimal.Null:
			if *value, err = in.number(names...); err != nil {
				return w, err
			}
		case **time.Time:
			if at, err := in.instant(names...); err == nil && !at.IsZero() {
				*value = &at.Time
			}
		}
	}
	w.Tags = in.texts("tags", "tagnames")
	w.Setups = in.texts("setups", "setup", "setupname", "strategy")
	return w, nil
}

// grade reads 1 to 5; anything else is no grade of ours.
func (in foreignRow) grade(names ...string) annotations.Grade {
	n, err := strconv.Atoi(in.text(names...))
	if err != nil || n < 1 || n > annotations.MaxGrade {
		return 0
	}
	return annotations.Grade(n)
}

// sentence returns the part of an error that may be shown.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*journal.Error](err); ok {
		return refusal.Message
	}
	return "It could not be read."
}
