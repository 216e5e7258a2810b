package ledger

// FillChecker checks one file's fills. It keeps what a file's fills have in common. It
// must not be used concurrently.
type FillChecker struct {
	// instruments are for fills without details, by symbol and type.
	instruments map[[2]string]checkedInstrument
	keys        map[streamKey]*streamKey
	pool        fillPool
}

type checkedInstrument struct {
	Instrument
	key *streamKey
	err error
}

// NewFillChecker returns a FillChecker.
func NewFillChecker() *FillChecker {
	return &FillChecker{instruments: map[[2]string]checkedInstrument{}, keys: map[streamKey]*streamKey{}}
}

// Check returns the fill in its stored form, or an error if it is invalid.
func (c *FillChecker) Check(n *NewFill) (CheckedFill, error) {
	i := c.instrument(n)
	if i.err != nil {
		return CheckedFill{}, i.err
	}
	f := c.pool.newFill()
	if err := n.clean(i.Type, f); err != nil {
		return CheckedFill{}, err
	}
	return CheckedFill{fill: f, key: i.key, unmultiplied: !n.Multiplier.Valid}, nil
}

// instrument returns a fill's instrument.
func (c *FillChecker) instrument(n *NewFill) checkedInstrument {
	if len(n.Details) > 0 {
		return c.checkInstrument(n)
	}
	key := [2]string{n.Symbol, n.InstrumentType}
	i, known := c.instruments[key]
	if !known {
		i = c.checkInstrument(n)
		c.instruments[key] = i
	}
	return i
}

func (c *FillChecker) checkInstrument(n *NewFill) (i checkedInstrument) {
	if i.Instrument, i.err = cleanInstrument(n.Symbol, n.InstrumentType, n.Details); i.err == nil {
		i.key = c.share(i.Instrument.key())
	}
	return i
}

// share returns a key that an instrument's fills share.
func (c *FillChecker) share(key streamKey) *streamKey {
	shared := c.keys[key]
	if shared == nil {
		shared = &key
		c.keys[key] = shared
	}
	return shared
}

// fillPool allocates fills many at a time.
type fillPool struct {
	spare []fill
	size  int // last allocated
}

// newFill returns an empty fill.
func (p *fillPool) newFill() *fill {
	if len(p.spare) == 0 {
		const most = 256
		p.size = min(1+2*p.size, most)
		p.spare = make([]fill, p.size)
	}
	f := &p.spare[0]
	p.spare = p.spare[1:]
	return f
}
