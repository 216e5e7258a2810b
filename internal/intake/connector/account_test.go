package connector_test

import (
	"errors"
	"testing"

	"fillbook/internal/intake/connector"
)

func TestChooseAccount(t *testing.T) {
	t.Parallel()
	one, two := connector.Account{ID: "1", Name: "Margin"}, connector.Account{ID: "2"}
	for _, c := range []struct {
		chosen string
		list   []connector.Account
		want   string
	}{
		{"", nil, "There is no account for these credentials. Check them, and the kind of account that you chose."},
		{"", []connector.Account{one}, "Margin (1)"},
		{"", []connector.Account{two}, "2"},
		{"", []connector.Account{one, two}, "There are several accounts: Margin (1), 2. Enter the one to fetch."},
		{"2", []connector.Account{one, two}, "2"},
		{"margin", []connector.Account{one, two}, "Margin (1)"},
		{"3", []connector.Account{one, two}, "There is no account 3. Enter one of these: Margin (1), 2."},
		{"2", []connector.Account{one}, "There is no account 2. Enter one of these: Margin (1)."},
	} {
		account, err := connector.ChooseAccount(c.chosen, c.list)
		got := account.String()
		if errors.Is(err, connector.ErrSetup) {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q among %v: got %q, want %q", c.chosen, c.list, got, c.want)
		}
	}
}
