package decimal

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// codec is a JSON package encoding Decimals: the standard one or the API's stricter one.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

var codecs = []codec{
	{"encoding/json", json.Marshal, json.Unmarshal},
	{
		"go-json-experiment",
		func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
		func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
	},
}

func eachCodec(t *testing.T, test func(t *testing.T, c codec)) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) { test(t, c) })
	}
}

type quote struct {
	Price  Decimal            `json:"price"`
	Stop   Null               `json:"stop"`
	Target *Decimal           `json:"target"`
	Levels []Decimal          `json:"levels"`
	Named  map[string]Decimal `json:"named"`
	Absent Null               `json:"absent,omitzero"`
}

func TestJSONObjects(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		in := `{"price":"1.0931200","stop":null,"target":1e2,"levels":[0.10,"-5",999999999999999.999999999999999999],"named":{"a":7}}`
		out := `{"price":1.09312,"stop":null,"target":100,"levels":[0.1,-5,999999999999999.999999999999999999],"named":{"a":7}}`
		var q quote
		if err := c.unmarshal([]byte(in), &q); err != nil {
			t.Fatal(err)
		}
		got, err := c.marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(out, string(got)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestJSONAcceptsNumbersAndNumericStrings(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		for in, want := range map[string]string{
			`5`: "5", `"5"`: "5", `-0.50`: "-0.5", `"-0.50"`: "-0.5", ` 1e2 `: "100", `"1e2"`: "100",
			"\"1e\\u002B2\"": "100", "\"\\u0031\"": "1", `0.30000000000000004`: "0.30000000000000004",
		} {
			var d Decimal
			if err := c.unmarshal([]byte(in), &d); err != nil || d.String() != want {
				t.Errorf("%s became %s, %v; want %s", in, d, err, want)
			}
			var n Null
			if err := c.unmarshal([]byte(in), &n); err != nil || n.String() != want {
				t.Errorf("%s became %s, %v; want %s", in, n, err, want)
			}
		}
	})
}

func TestJSONRefusals(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		for in, want := range map[string]error{
			`""`: ErrSyntax, `" 5"`: ErrSyntax, `"NaN"`: ErrSyntax, `"0x5"`: ErrSyntax, `"1_0"`: ErrSyntax, `"null"`: ErrSyntax,
			`true`: ErrSyntax, `{}`: ErrSyntax, `[]`: ErrSyntax, `[1]`: ErrSyntax, `"5\u0000"`: ErrSyntax, `"\ud800"`: nil,
			`1e31`: ErrRange, `1e15`: ErrRange, `"1e1000000000"`: ErrRange, `1e-19`: ErrRange,
			`"` + strings.Repeat("1", 1<<20) + `"`: ErrRange, strings.Repeat("1", 1<<20): ErrRange,
		} {
			before := New(42)
			d, n := before, Of(before)
			for kind, err := range map[string]error{"Decimal": c.unmarshal([]byte(in), &d), "Null": c.unmarshal([]byte(in), &n)} {
				if err == nil || want != nil && !errors.Is(err, want) {
					t.Errorf("%s from %.20s: %v, want %v", kind, in, err, want)
				}
			}
			if !d.Equal(before) || !n.Equal(Of(before)) {
				t.Errorf("%.20s was rejected but changed the value", in)
			}
		}
	})
}

func TestJSONNull(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		d, n := New(42), Of(New(42))
		if err := c.unmarshal([]byte(`null`), &d); !errors.Is(err, ErrSyntax) {
			t.Errorf("null into a Decimal: %v, want ErrSyntax", err)
		}
		if err := c.unmarshal([]byte(`{"price":null}`), new(quote)); !errors.Is(err, ErrSyntax) {
			t.Errorf("null into a Decimal field: %v, want ErrSyntax", err)
		}
		if err := c.unmarshal([]byte(`null`), &n); err != nil || n.Valid || !n.Decimal.IsZero() {
			t.Errorf("null into a Null: %v, %v", n, err)
		}
	})
}

func TestWireRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Custom(func(t *rapid.T) Decimal {
			return FromScaled(rapid.Int64Range(-999999999999999, 999999999999999).Draw(t, "coef"), rapid.Int32Range(0, 18).Draw(t, "scale"))
		}).Draw(t, "d")
		for _, c := range codecs {
			var back Decimal
			text, err := c.marshal(d)
			if err != nil || string(text) != d.String() || c.unmarshal(text, &back) != nil || !back.Equal(d) {
				t.Fatalf("%s: %s became %s, then %s", c.name, d, text, back)
			}
		}
	})
}

func TestSQLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDecimal().Draw(t, "d")
		stored, err := d.Value()
		text, ok := stored.(string)
		if err != nil || !ok || text != d.String() {
			t.Fatalf("%s is stored as %v, %v", d, stored, err)
		}
		var fromText, fromBytes Decimal
		var null, nullFromBytes Null
		for _, err := range []error{fromText.Scan(text), fromBytes.ScanText([]byte(text)), null.Scan(text), nullFromBytes.ScanText([]byte(text))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !fromText.Equal(d) || !fromBytes.Equal(d) || !null.Equal(Of(d)) || !nullFromBytes.Equal(Of(d)) {
			t.Fatalf("%s came back as %s, %s, %s", d, fromText, fromBytes, null)
		}
	})
}

func TestSQLScanKinds(t *testing.T) {
	var d Decimal
	if err := d.Scan(int64(-12000)); err != nil || d.String() != "-12000" {
		t.Errorf("int64: %s, %v", d, err)
	}
	for _, src := range []any{nil, 1.5, true, "", "1e3", "abc", strings.Repeat("9", 500)} {
		if err := d.Scan(src); err == nil {
			t.Errorf("Scan(%.10v) was accepted", src)
		}
	}
	if d.String() != "-12000" {
		t.Errorf("a failed Scan changed the value to %s", d)
	}
}

func TestNull(t *testing.T) {
	var absent Null
	zero, five := Of(Zero), Of(New(5))
	if !absent.IsZero() || zero.IsZero() || absent.Equal(zero) || !absent.Equal(Null{}) || zero.Equal(five) {
		t.Error("absent, 0 and 5 are not distinct")
	}
	if got := absent.Or(New(1)).Add(five.Or(New(1))); got.String() != "6" {
		t.Errorf("Or returned %s", got)
	}
	if v, err := absent.Value(); v != nil || err != nil {
		t.Errorf("absent is stored as %v, %v", v, err)
	}
	if v, err := five.Value(); v != "5" || err != nil {
		t.Errorf("5 is stored as %v, %v", v, err)
	}
	if err := five.Scan(nil); err != nil || five.Valid || !five.Decimal.IsZero() {
		t.Errorf("NULL scanned as %v, %v", five, err)
	}
	if err := zero.Scan(1.5); err == nil || !zero.Valid {
		t.Errorf("a float was scanned: %v", zero)
	}
	if absent.String() != "null" || Of(New(7)).String() != "7" {
		t.Error("String of Null")
	}
}
