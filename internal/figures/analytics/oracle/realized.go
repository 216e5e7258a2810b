package oracle

import "slices"

// listCounted returns the trades to count: the closed trades or, if results count when
// realized, one slip for each part. A slip is the trade with the part's amounts and
// instant.
func (j *Journal) listCounted(q *Question) []Trade {
	if !q.Realized {
		return j.Trades
	}
	var slips []Trade
	add := func(list []Trade, open bool) {
		for _, t := range list {
			t.open = open
			for _, part := range t.Parts {
				slip := t
				slip.ClosedAt, slip.Net, slip.Gross, slip.Fees, slip.Volume = part.At, part.Net, part.Gross, part.Fees, part.Volume
				slips = append(slips, slip)
			}
			if len(t.Parts) == 0 && !open {
				slips = append(slips, t)
			}
		}
	}
	add(j.Trades, false)
	add(j.Open, true)
	return slips
}

// mergeParts merges each trade's slips: amounts are added, and the trade ends with the
// last slip. Trades that occur once are unchanged.
func mergeParts(list []*Trade) []*Trade {
	var out []*Trade
	for _, t := range list {
		at := slices.IndexFunc(out, func(known *Trade) bool { return known.ID == t.ID })
		if at < 0 {
			out = append(out, t)
			continue
		}
		both := *out[at]
		both.Net, both.Gross = add(both.Net, t.Net), add(both.Gross, t.Gross)
		both.Fees, both.Volume = add(both.Fees, t.Fees), add(volume(&both), volume(t))
		if t.ClosedAt.After(both.ClosedAt) {
			both.ClosedAt = t.ClosedAt
		}
		out[at] = &both
	}
	return sortByClosing(out)
}
