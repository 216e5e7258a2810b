package statement

import "fmt"

// Warning is a sentence for the user about a file.
type Warning struct {
	// Code says what the warning is about; empty if it only informs.
	Code WarningCode
	Text string
	// Advice says which upload field changes the result; empty if none does.
	Advice string
}

// String returns the text with the advice.
func (w Warning) String() string {
	if w.Advice == "" {
		return w.Text
	}
	return w.Text + " " + w.Advice
}

// WarningCode is what a warning is about.
type WarningCode string

// The warning codes.
const (
	ZoneUnknown          WarningCode = "time_zone_unknown"
	DateOrderUnknown     WarningCode = "date_order_unknown"
	MappingIgnored       WarningCode = "mapping_ignored"
	CurrencyNotConverted WarningCode = "currency_not_converted"
)

// Field returns the upload field the warning is about, empty if none.
func (c WarningCode) Field() string {
	switch c {
	case ZoneUnknown:
		return "source_tz"
	case DateOrderUnknown:
		return "date_order"
	case MappingIgnored:
		return "column_mapping"
	case CurrencyNotConverted:
		return "allow_currency_mismatch"
	}
	return ""
}

// warningList are the warnings about a file.
type warningList struct {
	// Warnings has each warning once.
	Warnings []Warning
	// kinds counts warnings by kind.
	kinds map[string]*warningCount
}

// warningCount counts the warnings of one kind; only the first is kept.
type warningCount struct {
	index int             // in Statement.Warnings
	text  string          // the first one's
	row   int             // the first one's, 0 if it is not about a row
	rows  int             // how many rows it is about
	texts map[string]bool // for warnings without rows
}

// Warn adds a sentence for the user. Sentences with the same format are one
// warning: the first is kept, and others are counted.
func (s *warningList) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	kind := format
	if format == "%s" {
		kind = text
	}
	c, known := s.countWarning(kind, text)
	const most = 1000
	if !known || c.texts[text] || len(c.texts) >= most {
		return
	}
	c.texts[text] = true
	if len(c.texts) > 1 {
		s.Warnings[c.index].Text = fmt.Sprintf("%s There are %d such cases.", c.text, len(c.texts))
	}
}

// WarnRow is [Statement.Warn] for a row: the warning says how many rows it is about
// and which is the first.
func (s *warningList) WarnRow(row int, format string, args ...any) {
	if c := s.kinds[format]; c != nil && c.row > 0 {
		c.rows++
		if row < c.row {
			c.row, c.text = row, fmt.Sprintf(format, args...)
		}
		s.Warnings[c.index].Text = fmt.Sprintf("%s There are %d such rows; the first is row %d.", c.text, c.rows, c.row)
		return
	}
	c, known := s.countWarning(format, fmt.Sprintf(format, args...))
	if known && c.rows == 0 {
		c.row, c.rows = row, 1
		s.Warnings[c.index].Text = fmt.Sprintf("Row %d: %s", row, c.text)
	}
}

// countWarning returns the count for a kind of warning, and adds the first warning. It
// returns false if there are too many kinds.
func (s *warningList) countWarning(kind, text string) (c *warningCount, ok bool) {
	if c = s.kinds[kind]; c != nil {
		return c, true
	}
	before := len(s.Warnings)
	s.AddWarning(Warning{Text: text})
	if len(s.Warnings) == before {
		return &warningCount{}, false
	}
	if s.kinds == nil {
		s.kinds = map[string]*warningCount{}
	}
	c = &warningCount{index: before, text: text, texts: map[string]bool{}}
	s.kinds[kind] = c
	return c, true
}
