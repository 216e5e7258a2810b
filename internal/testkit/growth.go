package testkit

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

const (
	// maxGrowth is how much more processor time twice the work may take. Linear work
	// takes twice as much, quadratic work four times.
	maxGrowth = 2.6
	// growthRounds is how often a failed comparison is repeated. The least times in all
	// rounds are compared, so a busy machine does not fail the test.
	growthRounds = 6
	// minProcessor is the time below which the collector and the clock decide.
	minProcessor = 20 * time.Millisecond
)

// CheckGrowth fails the test if run(2*n) takes more than 2.6 times run(n)'s processor
// time. A failure is confirmed with four times as much work, because short times depend on
// when the collector runs. It measures the whole process, so the test must not be parallel.
func CheckGrowth(t testing.TB, n int, run func(n int)) {
	t.Helper()
	checkGrowth(t, n, func(n int) func() { return func() { run(n) } })
}

// CheckReadGrowth is [CheckGrowth] for reading content with n parts, made by build.
func CheckReadGrowth(t testing.TB, n int, build func(n int) []byte, read func(content []byte) error) {
	t.Helper()
	// Otherwise one more collection decides whether little content takes long.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	prepare := func(n int) func() {
		content := build(n)
		return func() {
			if err := read(content); err != nil {
				t.Errorf("%d parts: %v", n, err)
			}
		}
	}
	// After this run, the heap has its size.
	if measureProcessor(t, prepare(2*n)) < minProcessor {
		return
	}
	checkGrowth(t, n, prepare)
}

func checkGrowth(t testing.TB, n int, prepare func(n int) (run func())) {
	t.Helper()
	trial := &growthTrial{TB: t}
	compareSizes(trial, n, prepare)
	if trial.hasFailed {
		compareSizes(t, 4*n, prepare)
	}
}

func compareSizes(t testing.TB, n int, prepare func(n int) (run func())) {
	t.Helper()
	prepare(n / 4)() // prepares statements and fills caches
	runs := [2]func(){prepare(n), prepare(2 * n)}
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for range growthRounds {
		for i, run := range runs {
			least[i] = min(least[i], measureProcessor(t, run))
		}
		if least[1] < minProcessor || float64(least[1]) <= maxGrowth*float64(least[0]) {
			return
		}
	}
	t.Errorf("processor time grows from %s for %d to %s for %d, which is more than %.1f times",
		least[0], n, least[1], 2*n, maxGrowth)
}

// growthTrial is a test whose failure is not reported.
type growthTrial struct {
	testing.TB
	hasFailed bool
}

func (g *growthTrial) Errorf(string, ...any) { g.hasFailed = true }

func measureProcessor(t testing.TB, run func()) time.Duration {
	t.Helper()
	runtime.GC()
	before := ProcessorTime(t)
	run()
	return ProcessorTime(t) - before
}

// CheckHeap fails the test if run needs more than limit bytes on the heap beyond those
// used before it. It measures the whole process, so the test must not be parallel.
func CheckHeap(t testing.TB, limit uint64, run func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := heapInUse()
	peak := before
	done, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
				peak = max(peak, heapInUse())
			}
		}
	}()
	run()
	close(done)
	<-sampled
	if used := peak - before; used > limit {
		t.Errorf("needs %d KiB of heap, more than %d KiB", used>>10, limit>>10)
	}
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
