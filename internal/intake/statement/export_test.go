package statement

// SuggestTarget suggests the target of a column by its name alone.
func SuggestTarget(header string) (Target, bool) {
	meaning, ok := meaningOf(header)
	return meaning.target, ok
}

// OrderCoins returns which of two coins is traded.
func OrderCoins(a, b string) string {
	base, _ := orderCoins(a, b, quoteCoins)
	return base
}

// JoinParts makes one fill of the fills that are parts of one.
func (s *Statement) JoinParts() { s.joinParts() }
