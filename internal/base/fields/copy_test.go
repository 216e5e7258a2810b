package fields_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// forms is a generic struct whose instances are the forms of one record.
type forms[Text, Number, Count, Instant, Link, Lines any] struct {
	Title Text    `json:"title"`
	Price Number  `json:"price"`
	Count Count   `json:"count"`
	Seen  Instant `json:"seen"`
	Owner Link    `json:"owner"`
	Lines Lines   `json:"lines"`
}

// instant and line are request types.
type instant struct{ time.Time }

type line struct {
	Text string `json:"text" required:"false"`
	Rank int8
}

type storedLine struct {
	Text string `json:"text"`
	Rank int8
}

// sent wraps a request field.
type sent[T any] struct{ journal.Opt[T] }

type (
	stored  = forms[string, decimal.Null, int, time.Time, *string, []storedLine]
	changed = forms[journal.Opt[string], journal.Opt[decimal.Decimal], journal.Opt[int], journal.Opt[time.Time], journal.Opt[string], journal.Opt[[]storedLine]]
	request = forms[sent[string], sent[decimal.Decimal], sent[int64], sent[instant], sent[string], sent[[]line]]
)

func send[T any](value T) sent[T] { return sent[T]{journal.Some(value)} }

var (
	owner = "o"
	full  = stored{
		Title: "t", Price: decimal.Of(decimal.Must("1.50")), Count: 3, Seen: time.Unix(5, 0).UTC(), Owner: &owner,
		Lines: []storedLine{{Text: "a", Rank: 1}, {Text: "b", Rank: 2}},
	}
)

// TestCopyBetweenForms copies a record from a request to a change, to its values
// and back.
func TestCopyBetweenForms(t *testing.T) {
	t.Parallel()
	in := request{
		Title: send("t"), Price: send(decimal.Must("1.50")), Count: send(int64(3)), Seen: send(instant{time.Unix(5, 0).UTC()}), Owner: send("o"),
		Lines: send([]line{{Text: "a", Rank: 1}, {Text: "b", Rank: 2}}),
	}
	change := fields.CopyTo[changed](&in)
	if diff := cmp.Diff(full, fields.CopyTo[stored](&change)); diff != "" {
		t.Errorf("the values of a change (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(change, fields.CopyTo[changed](&full)); diff != "" {
		t.Errorf("the change to some values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(in, fields.CopyTo[request](&change)); diff != "" {
		t.Errorf("the request of a change (-want +got):\n%s", diff)
	}
}

// TestCopyOfAbsentAndNull: what a change does not send stays, a null clears.
func TestCopyOfAbsentAndNull(t *testing.T) {
	t.Parallel()
	got := full
	fields.Copy(&got, &changed{})
	if diff := cmp.Diff(full, got); diff != "" {
		t.Errorf("an empty change (-want +got):\n%s", diff)
	}
	nulls := fields.CopyTo[changed](&stored{})
	if !nulls.Price.Null || !nulls.Owner.Null || nulls.Title.Null || !nulls.Title.Set {
		t.Errorf("the change to no values is %+v", nulls)
	}
	fields.Copy(&got, &nulls)
	if diff := cmp.Diff(stored{}, got); diff != "" {
		t.Errorf("a change that clears everything (-want +got):\n%s", diff)
	}
	got = full
	fields.Copy(&got, &stored{}, "title", "price")
	if diff := cmp.Diff(stored{Title: full.Title, Price: full.Price}, got); diff != "" {
		t.Errorf("a copy without two members (-want +got):\n%s", diff)
	}
	nulls.Title = journal.Opt[string]{Set: true, Null: true}
	fields.DropNulls(&nulls)
	if nulls.Title.Set || nulls.Owner.Set || !nulls.Price.Null || !nulls.Count.Set {
		t.Errorf("after dropping nulls the change is %+v", nulls)
	}
}

// TestCopyRefusesOtherTypes: mismatched members are a programming error.
func TestCopyRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	type other = forms[int, decimal.Null, int, time.Time, *string, []storedLine]
	defer func() {
		if recover() == nil {
			t.Error("a text was copied to a number")
		}
	}()
	fields.Copy(&other{}, &full)
}

// TestDifferences: fields with different values in both records are named.
func TestDifferences(t *testing.T) {
	t.Parallel()
	one := values{Title: "a", Price: decimal.Of(decimal.New(1)), Grade: 2}
	other := values{Title: "b", Price: decimal.Of(decimal.New(2)), Grade: 2}
	if diff := cmp.Diff([]string{"price"}, list.Differences(&one, &other)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if names := list.Differences(&one, &values{}); names != nil {
		t.Errorf("a record without values differs in %q", names)
	}
}
