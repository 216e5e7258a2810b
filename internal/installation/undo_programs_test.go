package installation_test

import (
	"context"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/intake/channels"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rulebook"
)

func (w *writer) changeGoal(ctx context.Context) error {
	change := rulebook.GoalChange{Target: journal.Some(decimal.New(int64(1 + w.random.IntN(9))))}
	if w.random.IntN(2) == 0 {
		change.Accounts = journal.Some([]journal.AccountID{journal.AccountID(w.pick("accounts"))})
	}
	_, err := w.Rulebook.UpdateGoal(ctx, w.owner, journal.GoalID(w.pick("goals")), change, nil)
	return err
}

// createChannel creates a channel for events that no write causes, so nothing is sent.
func (w *writer) createChannel(ctx context.Context) error {
	_, _, err := w.Channels.Create(ctx, w.owner, channels.Change{
		Kind: journal.Some(channels.Webhook), Name: journal.Some(w.name("Channel")), Events: journal.Some([]channels.EventType{channels.ImportFailed}),
		Credentials: map[string]journal.Opt[string]{"url": journal.Some("https://example.org")},
	})
	return err
}

func (w *writer) changeChannel(ctx context.Context) error {
	change := channels.Change{Name: journal.Some(w.name("Channel"))}
	if w.random.IntN(2) == 0 {
		change.Accounts = journal.Some([]journal.AccountID{journal.AccountID(w.pick("accounts"))})
	}
	_, err := w.Channels.Update(ctx, w.owner, journal.ChannelID(w.pick("channels")), change, nil)
	return err
}

func (w *writer) deleteChannel(ctx context.Context) error {
	return w.Channels.Delete(ctx, w.owner, journal.ChannelID(w.pick("channels")), nil)
}

func (w *writer) createProgram(ctx context.Context) error {
	_, err := w.Enrollments.CreateProgram(ctx, w.owner, "", func(p *programs.Program) error {
		p.Firm, p.Name, p.Currency, p.InitialBalance = "Acme", w.name("Program"), "USD", decimal.New(50_000)
		p.Phase, p.Product = programs.PhaseEvaluation, "futures"
		p.Day = programs.DayBounds{Reset: "17:00", Zone: "America/Chicago"}
		p.Rules = []programs.Rule{{Kind: programs.ProfitTarget, Amount: decimal.Of(decimal.New(3000))}}
		return nil
	})
	return err
}

func (w *writer) changeProgram(ctx context.Context) error {
	_, err := w.Enrollments.UpdateProgram(ctx, w.owner, journal.ProgramID(w.pick("prop_programs")), func(p *programs.Program) error {
		p.Name = w.name("Program")
		return nil
	}, nil)
	return err
}

func (w *writer) deleteProgram(ctx context.Context) error {
	return w.Enrollments.DeleteProgram(ctx, w.owner, journal.ProgramID(w.pick("prop_programs")), nil)
}

func (w *writer) enroll(ctx context.Context) error {
	_, err := w.Enrollments.Enroll(ctx, w.owner, enrollments.NewEnrollment{
		AccountID: journal.AccountID(w.pick("accounts")), ProgramID: journal.ProgramID(w.pick("prop_programs")),
	})
	return err
}

func (w *writer) changeEnrollment(ctx context.Context) error {
	_, err := w.Enrollments.Change(ctx, w.owner, journal.EnrollmentID(w.pick("enrollments")), nil, func(e *enrollments.Enrollment) error {
		if w.random.IntN(2) == 0 {
			e.Costs = append(e.Costs, enrollments.Cost{ID: w.name("cost"), Kind: "fee", Amount: decimal.New(int64(w.number))})
			return nil
		}
		e.StartingBalance = decimal.New(int64(50_000 + w.number))
		return nil
	})
	return err
}

func (w *writer) deleteEnrollment(ctx context.Context) error {
	return w.Enrollments.Delete(ctx, w.owner, journal.EnrollmentID(w.pick("enrollments")), nil)
}

// storeAlerts stores alerts, as the evaluation of the journal does: one of the account and
// one of none.
func (h *fixture) storeAlerts() {
	h.t.Helper()
	ctx, at := h.t.Context(), db.Micros(h.Clock())
	must(h.t, h.DB.Update(ctx, func(tx *db.Tx) error {
		for n, account := range []any{h.account, nil} {
			_, err := tx.Exec(ctx, `INSERT INTO alerts (user_id, id, kind, dedup, severity, title, at, fired_at, link, account_id, several, counts)
				VALUES ($1, $2, 'rule_broken', $2, 'warning', $3, $4, $4, '/rules', $5, FALSE, '[]')`,
				h.owner, fmt.Sprint("alert ", n), fmt.Sprint("Alert ", n), at, account)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func (w *writer) readAlert(ctx context.Context) error {
	change := alerts.Change{Read: journal.Some(w.random.IntN(2) == 0)}
	if w.random.IntN(2) == 0 {
		change = alerts.Change{SnoozedUntil: journal.Some(w.Clock().Add(time.Duration(w.number) * time.Hour))}
	}
	_, err := w.Alerts.Change(ctx, w.owner, journal.AlertID(w.pick("alerts")), change, nil)
	return err
}

func (w *writer) readAllAlerts(ctx context.Context) error {
	return w.Alerts.ChangeAll(ctx, w.owner, w.random.IntN(2) == 0)
}

func (w *writer) changeAlertSettings(ctx context.Context) error {
	_, err := w.Alerts.UpdateSettings(ctx, w.owner, alerts.SettingsChange{
		Kinds:      map[string]alerts.KindChange{string(alerts.Unreviewed): {Enabled: journal.Some(w.random.IntN(2) == 0)}},
		MaxPerHour: journal.Some(1 + w.random.IntN(9)),
	}, nil)
	return err
}
