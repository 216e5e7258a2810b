package tabular_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/intake/tabular"
	"fillbook/internal/testkit"
)

// growthOrders return the numbers for n rows, each in another order.
var growthOrders = map[string]func(n int) []int{
	"equal":       func(n int) []int { return make([]int, n) },
	"alternating": func(n int) []int { return numbers(n, func(i int) int { return i/2 + i%2*n }) },
	"reversed":    func(n int) []int { return numbers(n, func(i int) int { return n - i }) },
	"random":      func(n int) []int { return rand.New(rand.NewPCG(29, 3)).Perm(n) },
}

func numbers(n int, of func(i int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// growthCases build a file for each kind and special case. A name begins with the kind.
var growthCases = map[string]func(t testing.TB, rows []int) []byte{
	"csv":         func(_ testing.TB, rows []int) []byte { return joined(rows, "", "2026-01-05,%d,1.5\n", "") },
	"csv, quotes": func(_ testing.TB, rows []int) []byte { return joined(rows, "", "\"a\"\"b\",\"%d\n\",1\n", "") },
	"csv, one quote": func(_ testing.TB, rows []int) []byte {
		return joined(rows, "a,b,\"c\n", "x \"%d, y\n", "")
	},
	"html": func(_ testing.TB, rows []int) []byte {
		return joined(rows, "<table>", "<tr><td>a<td>%d</tr>", "</table>")
	},
	"html, nested": func(_ testing.TB, rows []int) []byte { return joined(rows, "<table>", "<tr><td><table><tr><td>%d", "") },
	"html, open":   func(_ testing.TB, rows []int) []byte { return joined(rows, "<table>", "<tr><td><b><i>%d", "") },
	"xml": func(_ testing.TB, rows []int) []byte {
		return joined(rows, `<?xml version="1.0"?><a>`, `<b c="%d" d="1"/>`, "</a>")
	},
	"xml, nested": func(_ testing.TB, rows []int) []byte {
		return joined(rows, `<?xml version="1.0"?><a>`, `<b c="%d">`, strings.Repeat("</b>", len(rows))+"</a>")
	},
	"xlsx": func(t testing.TB, rows []int) []byte {
		return workbook(t, parts{sheets: []string{string(joined(rows, "", "<row><c><v>%d</v></c><c><v>1</v></c></row>", ""))}})
	},
	"xlsx, numbered rows": func(t testing.TB, rows []int) []byte {
		return workbook(t, parts{sheets: []string{string(joined(rows, "", `<row r="1%[1]d"><c r="B1%[1]d"><v>1</v></c></row>`, ""))}})
	},
	"xlsx, shared strings": func(t testing.TB, rows []int) []byte {
		return workbook(t, parts{
			strings: string(joined(rows, "", "<si><t>%d</t></si>", "")),
			sheets:  []string{string(joined(rows, "", `<row><c t="s"><v>%d</v></c></row>`, ""))},
		})
	},
	"zip": func(t testing.TB, rows []int) []byte {
		return archived(t, entry{"fills.csv", string(joined(rows, "", "2026-01-05,%d,1.5\n", ""))})
	},
	"json": func(_ testing.TB, rows []int) []byte { return joined(rows, `[`, `{"a":"%d"},`, `{}]`) },
}

func joined(rows []int, begin, format, end string) []byte {
	var b strings.Builder
	b.WriteString(begin)
	for _, n := range rows {
		fmt.Fprintf(&b, format, n)
	}
	b.WriteString(end)
	return []byte(b.String())
}

// TestGrowth reads every kind of file with rows in every order: processor time must not
// grow faster than the file. A kind without a case fails.
func TestGrowth(t *testing.T) { // not parallel: it measures the process
	for _, kind := range declaredKinds(t) {
		if growthCases[kind] == nil {
			t.Errorf("files of the kind %s have no case", kind)
		}
	}
	for name, build := range growthCases {
		for order, rowsOf := range growthOrders {
			t.Run(name+" "+order, func(t *testing.T) {
				file := func(n int) []byte { return build(t, rowsOf(n)) }
				testkit.CheckReadGrowth(t, testkit.Rounds(1_000, 10_000), file, func(content []byte) error {
					_, _ = tabular.ReadContext(t.Context(), content, tabular.Default()) // it may be refused
					return nil
				})
			})
		}
	}
}

// declaredKinds returns the Kind constants' values.
func declaredKinds(t *testing.T) (list []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "tabular.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			kind, isNamed := spec.Type.(*ast.Ident)
			value, isText := spec.Values[0].(*ast.BasicLit)
			if isNamed && isText && kind.Name == "Kind" {
				list = append(list, strings.Trim(value.Value, `"`))
			}
		}
		return true
	})
	if !slices.Contains(list, "csv") {
		t.Fatalf("the kinds are %v", list)
	}
	return list
}
