package backup

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// foreignRow is a row from an unknown source, by plain names.
type foreignRow map[string]jsontext.Value

// The common names for the members that decide the file's shape.
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

func parseRow(raw jsontext.Value) (foreignRow, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, journal.Invalid("It must be an object.")
	}
	return plainFields(members), nil
}

// plainFields returns members by their plain names. Between two with the same plain name,
// the alphabetically first counts.
func plainFields(members map[string]jsontext.Value) foreignRow {
	in := make(foreignRow, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if plain := plainName(name); in[plain] == nil {
			in[plain] = members[name]
		}
	}
	return in
}

// find returns the first field that is present and not null.
func (in foreignRow) find(names ...string) (jsontext.Value, bool) {
	for _, name := range names {
		if value, there := in[name]; there && value.Kind() != 'n' {
			return value, true
		}
	}
	return nil, false
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
	value, _ := in.find(names...)
	return trimText(value)
}

func trimText(value jsontext.Value) string { return strings.TrimSpace(plainText(value)) }

// plainText returns a text with its spaces, or a number as it is written; empty for
// anything else.
func plainText(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return ""
		}
		return text
	case '0', 't', 'f':
		return value.String()
	default:
		return ""
	}
}

// texts returns a list of texts, or the names in a list of objects, or one text.
func (in foreignRow) texts(names ...string) []string {
	value, _ := in.find(names...)
	var rows []jsontext.Value
	if err := json.Unmarshal(value, &rows); err != nil {
		rows = []jsontext.Value{value}
	}
	var list []string
	for _, row := range rows {
		text := trimText(row)
		if object, err := parseRow(row); err == nil {
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

// plainTimes are the time layouts without an offset, read as UTC, and the precision of
// each.
var plainTimes = []struct {
	layout    string
	precision ledger.Facts
}{
	{layout: "2006-01-02T15:04:05.999999999"},
	{layout: "2006-01-02 15:04:05.999999999"},
	{layout: "2006-01-02T15:04", precision: ledger.MinutePrecision},
	{layout: "2006-01-02 15:04", precision: ledger.MinutePrecision},
	{layout: time.DateOnly, precision: ledger.DayPrecision},
}

func (in foreignRow) instant(names ...string) (Instant, error) {
	at, _, err := in.time(names...)
	return at, err
}

// time returns an instant and the facts about how it is written.
func (in foreignRow) time(names ...string) (Instant, ledger.Facts, error) {
	text := in.text(names...)
	if text == "" {
		return Instant{}, 0, journal.Invalid("%s is missing.", names[0])
	}
	var facts ledger.Facts
	if strings.ContainsAny(text, ".,") {
		facts = ledger.ZeroFraction // the ledger drops it if the fraction is not 0
	}
	for _, plain := range plainTimes {
		if at, err := time.Parse(plain.layout, text); err == nil {
			text, facts = at.Format(time.RFC3339Nano), facts|plain.precision|ledger.ZoneAssumed
			break
		}
	}
	if at, ok := parseEpoch(text); ok {
		if len(text) == len(epochMillis) {
			facts = ledger.ZeroFraction
		}
		text = at.Format(time.RFC3339Nano)
	}
	at, err := journal.ParseInstant(names[0], strings.Replace(text, " ", "T", 1))
	return Instant{at}, facts, err
}

// Examples in seconds and milliseconds since 1970: they are recognized by their length.
const (
	epochSeconds = "1700000000"
	epochMillis  = "1700000000000"
)

// parseEpoch reads seconds or milliseconds since 1970.
func parseEpoch(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}, false
	case len(text) == len(epochSeconds):
		return time.Unix(n, 0).UTC(), true
	case len(text) == len(epochMillis):
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

// The common names for a fill's values. The API's name is first.
var (
	symbolNames     = []string{"symbol", "ticker", "instrument", "market"}
	typeNames       = []string{"instrumenttype", "assettype", "assetclass", "securitytype"}
	sideNames       = []string{"side", "action", "direction", "buysell", "type"}
	quantityNames   = []string{"quantity", "qty", "size", "shares", "contracts", "volume", "qtyopened"}
	priceNames      = append([]string{"price", "fillprice", "avgprice", "averageprice"}, entryPrices...)
	feeNames        = []string{"fees", "fee", "feestotal"}
	commissionNames = []string{"commission", "commissions"}
	multiplierNames = []string{"multiplier", "pointvalue", "contractsize"}
	statedNames     = []string{"statedpnl"}
	idNames         = []string{"externalid", "brokerid", "executionid"}
	timeNames       = []string{
		"executedat", "filledat", "executiontime", "time", "datetime", "timestamp", "tradedat",
		"openedat", "opentime", "entryat", "entrytime", "entrydate", "opendate", "date",
	}
	fillFields = [][]string{
		symbolNames, typeNames, sideNames, quantityNames, priceNames, feeNames, commissionNames, multiplierNames, statedNames, idNames,
		timeNames,
	}
)

// execution reads a fill and checks it as the ledger does. Missing values are taken from
// its trade.
func (in foreignRow) execution(trade foreignRow) (x Execution, err error) {
	if err := cmp.Or(in.checkTexts(fillFields...), trade.checkTexts(typeNames, multiplierNames)); err != nil {
		return x, err
	}
	both := func(names ...string) string { return cmp.Or(in.text(names...), trade.text(names...)) }
	x.Symbol = both(symbolNames...)
	if x.Symbol == "" {
		return x, journal.Invalid("symbol is missing.")
	}
	x.InstrumentType = instrumentType(both(typeNames...))
	if x.Side, err = parseSide(in.text(sideNames...)); err != nil {
		return x, err
	}
	quantity, err := in.required(quantityNames...)
	if err != nil {
		return x, err
	}
	x.Quantity = quantity.Abs()
	if x.Price, err = in.required(priceNames...); err != nil {
		return x, err
	}
	var facts ledger.Facts
	if x.ExecutedAt, facts, err = in.time(timeNames...); err != nil {
		return x, err
	}
	x.ExternalID, x.EventID = in.text(idNames...), in.text("eventid")
	// Other programs may name something else a kind.
	if kind := strings.ToLower(in.text("kind")); slices.Contains(kindNames(), kind) {
		x.Kind, x.BasisEstimated = kind, in.text("basisestimated") == "true"
	}
	if x.Details, err = in.detailsIn(trade); err != nil {
		return x, err
	}
	if err = in.readCosts(&x, trade, &facts); err != nil {
		return x, err
	}
	x.Facts = facts.Names()
	_, err = x.checkedFill()
	return x, err
}

// kindNames returns the names of kinds other than a trade.
func kindNames() (names []string) {
	for _, kind := range matching.Kinds()[1:] {
		names = append(names, kind.String())
	}
	return names
}

// checkTexts returns an error for a field that is neither a text nor a number.
func (in foreignRow) checkTexts(fields ...[]string) error {
	for _, names := range fields {
		if value, there := in.find(names...); there && !isText(value) {
			return journal.Invalid("%s must be a text or a number.", names[0])
		}
	}
	return nil
}

func isText(value jsontext.Value) bool { return value.Kind() == '"' || value.Kind() == '0' }

// readCosts sets the costs, the multiplier and the stated result, and adds the stated
// values to the facts: a stated 0 is known.
func (in foreignRow) readCosts(x *Execution, trade foreignRow, facts *ledger.Facts) (err error) {
	var fees, commission decimal.Null
	multiplied := in
	if in.text(multiplierNames...) == "" {
		multiplied = trade
	}
	for _, value := range []struct {
		into  *decimal.Null
		row   foreignRow
		names []string
		fact  ledger.Facts
	}{
		{&fees, in, feeNames, ledger.FeesStated},
		{&commission, in, commissionNames, ledger.CommissionStated},
		{&x.Multiplier, multiplied, multiplierNames, ledger.MultiplierStated},
		{&x.StatedPnL, in, statedNames, 0},
	} {
		if *value.into, err = value.row.number(value.names...); err != nil {
			return err
		}
		if value.into.Valid {
			*facts |= value.fact
		}
	}
	x.Fees, x.Commission = fees.Decimal, commission.Decimal
	return nil
}

// contractNames are the common names for a contract's parts, by their API names. They are
// read beside a fill's other values and in its details.
var contractNames = map[string][]string{
	"option_right": {"optionright", "right", "optiontype", "putcall", "callput"},
	"strike":       {"strike", "strikeprice"},
	"expiry":       {"expiry", "expiration", "expirationdate"},
	detailLot:      {detailLot},
}

const detailLot = "lot"

// detailsIn returns a fill's details with its contract. Missing ones are taken from its
// trade.
func (in foreignRow) detailsIn(trade foreignRow) (map[string]string, error) {
	own, err := in.details()
	if err != nil {
		return nil, err
	}
	all, err := trade.details()
	if err != nil {
		return nil, err
	}
	maps.Copy(all, own)
	return all, nil
}

// details returns the details stated in a row: the members of details, and the contract,
// which may be beside them.
func (in foreignRow) details() (map[string]string, error) {
	stated, err := in.statedDetails()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(contractNames)) {
		if value, there := in.find(contractNames[key]...); there {
			if err := addDetail(stated, key, value); err != nil {
				return nil, err
			}
		}
	}
	return stated, nil
}

// statedDetails reads the member details. Contract parts get their API names, and other
// values keep theirs.
func (in foreignRow) statedDetails() (map[string]string, error) {
	stated := map[string]string{}
	value, there := in.find("details")
	if !there {
		return stated, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return nil, journal.Invalid("details must be an object of texts.")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := addDetail(stated, detailKey(name), members[name]); err != nil {
			return nil, err
		}
	}
	return stated, nil
}

// detailKey returns a contract part's API name, and any other name unchanged.
func detailKey(name string) string {
	plain := plainName(name)
	for key, names := range contractNames {
		if slices.Contains(names, plain) {
			return key
		}
	}
	return name
}

// addDetail adds a value to the details. It refuses values other than texts and numbers,
// and a contract part stated twice with different values.
func addDetail(details map[string]string, key string, value jsontext.Value) error {
	if value.Kind() == 'n' {
		return nil
	}
	if !isText(value) {
		return journal.Invalid("details.%s must be a text or a number.", shorten(key))
	}
	if contractNames[key] == nil {
		details[key] = plainText(value)
		return nil
	}
	text := contractText(key, trimText(value))
	if text == "" {
		return nil
	}
	if before, there := details[key]; there && before != text {
		return journal.Invalid("details.%s is stated twice with different values.", key)
	}
	details[key] = text
	return nil
}

// contractText returns the usual form of a contract part, and any invalid text unchanged.
func contractText(key, text string) string {
	switch key {
	case "option_right":
		word := strings.ToLower(text)
		return cmp.Or(map[string]string{"c": "call", "p": "put"}[word], word)
	case "strike":
		if strike, err := decimal.Parse(text); err == nil {
			return strike.String()
		}
	case "expiry":
		day, _, _ := strings.Cut(text, "T") // an instant's day
		return day
	}
	return text
}

// parseSide returns buy or sell for the common words.
func parseSide(text string) (string, error) {
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

// instrumentTypes are our names for the other common ones.
var instrumentTypes = map[string]string{
	"equity": "stock", "share": "stock", "stk": "stock", "etf": "stock", "opt": "option", "fut": "future",
	"fx": "forex", "currency": "forex", "cash": "forex",
}

// instrumentType returns our name for an instrument kind.
func instrumentType(text string) string {
	word := strings.TrimSuffix(strings.ToLower(text), "s")
	return cmp.Or(instrumentTypes[word], word)
}

func parseCashType(text string) (ledger.CashType, error) {
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

// annotations reads a trade's annotations.
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

// grade reads 1 to 5; anything else is ignored.
func (in foreignRow) grade(names ...string) annotations.Grade {
	n, err := strconv.Atoi(in.text(names...))
	if err != nil || n < 1 || n > annotations.MaxGrade {
		return 0
	}
	return annotations.Grade(n)
}

// sentence returns an error's public part.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*journal.Error](err); ok {
		return refusal.Message
	}
	return "It could not be read."
}
