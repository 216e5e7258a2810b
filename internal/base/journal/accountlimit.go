package journal

import (
	"context"
	"slices"
)

type accountLimitKey struct{}

// LimitAccounts returns a context in which only some of a user's accounts exist. Records
// in other accounts are not found and not listed, counted or summed. An empty list leaves
// no account. It is set for requests with access tokens limited to accounts; the packages
// owning the tables apply it.
func LimitAccounts(ctx context.Context, ids []AccountID) context.Context {
	return context.WithValue(ctx, accountLimitKey{}, append([]AccountID{}, ids...))
}

// UnlimitAccounts returns a context without [LimitAccounts], for work that keeps all
// accounts consistent and whose result the caller does not see.
func UnlimitAccounts(ctx context.Context) context.Context {
	if _, limited := AllowedAccounts(ctx); !limited {
		return ctx
	}
	return context.WithValue(ctx, accountLimitKey{}, []AccountID(nil))
}

// AllowedAccounts returns the accounts a context is limited to. limited is false if it
// has no limit.
func AllowedAccounts(ctx context.Context) (ids []AccountID, limited bool) {
	ids, _ = ctx.Value(accountLimitKey{}).([]AccountID)
	return ids, ids != nil
}

// AllowsAccount reports whether a context does not exclude an account.
func AllowsAccount(ctx context.Context, id AccountID) bool {
	ids, limited := AllowedAccounts(ctx)
	return !limited || slices.Contains(ids, id)
}
