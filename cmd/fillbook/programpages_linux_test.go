package main

import "testing"

// TestReleaseProgramPages reads code and constants again after their pages were
// released.
func TestReleaseProgramPages(t *testing.T) {
	for range 3 {
		if err := releaseProgramPages(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		line string
		want mapping
		ok   bool
	}{
		{"00400000-01540000 r-xp 00000000 fe:00 1234                       /usr/bin/fillbook", mapping{0x400000, 0x1540000, false, "/usr/bin/fillbook"}, true},
		{"02880000-029f2000 rw-p 02480000 fe:00 1234                       /opt/my files/fillbook", mapping{0x2880000, 0x29f2000, true, "/opt/my files/fillbook"}, true},
		{"c000000000-c000400000 rw-p 00000000 00:00 0", mapping{}, false},
		{"nonsense r-xp 00000000 fe:00 1234 /usr/bin/fillbook", mapping{}, false},
	} {
		if got, ok := parseMapping(c.line); ok != c.ok || ok && got != c.want {
			t.Errorf("%s is %+v, %v", c.line, got, ok)
		}
	}
}
