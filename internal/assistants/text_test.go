package assistants

import (
	"context"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

func noPreferences(context.Context, journal.UserID) (identity.Preferences, error) {
	return identity.Preferences{}, nil
}

func TestCleanText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\nhere":                 "plain\ttext\nhere",
		"a\u200bb\u202ec\u00add\ufeffe":     "abcde",
		"x\x00\x1b\u0085y\r":                "xy",
		"flag\ufe0f \U000e0041\U000e007f":   "flag ",
		"![a](https://x) and [b](c)":        "! [a](https://x) and [b](c)",
		"<b>1 < 2</b> <!-- x --> <? <3":     "< b>1 < 2< /b> < !-- x --> < ? <3",
		"bidi \u2066in\u2069 \u061c\u200f.": "bidi in .",
		"invalid \xff byte":                 "invalid  byte",
	} {
		if got := cleanText(text); got != want {
			t.Errorf("cleanText(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestResolvePeriod(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// Wednesday, half past midnight in Berlin.
	c := &call{now: time.Date(2026, 11, 17, 23, 30, 0, 0, time.UTC), zone: zone, Server: &Server{Options: Options{Preferences: noPreferences}}, ctx: t.Context()}
	for name, want := range map[string]string{
		"today": "2026-11-18 2026-11-18", "yesterday": "2026-11-17 2026-11-17", "this_week": "2026-11-16 2026-11-18",
		"last_week": "2026-11-09 2026-11-15", "this_month": "2026-11-01 2026-11-18", "last_month": "2026-10-01 2026-10-31",
		"this_quarter": "2026-10-01 2026-11-18", "this_year": "2026-01-01 2026-11-18", "last_year": "2025-01-01 2025-12-31",
		"last_7_days": "2026-11-12 2026-11-18", "last_30_days": "2026-10-20 2026-11-18", "last_90_days": "2026-08-21 2026-11-18",
		"last_365_days": "2025-11-19 2026-11-18", "last_quarter": "2026-07-01 2026-09-30",
	} {
		from, to, err := c.resolvePeriod(name)
		if got := from.Format(time.DateOnly) + " " + to.Format(time.DateOnly); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
		if next := to.Add(time.Microsecond); next.Hour() != 0 || next.Minute() != 0 || from.Hour() != 0 {
			t.Errorf("%s is from %s to %s", name, from, to)
		}
	}
	if _, _, err := c.resolvePeriod("soon"); err == nil {
		t.Error("an unknown period is accepted")
	}
}
