package statement_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	sound := func() *statement.Preset {
		return &statement.Preset{
			Broker: "Acme", Export: "trades", Header: statement.Cols("Symbol;Qty;Time"),
			Layout: &statement.Layout{Kind: "What", Symbol: "Symbol", Quantity: "Qty", Price: "Price", Time: "Time"},
		}
	}
	if err := sound().Validate(); err != nil {
		t.Errorf("a sound preset is refused: %v", err)
	}
	for want, spoil := range map[string]func(*statement.Preset){
		"no header":          func(p *statement.Preset) { p.Header = nil },
		`no kind "divident"`: func(p *statement.Preset) { p.Layout.Words = []statement.Word{{Kind: "divident", Words: "div"}} },
		`the word "Div" never matches`: func(p *statement.Preset) {
			p.Layout.Words = []statement.Word{{Kind: statement.KindDividend, Words: "Div"}}
		},
		"no column for the time":     func(p *statement.Preset) { p.Layout.Time = "" },
		"no column for the quantity": func(p *statement.Preset) { p.Layout.Kind, p.Layout.Quantity = "", "" },
		"Note: the braces":           func(p *statement.Preset) { p.Layout.Note = "{What} {Text" },
		"OpenPrice: the braces":      func(p *statement.Preset) { p.Layout.OpenPrice = "{Price" },
	} {
		p := sound()
		spoil(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to say %q", err, want)
		}
	}
}
