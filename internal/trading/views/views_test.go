package views

import "testing"

// TestNameKey: the migration view_names expects the same keys, in
// TestViewNamesGetTheirAccounts.
func TestNameKey(t *testing.T) {
	t.Parallel()
	for filter, want := range map[Query]string{
		"": "ONE", "outcome=win": "ONE", "account_id=": "ONE", "q=account_id%3Da": "ONE",
		"account_id=a": "ONE\n87428fc522803d31065e7bce3cf03fe4", "account_id=b%2C+a%2C%2Ca&outcome=win": "ONE\n911169ddaaf146aff539f58c26c489af",
		"account_id=a%2Cb": "ONE\n911169ddaaf146aff539f58c26c489af",
	} {
		if got := nameKey(&View{Name: "One", Filter: filter}); got != want {
			t.Errorf("%q: the key is %q, not %q", filter, got, want)
		}
	}
}
