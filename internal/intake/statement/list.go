package statement

import "strings"

// ListItem is a name in a list cell from our own tables, with the kind written in front
// of it, as in "mistake: chased". Most have none.
type ListItem struct{ Kind, Name string }

// MistakeKind is the kind for tags about mistakes.
const MistakeKind = "mistake"

// JoinList writes names into one cell, with semicolons between them. A backslash precedes
// semicolons and backslashes in a name, and a colon that would make its beginning a kind.
func JoinList(items []ListItem) string {
	parts := make([]string, len(items))
	for i, item := range items {
		name := strings.NewReplacer(`\`, `\\`, `;`, `\;`).Replace(item.Name)
		if item.Kind != "" {
			parts[i] = item.Kind + ": " + name
			continue
		}
		if kind, rest, ok := strings.Cut(name, ":"); ok && isListKind(kind) {
			name = kind + `\:` + rest
		}
		parts[i] = name
	}
	return strings.Join(parts, "; ")
}

// SplitList reads a [JoinList] cell. A backslash before any other character is part of
// the name.
func SplitList(text string) []ListItem {
	var items []ListItem
	var item ListItem
	var name strings.Builder
	end := func() {
		if item.Name = strings.TrimSpace(name.String()); item.Name != "" || item.Kind != "" {
			items = append(items, item)
		}
		item = ListItem{}
		name.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`\;:`, text[i+1]) >= 0:
			i++
			name.WriteByte(text[i])
		case text[i] == ';':
			end()
		case text[i] == ':' && item.Kind == "" && isListKind(name.String()):
			item.Kind = MistakeKind
			name.Reset()
		default:
			name.WriteByte(text[i])
		}
	}
	end()
	return items
}

func isListKind(word string) bool { return strings.EqualFold(strings.TrimSpace(word), MistakeKind) }
