package instruments

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func TestParseOption(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		symbol, root string
		right        Right
		strike       string
		expiry       journal.Day
	}{
		{"AAPL  240119C00150000", "AAPL", Call, "150", "2024-01-19"},
		{"SPY   250321C00500000", "SPY", Call, "500", "2025-03-21"},
		{"SPCE260529C00004500", "SPCE", Call, "4.5", "2026-05-29"},
		{"AAPL240119C150", "AAPL", Call, "150", "2024-01-19"},
		{"AAPL240119P152.5", "AAPL", Put, "152.5", "2024-01-19"},
		{".AAPL240119C150", "AAPL", Call, "150", "2024-01-19"},
		{".SPXW240119P4500", "SPXW", Put, "4500", "2024-01-19"},
		{"-NVDA260710P195", "NVDA", Put, "195", "2026-07-10"},
		{" -NVDA260710P195", "NVDA", Put, "195", "2026-07-10"},
		{"-AAPL240119C150", "AAPL", Call, "150", "2024-01-19"},
		{"NVDA260417C200000", "NVDA", Call, "200", "2026-04-17"}, // moomoo
		{"AAPL 01/19/2024 150.00 C", "AAPL", Call, "150", "2024-01-19"},
		{"SPY 03/21/2025 500.00 C", "SPY", Call, "500", "2025-03-21"},
		{"AAPL 19JAN24 150 C", "AAPL", Call, "150", "2024-01-19"},
		{"SPY 20MAR26 580 C", "SPY", Call, "580", "2026-03-20"},
		{"FB 21SEP18 200.0 C", "FB", Call, "200", "2018-09-21"},
		{"AAPL Jan 19 2024 150 Call", "AAPL", Call, "150", "2024-01-19"},
		{"AAPL Jan 19, 2024 150 Put", "AAPL", Put, "150", "2024-01-19"},
		{"AAPL Jan 19 '24 $150 Put", "AAPL", Put, "150", "2024-01-19"},
		{"SOFI 8/4/2023 Call $12.00", "SOFI", Call, "12", "2023-08-04"},
		{"SPY 09/30/2022 00:00:00 EDT Call $364.00", "SPY", Call, "364", "2022-09-30"},
		{"PUT  MDB    07/17/26   312.500", "MDB", Put, "312.5", "2026-07-17"},
		{"PUT IAG 02/21/25 6 IAMGOLD CORP OPEN CONTRACT", "IAG", Put, "6", "2025-02-21"},
		{"CALL ZZZ 06/20/25 50.00 ZZZ INC", "ZZZ", Call, "50", "2025-06-20"},
		{"CALL 01/19/2024 10 C", "CALL", Call, "10", "2024-01-19"}, // the share CALL
		{"C 01/19/2024 50 P", "C", Put, "50", "2024-01-19"},
		{"OPTT 01/19/2024 2 C", "OPTT", Call, "2", "2024-01-19"},
		{"OPTCUR EURINR Oct 28 2026 90.50 PE", "EURINR", Put, "90.5", "2026-10-28"},
		{"EURINR26OCT90.5PE", "EURINR", Put, "90.5", ""},
		{"NIFTY26OCT24500CE", "NIFTY", Call, "24500", ""},
		{"SPY 100 (Weeklys) 5 JUN 26 715 PUT", "SPY", Put, "715", "2026-06-05"},
		{"MRK 100 17 JUL 26 120 CALL", "MRK", Call, "120", "2026-07-17"},
		{"BRK.B 01/19/2024 350.00 C", "BRK.B", Call, "350", "2024-01-19"},
		{"$SPX 01/19/2024 4,500.00 C", "SPX", Call, "4500", "2024-01-19"},
		{"AAPL 2024-01-19 150 C", "AAPL", Call, "150", "2024-01-19"},
		{"F 02/29/2024 .5 C", "F", Call, "0.5", "2024-02-29"},
	} {
		option, ok := ParseOption(test.symbol)
		if !ok {
			t.Errorf("ParseOption(%q) finds no option", test.symbol)
			continue
		}
		if option.Root != test.root || option.Underlying != test.root || option.Right != test.right ||
			!option.Strike.Equal(decimal.Must(test.strike)) || option.Expiry != test.expiry || option.Adjusted || option.OnFuture {
			t.Errorf("ParseOption(%q) = %+v", test.symbol, option)
		}
	}
}

func TestParseOptionSpecial(t *testing.T) {
	t.Parallel()
	for _, symbol := range []string{"USO1  200717P00003500", "USO1 07/17/2020 3.50 P"} {
		option, ok := ParseOption(symbol)
		if !ok || !option.Adjusted || option.Root != "USO1" || option.Underlying != "USO" {
			t.Errorf("ParseOption(%q) = %+v, %v", symbol, option, ok)
		}
	}
	option, ok := ParseOption("./ESU6 E1AN6 260703C5500")
	if !ok || !option.OnFuture || option.Root != "E1AN6" || option.Underlying != "/ESU6" || option.Adjusted ||
		!option.Strike.Equal(decimal.New(5500)) || option.Expiry != "2026-07-03" {
		t.Errorf("an option on a future is %+v, %v", option, ok)
	}
	if option, ok := ParseOption("./BTCZ5 BTCZ5 251226C100000"); !ok || !option.Strike.Equal(decimal.New(100000)) {
		t.Errorf("a strike on a future is %+v, %v", option, ok)
	}
}

func TestParseOptionRefuses(t *testing.T) {
	t.Parallel()
	for _, symbol := range []string{
		"", " ", "AAPL", "ESZ24", "240119C00150000", "AAPL240230C00150000", "AAPL231301C150", "AAPL240119X150", "AAPL240119C",
		"AAPL240119C0", "AAPL  240119C00000000", "AAPL240119C1.2.3", "AAPL240119C0001500000", "AAPL 02/30/2024 150 C",
		"AAPL 13/01/2024 150 C", "AAPL 01/19/2024 150", "AAPL 01/19/2024 C", "AAPL 01/19/2024 150 X", "AAPL 01/19/2024 150 C extra",
		"AAPL 01/19/2024 -5 C", "AAPL 01/19/2024 1e3 C", "AAPL Foo 19 2024 150 Call", "AAPL 29FEB23 150 C", "NIFTY26OCTFUT",
		"NIFTY26OCTCE", "26OCT90CE", "PUT", "PUT IAG", "CALL CALL", "./ESU6", "./ESU6 E1AN6 260703C0", "./ESU6 E1AN6 260231C5500",
		"OPTCUR", "EUR/USD", "BTC-25DEC26-100000-C", "CP", "C", "PE", "ÄÖÜ240119C150",
	} {
		if option, ok := ParseOption(symbol); ok {
			t.Errorf("ParseOption(%q) = %+v, want none", symbol, option)
		}
	}
}

// formatOCC writes an option in the padded form of the Options Clearing Corporation,
// such as "AAPL  240119C00150000". The form has no options on futures, roots
// of more than six characters, unknown days and strikes finer than a
// thousandth; ok is then false.
func formatOCC(o Option) (string, bool) {
	thousandths := o.Strike.Mul(decimal.New(1000))
	digits := thousandths.String()
	if o.OnFuture || len(o.Root) > 6 || !isCode(o.Root) || o.Root[0] < 'A' || len(o.Expiry) != 10 || o.Expiry[:2] != "20" ||
		thousandths.Sign() <= 0 || thousandths.Scale() > 0 || len(digits) > 8 {
		return "", false
	}
	letter := map[Right]string{Call: "C", Put: "P"}[o.Right]
	day := strings.ReplaceAll(string(o.Expiry[2:]), "-", "")
	return fmt.Sprintf("%-6s", o.Root) + day + letter + strings.Repeat("0", 8-len(digits)) + digits, true
}

func FuzzOption(f *testing.F) {
	for _, seed := range []string{
		"AAPL  240119C00150000", "AAPL 19JAN24 150 C", "SOFI 8/4/2023 Call $12.00", "PUT IAG 02/21/25 6 IAMGOLD CORP",
		"./ESU6 E1AN6 260703C5500", "EURINR26OCT90.5PE", "OPTCUR EURINR Oct 28 2026 90.50 PE", "SPY 100 (Weeklys) 5 JUN 26 715 PUT",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		option, ok := ParseOption(symbol)
		if !ok {
			return
		}
		if option.Strike.Sign() <= 0 || option.Root == "" || option.Right != Call && option.Right != Put {
			t.Errorf("%q is %+v", symbol, option)
		}
		text, ok := formatOCC(option)
		if !ok {
			return
		}
		again, ok := ParseOption(text)
		if !ok || len(text) != 21 || !again.Strike.Equal(option.Strike) {
			t.Fatalf("%q is %q, which reads as %+v, %v", symbol, text, again, ok)
		}
		again.Strike, option.Strike = decimal.Zero, decimal.Zero
		if again.Root != option.Root || again.Underlying != option.Underlying || again.Right != option.Right ||
			again.Expiry != option.Expiry || again.Adjusted != option.Adjusted || again.OnFuture != option.OnFuture {
			t.Errorf("%q is %q, which reads as %+v", symbol, text, again)
		}
	})
}
