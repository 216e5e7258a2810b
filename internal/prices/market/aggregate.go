package market

// Aggregate makes bars with the given length in seconds from shorter ones, which must be
// in time order. A bar belongs to the longer one in which it opens; longer bars open at
// multiples of their length since 1970, UTC. Total volume is limited to MaxNumber.
func Aggregate(bars []Bar, secs int64) []Bar {
	var longer []Bar
	for _, bar := range bars {
		time := floorDiv(bar.Time, secs) * secs
		if n := len(longer); n > 0 && longer[n-1].Time == time {
			longer[n-1].extend(bar)
			continue
		}
		bar.Time = time
		longer = append(longer, bar)
	}
	return longer
}

// extend adds a later bar.
func (b *Bar) extend(later Bar) {
	b.High = max(b.High, later.High)
	b.Low = min(b.Low, later.Low)
	b.Close = later.Close
	b.Volume = min(b.Volume+later.Volume, MaxNumber)
}

// Merge returns the bars in both lists, which are in time order. If both have a bar for a
// time, newer's is taken. It counts newer's bars missing from older, those replacing a
// different one, and those already there.
func Merge(older, newer []Bar) (merged []Bar, inserted, replaced, unchanged int) {
	merged = make([]Bar, 0, len(older)+len(newer))
	for _, bar := range newer {
		for len(older) > 0 && older[0].Time < bar.Time {
			merged, older = append(merged, older[0]), older[1:]
		}
		switch {
		case len(older) == 0 || older[0].Time > bar.Time:
			inserted++
		case older[0] == bar:
			unchanged, older = unchanged+1, older[1:]
		default:
			replaced, older = replaced+1, older[1:]
		}
		merged = append(merged, bar)
	}
	return append(merged, older...), inserted, replaced, unchanged
}

// MergeBlocks returns the bars in both blocks; newer's replace the others. The caller
// must not use either block afterwards.
func MergeBlocks(older, newer Block) Block {
	if len(older.Bars) == 0 {
		return newer
	}
	EqualizeScales(&older, &newer)
	if len(newer.Bars) > 0 && newer.Bars[0].Time > older.Bars[len(older.Bars)-1].Time {
		older.Bars = append(older.Bars, newer.Bars...)
	} else {
		older.Bars, _, _, _ = Merge(older.Bars, newer.Bars)
	}
	older.HasVolume = older.HasVolume || newer.HasVolume
	return older
}
