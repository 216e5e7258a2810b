package analytics

import "math"

// studentTail returns the two-sided probability of Student's distribution: how likely a
// value is at least as far from zero as t.
func studentTail(t, freedom float64) float64 {
	const nearlyNormal = 10_000
	if freedom > nearlyNormal {
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	return incompleteBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// incompleteBeta returns the regularized incomplete beta function, by its continued
// fraction, which converges fast below (a + 1) / (a + b + 2); above, the function is
// mirrored.
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(b, a, 1-x)
	}
	gammaA, _ := math.Lgamma(a)
	gammaB, _ := math.Lgamma(b)
	gammaSum, _ := math.Lgamma(a + b)
	front := math.Exp(gammaSum - gammaA - gammaB + a*math.Log(x) + b*math.Log1p(-x))
	return front / a * betaFraction(a, b, x)
}

// betaFraction evaluates the continued fraction 1/(1 + d₁/(1 + d₂/(1 + …))) from its end:
// the number of terms is fixed, and ample for every x used.
func betaFraction(a, b, x float64) float64 {
	const terms = 400
	tail := 1.0
	for k := terms; k >= 1; k-- {
		m := float64(k / 2)
		var d float64
		if k%2 == 0 {
			d = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		} else {
			d = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		tail = 1 + d/tail
	}
	return 1 / tail
}
