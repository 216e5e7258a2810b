package ledger

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// This file gives trades back their ids, and what they had, when the corporate action that
// joined them is deleted or changed. A trade is known by what opened it, its anchor.

// formerTrade is a trade that corporate actions have joined with another, or that has another
// beginning since.
type formerTrade struct {
	id journal.TradeID
	// number orders them: what was joined last is parted first.
	number int64
	anchor string
	// kept has what the trade had when it became part of another, nil if it did not.
	kept *keptTrade
}

// keptTrade is what a trade had when it became part of another.
type keptTrade struct {
	Into journal.TradeID  `json:"into"`
	Cash []journal.CashID `json:"cash,omitempty"` // cash rows linked to it
	// More is what [Follow] kept of it.
	More jsontext.Value `json:"more,omitempty"`
}

// Return names a trade that was part of another because of a corporate action, and has its
// own id again.
type Return struct {
	Trade journal.TradeID
	// From is the trade that it was part of, empty if that is gone.
	From journal.TradeID
	// Kept is what was kept in [TradeChanges.Keep] when it was joined.
	Kept jsontext.Value
}

// actionEffects are what a regrouping because of a corporate action needs to know.
type actionEffects struct {
	former []formerTrade // by number
	// existing are those of them that are trades.
	existing map[journal.TradeID]bool
	// undone reports that the history restores what the trades had.
	undone bool
	// before and after have the anchors of the regrouped trades.
	before, after map[journal.TradeID]string
}

// anchorOf names what opens a trade: a fill by its number, or an event.
func anchorOf(key streamKey, first matching.Position) string {
	if first.Seq == 0 {
		return eventAnchor(key, first.At)
	}
	return "fill " + strconv.FormatInt(first.Seq, 10)
}

// loadEffects reads the account's former trades, so that a regrouping gives them their ids
// again where they begin again.
func (set *streamSet) loadEffects(ctx context.Context) error {
	e := &actionEffects{existing: map[journal.TradeID]bool{}, before: map[journal.TradeID]string{}, after: map[journal.TradeID]string{}}
	var ids []journal.TradeID
	err := db.Each(ctx, set.tx, func(row db.Scanner) error {
		var f formerTrade
		var kept *string
		if err := row.Scan(&f.id, &f.number, &f.anchor, &kept); err != nil {
			return err
		}
		if kept != nil {
			f.kept = &keptTrade{}
			if err := json.Unmarshal([]byte(*kept), f.kept); err != nil {
				return err
			}
		}
		e.former, ids = append(e.former, f), append(ids, f.id)
		return nil
	}, `SELECT trade_id, number, anchor, kept FROM trades_before_actions WHERE user_id = $1 AND account = $2 ORDER BY number, trade_id`,
		set.owner, set.account.number)
	if err != nil {
		return err
	}
	existing, err := set.selectExisting(ctx, ids)
	for _, id := range existing {
		e.existing[id] = true
	}
	set.effects = e
	return err
}

// selectExisting returns those of some ids that trades have.
func (set *streamSet) selectExisting(ctx context.Context, ids []journal.TradeID) ([]journal.TradeID, error) {
	return db.ListIn(ctx, set.tx, ids, db.Single[journal.TradeID], `SELECT id FROM trades WHERE user_id = $1 AND id IN $keys`, set.owner)
}

// setAnchors sets what opens the trades: the position that an action acts on gives the id.
func (r *regrouping) setAnchors() {
	r.anchors = make(map[string]string, len(r.old))
	for _, t := range r.old {
		r.anchors[string(t.id)] = anchorOf(r.keys[t.stream], t.First)
	}
	for i := range r.trades {
		r.trades[i].Anchor = anchorOf(r.keys[r.streams[i]], r.trades[i].First)
	}
}

// applyFormer returns the identities with those of former trades that begin again.
func (r *regrouping) applyFormer(list []matching.Identity) []matching.Identity {
	opened := make(map[string]matching.Position, len(r.trades))
	for i := range r.trades {
		opened[r.trades[i].Anchor] = r.trades[i].First
	}
	listed, anchored := make(map[string]int, len(list)), make(map[string]string, len(list))
	for i, one := range list {
		listed[one.ID], anchored[one.Anchor] = i, one.ID
	}
	for _, f := range slices.Backward(r.effects.former) { // of several the last is right
		first, opens := opened[f.anchor]
		if _, taken := anchored[f.anchor]; !opens || taken {
			continue
		}
		if at, is := listed[string(f.id)]; is {
			list[at].Anchor = f.anchor
		} else if r.effects.existing[f.id] || f.id == r.deleted {
			continue
		} else {
			list = append(list, matching.Identity{ID: string(f.id), First: first, Anchor: f.anchor})
		}
		anchored[f.anchor] = string(f.id)
	}
	return list
}

// recordAnchors records what opened the trades before a regrouping, and opens them after it.
func (e *actionEffects) recordAnchors(r *regrouping, ids []journal.TradeID) {
	for _, t := range r.old {
		e.before[t.id] = r.anchors[string(t.id)]
	}
	for i := range r.trades {
		e.after[ids[i]] = r.trades[i].Anchor
	}
}

// prepareEffects sets what follow keeps of trades that an action joins, and what those get
// back that it parts. The trades are written.
func (b *book) prepareEffects(ctx context.Context) error {
	e := b.effects
	if e == nil {
		return nil
	}
	if !e.undone {
		b.change.Keep = map[journal.TradeID]jsontext.Value{}
	}
	var returned []formerTrade
	into := []journal.TradeID{}
	byID := map[journal.TradeID]formerTrade{}
	for _, f := range e.former {
		byID[f.id] = f
		if f.kept != nil {
			into = append(into, f.kept.Into)
		}
		if _, is := e.after[f.id]; is && f.kept != nil && !e.existing[f.id] {
			returned = append(returned, f)
		}
	}
	slices.Sort(into)
	existing, err := b.selectExisting(ctx, slices.Compact(into))
	if err != nil {
		return err
	}
	for _, f := range slices.Backward(returned) {
		back := Return{Trade: f.id, From: f.kept.Into, Kept: f.kept.More}
		for seen := 0; !slices.Contains(existing, back.From) && seen <= len(e.former); seen++ {
			next, known := byID[back.From]
			if back.From = ""; known && next.kept != nil {
				back.From = next.kept.Into
			}
		}
		if err := b.returnCash(ctx, f, back.From); err != nil {
			return err
		}
		if !e.undone {
			b.change.Returned = append(b.change.Returned, back)
		}
	}
	return nil
}

// returnCash links cash rows with a trade again that were linked with it, unless the user has
// changed that since.
func (b *book) returnCash(ctx context.Context, f formerTrade, from journal.TradeID) error {
	if from == "" {
		return nil
	}
	for _, id := range f.kept.Cash {
		_, err := b.tx.Exec(ctx, `UPDATE cash_transactions SET trade_id = $1 WHERE user_id = $2 AND id = $3 AND trade_id = $4`,
			f.id, b.owner, id, from)
		if err != nil {
			return err
		}
	}
	return nil
}

// linkedCash returns the cash rows that are linked with the trades which an action joins with
// others.
func (b *book) linkedCash(ctx context.Context) (map[journal.TradeID][]journal.CashID, error) {
	linked := map[journal.TradeID][]journal.CashID{}
	if b.effects == nil || len(b.change.Merged) == 0 {
		return linked, nil
	}
	going := make([]journal.TradeID, len(b.change.Merged))
	for i, m := range b.change.Merged {
		going[i] = m.From
	}
	return linked, db.EachIn(ctx, b.tx, going, func(row db.Scanner) error {
		var trade journal.TradeID
		var id journal.CashID
		err := row.Scan(&trade, &id)
		linked[trade] = append(linked[trade], id)
		return err
	}, `SELECT trade_id, id FROM cash_transactions WHERE user_id = $1 AND trade_id IN $keys ORDER BY id`, b.owner)
}

// saveEffects stores the former trades after the write. cash has the rows that were linked
// with joined trades.
func (b *book) saveEffects(ctx context.Context, cash map[journal.TradeID][]journal.CashID) error {
	e := b.effects
	if e == nil {
		return nil
	}
	rows := map[journal.TradeID]*formerTrade{}
	number := int64(0)
	for i := range e.former {
		rows[e.former[i].id], number = &e.former[i], max(number, e.former[i].number)
	}
	var changed []*formerTrade
	add := func(id journal.TradeID) *formerTrade {
		f := rows[id]
		if f == nil {
			f = &formerTrade{id: id, anchor: e.before[id]}
			rows[id] = f
		}
		number++
		f.number = number
		changed = append(changed, f)
		return f
	}
	for _, m := range b.change.Merged {
		if e.before[m.From] != "" {
			add(m.From).kept = &keptTrade{Into: m.Into, Cash: cash[m.From], More: b.change.Keep[m.From]}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.before)) {
		if now := e.after[id]; now != "" && now != e.before[id] && rows[id] == nil {
			add(id)
		}
	}
	var gone, kept [][]any
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		if e.after[id] == rows[id].anchor || !b.hasActions { // it is as before, or nothing can part it
			gone = append(gone, []any{int64(b.owner), b.account.number, id})
		} else if f := rows[id]; slices.Contains(changed, f) {
			text, err := f.storedKept()
			if err != nil {
				return err
			}
			kept = append(kept, []any{b.owner, b.account.number, f.id, f.number, f.anchor, text})
		}
	}
	if err := b.tx.DeleteMany(ctx, "trades_before_actions", []string{"user_id", "account", "trade_id"}, gone); err != nil {
		return err
	}
	return b.tx.QueueRows(ctx, "trades_before_actions", []string{"user_id", "account", "trade_id", "number", "anchor", "kept"},
		`ON CONFLICT (user_id, account, trade_id) DO UPDATE SET number = excluded.number, kept = excluded.kept`, kept)
}

// storedKept returns what is kept of a joined trade as JSON, NULL if it was not joined.
func (f *formerTrade) storedKept() (any, error) {
	if f.kept == nil {
		return nil, nil
	}
	text, err := json.Marshal(f.kept)
	return string(text), err
}
