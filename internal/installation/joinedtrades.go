package installation

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// joinedTrade is what other domains than the ledger had of a trade that a corporate action
// joined with another.
type joinedTrade struct {
	Annotations jsontext.Value `json:"annotations,omitempty"`
	Mark        *bars.Mark     `json:"mark,omitempty"`
}

// joinedTrades are those that a write joins, and those that it parts.
type joinedTrades struct {
	change ledger.TradeChanges
	joined map[journal.TradeID]*joinedTrade
}

// newJoinedTrades reads what the trades have that a corporate action joins.
func newJoinedTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, change ledger.TradeChanges) (j joinedTrades, err error) {
	j = joinedTrades{change: change, joined: map[journal.TradeID]*joinedTrade{}}
	if change.Keep == nil || len(change.Merged) == 0 {
		return j, nil
	}
	marks, err := bars.Marks(ctx, tx, owner)
	for _, m := range change.Merged {
		j.joined[m.From] = &joinedTrade{}
		if mark, found := marks[m.From]; found {
			j.joined[m.From].Mark = &mark
		}
	}
	return j, err
}

// addTo returns the prices of trades that are parted, and adds what the playbook returns and
// keeps to a regrouping.
func (j *joinedTrades) addTo(ctx context.Context, tx *db.Tx, owner journal.UserID, r *playbook.Regrouping) error {
	for _, back := range j.change.Returned {
		if len(back.Kept) == 0 {
			continue
		}
		var kept joinedTrade
		if err := json.Unmarshal(back.Kept, &kept); err != nil {
			return err
		}
		if kept.Mark != nil {
			bars.RecordMark(tx, owner, j.change.Account, back.Trade, "", nil, kept.Mark)
			if err := bars.SetMark(ctx, tx, owner, back.Trade, kept.Mark); err != nil {
				return err
			}
		}
		if len(kept.Annotations) > 0 {
			r.Returned = append(r.Returned, playbook.Returned{Trade: back.Trade, From: back.From, Kept: kept.Annotations})
		}
	}
	if j.change.Keep != nil {
		r.Keep = func(trade journal.TradeID, kept jsontext.Value) { j.joined[trade].Annotations = kept }
	}
	return nil
}

// save passes what is kept to the ledger.
func (j *joinedTrades) save() error {
	for trade, kept := range j.joined {
		if kept.Annotations == nil && kept.Mark == nil {
			continue
		}
		text, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		j.change.Keep[trade] = text
	}
	return nil
}
