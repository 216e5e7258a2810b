package deploy_test

import (
	"fmt"
	"strings"
	"testing"
)

// node is a YAML value: a text, a list or a mapping.
type node struct {
	text  string
	items []*node
	keys  []string
	under map[string]*node
}

// at returns the value at a path of keys, or nil if there is none.
func (n *node) at(keys ...string) *node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		n = n.under[key]
	}
	return n
}

// texts returns the items of a list, or the keys of a mapping.
func (n *node) texts() []string {
	if n == nil {
		return nil
	}
	texts := append([]string{}, n.keys...)
	for _, item := range n.items {
		texts = append(texts, item.text)
	}
	return texts
}

// yamlLine is a line that is not empty.
type yamlLine struct {
	number, indent int
	text           string
}

// parseYAML parses the subset of YAML that the deployment files use: mappings
// and lists by indentation, lists in brackets, quoted and plain texts, anchors
// and merges of mappings. Anything else fails the test.
func parseYAML(t *testing.T, text string) *node {
	t.Helper()
	p := &yamlParser{anchors: map[string]*node{}}
	for i, line := range strings.Split(text, "\n") {
		content := strings.TrimRight(line, " ")
		if at := strings.Index(content, " #"); at >= 0 {
			content = strings.TrimRight(content[:at], " ")
		}
		bare := strings.TrimLeft(content, " ")
		if bare == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		if strings.Contains(content, "\t") {
			t.Fatalf("line %d has a tab", i+1)
		}
		p.lines = append(p.lines, yamlLine{i + 1, len(content) - len(bare), bare})
	}
	result, err := p.block(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.lines) > 0 {
		t.Fatalf("line %d has an unexpected indentation", p.lines[0].number)
	}
	return result
}

type yamlParser struct {
	lines   []yamlLine
	anchors map[string]*node
}

// block parses the lines of one indentation.
func (p *yamlParser) block(indent int) (*node, error) {
	result := &node{under: map[string]*node{}}
	for len(p.lines) > 0 && p.lines[0].indent == indent {
		line := p.lines[0]
		if item, ok := strings.CutPrefix(line.text, "- "); ok {
			if err := p.item(result, line, item); err != nil {
				return nil, err
			}
			continue
		}
		key, value, ok := strings.Cut(line.text, ":")
		if !ok || value != "" && value[0] != ' ' {
			return nil, fmt.Errorf("line %d is not a key with a value: %s", line.number, line.text)
		}
		p.lines = p.lines[1:]
		if err := p.entry(result, line, key, strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// item parses one element of a list. A mapping in it continues below its first
// key.
func (p *yamlParser) item(list *node, line yamlLine, text string) error {
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") && !strings.HasPrefix(text, `"`) {
		p.lines[0] = yamlLine{line.number, line.indent + 2, text}
		inner, err := p.block(line.indent + 2)
		list.items = append(list.items, inner)
		return err
	}
	p.lines = p.lines[1:]
	list.items = append(list.items, scalar(text))
	return nil
}

func (p *yamlParser) entry(into *node, line yamlLine, key, value string) error {
	if key == "<<" {
		for name, inherited := range p.anchors[strings.TrimPrefix(value, "*")].under {
			into.keys, into.under[name] = append(into.keys, name), inherited
		}
		return nil
	}
	if into.under[key] != nil {
		return fmt.Errorf("line %d: duplicate key %s", line.number, key)
	}
	anchor := ""
	if strings.HasPrefix(value, "&") {
		anchor, value = value[1:], ""
	}
	result := scalar(value)
	if value == "" && len(p.lines) > 0 && p.lines[0].indent > line.indent {
		var err error
		if result, err = p.block(p.lines[0].indent); err != nil {
			return err
		}
	}
	if anchor != "" {
		p.anchors[anchor] = result
	}
	into.keys, into.under[key] = append(into.keys, key), result
	return nil
}

// scalar parses a text or a list in brackets.
func scalar(text string) *node {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok {
		return &node{text: strings.Trim(text, `"'`)}
	}
	list := &node{}
	for item := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
		list.items = append(list.items, scalar(strings.TrimSpace(item)))
	}
	return list
}
