package backup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"fillbook/internal/testkit"
)

// foreignFiles are the plain shapes other journals write: a beginning, a row with a key,
// and an end.
var foreignFiles = map[string][3]string{
	"list of fills":  {`[`, `{"symbol":"S%d","side":"buy","quantity":1,"price":2,"executed_at":"2026-01-05T15:30:00Z"}`, `]`},
	"fills":          {`{"executions":[`, `{"symbol":"S%d","side":"buy","quantity":1,"price":2,"executed_at":"2026-01-05T15:30:00Z"}`, `]}`},
	"trades":         {`{"trades":[`, `{"symbol":"S%d","side":"long","quantity":1,"entry_price":2,"exit_price":3,"opened_at":"2026-01-05T15:30:00Z","closed_at":"2026-01-05T15:40:00Z"}`, `]}`},
	"cash":           {`{"cash_transactions":[`, `{"type":"deposit","amount":%d,"occurred_at":"2026-01-05T15:30:00Z"}`, `]}`},
	"unknown fields": {`[`, `{"symbol":"A","side":"buy","quantity":1,"price":2,"executed_at":"2026-01-05T15:30:00Z","x%d":{"y":[1,2]}}`, `]`},
}

// TestDecodeIsLinear reads files with each backup section, and with other journals' rows,
// in every key order.
func TestDecodeIsLinear(t *testing.T) { // not parallel: it measures the process
	build := map[string]func(keys []int) []byte{}
	for name, section := range hostileSections {
		build[name] = func(keys []int) []byte {
			text, err := json.Marshal(hostileDocument(section, keys))
			must(t, err)
			return text
		}
	}
	for name, parts := range foreignFiles {
		build[name] = func(keys []int) []byte {
			rows := eachKey(keys, func(_, key int) string { return fmt.Sprintf(parts[1], key) })
			return []byte(parts[0] + strings.Join(rows, ",") + parts[2])
		}
	}
	for i, name := range slices.Sorted(maps.Keys(build)) {
		orders := slices.Sorted(maps.Keys(keyOrders))
		if testkit.Rounds(0, 1) == 0 {
			orders = orders[i%len(orders):][:1]
		}
		for _, order := range orders {
			t.Run(name+"/"+order, func(t *testing.T) { // not parallel: it measures the process
				file := func(n int) []byte { return build[name](keyOrders[order](n)) }
				testkit.CheckReadGrowth(t, testkit.Rounds(500, 5_000), file, func(content []byte) error {
					_, err := Decode(content)
					return err
				})
			})
		}
	}
}
