package playbook

import (
	"strconv"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// HasTag is a condition for another package's query over trades: the part following the
// column with the trade's id, with its values added to args. It holds for trades with at
// least one tag.
func HasTag(args *[]any, owner journal.UserID, tags []journal.TagID) string {
	return linked(args, `trade_tags`, `tag_id`, owner, tags)
}

// HasSetup is HasTag for setups.
func HasSetup(args *[]any, owner journal.UserID, setups []journal.SetupID) string {
	return linked(args, `trade_setups`, `setup_id`, owner, setups)
}

// IsReviewed is HasTag for trades the trader has annotated as reviewed; its opposite,
// with reviewed false, holds for all others.
func IsReviewed(args *[]any, owner journal.UserID, reviewed bool) string {
	*args = append(*args, owner)
	in := `IN (SELECT trade_id FROM trade_annotations WHERE user_id = $` + strconv.Itoa(len(*args)) + ` AND reviewed_at IS NOT NULL)`
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
