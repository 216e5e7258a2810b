package metatrader

import (
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, Presets()) }

func TestSamples(t *testing.T) {
	brokertest.Samples(t, filepath.Join("testdata", "samples.txt"), Presets(), "mt4", "mt5-")
}

func TestInstrumentType(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"EURUSD": "forex", "eurusd.p": "forex", "GBPJPY+": "forex", "usdtrym": "forex", "EUR/USD": "forex", "EUR_USD": "forex", "#EURUSD": "forex",
		"XAUUSD": "cfd", "xauusd@": "cfd", "BTCUSD": "cfd", "nq100_m": "cfd", "#AAPL": "cfd", "EUR": "cfd", "": "cfd", "EURUS": "cfd",
		"USDX": "cfd", "D AED ": "cfd",
	} {
		if got := InstrumentType(symbol); got != want {
			t.Errorf("%q is %s, want %s", symbol, got, want)
		}
	}
}

// TestUnknownKind reads a deal with an unknown type: it is skipped and listed, and read
// as cash by the user's choice for its word.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	const file = "Account:,\"70 (EUR, Some-Demo, demo, Hedge)\"\n2024.01.15 10:30:00,1,,balance,,,,,0,0,0,100,100,\n2024.01.16 10:30:00,2,,Loyalty-gift,,,,,0,0,0,5,105,spring\n"
	for _, test := range []struct {
		chosen  statement.Kind
		cash    string
		skipped string
	}{
		{"", "deposit 100", "unknown kind \"Loyalty-gift\""},
		{statement.KindIgnored, "deposit 100", statement.ReasonIgnored},
		{statement.KindAdjustment, "deposit 100, adjustment 5", ""},
		{statement.KindFee, "deposit 100, adjustment 5", ""}, // a refunded fee
	} {
		hints := statement.Hints{Kinds: map[string]statement.Kind{}}
		if test.chosen != "" {
			hints.Kinds["loyalty-gift"] = test.chosen
		}
		s := brokertest.MustRead(t, []byte(file), hints, Presets())
		var cash, skipped []string
		for _, c := range s.Cash {
			cash = append(cash, c.Type+" "+c.Amount.String())
		}
		for _, skip := range s.Skipped {
			skipped = append(skipped, skip.Reason)
		}
		if got := strings.Join(cash, ", "); got != test.cash {
			t.Errorf("with %q chosen the cash is %s, want %s", test.chosen, got, test.cash)
		}
		if got := strings.Join(skipped, ", "); got != test.skipped {
			t.Errorf("with %q chosen the skipped rows are %s, want %s", test.chosen, got, test.skipped)
		}
		if len(s.UnknownKinds) != 1 || s.UnknownKinds[0].Kind != test.chosen {
			t.Errorf("with %q chosen the unknown kinds are %+v", test.chosen, s.UnknownKinds)
		}
	}
}

func TestPartOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]part{
		"2024.01.15 10:30:00|1|EURUSD|buy|in|0.1|1.1|2|0|0|0|0|5":                           dealPart,
		"2024.01.15 10:30|1|EURUSD|sell|OUT BY|0.1|1.1|2|0|0|0|0|5":                         dealPart,
		"2024.01.15 10:30:00|1||balance||||||||100|100":                                     noPart, // no amount where amounts stand
		"2024.01.15 10:30:00|1||balance|||||0|0|0|100|100":                                  dealPart,
		"2024.01.15 10:30:00|1||bonus|in|0|0.00||0|0|0|100|100":                             dealPart,
		"2024.01.15 10:30:00|1|EURUSD|buy|0.1|1.1|||2024.01.15 11:30:00|1.2|0|0|10":         closedPart,
		"2024.01.15 10:30:00|1|EURUSD|buy|0.1 / 0.2|1.1|||2024.01.15 11:30:00|1.2|0|0|10":   closedPart,
		"2024.01.15 10:30:00|1|EURUSD|buy|0.1 / 0.2|1.1|||2024.01.15 11:30:00|filled|x":     orderPart,
		"2024.01.15 10:30:00|1|EURUSD|buy limit|0.1 / 0|1.1|||1.2|placed|x":                 orderPart,
		"2024.01.15 10:30:00|1|EURUSD|buy|0.1|1.1|||1.2|0|10|x":                             openPart,
		"2024.01.15|1|EURUSD|buy|in|0.1|1.1|2|0|0|0|0|5":                                    noPart, // no time
		"2024.01.15 10:30:00|x|EURUSD|buy|in|0.1|1.1|2|0|0|0|0|5":                           noPart, // no id
		"2024.01.15 10:30:00|1|EURUSD|buy|in|abc|1.1|2|0|0|0|0|5":                           noPart, // no volume
		"Time|Deal|Symbol|Type|Direction|Volume|Price|Order|Commission|Fee|Swap|Profit":     noPart,
		"2024.01.15 10:30:00|1|EURUSD|0.1|1.1|1.2":                                          noPart,
		"2024-01-15 10:30:00|1|EURUSD|buy|0.1|1.1|||2024-01-15 11:30:00|1.2|0|0|10|ignored": closedPart,
	} {
		if got := partOf(strings.Split(text, "|")); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

// TestHiddenCell reads a position whose hidden cell a program has shown again.
func TestHiddenCell(t *testing.T) {
	t.Parallel()
	row := tabular.Row{Cells: strings.Split("2024.01.15 10:30:00|1|EURUSD|buy|magic|0.1|1.1|||2024.01.15 11:30:00|1.2|0|0|10", "|")}
	if got := partOf(visible(row)); got != closedPart {
		t.Errorf("it is %d", got)
	}
	if len(row.Cells) != 14 {
		t.Error("the row itself was changed")
	}
}

func TestAccountLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]account{
		"70 (EUR, Some-Demo, demo, Hedge)":                  {login: "70", currency: "EUR", sort: "demo hedge", mode: hedging},
		"70\u00a0(USD,\u00a0Some,\u00a0real,\u00a0Netting)": {login: "70", currency: "USD", sort: "real netting", mode: netting},
		"70 (USC, Some, contest)":                           {login: "70", currency: "USC", sort: "contest"},
		"70 (won 5%)":                                       {},
		"309 (54.37%)":                                      {},
		"Account":                                           {},
	} {
		got, ok := accountIn(tabular.Row{Cells: []string{"Account:", text}})
		if !ok {
			got = account{}
		}
		if got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

// TestTicketCircle follows tickets pointing to one another for ever.
func TestTicketCircle(t *testing.T) {
	t.Parallel()
	l := newLedger(nil, tabular.Table{Rows: make([]tabular.Row, 1)}, "")
	l.link("1", "to #2")
	l.link("2", "to #1")
	l.link("3", "to #3")
	if got := l.root("1"); got != "1" && got != "2" {
		t.Errorf("the root is %s", got)
	}
	if got := l.root("3"); got != "3" {
		t.Errorf("the root is %s", got)
	}
	l.link("7", "[sl] from #6")
	l.link("6", "from #5 to #7")
	if got := l.root("7"); got != "5" {
		t.Errorf("the root is %s", got)
	}
}

// FuzzPresets feeds arbitrary text: nothing may panic, and what is read must be
// sound.
func FuzzPresets(f *testing.F) {
	brokertest.Fuzz(f, Presets())
}
