package analytics

import (
	"slices"

	"fillbook/internal/base/decimal"
)

// Simulation has the parameters for [SimulateFutures]. Zero values mean the defaults.
type Simulation struct {
	// Paths is the number of futures, and Trades their length.
	Paths, Trades int
	Capital       Capital
	// RuinPct is the loss that counts as ruin, in percent of the starting capital.
	RuinPct decimal.Decimal
	Seed    uint64
}

// The simulation bounds.
const (
	DefaultPaths = 1000
	MaxPaths     = 5000
	MaxFuture    = 2000
	defaultRuin  = 50
	fanSteps     = 50
)

// Futures is a simulation result: in each future, trades are drawn one by one, with
// replacement, from the selection. Levels are cumulative net results from 0.
type Futures struct {
	Paths  int       `json:"paths"`
	Trades int       `json:"trades"`
	Fan    []FanStep `json:"fan"`
	// Drawdown has quantiles of each future's deepest drawdown.
	Drawdown Spread `json:"drawdown"`
	// Ruin is the share of futures that ever lose RuinPct of the starting capital; null
	// without capital. Profitable is the share ending above zero.
	Ruin       *float64 `json:"ruin"`
	Profitable float64  `json:"profitable"`
	// Generator and Seed describe how the trades were drawn.
	Generator string `json:"generator"`
	Seed      uint64 `json:"seed"`
}

// FanStep is the futures' level after some trades.
type FanStep struct {
	Trade int `json:"trade"`
	Spread
}

// Spread has quantiles by nearest rank: each is a value that occurred.
type Spread struct {
	P5  decimal.Decimal `json:"p5"`
	P25 decimal.Decimal `json:"p25"`
	P50 decimal.Decimal `json:"p50"`
	P75 decimal.Decimal `json:"p75"`
	P95 decimal.Decimal `json:"p95"`
}

// ruinScale is the ruin threshold's number of decimals.
const ruinScale = 12

// SimulateFutures simulates futures.
func SimulateFutures(s *Selection, sim Simulation) Futures {
	s = s.withoutRemoved()
	sim = sim.withDefaults(s.Len())
	// The ruin threshold must fit the amounts' scale, so it is a column too.
	var line amounts
	line.push(sim.Capital.Starting.Mul(sim.RuinPct).DivRound(decimal.New(percent), ruinScale).Neg())
	with := *s
	with.chooseScale(&line)
	return chooseArithmetic(&with, simulateFutures[int128], simulateFutures[exact])(&with, sim, &line)
}

// withDefaults returns sim with defaults for zero values and within the maximums.
func (sim Simulation) withDefaults(trades int) Simulation {
	if sim.Paths <= 0 {
		sim.Paths = DefaultPaths
	}
	if sim.Trades <= 0 {
		sim.Trades = trades
	}
	if sim.RuinPct.Sign() <= 0 {
		sim.RuinPct = decimal.New(defaultRuin)
	}
	sim.Paths, sim.Trades = min(sim.Paths, MaxPaths), min(sim.Trades, MaxFuture)
	return sim
}

// future is one simulated path's state.
type future[T number[T]] struct {
	level, peak, deepest, lowest T
}

func (f *future[T]) add(net T) {
	f.level = f.level.add(net)
	if f.level.cmp(f.peak) > 0 {
		f.peak = f.level
	}
	if below := f.peak.sub(f.level); below.cmp(f.deepest) > 0 {
		f.deepest = below
	}
	if f.level.cmp(f.lowest) < 0 {
		f.lowest = f.level
	}
}

func simulateFutures[T number[T]](s *Selection, sim Simulation, ruin *amounts) Futures {
	out := Futures{Fan: []FanStep{}, Generator: generatorName, Seed: sim.Seed}
	net := readColumn[T](s, netOf)
	if len(net) == 0 {
		return out
	}
	out.Paths, out.Trades = sim.Paths, sim.Trades
	line := make([]T, 1)
	line[0].gather(line, []*amounts{ruin}, make([]pick, 1), s.scale)
	steps := min(fanSteps, sim.Trades)
	levels := make([][]T, steps)
	deepest := make([]T, 0, sim.Paths)
	ruined, profitable := 0, 0
	d := splitMix64(sim.Seed)
	for range sim.Paths {
		var f future[T]
		for k := range steps {
			for range (k+1)*sim.Trades/steps - k*sim.Trades/steps {
				f.add(net[d.intn(len(net))])
			}
			levels[k] = append(levels[k], f.level)
		}
		deepest = append(deepest, f.deepest)
		if f.lowest.cmp(line[0]) <= 0 {
			ruined++
		}
		if f.level.sign() > 0 {
			profitable++
		}
	}
	for k := range levels {
		out.Fan = append(out.Fan, FanStep{(k + 1) * sim.Trades / steps, computeSpread(levels[k], s.scale)})
	}
	out.Drawdown, out.Profitable = computeSpread(deepest, s.scale), fraction(profitable, sim.Paths)
	if sim.Capital.Starting.Sign() > 0 {
		share := fraction(ruined, sim.Paths)
		out.Ruin = &share
	}
	return out
}

// computeSpread sorts values and returns their quantiles.
func computeSpread[T number[T]](values []T, scale int32) Spread {
	slices.SortFunc(values, T.cmp)
	at := func(pct int) decimal.Decimal {
		rank := (pct*len(values) + percent - 1) / percent
		return values[max(rank, 1)-1].decimal(scale)
	}
	return Spread{P5: at(5), P25: at(25), P50: at(50), P75: at(75), P95: at(95)}
}
