package statement

// SkippedRow says why a data row holds nothing to import.
type SkippedRow struct {
	Row    int
	Reason string
}

// The reasons that several presets share.
const (
	ReasonNotFilled  = "the order was not filled"
	ReasonNoAmount   = "it moved no money"
	ReasonSecurities = "it moves securities without a trade"
	ReasonRepeated   = "other rows of the file say the same"
	ReasonStatus     = "its status is not that of a fill"
)

// Skip records that a data row holds nothing to import, for presets that find
// out after the row was read.
func (s *Statement) Skip(row int, reason string) {
	s.Skipped = append(s.Skipped, SkippedRow{Row: row, Reason: reason})
}
