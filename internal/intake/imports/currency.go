package imports

import (
	"context"
	"fmt"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// FileCurrency compares a file's currency with the account's.
type FileCurrency struct {
	File     string              `json:"file" doc:"The currency of the account that the file is of; empty where the file does not tell."`
	Account  string              `json:"account" doc:"The currency of the account that the file is imported into."`
	Mismatch bool                `json:"mismatch" doc:"The two differ: a commit is refused without allow_currency_mismatch=true."`
	Accounts []journal.AccountID `json:"accounts" doc:"With a mismatch, your accounts in the currency of the file."`
}

// compareCurrency compares a file's currency with the account's. If they differ, it lists
// the accounts in the file's currency.
func (s *Service) compareCurrency(ctx context.Context, owner journal.UserID, c *content, account *ledger.Account) (FileCurrency, error) {
	result := FileCurrency{Account: account.BaseCurrency, Accounts: []journal.AccountID{}}
	if c.statement == nil {
		return result, nil
	}
	result.File = c.statement.FileCurrency(account.BaseCurrency)
	result.Mismatch = result.File != "" && !strings.EqualFold(result.File, account.BaseCurrency)
	if !result.Mismatch {
		return result, nil
	}
	accounts, err := s.ledger.Accounts(ctx, owner)
	if err != nil {
		return result, fmt.Errorf("listing the accounts in %s: %w", result.File, err)
	}
	for _, a := range accounts {
		if strings.EqualFold(a.BaseCurrency, result.File) {
			result.Accounts = append(result.Accounts, a.ID)
		}
	}
	return result, nil
}

// checkCurrency returns an error if the file and the account have different
// currencies, unless the upload allows it.
func (s *Service) checkCurrency(ctx context.Context, owner journal.UserID, up Upload, c *content, account *ledger.Account) error {
	if c.statement == nil || account == nil || up.AllowCurrencyMismatch {
		return nil
	}
	found, err := s.compareCurrency(ctx, owner, c, account)
	if err != nil || !found.Mismatch {
		return err
	}
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "mixed_currencies",
		Message: fmt.Sprintf("The file is in %s, the account in %s. Import it into an account in %s, or send allow_currency_mismatch=true to take its amounts as they are.",
			found.File, found.Account, found.File),
		Details: map[string]any{"file_currency": found.File, "account_currency": found.Account, "accounts": found.Accounts},
	}
}
