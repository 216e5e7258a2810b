package tabular

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"fillbook/internal/base/journal"
)

// readXML lists the elements with attributes in a document.
func readXML(text string, b *budget) ([]Element, error) {
	w := newWalker(strings.NewReader(text), b)
	var elements []Element
	err := w.each("XML file", func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || len(start.Attr) == 0 {
			return nil
		}
		element, err := w.element(start, b)
		if len(element.Attr) > 0 {
			elements = append(elements, element)
		}
		return err
	})
	return elements, err
}

// element keeps an element whose attributes fit into the budget. Namespace declarations
// are no data.
func (w *walker) element(start xml.StartElement, b *budget) (Element, error) {
	if len(start.Attr) > b.limits.Columns {
		return Element{}, b.tooWide(w.line)
	}
	if err := b.row(len(start.Attr)); err != nil {
		return Element{}, err
	}
	if err := b.checkCell(len(start.Name.Local), w.line); err != nil {
		return Element{}, err
	}
	e := Element{Name: start.Name.Local, Parent: w.parent(), Line: w.line, Attr: make(map[string]string, len(start.Attr))}
	for _, attr := range start.Attr {
		if attr.Name.Space == "xmlns" || attr.Name.Space == "" && attr.Name.Local == "xmlns" {
			continue
		}
		if err := b.countText(max(len(attr.Name.Local), len(attr.Value)), w.line); err != nil {
			return Element{}, err
		}
		e.Attr[attr.Name.Local] = trim(attr.Value)
	}
	return e, nil
}

// walker reads XML token by token, under the rules for untrusted files: elements match
// and do not nest too deep, and there is no document type, which is where entities
// expanding to gigabytes are declared.
type walker struct {
	decoder *xml.Decoder
	budget  *budget
	path    []string // open element names
	line    int      // where the last token began
}

// newWalker returns a walker for UTF-8 text, whatever its declaration says.
func newWalker(text io.Reader, b *budget) *walker {
	decoder := xml.NewDecoder(&segments{reader: text})
	decoder.CharsetReader = func(_ string, same io.Reader) (io.Reader, error) { return same, nil }
	return &walker{decoder: decoder, budget: b}
}

// next returns the next token, or io.EOF at the end of a complete document. Like
// xml.Decoder's tokens it is valid until the next call.
func (w *walker) next() (xml.Token, error) {
	w.line, _ = w.decoder.InputPos()
	token, err := w.decoder.RawToken()
	if errors.Is(err, io.EOF) && len(w.path) > 0 {
		return nil, fmt.Errorf("element %s is not closed", w.path[len(w.path)-1])
	}
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case xml.StartElement:
		if len(w.path) >= maxNesting {
			return nil, journal.Invalid("The file has XML elements nested more than %d deep.", maxNesting)
		}
		w.path = append(w.path, token.Name.Local)
	case xml.EndElement:
		last := len(w.path) - 1
		if last < 0 || w.path[last] != token.Name.Local {
			return nil, fmt.Errorf("element %s is closed but not open", token.Name.Local)
		}
		w.path = w.path[:last]
	case xml.Directive:
		return nil, journal.Invalid("The file has an XML document type, which is not accepted; export it again without.")
	}
	return token, nil
}

// each calls visit for every token in a document; what names it in errors.
func (w *walker) each(what string, visit func(xml.Token) error) error {
	for {
		token, err := w.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = w.budget.step()
		}
		if err == nil {
			err = visit(token)
		}
		if err != nil {
			return newDamagedError(what, err)
		}
	}
}

// parent returns the name of the element around the one just opened.
func (w *walker) parent() string {
	if len(w.path) < 2 {
		return ""
	}
	return w.path[len(w.path)-2]
}

// maxSegment bounds the bytes from one "<" to the next: a tag with the text
// behind it.
const maxSegment = 1 << 20

// segments passes text through until a segment is too long. xml.Decoder gathers
// a tag with all its attributes, and a text, before anybody sees it, so this has
// to come before.
type segments struct {
	reader io.Reader
	length int
}

func (s *segments) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	for _, b := range p[:n] {
		s.length++
		if b == '<' {
			s.length = 0
		}
		if s.length > maxSegment {
			return 0, journal.Invalid("The file has a piece of XML of more than %s bytes.", formatThousands(maxSegment))
		}
	}
	return n, err
}
