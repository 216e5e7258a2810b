package history

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	stateless "github.com/klauspost/compress/flate"
)

// A stored content is the number of its codec and its canonical form, compressed with a
// dictionary: most of a small content are the names of members and fields.
const contentCodec = 1

// maxContent bounds a content. The largest are those of a thousand trades with long texts.
const maxContent = 256 << 20

// dictionary has what contents have in common, the most frequent last. It never changes,
// because stored contents depend on it: another dictionary needs another contentCodec.
const dictionary = `routine_itemnote_templateshare_linkbar_importconnectionprice_sourceposition_markpreferencesinstrument` +
	`starting_balance","account_type","base_currencybrokerUSDcash"missed_tradeschedulepositionpinnedcolumnsfilter` +
	`"occurred_at","body","title","symbols":[]daily_logweekly_review"contains":{"kept":{"bytes":,"sha256":"` +
	`"before":[],"name":"checklist"},{"after":"thesis"description"colorkind"mistake"emotional_state"confidence"trade_quality"mae"mfe` +
	`"last_stop""target_price""initial_risk"{"after":null,"before":null,"name":"notes"}{"after":["],"before":["],"name":"tag_ids"}` +
	`"setup_ids""rules""reviewed_at":"20T00:00:00Z"Changed trade Changed noteCreated noteDeleted Changed "cash_transactiondeposit"amount"` +
	`"contract"external_id","before":null,"name":"stated_pnl"},{"after":"futureoptionforexcryptoshort` +
	`"action":"deleted","id":"action":"updated","fields":[{"after":"","before":"","name":"stop_price"}],"id":"","label":"","type":"trade"}` +
	`],"summary":"Created fill of "}{"objects":[{"action":"created","fields":[` +
	`{"after":"","before":null,"name":"symbol"},{"after":"stock","before":null,"name":"instrument_type"},` +
	`{"after":"buysell","before":null,"name":"side"},{"after":"100","before":null,"name":"quantity"},{"after":"1","before":null,"name":"price"},` +
	`{"after":"0.","before":null,"name":"fees"},{"after":"1","before":null,"name":"commission"},{"after":"1","before":null,"name":"multiplier"},` +
	`{"after":"2026-01-01T14:30:00Z","before":null,"name":"executed_at"}],"id":"0","label":"","type":"execution"}],"summary":"Created fill "}`

// compressor and decompressor are pooled, because each takes much memory to make.
var (
	compressors = sync.Pool{New: func() any {
		w, err := flate.NewWriterDict(nil, flate.DefaultCompression, []byte(dictionary))
		if err != nil {
			panic(err) // the level is valid
		}
		return w
	}}
	decompressors = sync.Pool{New: func() any { return flate.NewReaderDict(bytes.NewReader(nil), []byte(dictionary)) }}
)

// smallContent is up to how many bytes a content is compressed without a compressor, whose
// large tables would take longer to clear than such a content to compress.
const smallContent = 4 << 10

// compress returns a canonical content as it is stored.
func compress(canonical []byte) []byte {
	b := bytes.NewBuffer([]byte{contentCodec})
	if len(canonical) <= smallContent {
		_ = stateless.StatelessDeflate(b, canonical, true, []byte(dictionary)) // a buffer takes everything
		return b.Bytes()
	}
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(b)
	_, _ = w.Write(canonical) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

var errContent = errors.New("a stored content cannot be read")

// decompress returns a stored content's canonical form.
func decompress(stored []byte) ([]byte, error) {
	if len(stored) == 0 || stored[0] != contentCodec {
		return nil, errContent
	}
	r := decompressors.Get().(io.ReadCloser)
	defer decompressors.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(stored[1:]), []byte(dictionary)); err != nil {
		return nil, err
	}
	canonical, err := io.ReadAll(io.LimitReader(r, maxContent))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errContent, err)
	}
	return canonical, nil
}

// storedObject is an object in a stored content or kept block.
type storedObject struct {
	Action   ObjectAction   `json:"action"`
	Contains map[string]int `json:"contains"`
	Fields   []Field        `json:"fields"`
	ID       string         `json:"id"`
	Label    string         `json:"label"`
	Type     string         `json:"type"`
}

func (o storedObject) toObject() Object {
	return Object{Type: o.Type, ID: o.ID, Label: o.Label, Action: o.Action, Fields: o.Fields, Contains: o.Contains}
}

// parseContent parses a canonical content.
func parseContent(canonical []byte) (content, error) {
	var stored struct {
		Kept    *keptBlock     `json:"kept"`
		Objects []storedObject `json:"objects"`
		Summary string         `json:"summary"`
	}
	if err := json.Unmarshal(canonical, &stored); err != nil {
		return content{}, fmt.Errorf("%w: %w", errContent, err)
	}
	c := content{summary: stored.Summary, kept: stored.Kept, objects: make([]Object, len(stored.Objects))}
	for i, o := range stored.Objects {
		c.objects[i] = o.toObject()
	}
	return c, nil
}
