package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// wantPrefs requires what is stored, number by number as it is written.
func (c *client) wantPrefs(want string) *reply {
	c.w.t.Helper()
	got := c.get("/me/preferences").want(http.StatusOK).wantKeys("", "prefs", "updated_at")
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		c.w.t.Fatal(err)
	}
	decoder := json.NewDecoder(&compact)
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		c.w.t.Fatal(err)
	}
	if !reflect.DeepEqual(value, got.value("prefs")) { // cmp takes forever on deep lists
		c.w.t.Fatalf("the preferences are %s, want %s", got.body, want)
	}
	return got
}

func TestPreferencesMerge(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		if got := owner.wantPrefs(`{}`); got.value("updated_at") != nil {
			t.Errorf("updated_at %v before anything was stored", got.value("updated_at"))
		}
		owner.patch("/me/preferences", `{"a":1,"b":{"x":1,"y":[1,2]},"c":"text"}`).wantNone()
		w.clock.Advance(time.Minute)
		owner.patch("/me/preferences", `{"b":{"z":null},"c":null,"d":[true,false]}`).wantNone()
		// Keys not sent are left alone; a value is replaced whole; null is kept.
		got := owner.wantPrefs(`{"a":1,"b":{"z":null},"c":null,"d":[true,false]}`)
		if got.text("updated_at") != "2026-03-10T15:05:05Z" {
			t.Errorf("updated_at %s", got.text("updated_at"))
		}
		anna.wantPrefs(`{}`) // and other users' preferences are unchanged
		w.clock.Advance(time.Minute)
		owner.patch("/me/preferences", `{}`).wantNone()
		owner.wantPrefs(`{"a":1,"b":{"z":null},"c":null,"d":[true,false]}`)
	})
}

// TestPreferencesAreOpaque returns back every value as it came, also what no
// number type can hold.
func TestPreferencesAreOpaque(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for name, value := range map[string]string{
			"beyond floats":      `1e400`,
			"twenty digits":      `12345678901234567890`,
			"many decimals":      `0.1234567890123456789012345678901234567890`,
			"minus zero":         `-0.0`,
			"an exponent":        `1E+30`,
			"a trailing zero":    `1.10`,
			"empty text":         `""`,
			"text":               `"äöü 株 😀 <script>&\"\\/"`,
			"a line separator":   `"\u2028\u007f"`,
			"an empty object":    `{}`,
			"an empty list":      `[]`,
			"an empty key":       `{"":{"":0}}`,
			"odd keys":           `{"a.b":1,"$c":2,"__proto__":3," ":4}`,
			"nested":             `{"a":[{"b":[1e999,{"c":null}]}]}`,
			"sixty levels":       strings.Repeat("[", 60) + strings.Repeat("]", 60),
			"keys in an order":   `{"z":1,"a":2,"m":3}`,
			"true":               `true`,
			"null":               `null`,
			"a number as a text": `"007"`,
		} {
			t.Run(name, func(t *testing.T) {
				owner := owner.in(t)
				owner.patch("/me/preferences", `{"value":`+value+`}`).wantNone()
				owner.wantPrefs(`{"value":` + value + `}`)
				body := string(owner.get("/me/preferences").body)
				if number := strings.TrimLeft(value, "-0123456789"); number != value && !strings.Contains(body, `"value":`+value) {
					t.Errorf("the number %s came back otherwise: %s", value, body)
				}
			})
		}
	})
}

func TestPreferenceKeys(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		keys := `{"":1,"a":2,"A":3,"ä":4,"a b":5,"\"":6,"\\":7,"😀":8,"` + strings.Repeat("k", 1000) + `":9}`
		owner.patch("/me/preferences", keys).wantNone()
		owner.wantPrefs(keys)
	})
}

// TestPreferenceLimits holds the limits for the stored object, whether it came
// in one piece or in many.
func TestPreferenceLimits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		many := func(from, to int) string {
			object := map[string]int{}
			for i := from; i < to; i++ {
				object[fmt.Sprint("key", i)] = i
			}
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		owner.patch("/me/preferences", many(0, 501)).wantError(http.StatusRequestEntityTooLarge, "too_large").wantShape()
		owner.wantPrefs(`{}`)
		owner.patch("/me/preferences", many(0, 300)).wantNone()
		owner.patch("/me/preferences", many(300, 501)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		owner.patch("/me/preferences", many(100, 500)).wantNone() // 500 in all
		owner.patch("/me/preferences", `{"one more":1}`).wantError(http.StatusRequestEntityTooLarge, "too_large")
		owner.patch("/me/preferences", `{"key0":"changed"}`).wantNone() // no more keys than before
		if n := len(owner.get("/me/preferences").keys("prefs")); n != 500 {
			t.Errorf("%d keys", n)
		}
	})
}

func TestPreferenceSize(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		sized := func(key string, size int) string {
			object := `{"` + key + `":"`
			return object + strings.Repeat("x", size-len(object)-2) + `"}`
		}
		owner.patch("/me/preferences", sized("a", 64<<10+1)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		owner.patch("/me/preferences", sized("a", 300<<10)).wantError(http.StatusRequestEntityTooLarge, "too_large").wantShape()
		owner.patch("/me/preferences", sized("a", 2<<20)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		owner.wantPrefs(`{}`)
		owner.patch("/me/preferences", sized("a", 64<<10)).wantNone() // exactly
		owner.patch("/me/preferences", `{"b":1}`).wantError(http.StatusRequestEntityTooLarge, "too_large")
		owner.patch("/me/preferences", sized("a", 40<<10)).wantNone()
		owner.patch("/me/preferences", sized("b", 30<<10)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		if keys := owner.get("/me/preferences").keys("prefs"); len(keys) != 1 {
			t.Errorf("a refused merge stored something: %v", keys)
		}
	})
}

// TestParallelMergesAreAllKept: forty clients each store a key.
func TestParallelMergesAreAllKept(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		replies := atOnce(40, func(i int) *reply {
			return owner.patch("/me/preferences", fmt.Sprintf(`{"key%d":%d,"shared":%d}`, i, i, i))
		})
		if got := tally(replies); got[http.StatusNoContent] != 40 {
			t.Errorf("statuses %v", got)
		}
		stored := owner.get("/me/preferences").want(http.StatusOK)
		for i := range 40 {
			if stored.text(fmt.Sprint("prefs.key", i)) != fmt.Sprint(i) {
				t.Errorf("key%d is lost", i)
			}
		}
	})
}

// TestConditionalMerge writes only over what was read.
func TestConditionalMerge(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		first := owner.get("/me/preferences").tag()
		owner.with("If-Match", first).patch("/me/preferences", `{"a":1}`).wantNone()
		for _, body := range []string{`{"a":2}`, `{}`} {
			owner.with("If-Match", first).patch("/me/preferences", body).wantError(http.StatusPreconditionFailed, "precondition_failed").wantShape()
		}
		owner.wantPrefs(`{"a":1}`)
		second := owner.get("/me/preferences").tag()
		owner.with("If-Match", "W/"+second).patch("/me/preferences", `{}`).wantNone()
		// One of several clients with the same state writes.
		replies := atOnce(5, func(i int) *reply {
			return owner.with("If-Match", second).patch("/me/preferences", fmt.Sprintf(`{"a":"client %d"}`, i))
		})
		if got := tally(replies); got[http.StatusNoContent] != 1 || got[http.StatusPreconditionFailed] != 4 {
			t.Errorf("statuses %v", got)
		}
	})
}

// TestParallelMergesKeepTheLimit lets merges race for the last places.
func TestParallelMergesKeepTheLimit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		replies := atOnce(8, func(i int) *reply {
			return owner.patch("/me/preferences", fmt.Sprintf(`{"key%d":"%s"}`, i, strings.Repeat("x", 15<<10)))
		})
		if got := tally(replies); got[http.StatusNoContent] != 4 || got[http.StatusRequestEntityTooLarge] != 4 {
			t.Errorf("statuses %v", got)
		}
		if keys := owner.get("/me/preferences").keys("prefs"); len(keys) != 4 {
			t.Errorf("%d keys are stored", len(keys))
		}
	})
}

// TestPreferencesChangeNoAnswer stores every kind of value under the keys once read by
// the server: all are stored, and no other answer changes.
func TestPreferencesChangeNoAnswer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "5", "-5")
		read := func() (all string) {
			for _, path := range append([]string{"/settings/journal", "/import-layouts", "/trades"}, figurePaths...) {
				all += string(d.get(path).want(http.StatusOK).body)
			}
			return all + string(d.upload("/imports", "Symbol,Side,Quantity,Price,Date\nAAA,buy,1,10,2026-01-05 15:00:00\n").want(http.StatusOK).body)
		}
		before := read()
		for _, key := range []string{"breakeven_tolerance", "time_zone", "timezone", "import.layouts", "week_start"} {
			for _, value := range []string{
				`-1`, `"x"`, `[]`, `{"amount":-1}`, `100`, `{"amount":100}`, `"Asia/Tokyo"`, `"Nowhere/Town"`, `1e400`, `[{"signature":5}]`, `null`,
			} {
				d.patch("/me/preferences", `{"`+key+`":`+value+`}`).wantNone()
				if read() != before {
					t.Errorf("%s %s changes an answer", key, value)
				}
			}
		}
	})
}
