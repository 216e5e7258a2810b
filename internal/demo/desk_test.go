package demo

import (
	"math"
	"testing"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/matching"
)

// What the brokers take, worked out by hand from their price lists.
func TestCosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		charge           func(*Execution)
		fill             Execution
		commission, fees string
	}{
		"small purchase of shares": {chargeStocks, execution("AAPL", kindStock, matching.Buy, "10", "200", 1), "0.35", "0.03"},
		"large purchase of shares": {chargeStocks, execution("SOFI", kindStock, matching.Buy, "1000", "12", 1), "3.5", "3.2"},
		"sale of shares":           {chargeStocks, execution("AAPL", kindStock, matching.Sell, "200", "200", 1), "0.7", "1.78"},
		"option":                   {chargeStocks, execution("AAPL", kindOption, matching.Buy, "3", "2.5", 100), "1.95", "0.17"},
		"one option sold":          {chargeStocks, execution("AAPL", kindOption, matching.Sell, "1", "2.5", 100), "1", "0.06"},
		"option that expired":      {chargeStocks, execution("AAPL", kindOption, matching.Sell, "3", "0", 100), "0", "0"},
		"index future":             {chargeFutures, execution("ESM25", kindFuture, matching.Buy, "2", "5900", 50), "2.58", "2.8"},
		"micro":                    {chargeFutures, execution("MESM25", kindFuture, matching.Buy, "5", "5900", 5), "1.95", "1.85"},
		"oil":                      {chargeFutures, execution("CLN25", kindFuture, matching.Sell, "1", "70", 1000), "1.29", "1.62"},
		"coins":                    {chargeCrypto, execution("BTC-USD", kindCrypto, matching.Buy, "0.05", "80000", 1), "0", "6.4"},
	} {
		c.charge(&c.fill)
		if c.fill.Commission.String() != c.commission || c.fill.Fees.String() != c.fees {
			t.Errorf("%s: commission %s, fees %s, want %s and %s", name, c.fill.Commission, c.fill.Fees, c.commission, c.fees)
		}
	}
}

func execution(symbol, kind string, side matching.Side, quantity, price string, multiplier int64) Execution {
	return Execution{
		Symbol: symbol, Kind: kind, Side: side, Quantity: decimal.Must(quantity), Price: decimal.Must(price),
		Multiplier: decimal.New(multiplier),
	}
}

// A stop-and-reverse is one fill that closes one trade and opens the next.
func TestReversalIsOneFill(t *testing.T) {
	t.Parallel()
	w := newWorld("2024-03-11", "2026-03-10")
	d, tape := newDesk(futureAccount), w.tapes["ES"]
	found := false
	for n := 0; n < 200 && !found; n++ {
		chance := throw("reversal", n)
		p := plan{tape: tape, at: moment{n, 1000}, long: true, stop: 12, target: 3, bars: 60}
		stopped := w.enterFuture(d, chance, p.run(), &trade{chapter: chapters[0], size: 1})
		next := w.reverse(d, chance, stopped, chapters[0])
		found = next != stopped
	}
	if !found {
		t.Fatal("no trade was reversed")
	}
	d.settle()
	last := d.trades[len(d.trades)-1]
	before := d.trades[len(d.trades)-2]
	if last.fills[0] != before.fills[len(before.fills)-1] || last.long == before.long {
		t.Error("the two trades do not share a fill, or go the same way")
	}
	if last.result.Head.Consumed.Sign() <= 0 || !before.result.IsClosed() || last.result.Direction == before.result.Direction {
		t.Errorf("grouped as %+v and %+v", before.result, last.result)
	}
}

// Skill decides how often the better way is taken.
func TestForesight(t *testing.T) {
	t.Parallel()
	bars := append(flat(1, 100), bar{100, 130, 99, 130})
	up := plan{tape: handMade(append(bars, flat(10, 130)...)...), long: true, stop: 10, target: 2}
	down := up
	down.long = false
	for skill, want := range map[float64]float64{1: 2, -1: -1} {
		for i := range 20 {
			if got := foresight(throw("skill", i), skill, up, down).r; got != want {
				t.Errorf("skill %.0f gives %.1fR, want %.1fR", skill, got, want)
			}
			if got := foresight(throw("skill", i), skill, down, up).r; got != want {
				t.Errorf("skill %.0f gives %.1fR the other way round, want %.1fR", skill, got, want)
			}
		}
	}
	if got := foresight(throw("none"), 0, down, up); got.long {
		t.Error("without skill the first way is taken")
	}
}

// The desk is pulled back to where the story wants it.
func TestSkillFollowsTheScore(t *testing.T) {
	t.Parallel()
	d, at := newDesk(stockAccount), time.Date(2025, 3, 3, 15, 30, 0, 0, time.UTC)
	even := d.skill(idea{}, chapters[1], "", at)
	d.score = 5
	ahead := d.skill(idea{}, chapters[1], "", at)
	d.score = -5
	behind := d.skill(idea{}, chapters[1], "", at)
	if ahead >= even || even >= behind || behind > 0.95 {
		t.Errorf("skill ahead %.2f, even %.2f, behind %.2f", ahead, even, behind)
	}
	if clumsy := d.skill(idea{}, chapters[1], "Moved stop", at); clumsy >= behind {
		t.Errorf("a mistake does not hurt: %.2f", clumsy)
	}
	noon := at.Add(90 * time.Minute) // 12:00 in New York
	if slow := d.skill(idea{}, chapters[1], "", noon); slow >= behind {
		t.Errorf("noon does not hurt: %.2f", slow)
	}
}

// A stream that holds a position takes no second trade.
func TestOneTradeAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld("2024-03-11", "2026-03-10")
	d, tape := newDesk(stockAccount), w.tapes["AAPL"]
	p := plan{tape: tape, at: moment{10, 30}, long: true, stop: 5000, target: 9, sessions: 3}
	first := w.enterStock(d, throw("one"), p.run(), &trade{size: 1})
	p.at = moment{11, 30}
	if second := w.enterStock(d, throw("two"), p.run(), &trade{size: 1}); first == nil || second != nil {
		t.Errorf("first %v, second %v", first, second)
	}
	p.at = moment{20, 30}
	if third := w.enterStock(d, throw("three"), p.run(), &trade{size: 1}); third == nil {
		t.Error("the stream is still busy after the trade")
	}
}

// A position in an option does not outlive its contract.
func TestOptionsEndAtExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld("2024-03-11", "2026-03-10")
	tape := w.tapes["AAPL"]
	p := plan{tape: tape, at: moment{10, 30}, long: true, stop: 9000, target: 9, sessions: 60}
	expiry := tape.sessions[30].day
	out := p.run().until(expiry)
	last := out.actions[len(out.actions)-1]
	if out.ending != byExpiry || last.at != (moment{30, tape.sessions[30].bars - 1}) || last.closes != 1 {
		t.Errorf("ended by %s at %+v", out.ending, last)
	}
	if same := p.run().until("2030-01-18"); same.ending == byExpiry {
		t.Error("a contract beyond the story expires in it")
	}
}

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		fixed(decimal.Must("135.2"), 2): "135.20", fixed(decimal.Must("135"), 2): "135.00",
		fixed(decimal.Must("0.125"), 2): "0.12", fixed(decimal.Must("42.5"), 0): "42", fixed(decimal.Must("-1.5"), 1): "-1.5",
		money(decimal.Must("12.3")): "+$12.30", money(decimal.Must("-0.5")): "-$0.50", multiple(-1.04): "-1.0R",
		count(1, "trade"): "1 trade", count(0, "trade"): "0 trades", longDay("2026-03-02"): "Monday, 2 March 2026",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSizesAreHuman(t *testing.T) {
	t.Parallel()
	for shares, want := range map[float64]int64{0.2: 1, 7.4: 7, 17: 15, 83: 80, 212: 200, 338: 350} {
		if got := roundLot(shares); got != want {
			t.Errorf("%.1f shares become %d, want %d", shares, got, want)
		}
	}
	sum := 0
	for i := range 3000 {
		sum += howMany(throw("many", i), 1.2)
	}
	if mean := float64(sum) / 3000; math.Abs(mean-1.2) > 0.1 {
		t.Errorf("howMany has the mean %.2f, want 1.2", mean)
	}
	for strike, want := range map[float64]string{14.3: "14.5", 76.4: "76", 201: "200", 203.9: "205", 498: "500"} {
		if got := roundStrike(strike); got.String() != want {
			t.Errorf("strike %.1f becomes %s, want %s", strike, got, want)
		}
	}
}
