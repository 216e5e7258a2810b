package brokers

import (
	"testing"

	"fillbook/internal/intake/statement"
)

func TestFidelityWords(t *testing.T) {
	for text, want := range map[string]statement.Kind{
		"YOU BOUGHT OPENING TRANSACTION PUT (WREN)": statement.KindBuyOpen,
		"YOU SOLD CLOSING TRANSACTION PUT (WREN)":   statement.KindSellClose,
		"You Bought WREN INC":                       statement.KindBuy,
		"YOU SOLD SHORT SALE WREN":                  statement.KindSellOpen,
		"YOU BOUGHT SHORT COVER WREN":               statement.KindBuyClose,
		"YOU BOUGHT ASSIGNED PUTS AS OF 02-20-26":   statement.KindBuy,
		"ASSIGNED as of 2026-07-10 PUT (WREN)":      statement.KindAssignment,
		"EXPIRED CALL (WREN)":                       statement.KindExpiry,
		"MARGIN INTEREST @ 11%":                     statement.KindInterest,
		"FOREIGN TAX PAID WREN":                     statement.KindDividend,
		"Check Paid # 9999":                         statement.KindTransfer,
		"DIRECT DEBIT POWER CO":                     statement.KindTransfer,
		"TRANSFERRED TO 444444444":                  statement.KindTransfer,
		"PURCHASE INTO CORE ACCOUNT":                statement.KindRepeated,
		"CHECKING REWARD":                           "",
		"":                                          "",
	} {
		if got := statement.FindKind(fidelityWords, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDayBeforeTime(t *testing.T) {
	for text, want := range map[string]string{
		"07:42:23 AM\n05/27/2026":   "05/27/2026 07:42:23 AM",
		"07:03:10 PM ET 05/27/2026": "05/27/2026 07:03:10 PM ET",
		"05/27/2026 07:42:23 AM":    "05/27/2026 07:42:23 AM",
		"05/27/2026":                "05/27/2026",
		"":                          "",
	} {
		if got := dayBeforeTime(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
