package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestGrowth reads bodies whose fills are equal, alternating, distinct or invalid: processor
// time must not grow faster than the body.
func TestGrowth(t *testing.T) { // not parallel: it measures the process
	read := func(text []byte) (fill ledger.NewFill, err error) {
		var values struct{ Symbol string }
		err = json.Unmarshal(text, &values)
		return ledger.NewFill{Symbol: values.Symbol}, err
	}
	for name, element := range map[string]func(i, n int) string{
		"equal":       func(int, int) string { return `{"symbol":"ES"}` },
		"alternating": func(i, _ int) string { return fmt.Sprintf(`{"symbol":"S%d"}`, i%2) },
		"reversed":    func(i, n int) string { return fmt.Sprintf(`{"symbol":"S%d"}`, n-i) },
		"repeated":    func(i, _ int) string { return fmt.Sprintf(`{"a%d":1,"a%d":1}`, i, i) },
		"nested":      func(int, int) string { return `[[[[[[[[]]]]]]]]` },
		"invalid":     func(i, _ int) string { return fmt.Sprintf(`"\ud800%d"`, i) },
	} {
		t.Run(name, func(t *testing.T) {
			build := func(n int) []byte { // above maxFills elements are only counted
				list := make([]string, n)
				for i := range list {
					list[i] = element(i, n)
				}
				return []byte("[" + strings.Join(list, ",") + "]")
			}
			testkit.CheckReadGrowth(t, testkit.Rounds(1_000, 20_000), build, func(content []byte) error {
				if _, err := readBody(content, read); err != nil && !journal.IsKind(err, journal.KindTooLarge) {
					return err
				}
				return nil
			})
		})
	}
}

// TestMemory reads bodies with the largest size and as many elements as fit: the memory
// held is a small multiple of the limit for all public bodies.
func TestMemory(t *testing.T) { // not parallel: it measures the process
	read := func([]byte) (ledger.NewFill, error) { return ledger.NewFill{Symbol: "ES"}, nil }
	for name, element := range map[string]string{
		"numbers": `1`, "texts": `""`, "lists": `[]`, "objects": `{}`, "fills": `{"symbol":"ES","side":"buy","quantity":1}`, "open lists": `[`,
	} {
		body := []byte("[" + strings.Repeat(element+",", MaxBody/(len(element)+1)))
		body = append(body[:MaxBody-1], ']')
		testkit.CheckHeap(t, 4*MaxBody, func() {
			if _, err := readBody(body, read); err != nil && !journal.IsKind(err, journal.KindTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
