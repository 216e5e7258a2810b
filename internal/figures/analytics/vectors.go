package analytics

// Loops over whole columns. They are methods because a call on a type parameter is not
// inlined: a generic loop calls a function for each addition.

// signs sets each value's outcome without a tolerance.
func (int128) signs(into []outcome, values []int128) {
	for i, v := range values {
		into[i] = outcome(v.sign())
	}
}

func (exact) signs(into []outcome, values []exact) {
	for i, v := range values {
		into[i] = outcome(v.sign())
	}
}

// sumOutcomes adds each value to the sum for its group and outcome: sums has outcomeCount
// for each group. Without of there is one group.
func (int128) sumOutcomes(sums []int128, of []int32, values []int128, results []outcome) {
	if of == nil {
		var one [outcomeCount]int128
		for i, v := range values {
			at := results[i] - loss
			one[at] = one[at].add(v)
		}
		copy(sums, one[:])
		return
	}
	for i, v := range values {
		sum := &sums[outcomeCount*of[i]+int32(results[i]-loss)]
		*sum = sum.add(v)
	}
}

func (exact) sumOutcomes(sums []exact, of []int32, values []exact, results []outcome) {
	group := int32(0)
	for i, v := range values {
		if of != nil {
			group = of[i]
		}
		sum := &sums[outcomeCount*group+int32(results[i]-loss)]
		*sum = sum.add(v)
	}
}

// sumGroups adds each value to its group's sum.
func (int128) sumGroups(sums []int128, of []int32, values []int128) {
	for i, v := range values {
		sums[of[i]] = sums[of[i]].add(v)
	}
}

func (exact) sumGroups(sums []exact, of []int32, values []exact) {
	for i, v := range values {
		sums[of[i]] = sums[of[i]].add(v)
	}
}

// sumBeforeEach sets into to the sum of a and all earlier values, and returns the sum of
// all.
func (a int128) sumBeforeEach(into, values []int128) int128 {
	for i, v := range values {
		into[i] = a
		a = a.add(v)
	}
	return a
}

func (a exact) sumBeforeEach(into, values []exact) exact {
	for i, v := range values {
		into[i] = a
		a = a.add(v)
	}
	return a
}

// deepestFall returns the greatest fall of the cumulative sum below its peak, from 0 on.
func (int128) deepestFall(values []int128) (deepest int128) {
	var fall int128
	for _, v := range values {
		if fall = fall.sub(v); fall.sign() < 0 {
			fall = int128{}
		}
		if fall.cmp(deepest) > 0 {
			deepest = fall
		}
	}
	return deepest
}

func (exact) deepestFall(values []exact) (deepest exact) {
	var fall exact
	for _, v := range values {
		if fall = fall.sub(v); fall.sign() < 0 {
			fall = exact{}
		}
		if fall.cmp(deepest) > 0 {
			deepest = fall
		}
	}
	return deepest
}

// floats converts values at a scale to floats.
func (int128) floats(into []float64, values []int128, scale int32) {
	power := 0.0 // not exact
	if scale < int32(len(floatPowers)) {
		power = floatPowers[scale]
	}
	for i, v := range values {
		if n, small := v.key(); small && power > 0 && -exactInts <= n && n <= exactInts {
			into[i] = float64(n) / power
		} else {
			into[i] = v.float(scale)
		}
	}
}

func (exact) floats(into []float64, values []exact, scale int32) {
	for i, v := range values {
		into[i] = v.float(scale)
	}
}

// keys sets each value's key. It returns false if a value has none.
func (int128) keys(into []int64, values []int128) bool {
	for i, v := range values {
		key, fits := v.key()
		if !fits {
			return false
		}
		into[i] = key
	}
	return true
}

func (exact) keys(into []int64, values []exact) bool {
	for i, v := range values {
		key, fits := v.key()
		if !fits {
			return false
		}
		into[i] = key
	}
	return true
}
