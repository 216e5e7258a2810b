package journal

import "time"

// Scope is a query's accounts and period.
type Scope struct {
	// Accounts are the selected accounts; empty means all the owner has.
	Accounts []AccountID
	// Mixed allows accounts with different currencies: amounts are converted.
	Mixed  bool
	Period Period
}

// Period is a period including both ends. A nil end is unbounded.
type Period struct {
	From, To *time.Time
}

// Contains reports whether an instant is in the period.
func (p Period) Contains(at time.Time) bool {
	return (p.From == nil || !at.Before(*p.From)) && (p.To == nil || !at.After(*p.To))
}

// Check returns an error if the period ends before it begins.
func (p Period) Check() error {
	if p.From != nil && p.To != nil && p.From.After(*p.To) {
		return InvalidField("from", "from must not be after to.")
	}
	return nil
}
