package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	s := Soak{Statuses: map[string]int{"200": 900, "404": 5, "429": 3, "500": 2, "503": 1, "none": 4}}
	if got := s.faults(); got != 7 {
		t.Errorf("%d faults, want 7", got)
	}
}

func TestEndsOfALoad(t *testing.T) {
	t.Parallel()
	var memory []Memory
	for n := range 600 {
		memory = append(memory, Memory{time.Duration(n) * time.Second, int64(1000 + n)})
	}
	first, last := meanEnds(memory)
	if first != 1029 || last != 1569 {
		t.Errorf("first minute %d, last %d", first, last)
	}
	if first, last = meanEnds(memory[:5]); first != 1000 || last != 1004 {
		t.Errorf("a short load: %d and %d", first, last)
	}
	if first, last = meanEnds(nil); first != 0 || last != 0 {
		t.Errorf("no load: %d and %d", first, last)
	}
}

func TestALoadIsSummedUp(t *testing.T) {
	t.Parallel()
	l := newLoad([]*trader{{}, {}}, 10*time.Second)
	l.countCall(t.Context(), "list", reply{status: 200, took: 3 * time.Millisecond})
	l.countCall(t.Context(), "list", reply{status: 200, took: time.Millisecond})
	l.countCall(t.Context(), "fill", reply{status: 500, took: time.Millisecond, err: errors.New("it broke")})
	s := l.summarize("sqlite", 1000, nil)
	if s.Requests != 3 || s.Users != 2 || s.faults() != 1 || s.Failure != "it broke" {
		t.Errorf("%+v", s)
	}
	if len(s.Kinds) != 2 || s.Kinds[1].Operation != "list" || s.Kinds[1].Samples != 2 || s.Kinds[1].First != 3*time.Millisecond {
		t.Errorf("%+v", s.Kinds)
	}
	if text := s.markdown(); !strings.Contains(text, "200: 2, 500: 1; 1 faults") {
		t.Errorf("rendered as\n%s", text)
	}
}
