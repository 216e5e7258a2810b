package matching

import "fmt"

// Kind is how a fill came about.
type Kind uint8

// The kinds. Their numbers are stored.
const (
	// KindTrade is an ordinary execution.
	KindTrade Kind = iota
	// KindOpening is a position held before the first file, or one that came by transfer,
	// gift or vesting. It acts as a trade does, but no cash moves: it has no volume and
	// its costs do not count.
	KindOpening
	// KindRemoval is a position that left by transfer. It reduces the position at its
	// average entry price, so it has no result, and it has no volume.
	KindRemoval
	// KindExpiry closes a contract at its price: 0, or the settlement for one unit.
	KindExpiry
	// KindAssignment and KindExercise close an option at 0. The underlying's fill is an
	// ordinary one at the strike.
	KindAssignment
	KindExercise
	// KindSettlement closes a contract at its settlement price.
	KindSettlement
)

// kindNames are the names in the API.
var kindNames = [...]string{"trade", "opening", "removal", "expiry", "assignment", "exercise", "settlement"}

// String returns the kind's name in the API.
func (k Kind) String() string { return kindNames[k] }

// Kinds returns all kinds.
func Kinds() []Kind {
	list := make([]Kind, len(kindNames))
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}

// ParseKind returns the kind with a name. The empty name is KindTrade.
func ParseKind(name string) (Kind, error) {
	if name == "" {
		return KindTrade, nil
	}
	for k, known := range kindNames {
		if known == name {
			return Kind(k), nil
		}
	}
	return KindTrade, fmt.Errorf("%q is not a kind", name)
}

// OnlyCloses reports whether fills of this kind only reduce a position. What they exceed
// it by, or would add to it, belongs to no trade.
func (k Kind) OnlyCloses() bool { return k >= KindRemoval }

// hasVolume reports whether something was bought or sold in the market.
func (k Kind) hasVolume() bool { return k != KindOpening && k != KindRemoval }

// asEnding returns the kind under which a trade's last exit ends it.
func (k Kind) asEnding() Kind {
	if k == KindOpening {
		return KindTrade
	}
	return k
}
