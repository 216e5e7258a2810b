package backup

import (
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/matching"
)

// A handwritten file must follow the rule for stops and targets. A backup with checksums
// restores what was stored, even from before the rule.
func TestRestoredPricesFollowTheRule(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		byHand := writeByHand(mainAccount, `"trades":[{"fills":[0],"notes":"by hand","stop_price":-5}]`, "buy 1 10 0")
		result := h.restore(t, h.user(t), byHand)
		if len(result.Errors) != 1 || !strings.Contains(result.Errors[0].Message, "stop_price must be above zero") {
			t.Errorf("a share: %+v", result.Errors)
		}
		wantComplete(t, h.restore(t, h.user(t), strings.Replace(byHand, `"stock"`, `"Future"`, 1)))

		owner, other := h.user(t), h.user(t)
		bought := h.fill(t, owner, h.account(t, owner, "Main"), matching.Buy, "1", "10", 0)
		h.annotate(t, owner, bought.TradeIDs[0], "an old one")
		must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
			_, err := tx.Exec(h.ctx(), `UPDATE trade_annotations SET stop_price = '-5' WHERE user_id = $1`, owner)
			return err
		}))
		text := h.export(t, owner, "")
		wantComplete(t, h.restore(t, other, text))
		wantSame(t, h.export(t, other, ""), text)
	})
}
