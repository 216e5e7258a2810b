package history

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// A kept block has what a change removed: the rows, table by table, and the values of
// deleted objects and long texts. It is compressed JSON Lines: {"table", "columns"} before
// the rows of a table, each an array, and at the end {"objects"}.

// maxText is the length above which a text is in the kept block and not in the content.
const maxText = 4 << 10

// blockPart is how many bytes of a block are in a row.
const blockPart = 1 << 20

// blockWriter collects a kept block.
type blockWriter struct {
	data bytes.Buffer
	out  *flate.Writer
	text []byte // of the last row
}

func newBlockWriter() *blockWriter {
	b := &blockWriter{}
	b.out, _ = flate.NewWriter(&b.data, flate.BestSpeed) // the level is valid
	return b
}

// line writes a value and the end of its line.
func (b *blockWriter) line(value any) error {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, _ = b.out.Write(append(text, '\n')) // a buffer takes everything
	return nil
}

// row writes a row and the end of its line.
func (b *blockWriter) row(row []any) (err error) {
	b.text, err = appendRow(b.text[:0], row)
	if err != nil {
		return err
	}
	_, _ = b.out.Write(append(b.text, '\n')) // a buffer takes everything
	return nil
}

type tableLine struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

type objectsLine struct {
	Objects []jsontext.Value `json:"objects"`
}

// finish ends the block with the values of objects, and returns it.
func (b *blockWriter) finish(objects []Object) ([]byte, error) {
	var last objectsLine
	for _, o := range objects {
		text := quote([]byte(`{"action":`), o.Action)
		text = appendFields(append(text, `,"fields":`...), o.Fields)
		text = quote(append(text, `,"id":`...), o.ID)
		last.Objects = append(last.Objects, append(quote(append(text, `,"type":`...), o.Type), '}'))
	}
	if err := b.line(last); err != nil {
		return nil, err
	}
	if err := b.out.Close(); err != nil {
		return nil, err
	}
	return b.data.Bytes(), nil
}

// Keep keeps rows of a table that the transaction is about to delete or change, so that an
// undo can bring them back. where is a condition with the arguments after the owner's, $1.
// It must be called before the rows are deleted, for tables in the order in which their
// rows are inserted again.
func Keep(ctx context.Context, tx *db.Tx, owner journal.UserID, table, where string, args ...any) error {
	c := collectorOf(tx, owner)
	if c.block == nil {
		c.block = newBlockWriter()
	}
	begun := false
	return tx.EachRow(ctx, table, `user_id = $1 AND `+where, append([]any{owner}, args...), func(columns []string, row []any) error {
		if !begun {
			begun = true
			if err := c.block.line(tableLine{table, columns}); err != nil {
				return err
			}
		}
		hideKeys(columns, row)
		return c.block.row(row)
	})
}

// keysAtOnce is how many keys a statement of [KeepIn] has.
const keysAtOnce = 500

// KeepIn is [Keep] for rows with one of some keys in a column.
func KeepIn[K any](ctx context.Context, tx *db.Tx, owner journal.UserID, table, where, column string, keys []K, args ...any) error {
	for part := range slices.Chunk(keys, keysAtOnce) {
		all := append([]any{owner}, args...)
		condition := where + column + ` IN ` + db.In(&all, part)
		if err := Keep(ctx, tx, owner, table, condition, all[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// keyColumn is the column, in any table, with keys for other servers. They are destroyed with
// their row and never kept.
const keyColumn = "credentials"

// hideKeys removes keys from a row.
func hideKeys(columns []string, row []any) {
	if at := slices.Index(columns, keyColumn); at >= 0 {
		row[at] = nil
	}
}

// appendRow appends a row as compact JSON. Bytes are {"b": base64}. A general encoder takes
// longer than reading the row.
func appendRow(b []byte, row []any) (_ []byte, err error) {
	for i, value := range row {
		b = append(b, "[,"[min(i, 1)])
		switch v := value.(type) {
		case nil:
			b = append(b, "null"...)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case string:
			if b, err = jsontext.AppendQuote(b, v); err != nil {
				return nil, err
			}
		case []byte:
			b = append(base64.StdEncoding.AppendEncode(append(b, `{"b":"`...), v), `"}`...)
		default:
			return nil, fmt.Errorf("a value of type %T in a row to keep", value)
		}
	}
	return append(b, ']'), nil
}

// KeptRows are rows of one table in a kept block.
type KeptRows struct {
	Table   string
	Columns []string
	Rows    [][]any

	lines [][]byte // the rows as JSON; they take less memory
}

// Value returns a row's value in a column, or nil.
func (k *KeptRows) Value(row int, column string) any {
	if at := slices.Index(k.Columns, column); at >= 0 {
		return k.Rows[row][at]
	}
	return nil
}

// SetValue sets a row's value in a column, if there is one.
func (k *KeptRows) SetValue(row int, column string, value any) {
	if at := slices.Index(k.Columns, column); at >= 0 {
		k.Rows[row][at] = value
	}
}

// Select returns the rows for which keep returns true.
func (k KeptRows) Select(keep func(row int) bool) KeptRows {
	selected := KeptRows{Table: k.Table, Columns: k.Columns}
	for i := range k.Rows {
		if keep(i) {
			selected.Rows = append(selected.Rows, k.Rows[i])
		}
	}
	return selected
}

// Scan copies a row's values in some columns to dest; a column that is not there is NULL.
func (k *KeptRows) Scan(row int, columns []string, dest ...any) error {
	values := make([]any, len(columns))
	for i, column := range columns {
		values[i] = k.Value(row, column)
	}
	return db.ScanRow(values, dest...)
}

// keptChunk is how many rows [KeptRows.each] decodes at a time: a multiple of the rows in
// one INSERT.
const keptChunk = 1600

// each calls fn with the rows, some at a time.
func (k *KeptRows) each(fn func(KeptRows) error) error {
	for lines := range slices.Chunk(k.lines, keptChunk) {
		rows := make([][]any, len(lines))
		cells := make([]any, len(lines)*len(k.Columns))
		for i, line := range lines {
			rows[i], cells = cells[:len(k.Columns):len(k.Columns)], cells[len(k.Columns):]
			if err := decodeRow(line, rows[i]); err != nil {
				return fmt.Errorf("reading a kept row of %s: %w", k.Table, err)
			}
		}
		if err := fn(KeptRows{Table: k.Table, Columns: k.Columns, Rows: rows}); err != nil {
			return err
		}
	}
	return nil
}

// Block is an opened kept block.
type Block struct {
	Tables []KeptRows
	// Objects have the values of deleted objects and long texts.
	Objects []Object
}

// parseBlock parses a kept block.
func parseBlock(data []byte) (*Block, error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, fmt.Errorf("reading a kept block: %w", err)
	}
	block := &Block{}
	for line := range bytes.Lines(text) {
		if line[0] == '[' {
			err = block.addRow(line)
		} else {
			err = block.addLine(line)
		}
		if err != nil {
			return nil, fmt.Errorf("reading a kept block: %w", err)
		}
	}
	return block, nil
}

func (b *Block) addRow(line []byte) error {
	if len(b.Tables) == 0 {
		return errContent
	}
	last := &b.Tables[len(b.Tables)-1]
	last.lines = append(last.lines, line)
	return nil
}

// decodeRow parses a row of [appendRow]. A general parser takes longer than inserting the row.
func decodeRow(line []byte, into []any) error {
	rest := string(bytes.TrimSuffix(line, []byte("\n"))) // texts are parts of it
	for i := range into {
		var err error
		if rest == "" || rest[0] != "[,"[min(i, 1)] {
			return errContent
		}
		if into[i], rest, err = decodeCell(rest[1:]); err != nil {
			return err
		}
	}
	if rest != "]" {
		return errContent
	}
	return nil
}

// decodeCell parses the value with which a text begins, and returns the text after it.
func decodeCell(text string) (value any, rest string, err error) {
	if after, isNull := strings.CutPrefix(text, "null"); isNull {
		return nil, after, nil
	}
	if after, isBytes := strings.CutPrefix(text, `{"b":`); isBytes {
		encoded, after, err := decodeText(after)
		if err != nil || !strings.HasPrefix(after, "}") {
			return nil, "", errContent
		}
		raw, err := base64.StdEncoding.DecodeString(encoded)
		return raw, after[1:], err
	}
	if strings.HasPrefix(text, `"`) {
		return decodeText(text)
	}
	end := strings.IndexAny(text, ",]")
	if end < 0 {
		return nil, "", errContent
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	return n, text[end:], err
}

// decodeText parses the JSON text with which a text begins.
func decodeText(text string) (value, rest string, err error) {
	if text == "" || text[0] != '"' {
		return "", "", errContent
	}
	escaped := false
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			if !escaped {
				return text[1:i], text[i+1:], nil
			}
			unquoted, err := jsontext.AppendUnquote(nil, text[:i+1])
			return string(unquoted), text[i+1:], err
		}
	}
	return "", "", errContent
}

func (b *Block) addLine(value jsontext.Value) error {
	var line struct {
		Table   string         `json:"table"`
		Columns []string       `json:"columns"`
		Objects []storedObject `json:"objects"`
	}
	if err := json.Unmarshal(value, &line); err != nil {
		return err
	}
	if line.Table != "" {
		b.Tables = append(b.Tables, KeptRows{Table: line.Table, Columns: line.Columns})
	}
	for _, o := range line.Objects {
		b.Objects = append(b.Objects, o.toObject())
	}
	return nil
}

// shorten moves an object's long texts to an object for the kept block, and returns whether
// there are any. In the object they are replaced by their hash and length.
func (o *Object) shorten() (long Object, isLong bool) {
	for i, f := range o.Fields {
		if len(f.Before) <= maxText && len(f.After) <= maxText {
			continue
		}
		if !isLong {
			o.Fields = slices.Clone(o.Fields)
			long, isLong = Object{Type: o.Type, ID: o.ID, Action: o.Action}, true
		}
		long.Fields = append(long.Fields, f)
		o.Fields[i] = Field{f.Name, shortValue(f.Before), shortValue(f.After)}
	}
	return long, isLong
}

// shortValue returns a long value's length and hash, and another value itself.
func shortValue(value jsontext.Value) jsontext.Value {
	if len(value) <= maxText {
		return value
	}
	sum := sha256.Sum256(value)
	return fmt.Appendf(nil, `{"length":%d,"sha256":"%s"}`, len(value), hex.EncodeToString(sum[:]))
}
