package statement

// Warning is a sentence for the user about a file.
type Warning struct {
	// Code says what the warning is about; empty if it only informs.
	Code WarningCode
	Text string
	// Advice says which field of the upload changes the result; empty if none does.
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

// The codes of warnings.
const (
	ZoneUnknown          WarningCode = "time_zone_unknown"
	DateOrderUnknown     WarningCode = "date_order_unknown"
	MappingIgnored       WarningCode = "mapping_ignored"
	CurrencyNotConverted WarningCode = "currency_not_converted"
)

// Field returns the field of the upload that the warning is about, empty if none.
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
