package history

import (
	"fmt"
	"slices"
	"strings"
)

// verbs are the beginnings of summaries.
var verbs = map[ObjectAction]string{Created: "Created", Updated: "Changed", Deleted: "Deleted"}

// inferAction returns the action that follows from the objects.
func inferAction(objects []Object) Action {
	switch objects[0].Action {
	case Created:
		return Create
	case Deleted:
		return Delete
	default:
		return Update
	}
}

// summarize returns a sentence about the objects, such as "Deleted 3 fills of AAPL". It
// describes the objects with the action and type of the first one, and counts the others.
func summarize(objects []Object) string {
	first := objects[0]
	isLike := func(o Object) bool { return o.Type == first.Type && o.Action == first.Action }
	main := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return !isLike(o) })
	var text strings.Builder
	text.WriteString(verbs[first.Action] + " " + describe(main))
	type group struct {
		action ObjectAction
		kind   string
	}
	others := map[group]int{}
	var order []group
	for _, o := range objects {
		if isLike(o) {
			continue
		}
		g := group{o.Action, o.Type}
		if others[g] == 0 {
			order = append(order, g)
		}
		others[g]++
	}
	for i, g := range order {
		link := ", "
		if i == len(order)-1 {
			link = " and "
		}
		text.WriteString(link + strings.ToLower(verbs[g.action]) + " " + Count(g.kind, others[g]))
	}
	return text.String()
}

// Count returns a number of records of a type as part of a sentence, such as "3 fills".
func Count(kind string, n int) string { return fmt.Sprintf("%d %s", n, noun(kind, n)) }

// describe names some objects with one type.
func describe(objects []Object) string {
	kind, label := objects[0].Type, objects[0].Label
	isNamed := label != "" && !slices.ContainsFunc(objects, func(o Object) bool { return o.Label != label })
	if len(objects) == 1 {
		if !isNamed {
			return noun(kind, 1)
		}
		return noun(kind, 1) + " " + label
	}
	text := Count(kind, len(objects))
	if isNamed {
		text += " of " + label
	}
	return text
}
