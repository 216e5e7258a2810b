package statement_test

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// readUnknown reads a file without a preset or mapping.
func readUnknown(t *testing.T, text string) (*statement.Statement, *statement.Preset, error) {
	t.Helper()
	file, err := tabular.Read([]byte(text), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	found, ok := statement.Locate(file)
	if !ok {
		t.Fatal("there is no table")
	}
	rows := file.Tables[found.Table].Rows
	found.Preset = statement.Generic(rows[found.Header].Cells, rows[found.Header+1:], nil)
	s, err := statement.Read(file, found, brokertest.Hints("hint: zone=UTC"))
	return s, found.Preset, err
}

// TestSideByContent finds the side column by its words, whatever its name, in the
// languages the presets have.
func TestSideByContent(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"Sell/Buy", "Trans", "Activity", "Way", "Deal", "Order", "Trade", "Operazione", "Operación", "Vorgang", "Side", "Type", "Action", "Xyz", "Comment", "",
	} {
		for _, words := range []string{
			"Buy/Sell", "BUY/SELL", "B/S", "BOT/SLD", "Bought/Sold", "Kauf/Verkauf", "Achat/Vente", "Compra/Venta", "Compra/Venda", "Acquisto/Vendita",
			"Koop/Verkoop", "Köp/Sälj", "Køb/Salg", "買付/売付", "买入/卖出", "Buy to open/Sell to close",
		} {
			t.Run(header+" "+words, func(t *testing.T) {
				t.Parallel()
				buy, sell, _ := strings.Cut(words, "/")
				s, preset, err := readUnknown(t, fmt.Sprintf(
					"Date,Symbol,%s,Quantity,Price\n2026-01-05,AAPL,%s,10,100\n2026-01-06,AAPL,%s,10,110\n", header, buy, sell))
				if header == "" { // a column without a name cannot be asked for
					if err == nil {
						t.Error("the file was read without its side")
					}
					return
				}
				if err != nil {
					t.Fatal(err, preset.Columns)
				}
				if len(s.Fills) != 2 || s.Fills[0].Side != "buy" || s.Fills[1].Side != "sell" {
					t.Errorf("%v %v", s.Fills, s.Problems)
				}
			})
		}
	}
}

// TestSideIsNotGuessed keeps columns with symbols, options, codes or ids from being taken
// for the side.
func TestSideIsNotGuessed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"symbols":       "Date,Symbol,Quantity,Price\n2026-01-05,C,10,100\n2026-01-05,V,10,100\n2026-01-05,S,10,100\n",
		"one letter":    "Date,Symbol,Class,Quantity,Price\n2026-01-05,BRK,B,10,100\n2026-01-06,BRK,B,10,100\n",
		"numbers":       "Date,Symbol,Book,Quantity,Price\n2026-01-05,AAPL,0,10,100\n2026-01-06,AAPL,1,10,100\n",
		"kind of order": "Date,Symbol,Type,Quantity,Price\n2026-01-05,AAPL,Market,10,100\n2026-01-06,AAPL,Limit,10,100\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, preset, err := readUnknown(t, text); err == nil || !strings.Contains(err.Error(), "side") {
				t.Errorf("%v with %v, want a refusal that names the side", err, preset.Columns)
			}
		})
	}
}

// TestStatusByContent skips unfilled orders, each with its reason.
func TestStatusByContent(t *testing.T) {
	t.Parallel()
	const head = "Date,Symbol,Side,%s,Quantity,Price\n2026-01-05,AAPL,Buy,%s,10,100\n2026-01-06,AAPL,Sell,%s,10,110\n"
	for _, header := range []string{"Status", "Order Status", "Zustand", "Result", "Notes", "Xyz"} {
		for word, reason := range map[string]string{
			"Cancelled": "cancelled order", "canceled": "cancelled order", "Storniert": "cancelled order", "Annulé": "cancelled order",
			"Cancelada": "cancelled order", "Annullato": "cancelled order", "Geannuleerd": "cancelled order", "取消": "cancelled order",
			"Rejected": "rejected order", "Abgelehnt": "rejected order", "Rechazada": "rejected order", "Rejected: no funds": "rejected order",
			"Expired": "expired order", "Abgelaufen": "expired order", "Scaduto": "expired order",
			"Pending": "pending order", "Working": "pending order", "Open": "pending order", "New": "pending order", "Offen": "pending order",
		} {
			t.Run(header+" "+word, func(t *testing.T) {
				t.Parallel()
				s, preset, err := readUnknown(t, fmt.Sprintf(head, header, "Filled", word))
				if err != nil {
					t.Fatal(err, preset.Columns)
				}
				if len(s.Fills) != 1 || len(s.Skipped) != 1 || s.Skipped[0] != (statement.Skip{Row: 2, Reason: reason}) {
					t.Errorf("%d fills, skipped %v, want one and row 2 as %q; %v", len(s.Fills), s.Skipped, reason, preset.Columns)
				}
			})
		}
	}
}
