package statement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// layoutReader reads the rows in one table by a layout.
type layoutReader struct {
	*layoutState
	r       *Reader
	layout  *Layout
	key     Col
	words   *wordTable
	kinds   map[string]Kind // by word
	account Col
	status  int // the order state column, -1 for none; see skipUnfilled
	states  map[string]parse.OrderStatus
}

// layoutState is what the rows in all tables leave for the end of the file.
type layoutState struct {
	rows []*Row // in file order
	// unpriced are the fees in coins without a price in the file.
	unpriced map[string]decimal.Decimal
	sides    map[string]matching.Side // by id: the first side that had it
	sums     map[string]decimal.Decimal
	// endings are expired options whose side is still unknown, and whether a minus in the
	// file says that options left the account.
	endings map[*Fill]bool
	// moved are the words for rows moving coins without a trade, and the coins.
	moved map[string]map[string]bool
	// results are what contracts made or cost, by coin, in files without fills.
	results map[string]decimal.Decimal
	// exchanges are the first sides of money exchanges.
	exchanges map[string]Cash
	// legs, halves and costTargets are rows waiting for others; see [Join].
	legs        map[string]*legs
	legOrder    []*legs
	halves      map[string]*halves
	costTargets map[string]costTarget
	// repeats counts round trip ids, worths are the values of unknown contracts by their
	// results.
	repeats map[string]int
	worths  map[string]decimal.Decimal
}

func newLayoutState() *layoutState {
	return &layoutState{
		unpriced: map[string]decimal.Decimal{}, sides: map[string]matching.Side{}, sums: map[string]decimal.Decimal{},
		endings: map[*Fill]bool{}, moved: map[string]map[string]bool{}, results: map[string]decimal.Decimal{},
		exchanges: map[string]Cash{}, legs: map[string]*legs{}, halves: map[string]*halves{}, costTargets: map[string]costTarget{},
		repeats: map[string]int{}, worths: map[string]decimal.Decimal{},
	}
}

// readLayout reads the rows in the table by a layout.
func (r *Reader) readLayout(l *Layout) error {
	lr, err := r.newLayoutReader(l)
	if err != nil {
		return err
	}
	return lr.readRows(r.rows)
}

// newLayoutReader returns the table's reader for a layout.
func (r *Reader) newLayoutReader(l *Layout) (*layoutReader, error) {
	if r.state == nil {
		r.state = newLayoutState()
	}
	if l.PerTable != nil {
		own := *l
		l.PerTable(r, &own)
		l = &own
	}
	r.layout = l
	lr := &layoutReader{layoutState: r.state, r: r, layout: l, key: l.key(), words: newWordTable(l.Words), kinds: map[string]Kind{}, status: -1}
	if l.readRow == nil {
		lr.status, lr.states = r.findStatusColumn(l), map[string]parse.OrderStatus{}
		lr.account = l.accountColumn()
		if err := r.requireDays(l); err != nil {
			return nil, err
		}
	}
	return lr, nil
}

// readRows reads some of the table's rows.
func (lr *layoutReader) readRows(rows []tabular.Row) error {
	l, r := lr.layout, lr.r
	keepsRows := l.Kind != "" || len(l.Join) > 0 || l.PerTable != nil || len(r.Preset.Sections) > 0
	w := &Row{}
	for i, cells := range rows {
		if i%checkEvery == 0 {
			if err := r.ctx.Err(); err != nil {
				return err
			}
		}
		if keepsRows {
			w = &Row{}
		}
		w.reset(r, cells)
		lr.readRow(w)
		if w.Number == 0 {
			r.Out.Rows--
			continue
		}
		if w.skipped != unrecognizedRow {
			r.Out.NoteAccount(w.Text(lr.account))
		}
		if keepsRows {
			lr.rows = append(lr.rows, w)
		} else {
			w.writeOutcome()
		}
	}
	return nil
}

// key returns the expression with a value in every data row.
func (l *Layout) key() Col {
	for _, col := range []Col{l.Key, l.Kind} {
		if col != "" {
			return col
		}
	}
	return l.Symbol
}

// readRow reads one row up to its outcome.
func (lr *layoutReader) readRow(w *Row) {
	l := lr.layout
	if l.readRow != nil {
		l.readRow(w)
		return
	}
	if l.Prepare != nil {
		l.Prepare(w)
		if w.hasEnded() {
			return
		}
	}
	if w.Text(lr.key) == "" {
		w.Ignore()
		return
	}
	for _, c := range l.Only {
		if text := w.Text(c.Col); !matchesAny(c.Words, text) {
			w.Skip("%s", c.reason(w, text))
			return
		}
	}
	if lr.skipUnfilled(w) {
		return
	}
	lr.parseTexts(w)
	if kind := lr.kindOf(w); !lr.joinRow(w, kind) {
		lr.readKind(w, kind)
	}
	lr.noteCostTarget(w)
}

// hasEnded reports whether the row has its outcome already.
func (w *outcome) hasEnded() bool { return w.Number == 0 || w.reason != "" || w.skipped != "" }

// reason returns why a row failing the condition is skipped.
func (c *Condition) reason(w *Row, text string) string {
	if c.Reason != "" {
		return c.Reason
	}
	return conditionReason(w.r.Header(c.Col), text)
}

// conditionReason returns why a row does not meet a condition.
func conditionReason(column, value string) string {
	if reason := parse.SkipReasons[parse.Status(value)]; reason != "" {
		return reason
	}
	return strings.TrimSpace(column) + ": " + parse.Shorten(strings.TrimSpace(value))
}

// parseTexts sets the values from the first matching pattern.
func (lr *layoutReader) parseTexts(w *Row) {
	_ = slices.ContainsFunc(lr.layout.Parse, w.parseText)
}

func (w *Row) parseText(p Pattern) bool {
	found := p.Re().FindStringSubmatch(strings.TrimSpace(w.Text(p.In)))
	if found == nil {
		return false
	}
	for i, name := range p.Re().SubexpNames() {
		if name != "" {
			w.Set(name, found[i])
		}
	}
	return true
}

// kindOf returns a row's kind: by the layout's words, the shared words for sides, the
// shared words for cash, and the user's choice for other words.
func (lr *layoutReader) kindOf(w *Row) Kind {
	l := lr.layout
	if l.Kind == "" {
		return KindTrade
	}
	w.word = w.Text(l.Kind)
	kind, known := lr.kinds[w.word]
	if !known {
		kind = lr.findKind(w)
		const most = 1000 // a file has few words for kinds
		if len(lr.kinds) < most {
			lr.kinds[w.word] = kind
		}
	}
	return kind
}

// findKind looks up a row's word.
func (lr *layoutReader) findKind(w *Row) Kind {
	text := w.word
	if kind, ok := lr.words.find(WordKey(text)); ok {
		return kind
	}
	side := w.findSideWord(text)
	if side.whole {
		return kindOfSide(side.side, side.effect)
	}
	if kind := FindCashKind(text); kind != kindUnknown {
		return kind
	}
	if side.ok {
		return kindOfSide(side.side, side.effect)
	}
	kind := lr.r.Hints.Kinds[WordKey(text)]
	if kind != kindUnknown {
		lr.listUnknown(w, kind)
	}
	return kind
}

// readTrade reads a row as one fill.
func (lr *layoutReader) readTrade(w *Row, kind Kind) {
	l := lr.layout
	i := lr.instrumentOf(w)
	quantity, _ := w.amount(l.Quantity, i.Base, i.Quote)
	if l.Orders && quantity.Decimal.IsZero() {
		w.Skip("%s", ReasonNotFilled)
		return
	}
	if !quantity.Valid {
		w.Fail("There is no value in column %s.", firstName(l.Quantity))
	}
	if i.Problem != "" {
		w.Fail("%s", i.Problem)
	}
	t := &tradeRow{lr: lr, w: w, Fill: Fill{Quantity: quantity.Decimal}, instrument: i}
	t.SetInstrument(i)
	lr.r.assumeUnits(&t.Fill) // before a price is computed from an amount
	lr.readSide(w, kind, t)
	at := lr.momentOf(w)
	t.At, t.DateOnly = at.At, at.DateOnly
	lr.readPrice(w, t)
	t.settleMoney()
	lr.readDetails(w, t)
	if w.hasEnded() && w.reason == "" {
		return
	}
	t.isSplit = kind == KindSplit
	record := Record{Kind: kind, Fill: &t.Fill, Annotations: lr.annotationsOf(w)}
	if l.Adjust != nil && !w.Failed() {
		l.Adjust(w, &record)
	}
	w.emit(&record)
	if t.isSplit {
		lr.noteSplitFill(w, at)
	}
	if isShare(i.Type) {
		lr.noteCompany(w, i.Symbol)
	}
	lr.emitTax(w, kind, &Cash{Currency: t.money, At: at.At})
}

// tradeRow is a fill while it is read.
type tradeRow struct {
	Fill
	lr         *layoutReader
	w          *Row
	instrument Instrument
	amount     decimal.Null // what moved in cash, signed, after costs
	gross      decimal.Null // what was traded, before costs
	// money is the currency for amount and costs, priced the one for the price.
	money, priced string
	priceMissing  bool
	// inPercent says that the price is a share of a bond's nominal value.
	inPercent bool
	// converted says that amount and costs were converted to the price currency.
	converted bool
}

// emit adds a row's records to its outcome.
func (w *Row) emit(record *Record) {
	if w.skipped != "" || w.Number == 0 {
		return
	}
	var fill *Fill
	switch {
	case record.Fill != nil:
		fill = w.Fill(*record.Fill)
	case record.Trip != nil:
		fill = w.Trip(*record.Trip)
	case record.Cash != nil:
		w.Money(*record.Cash)
	}
	if record.Annotations != nil && fill != nil {
		record.Annotations.Fill = fill
		w.Annotate(*record.Annotations)
	}
	for i := range record.Also {
		w.emit(&record.Also[i])
	}
}

// instrumentOf reads what a row trades.
func (lr *layoutReader) instrumentOf(w *Row) Instrument {
	l := lr.layout
	kind := lr.r.Preset.Instrument
	if word := w.Text(l.Type); word != "" {
		kind = InstrumentType(word)
	}
	i := *lr.r.nameInstrument(l, w.Text(l.Contract), w.Text(l.Symbol), kind)
	if l.Multiplier != "" {
		if n := w.Null(l.Multiplier); n.Decimal.Sign() > 0 {
			i.Multiplier = n
		}
	}
	if right := optionRight(w.Text(l.Right)); right != "" && i.Right == "" {
		i.Type, i.Right, i.Strike = instruments.TypeOption, right, w.Null(l.Strike)
	}
	if l.Expiry != "" && i.Right != "" && i.Expiry == "" {
		if day := w.Day(l.Expiry); day != "" {
			i.Expiry = day
		}
	}
	if l.Coins {
		lr.nameQuote(w, &i)
	}
	return i
}

// nameQuote sets a pair's quote coin from its column.
func (lr *layoutReader) nameQuote(w *Row, i *Instrument) {
	quote := strings.ToUpper(w.Text(lr.layout.PriceCurrency))
	if quote == "" || quote == i.Quote {
		return
	}
	if base, ok := strings.CutSuffix(i.Symbol, quote); ok && base != "" && i.Quote != "" {
		i.Base = strings.TrimRight(base, "-/_:")
	}
	i.Quote = quote
}

// optionRight reads the word for a call or a put; another word is kept.
func optionRight(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	switch {
	case strings.HasPrefix(word, "c"):
		return "call"
	case strings.HasPrefix(word, "p"):
		return "put"
	}
	return word
}

// instrumentKey is what an instrument depends on.
type instrumentKey struct{ contract, symbol, kind string }

// nameInstrument builds an instrument and keeps it: a file has few instruments
// and many rows.
func (r *Reader) nameInstrument(l *Layout, contract, symbol, kind string) *Instrument {
	key := instrumentKey{contract, symbol, kind}
	i := r.instruments[key]
	if i == nil {
		named := l.newInstrument(contract, symbol, kind)
		i = &named
		if r.instruments == nil {
			r.instruments = map[instrumentKey]*Instrument{}
		}
		r.instruments[key] = i
	}
	return i
}

func (l *Layout) newInstrument(contract, symbol, kind string) Instrument {
	if o, ok := instruments.ParseOption(contract); ok {
		return NewOption(o)
	}
	switch {
	case l.Namer != nil:
		return l.Namer(symbol, kind)
	case l.Coins:
		return NamePair(symbol, kind)
	}
	return NameAny(symbol, kind)
}

// readSide reads a trade's side: from its kind, the side column, or the sign of quantity
// or amount.
func (lr *layoutReader) readSide(w *Row, kind Kind, t *tradeRow) {
	l := lr.layout
	side, effect, known := kind.direction()
	switch {
	case known:
	case l.Side != "":
		side, effect = w.Side(l.Side)
	case t.Quantity.Sign() < 0:
		side = matching.Sell
	case t.Quantity.Sign() > 0 && w.Decimal(l.Amount).Sign() > 0 && !l.Unsigned:
		side = matching.Sell
	default:
		side = matching.Buy
	}
	t.Side, t.Effect = side, effect
	t.sellsHeld = l.ShortWord && side == matching.Sell && effect == parse.EffectUnknown
	t.Quantity = t.Quantity.Abs()
	switch WordKey(w.Text(l.Effect)) {
	case "open", "opening", "to open", "o", "entry":
		t.Effect = parse.Opening
	case "close", "closing", "to close", "c", "y", "yes", "true", "exit":
		t.Effect = parse.Closing
	}
}

// momentOf reads when a row happened.
func (lr *layoutReader) momentOf(w *Row) parse.Moment {
	l := lr.layout
	var m parse.Moment
	switch zone := w.zone; {
	case zone != "" && l.Date != "":
		m = w.dateAndTimeIn(zone, l.Date, l.Clock)
	case zone != "":
		m = w.MomentIn(zone, l.Time)
	case l.Date != "":
		m = w.DateAndTime(l.Date, l.Clock)
	default:
		m = w.postedMoment(l.Time)
	}
	if l.Midnight && !m.DateOnly && m.At.In(lr.r.location()).Format("15:04:05") == "00:00:00" {
		m.DateOnly = true
	}
	w.at = m
	return m
}

// postedMoment reads a time. "04/27/2023 as of 04/25/2023" was posted on the
// first day and happened on the second.
func (w *Row) postedMoment(names Col) parse.Moment {
	if _, done, ok := strings.Cut(w.Text(names), " as of "); ok {
		return w.At(done)
	}
	return w.Moment(names)
}

// readPrice reads a trade's price. Treasury futures may be written in 32nds, which would
// be a number with grouped thousands anywhere else.
func (lr *layoutReader) readPrice(w *Row, t *tradeRow) {
	l := lr.layout
	if t.Type == instruments.TypeFuture && isTreasury(t.Symbol) {
		if p, ok := parse.Treasury32(w.Text(l.Price)); ok {
			t.Price = p
			return
		}
	}
	if price, ok := w.percentPrice(w.find(l.Price)); ok {
		t.Price, t.inPercent = price, true
		return
	}
	price, _ := w.amount(l.Price, t.instrument.Quote)
	switch {
	case price.Valid:
		t.Price = price.Decimal
	case l.amountColumn() == "" || w.Text(l.amountColumn()) == "":
		w.Fail("There is no value in column %s.", firstName(cmp.Or(l.Price, l.amountColumn())))
	default:
		t.priceMissing = true // it is computed from the amount
	}
}

// readDetails reads what is kept beside a fill's figures.
func (lr *layoutReader) readDetails(w *Row, t *tradeRow) {
	l := lr.layout
	t.Lot = w.Text(l.Lot)
	t.ID = lr.idOf(w, t.Side)
	if name := strings.TrimSpace(w.Text(l.Name)); name != "" && !strings.EqualFold(name, t.Symbol) {
		t.AddDetail("name", name)
	}
	t.SetOrder(w.Text(l.Order))
	for key, col := range l.Details {
		if text := strings.TrimSpace(w.Text(col)); text != "" {
			t.AddDetail(key, text)
		}
	}
}

// SetOrder keeps the id of the order that a fill belongs to.
func (f *Fill) SetOrder(id string) {
	if id = strings.TrimSpace(id); id != "" {
		f.AddDetail("order_id", id)
	}
}

// AddDetail keeps a value beside a fill. Values with the same key are listed.
func (f *Fill) AddDetail(key, value string) {
	if f.Details == nil {
		f.Details = map[string]string{}
	}
	if before := f.Details[key]; before != "" {
		value = before + ", " + value
	}
	f.Details[key] = value
}

// shortenedID is a long number after a spreadsheet has rounded it.
var shortenedID = lazyregexp.New(`^\d+(?:[.,]\d+)?[eE]\+\d+$`)

// idOf reads a fill's id.
func (lr *layoutReader) idOf(w *Row, side matching.Side) string {
	return lr.idIn(w, lr.layout.ID, side)
}

// idIn reads an id from a column.
func (lr *layoutReader) idIn(w *Row, col Col, side matching.Side) string {
	l := lr.layout
	if col == "" {
		return ""
	}
	id := w.wholeText(col)
	switch {
	case id == "":
	case shortenedID().MatchString(id):
		lr.r.Out.Warn("A spreadsheet has shortened the ids of the fills. Import the file as it was downloaded, so that fills are known again.")
		return ""
	case l.IDs == IDPerSide:
		return lr.idOfSide(id, side)
	}
	return id
}

// idOfSide makes an id unique for its side: the second side gets its name added. Rows
// repeating id and side are the same fill.
func (s *layoutState) idOfSide(id string, side matching.Side) string {
	switch s.sides[id] {
	case "":
		s.sides[id] = side
	case side:
	default:
		return id + "/" + string(side)
	}
	return id
}

// wholeText returns an expression's value. A text with values in it is empty if any of
// them is.
func (w *cells) wholeText(col Col) string {
	for _, t := range w.r.parse(col).terms {
		if t.parts != nil {
			return w.buildText(t.parts, true)
		}
	}
	return w.Text(col)
}

// finishLayouts ends reading by layouts: related rows are joined, and every row is
// written to the statement.
func (r *Reader) finishLayouts() {
	s := r.state
	s.closeHalves()
	s.closeLegs()
	r.resolveEndings()
	for _, w := range s.rows {
		w.writeOutcome()
	}
	for _, l := range r.Preset.layouts() {
		if l.Currencies == CurrencyMixed {
			r.Out.Account.Currency = ""
		}
		if l.NetResult != "" && !l.isRoundTrip() {
			r.Out.addCostsToResults()
		}
	}
	r.finishParts()
	r.setWorths()
	r.stateTotals()
	for _, notice := range r.Preset.Notices {
		r.Out.Warn("%s", notice)
	}
	if limit := r.Preset.RowLimit; limit > 0 && r.Out.Rows == limit {
		r.Out.Warn("The file has exactly %d rows, which is as many as %s exports: older ones may be missing, and with them the beginning of a position.",
			limit, r.Preset.Broker)
	}
	if len(s.unpriced) > 0 {
		r.Out.Warn(feesNotPriced, listAmounts(s.unpriced))
	}
	if len(s.moved) > 0 {
		r.Out.Warn("Rows that move coins without a trade were left out: %s. If they changed your position, enter the change by hand.", s.listMoved())
	}
	if len(s.results) > 0 {
		r.Out.Warn("Results and fees of contracts (%s in all) were left out, as this file has no fills of them: import the trade history of the contracts too.",
			listAmounts(s.results))
	}
}

// listMoved lists the words for rows moving coins, with the coins.
func (s *layoutState) listMoved() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(s.moved)) {
		list = append(list, fmt.Sprintf("%q (%s)", kind, strings.Join(slices.Sorted(maps.Keys(s.moved[kind])), ", ")))
	}
	return strings.Join(list, ", ")
}

// stateTotals states column sums beside what was read.
func (r *Reader) stateTotals() {
	order := []string{ItemGrossPnL, ItemNetPnL, ItemCommission, ItemFees, ItemCosts, ItemDeposits, ItemWithdrawals, ItemNetCash, ItemBalance, ItemFills}
	for _, item := range order {
		if n, ok := r.state.sums[item]; ok {
			r.Out.State(item, n)
		}
	}
}

// listAmounts writes amounts by coin.
func listAmounts(amounts map[string]decimal.Decimal) string {
	var list []string
	for coin, n := range amounts {
		list = append(list, fmt.Sprintf("%s %s", n, coin))
	}
	slices.SortFunc(list, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	return strings.Join(list, ", ")
}
