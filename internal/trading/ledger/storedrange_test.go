package ledger_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// manyRepeats returns fills in a few instruments within some minutes, many equal, and how
// often each occurs.
func manyRepeats(dice *rand.Rand, count, minutes int) (file []ledger.NewFill, counts map[string]int) {
	counts = map[string]int{}
	for range count {
		symbol, side, second := "S"+strconv.Itoa(dice.IntN(3)), matching.Buy, dice.IntN(60*minutes)
		if dice.IntN(2) == 0 {
			side = matching.Sell
		}
		quantity := int64(1 + dice.IntN(3))
		file = append(file, ledger.NewFill{
			Symbol: symbol, Side: side, Quantity: decimal.New(quantity), Price: decimal.New(10),
			ExecutedAt: minute(0).Add(time.Duration(second) * time.Second),
		})
		counts[symbol+string(side)+strconv.FormatInt(quantity, 10)+"@"+strconv.Itoa(second)]++
	}
	return file, counts
}

// TestManyRepeatedFills counts the fills of a large file that are stored already:
// as many as there are stored, whether their period has few other fills, and is
// read at once, or many, and their instruments are read one by one.
func TestManyRepeatedFills(t *testing.T) {
	eachCase(t, map[string]struct{ stored, arriving, minutes int }{
		"dense period":  {900, 700, 3},
		"sparse period": {700, 800, 60},
		"many others":   {2200, 600, 10},
	}, func(t *testing.T, d *fixture, c struct{ stored, arriving, minutes int }) {
		dice := rand.New(rand.NewPCG(1, uint64(c.stored)))
		stored, before := manyRepeats(dice, c.stored, c.minutes)
		d.insert("first", stored...)
		file, arriving := manyRepeats(dice, c.arriving, c.minutes)
		want := 0
		for key, n := range arriving {
			want += min(n, before[key])
		}
		known := 0
		for _, is := range d.previewInsert(file).Known {
			if is {
				known++
			}
		}
		if known != want {
			t.Errorf("%d fills are known in the preview, want %d", known, want)
		}
		if result := d.insert("second", file...); result.Skipped != want || result.Inserted != len(file)-want {
			t.Errorf("%d fills were skipped and %d inserted, want %d of %d skipped", result.Skipped, result.Inserted, want, len(file))
		}
		if result := d.insert("third", file...); result.Inserted != 0 {
			t.Errorf("%d fills were inserted again", result.Inserted)
		}
		d.sound()
	})
}
