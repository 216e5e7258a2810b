package statement

// SuggestTarget says what a column is likely to hold, by its name alone.
func SuggestTarget(header string) (Target, bool) {
	meaning, ok := meaningOf(header)
	return meaning.target, ok
}
