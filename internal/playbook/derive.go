package playbook

import (
	"strconv"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// Figures are what a trade itself tells about R.
type Figures struct {
	Long       bool
	AvgEntry   decimal.Decimal
	QtyOpened  decimal.Decimal
	Multiplier decimal.Decimal
	NetPnL     decimal.Null // absent while the trade is open
}

// Derived are the figures that follow from a trade and its marks together.
type Derived struct {
	// InitialRisk is what the trader stated, or else what the stop implies.
	InitialRisk decimal.Null
	// InitialRiskDerived tells that it is the latter.
	InitialRiskDerived bool
	// RMultiple is the net result in units of the initial risk.
	RMultiple decimal.Null
	// PlannedR is the planned reward in units of the planned risk; below zero
	// where the target lies on the wrong side of the entry.
	PlannedR decimal.Null
}

// ratioScale is the number of decimals that ratios are rounded to, half to even;
// averages have as many.
const ratioScale = 12

// Derive computes what follows from a trade and its marks. Without a stated risk
// the initial risk is |average entry − stop| × opened quantity × multiplier; a
// stop at the entry risks nothing and gives no R. The planned R is the way from
// the entry to the target against the way to the stop or, without a stop, against
// the stated risk.
func Derive(f Figures, m Marks) Derived {
	size := f.QtyOpened.Mul(f.Multiplier)
	d := Derived{InitialRisk: m.InitialRisk}
	if risk := f.AvgEntry.Sub(m.StopPrice.Decimal).Abs().Mul(size); !d.InitialRisk.Valid && m.StopPrice.Valid && risk.Sign() > 0 {
		d.InitialRisk, d.InitialRiskDerived = decimal.Of(risk), true
	}
	if d.InitialRisk.Valid && f.NetPnL.Valid {
		d.RMultiple = ratio(f.NetPnL.Decimal, d.InitialRisk.Decimal)
	}
	if !m.TargetPrice.Valid {
		return d
	}
	reward := m.TargetPrice.Decimal.Sub(f.AvgEntry)
	if !f.Long {
		reward = reward.Neg()
	}
	if m.StopPrice.Valid {
		d.PlannedR = ratio(reward, f.AvgEntry.Sub(m.StopPrice.Decimal).Abs())
	} else if m.InitialRisk.Valid {
		d.PlannedR = ratio(reward.Mul(size), m.InitialRisk.Decimal)
	}
	return d
}

func ratio(a, b decimal.Decimal) decimal.Null {
	if b.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(a.DivRound(b, ratioScale))
}

// HasTag is a condition for another package's query over trades: the part that
// follows the column with the trade's id, with its values added to args. It holds
// for trades that have at least one of the tags.
func HasTag(args *[]any, owner journal.UserID, tags []journal.TagID) string {
	return linked(args, `trade_tags`, `tag_id`, owner, tags)
}

// HasSetup is HasTag for setups.
func HasSetup(args *[]any, owner journal.UserID, setups []journal.SetupID) string {
	return linked(args, `trade_setups`, `setup_id`, owner, setups)
}

// IsReviewed is HasTag for trades that the trader has marked as reviewed; its
// opposite, with reviewed false, holds for all others.
func IsReviewed(args *[]any, owner journal.UserID, reviewed bool) string {
	*args = append(*args, owner)
	in := `IN (SELECT trade_id FROM trade_marks WHERE user_id = $` + strconv.Itoa(len(*args)) + ` AND reviewed_at IS NOT NULL)`
	if reviewed {
		return in
	}
	return `NOT ` + in
}

func linked[T any](args *[]any, table, column string, owner journal.UserID, ids []T) string {
	*args = append(*args, owner)
	user := strconv.Itoa(len(*args))
	return `IN (SELECT trade_id FROM ` + table + ` WHERE user_id = $` + user + ` AND ` + column + ` IN ` + db.In(args, ids) + `)`
}
