package statement

import "strings"

// accountColumns are the usual names for columns with account numbers, for layouts
// without one of their own. On crypto exchanges most of them name a wallet, so
// coinAccountColumns are looked for there.
const (
	accountColumns = "Account Number|Account #|Account No|Account No.|Account ID|Account Reference|Account|Account Name|" +
		"Konto|Kontonummer|Depot|Compte|Cuenta|Conto|Conta|Rekening|口座"
	coinAccountColumns = "UID|User_ID|User ID|portfolio"
)

// accountList collects the accounts in a file.
type accountList struct {
	first []string // in file order, at most shownAccounts
	known map[string]bool
}

// shownAccounts is how many accounts a warning names.
const shownAccounts = 5

// NoteAccount notes a row's account. It is called for every row with an account, cash and
// skipped rows included.
func (s *Statement) NoteAccount(name string) {
	name = strings.TrimSpace(name)
	if name == "" || s.accounts.known[name] {
		return
	}
	if s.accounts.known == nil {
		s.accounts.known = map[string]bool{}
	}
	s.accounts.known[name] = true
	if len(s.accounts.first) < shownAccounts {
		s.accounts.first = append(s.accounts.first, name)
	}
}

// nameAccount sets the account's name if the rows name one and the file has no other,
// and warns if they name several.
func (s *Statement) nameAccount() {
	names, count := s.accounts.first, len(s.accounts.known)
	switch {
	case count == 1 && s.Account.Name == "":
		s.Account.Name = names[0]
	case count > 1:
		shown := strings.Join(names, ", ")
		if count > len(names) {
			shown += ", …"
		}
		s.Warn("The file holds %d accounts (%s), and all of them go into this one. Export them one by one to keep them apart.", count, shown)
	}
}

// NoteAccount notes the account in a column; see [Statement.NoteAccount]. It is for
// hooks; a [Layout] notes every row's account.
func (w *cells) NoteAccount(names Col) { w.r.Out.NoteAccount(w.Text(names)) }

// accountColumn returns the account column.
func (l *Layout) accountColumn() Col {
	switch {
	case l.Account != "":
		return l.Account
	case l.Coins:
		return coinAccountColumns
	}
	return accountColumns
}
