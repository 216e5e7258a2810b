package installation

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Check verifies the whole installation: the engine's integrity checks, every trade
// recomputed from its fills by an independent oracle, and the rules between domains. It
// reports each problem in one sentence and changes nothing. It returns an error only if
// the check could not be done.
func (i *Installation) Check(ctx context.Context, report func(string)) error {
	problems, err := i.DB.Inspect(ctx, false)
	if err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	for _, problem := range problems {
		report(problem)
	}
	users, err := i.publicIDs(ctx)
	if err != nil {
		return fmt.Errorf("reading the users: %w", err)
	}
	err = i.Ledger.Check(ctx, func(p ledger.Problem) {
		report(fmt.Sprintf("user %s, account %s, record %q: %s", users[p.User], p.Account, p.Record, p.What))
	})
	if err != nil {
		return fmt.Errorf("checking the ledger: %w", err)
	}
	if err := i.checkImports(ctx, users, report); err != nil {
		return fmt.Errorf("checking imports: %w", err)
	}
	if err := i.checkAnnotations(ctx, users, report); err != nil {
		return fmt.Errorf("checking annotations: %w", err)
	}
	for id, user := range users {
		err := i.Excursions.Check(ctx, id, func(problem string) { report(fmt.Sprintf("user %s: %s", user, problem)) })
		if err != nil {
			return fmt.Errorf("checking excursions: %w", err)
		}
	}
	if err := i.Routine.Check(ctx, report); err != nil {
		return fmt.Errorf("checking the routine: %w", err)
	}
	if err := i.checkBars(ctx, users, report); err != nil {
		return fmt.Errorf("checking price bars: %w", err)
	}
	if err := i.checkFiles(ctx, report); err != nil {
		return fmt.Errorf("checking attachments: %w", err)
	}
	for id, user := range users {
		err := i.History.Check(ctx, id, func(problem string) { report(fmt.Sprintf("user %s: %s", user, problem)) })
		if err != nil {
			return fmt.Errorf("checking the history: %w", err)
		}
	}
	return i.Identity.Check(ctx, report)
}

// publicIDs returns all users' public ids, for reports.
func (i *Installation) publicIDs(ctx context.Context) (map[journal.UserID]journal.PublicID, error) {
	users, err := i.Identity.Users(ctx)
	ids := make(map[journal.UserID]journal.PublicID, len(users))
	for _, user := range users {
		ids[user.ID] = user.PublicID
	}
	return ids, err
}

// checkImports checks that only committed imports have rows.
func (i *Installation) checkImports(ctx context.Context, users map[journal.UserID]journal.PublicID, report func(string)) error {
	return i.DB.View(ctx, func(tx *db.Tx) error {
		return imports.Check(ctx, tx, func(p ledger.Problem) {
			report(fmt.Sprintf("user %s, import %s: %s", users[p.User], p.Record, p.What))
		})
	})
}

// checkAnnotations checks that every annotated trade exists, and that no orphan does.
func (i *Installation) checkAnnotations(ctx context.Context, users map[journal.UserID]journal.PublicID, report func(string)) error {
	return i.DB.View(ctx, func(tx *db.Tx) error {
		annotated, orphans := map[journal.UserID][]journal.TradeID{}, map[journal.UserID][]journal.TradeID{}
		err := playbook.EachAnnotatedTrade(ctx, tx, func(user journal.UserID, trade journal.TradeID, isOrphan bool) error {
			list := annotated
			if isOrphan {
				list = orphans
			}
			list[user] = append(list[user], trade)
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
				report(fmt.Sprintf("user %s: the annotated trade %s does not exist.", users[user], id))
			}
		}
		for user, trades := range orphans {
			missing, err := ledger.MissingTrades(ctx, tx, user, trades)
			if err != nil {
				return err
			}
			isMissing := map[journal.TradeID]bool{}
			for _, id := range missing {
				isMissing[id] = true
			}
			for _, id := range trades {
				if !isMissing[id] {
					report(fmt.Sprintf("user %s: the trade %s has fills, but its annotations are those of a trade without.", users[user], id))
				}
			}
		}
		return nil
	})
}

// checkBars checks that every user's bars can be read and that their counts are right.
func (i *Installation) checkBars(ctx context.Context, users map[journal.UserID]journal.PublicID, report func(string)) error {
	for user, id := range users {
		err := i.DB.View(ctx, func(tx *db.Tx) error {
			return bars.Check(ctx, tx, user, func(what string) { report(fmt.Sprintf("user %s: %s", id, what)) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFiles checks that every attachment has its file.
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
			report(fmt.Sprintf("user %s: the file of attachment %s (%s) is missing or incomplete.", user.PublicID, a.ID, a.Name))
		}
	}
	return nil
}

// Regroup rebuilds every trade from its fills, for all users, and returns how many
// changed. Trades keep their ids and annotations. It is not needed if Check finds no
// problems.
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
