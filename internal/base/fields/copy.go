package fields

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
)

// Copy copies a struct's members to another instance of the same generic struct, except
// those with the given JSON names. The instances are the forms of one record: its values,
// a change, a request, a backup section. A member with the type T, *T or [decimal.Null]
// is copied to and from a journal.Opt with the value. A member missing from a change
// leaves the other as it is, and nil is a change's null. A struct with a single member,
// such as a request type, counts as this member.
//
// Copy panics if the types of two members do not correspond, so every pair of forms needs
// a test copying it once.
func Copy(into, from any, except ...string) {
	target, source := reflect.ValueOf(into).Elem(), reflect.ValueOf(from).Elem()
	for i := range source.NumField() {
		name, _, _ := strings.Cut(source.Type().Field(i).Tag.Get("json"), ",")
		if slices.Contains(except, name) {
			continue
		}
		if target.Type().Field(i).Name != source.Type().Field(i).Name {
			panic(fmt.Sprintf("fields: %s and %s are not instances of one struct", target.Type(), source.Type()))
		}
		if sent := readMember(source.Field(i)); sent.isSet {
			writeMember(target.Field(i), sent)
		}
	}
}

// CopyTo returns a new struct instance with another one's members; see [Copy].
func CopyTo[T any](from any, except ...string) (into T) {
	Copy(&into, from, except...)
	return into
}

// DropNulls makes a change's nulls absent, except for numbers.
func DropNulls(change any) {
	members := reflect.ValueOf(change).Elem()
	for _, member := range members.Fields() {
		if member.FieldByName(optNull).Bool() && member.FieldByName(optValue).Type() != reflect.TypeFor[decimal.Decimal]() {
			member.SetZero()
		}
	}
}

// memberValue is a member's value in any form. value is invalid for a null.
type memberValue struct {
	isSet bool
	value reflect.Value
}

var nullNumber = reflect.TypeFor[decimal.Null]()

// The member names in journal.Opt.
const (
	optSet   = "Set"
	optNull  = "Null"
	optValue = "Value"
)

// isOpt reports whether a type is an instance of journal.Opt.
func isOpt(t reflect.Type) bool {
	return strings.HasPrefix(t.Name(), "Opt[") && t.PkgPath() == "fillbook/internal/base/journal"
}

// isWrapper reports whether a type is a struct with a single exported member.
func isWrapper(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).IsExported()
}

func readMember(v reflect.Value) memberValue {
	switch {
	case isOpt(v.Type()):
		sent := memberValue{isSet: v.FieldByName(optSet).Bool()}
		if !v.FieldByName(optNull).Bool() {
			sent.value = v.FieldByName(optValue)
		}
		return sent
	case isWrapper(v.Type()):
		return readMember(v.Field(0))
	case v.Type() == nullNumber:
		n := v.Interface().(decimal.Null)
		if !n.Valid {
			return memberValue{isSet: true}
		}
		return memberValue{isSet: true, value: reflect.ValueOf(n.Decimal)}
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return memberValue{isSet: true}
		}
		return memberValue{isSet: true, value: v.Elem()}
	}
	return memberValue{isSet: true, value: v}
}

func writeMember(v reflect.Value, sent memberValue) {
	isNull := !sent.value.IsValid()
	switch {
	case isOpt(v.Type()):
		v.SetZero()
		v.FieldByName(optSet).SetBool(true)
		v.FieldByName(optNull).SetBool(isNull)
		if !isNull {
			assign(v.FieldByName(optValue), sent.value)
		}
	case isWrapper(v.Type()):
		writeMember(v.Field(0), sent)
	case isNull:
		v.SetZero()
	case v.Type() == nullNumber:
		v.Set(reflect.ValueOf(decimal.Of(sent.value.Interface().(decimal.Decimal))))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		assign(v.Elem(), sent.value)
	default:
		assign(v, sent.value)
	}
}

// assign sets a non-null value. Lists are copied by element.
func assign(into, from reflect.Value) {
	switch {
	case from.Type().AssignableTo(into.Type()):
		into.Set(from)
	case isWrapper(from.Type()) && from.Type().Field(0).Type == into.Type():
		into.Set(from.Field(0))
	case isWrapper(into.Type()) && into.Type().Field(0).Type == from.Type():
		into.Field(0).Set(from)
	case from.Kind() == reflect.Slice && into.Kind() == reflect.Slice:
		assignList(into, from)
	case from.Kind() == into.Kind() && from.CanConvert(into.Type()), from.CanInt() && into.CanInt():
		into.Set(from.Convert(into.Type()))
	default:
		panic(fmt.Sprintf("fields: a member of the type %s cannot be copied to %s", from.Type(), into.Type()))
	}
}

func assignList(into, from reflect.Value) {
	if from.IsNil() {
		into.SetZero()
		return
	}
	list := reflect.MakeSlice(into.Type(), from.Len(), from.Len())
	for i := range from.Len() {
		assign(list.Index(i), from.Index(i))
	}
	into.Set(list)
}
