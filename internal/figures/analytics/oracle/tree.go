package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
)

// Object is a predicted JSON object. Its values, and a List's, are Objects, Lists,
// strings, bools, ints and times, which must be equal; *big.Rat for money, which must be
// written with exactly this value; float64 for ratios, which must be near; nil for null;
// and Unpredicted.
type Object map[string]any

// List is a JSON array.
type List []any

// Unpredicted marks a value the oracle does not predict; it matches any value.
type Unpredicted struct{}

// Tolerance is the greatest difference between a ratio and the oracle's: relative, or
// absolute for ratios below 1.
const Tolerance = 1e-9

// Differences compares decoded JSON, whose numbers are json.Number, with the
// prediction, and returns a line for each difference.
func Differences(want, got any) []string {
	var out []string
	compare("", want, got, func(path, format string, args ...any) {
		out = append(out, path+": "+fmt.Sprintf(format, args...))
	})
	return out
}

type reportFunc func(path, format string, args ...any)

func compare(path string, want, got any, report reportFunc) {
	switch w := want.(type) {
	case Unpredicted:
	case Object:
		object, ok := got.(map[string]any)
		if !ok {
			report(path, "%v is not an object", got)
			return
		}
		compareObject(path, w, object, report)
	case List:
		list, ok := got.([]any)
		if !ok || len(list) != len(w) {
			report(path, "is %v, want %d elements %v", got, len(w), w)
			return
		}
		for i := range w {
			compare(fmt.Sprintf("%s[%d]", path, i), w[i], list[i], report)
		}
	default:
		if !sameValue(want, got) {
			report(path, "is %v, want %v", got, formatValue(want))
		}
	}
}

func compareObject(path string, want Object, got map[string]any, report reportFunc) {
	for name, w := range want {
		g, there := got[name]
		if !there {
			report(path+"."+name, "is missing")
			continue
		}
		compare(path+"."+name, w, g, report)
	}
	for name, g := range got {
		if _, known := want[name]; !known {
			report(path+"."+name, "is %v, which is not predicted", g)
		}
	}
}

func sameValue(want, got any) bool {
	number, isNumber := got.(json.Number)
	switch w := want.(type) {
	case *big.Rat:
		g, ok := new(big.Rat).SetString(number.String())
		return isNumber && ok && g.Cmp(w) == 0
	case float64:
		g, err := number.Float64()
		return isNumber && err == nil && math.Abs(w-g) <= Tolerance*math.Max(1, math.Abs(w))
	case int:
		return isNumber && number.String() == strconv.Itoa(w)
	case time.Time:
		text, isText := got.(string)
		return isText && text == w.UTC().Format(time.RFC3339Nano)
	}
	return want == got
}

// formatValue formats a predicted value for messages.
func formatValue(want any) string {
	switch w := want.(type) {
	case *big.Rat:
		return w.RatString()
	case time.Time:
		return w.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(want)
}
