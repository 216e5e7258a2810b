package installation

import (
	"context"
	"fmt"

	"fillbook/internal/db"
	"fillbook/internal/imports"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// Check proves the whole installation: the engine's own integrity checks,
// every trade recomputed from its fills by an independent oracle, and what
// must hold between the domains. It reports each problem in one sentence and
// changes nothing. The error tells that the check could not be done.
func (i *Installation) Check(ctx context.Context, report func(string)) error {
	complaints, err := i.DB.Inspect(ctx, false)
	if err != nil {
		return fmt.Errorf("the engine's own check: %w", err)
	}
	for _, complaint := range complaints {
		report(complaint)
	}
	err = i.Ledger.Check(ctx, func(p ledger.Problem) {
		report(fmt.Sprintf("user %s, account %s, record %q: %s", p.User, p.Account, p.Record, p.What))
	})
	if err != nil {
		return fmt.Errorf("the ledger: %w", err)
	}
	if err := i.checkImports(ctx, report); err != nil {
		return fmt.Errorf("the imports: %w", err)
	}
	if err := i.checkAnnotations(ctx, report); err != nil {
		return fmt.Errorf("the playbook: %w", err)
	}
	if err := i.Routine.Check(ctx, report); err != nil {
		return fmt.Errorf("the routine: %w", err)
	}
	if err := i.checkFiles(ctx, report); err != nil {
		return fmt.Errorf("the attachments: %w", err)
	}
	return i.Identity.Check(ctx, report)
}

// checkImports demands that only committed imports have rows.
func (i *Installation) checkImports(ctx context.Context, report func(string)) error {
	return i.DB.View(ctx, func(tx *db.Tx) error {
		return imports.Check(ctx, tx, func(p ledger.Problem) {
			report(fmt.Sprintf("user %s, import %s: %s", p.User, p.Record, p.What))
		})
	})
}

// checkMarks demands that every trade that something is written on exists.
func (i *Installation) checkAnnotations(ctx context.Context, report func(string)) error {
	return i.DB.View(ctx, func(tx *db.Tx) error {
		annotated := map[journal.UserID][]journal.TradeID{}
		err := playbook.EachAnnotatedTrade(ctx, tx, func(user journal.UserID, trade journal.TradeID) error {
			annotated[user] = append(annotated[user], trade)
			return nil
		})
		if err != nil {
			return err
		}
		for user, trades := range annotated {
			missing, err := ledger.MissingTrades(ctx, tx, user, trades)
			if err != nil {
				return err
			}
			for _, id := range missing {
				report(fmt.Sprintf("user %s: something is written on the trade %s, which does not exist.", user, id))
			}
		}
		return nil
	})
}

// checkFiles demands that every attachment has its file.
func (i *Installation) checkFiles(ctx context.Context, report func(string)) error {
	users, err := i.Identity.Users(ctx)
	if err != nil {
		return err
	}
	for _, user := range users {
		lost, err := i.Playbook.CheckFiles(ctx, user.ID)
		if err != nil {
			return err
		}
		for _, a := range lost {
			report(fmt.Sprintf("user %s: the file of the attachment %s (%s) is missing or cut.", user.ID, a.ID, a.Name))
		}
	}
	return nil
}

// Regroup builds every trade of every user anew from its fills and gives how
// many were other than stored. Trades keep their ids, and what is written on
// them. It is never needed while Check is content.
func (i *Installation) Regroup(ctx context.Context, progress func(done, total int)) (changed int, err error) {
	users, err := i.Identity.Users(ctx)
	if err != nil {
		return 0, err
	}
	type owned struct {
		user    journal.UserID
		account journal.AccountID
	}
	var all []owned
	for _, user := range users {
		accounts, err := i.Ledger.Accounts(ctx, user.ID)
		if err != nil {
			return 0, err
		}
		for _, account := range accounts {
			all = append(all, owned{user.ID, account.ID})
		}
	}
	for n, o := range all {
		some, err := i.Ledger.RegroupAll(ctx, o.user, o.account)
		if err != nil {
			return changed, fmt.Errorf("account %s: %w", o.account, err)
		}
		changed += some
		progress(n+1, len(all))
	}
	return changed, nil
}
