package analytics

import (
	"math"

	"fillbook/internal/base/decimal"
)

const (
	// mostTrades is the share above which a row holds most trades: what it says is then
	// hardly different from what all trades say.
	mostTrades = 0.8
	// A tag selects by the result if it has minSelected trades, at least selectedShare of
	// them with the same outcome, and the other trades have a share lower by selectedGap.
	selectedShare = 0.95
	selectedGap   = 0.2
	minSelected   = 10
)

// Rest compares a row with the other trades in the selection.
type Rest struct {
	Trades     int                 `json:"trades" doc:"The trades that are not in the row."`
	AvgPnL     decimal.Decimal     `json:"avg_pnl"`
	Difference decimal.Decimal     `json:"difference" doc:"The row's average less that of the rest."`
	Interval   *DifferenceInterval `json:"interval" doc:"The 95% interval of the difference; null unless both sides have two days with trades."`
	PValue     *float64            `json:"p_value" doc:"The probability of such a difference by chance, corrected for the number of rows; null unless both sides have 30 trades on 10 days."`
}

// RowShare is what a row's trades have in common with the selection.
type RowShare struct {
	HoldsMost bool `json:"holds_most" doc:"Whether more than 80% of the selected trades are in the row."`
	// SelectsWinners and SelectsLosers are set for tags only.
	SelectsWinners bool `json:"selects_winners" doc:"Whether the tag is on winning trades only, unlike the others: it was chosen by the result, so a comparison with the rest says nothing about its cost."`
	SelectsLosers  bool `json:"selects_losers" doc:"The same with losing trades."`
}

func newRowShare[T number[T]](row, all *tally[T], tag bool) RowShare {
	rest := all.minus(row)
	return RowShare{
		HoldsMost:      float64(row.trades()) > mostTrades*float64(all.trades()),
		SelectsWinners: tag && selectsBy(row, &rest, (*tally[T]).wins),
		SelectsLosers:  tag && selectsBy(row, &rest, (*tally[T]).losses),
	}
}

// selectsBy reports whether a row's trades are chosen by an outcome.
func selectsBy[T number[T]](row, rest *tally[T], count func(*tally[T]) int) bool {
	share := fraction(count(row), row.trades())
	return row.trades() >= minSelected && share >= selectedShare && share-fraction(count(rest), rest.trades()) >= selectedGap
}

// tallyAll returns the whole selection's tally.
func tallyAll[T number[T]](s *Selection) tally[T] {
	trades, net, _ := mergeParts(s, readColumn[T](s, netOf), nil)
	return tallyGroups(1, nil, net, outcomes(trades, net))[0]
}

// compareWithRest compares a row with all trades outside it, as [CompareSelections] does.
// drawn are the row's histories, drawn with the first numbers; next are the numbers for the
// side that is drawn second. It returns the uncorrected probability.
func compareWithRest[T number[T]](row, all *rowTally[T], drawn []drawnHistory[T], scale int32, first, next *draws) (*Rest, *float64) {
	others := all.minus(&row.tally)
	out := &Rest{Trades: others.trades(), AvgPnL: mean(others.countedNet().decimal(scale), others.trades())}
	out.Difference = mean(row.countedNet().decimal(scale), row.trades()).Sub(out.AvgPnL)
	days := subtractDays(all.days, row.days)
	if len(drawn) > 0 && len(days) > 1 {
		ofRest := next
		if !isDrawnFirst(row.trades(), others.trades(), row.countedNet().decimal(scale), others.countedNet().decimal(scale)) {
			drawn, ofRest = drawHistories(groupDays(row.days), scale, next), first
		}
		interval := intervalOfDifference(meansOf(drawn, scale), meansOf(drawHistories(groupDays(days), scale, ofRest), scale))
		out.Interval = &interval
	}
	if !checkMinimums(row.trades(), len(row.days)).Enough || !checkMinimums(others.trades(), len(days)).Enough {
		return out, nil
	}
	average, deviation := meanError(row.days, scale)
	average2, deviation2 := meanError(days, scale)
	return out, pValue(average-average2, math.Hypot(deviation, deviation2))
}

// toRest returns an effect in the form of a breakdown row, nil without other trades.
func (e *Effect) toRest() *Rest {
	if e.Without.Trades == 0 {
		return nil
	}
	rest := &Rest{Trades: e.Without.Trades, AvgPnL: e.Without.AvgTrade, Difference: e.Difference.Decimal, PValue: e.PValue}
	if e.Interval.Low.Valid {
		interval := e.Interval // not in the effect: effects are sorted later
		rest.Interval = &interval
	}
	return rest
}
