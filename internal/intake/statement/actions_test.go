package statement_test

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
)

// TestSplitRatio: the simplest ratio that explains two quantities of shares.
func TestSplitRatio(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		came, left string
		n, o       int64
	}{
		{"40", "4", 10, 1},
		{"20", "400", 1, 20},
		{"7.451195", "29.80478", 1, 4},
		{"8", "2", 4, 1},
		{"10", "7", 3, 2},    // and half a share in cash
		{"20", "405", 1, 20}, // and a quarter of a share in cash
		{"15", "10", 3, 2},
		{"105", "100", 21, 20},
		{"5", "5", 0, 0},
		{"0", "5", 0, 0},
		{"5", "0", 0, 0},
		{"1234567.8912", "3.1", 0, 0},
	} {
		n, o, ok := statement.SplitRatio(decimal.Must(c.came), decimal.Must(c.left))
		if ok != (c.n > 0) || ok && (n != c.n || o != c.o) {
			t.Errorf("%s for %s is %d for %d (%v), want %d for %d", c.came, c.left, n, o, ok, c.n, c.o)
		}
	}
}

// TestSplitRatioFits: what is found makes the new shares from the old ones but for a
// fraction of a share.
func TestSplitRatioFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		came := decimal.FromScaled(rapid.Int64Range(1, 1_000_000_000).Draw(t, "came"), rapid.Int32Range(0, 6).Draw(t, "scale"))
		left := decimal.FromScaled(rapid.Int64Range(1, 1_000_000_000).Draw(t, "left"), rapid.Int32Range(0, 6).Draw(t, "scale"))
		n, o, ok := statement.SplitRatio(came, left)
		if !ok {
			return
		}
		off := left.Mul(decimal.New(n)).Sub(came.Mul(decimal.New(o))).Abs()
		if n < 1 || o < 1 || n == o || off.Cmp(decimal.New(o)) >= 0 {
			t.Fatalf("%s for %s is %d for %d", came, left, n, o)
		}
	})
}

// TestStatedSplits: rows about splits, in all ways in which files write them. Rows that do
// not show their ratio are skipped with a warning.
func TestStatedSplits(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{Zone: "UTC", Layout: &statement.Layout{
		Kind: "What", Words: []statement.Word{{Kind: statement.KindMovement, Words: "*split*"}, {Kind: statement.KindSplit, Words: "exchange"}},
		Symbol: "Symbol", Side: "Side", Effect: "Effect", Quantity: "Qty", Price: "Price", Time: "Date", Note: "Text",
	}}
	const file = `Date,What,Side,Effect,Symbol,Qty,Price,Text
2026-01-05 10:00:00,Buy,,,WREN,10,20,
2026-01-06 07:00:00,Stock split close,,,WREN,10,20,
2026-01-06 07:00:01,Stock split open,,,WREN,40,5,
2026-01-07 10:00:00,Stock split,,,OAKS,30,,OAKS CORP 4-FOR-1 SPLIT
2026-01-08 10:00:00,Reverse split,,,ELMS,-400,,
2026-01-08 10:00:00,Reverse split,,,ELMS,20,,
2026-01-09 10:00:00,Exchange,Buy,Open,PINE,25,52,
2026-01-09 10:00:00,Exchange,Sell,Close,PINE,500,2.6,
2026-01-12 10:00:00,Stock split,,,KIWI,7,,
2026-01-13 02:00:00,Stock split open,,,BIRK,7,,
2026-01-14 10:00:00,Exchange,Sell,Close,DILL,500,2.6,
`
	checkLayout(t, preset, statement.Hints{}, file, `
1 buy 10 WREN @ 20 at 2026-01-05T10:00:00Z
11 sell 500 DILL @ 2.6 at 2026-01-14T10:00:00Z closing
2 skipped a split, which is a corporate action and no trade
3 skipped a split, which is a corporate action and no trade
4 skipped a split, which is a corporate action and no trade
5 skipped a split, which is a corporate action and no trade
6 skipped a split, which is a corporate action and no trade
7 skipped a split, which is a corporate action and no trade
8 skipped a split, which is a corporate action and no trade
9 skipped securities moved without a trade
10 skipped securities moved without a trade
2 split of WREN on 2026-01-06 is 4 for 1
4 split of OAKS on 2026-01-07 is 4 for 1
5 split of ELMS on 2026-01-08 is 1 for 20
7 split of PINE on 2026-01-09 is 1 for 20
warning Stock split of KIWI on 2026-01-12 was skipped: it is not a trade. Adjust your position manually if it changed. There are 2 such rows; the first is row 9.
warning Row 11: Exchange of DILL was read as fills at the value that the file states.
warning Row 11: A fill closes a position in DILL that this file does not open. Import the earlier statement too, or it will count as a new position.
`)
}

// TestStatedExchanges: rows of which one symbol left and one came are an exchange. What can be
// several exchanges, or none, is skipped with a warning.
func TestStatedExchanges(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{Zone: "UTC", Layout: &statement.Layout{
		Kind: "What", Words: []statement.Word{{Kind: statement.KindMovement, Words: "merger*|name change|spin-off|*split"}}, Company: "Name",
		Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Time: "Date",
	}}
	const file = `Date,What,Side,Symbol,Qty,Price,Name
2026-01-02,Buy,,GORS,30,10,GORSE HOLDINGS INC
2026-01-02,Buy,,GORB,30,10,GORSE HOLDINGS CLASS B
2026-01-05,Merger,,WREN,-100,,WREN INC
2026-01-05,Merger,,HAWK,25,,HAWK INC
2026-01-06,Name Change,,OAKS,-7.5,,OAKS CORP
2026-01-06,Name Change,,ELMS,7.5,,ELMS CORP
2026-01-07,Merger,,PINE,-10,,PINE INC
2026-01-07,Merger,,BIRK,10,,BIRK INC
2026-01-07,Merger,,DILL,-20,,DILL INC
2026-01-08,Merger,,LONE,-20,,LONE INC
2026-01-09,Merger,,KIWI,20,,KIWI INC
2026-01-09,Merger,,123456780,-20,,UNKNOWN INC
2026-01-12,Merger,,PLUM,3,,PLUM INC
2026-01-12,Merger,,890260854,-30,,GORSE HOLD
2026-01-13,Spin-off,,GORC,5,,GORSE HOLDINGS PREFERRED
2026-01-14,Spin-off,,SOLO,5,,SOLO INC
2026-01-15,Stock split,,WILO,40,,WILLOW INC
2026-01-15,Stock split,,REED,-20,,REED INC
`
	checkLayout(t, preset, statement.Hints{}, file, `
1 buy 30 GORS @ 10 at 2026-01-02T00:00:00Z (day)
2 buy 30 GORB @ 10 at 2026-01-02T00:00:00Z (day)
3 skipped an exchange of shares, which is a corporate action and no trade
4 skipped an exchange of shares, which is a corporate action and no trade
5 skipped a new symbol, which is a corporate action and no trade
6 skipped a new symbol, which is a corporate action and no trade
7 skipped securities moved without a trade
8 skipped securities moved without a trade
9 skipped securities moved without a trade
10 skipped securities moved without a trade
11 skipped securities moved without a trade
12 skipped securities moved without a trade
13 skipped an exchange of shares, which is a corporate action and no trade
14 skipped an exchange of shares, which is a corporate action and no trade
15 skipped a spin-off, which is a corporate action and no trade
16 skipped securities moved without a trade
17 skipped securities moved without a trade
18 skipped securities moved without a trade
15 spin off of GORB or GORS on 2026-01-13 to GORC adds 5
3 exchange of WREN on 2026-01-05 to HAWK is 1 for 4
5 rename of OAKS on 2026-01-06 to ELMS is 1 for 1
13 exchange of GORB or GORC or GORS on 2026-01-12 to PLUM is 1 for 10 if 30 were held
warning Merger of PINE on 2026-01-07 was skipped: it is not a trade. Adjust your position manually if it changed. There are 9 such rows; the first is row 7.
`)
}
