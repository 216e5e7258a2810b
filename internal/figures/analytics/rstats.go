package analytics

import (
	"encoding/json"
	"slices"
	"sort"
)

// RStats are results in units of initial risk, over the trades with a known risk. Figures
// without trades are null.
type RStats struct {
	Trades      int       `json:"trades"`
	TradesWithR int       `json:"trades_with_r"`
	AvgR        *float64  `json:"avg_r"`
	ExpectancyR *float64  `json:"expectancy_r"`
	MedianR     *float64  `json:"median_r"`
	StdDevR     *float64  `json:"std_dev_r"`
	SQN         *float64  `json:"sqn_r"`
	TotalR      float64   `json:"total_r"`
	BestR       *float64  `json:"best_r"`
	WorstR      *float64  `json:"worst_r"`
	AvgWinR     *float64  `json:"avg_win_r"`
	AvgLossR    *float64  `json:"avg_loss_r"`
	WinRate     float64   `json:"win_rate"`
	Buckets     []RBucket `json:"buckets"`
	// BreakevenTolerance is the user's setting as stored; null by default.
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance"`
}

// RBucket counts the trades from one risk multiple to another, which is excluded. The
// first has no lower and the last no upper bound.
type RBucket struct {
	From   *float64 `json:"from"`
	To     *float64 `json:"to"`
	Trades int      `json:"trades"`
}

// The bucket edges, in halves of R.
const (
	lowestHalf  = -6
	highestHalf = 10
)

// ComputeRStats computes the R distribution.
func ComputeRStats(s *Selection) RStats {
	s = s.withoutRemoved()
	return chooseArithmetic(s, computeRStats[int128], computeRStats[exact])(s)
}

func computeRStats[T number[T]](s *Selection) RStats {
	net := readColumn[T](s, ownNetOf) // R does not depend on the rate
	rs, trades := computeMultiples(s, net)
	out := RStats{
		Trades: s.Len(), TradesWithR: len(rs), Buckets: rBuckets(s, net), BreakevenTolerance: s.filter.Tolerance.Stored,
	}
	var won, lost []float64
	results := outcomes(s, net)
	for k, i := range trades {
		out.TotalR += rs[k]
		switch results[i] {
		case win:
			won = append(won, rs[k])
		case loss:
			lost = append(lost, -rs[k])
		case breakeven, uncounted:
		}
	}
	out.AvgR, out.AvgWinR, out.AvgLossR = meanR(rs), meanR(won), meanR(lost)
	out.ExpectancyR, out.WinRate = out.AvgR, fraction(len(won), len(rs))
	if len(rs) == 0 {
		return out
	}
	sorted := slices.Sorted(slices.Values(rs))
	n := len(sorted)
	median := (sorted[(n-1)/2] + sorted[n/2]) / 2
	out.MedianR, out.WorstR, out.BestR = &median, &sorted[0], &sorted[n-1]
	spread := standardDeviation(rs, *out.AvgR)
	out.StdDevR, out.SQN = &spread, systemQuality(n, *out.AvgR, spread)
	return out
}

// rBuckets counts the trades in each bucket. It compares twice the result with risk
// multiples, so a result of exactly 1 R is in the bucket beginning there.
func rBuckets[T number[T]](s *Selection, net []T) []RBucket {
	const edges = highestHalf - lowestHalf + 1
	list := make([]RBucket, edges+1)
	for k := range edges {
		edge := float64(lowestHalf+k) / 2
		list[k].To, list[k+1].From = &edge, &edge
	}
	risk, known := readOptionalColumn[T](s, riskOf)
	for k, i := range known {
		if risk[k].sign() <= 0 {
			continue
		}
		twice := net[i].times(2)
		place := sort.Search(edges, func(e int) bool { return twice.cmp(risk[k].times(int64(lowestHalf+e))) < 0 })
		list[place].Trades++
	}
	return list
}
