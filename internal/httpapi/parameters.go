package httpapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/journal"
)

// intParam, decimalParam and flagParam are query parameters that are described
// with their types and hold the text that was sent. The empty text means that
// the parameter is absent. The functions below parse the text, and name the
// parameter if it is invalid.
type (
	intParam     string
	decimalParam string
	flagParam    string
)

// Schema describes a whole number.
func (intParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// Schema describes a number.
func (decimalParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// Schema describes true or false.
func (flagParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

func parseOptionalInstant(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // absent is no error
	}
	at, err := journal.ParseInstant(field, text)
	if err != nil {
		return nil, err
	}
	return &at, nil
}

// maxListItems is the maximum number of values of one parameter.
const maxListItems = 200

// splitList returns the values of a parameter that is repeated, separated by
// commas, or both. Empty and repeated values are dropped.
func splitList[T ~string](field string, values []string) ([]T, error) {
	var list []T
	seen := map[string]bool{}
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			item = strings.TrimSpace(item)
			if item == "" || seen[item] {
				continue
			}
			seen[item] = true
			list = append(list, T(item))
		}
	}
	if len(list) > maxListItems {
		return nil, journal.InvalidField(field, "%s must have at most %d values.", field, maxListItems)
	}
	return list, nil
}

func parseOptionalDay(field, text string) (journal.Day, error) {
	if text == "" {
		return "", nil
	}
	return journal.ParseDay(field, text)
}

// parseEnum parses a parameter that has a fixed set of values; it may be absent.
func parseEnum[T ~string](field string, text T, values ...T) (T, error) {
	names := make([]string, len(values))
	for i, value := range values {
		if text == value {
			return value, nil
		}
		names[i] = string(value)
	}
	if text == "" {
		return "", nil
	}
	return "", journal.InvalidField(field, "%s must be %s.", field, strings.Join(names, " or "))
}

// parseFlag parses a parameter that is true or false; absent means false.
func parseFlag(field string, text flagParam) (bool, error) { return parseFlagOr(field, text, false) }

func parseFlagOr(field string, text flagParam, absent bool) (bool, error) {
	switch strings.ToLower(string(text)) {
	case "":
		return absent, nil
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, journal.InvalidField(field, "%s must be true or false.", field)
}

// parseWholeNumber parses a whole number within bounds.
func parseWholeNumber(field string, text intParam, absent, least, most int) (int, error) {
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < least || n > most {
		return 0, journal.InvalidField(field, "%s must be a whole number from %d to %d.", field, least, most)
	}
	return n, nil
}
