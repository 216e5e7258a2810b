package analytics

// Explainable lists the figures that [Explain] explains, in the order of the
// summary.
func Explainable() []string {
	table := figures()
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].name
	}
	return names
}
