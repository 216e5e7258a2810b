package journal

import "time"

// Scope says which accounts and which period a question is about.
type Scope struct {
	// Accounts are the accounts asked for; empty means all of the owner's.
	Accounts []AccountID
	Period   Period
}

// Period is a span of time with both ends inside. A nil end is open.
type Period struct {
	From, To *time.Time
}

// Contains tells whether an instant lies in the period.
func (p Period) Contains(at time.Time) bool {
	return (p.From == nil || !at.Before(*p.From)) && (p.To == nil || !at.After(*p.To))
}

// Check refuses a period that ends before it begins.
func (p Period) Check() error {
	if p.From != nil && p.To != nil && p.From.After(*p.To) {
		return InvalidField("from", "from must not be after to.")
	}
	return nil
}
