package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Trade order, and fill order across accounts. It depends on content and never on ids, so
// it is the same after a restore, a copy to the other engine, or an import in another
// order.

// keySeparator separates an order key's parts. It is less than every character in a
// symbol or a lot, so a text sorts before all texts beginning with it, and an absent one
// first.
const keySeparator = "\x01"

// orderKey returns symbol, contract and lot as one text that compares as they
// do one after the other: texts by code point, the strike as a number.
func (k streamKey) orderKey() string {
	return strings.Join([]string{k.symbol, k.right, sortableNumber(k.strike), k.expiry, k.lot}, keySeparator)
}

// sortableNumber formats a number so the texts compare as the numbers do: a sign, then
// fixed-width integer digits, complemented for negative numbers.
func sortableNumber(text string) string {
	if text == "" {
		return ""
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.Repeat("0", max(0, decimal.MaxIntegerDigits-len(whole))) + whole + fraction
	if !negative {
		return "1" + digits
	}
	complement := func(r rune) rune { return '9' - (r - '0') }
	return "0" + strings.Map(complement, digits) + "~" // greater than every digit: fewer decimals are a greater number
}

// TradeCursor is a trade's position in closing or opening order.
type TradeCursor struct {
	// ListedAt is when the trade closed, or opened if it is open. ClosedAt is the
	// greatest possible instant for an open trade. All are microseconds since 1970.
	ListedAt, OpenedAt, ClosedAt int64
	// Instrument is the order key for symbol, contract and lot.
	Instrument string
	// Account is the account's name, External the first fill's id at the broker, Arrival
	// its number in arrival order over all accounts.
	Account, External string
	Arrival           int64
	// AccountNumber decides between fills that arrived at the same time.
	AccountNumber int64
}

// Compare returns -1, 0 or +1 as c comes before, at or after d in closing order, or with ByOpening in opening order.
func (c *TradeCursor) Compare(d *TradeCursor, basis DateBasis) int {
	if basis == ByClosing && c.ListedAt != d.ListedAt {
		return cmp.Compare(c.ListedAt, d.ListedAt)
	}
	if c.OpenedAt != d.OpenedAt {
		return cmp.Compare(c.OpenedAt, d.OpenedAt)
	}
	if content := cmp.Or(strings.Compare(c.Instrument, d.Instrument), strings.Compare(c.Account, d.Account)); content != 0 {
		return content
	}
	if basis == ByOpening && c.ClosedAt != d.ClosedAt {
		return cmp.Compare(c.ClosedAt, d.ClosedAt)
	}
	return cmp.Or(strings.Compare(c.External, d.External), cmp.Compare(c.Arrival, d.Arrival), cmp.Compare(c.AccountNumber, d.AccountNumber))
}

// instant returns the instant a list is sorted by first.
func (c *TradeCursor) instant(basis DateBasis) int64 {
	if basis == ByOpening {
		return c.OpenedAt
	}
	return c.ListedAt
}

// tieSorter passes on rows read in time order, and sorts those with the same instant. A
// database that sorts them copies every row, while few instants have several.
type tieSorter[T any] struct {
	compare func(a, b *T) int
	emit    func(T) error
	prepare func([]T) // is called with an instant's rows before they are sorted; may be nil

	at   int64
	ties []T
}

// add adds the next row, and passes on the instant's rows before.
func (s *tieSorter[T]) add(at int64, row T) error {
	err := s.advance(at)
	s.ties = append(s.ties, row)
	return err
}

// advance passes on the rows before an instant.
func (s *tieSorter[T]) advance(at int64) error {
	if at == s.at {
		return nil
	}
	err := s.flush()
	s.at = at
	return err
}

// flush passes on the rows added last. It must be called at the end.
func (s *tieSorter[T]) flush() error {
	if s.prepare != nil {
		s.prepare(s.ties)
	}
	slices.SortFunc(s.ties, func(a, b T) int { return s.compare(&a, &b) })
	for _, row := range s.ties {
		if err := s.emit(row); err != nil {
			return err
		}
	}
	s.ties = s.ties[:0]
	return nil
}

// Position columns that are not in trades.
const (
	closingColumn = `CASE WHEN trades.is_open THEN 9223372036854775807 ELSE trades.list_at END`
	placeColumns  = `streams.order_key, ` + closingColumn + ` AS closing, ` + nameRank
	nameRank      = rankMark + ` AS name_rank`
	// rankMark is the placeholder that setRank replaces.
	rankMark = `/*rank*/`
)

// setRank replaces rankMark by the account name's rank.
func setRank(text, rank string) string { return strings.ReplaceAll(text, rankMark, rank) }

// clearRank replaces rankMark in a query that is not sorted.
func clearRank(text string) string { return setRank(text, "0") }

// The columns for both trade orders.
var (
	closingOrder = []string{"list_at", "opened_at", "order_key", "name_rank", "first_external", "first_arrival", "account_number"}
	openingOrder = []string{"opened_at", "order_key", "name_rank", "closing", "first_external", "first_arrival", "account_number"}
)

// orderKey lists the columns that trades are sorted by.
func (d DateBasis) orderColumns() []string {
	if d == ByOpening {
		return openingOrder
	}
	return closingOrder
}

// newestFirst returns a trade list's ORDER BY.
func (d DateBasis) newestFirst() string { return strings.Join(d.orderColumns(), " DESC, ") + " DESC" }

// addAfter adds the condition that a trade comes after a position in a list,
// newest first. The first term can use an index.
func (d DateBasis) addAfter(f *filter, c *TradeCursor) {
	columns := map[string]struct {
		text  string
		value any
	}{
		"list_at": {"trades.list_at", c.ListedAt}, "opened_at": {"trades.opened_at", c.OpenedAt},
		"closing": {closingColumn, c.ClosedAt}, "order_key": {"streams.order_key", c.Instrument},
		"name_rank": {f.rank, f.ranks.place(c.Account)}, "first_external": {"trades.first_external", c.External},
		"first_arrival":  {"trades.first_arrival", clampNumber(c.Arrival)},
		"account_number": {"trades.account", clampNumber(c.AccountNumber)},
	}
	var names, values []string
	for _, name := range d.orderColumns() {
		column := columns[name]
		names, values = append(names, column.text), append(values, f.arg(column.value))
	}
	f.terms = append(f.terms, names[0]+" <= "+values[0],
		fmt.Sprintf("(%s) < (%s)", strings.Join(names, ", "), strings.Join(values, ", ")))
}

// nameRanks are some accounts' distinct names in order. A name's rank is odd; another
// name has the even number between two ranks.
type nameRanks []string

func rankNames(accounts []Account) nameRanks {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.Name
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r nameRanks) place(name string) int64 {
	i, found := slices.BinarySearch(r, name)
	if found {
		return int64(2*i + 1)
	}
	return int64(2 * i)
}

// expression returns some accounts' ranks as an SQL expression. It contains numbers only,
// never names.
func (r nameRanks) expression(table string, accounts []Account) string {
	if len(accounts) == 1 {
		return strconv.FormatInt(r.place(accounts[0].Name), 10)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CASE %s.account", table)
	for _, a := range accounts {
		fmt.Fprintf(&b, " WHEN %d THEN %d", a.number, r.place(a.Name))
	}
	return b.String() + " ELSE 0 END"
}

// Arrivals returns the arrival numbers in some accounts, in order and without
// repetitions. It is a step.
func Arrivals(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account) ([]int64, error) {
	var all []int64
	for _, a := range accounts {
		numbers, err := db.List(ctx, tx, db.Single[int64],
			`SELECT arrival FROM executions WHERE user_id = $1 AND account = $2 ORDER BY executed_at, seq`, owner, a.number)
		if err != nil {
			return nil, err
		}
		all = append(all, numbers...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
