package analytics

import "fillbook/internal/base/decimal"

// CurveStep is the net result after some trades.
type CurveStep struct {
	Trades int             `json:"trades" doc:"The number of trades so far, in time order."`
	NetPnL decimal.Decimal `json:"net_pnl" doc:"Their net result."`
}

// ListCurveSteps returns the net results after each trade, in time order. Of
// more than the given number of trades it returns evenly spaced ones, with the last.
func ListCurveSteps(s *Selection, most int) []CurveStep {
	return chooseArithmetic(s, listCurveSteps[int128], listCurveSteps[exact])(s, most)
}

func listCurveSteps[T number[T]](s *Selection, most int) []CurveStep {
	s = s.withoutRemoved()
	trades, net, _ := mergeParts(s, readColumn[T](s, netOf), nil)
	n := trades.Len()
	steps := make([]CurveStep, 0, min(n, most))
	var sum T
	for i := range n {
		sum = sum.add(net[i])
		// The k-th of the steps is after the first n*k/most trades.
		if n <= most || (i+1)*most/n > i*most/n {
			steps = append(steps, CurveStep{Trades: i + 1, NetPnL: sum.decimal(s.scale)})
		}
	}
	return steps
}
