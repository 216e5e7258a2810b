package history

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members returns the members of a set.
func members(set jsontext.Value) (list []string) {
	var values []jsontext.Value
	if set.Kind() != '[' || json.Unmarshal(set, &values) != nil {
		return nil
	}
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// hasMembers reports whether a set has the members that a change added, and none that it
// removed.
func hasMembers(change Field, current jsontext.Value) bool {
	before, after, now := members(change.Before), members(change.After), members(current)
	added, removed := without(after, before), without(before, after)
	return len(without(added, now)) == 0 && len(without(removed, now)) == len(removed)
}

// revertMembers returns a set without the members that a change added, and with those that
// it removed, at their places if nothing else has changed.
func revertMembers(change Field, current jsontext.Value) jsontext.Value {
	if bytes.Equal(current, change.After) {
		return change.Before
	}
	before, after := members(change.Before), members(change.After)
	list := without(members(current), without(after, before))
	for i, member := range before {
		if !slices.Contains(list, member) && !slices.Contains(after, member) {
			list = slices.Insert(list, min(i, len(list)), member)
		}
	}
	out := []byte{'['}
	for i, member := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, member...)
	}
	return append(out, ']')
}
