package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestOthersWriteDuringDeletions: while an account or a user is being deleted, another
// user can write. If the client leaves, everything is as before.
func TestOthersWriteDuringDeletions(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(ctx context.Context, h *fixture, caller identity.Principal, during func()) error{
		"account": func(ctx context.Context, h *fixture, _ identity.Principal, during func()) error {
			return h.Ledger.DeleteAccount(ctx, h.owner, h.account, func(ledger.Account) error { during(); return nil })
		},
		"user": func(ctx context.Context, h *fixture, caller identity.Principal, during func()) error {
			return h.DeleteUser(ctx, caller, identity.Client{}, h.public(), func(identity.User) error { during(); return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
				h.write(trade, "words")
				h.attach(trade)
				second, err := h.Identity.CreateUserByOperator(t.Context(), "bob@example.org", "another long sentence", true)
				must(t, err)
				caller := identity.Principal{UserID: second.ID, IsAdmin: true, Credential: identity.CredentialSession}
				other, err := h.Identity.CreateUserByOperator(t.Context(), "carl@example.org", "another long sentence", false)
				must(t, err)
				ctx, leave := context.WithCancel(t.Context())
				if err := remove(ctx, h, caller, leave); err == nil {
					t.Error("the client left, and the deletion went on")
				}
				if list, err := h.Ledger.Accounts(t.Context(), h.owner); err != nil || len(list) != 1 || h.stored() != 1 {
					t.Errorf("after the client left there are %d accounts and %d files: %v", len(list), h.stored(), err)
				}
				h.wantNoProblems()
				must(t, remove(t.Context(), h, caller, func() {
					_, err := h.Ledger.CreateAccount(t.Context(), other.ID, ledger.NewAccount{Name: "Other", BaseCurrency: "USD"})
					must(t, err)
				}))
				var left int
				must(t, h.DB.Peek(t.Context(), func(tx *db.Tx) error {
					return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM executions WHERE user_id = $1`, h.owner).Scan(&left)
				}))
				if list, err := h.Ledger.Accounts(t.Context(), other.ID); err != nil || left != 0 || len(list) != 1 {
					t.Errorf("%d fills are left, and the other user has %d accounts: %v", left, len(list), err)
				}
				h.wantNoProblems()
			})
		})
	}
}
