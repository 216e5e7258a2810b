package statement

// Join combines rows of some kinds (all if empty) that have the same value of
// By into one record.
type Join struct {
	Kinds []Kind
	By    Col
	As    JoinRule
}

// JoinRule says how rows are combined.
type JoinRule string

// The rules. JoinParts: fills of one id are parts of one fill. JoinRates: two
// sides of an exchange of money give a rate for cash in foreign currencies.
const (
	JoinParts JoinRule = "parts"
	JoinRates JoinRule = "rates"
)

// isRoundTrip reports whether a row is a whole trade.
func (l *Layout) isRoundTrip() bool { return false }
