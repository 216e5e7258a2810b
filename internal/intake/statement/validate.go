package statement

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Validate reports what is wrong with a preset: an unknown kind, a word that can never
// match, unclosed braces, or missing columns.
func (p *Preset) Validate() error {
	var faults []error
	if len(p.Header) == 0 && p.Matches == nil {
		faults = append(faults, errors.New("there is no header to recognize the file by"))
	}
	for _, l := range p.layouts() {
		faults = append(faults, l.validate()...)
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("preset %s (%s): %w", p.Broker, p.Export, err)
	}
	return nil
}

func (l *Layout) validate() (faults []error) {
	for _, w := range l.Words {
		if !w.Kind.isKnown() {
			faults = append(faults, fmt.Errorf("there is no kind %q", w.Kind))
		}
		for word := range strings.SplitSeq(w.Words, "|") {
			if word == "" || word != WordKey(word) {
				faults = append(faults, fmt.Errorf("the word %q never matches: write it in lower case with single blanks", word))
			}
		}
	}
	if cmp.Or(l.Time, l.Date, l.OpenTime, l.OpenDate, l.CloseTime, l.CloseDate, l.BuyTime) == "" {
		faults = append(faults, errors.New("there is no column for the time"))
	}
	if l.Kind == "" && l.Quantity == "" {
		faults = append(faults, errors.New("there is no column for the quantity"))
	}
	return append(faults, validateColumns(reflect.ValueOf(*l))...)
}

// validateColumns checks the expressions in all layout fields.
func validateColumns(layout reflect.Value) (faults []error) {
	for i := range layout.NumField() {
		switch field := layout.Field(i); field.Kind() {
		case reflect.String:
			if col := field.String(); strings.Count(col, "{") != strings.Count(col, "}") {
				faults = append(faults, fmt.Errorf("%s: the braces of %q do not match", layout.Type().Field(i).Name, col))
			}
		case reflect.Struct:
			faults = append(faults, validateColumns(field)...)
		default:
		}
	}
	return faults
}

// isKnown reports whether a kind exists.
func (k Kind) isKnown() bool {
	others := []Kind{
		KindLeg, KindLegFee, KindMovement, KindCorporateAction, KindInternal, KindResult, KindNotFilled, KindRepeated, KindIgnored, KindNotData,
	}
	return k.isTrade() || k.isEnding() || k.isCash() || slices.Contains(others, k)
}
