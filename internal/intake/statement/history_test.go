package statement_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
)

const history = `Date,What,Symbol,Qty,Price,Amount,Currency,Fee,Tax,Text
2026-01-02,Deposit,,,,1000,USD,,,Wire
2026-01-03,Withdrawal,,,,-100,USD,,,Wire
2026-01-05,Bought,AAPL,10,20,-201,USD,1,,
2026-01-06,Dividend paid,AAPL,,,5,USD,,1.5,
2026-01-07,Custody fee,,,,-2,USD,,,
2026-01-08,Custody fee,,,,2,USD,,,refund
2026-01-09,Stock split,AAPL,10,,,USD,,,
2026-01-10,Zorp,,,,3,USD,,,what is it
2026-01-11,zorp,,,,4,USD,,,again
2026-01-12,Blip,AAPL,7,,,USD,,,
2026-01-13,Interest,,,,0,USD,,,
2026-01-14,Sold,AAPL,x,21,210,USD,,,
2026-01-15,FX credit,,,,90,EUR,,,
,,,,,1000,,,,total
`

func historyPreset() *statement.Preset {
	return &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Kind: "What", Words: []statement.Word{{Kind: statement.KindMovement, Words: "*split"}}, Symbol: "Symbol", Time: "Date", Quantity: "Qty",
			Price: "Price", Amount: "Amount", Currency: "Currency", Commission: "Fee", Tax: "Tax", Note: "Text|What",
		},
	}
}

// TestLayoutOfAHistory covers every outcome for rows in an account history. A row with an
// unknown kind is never booked.
func TestLayoutOfAHistory(t *testing.T) {
	t.Parallel()
	checkLayout(t, historyPreset(), statement.Hints{Currency: "USD"}, history, `
3 buy 10 AAPL @ 20 at 2026-01-05T00:00:00Z (day) commission 1 flow -201
1 cash deposit 1000 USD at 2026-01-02T00:00:00Z "Wire"
2 cash withdrawal -100 USD at 2026-01-03T00:00:00Z "Wire"
4 cash dividend 5 USD at 2026-01-06T00:00:00Z "AAPL Dividend paid"
4 cash dividend -1.5 USD at 2026-01-06T00:00:00Z "Tax: AAPL Dividend paid"
5 cash fee -2 USD at 2026-01-07T00:00:00Z "Custody fee"
6 cash adjustment 2 USD at 2026-01-08T00:00:00Z "refund"
13 cash adjustment 90 EUR at 2026-01-15T00:00:00Z "FX credit"
12 problem Qty: "x" is not a number.
7 skipped securities moved without a trade
8 skipped unknown kind "Zorp"
9 skipped unknown kind "zorp"
10 skipped securities moved without a trade
11 skipped no money moved
unknown kind "Zorp" in 2 rows, such as "2026-01-10 · Zorp · 3 · USD · what is it"
unknown kind "Blip" in 1 rows, such as "2026-01-12 · Blip · AAPL · 7 · USD"
warning Stock split of AAPL on 2026-01-09 was skipped: it is not a trade. Adjust your position manually if it changed. There are 2 such rows; the first is row 7.
warning Rows of unknown kinds moved money and were left out: "Zorp" (7 USD, 2 rows, first row 8). Choose what the words mean, or enter the money by hand.
`)
}

// TestAnsweredKinds books the rows whose words the user explained.
func TestAnsweredKinds(t *testing.T) {
	t.Parallel()
	hints := statement.Hints{Currency: "USD", Kinds: map[string]statement.Kind{"zorp": statement.KindInterest, "blip": statement.KindIgnored}}
	const csv = `Date,What,Symbol,Qty,Price,Amount,Currency,Fee,Tax,Text
2026-01-10,Zorp,,,,3,USD,,,what is it
2026-01-12,Blip,AAPL,7,,,USD,,,
`
	checkLayout(t, historyPreset(), hints, csv, `
1 cash interest 3 USD at 2026-01-10T00:00:00Z "what is it"
2 skipped rows of this kind are ignored
unknown kind "Zorp" in 1 rows, such as "2026-01-10 · Zorp · 3 · USD · what is it", read as interest
unknown kind "Blip" in 1 rows, such as "2026-01-12 · Blip · AAPL · 7 · USD", read as ignore
`)
}

// TestEndingsFollowThePosition closes expired options on the side left open by the fills
// before them.
func TestEndingsFollowThePosition(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Kind: "What", Symbol: "Symbol", Time: "Date", Quantity: "Qty", Price: "Price", Amount: "Amount",
			Words: []statement.Word{{Kind: statement.KindExpiry, Words: "expired"}, {Kind: statement.KindAssignment, Words: "assigned"}},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Date,What,Symbol,Qty,Price,Amount
2026-01-05,Buy,AAPL 01/16/2026 200.00 C,1,2,-200
2026-01-05,Sell,AAPL 01/16/2026 100.00 P,1,3,300
2026-01-16,Expired,AAPL 01/16/2026 200.00 C,1,,
2026-01-16,Expired,AAPL 01/16/2026 100.00 P,1,,
2026-01-16,Expired,MSFT 01/16/2026 100.00 P,1,,
2026-01-16,Assigned,IBM 01/16/2026 100.00 P,2,,
2026-01-16,Expired,AAPL,1,,
`, `
1 buy 1 option AAPL call 200 2026-01-16 @ 2 at 2026-01-05T00:00:00Z (day) flow -200
2 sell 1 option AAPL put 100 2026-01-16 @ 3 at 2026-01-05T00:00:00Z (day) flow 300
3 sell 1 option AAPL call 200 2026-01-16 @ 0 at 2026-01-16T00:00:00Z (day) closing kind expiry
4 buy 1 option AAPL put 100 2026-01-16 @ 0 at 2026-01-16T00:00:00Z (day) closing kind expiry
6 buy 2 option IBM put 100 2026-01-16 @ 0 at 2026-01-16T00:00:00Z (day) closing kind assignment
5 skipped expired option that this file does not open
7 skipped securities moved without a trade
warning Row 7: Expired of AAPL on 2026-01-16 was skipped: it is not a trade. Adjust your position manually if it changed.
warning Row 5: An option on MSFT expired that this file does not open, so its side is not known and it was left out. Import a history that begins earlier.
warning Row 6: A fill closes a position in IBM that this file does not open. Import the earlier statement too, or it will count as a new position.
`)
}

// TestImpliedRates uses the stated rate in the direction proved by the amount, and the
// amount itself if no rate explains it.
func TestImpliedRates(t *testing.T) {
	t.Parallel()
	preset := func() *statement.Preset {
		return &statement.Preset{
			Zone: "UTC",
			Layout: &statement.Layout{
				Side: "Side", Symbol: "Symbol", Time: "Date", Quantity: "Qty", Price: "Price", Gross: "Value", Currency: "=EUR", PriceCurrency: "Priced",
				Rate: "Rate", Currencies: statement.CurrencyOfAccount,
			},
		}
	}
	const header = "Date,Side,Symbol,Qty,Price,Value,Priced,Rate\n"
	const told = "\nwarning The amount is not quantity × price with costs in 1 row. " +
		"The first is row 1 (ACME): the file says -401.99, quantity, price, multiplier 1 and costs give -400."
	tests := []struct{ value, priced, rate, multiplier, warning string }{
		{"320", "USD", "1.25", "x 0.8 ", ""},
		{"500", "USD", "1.25", "x 1.25 ", ""},
		{"500.01", "USD", "0.8", "x 1.25 ", ""},
		{"500.02", "USD", "0.8", "x 1.25005 ", ""}, // the file's value wins over its rounded rate
		{"319.12", "USD", "1.25", "x 0.7978 ", ""},
		{"320", "USD", "", "x 0.8 ", ""},
		{"320", "USD", "Not available", "x 0.8 ", ""},
		{"320", "USD", "0", "x 0.8 ", ""},
		{"4", "USD", "1.25", "x 0.01 ", ""},
		{"123", "USD", "1.25", "x 0.3075 ", ""},
		{"400", "EUR", "", "", ""},
		{"401.99", "EUR", "1.25", "", told},
		{"40000", "EUR", "", "x 100 ", ""},
	}
	for _, test := range tests {
		row := strings.Join([]string{"2026-01-05,Buy,ACME,4,100", test.value, test.priced, test.rate}, ",")
		want := "account \"\" type \"\" currency \"EUR\"\n1 buy 4 ACME @ 100 at 2026-01-05T00:00:00Z (day) " + test.multiplier + "flow -" + test.value
		if test.priced != "EUR" {
			want += ` currency="USD"`
		}
		checkLayout(t, preset(), statement.Hints{Currency: "EUR"}, header+row+"\n", want+test.warning)
	}
}
