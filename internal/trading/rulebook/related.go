package rulebook

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/rules"
)

// ForgetAccount removes the rules and goals whose last account is deleted. Others keep the
// id, so an undo restores their scope. It is a step in deleting the account.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	all, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a ledger.Account) bool { return a.ID == account })
	isLast := func(ids []journal.AccountID) bool {
		return slices.Contains(ids, account) && len(keepStored(ids, all)) == 0
	}
	ruleList, err := listRules(ctx, tx, owner, tx.Lock())
	if err != nil {
		return err
	}
	gone := map[string][]any{}
	for i := range ruleList {
		if isLast(ruleList[i].Accounts) {
			gone["trading_rule"] = append(gone["trading_rule"], ruleList[i].ID)
		}
	}
	goals, err := listGoals(ctx, tx, owner, tx.Lock())
	if err != nil {
		return err
	}
	for i := range goals {
		if isLast(goals[i].Accounts) {
			gone["goal"] = append(gone["goal"], goals[i].ID)
		}
	}
	for kind, ids := range gone {
		for _, id := range ids {
			if err := removeRecord(ctx, tx, owner, kind, id); err != nil {
				return err
			}
		}
		history.Contain(tx, history.Key{Type: "account", ID: string(account)}, kind, len(ids))
	}
	return nil
}

// removeRecord deletes a rule or a goal, and keeps it for an undo.
func removeRecord(ctx context.Context, tx *db.Tx, owner journal.UserID, kind string, id any) error {
	table, statement := "trading_rules", `DELETE FROM trading_rules WHERE user_id = $1 AND id = $2`
	if kind == "goal" {
		table, statement = "goals", `DELETE FROM goals WHERE user_id = $1 AND id = $2`
	}
	if err := history.Keep(ctx, tx, owner, table, `id = $2`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, statement, owner, id)
	return err
}

// RestoreAccount restores the rules and goals of an account that came back. It is a step.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	for kind, table := range map[string]string{"trading_rule": "trading_rules", "goal": "goals"} {
		if err := u.Insert(ctx, table, ""); err != nil {
			return err
		}
		err := u.EachKept(table, func(rows history.KeptRows) error {
			history.Contain(u.Tx, history.Key{Type: "account", ID: string(account)}, kind, len(rows.Rows))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReplaceTag replaces a tag by another in the owner's rules. It is a step in merging tags.
func ReplaceTag(ctx context.Context, tx *db.Tx, owner journal.UserID, old, tag journal.TagID) error {
	all, err := listRules(ctx, tx, owner, tx.Lock())
	if err != nil {
		return err
	}
	for i := range all {
		ids := all[i].Params.TagIDs
		if !slices.Contains(ids, old) {
			continue
		}
		after := all[i]
		after.Params.TagIDs = append(slices.DeleteFunc(slices.Clone(ids), func(id journal.TagID) bool { return id == old }), tag)
		if after, err = after.Check(); err != nil {
			return err
		}
		if err := replaceRule(ctx, tx, owner, all[i], after); err != nil {
			return err
		}
	}
	return nil
}

// replaceRule stores a rule in another form that judges alike.
func replaceRule(ctx context.Context, tx *db.Tx, owner journal.UserID, old, rule rules.Rule) error {
	before, after := toStored(old), toStored(rule)
	ruleHistory.Updated(tx, owner, before, after)
	_, err := tx.Exec(ctx, ruleTable.Update(), ruleTable.UpdateValues(owner, after)...)
	return err
}
