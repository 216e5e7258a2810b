package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// times are the durations of similar calls, in call order.
type times []time.Duration

// quantile returns the q-quantile.
func (t times) quantile(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func (t times) median() time.Duration { return t.quantile(.5) }

// defaultNoise is a median's noise after one or two calls, whose spread is unknown.
const defaultNoise = .25

// noise returns the median's relative uncertainty: a box plot notch's half-width, 1.57
// interquartile ranges over the root of the count.
func (t times) noise() float64 {
	if len(t) < 3 || t.median() == 0 {
		return defaultNoise
	}
	spread := float64(t.quantile(.75)-t.quantile(.25)) / float64(t.median())
	return 1.57 * spread / math.Sqrt(float64(len(t)))
}

// formatDuration formats a time with three digits.
func formatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < time.Millisecond:
		return formatNumber(float64(d)/1e3) + " µs"
	case d < time.Second:
		return formatNumber(float64(d)/1e6) + " ms"
	default:
		return formatNumber(float64(d)/1e9) + " s"
	}
}

// formatNumber formats a number with three digits, without an exponent.
func formatNumber(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}

func formatMiB(n int64) string {
	if n == 0 {
		return ""
	}
	return formatNumber(float64(n)/(1<<20)) + " MiB"
}
