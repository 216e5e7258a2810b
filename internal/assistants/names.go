package assistants

import (
	"bytes"
	"slices"
	"strings"

	"fillbook/internal/base/textindex"
)

// recordKind is a kind of records with names.
type recordKind struct {
	path   string // its list in the API
	source string // of its names
	word   string // in messages
}

var (
	accountRecords = recordKind{"/accounts", "account_name", "account"}
	setupRecords   = recordKind{"/setups", "setup_name", "setup"}
	tagRecords     = recordKind{"/tags", "tag_name", "tag"}
	viewRecords    = recordKind{"/views", "view_name", "view"}
)

// maxChoices limits the records that a refusal lists.
const maxChoices = 20

// loadNames reads the names of all records of a kind, once.
func (c *call) loadNames(kind recordKind) error {
	if c.lists[kind] != nil {
		return nil
	}
	records, err := c.getObjects(kind.path, nil)
	if err != nil {
		return err
	}
	names := make(map[string]string, len(records))
	for _, record := range records {
		id := record.text("id")
		names[id] = record.text("name")
		c.order[kind] = append(c.order[kind], id)
	}
	c.lists[kind] = names
	return nil
}

// resolve returns the id that a text means: an id, a whole name, or unless exact a part of
// one name.
func (c *call) resolve(kind recordKind, field, text string, exact bool) (string, error) {
	if err := c.loadNames(kind); err != nil {
		return "", err
	}
	if _, known := c.lists[kind][text]; known {
		return text, nil
	}
	folded := textindex.Fold(strings.TrimSpace(text))
	found := c.findNames(kind, func(name string) bool { return name == folded })
	if len(found) == 0 && !exact && folded != "" {
		found = c.findNames(kind, func(name string) bool { return strings.Contains(name, folded) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", c.refuseName("unknown_name", kind, field, "There is no "+kind.word+" with this name. The choices are the ones there are.", c.order[kind])
	}
	return "", c.refuseName("ambiguous_name", kind, field, "Several "+kind.word+"s match this name. Use the id of one.", found)
}

// resolveList resolves names separated by commas, or one name that contains commas.
func (c *call) resolveList(kind recordKind, field, text string, exact bool) ([]string, error) {
	id, err := c.resolve(kind, field, text, true)
	if err == nil {
		return []string{id}, nil
	}
	var ids []string
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		id, err := c.resolve(kind, field, strings.TrimSpace(part), exact)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, err
	}
	return ids, nil
}

func (c *call) findNames(kind recordKind, matches func(folded string) bool) (ids []string) {
	for _, id := range c.order[kind] {
		if matches(textindex.Fold(strings.TrimSpace(c.lists[kind][id]))) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (c *call) refuseName(code string, _ recordKind, field, message string, ids []string) error {
	refused := &refusal{Code: code, Field: field, Message: message}
	for _, id := range ids[:min(len(ids), maxChoices)] {
		refused.Choices = append(refused.Choices, choice{id})
	}
	return refused
}

// namesIn returns the names of the records whose ids a JSON text contains, up to a length; 0
// means none. Ids have no character that JSON escapes, so each is what is between two quotation
// marks.
func (c *call) namesIn(text []byte, longest int) map[string]untrusted {
	names := map[string]untrusted{}
	if longest == 0 {
		return names
	}
	for part := range bytes.SplitSeq(text, []byte{'"'}) {
		for kind, list := range c.lists {
			if name, isID := list[string(part)]; isID {
				names[string(part)] = newUntrusted(kind.source, name, min(longest, maxName))
			}
		}
	}
	return names
}
