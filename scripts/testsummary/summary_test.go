package main

import (
	"strings"
	"testing"
)

const passing = `{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"chatter\n"}
{"Action":"pass","Package":"a","Test":"TestOne","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a","Elapsed":0.1}
{"Action":"output","Package":"none","Output":"?   \tnone\t[no test files]\n"}
{"Action":"skip","Package":"none"}
`

const skipping = `{"Action":"run","Package":"b","Test":"TestEngines/postgres"}
{"Action":"output","Package":"b","Test":"TestEngines/postgres","Output":"=== RUN   TestEngines/postgres\n"}
{"Action":"output","Package":"b","Test":"TestEngines/postgres","Output":"    x_test.go:7: no server\n"}
{"Action":"output","Package":"b","Test":"TestEngines/postgres","Output":"--- SKIP: TestEngines/postgres (0.00s)\n"}
{"Action":"skip","Package":"b","Test":"TestEngines/postgres"}
{"Action":"output","Package":"b","Output":"ok  \tb\t0.1s\n"}
{"Action":"pass","Package":"b"}
`

// Two packages interleave, one test fails, another never ends.
const failing = `{"Action":"run","Package":"c","Test":"TestGood"}
{"Action":"run","Package":"d","Test":"TestHangs"}
{"Action":"run","Package":"c","Test":"TestBad"}
{"Action":"output","Package":"c","Test":"TestGood","Output":"good says this\n"}
{"Action":"output","Package":"d","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"output","Package":"c","Test":"TestBad","Output":"=== PAUSE TestBad\n"}
{"Action":"output","Package":"c","Test":"TestBad","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"pass","Package":"c","Test":"TestGood"}
{"Action":"fail","Package":"c","Test":"TestBad"}
{"Action":"output","Package":"c","Output":"FAIL\n"}
{"Action":"output","Package":"c","Output":"FAIL\tc\t0.1s\n"}
{"Action":"fail","Package":"c"}
{"Action":"output","Package":"d","Output":"FAIL\td\t9m\n"}
{"Action":"fail","Package":"d"}
`

const notCompiling = `{"ImportPath":"e [e.test]","Action":"build-output","Output":"e.go:3: undefined: x\n"}
{"ImportPath":"e [e.test]","Action":"build-fail"}
{"Action":"output","Package":"e","Output":"FAIL\te [build failed]\n"}
{"Action":"fail","Package":"e","FailedBuild":"e [e.test]"}
`

func TestReport(t *testing.T) {
	tests := []struct {
		name, events string
		forbid, ok   bool
		want         []string
		not          []string
	}{
		{
			name: "pass", events: passing, forbid: true, ok: true,
			want: []string{"ok  \ta\t0.1s\n", "PASS: 1 tests passed in 1 packages (everything); nothing was skipped.\n"},
			not:  []string{"chatter", "none", "RUN"},
		},
		{
			name: "a skip is named", events: passing + skipping, ok: true,
			want: []string{
				"SKIPPED b.TestEngines/postgres: x_test.go:7: no server\n",
				"PASS: 1 tests passed in 2 packages (everything); 1 SKIPPED, named above.\n",
			},
		},
		{
			name: "a skip fails where it must not be", events: passing + skipping, forbid: true,
			want: []string{"SKIPPED b.", "FAIL: skipping is not allowed"},
		},
		{
			name: "failures come with their output", events: passing + failing,
			want: []string{"got 1, want 2", "test timed out", "FAIL\tc\t0.1s\n", "FAIL: 1 tests failed (in c, d). 2 tests passed in 3 packages"},
			not:  []string{"good says this", "PASS", "PAUSE"},
		},
		{
			name: "a package that does not compile", events: passing + notCompiling,
			want: []string{"e.go:3: undefined: x\n", "FAIL\te [build failed]\n", "FAIL: 0 tests failed (in e)"},
		},
		{
			name: "nothing ran", events: "",
			want: []string{"FAIL: no test ran"},
		},
		{
			name: "cut off", events: passing + `{"Action":"run","Package":"f","Test":"TestLong"}`,
			want: []string{"FAIL: 0 tests failed (in unfinished packages)"},
		},
		{
			name: "other lines pass through", events: "warning: odd\n{\"odd\": true}\n" + passing, ok: true,
			want: []string{"warning: odd\n", "{\"odd\": true}\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			sum := newSummary(&out)
			if err := sum.read(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			if ok := sum.report("everything", tt.forbid); ok != tt.ok {
				t.Errorf("report gave %t, want %t", ok, tt.ok)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing from:\n%s", want, out.String())
				}
			}
			for _, not := range tt.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("%q should not be in:\n%s", not, out.String())
				}
			}
		})
	}
}
