package market

// PriceKind is the source of bar prices.
type PriceKind string

// The price kinds.
const (
	TradePrice PriceKind = "trade"
	BidPrice   PriceKind = "bid"
	AskPrice   PriceKind = "ask"
	MidPrice   PriceKind = "mid"
	// ReferencePrice is a currency rate published by a central bank once a day. Amounts
	// are converted with it. It is never an instrument's price: no trade happens at it.
	ReferencePrice PriceKind = "reference"
)

// VolumeKind is what a bar's volume counts.
type VolumeKind string

// The volume kinds.
const (
	RealVolume VolumeKind = "real"
	TickVolume VolumeKind = "ticks"
	NoVolume   VolumeKind = "none"
)
