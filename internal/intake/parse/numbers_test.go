package parse_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

func TestBlank(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "\u00a0", "\ufeff", "-", " - ", "--", "---", "–", "—", "−", "N/A", "n/a", "#N/A", "n.a.", "null", "NULL", "None", "nil", `=""`, "'", "'-",
	} {
		if !parse.Blank(text) {
			t.Errorf("%q is a value", text)
		}
	}
	for _, text := range []string{"0", "0.00", "-0", "NA", "na", "NaN", "Inf", ".", "x", "- 1", "_", "empty"} {
		if parse.Blank(text) {
			t.Errorf("%q is blank", text)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "7": "7", "-0": "0", "007": "7", "00.50": "0.5", "1234567": "1234567",
		"$1,200.00": "1200", "$(400.00)": "-400", "($62.90)": "-62.9", "-$1250.65": "-1250.65", "$-12.50": "-12.5", "$ -12.50": "-12.5",
		"90.00 $": "90", "0,62 $": "0.62", "€3343.11": "3343.11", "1 001.20": "1001.2", "- 30.12": "-30.12", "4 577,86": "4577.86",
		"4.312,50": "4312.5", "172,50": "172.5", "128.450,00": "128450", "3387.35 USDT": "3387.35", "0.5BTC": "0.5", "30000USDT": "30000",
		"2.00 Lots": "2", "1500 Oz": "1500",
		"1'234.50": "1234.5", "1’234’567.5": "1234567.5", "1\u00a0234,5": "1234.5", "1\u202f234.5": "1234.5", "1\u2009234.5": "1234.5",
		"10 000.00": "10000", "3 000 000": "3000000", " 489.21": "489.21", "\u221230.12": "-30.12", "\u2212 30.12": "-30.12", "–5": "-5",
		"+3": "3", "+0.5": "0.5", ".52": "0.52", "-.5": "-0.5", ",52": "0.52", "5.": "5", "@33.10": "33.1", "@ .34": "0.34", "$.52": "0.52",
		"1,55444E+13": "15544400000000", "1.5E3": "1500", "1.25e-3": "0.00125", "2,125E+3": "2125", "5E2": "500", "0.5EUR": "0.5", "1E": "1",
		"€3102.3217898325970226955": "3102.321789832597022696", "0.1234567890123456785": "0.123456789012345678", "-0.1234567890123456775": "-0.123456789012345678",
		"8.8683999999999996E-4": "0.00088684", "1.0000000000000001E-5": "0.00001", "1E-19": "0", "1e-30": "0",
		"0.88683999999999996": "0.88683999999999996", "652.290000": "652.29", "100285.000000000": "100285",
		"12,345": "12345", "12.345": "12.345", "0,123": "0.123", "1234,567": "1234.567", "1,2345": "1.2345", "12,5": "12.5", "1,234,567": "1234567",
		"1.234.567": "1234567", "-12,345": "-12345", "1,234.5": "1234.5", "1.234,5": "1234.5", "1 234,567": "1234.567", "1'234,567": "1234.567",
		"12,34,567.50": "1234567.5", "1,00,000": "100000", "R$ 100,00": "100", "-R$ 35,00": "-35", "US$12": "12", "HK$ 1.5": "1.5", "A$1,000.00": "1000",
		"USD 12.50": "12.5", "USD12.50": "12.5", "usd 1": "1", "CHF 1'000.00": "1000", "12.50 CHF": "12.5", "Rs. 500": "500", "₹1,00,000.00": "100000",
		"kr 5": "5", "5 kr.": "5", "100 zł": "100", "12.50-": "-12.5", "(1,000)": "-1000", "( 5 )": "-5", "(400.00) USD": "-400", "(400.00 USD)": "-400",
		"$1,200.00 USD": "1200", "1S": "1", "1 L": "1", "5 contracts": "5", "0XRP": "0", "12 US$": "12", `="5337400962"`: "5337400962", "'42": "42",
		"\ufeff1.5": "1.5", "$48.10 ": "48.1", "5,": "5",
	} {
		got, err := parse.Number(text, parse.Unsettled)
		if err != nil || got.String() != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
}

// An impossible thousands group is no number with that separator: 0,123 with a decimal
// point is a damaged cell and not 123.
func TestNumberWithASettledSeparator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		point, comma string // empty for a refusal
	}{
		{"12,345", "12345", "12.345"},
		{"12.345", "12.345", "12345"},
		{"1,234,567", "1234567", ""},
		{"1.234.567", "", "1234567"},
		{"1,234.50", "1234.5", ""},
		{"1.234,50", "", "1234.5"},
		{"12.5", "12.5", ""},
		{"12,5", "", "12.5"},
		{"0,123", "", "0.123"},
		{"1'234", "1234", "1234"},
		{"1 234", "1234", "1234"},
		{"1'234.5", "1234.5", ""},
		{"1 234,5", "", "1234.5"},
		{"1234", "1234", "1234"},
		{"5.", "5", ""},
		{".5", "0.5", ""},
		{",5", "", "0.5"},
		{"1,5E+2", "", "150"},
		{"$(1,000)", "-1000", "-1"},
	} {
		for sep, want := range map[parse.Separator]string{parse.Point: c.point, parse.Comma: c.comma} {
			got, err := parse.Number(c.text, sep)
			if (err != nil) != (want == "") || err == nil && got.String() != want {
				t.Errorf("%q with separator %d is %s, %v, want %q", c.text, sep, got, err, want)
			}
		}
	}
}

func TestNumberRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "-", "--", "abc", "N/A", "Inf", "-Inf", "Infinity", "NaN", "null", "true", "0x10", "0xFA", "0xab", "0b1", "1_000", "1__0",
		"--5", "+-5", "-+5", "- -5", "-(5)", "(-5)", "+(5)", "-5-", "(5", "5)", "((5))", "()", "$", "$-", "USD", "%", "@", "@@5", "+", ".", ",", "..5", "5..",
		"1.2.3", "1,2,3", "1,23,45", "1.234.56", "1,234.567.8", "1.234,567,8", "1 234 5", "1,2345,678", "123,45,678", "1,23,456,789", "1 2345,5", "1'23", "1' 234", "1  234", "1 234'567", "1,234 567",
		"12a34", "1a2", "5 USD EUR", "5 abc def", "USD EUR 5", "$€5", "0.02 / 0.02", "1/20", "1:200", "10:30", "2026-01-05", "05.01.2026", "114'07", "5-3",
		"ESZ25", "NQ 12", "x5", "1.5K", "2M", "3 bn", "1 mio", "５", "٣", "e5", "1e+", "1e5e5", "1e5.5", "=5", "XAU 3", "5\x00", "thirteenletters 5",
		"5 thirteenletter", strings.Repeat("1", 200),
	} {
		got, err := parse.Number(text, parse.Unsettled)
		if err == nil {
			t.Errorf("%q is %s, want a refusal", text, got)
		}
	}
}

func TestNumberRefusalsCanBeShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"abc":                                 `"abc" is not a number`,
		"1e99":                                `"1e99" cannot be kept: use an exponent between -30 and 30`,
		"12345678901234567":                   `"12345678901234567" cannot be kept: use at most 15 digits before the decimal point`,
		"1234567890123456,50":                 `"1234567890123456,50" cannot be kept: use at most 15 digits before the decimal point`,
		"999999999999999.9999999999999999999": `"999999999999999.9999999999999999999" cannot be kept: use at most 18 digits after the decimal point`,
		strings.Repeat("é", 50):               `"` + strings.Repeat("é", 40) + `…" is not a number`,
		strings.Repeat("x", 5000):             `"` + strings.Repeat("x", 40) + `…" is not a number`,
	} {
		_, err := parse.Number(text, parse.Unsettled)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSettleSeparator(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values string
		want   parse.Separator
	}{
		"nothing":                        {"", parse.Unsettled},
		"whole numbers":                  {"1|25|300", parse.Unsettled},
		"a lone comma":                   {"12,345|1,500", parse.Unsettled},
		"a lone point":                   {"12.345|1.500", parse.Unsettled},
		"both signs, point last":         {"12,345|1,234.50", parse.Point},
		"both signs, comma last":         {"12,345|1.234,50", parse.Comma},
		"a group of two behind a comma":  {"12,345|12,34", parse.Comma},
		"a group of two behind a point":  {"12,345|12.34", parse.Point},
		"a group of four":                {"1,2345", parse.Comma},
		"four digits in front":           {"1234,567", parse.Comma},
		"a leading zero":                 {"12,345|0,123", parse.Comma},
		"a leading zero before a point":  {"0.123", parse.Point},
		"a repeated comma":               {"12,345|1,234,567", parse.Point},
		"a repeated point":               {"12.345|1.234.567", parse.Comma},
		"an apostrophe before a point":   {"12.345|1'234.567", parse.Point},
		"a blank before a comma":         {"12,345|1 234,567", parse.Comma},
		"only apostrophes":               {"1'234|12,345", parse.Unsettled},
		"an exponent":                    {"1,554E+13", parse.Comma},
		"currencies and units":           {"$1,200.00|3.50 USDT", parse.Point},
		"parentheses":                    {"(1.000,50)", parse.Comma},
		"contradictions":                 {"1,234.50|1.234,50", parse.Unsettled},
		"contradicting single decimals":  {"1.5|1,5", parse.Unsettled},
		"dates and text prove nothing":   {"05.01.2026|a.b,c|10:30|1.2.3|12,345", parse.Unsettled},
		"malformed groups prove nothing": {"1,23,45.6.7|1.2,3.4", parse.Unsettled},
		"Indian groups":                  {"12,34,567.50", parse.Point},
		"Indian groups without decimals": {"12,34,567", parse.Point},
		"decimals without a whole part":  {",52", parse.Comma},
	} {
		if got := parse.SettleSeparator(strings.SplitSeq(c.values, "|")); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestTreasury32(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"114'07": "114.21875", "114-07": "114.21875", "114'075": "114.234375", "114-075": "114.234375", "114'07.5": "114.234375",
		"114'07+": "114.234375", "114'072": "114.2265625", "114'077": "114.2421875", "114'071": "114.22265625", "114'078": "114.24609375",
		"114'00": "114", "99'31": "99.96875", "99'31.875": "99.99609375", "114’07": "114.21875", " 114'070 ": "114.21875", "-1'16": "-1.5",
		"0'16": "0.5", "114'07.25": "114.2265625", "1140'160": "1140.5",
	} {
		got, ok := parse.Treasury32(text)
		if !ok || got.String() != want {
			t.Errorf("%q is %s, %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "114", "114.07", "114'32", "114'7", "114'074", "114'079", "114'0755", "114'07.1234", "114'07.", "114'07++", "114 07", "'07", "114'", "11400'07",
		"114'07-", "2026-01-05", "x", "--1'16", "114''07", strings.Repeat(" ", 200) + "114'07",
	} {
		if got, ok := parse.Treasury32(text); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// amounts are decimals with few enough digits to be written in any style.
func amounts() *rapid.Generator[decimal.Decimal] {
	return rapid.Custom(func(t *rapid.T) decimal.Decimal {
		return decimal.FromScaled(rapid.Int64Range(-1e13, 1e13).Draw(t, "coefficient"), rapid.Int32Range(0, 8).Draw(t, "scale"))
	})
}

// writeNumber writes a number like an export from some country.
func writeNumber(n decimal.Decimal, group, point string) string {
	text := n.Abs().String()
	whole, fraction, decimals := strings.Cut(text, ".")
	var groups []string
	for len(whole) > 3 {
		groups = append([]string{whole[len(whole)-3:]}, groups...)
		whole = whole[:len(whole)-3]
	}
	text = strings.Join(append([]string{whole}, groups...), group)
	if decimals {
		text += point + fraction
	}
	return text
}

// Numbers written in a country's style are read back exactly once the column's separator
// is known, whatever surrounds it.
func TestWrittenNumbersComeBack(t *testing.T) {
	t.Parallel()
	type style struct {
		group, point string
		sep          parse.Separator
	}
	styles := []style{
		{",", ".", parse.Point},
		{".", ",", parse.Comma},
		{"'", ".", parse.Point},
		{" ", ",", parse.Comma},
		{"\u00a0", ",", parse.Comma},
		{"\u202f", ".", parse.Point},
		{"", ".", parse.Point},
		{"", ",", parse.Comma},
	}
	frames := [][2]string{
		{"#", "-#"},
		{"$#", "-$#"},
		{"$#", "$-#"},
		{"$#", "($#)"},
		{"$#", "$(#)"},
		{"# €", "-# €"},
		{"#USDT", "-#USDT"},
		{"+#", "− #"},
		{"# Lots", "- # Lots"},
		{"USD #", "USD -#"},
		{"#", "#-"},
		{"@#", "@-#"},
		{" # ", " -# "},
	}
	rapid.Check(t, func(t *rapid.T) {
		n := amounts().Draw(t, "n")
		how := rapid.SampledFrom(styles).Draw(t, "style")
		frame := rapid.SampledFrom(frames).Draw(t, "frame")
		around := frame[0]
		if n.Sign() < 0 {
			around = frame[1]
		}
		text := strings.ReplaceAll(around, "#", writeNumber(n, how.group, how.point))
		got, err := parse.Number(text, how.sep)
		if err != nil || !got.Equal(n) {
			t.Fatalf("%q is %s, %v, want %s", text, got, err, n)
		}
		// The column settles on that style or on nothing, never on the other.
		if settled := parse.SettleSeparator(slices.Values([]string{text})); settled != parse.Unsettled && settled != how.sep {
			t.Fatalf("%q settles on %d", text, settled)
		}
	})
}

// A settled column is read with the separator its values prove, and those values read the
// same with it and without.
func TestProofsHoldOnTheirOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,4}([.,' ][0-9]{1,4}){0,3}`).Draw(t, "text")
		sep := parse.SettleSeparator(slices.Values([]string{text}))
		if sep == parse.Unsettled {
			return
		}
		alone, err := parse.Number(text, parse.Unsettled)
		settled, errSettled := parse.Number(text, sep)
		if err != nil || errSettled != nil || !alone.Equal(settled) {
			t.Fatalf("%q: %s, %v alone, %s, %v settled", text, alone, err, settled, errSettled)
		}
	})
}

// Every price in 32nds is exact.
func TestTreasuryPricesAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.IntRange(0, 200).Draw(t, "whole")
		ticks := rapid.IntRange(0, 31).Draw(t, "ticks")
		eighth := rapid.IntRange(0, 7).Draw(t, "eighth")
		digit := "01235678"[eighth : eighth+1]
		text := decimal.New(int64(whole)).String() + "'" + string([]byte{byte('0' + ticks/10), byte('0' + ticks%10)}) + digit
		got, ok := parse.Treasury32(text)
		want := big.NewRat(int64(whole*256+ticks*8+eighth), 256)
		if !ok || got.Rat().Cmp(want) != 0 {
			t.Fatalf("%q is %s, %v, want %s", text, got, ok, want.FloatString(10))
		}
	})
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"$(1,200.00)", "-R$ 35,00", "1 234'5", "0.02 / 0.02", "114'07+", "1,55444E+13", `="5"`, "1.5K", "\u2212\u00a05 kr."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, sep := range []parse.Separator{parse.Unsettled, parse.Point, parse.Comma} {
			n, err := parse.Number(text, sep)
			if err != nil {
				if !n.IsZero() || utf8.RuneCountInString(err.Error()) > 400 {
					t.Fatalf("%q: %s along with %v", text, n, err)
				}
				continue
			}
			if again, err := decimal.Parse(n.String()); err != nil || !again.Equal(n) {
				t.Fatalf("%q was read as %s, which is out of bounds: %v", text, n, err)
			}
			if parse.Blank(text) {
				t.Fatalf("%q is blank and a number", text)
			}
		}
		if price, ok := parse.Treasury32(text); ok && price.Abs().Cmp(decimal.New(10_000)) >= 0 {
			t.Fatalf("%q is %s", text, price)
		}
	})
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"3.33%": "3.33", "3,33 %": "3.33", "-1.5%": "-1.5", "(3.33%)": "-3.33", "0%": "0"} {
		got, ok := parse.Percent(text, parse.Unsettled)
		if !ok || got.String() != want {
			t.Errorf("%q is %s, %v, want %s", text, got, ok, want)
		}
		if n, err := parse.Number(text, parse.Unsettled); err == nil || !strings.Contains(err.Error(), "is a percentage") {
			t.Errorf("%q is the amount %s, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "3.33", "%", "x%", "3% of 5"} {
		if n, ok := parse.Percent(text, parse.Unsettled); ok {
			t.Errorf("%q is %s", text, n)
		}
	}
}
