// Package annotations describes the values a trader adds to a trade: the struct
// containing them and their field table. Storage, the API, backups, exports and imports
// use both.
package annotations

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// Members are the annotations of a trade other than its tags and setups, with
// one type for each kind of value. [Values] are the stored values, and [Change]
// is a change of them; a request of the API has types of its own. The tags are
// the names in JSON, of the API and of backups, and the descriptions of the API.
//
// To add an annotation, add the column in a migration, and here the member and
// its line in [Fields]. See docs/architecture.md, "Add a field to the annotations".
type Members[Text, Number, Integer, Instant any] struct {
	Notes Text `json:"notes" doc:"Markdown."`
	// InitialRisk is the money at risk at entry, as the trader stated it. The playbook
	// derives the risk a stop implies.
	InitialRisk Number `json:"initial_risk" doc:"Above zero. A derived risk that is sent back as it was read stays derived."`
	StopPrice   Number `json:"stop_price" doc:"Above zero, except for a future or an option."`
	TargetPrice Number `json:"target_price" doc:"Above zero, except for a future or an option."`
	// LastStop is the stop a broker's statement showed at the end. It may have been
	// trailed, so no risk follows from it.
	LastStop       Number  `json:"last_stop" doc:"The last stop of a broker statement. Not used to derive the risk."`
	MAE            Number  `json:"mae"` // worst excursion
	MFE            Number  `json:"mfe"` // best excursion
	EmotionalState Text    `json:"emotional_state"`
	Confidence     Integer `json:"confidence" doc:"1 to 5."`
	TradeQuality   Integer `json:"trade_quality" doc:"1 to 5."`
	ReviewedAt     Instant `json:"reviewed_at"`
}

// Values are a trade's annotations as they are stored and answered.
type Values = Members[string, decimal.Null, Grade, *time.Time]

// Change is a change of annotations: each value is absent, null or new.
type Change = Members[journal.Opt[string], journal.Opt[decimal.Decimal], journal.Opt[int], journal.Opt[time.Time]]

// Grade is a grade from 1 to 5, or 0 for none.
type Grade int

// MaxGrade is the highest grade.
const MaxGrade = 5

// MarshalJSON writes null if there is no grade.
func (g Grade) MarshalJSON() ([]byte, error) {
	if g == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(g), 10), nil
}

// Field is an entry of the field table.
type Field = fields.Field[Values]

// Fields is the field table of [Values]. When two trades become one, a field's first
// value is kept, and notes are appended. Hence a merged trade counts as reviewed if one
// of the two was.
var Fields = fields.List[Values]{
	fields.NewText("notes", func(v *Values) *string { return &v.Notes }).
		Export("Notes").Alias("note", "comment", "comments").Limit(fields.LongText).
		EmptyIf(func(v *Values) bool { return journal.IsBlank(v.Notes) }).
		MergeBy(func(into, other *Values) { into.Notes = MergeNotes(into.Notes, other.Notes) }),
	fields.NewNumber("initial_risk", func(v *Values) *decimal.Null { return &v.InitialRisk }).
		Export("Initial Risk").Alias("risk").Limit(fields.AboveZero),
	fields.NewNumber("stop_price", func(v *Values) *decimal.Null { return &v.StopPrice }).
		Export("Stop").Alias("stop", "stoploss").Limit(fields.Price),
	fields.NewNumber("target_price", func(v *Values) *decimal.Null { return &v.TargetPrice }).
		Export("Target").Alias("target", "takeprofit").Limit(fields.Price),
	fields.NewNumber("mae", func(v *Values) *decimal.Null { return &v.MAE }).Export("MAE"),
	fields.NewNumber("mfe", func(v *Values) *decimal.Null { return &v.MFE }).Export("MFE"),
	fields.NewText("emotional_state", func(v *Values) *string { return &v.EmotionalState }).
		Export("Emotional State").Alias("emotion", "mood"),
	fields.NewGrade("confidence", func(v *Values) *Grade { return &v.Confidence }).Export("Confidence"),
	fields.NewGrade("trade_quality", func(v *Values) *Grade { return &v.TradeQuality }).Export("Quality").Alias("quality", "rating"),
	fields.NewInstant("reviewed_at", func(v *Values) **time.Time { return &v.ReviewedAt }).Export("Reviewed At"),
	fields.NewNumber("last_stop", func(v *Values) *decimal.Null { return &v.LastStop }).Export("Last Stop"),
}

// places are the indexes of the members by their names in JSON.
var places = func() map[string]int {
	found := map[string]int{}
	for member := range reflect.TypeFor[Values]().Fields() {
		found[member.Tag.Get("json")] = member.Index[0]
	}
	for _, f := range Fields {
		if _, ok := found[f.Name]; !ok {
			panic("annotations: no member has the JSON name " + f.Name)
		}
	}
	return found
}()

// MemberOf returns the pointer to a field's member in any [Members], for example
// *journal.Opt[string] in a [Change].
func MemberOf[Text, Number, Integer, Instant any](members *Members[Text, Number, Integer, Instant], f Field) any {
	return reflect.ValueOf(members).Elem().Field(places[f.Name]).Addr().Interface()
}

// rule is the line between the notes of two trades that became one.
const rule = "\n\n---\n\n"

// MergeNotes appends other notes below lines unless they are already there, so merging
// them again changes nothing. Its work is linear in the length of all texts.
func MergeNotes(notes string, others ...string) string {
	parts := map[string]bool{}
	var merged strings.Builder
	for _, text := range append([]string{notes}, others...) {
		if journal.IsBlank(text) || merged.Len() > 0 && !addParts(parts, text) {
			continue
		}
		if merged.Len() > 0 {
			merged.WriteString(rule)
		} else {
			addParts(parts, text)
		}
		merged.WriteString(text)
	}
	if merged.Len() == 0 {
		return notes
	}
	return merged.String()
}

// PartNotes returns notes without what MergeNotes added to before when it returned after.
// Parts that were edited since stay.
func PartNotes(notes, before, after string) string {
	old, added := map[string]bool{}, map[string]bool{}
	addParts(old, before)
	for part := range strings.SplitSeq(after, rule) {
		added[part] = !old[part]
	}
	parts := slices.DeleteFunc(strings.Split(notes, rule), func(part string) bool { return added[part] })
	return strings.Join(parts, rule)
}

// addParts adds the parts of a text between lines and reports whether one was missing.
func addParts(parts map[string]bool, text string) (isNew bool) {
	for part := range strings.SplitSeq(text, rule) {
		isNew = isNew || !parts[part]
		parts[part] = true
	}
	return isNew
}
