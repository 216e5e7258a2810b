package assistants

import "slices"

// arg is an argument of a tool. Schemas use single types only, and no references or
// alternatives: some clients refuse the whole list of tools otherwise.
type arg struct {
	name, kind, about string
	required          bool
	values            []string // of an enumeration
	members           []arg    // of an object
	low, high         int      // of an integer, if high is not 0
}

// schemaOf returns the JSON schema of an object with some members.
func schemaOf(args []arg) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range args {
		properties[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func (a arg) schema() map[string]any {
	schema := map[string]any{"type": a.kind}
	switch a.kind {
	case "object":
		schema = schemaOf(a.members)
	case "array":
		schema["items"] = map[string]any{"type": "string"}
	}
	schema["description"] = a.about
	if a.values != nil {
		schema["enum"] = a.values
	}
	if a.high != 0 {
		schema["minimum"], schema["maximum"] = a.low, a.high
	}
	return schema
}

func text(name, about string) arg { return arg{name: name, kind: "string", about: about} }

func choiceOf(name, about string, values ...string) arg {
	return arg{name: name, kind: "string", about: about, values: values}
}

func number(name, about string) arg { return arg{name: name, kind: "number", about: about} }

func flag(name, about string) arg { return arg{name: name, kind: "boolean", about: about} }

func texts(name, about string) arg { return arg{name: name, kind: "array", about: about} }

func whole(name, about string, low, high int) arg {
	return arg{name: name, kind: "integer", about: about, low: low, high: high}
}

// needed returns the argument as a required one.
func needed(a arg) arg {
	a.required = true
	return a
}

// rangeArgs are the members of a filter that select accounts and dates.
var rangeArgs = []arg{
	text("account", "Names or ids."),
	choiceOf("period", "Instead of from and to.", periods...),
	text("from", "First day (2026-01-31) or instant."),
	text("to", "Last day or instant, inclusive."),
	text("tz", "IANA time zone. Default: the user's."),
}

// filterArg is the filter of trades, the same for all tools with figures or trades. Its
// description is part of each of them, so it is short.
var filterArg = arg{
	name: "filter", kind: "object", about: "Which trades, by closing time; all without it. Commas separate several values.", members: slices.Concat(rangeArgs, []arg{
		text("view", "A saved view; other members win."),
		text("symbol", "Symbols."),
		text("setup", "Names or ids."),
		text("tag", "Names or ids."),
		choiceOf("side", "Direction.", "long", "short"),
		text("outcome", "win, loss, breakeven."),
		text("instrument_type", "stock, option, future, forex, crypto, cfd."),
		text("weekday", "Of the opening: 0 (Sunday) to 6."),
		text("hour", "Of the opening: 0 to 23."),
		text("session", "premarket, rth, afterhours, overnight."),
		choiceOf("reviewed", "Marked as reviewed.", "true", "false"),
	}),
}

// rangeArg is the filter of other records.
var rangeArg = arg{name: "filter", kind: "object", about: "Accounts and dates; all without it.", members: rangeArgs}

// The arguments of lists with pages.
var (
	limitArg  = whole("limit", "Rows, 1 to 100. Default 20.", 1, 100)
	cursorArg = text("cursor", "more.cursor of the page before, with the same arguments.")
	keyArg    = text("request_key", "Any text, new for each intended write: a retry with the same key is not carried out twice.")
)
