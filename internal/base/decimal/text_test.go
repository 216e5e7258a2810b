package decimal

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAcceptsJSONNumbersWithinBounds(t *testing.T) {
	for in, want := range map[string]string{
		"0":                                   "0",
		"-0":                                  "0",
		"-0.000":                              "0",
		"0e30":                                "0",
		"7":                                   "7",
		"-7":                                  "-7",
		"0.1":                                 "0.1",
		"1.09312":                             "1.09312",
		"1.50":                                "1.5",
		"12000":                               "12000",
		"12000.000":                           "12000",
		"100.0100":                            "100.01",
		"1e3":                                 "1000",
		"1E+3":                                "1000",
		"1.25e-3":                             "0.00125",
		"25e-002":                             "0.25",
		"1e14":                                "100000000000000",
		"1e-18":                               "0.000000000000000001",
		"999999999999999.999999999999999999":  "999999999999999.999999999999999999",
		"-999999999999999.999999999999999999": "-999999999999999.999999999999999999",
		"1000000000000000000000e-7":           "100000000000000",
		"0.00000000000000000000000001e12":     "0.00000000000001",
		"1." + strings.Repeat("0", maxInputText-2): "1",
	} {
		got, err := Parse(in)
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
		} else if got.String() != want {
			t.Errorf("Parse(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseRefusesWhatJSONForbids(t *testing.T) {
	for _, in := range []string{
		"", "-", "+1", "--1", ".5", "5.", "-.5", "1..2", "1.2.3", "007", "-01", "00", "00.5",
		"1e", "1e+", "1e-", "e5", "1e5.5", "1e5e5", "1e+-5", "1e 5",
		"NaN", "nan", "Inf", "-Infinity", "infinity", "0x10", "0b1", "0o7", "1_000", "1,000", "1,5",
		" 1", "1 ", "1\n", "\t1", "1 000", "1\x00", "−1", "１２", "٣", "½", "$5", "5%", "(5)", "1f", "1d", "null", "true", `"1"`,
	} {
		got, err := Parse(in)
		if !errors.Is(err, ErrSyntax) {
			t.Errorf("Parse(%q) = %s, %v; want ErrSyntax", in, got, err)
		}
	}
}

func TestParseRefusesNumbersBeyondTheBounds(t *testing.T) {
	for _, in := range []string{
		"1000000000000000", "-1000000000000000", "1e15", "1e30", "0.1e16",
		"0.0000000000000000001", "1e-19", "0.1e-18", "1.0000000000000000001",
		"1e31", "1e-31", "0e31", "1e1000000000", "1e-1000000000", "1e99999999999999999999999999",
		"1." + strings.Repeat("0", maxInputText-1), strings.Repeat("9", maxInputText+1),
	} {
		got, err := Parse(in)
		if !errors.Is(err, ErrRange) {
			t.Errorf("Parse(%q) = %s, %v; want ErrRange", in, got, err)
		}
	}
}

func TestErrorsDoNotEchoInput(t *testing.T) {
	for _, in := range []string{"secret", "1e99", strings.Repeat("8", 20), strings.Repeat("7", 500)} {
		_, err := Parse(in)
		if err == nil || strings.Contains(err.Error(), in) || strings.Contains(err.Error(), "decimal:") {
			t.Errorf("Parse(%.20q): unusable message %q", in, err)
		}
	}
}

// TestParseErrorIsCheap checks that rejecting a malicious text costs the same whatever
// its number and length.
func TestParseErrorIsCheap(t *testing.T) {
	megabyte := strings.Repeat("9", 1<<20)
	hostile := []string{
		"1e1000000000", "-1e-1000000000", "1e" + megabyte, megabyte, "0." + megabyte, "1" + strings.Repeat("e9", 1<<19),
	}
	quoted := []byte(`"` + megabyte + `"`)
	allocs := testing.AllocsPerRun(100, func() {
		for _, in := range hostile {
			if _, err := Parse(in); err == nil {
				t.Fatal("a malicious number was accepted")
			}
			if _, err := ParseExact(in); err == nil {
				t.Fatal("a malicious stored number was accepted")
			}
		}
		if err := new(Decimal).UnmarshalJSON(quoted); err == nil {
			t.Fatal("malicious JSON was accepted")
		}
	})
	// Only strconv's own error for an exponent overflowing an int is allowed.
	if allocs > 4 {
		t.Errorf("rejecting malicious numbers allocated %v times", allocs)
	}
}

func TestParseExactIsWideButPlain(t *testing.T) {
	wide := strings.Repeat("9", 200) + "." + strings.Repeat("9", 200)
	for in, want := range map[string]string{
		wide: wide, "-" + wide: "-" + wide, "1.50": "1.5", "0": "0", "-0": "0", "100": "100",
	} {
		got, err := ParseExact(in)
		if err != nil || got.String() != want {
			t.Errorf("ParseExact(%.20q…) = %.20s…, %v", in, got, err)
		}
	}
	for in, want := range map[string]error{
		"1e3": ErrSyntax, "1e0": ErrSyntax, "": ErrSyntax, "+1": ErrSyntax, "01": ErrSyntax, " 1": ErrSyntax,
		strings.Repeat("9", 401): ErrRange, "9" + wide: ErrRange,
	} {
		if _, err := ParseExact(in); !errors.Is(err, want) {
			t.Errorf("ParseExact(%.20q…): %v, want %v", in, err, want)
		}
	}
}

func TestStringIsCanonicalHoweverTheNumberWasMade(t *testing.T) {
	for want, d := range map[string]Decimal{
		"0":       Zero,
		"0.1":     FromScaled(1000, 4),
		"-0.001":  FromScaled(-1, 3),
		"12000":   FromScaled(12, -3),
		"-120":    FromScaled(-12, -1),
		"1":       Must("0.5").Add(Must("0.50")),
		"0.25":    Must("1.50").Sub(Must("1.25")),
		"1000000": Must("1000").Mul(Must("1000")),
		"100.5":   Must("201").DivRound(New(2), 12),
		"10000000000000000000000000000000000000000": Must("100000000000000000000").Mul(Must("100000000000000000000")),
	} {
		if got := d.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
	if got := fmt.Sprintf("%v %s %#v", New(5), Must("1.50"), Must("-0.10")); got != `5 1.5 decimal.Must("-0.1")` {
		t.Errorf("formatted as %s", got)
	}
	if got := FromScaled(0, 5).Neg().String(); got != "0" {
		t.Errorf("negated zero is written %q", got)
	}
	if got := FromScaled(0, -5).String(); got != "0" {
		t.Errorf("scaled zero is written %q", got)
	}
}

func TestAppendToDoesNotAllocateForCommonNumbers(t *testing.T) {
	price := Must("-1.09312")
	buf := make([]byte, 0, 64)
	if allocs := testing.AllocsPerRun(100, func() { buf = price.AppendTo(buf[:0]) }); allocs != 0 {
		t.Errorf("AppendTo allocated %v times", allocs)
	}
	if got := string(price.AppendTo([]byte("price:"))); got != "price:-1.09312" {
		t.Errorf("AppendTo wrote %q", got)
	}
}

func TestMustPanicsWithTheText(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `"abc"`) {
			t.Errorf("Must panicked with %q", text)
		}
	}()
	Must("abc")
}

// canonical matches the only form String may return.
var canonical = regexp.MustCompile(`^(0|-?([1-9][0-9]*|0\.[0-9]*[1-9]|[1-9][0-9]*\.[0-9]*[1-9]))$`)

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDecimal().Draw(t, "d")
		text := d.String()
		if !canonical.MatchString(text) {
			t.Fatalf("%q is not canonical", text)
		}
		back, err := ParseExact(text)
		if err != nil || !back.Equal(d) || back.String() != text {
			t.Fatalf("ParseExact(%q) = %s, %v", text, back, err)
		}
		if want, _ := new(big.Rat).SetString(text); want.Cmp(d.Rat()) != 0 {
			t.Fatalf("%q is not the value %s", text, d.Rat())
		}
	})
}

// grammar matches JSON numbers, for the fuzz test.
var grammar = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE]([-+]?[0-9]+))?$`)

// parseAcceptable parses s with other code and reports whether Parse must accept it.
func parseAcceptable(s string) (*big.Rat, bool) {
	groups := grammar.FindStringSubmatch(s)
	if groups == nil || len(s) > maxInputText {
		return nil, false
	}
	if e, err := strconv.Atoi(groups[4]); groups[4] != "" && (err != nil || e > 30 || e < -30) {
		return nil, false
	}
	value, _ := new(big.Rat).SetString(s)
	power := func(n int64) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil))
	}
	small := new(big.Rat).Abs(value).Cmp(power(15)) < 0
	return value, small && new(big.Rat).Mul(value, power(18)).IsInt()
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"0", "-0", "1.50", "-12.5e-3", "1e30", "1e1000000000", "999999999999999.999999999999999999", "007", ".5",
		"5.", "NaN", "0x1p-2", "1_0", " 1", "1e+05", "0.000000000000000000e30", strings.Repeat("9", 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, ok := parseAcceptable(s)
		got, err := Parse(s)
		if ok != (err == nil) {
			t.Fatalf("Parse(%q): %v, but acceptable is %v", s, err, ok)
		}
		if err != nil {
			if errors.Is(err, ErrSyntax) == errors.Is(err, ErrRange) {
				t.Fatalf("Parse(%q): error %v must be of one kind", s, err)
			}
			return
		}
		if got.Rat().Cmp(want) != 0 {
			t.Fatalf("Parse(%q) = %s, want %s", s, got, want)
		}
		back, err := Parse(got.String())
		if err != nil || !back.Equal(got) || !canonical.MatchString(got.String()) {
			t.Fatalf("%q became %q, which does not round-trip: %v", s, got, err)
		}
	})
}

// TestShortAndGeneralParsersAgree compares both on texts resembling numbers: the short
// one may leave a text to the other, but never reads it differently.
func TestShortAndGeneralParsersAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{0,17}(\.[0-9]{0,6}0{0,3})?[0.e-]{0,2}`).Draw(t, "text")
		got, ok := parseShort(text)
		if !ok {
			return
		}
		lit, err := parseLiteral(text)
		if err != nil {
			t.Fatalf("%q was read as %s: %v", text, got, err)
		}
		digits, scale, whole := lit.expand()
		want := fromDigits(lit.negative, digits, int32(scale))
		if whole > MaxIntegerDigits || scale > MaxDecimals || got.coef != want.coef || got.scale != want.scale || want.wide != nil {
			t.Fatalf("%q was read as %d with %d decimals, want %d with %d", text, got.coef, got.scale, want.coef, want.scale)
		}
	})
}

func TestIsShort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "-1.5": true, "999999999999999": true, "1000000000000000": false, "0.000000000000000001": true,
		"123456789012345.678901234": false, "0.0000000000000000001": false, "99999999999999999999": false,
	} {
		if got := Must(text).IsShort(MaxIntegerDigits, MaxDecimals); got != want {
			t.Errorf("IsShort of %s is %v, want %v", text, got, want)
		}
	}
}
