package statement

import (
	"fmt"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// leftMoney is the money in rows left out because their word is unknown.
type leftMoney struct {
	word      string // as the file writes it first
	rows, row int    // how many, and the first
	amounts   map[string]decimal.Decimal
}

// noteLeftMoney adds up the money in a row left out.
func (s *Statement) noteLeftMoney(word string, row int, amount decimal.Decimal, currency string) {
	if amount.IsZero() {
		return
	}
	var of *leftMoney
	for _, m := range s.unknownMoney {
		if WordKey(m.word) == WordKey(word) {
			of = m
		}
	}
	if of == nil {
		const most = 20 // words; further ones are counted together
		if len(s.unknownMoney) >= most {
			of = s.unknownMoney[most-1]
		} else {
			of = &leftMoney{word: strings.TrimSpace(word), row: row, amounts: map[string]decimal.Decimal{}}
			s.unknownMoney = append(s.unknownMoney, of)
		}
	}
	of.rows++
	of.amounts[currency] = of.amounts[currency].Add(amount)
}

// warnLeftMoney warns about the money in rows left out.
func (s *Statement) warnLeftMoney() {
	if len(s.unknownMoney) == 0 {
		return
	}
	var list []string
	for _, m := range s.unknownMoney {
		list = append(list, fmt.Sprintf("%q (%s, %s, first row %d)", parse.Shorten(m.word), strings.TrimSpace(listAmounts(m.amounts)), countRows(m.rows), m.row))
	}
	begin, end := "Rows of unknown kinds moved money and were left out: ", ". Choose what the words mean, or enter the money by hand."
	if s.ByNames {
		begin, end = "Rows that are not fills moved money and were left out: ", ". Enter the money by hand."
	}
	s.Warn("%s", begin+strings.Join(list, "; ")+end)
}

// countRows writes a row count.
func countRows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
