package matching

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching/oracle"
)

// fillSequence is a random fill stream. It tracks the position, because random fills
// alone would rarely flatten or cross it.
type fillSequence struct {
	position decimal.Decimal
	at       int64
	fills    []Fill
}

// anyFills returns random fills, with stated results and all kinds if special is true.
func anyFills(special bool) *rapid.Generator[[]Fill] {
	return rapid.Custom(func(t *rapid.T) []Fill {
		var d fillSequence
		for range rapid.IntRange(0, 24).Draw(t, "length") {
			d.next(t, special)
		}
		return d.fills
	})
}

func (d *fillSequence) next(t *rapid.T, special bool) {
	n := len(d.fills)
	d.at += rapid.Int64Range(0, 2).Draw(t, "wait")
	f := Fill{ID: "f" + strconv.Itoa(n), At: d.at, Seq: int64(n), Side: Buy}
	f.Quantity = decimal.FromScaled(rapid.OneOf(rapid.Int64Range(1, 40), rapid.SampledFrom([]int64{4096, 8191, 32768})).Draw(t, "quantity"),
		rapid.Int32Range(0, 2).Draw(t, "fineness"))
	if rapid.Bool().Draw(t, "sell") {
		f.Side = Sell
	}
	if held := d.position.Abs(); !held.IsZero() {
		f = d.adjustQuantity(t, f, held)
	}
	f.Price = decimal.FromScaled(rapid.Int64Range(-50, 5000).Draw(t, "price"), rapid.Int32Range(0, 4).Draw(t, "ticks"))
	f.Multiplier = rapid.SampledFrom([]decimal.Decimal{decimal.New(1), decimal.New(50), decimal.Must("0.1")}).Draw(t, "multiplier")
	f.Fees = decimal.FromScaled(rapid.Int64Range(-3, 100).Draw(t, "fees"), 2)
	f.Commission = decimal.FromScaled(rapid.Int64Range(-3, 100).Draw(t, "commission"), 13)
	if special && rapid.IntRange(0, 3).Draw(t, "state") == 0 {
		f.StatedPnL = decimal.Of(decimal.FromScaled(rapid.Int64Range(-999, 999).Draw(t, "stated"), 2))
	}
	if special && rapid.IntRange(0, 2).Draw(t, "special") == 0 {
		f.Kind = rapid.SampledFrom(Kinds()).Draw(t, "kind")
	}
	d.position = d.position.Add(signedQuantity(f.Side, f.Quantity.Sub(d.leftover(f))))
	d.fills = append(d.fills, f)
}

// leftover returns what of a fill belongs to no trade.
func (d *fillSequence) leftover(f Fill) decimal.Decimal {
	held := d.position.Abs()
	switch {
	case !f.Kind.OnlyCloses():
		return decimal.Zero
	case signedQuantity(f.Side, d.position).Sign() >= 0:
		return f.Quantity
	case f.Quantity.Cmp(held) > 0:
		return f.Quantity.Sub(held)
	}
	return decimal.Zero
}

// adjustQuantity turns some fills into ones that flatten or cross the position.
func (d *fillSequence) adjustQuantity(t *rapid.T, f Fill, held decimal.Decimal) Fill {
	against := Sell
	if d.position.Sign() < 0 {
		against = Buy
	}
	switch rapid.IntRange(0, 4).Draw(t, "aim") {
	case 0:
		f.Side, f.Quantity = against, held
	case 1:
		f.Side, f.Quantity = against, held.Add(f.Quantity)
	}
	return f
}

func signedQuantity(side Side, quantity decimal.Decimal) decimal.Decimal {
	if side == Sell {
		return quantity.Neg()
	}
	return quantity
}

func cashFlow(f Fill) decimal.Decimal {
	return signedQuantity(f.Side, f.Price.Mul(f.Quantity).Mul(f.Multiplier)).Neg().Sub(f.Fees).Sub(f.Commission)
}

// TestResultsEqualCashFlow: closed trades' gains and the open one's cash flow add up to
// all fills' cash flow.
func TestResultsEqualCashFlow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(false).Draw(t, "fills")
		var moved, total decimal.Decimal
		for _, f := range fills {
			moved = moved.Add(cashFlow(f))
		}
		for _, trade := range Group(fills, Head{}) {
			costs := trade.FeesTotal.Add(trade.Commission)
			flow := trade.Direction.signedGain(trade.ExitNotional.Sub(trade.EntryNotional)).Sub(costs)
			total = total.Add(trade.NetPnL.Or(flow))
			if trade.IsClosed() && !flow.Equal(trade.NetPnL.Decimal) {
				t.Fatalf("net %s is not the cash flow %s", trade.NetPnL, flow)
			}
		}
		if !moved.Equal(total) {
			t.Fatalf("the cash flow of fills is %s, that of trades %s", moved, total)
		}
	})
}

// TestTradeInvariants checks every single trade's invariants.
func TestTradeInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades := Group(anyFills(true).Draw(t, "fills"), Head{})
		for i, trade := range trades {
			checkInvariants(t, trade)
			if !trade.IsClosed() && i < len(trades)-1 {
				t.Fatalf("trade %d of %d is open", i, len(trades))
			}
			if i > 0 && trade.First.Compare(trades[i-1].Last) < 0 {
				t.Fatalf("trade %d begins before the one before it ended", i)
			}
		}
	})
}

func checkInvariants(t *rapid.T, trade Trade) {
	var opened, closed decimal.Decimal
	for _, p := range trade.Parts {
		if p.Role == Opening {
			opened = opened.Add(p.Quantity)
		} else {
			closed = closed.Add(p.Quantity)
		}
	}
	costs := trade.FeesTotal.Add(trade.Commission)
	for law, holds := range map[string]bool{
		"opened quantity":          opened.Equal(trade.QtyOpened),
		"remaining quantity":       opened.Sub(closed).Equal(trade.QtyRemaining) && trade.QtyRemaining.Sign() >= 0,
		"first part opens":         trade.Parts[0].Role == Opening,
		"closed has a gross":       trade.IsClosed() == trade.GrossPnL.Valid,
		"closed has a net":         trade.IsClosed() == trade.NetPnL.Valid,
		"exit price when exited":   trade.AvgExit.Valid == !closed.IsZero(),
		"net is gross minus costs": !trade.IsClosed() || trade.NetPnL.Decimal.Equal(trade.GrossPnL.Decimal.Sub(costs)),
		"realized ends as net":     !trade.IsClosed() || trade.RealizedPnL.Equal(trade.NetPnL.Decimal),
	} {
		if !holds {
			t.Fatalf("%s does not hold for %+v", law, trade)
		}
	}
}

// TestPartsSumToTheirFills: a fill's parts and its leftover add up to it, and only a
// crossing fill is in two trades.
func TestPartsSumToTheirFills(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		parts, left := map[string][]Part{}, map[string]decimal.Decimal{}
		grouping := Grouping{ReportClosing: func(c Closure) { left[c.FillID] = c.Leftover }}
		for trade := range grouping.Walk(slices.Values(fills)) {
			for _, p := range trade.Parts {
				parts[p.FillID] = append(parts[p.FillID], p)
			}
		}
		for _, f := range fills {
			var sum Part
			var roles []Role
			for _, p := range parts[f.ID] {
				roles = append(roles, p.Role)
				sum.Quantity = sum.Quantity.Add(p.Quantity)
				sum.Fees = sum.Fees.Add(p.Fees)
				sum.Commission = sum.Commission.Add(p.Commission)
			}
			want := Part{Quantity: f.Quantity.Sub(left[f.ID]), Fees: f.Fees, Commission: f.Commission}
			if f.Kind == KindOpening {
				want.Fees, want.Commission = decimal.Zero, decimal.Zero
			}
			if !left[f.ID].IsZero() {
				want.Fees, _ = f.Fees.Split(want.Quantity, f.Quantity, CostScale)
				want.Commission, _ = f.Commission.Split(want.Quantity, f.Quantity, CostScale)
			}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Fatalf("parts of fill %s: %s", f.ID, diff)
			}
			if len(roles) > 1 && !slices.Equal(roles, []Role{Closing, Opening}) {
				t.Fatalf("fill %s has the roles %v", f.ID, roles)
			}
		}
	})
}

// TestRegroupingFromAnyTrade: a grouping starting at a trade's first fill with that
// trade's head equals the whole's tail, and the fills up to there give the trades before
// it.
func TestRegroupingFromAnyTrade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		whole := Group(fills, Head{})
		for i, trade := range whole {
			start := slices.IndexFunc(fills, func(f Fill) bool { return f.ID == trade.Parts[0].FillID })
			if diff := cmp.Diff(whole[i:], Group(fills[start:], trade.Head)); diff != "" {
				t.Fatalf("from trade %d on (-whole +tail):\n%s", i, diff)
			}
			end := start
			if !trade.Head.Consumed.IsZero() {
				end++
			}
			before := Group(fills[:end], Head{})
			if diff := cmp.Diff(whole[:i], before[:i], cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("up to trade %d (-whole +prefix):\n%s", i, diff)
			}
		}
	})
}

// TestGroupingFromAnyCheckpoint: a grouping that continues from a checkpoint's text has
// the same trades as one from the start.
func TestGroupingFromAnyCheckpoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		whole := Group(fills, Head{})
		var texts []string
		reporting := Grouping{Every: 1, Report: func(c Checkpoint) { texts = append(texts, c.String()) }}
		if diff := cmp.Diff(whole, slices.Collect(reporting.Walk(slices.Values(fills)))); diff != "" {
			t.Fatalf("reporting changes the trades:\n%s", diff)
		}
		for _, text := range texts {
			from, err := ParseCheckpoint(text)
			if err != nil {
				t.Fatal(err)
			}
			rest := fills[slices.IndexFunc(fills, func(f Fill) bool { return f.Position() == from.Last() })+1:]
			tail := slices.Collect(Grouping{From: from}.Walk(slices.Values(rest)))
			want := slices.Clone(whole[len(whole)-len(tail):])
			if want[0].First != from.First() || tail[0].Skipped != from.Fills() {
				t.Fatalf("%s continues the trade from %v", text, want[0].First)
			}
			want[0].Skipped, want[0].Parts = from.Fills(), want[0].Parts[from.Fills():]
			if diff := cmp.Diff(want, tail, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("from %s (-whole +tail):\n%s", text, diff)
			}
		}
	})
}

// TestOmittedParts: without their parts the trades are the same.
func TestOmittedParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		want := Group(fills, Head{})
		for i := range want {
			want[i].Skipped, want[i].Parts = len(want[i].Parts), nil
		}
		got := slices.Collect(Grouping{OmitParts: true}.Walk(slices.Values(fills)))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("without parts (-want +got):\n%s", diff)
		}
	})
}

func TestParseCheckpointRefuses(t *testing.T) {
	t.Parallel()
	var text string
	grouping := Grouping{Every: 1, Report: func(c Checkpoint) { text = c.String() }}
	_ = slices.Collect(grouping.Walk(slices.Values(parseFills(t, "buy 1@10"))))
	if _, err := ParseCheckpoint(text); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(text)
	for i := range words {
		damaged := slices.Clone(words)
		damaged[i] = "x"
		if _, err := ParseCheckpoint(strings.Join(damaged, " ")); err == nil {
			t.Errorf("word %d may be anything", i)
		}
	}
	if _, err := ParseCheckpoint(""); err == nil {
		t.Error("an empty text is a checkpoint")
	}
}

// TestMirroredFillsMirrorTheResult: with every side swapped, long becomes short
// and the gross result changes its sign, and nothing else.
func TestMirroredFillsMirrorTheResult(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(false).Draw(t, "fills")
		mirrored := slices.Clone(fills)
		for i := range mirrored {
			mirrored[i].Side = map[Side]Side{Buy: Sell, Sell: Buy}[mirrored[i].Side]
		}
		here, there := Group(fills, Head{}), Group(mirrored, Head{})
		for i := range here {
			a, b := here[i], there[i]
			if a.Direction == b.Direction || !a.GrossPnL.Decimal.Equal(b.GrossPnL.Decimal.Neg()) {
				t.Fatalf("trade %d: %+v and %+v", i, a, b)
			}
			if diff := cmp.Diff(a.Parts, b.Parts); diff != "" {
				t.Fatalf("parts of trade %d: %s", i, diff)
			}
		}
	})
}

// TestArrivalDoesNotMatterForDistinctInstants: fills with distinct instants, sorted by
// CompareFills, result in the same trades in any arrival order.
func TestArrivalDoesNotMatterForDistinctInstants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		for i := range fills {
			fills[i].At = int64(i)
		}
		want := formatTrades(Group(fills, Head{}))
		shuffled := rapid.Permutation(fills).Draw(t, "arrival")
		for i := range shuffled {
			shuffled[i].Seq = int64(i)
		}
		slices.SortFunc(shuffled, CompareFills)
		if diff := cmp.Diff(want, formatTrades(Group(shuffled, Head{}))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func checkOracleAgrees(t *rapid.T) {
	fills := anyFills(true).Draw(t, "fills")
	left := map[string]string{}
	grouping := Grouping{ReportClosing: func(c Closure) {
		if !c.Leftover.IsZero() {
			left[c.FillID] = c.Leftover.Rat().RatString()
		}
	}}
	got := slices.Collect(grouping.Walk(slices.Values(fills)))
	wantLeft := map[string]string{}
	for id, quantity := range oracle.Leftovers(toOracleFills(fills)) {
		wantLeft[id] = quantity.RatString()
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Fatalf("leftovers (-oracle +got):\n%s", diff)
	}
	want := oracle.Recompute(rapid.Permutation(toOracleFills(fills)).Draw(t, "order"))
	if len(got) != len(want) {
		t.Fatalf("%d trades, the oracle has %d", len(got), len(want))
	}
	for i := range got {
		if diff := cmp.Diff(formatOracleTrade(want[i]), formatTrade(got[i])); diff != "" {
			t.Fatalf("trade %d (-oracle +got):\n%s", i, diff)
		}
	}
}

func TestOracleAgrees(t *testing.T) { rapid.Check(t, checkOracleAgrees) }

func FuzzOracleAgrees(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkOracleAgrees)) }

func toOracleFills(fills []Fill) []oracle.Fill {
	var out []oracle.Fill
	for _, f := range fills {
		o := oracle.Fill{
			ID: f.ID, Kind: f.Kind.String(), At: f.At, Seq: f.Seq, Buy: f.Side == Buy,
			Quantity: f.Quantity.Rat(), Price: f.Price.Rat(), Multiplier: f.Multiplier.Rat(),
			Fees: f.Fees.Rat(), Commission: f.Commission.Rat(),
		}
		if f.StatedPnL.Valid {
			o.Stated = f.StatedPnL.Decimal.Rat()
		}
		out = append(out, o)
	}
	return out
}

// formatTrade and formatOracleTrade format both kinds of trade alike.
func formatTrade(t Trade) []string {
	null := func(n decimal.Null) *big.Rat {
		if !n.Valid {
			return nil
		}
		return n.Decimal.Rat()
	}
	var ids []string
	for _, p := range t.Parts {
		ids = append(ids, p.FillID)
	}
	ending := ""
	if t.IsClosed() {
		ending = t.EndedBy.String()
	}
	return formatFields(ids, t.Direction == Long, ending, t.Removed, t.QtyOpened.Rat(), t.QtyRemaining.Rat(), t.EntryNotional.Rat(), t.ExitNotional.Rat(),
		t.FeesTotal.Rat(), t.Commission.Rat(), null(t.GrossPnL), null(t.NetPnL), t.RealizedPnL.Rat(),
		t.AvgEntry.Rat(), null(t.AvgExit), t.EntrySize.Rat(), null(t.ReturnPct), null(t.Rate.Convert(t.Volume)))
}

func formatOracleTrade(t oracle.Trade) []string {
	return formatFields(t.FillIDs, t.Long, t.EndedBy, t.Removed, t.Opened, t.Remaining, t.Entry, t.Exit, t.Fees, t.Commission, t.Gross, t.Net, t.Realized,
		t.EntryPrice, t.ExitPrice, t.Size, t.Return, t.Volume)
}

func formatFields(ids []string, long bool, ending string, removed bool, figures ...*big.Rat) []string {
	out := []string{fmt.Sprint(ids), fmt.Sprint("long ", long), "ended by " + ending, fmt.Sprint("removed ", removed)}
	names := []string{
		"opened", "remaining", "entry", "exit", "fees", "commission", "gross", "net", "realized",
		"entry price", "exit price", "size", "return", "volume",
	}
	for i, figure := range figures {
		text := "absent"
		if figure != nil {
			text = figure.RatString()
		}
		out = append(out, names[i]+" "+text)
	}
	return out
}

// TestDigitsStayBounded halves and refills a position many times. With exact
// shares every fill would add a digit to every figure.
func TestDigitsStayBounded(t *testing.T) {
	t.Parallel()
	fills := parseFills(t, "buy 2@10.01 fees 0.01")
	for n := int64(2); n < 4000; n++ {
		f := Fill{ID: strconv.FormatInt(n, 10), At: n, Seq: n, Side: Sell, Quantity: decimal.New(1), Multiplier: decimal.New(1)}
		f.Price, f.Fees = decimal.FromScaled(1000+n%7, 2), decimal.FromScaled(n%3, 2)
		if n%2 == 1 {
			f.Side = Buy
		}
		fills = append(fills, f)
	}
	trades := Group(fills, Head{})
	if got := trades[0].RealizedPnL; len(trades) != 1 || got.IsZero() || got.Scale() > CostScale {
		t.Errorf("%d trades, the first realized %s", len(trades), got)
	}
}

// TestWalkReadsNoFurtherThanNeeded: the flat point is known before the next fill
// is read, so a caller that stops there reads no further.
func TestWalkReadsNoFurtherThanNeeded(t *testing.T) {
	t.Parallel()
	read := 0
	var counted iter.Seq[Fill] = func(yield func(Fill) bool) {
		for _, f := range parseFills(t, "buy 1@1; sell 1@2; buy 1@3; sell 1@4") {
			if read++; !yield(f) {
				return
			}
		}
	}
	for trade := range Walk(counted, Head{}) {
		if !trade.IsClosed() || read != 2 {
			t.Errorf("first trade came after %d fills", read)
		}
		break
	}
	if read != 2 {
		t.Errorf("%d fills were read", read)
	}
}
