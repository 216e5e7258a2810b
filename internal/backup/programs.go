package backup

import (
	"slices"
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
)

// PropProgram is a prop firm program of the user.
type PropProgram struct {
	programs.Program
	CreatedAt Instant `json:"created_at,omitzero"`
}

// Enrollment is an account in a program, with the program as it was then. The account is a
// place; ProgramPlace is the one of the user's own program, ProgramID names a built-in one.
type Enrollment struct {
	Account         int                    `json:"account"`
	ProgramPlace    *int                   `json:"program,omitzero"`
	ProgramID       string                 `json:"program_id,omitzero"`
	Program         programs.Program       `json:"definition"`
	StartedAt       Instant                `json:"started_at"`
	EndedAt         Instant                `json:"ended_at,omitzero"`
	State           string                 `json:"state,omitzero"`
	StartingBalance decimal.Decimal        `json:"starting_balance"`
	Overrides       []programs.Rule        `json:"overrides,omitempty"`
	Decisions       []enrollments.Decision `json:"decisions,omitempty"`
	Payouts         []enrollments.Payout   `json:"payouts,omitempty"`
	Costs           []enrollments.Cost     `json:"costs,omitempty"`
	Snapshots       []enrollments.Snapshot `json:"snapshots,omitempty"`
	// Previous is the place of the enrollment that this one resets.
	Previous  *int    `json:"previous,omitzero"`
	CreatedAt Instant `json:"created_at,omitzero"`
}

func (e *exporter) writePrograms() error {
	list, err := enrollments.OwnPrograms(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "prop_programs", list, func(p enrollments.Program) PropProgram {
		return PropProgram{Program: p.Program, CreatedAt: Instant{p.CreatedAt}}
	})
}

func (e *exporter) writeEnrollments() error {
	own, err := enrollments.OwnPrograms(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	list, err := enrollments.List(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "enrollments", list, func(x enrollments.Enrollment) Enrollment {
		out := Enrollment{
			Account: e.places[x.AccountID], Program: *x.Definition(), StartedAt: Instant{x.StartedAt}, State: string(x.State),
			StartingBalance: x.StartingBalance, Overrides: x.Overrides, Decisions: x.Decisions, Payouts: x.Payouts, Costs: x.Costs,
			Snapshots: x.Snapshots, CreatedAt: Instant{x.CreatedAt},
		}
		if x.EndedAt != nil {
			out.EndedAt = Instant{*x.EndedAt}
		}
		if place := slices.IndexFunc(own, func(p enrollments.Program) bool { return p.ID == x.ProgramID }); place >= 0 {
			out.ProgramPlace = &place
		} else {
			out.ProgramID = string(x.ProgramID)
		}
		if x.PreviousID != nil {
			if place := slices.IndexFunc(list, func(o enrollments.Enrollment) bool { return o.ID == *x.PreviousID }); place >= 0 {
				out.Previous = &place
			}
		}
		return out
	})
}

// restorePrograms adds the programs that are not stored yet.
func (r *restorer) restorePrograms() error {
	list := make([]enrollments.Program, len(r.Document.Programs))
	for i, p := range r.Document.Programs {
		list[i] = enrollments.Program{Program: p.Program, CreatedAt: p.CreatedAt.instantOr(r.now)}
	}
	ids, added, refusals, err := enrollments.RestorePrograms(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.programs, r.result.Programs = ids, added
	return r.acceptAll("Program", nil, refusals)
}

// restoreEnrollments adds the enrollments that are not stored yet.
func (r *restorer) restoreEnrollments() error {
	list, places, err := convertRows(r, "Enrollment", slices.All(r.Document.Enrollments), r.newEnrollment)
	if err != nil {
		return err
	}
	previous := make([]int, len(list))
	for i, place := range places {
		previous[i] = -1
		if p := r.Document.Enrollments[place].Previous; p != nil {
			previous[i] = slices.Index(places, *p)
		}
	}
	added, refusals, err := enrollments.Restore(r.ctx, r.tx, r.Owner, list, previous)
	if err != nil {
		return err
	}
	r.result.Enrollments = added
	return r.acceptAll("Enrollment", places, refusals)
}

func (r *restorer) newEnrollment(in Enrollment) (enrollments.Enrollment, error) {
	account := r.accountAt(&in.Account)
	if account == "" {
		return enrollments.Enrollment{}, journal.InvalidField("account", "account has the place %s, which is not in the file.", strconv.Itoa(in.Account))
	}
	id := journal.ProgramID(in.ProgramID)
	if in.ProgramPlace != nil && *in.ProgramPlace >= 0 && *in.ProgramPlace < len(r.programs) {
		id = r.programs[*in.ProgramPlace]
	}
	out := enrollments.Enrollment{
		AccountID: account, ProgramID: id, ProgramVersion: in.Program.Version, StartedAt: in.StartedAt.instantOr(r.now), State: programs.State(in.State),
		StartingBalance: in.StartingBalance, Overrides: in.Overrides, Decisions: in.Decisions, Payouts: in.Payouts, Costs: in.Costs,
		Snapshots: in.Snapshots, CreatedAt: in.CreatedAt.instantOr(r.now), UpdatedAt: r.now,
	}
	if !in.EndedAt.IsZero() {
		ended := in.EndedAt.Time
		out.EndedAt = &ended
	}
	return out, out.SetDefinition(in.Program)
}
