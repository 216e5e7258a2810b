package statement

import (
	"cmp"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// RoundTrip are the columns in a row with a whole trade. A trade without a closing time
// is still open.
type RoundTrip struct {
	OpenTime, OpenDate, OpenPrice    Col
	CloseTime, CloseDate, ClosePrice Col
	// Lots says that quantities are lots, whose size follows from the symbol. The stated
	// result counts, because prices do not determine it.
	Lots bool
	// StateResults compares the sums of stated results with what was read.
	StateResults bool
}

// BoughtSold are the columns in a row with a buying and a selling fill. They belong to no
// position of their own: a fill may be in several rows. With Side the first is the entry
// on that side and the second the exit. Commission belongs to the second.
type BoughtSold struct {
	BuyTime, BuyPrice, BuyID    Col
	SellTime, SellPrice, SellID Col
}

// AnnotationColumns are the annotations in a file.
type AnnotationColumns struct {
	Notes, Tags, Setups, Emotion, Confidence, Quality, Risk, Stop, LastStop, Target, MAE, MFE, Reviewed Col
}

// isRoundTrip reports whether a row is a whole trade.
func (l *Layout) isRoundTrip() bool { return l.OpenPrice != "" }

// tripRow is a whole trade while it is read.
type tripRow struct {
	Trip
	lr   *layoutReader
	w    *Row
	kind Kind
}

// readTrip reads a row as a whole trade.
func (lr *layoutReader) readTrip(w *Row, kind Kind) {
	l := lr.layout
	i := lr.instrumentOf(w)
	if i.Problem != "" {
		w.Fail("%s", i.Problem)
	}
	quantity := w.Required(l.Quantity)
	t := &tripRow{lr: lr, w: w, kind: kind, Trip: Trip{
		Symbol: i.Symbol, Type: i.Type, Right: i.Right, Strike: i.Strike, Expiry: i.Expiry, Multiplier: i.Multiplier,
		Quantity: quantity.Abs(), ID: lr.idOf(w, matching.Buy), OpenPrice: lr.tripPrice(w, l.OpenPrice, i.Symbol),
	}}
	stated := w.Text(l.OpenTime) != "" || w.Text(l.OpenDate) != ""
	if stated {
		t.Open = w.dayAndTime(l.OpenDate, l.OpenTime)
	}
	if t.isClosed() {
		t.readExit()
	}
	if !stated {
		t.assumeOpening()
	}
	w.at = t.Open
	if !t.Close.At.IsZero() || !l.Lots {
		t.Commission, t.Fees = w.costs(l.Commission), w.costs(l.Fees).Sub(w.Decimal(l.Swap))
		t.GrossPnL, t.NetPnL = w.Null(l.Result), w.Null(l.NetResult)
	}
	t.readDirection(quantity)
	t.readDetails()
	if l.Settle != nil {
		l.Settle(w, &t.Trip)
	}
	t.settle()
	record := Record{Kind: kind, Trip: &t.Trip, Annotations: lr.annotationsOf(w)}
	if l.Adjust != nil && !w.Failed() {
		l.Adjust(w, &record)
	}
	w.emit(&record)
	t.noteResult()
}

// isClosed reports whether a trade has a closing time and a closing price. Some
// files write 1970 for no time.
func (t *tripRow) isClosed() bool {
	l := t.lr.layout
	if t.w.Text(l.ClosePrice) == "" && !l.Lots {
		return false
	}
	col := cmp.Or(l.CloseDate, l.CloseTime)
	if col == "" {
		return t.w.Text(l.ClosePrice) != ""
	}
	text := t.w.Text(col)
	return text != "" && !strings.HasPrefix(text, "1970")
}

// readExit reads how a trade was closed.
func (t *tripRow) readExit() {
	l := t.lr.layout
	if l.CloseTime != "" || l.CloseDate != "" {
		t.Close = t.w.dayAndTime(l.CloseDate, l.CloseTime)
	} else {
		t.Close = t.Open // the file has one moment for both
	}
	t.ClosePrice = decimal.Of(t.lr.tripPrice(t.w, l.ClosePrice, t.Symbol))
	t.setID()
}

// assumeOpening uses the closing time for a missing opening time. Both count as days,
// among which openings come first.
func (t *tripRow) assumeOpening() {
	l := t.lr.layout
	if t.Close.At.IsZero() {
		t.Open = t.w.dayAndTime(l.OpenDate, l.OpenTime) // fails the row
		return
	}
	t.lr.r.Out.Warn("The file does not say when positions were opened; the time of closing was taken.")
	t.Close.DateOnly = true
	t.Open = t.Close
}

// dayAndTime reads an instant from one column, or from a date and a time.
func (w *Row) dayAndTime(date, clock Col) parse.Moment {
	if date != "" {
		return w.DateAndTime(date, clock)
	}
	return w.Moment(clock)
}

// tripPrice reads a price, in 32nds for treasury futures.
func (lr *layoutReader) tripPrice(w *Row, col Col, symbol string) decimal.Decimal {
	if isTreasury(symbol) {
		if p, ok := parse.Treasury32(w.Text(col)); ok {
			return p
		}
	}
	return w.Required(col)
}

// setID makes a repeated trade id unique. With IDPerPart each row is a part of a
// position: it has its own share of the opening, so a later file with another part only
// adds to it.
func (t *tripRow) setID() {
	switch {
	case t.ID == "":
	case t.lr.layout.IDs == IDPerPart:
		at := strconv.FormatInt(t.Close.At.Unix(), 10)
		at += t.lr.repeatSuffix(t.ID + "@" + at)
		t.OpenFillID, t.CloseFillID = t.ID+"/open/"+at, t.ID+"/close/"+at
	default:
		t.ID += t.lr.repeatSuffix(t.ID)
	}
}

// repeatSuffix returns the suffix for a repeated id: nothing, then #2 and so on.
func (s *layoutState) repeatSuffix(id string) string {
	s.repeats[id]++
	if n := s.repeats[id]; n > 1 {
		return "#" + strconv.Itoa(n)
	}
	return ""
}

// readDirection reads whether a trade was short: from its side, its quantity's sign, or a
// result only a short trade explains.
func (t *tripRow) readDirection(quantity decimal.Decimal) {
	l := t.lr.layout
	side, _, known := t.kind.direction()
	switch {
	case known:
		t.Short = side == matching.Sell
	case l.Side != "" && (t.w.Text(l.Side) != "" || l.Result == "" && l.NetResult == ""):
		side, _ = t.w.Side(l.Side)
		t.Short = side == matching.Sell
	case quantity.Sign() < 0:
		t.Short = true
	case l.Side != "":
		t.Short = t.ResultByPrices().Sign()*t.GrossResult().Decimal.Sign() < 0
	}
}

// readDetails reads what is kept beside a trade's fills.
func (t *tripRow) readDetails() {
	l := t.lr.layout
	var f Fill
	if l.Lots {
		f.AddDetail("unit", "lot")
		t.Multiplier = decimal.Of(instruments.LotMultiplier(t.Symbol, t.Quantity))
		t.TrustPnL = true
		if t.Close.At.IsZero() {
			t.lr.r.Out.Warn("Open trades are imported without a result until a later file closes them.")
		}
		if stop := t.w.Null(l.LastStop); stop.Decimal.Sign() > 0 {
			f.AddDetail("stop", stop.String())
		}
	}
	if name := strings.TrimSpace(t.w.Text(l.Name)); name != "" && !strings.EqualFold(name, t.Symbol) {
		f.AddDetail("name", name)
	}
	for key, col := range l.Details {
		if text := strings.TrimSpace(t.w.Text(col)); text != "" {
			f.AddDetail(key, text)
		}
	}
	m := strings.ToUpper(t.w.currencyOfTrip(l))
	row := tradeRow{lr: t.lr, w: t.w, Fill: f, money: m, priced: m}
	row.noteCurrency()
	t.Details = row.Details
}

// currencyOfTrip returns the currency for a row's results.
func (w *cells) currencyOfTrip(l *Layout) string {
	for _, col := range []Col{l.Result, l.NetResult} {
		if i := w.r.column(col); i >= 0 {
			if code := w.statedCurrency(i); code != "" {
				return code
			}
		}
	}
	return w.Text(l.Currency)
}

// settle decides how far a trade's stated result counts.
func (t *tripRow) settle() {
	l := t.lr.layout
	gross := t.GrossResult()
	if gross.Valid && t.Type == instruments.TypeFuture && !t.Multiplier.Valid && !isKnownFuture(t.Symbol) {
		t.Multiplier = RoundWorth(gross.Decimal, t.points().Mul(t.Quantity))
	}
	if t.GrossPnL.Valid && t.NetPnL.Valid && t.Fees.IsZero() && t.Commission.IsZero() {
		t.Fees = t.GrossPnL.Decimal.Sub(t.NetPnL.Decimal)
	}
	switch l.Results {
	case ResultAlways:
		t.TrustPnL = true
	case ResultIfForeign:
		t.TrustPnL = t.TrustPnL || t.Type == instruments.TypeForex || t.Type == instruments.TypeCFD
	case ResultIfClosing, ResultNever:
	}
}

// points returns how far the price moved in the trade's favor.
func (t *Trip) points() decimal.Decimal {
	moved := t.ClosePrice.Or(t.OpenPrice).Sub(t.OpenPrice)
	if t.Short {
		return moved.Neg()
	}
	return moved
}

// ResultByPrices returns the result by prices.
func (t *Trip) ResultByPrices() decimal.Decimal {
	f := Fill{Symbol: t.Symbol, Type: t.Type, Multiplier: t.Multiplier}
	return t.points().Mul(t.Quantity).Mul(f.effectiveMultiplier())
}

// GrossResult returns the stated result before costs.
func (t *Trip) GrossResult() decimal.Null {
	if !t.GrossPnL.Valid && t.NetPnL.Valid {
		return decimal.Of(t.NetPnL.Decimal.Add(t.Fees).Add(t.Commission))
	}
	return t.GrossPnL
}

// noteResult adds up the stated results, and warns if prices give another
// result than the file states for a contract whose size is known. The file's
// counts, as it is what the account was credited with.
func (t *tripRow) noteResult() {
	gross := t.GrossResult()
	if !gross.Valid || t.w.Failed() || !t.lr.layout.StateResults {
		return
	}
	t.lr.addSum(ItemGrossPnL, gross.Decimal)
	t.lr.addSum(ItemNetPnL, gross.Decimal.Sub(t.Fees).Sub(t.Commission))
	t.lr.noteWorth(t.Symbol, gross.Decimal, t.points().Mul(t.Quantity))
	if t.Type != instruments.TypeFuture || !isKnownFuture(t.Symbol) {
		return
	}
	usual, _ := instruments.DefaultMultiplier(t.Symbol, t.Type)
	byPrices := t.points().Mul(t.Quantity).Mul(usual)
	if byPrices.Sub(gross.Decimal).Abs().Cmp(allowance(gross.Decimal)) > 0 {
		t.lr.r.Out.WarnRow(t.w.Number, "The prices of %s give %s, the file says %s. The file's figure was taken.", t.Symbol, byPrices, gross.Decimal)
	}
}

// addSum adds to a total the file states about itself.
func (s *layoutState) addSum(item string, n decimal.Decimal) { s.sums[item] = s.sums[item].Add(n) }

// noteWorth keeps what an unknown contract is worth by a result.
func (s *layoutState) noteWorth(symbol string, result, units decimal.Decimal) {
	if isKnownFuture(symbol) {
		return
	}
	if each := RoundWorth(result, units); each.Valid {
		s.worths[symbol] = each.Decimal
	}
}

// setWorths sets the multiplier of unknown contracts as results show it.
func (r *Reader) setWorths() {
	for _, f := range r.Out.Fills {
		each, found := r.state.worths[f.Symbol]
		if found && f.Type == instruments.TypeFuture && !f.Multiplier.Valid {
			f.Multiplier = decimal.Of(each)
		}
	}
}

// readPair reads a row with a buying and a selling fill.
func (lr *layoutReader) readPair(w *Row) {
	l := lr.layout
	i := lr.instrumentOf(w)
	quantity := w.Required(l.Quantity).Abs()
	bought := Fill{Side: matching.Buy, Quantity: quantity, PartialQuantity: true, ID: lr.idIn(w, l.BuyID, matching.Buy)}
	bought.SetInstrument(i)
	sold := bought
	sold.Side, sold.ID = matching.Sell, lr.idIn(w, l.SellID, matching.Sell)
	bought.Price, bought.At = lr.tripPrice(w, l.BuyPrice, i.Symbol), w.Moment(l.BuyTime).At
	sold.Price, sold.At = lr.tripPrice(w, l.SellPrice, i.Symbol), w.Moment(l.SellTime).At
	sold.Commission = w.costs(l.Commission)
	points := sold.Price.Sub(bought.Price)
	if l.Side != "" {
		if side, _ := w.Side(l.Side); side == matching.Sell {
			bought.Side, sold.Side, points = matching.Sell, matching.Buy, points.Neg()
		}
	}
	record := Record{Kind: KindBuy, Fill: &bought, Also: []Record{{Kind: KindSell, Fill: &sold}}}
	if l.Adjust != nil && !w.Failed() {
		l.Adjust(w, &record)
	}
	w.emit(&record)
	if result := w.Null(l.Result); result.Valid && !w.Failed() {
		lr.addSum(ItemGrossPnL, result.Decimal)
		lr.noteWorth(i.Symbol, result.Decimal, points.Mul(quantity))
	}
}

// annotationsOf reads the annotations in a row.
func (lr *layoutReader) annotationsOf(w *Row) *Annotations {
	c := lr.layout.AnnotationColumns
	if c == (AnnotationColumns{}) {
		return nil
	}
	a := &Annotations{
		Setups: List(w.Text(c.Setups)),
		Values: annotations.Values{
			Notes: strings.TrimSpace(w.Text(c.Notes)), EmotionalState: w.Text(c.Emotion), Confidence: Grade(w.Text(c.Confidence)),
			TradeQuality: Grade(w.Text(c.Quality)), InitialRisk: NonZero(w.Null(c.Risk)), StopPrice: NonZero(w.Null(c.Stop)),
			TargetPrice: NonZero(w.Null(c.Target)), MAE: w.Null(c.MAE), MFE: w.Null(c.MFE),
		},
	}
	if stop := w.Null(c.LastStop); stop.Decimal.Sign() > 0 {
		a.LastStop = stop
	}
	if w.Text(c.Reviewed) != "" {
		a.ReviewedAt = instantOf(w.Moment(c.Reviewed))
	}
	a.addTags(List(w.Text(c.Tags)))
	return a
}

// addTags adds a list of tags. Some journals list mistakes and emotions among them, as
// "mistake: chased" and "emotion: calm"; these are added as such.
func (a *Annotations) addTags(tags []string) {
	for _, tag := range tags {
		kind, rest, _ := strings.Cut(tag, ":")
		rest = strings.TrimSpace(rest)
		switch {
		case rest == "":
			a.Tags = append(a.Tags, tag)
		case strings.EqualFold(kind, MistakeKind):
			a.Mistakes = append(a.Mistakes, rest)
		case strings.EqualFold(kind, "emotion"):
			a.EmotionalState = rest
		default:
			a.Tags = append(a.Tags, tag)
		}
	}
}
