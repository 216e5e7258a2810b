package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestOpt(t *testing.T) {
	t.Parallel()
	old := "old"
	absent, null, value := Opt[string]{}, Opt[string]{Set: true, Null: true}, Some("new")
	if absent.Or(old) != "old" || null.Or(old) != "" || value.Or(old) != "new" {
		t.Errorf("Or returns %q, %q, %q", absent.Or(old), null.Or(old), value.Or(old))
	}
	if got := absent.OrNil(&old); got != &old {
		t.Errorf("an absent field returns %v, want the old pointer", got)
	}
	if got := absent.OrNil(nil); got != nil {
		t.Errorf("an absent field without an old value returns %v", got)
	}
	if got := null.OrNil(&old); got != nil {
		t.Errorf("a null returns %v", got)
	}
	if absent.NotNull("f") != nil || value.NotNull("f") != nil || !IsKind(null.NotNull("f"), KindInvalid) {
		t.Error("NotNull rejects a value or accepts a null")
	}
	got := value.OrNil(&old)
	if got == nil || *got != "new" || old != "old" {
		t.Errorf("a value returns %v, and old is %q", got, old)
	}
	*got = "changed"
	if value.Value != "new" {
		t.Error("the pointer shares memory with the request")
	}
	if zero := Some(0); !zero.Set || zero.Null || zero.Or(7) != 0 {
		t.Errorf("Some(0) = %+v", zero)
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	at := func(hour int) *time.Time {
		at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		return &at
	}
	for _, c := range []struct {
		period Period
		inside []int // among the hours 0 to 3
	}{
		{Period{}, []int{0, 1, 2, 3}},
		{Period{From: at(1)}, []int{1, 2, 3}},
		{Period{To: at(1)}, []int{0, 1}},
		{Period{From: at(1), To: at(2)}, []int{1, 2}},
		{Period{From: at(2), To: at(2)}, []int{2}},
	} {
		var found []int
		for hour := range 4 {
			if c.period.Contains(*at(hour)) {
				found = append(found, hour)
			}
		}
		if !slices.Equal(found, c.inside) || c.period.Check() != nil {
			t.Errorf("%+v contains %v, want %v; Check: %v", c.period, found, c.inside, c.period.Check())
		}
	}
	expectField(t, Period{From: at(2), To: at(1)}.Check(), "from", "reversed period")
}

// A period compares instants, whatever their zones.
func TestPeriodIgnoresZones(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	same := from.In(time.FixedZone("", -5*3600))
	if p := (Period{From: &from, To: &from}); !p.Contains(same) {
		t.Error("the same instant in another zone is outside")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	for _, c := range []struct {
		err  *Error
		kind Kind
		code string
	}{
		{Invalid("no %s", "way"), KindInvalid, "bad_request"},
		{InvalidField("name", "%s is bad", "name"), KindInvalid, "bad_request"},
		{Unauthorized("Sign in."), KindUnauthorized, "unauthorized"},
		{Forbidden("Not yours."), KindForbidden, "forbidden"},
		{NotFound("tag"), KindNotFound, "not_found"},
		{Conflict("taken"), KindConflict, "conflict"},
		{Stale(), KindStale, "precondition_failed"},
		{TooLarge("over %d", 5), KindTooLarge, "too_large"},
		{Limited(time.Second), KindLimited, "rate_limited"},
		{Unavailable(cause), KindUnavailable, "unavailable"},
	} {
		wrapped := fmt.Errorf("doing something: %w", c.err)
		if !IsKind(wrapped, c.kind) || IsKind(wrapped, KindInternal) || c.err.Code != c.code {
			t.Errorf("%v is not of its kind", c.err)
		}
		if c.err.Message == "" || strings.Contains(c.err.Message, "%!") || strings.Contains(c.err.Message, "fire") {
			t.Errorf("%s: message %q", c.code, c.err.Message)
		}
	}
	if !errors.Is(Unavailable(cause), cause) || !strings.Contains(Unavailable(cause).Error(), "fire") {
		t.Error("the log would not contain the cause")
	}
	if Limited(time.Minute).RetryAfter != time.Minute || Unavailable(cause).RetryAfter == 0 {
		t.Error("RetryAfter is missing")
	}
	if IsKind(cause, KindInternal) || IsKind(nil, KindInvalid) {
		t.Error("a foreign error has a kind")
	}
}

// Ids are unique and sort by creation time.
func TestIDsAscend(t *testing.T) {
	t.Parallel()
	ids := make([]TradeID, 2000)
	for i := range ids {
		ids[i] = NewID[TradeID]()
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 2000 {
		t.Error("ids do not ascend, or repeat")
	}
	if len(ids[0]) != 36 || ids[0][14] != '7' {
		t.Errorf("%s is not a UUIDv7", ids[0])
	}
}

// Contains and Check agree: a valid period contains its ends.
func TestPeriodContainsItsEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := time.UnixMicro(rapid.Int64Range(0, 1<<50).Draw(t, "from"))
		to := time.UnixMicro(rapid.Int64Range(0, 1<<50).Draw(t, "to"))
		p := Period{From: &from, To: &to}
		if valid := p.Check() == nil; valid != (p.Contains(from) && p.Contains(to)) {
			t.Fatalf("Check returns %v, ends are inside: %v, %v", valid, p.Contains(from), p.Contains(to))
		}
	})
}
