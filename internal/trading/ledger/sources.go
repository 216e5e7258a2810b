package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// source is a row of fill_sources: the values that one source has for a fill. Only those
// a source can state are set.
type source struct {
	seq    int64 // the fill's in the account
	number int64
	importSource
	key    streamKey
	values fill
	// replaces are a corrected fill's earlier ids, the latest first.
	replaces []string
}

// newSource returns a fill's values as an execution's source.
func newSource(seq, number int64, from importSource, key streamKey, said *fill) *source {
	s := &source{seq: seq, number: number, importSource: from, key: key, values: *said}
	s.values.facts &= sourceFacts
	return s
}

// says reports whether two sources have the same values for the fill.
func (s *source) says(other *source) bool {
	return s.key == other.key && s.values.hasSameValues(&other.values)
}

// correctorID identifies the sources correcting each other: from one connection or hook,
// or all the account's files. It is empty for entries by hand and backups, which correct
// nothing.
func (s *source) correctorID() string {
	switch {
	case s.sender != "":
		return s.sender
	case s.values.facts.has(Uploaded):
		return "files"
	}
	return ""
}

// latestOf returns the latest source from a connection or hook, or nil.
func latestOf(list []*source, sender string) *source {
	for _, s := range slices.Backward(list) {
		if s.sender == sender {
			return s
		}
	}
	return nil
}

// sourceContent is a source's JSON.
type sourceContent struct {
	Symbol      string          `json:"symbol"`
	Type        string          `json:"type"`
	OptionRight string          `json:"option_right,omitempty"`
	Strike      string          `json:"strike,omitempty"`
	Expiry      string          `json:"expiry,omitempty"`
	Lot         string          `json:"lot,omitempty"`
	At          int64           `json:"at"`
	Side        matching.Side   `json:"side"`
	Quantity    decimal.Decimal `json:"quantity"`
	Price       decimal.Decimal `json:"price"`
	Fees        decimal.Decimal `json:"fees"`
	Commission  decimal.Decimal `json:"commission"`
	Multiplier  decimal.Decimal `json:"multiplier"`
	StatedPnL   decimal.Null    `json:"stated_pnl,omitzero"`
	Kind        matching.Kind   `json:"kind,omitempty"`
	IsEstimated bool            `json:"basis_estimated,omitempty"`
	Closes      bool            `json:"closes,omitempty"`
	ExternalID  string          `json:"external_id,omitempty"`
	Details     string          `json:"details,omitempty"`
	Facts       Facts           `json:"facts"`
	Sender      string          `json:"sender,omitempty"`
	Replaces    []string        `json:"replaces,omitempty"`
}

func (s *source) marshalContent() (string, error) {
	k, f := s.key, &s.values
	text, err := json.Marshal(sourceContent{
		Symbol: k.symbol, Type: k.kind, OptionRight: k.right, Strike: k.strike, Expiry: k.expiry, Lot: k.lot,
		At: f.at, Side: f.side, Quantity: f.quantity, Price: f.comparedPrice(), Fees: f.fees, Commission: f.commission,
		Multiplier: f.multiplier, StatedPnL: f.stated, ExternalID: f.externalID, Details: f.details, Facts: f.facts,
		Sender: s.sender, Replaces: s.replaces, Kind: f.kind, IsEstimated: f.isEstimated, Closes: f.closes,
	})
	return string(text), err
}

const sourceSelect = `SELECT seq, source, batch_id, content FROM fill_sources WHERE user_id = $1 AND account = $2 AND `

func scanSource(row db.Scanner) (*source, error) {
	s := &source{}
	var text string
	if err := row.Scan(&s.seq, &s.number, &s.batch, &text); err != nil {
		return nil, err
	}
	var c sourceContent
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("reading source %d of execution number %d: %w", s.number, s.seq, err)
	}
	s.key, s.values, s.sender, s.replaces = c.key(), c.fill(), c.Sender, c.Replaces
	return s, nil
}

// key returns the content's instrument.
func (c *sourceContent) key() streamKey {
	return streamKey{symbol: c.Symbol, kind: c.Type, right: c.OptionRight, strike: c.Strike, expiry: c.Expiry, lot: c.Lot}
}

// fill returns the content's values.
func (c *sourceContent) fill() fill {
	return fill{
		fillTime: fillTime{c.At, c.Facts}, side: c.Side, quantity: c.Quantity, price: c.Price, fees: c.Fees, commission: c.Commission,
		multiplier: c.Multiplier, stated: c.StatedPnL, externalID: c.ExternalID, details: c.Details,
		fillKind: fillKind{kind: c.Kind, isEstimated: c.IsEstimated, closes: c.Closes},
	}
}

// loadSources reads some fills' sources, each list by number.
func (a *accountRows) loadSources(ctx context.Context, numbers []int64) (map[int64][]*source, error) {
	found := make(map[int64][]*source, len(numbers))
	list, err := db.ListIn(ctx, a.tx, numbers, scanSource, sourceSelect+`seq IN $keys ORDER BY seq, source`, a.owner, a.account.number)
	for _, s := range list {
		found[s.seq] = append(found[s.seq], s)
	}
	return found, err
}

var sourceKey = []string{"user_id", "account", "seq", "source"}

func (a *accountRows) sourceKeyOf(s *source) []any {
	return []any{int64(a.owner), a.account.number, s.seq, s.number}
}

// insertSources stores sources.
func (a *accountRows) insertSources(ctx context.Context, list []*source) error {
	rows := make([][]any, len(list))
	for i, s := range list {
		text, err := s.marshalContent()
		if err != nil {
			return err
		}
		rows[i] = append(a.sourceKeyOf(s), string(s.batch), text)
	}
	return a.tx.QueueRows(ctx, "fill_sources", append(slices.Clone(sourceKey), "batch_id", "content"), "", rows)
}

// deleteSources deletes a deleted fill's sources.
func (a *accountRows) deleteSources(ctx context.Context, f *fill) error {
	if !f.facts.has(hasSources) {
		return nil
	}
	return a.tx.Queue(ctx, `DELETE FROM fill_sources WHERE user_id = $1 AND account = $2 AND seq = $3`, a.owner, a.account.number, f.seq)
}

// repeat is a row of import_repeats: known fills an import contained.
type repeat struct {
	first, last int64
	source      int64
	batch       journal.BatchID
}

// joinRepeats joins repeats for consecutive fills.
func joinRepeats(list []repeat) []repeat {
	slices.SortFunc(list, func(a, b repeat) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.first, b.first))
	})
	joined := list[:0]
	for _, r := range list {
		if n := len(joined); n > 0 && joined[n-1].source == r.source && joined[n-1].last+1 == r.first {
			joined[n-1].last = r.last
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// insertRepeats stores which known fills an import contained.
func (a *accountRows) insertRepeats(ctx context.Context, list []repeat) error {
	var rows [][]any
	for _, r := range joinRepeats(list) {
		rows = append(rows, []any{int64(a.owner), a.account.number, r.first, r.last, r.source, string(r.batch)})
	}
	return a.tx.QueueRows(ctx, "import_repeats",
		[]string{"user_id", "account", "first_seq", "last_seq", "source", "batch_id"}, "ON CONFLICT DO NOTHING", rows)
}

// loadRepeats reads the repeats for a fill range.
func (a *accountRows) loadRepeats(ctx context.Context, first, last int64) ([]repeat, error) {
	return db.List(ctx, a.tx, func(row db.Scanner) (r repeat, err error) {
		err = row.Scan(&r.first, &r.last, &r.source, &r.batch)
		return r, err
	}, `SELECT first_seq, last_seq, source, batch_id FROM import_repeats
		WHERE user_id = $1 AND account = $2 AND first_seq <= $3 AND last_seq >= $4 ORDER BY batch_id, first_seq, source`,
		a.owner, a.account.number, last, first)
}
