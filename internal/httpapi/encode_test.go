package httpapi

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/transport"
)

// TestAppendedRecordsEqualMarshaled for the zero value and for random values in every
// member: a missing or misplaced member makes the texts differ.
func TestAppendedRecordsEqualMarshaled(t *testing.T) {
	t.Parallel()
	compareAppended[Trade](t)
	compareAppended[Execution](t)
	compareAppended[tradeFill](t) // embeds an Execution
	compareAppended[TradeDetail](t)
	compareAppendedMember(t, func(s *summaryAnswer) any { return &s.Explanation })
}

func compareAppended[T any](t *testing.T) {
	t.Helper()
	compareAppendedMember(t, func(record *T) any { return record })
}

// compareAppendedMember compares records in which one member has random values.
func compareAppendedMember[T any](t *testing.T, member func(*T) any) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) // test data
	for i := range 300 {
		var record T
		if i > 0 {
			fillRandomly(random, reflect.ValueOf(member(&record)).Elem())
		}
		want, err := transport.Marshal(&record)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendRecord([]byte("before"), &record)
		if err != nil || string(got) != "before"+string(want) {
			t.Fatalf("record %d: %v\n got %s\nwant %s", i, err, got[len("before"):], want)
		}
	}
}

// TestInvalidTextIsNotAppended: it would not be valid JSON.
func TestInvalidTextIsNotAppended(t *testing.T) {
	t.Parallel()
	trade := Trade{Notes: "a\xffb"}
	if _, err := appendRecord(nil, &trade); err == nil {
		t.Error("a trade with invalid text has no error")
	}
	for _, fill := range []Execution{{Symbol: "\xff"}, {Details: map[string]string{"a": "\xff"}}} {
		if _, err := appendRecord(nil, &fill); err == nil {
			t.Errorf("a fill with invalid text has no error: %+v", fill)
		}
	}
}

var randomTexts = []string{
	"", "AAPL", "a quote \" and a \\", "<b>&amp;</b>", "tab\tline\nreturn\rbell\x07nul-free\x1f\x7f", "Größe € 😀", "\u2028\u2029", "e\u0301\ufffd",
}

// fillRandomly sets every exported member to a random value; pointers, lists and
// maps may be nil or empty.
func fillRandomly(random *rand.Rand, v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		*at = decimal.FromScaled(random.Int64N(2e9)-1e9, random.Int32N(10))
		return
	case *decimal.Null:
		if *at = (decimal.Null{}); random.IntN(2) == 0 {
			at.Valid = true
			fillRandomly(random, reflect.ValueOf(&at.Decimal).Elem())
		}
		return
	case *orNull[TradeExcursion]:
		if at.value = nil; random.IntN(3) > 0 {
			at.value = &TradeExcursion{}
			fillRandomly(random, reflect.ValueOf(at.value).Elem())
		}
		return
	case *time.Time:
		*at = time.UnixMicro(random.Int64N(7e15)).UTC()
		if random.IntN(2) == 0 {
			*at = at.Truncate(time.Second)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(randomTexts[random.IntN(len(randomTexts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64N(6))
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Interface: // a figure's value
		v.Set(reflect.ValueOf([]any{3, "money", decimal.New(7), decimal.Null{}}[random.IntN(4)]))
	case reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandomly(random, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(4), 4))
		for i := range v.Len() {
			fillRandomly(random, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillRandomly(random, key)
			fillRandomly(random, value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for _, member := range v.Fields() {
			fillRandomly(random, member)
		}
	default:
		panic("no random value of a " + v.Type().String())
	}
}
