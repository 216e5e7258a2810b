package statement

// SuggestTarget suggests a column's target by its name alone.
func SuggestTarget(header string) (Target, bool) {
	meaning, ok := meaningOf(header)
	return meaning.target, ok
}

// OrderCoins returns which coin is traded.
func OrderCoins(a, b string) string {
	base, _ := orderCoins(a, b, quoteCoins)
	return base
}

// JoinParts joins the parts of each fill.
func (s *Statement) JoinParts() { s.joinParts() }
