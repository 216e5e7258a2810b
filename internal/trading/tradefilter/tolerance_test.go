package tradefilter

import (
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func TestParseTolerance(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Tolerance{
		`0`:                 {},
		`5`:                 {Amount: decimal.New(5)},
		` 2.50 `:            {Amount: decimal.Must("2.5")},
		`1e1`:               {Amount: decimal.New(10)},
		`{"amount":0.01}`:   {Amount: decimal.Must("0.01")},
		`{ "amount" : 3 }`:  {Amount: decimal.New(3)},
		`{"r":0.1}`:         {R: decimal.Must("0.1"), InR: true},
		`{"r":0}`:           {InR: true},
		`null`:              {},
		`{"amount":1e-10}`:  {Amount: decimal.Must("0.0000000001")},
		`{"r":12345678901}`: {R: decimal.New(12345678901), InR: true},
	} {
		got, err := ParseTolerance([]byte(text))
		if err != nil || !got.Amount.Equal(want.Amount) || !got.R.Equal(want.R) || got.InR != want.InR {
			t.Errorf("%s is %+v, %v; want %+v", text, got, err, want)
		}
		if (got.Stored == nil) != (text == "null") {
			t.Errorf("%s is stored as %q", text, got.Stored)
		}
	}
	for _, text := range []string{
		``, `-1`, `"5"`, `true`, `[]`, `[5]`, `{}`, `{"amount":-1}`, `{"r":-0.1}`, `{"amount":"5"}`, `{"amount":1,"r":1}`,
		`{"pct":1}`, `{"amount":null}`, `{"r":{}}`, `{"amount":5,"note":1}`, `1e400`, `NaN`, `{"amount":`,
	} {
		_, err := ParseTolerance([]byte(text))
		if !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
