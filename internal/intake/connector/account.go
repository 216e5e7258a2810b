package connector

import "strings"

// Account is an account the credentials give access to.
type Account struct {
	// ID is the broker's id; Name may be empty.
	ID, Name string
}

// String returns the account for users.
func (a Account) String() string {
	if a.Name == "" {
		return a.ID
	}
	return a.Name + " (" + a.ID + ")"
}

// ChooseAccount returns the account with an id or a name, or the only one if the user
// chose none. Otherwise the error wraps [ErrSetup] and lists the accounts.
func ChooseAccount(chosen string, list []Account) (Account, error) {
	if len(list) == 0 {
		return Account{}, SetupError("There is no account for these credentials. Check them, and the kind of account that you chose.")
	}
	if chosen == "" && len(list) == 1 {
		return list[0], nil
	}
	var names []string
	for _, a := range list {
		if chosen != "" && (chosen == a.ID || strings.EqualFold(chosen, a.Name)) {
			return a, nil
		}
		names = append(names, a.String())
	}
	all := strings.Join(names, ", ")
	if chosen == "" {
		return Account{}, SetupError("There are several accounts: %s. Enter the one to fetch.", all)
	}
	return Account{}, SetupError("There is no account %s. Enter one of these: %s.", chosen, all)
}
