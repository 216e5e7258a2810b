package market

// PriceKind is what the prices of bars are made of.
type PriceKind string

// The kinds of prices.
const (
	TradePrice PriceKind = "trade"
	BidPrice   PriceKind = "bid"
	AskPrice   PriceKind = "ask"
	MidPrice   PriceKind = "mid"
	// ReferencePrice is the rate of a currency that a central bank publishes once a day.
	// Amounts are converted with it. It is never the price of an instrument: no trade
	// happens at it.
	ReferencePrice PriceKind = "reference"
)

// VolumeKind is what the volume of bars counts.
type VolumeKind string

// The kinds of volumes.
const (
	RealVolume VolumeKind = "real"
	TickVolume VolumeKind = "ticks"
	NoVolume   VolumeKind = "none"
)
