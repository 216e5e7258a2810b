package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// maxDepth is the maximum nesting depth: the depth the API accepts, and the two levels
// around a preference here.
const maxDepth = 64 + 2

// maxRows is the maximum number of rows: as many as in a table. A large backup may have
// more if its rows are not empty: a row written by Fillbook has more than minRow bytes.
const (
	maxRows = 200_000
	minRow  = 64
)

// Decode reads a Fillbook backup, or the plain shapes other journals write (an object
// with account, executions or trades, and cash_transactions, or a list of such rows; see
// foreign.go). It reads only the text. Anything else, damaged files and newer versions
// are refused with a [journal.Error].
func Decode(text []byte) (*Document, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if err := checkText(text); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) {
		return decodeList(text)
	}
	var sections map[string]jsontext.Value
	if err := json.Unmarshal(text, &sections); err != nil {
		return nil, journal.Invalid("A JSON backup is an object or a list.")
	}
	if _, ours := sections["format"]; !ours {
		return decodeForeign(sections)
	}
	return decodeOwn(text, sections)
}

// checkText refuses what two readers could take in two ways, and what could
// not be stored: malformed text, duplicate keys, deep nesting, NUL characters,
// and more rows than would fit into memory.
func checkText(text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	most, rows := max(maxRows, int64(len(text)/minRow)), int64(0)
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return journal.Invalid("The file is empty.")
		}
		if err != nil {
			return newSyntaxError(err)
		}
		if decoder.StackDepth() > maxDepth {
			return journal.Invalid("The JSON is nested deeper than %d levels.", maxDepth)
		}
		if token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
			return journal.Invalid("The JSON holds a NUL character, which no text may have.")
		}
		if token.Kind() == '{' {
			rows++
		}
		if kind, length := decoder.StackIndex(decoder.StackDepth()); rows > most || kind == '[' && length > most {
			return journal.Invalid("The JSON has more than %d rows; split it and upload the parts.", most)
		}
		if decoder.StackDepth() == 0 {
			break
		}
	}
	if len(bytes.TrimLeft(text[decoder.InputOffset():], " \t\r\n")) > 0 {
		return journal.Invalid("There is text after the end of the JSON.")
	}
	return nil
}

func newSyntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax) {
		return journal.Invalid("The JSON has the key %q twice.", shorten(syntax.JSONPointer.LastToken()))
	}
	return &journal.Error{Kind: journal.KindInvalid, Code: "bad_request", Err: err, Message: "The file is not valid JSON."}
}

// shorten keeps a text from the file from filling a sentence.
func shorten(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// file has every member of a backup: the whole journal's and a single account's.
type file struct {
	Document
	Bundle
	Checksums map[string]string `json:"checksums"`
}

func decodeOwn(text []byte, sections map[string]jsontext.Value) (*Document, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Format != formatName {
		return nil, journal.Invalid("The file is not a Fillbook backup: its format must be %q and its version a number.", formatName)
	}
	if err := checkVersion(head.Version); err != nil {
		return nil, err
	}
	var in file
	if err := json.Unmarshal(text, &in, json.WithUnmarshalers(unmarshalTime)); err != nil {
		return nil, newFieldError(err)
	}
	if err := verify(in.Checksums, sections); err != nil {
		return nil, err
	}
	if _, single := sections["account"]; single {
		if len(in.Accounts) > 0 {
			return nil, journal.Invalid("A backup has either account or accounts, not both.")
		}
		in.Document.Accounts = []Bundle{in.Bundle}
	}
	in.Document.isVerified = in.Checksums != nil
	if err := in.Document.upgrade(text); err != nil {
		return nil, err
	}
	return &in.Document, nil
}

// notSummed are the members without a checksum.
var notSummed = []string{"format", "version", "exported_at", "checksums"}

// verify compares the checksums with what is there. A file without any was
// written by a person and is taken; else every section must have its own.
func verify(sums map[string]string, sections map[string]jsontext.Value) error {
	if sums == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if _, there := sections[name]; !there {
			return journal.Invalid("The backup is damaged: its section %q is missing.", shorten(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if slices.Contains(notSummed, name) {
			continue
		}
		sum, err := checksum(sections[name])
		if err != nil {
			return err
		}
		if sum != strings.ToLower(sums[name]) {
			return journal.Invalid("The backup is damaged: its section %q does not agree with its checksum.", shorten(name))
		}
	}
	return nil
}

// checksum is SHA-256 over a section without insignificant whitespace, each
// text and number as it is written.
func checksum(section jsontext.Value) (string, error) {
	section = section.Clone()
	if err := section.Compact(); err != nil {
		return "", newSyntaxError(err)
	}
	sum := sha256.Sum256(section)
	return hex.EncodeToString(sum[:]), nil
}

// newFieldError returns an error naming the invalid field.
func newFieldError(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return newSyntaxError(err)
	}
	var parts []string
	for token := range semantic.JSONPointer.Tokens() {
		parts = append(parts, shorten(token))
	}
	field := strings.Join(parts, ".")
	refusal, known := errors.AsType[*journal.Error](semantic.Err)
	switch {
	case known:
		return journal.Invalid("%s %s", field, strings.TrimPrefix(refusal.Message, "value "))
	case errors.Is(semantic.Err, decimal.ErrSyntax) || errors.Is(semantic.Err, decimal.ErrRange):
		return journal.Invalid("%s must be a number with at most %d digits before and %d after the decimal point.",
			field, decimal.MaxIntegerDigits, decimal.MaxDecimals)
	case field == "":
		return journal.Invalid("The backup is not as expected.")
	}
	return journal.Invalid("%s has the wrong type.", field)
}

// Rows counts the rows a person would count in the file: fills, cash transactions and
// unreadable rows.
func (d *Document) Rows() int {
	n := len(d.Problems)
	for _, b := range d.Accounts {
		n += len(b.Executions) + len(b.Cash)
	}
	return n
}

// isOurs reports whether a Fillbook wrote the file.
func (d *Document) isOurs() bool { return d.Format == formatName }

// nameRow returns a list name and a place in it, for messages.
func nameRow(what string, place int) string { return fmt.Sprintf("%s %d", what, place+1) }
