package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
)

// firmPayout is a payout as the API shows it.
type firmPayout struct {
	ID          string          `json:"id"`
	RequestedAt time.Time       `json:"requested_at"`
	PaidAt      *time.Time      `json:"paid_at" doc:"The balance falls by gross at this instant; null until then."`
	Gross       decimal.Decimal `json:"gross"`
	TraderShare decimal.Null    `json:"trader_share" doc:"The amount that the trader receives."`
}

type payoutFields struct {
	RequestedAt opt[instant]         `json:"requested_at" doc:"Default: now, or paid_at if that is earlier."`
	PaidAt      opt[instant]         `json:"paid_at"`
	Gross       opt[decimal.Decimal] `json:"gross" doc:"Above 0."`
	TraderShare opt[decimal.Decimal] `json:"trader_share"`
}

// TransformSchema describes what a request must have.
func (payoutFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "gross")
}

func (f *payoutFields) apply(p *enrollments.Payout) error {
	if f.RequestedAt.Set && !f.RequestedAt.Null {
		p.RequestedAt = f.RequestedAt.Value.Time
	}
	if f.PaidAt.Set {
		p.PaidAt = nil
		if !f.PaidAt.Null {
			p.PaidAt = &f.PaidAt.Value.Time
		}
	}
	if !f.RequestedAt.Set && p.PaidAt != nil && p.PaidAt.Before(p.RequestedAt) {
		p.RequestedAt = *p.PaidAt
	}
	set(&p.Gross, f.Gross)
	if f.TraderShare.Set {
		p.TraderShare = decimal.Null{Decimal: f.TraderShare.Value, Valid: !f.TraderShare.Null}
	}
	switch {
	case p.Gross.Sign() <= 0 || !p.Gross.IsShort(15, 8):
		return journal.InvalidField("gross", "gross must be an amount above 0.")
	case p.PaidAt != nil && p.PaidAt.Before(p.RequestedAt):
		return journal.InvalidField("paid_at", "paid_at must not be before requested_at.")
	case p.TraderShare.Valid && (p.TraderShare.Decimal.Sign() < 0 || p.TraderShare.Decimal.Cmp(p.Gross) > 0):
		return journal.InvalidField("trader_share", "trader_share must be an amount from 0 to gross.")
	}
	return nil
}

// firmCost is a payment to the firm as the API shows it.
type firmCost struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind" enum:"fee,reset,activation,subscription"`
	Amount decimal.Decimal `json:"amount"`
	At     time.Time       `json:"at"`
}

type costFields struct {
	Kind   opt[string]          `json:"kind" enum:"fee,reset,activation,subscription" doc:"Default: fee."`
	Amount opt[decimal.Decimal] `json:"amount" doc:"Above 0. It does not change the balance."`
	At     opt[instant]         `json:"at" doc:"Default: now."`
}

// TransformSchema describes what a request must have.
func (costFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "amount")
}

func (f *costFields) apply(c *enrollments.Cost) error {
	setDefault(&c.Kind, "fee")
	set(&c.Kind, f.Kind)
	set(&c.Amount, f.Amount)
	if f.At.Set && !f.At.Null {
		c.At = f.At.Value.Time
	}
	switch {
	case !slices.Contains([]string{"fee", "reset", "activation", "subscription"}, c.Kind):
		return journal.InvalidField("kind", "kind must be fee, reset, activation or subscription.")
	case c.Amount.Sign() <= 0 || !c.Amount.IsShort(15, 8):
		return journal.InvalidField("amount", "amount must be above 0.")
	}
	return nil
}

// snapshotOfFirm is what the firm's dashboard shows, as the API shows it.
type snapshotOfFirm struct {
	ID     string       `json:"id"`
	At     time.Time    `json:"at"`
	Floor  decimal.Null `json:"floor"`
	Equity decimal.Null `json:"equity"`
	Note   string       `json:"note"`
}

type snapshotFields struct {
	At     opt[instant]         `json:"at" doc:"Default: now."`
	Floor  opt[decimal.Decimal] `json:"floor"`
	Equity opt[decimal.Decimal] `json:"equity"`
	Note   opt[string]          `json:"note"`
}

// TransformSchema describes that no field is needed.
func (snapshotFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (f *snapshotFields) apply(s *enrollments.Snapshot) (err error) {
	if f.At.Set && !f.At.Null {
		s.At = f.At.Value.Time
	}
	for _, n := range []struct {
		name  string
		sent  opt[decimal.Decimal]
		value *decimal.Null
	}{{"floor", f.Floor, &s.Floor}, {"equity", f.Equity, &s.Equity}} {
		if n.sent.Set {
			*n.value = decimal.Null{Decimal: n.sent.Value, Valid: !n.sent.Null}
		}
		if !n.value.Decimal.IsShort(15, 8) {
			return journal.InvalidField(n.name, "%s has too many digits.", n.name)
		}
	}
	if s.Note, err = journal.CleanName("note", f.Note.Or(s.Note)); err != nil {
		return err
	}
	if !s.Floor.Valid && !s.Equity.Valid && s.Note == "" {
		return journal.InvalidField("floor", "floor, equity or note is needed.")
	}
	return nil
}

// ItemOf selects a record below an enrollment.
type ItemOf struct {
	ByID[journal.EnrollmentID]
	Item string `path:"item"`
}

// ItemChange changes a record below an enrollment.
type ItemChange[F any] struct {
	ItemOf
	Body F
}

// NewItemOf adds a record below an enrollment.
type NewItemOf[F any] struct {
	ByID[journal.EnrollmentID]
	Body F
}

// ItemList selects a page of records below an enrollment.
type ItemList struct {
	ByID[journal.EnrollmentID]
	Paging
}

// enrollmentItems are the records of one kind below enrollments: T as they are stored, S as
// they are shown, F as they are sent.
type enrollmentItems[T, S, F any] struct {
	path, one, many string // path segment, words of the summaries
	operation       string
	list            func(*enrollments.Enrollment) *[]T
	id              func(*T) *string
	create          func(now time.Time) T
	apply           func(*F, *T) error
	shape           func(T) S
}

func (a enrollmentAPI) registerItems(api *API) {
	registerItems(api, a, enrollmentItems[enrollments.Payout, firmPayout, payoutFields]{
		path: "payouts", one: "a payout", many: "payouts", operation: "Payout",
		list: func(e *enrollments.Enrollment) *[]enrollments.Payout { return &e.Payouts }, id: func(p *enrollments.Payout) *string { return &p.ID },
		create: func(now time.Time) enrollments.Payout { return enrollments.Payout{RequestedAt: now} }, apply: (*payoutFields).apply,
		shape: func(p enrollments.Payout) firmPayout { return firmPayout(p) },
	})
	registerItems(api, a, enrollmentItems[enrollments.Cost, firmCost, costFields]{
		path: "costs", one: "a cost", many: "costs", operation: "Cost",
		list: func(e *enrollments.Enrollment) *[]enrollments.Cost { return &e.Costs }, id: func(c *enrollments.Cost) *string { return &c.ID },
		create: func(now time.Time) enrollments.Cost { return enrollments.Cost{At: now} }, apply: (*costFields).apply,
		shape: func(c enrollments.Cost) firmCost { return firmCost(c) },
	})
	registerItems(api, a, enrollmentItems[enrollments.Snapshot, snapshotOfFirm, snapshotFields]{
		path: "snapshots", one: "a snapshot", many: "snapshots of the firm's dashboard", operation: "Snapshot",
		list: func(e *enrollments.Enrollment) *[]enrollments.Snapshot { return &e.Snapshots }, id: func(s *enrollments.Snapshot) *string { return &s.ID },
		create: func(now time.Time) enrollments.Snapshot { return enrollments.Snapshot{At: now} }, apply: (*snapshotFields).apply,
		shape: func(s enrollments.Snapshot) snapshotOfFirm { return snapshotOfFirm(s) },
	})
}

// registerItems registers the operations on one kind of records below enrollments.
func registerItems[T, S, F any](api *API, a enrollmentAPI, k enrollmentItems[T, S, F]) {
	path := "/{id}/" + k.path
	registerList(api, enrollmentRoute(readJournal, http.MethodGet, path, "list"+k.operation+"s", "List an enrollment's "+k.many),
		func(ctx context.Context, in *ItemList) (*listing[S], error) {
			e, err := a.enrollments.Enrollment(ctx, caller(ctx).UserID, in.ID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, *k.list(&e), k.shape, func(item T) string { return *k.id(&item) })
		})
	register(api, enrollmentRoute(writeJournal, http.MethodPost, path, "add"+k.operation, "Add "+k.one+" to an enrollment"),
		func(ctx context.Context, in *NewItemOf[F]) (*body[S], error) {
			return k.write(ctx, a, in.ID, func(list *[]T) (T, error) {
				item := k.create(a.clock())
				*k.id(&item) = journal.NewID[string]()
				err := k.apply(&in.Body, &item)
				*list = append(*list, item)
				return item, err
			})
		})
	register(api, enrollmentRoute(writeJournal, http.MethodPatch, path+"/{item}", "change"+k.operation, "Change "+k.one),
		func(ctx context.Context, in *ItemChange[F]) (*body[S], error) {
			return k.write(ctx, a, in.ID, func(list *[]T) (item T, err error) {
				place, err := k.find(*list, in.Item)
				if err != nil {
					return item, err
				}
				err = k.apply(&in.Body, &(*list)[place])
				return (*list)[place], err
			})
		})
	register(api, enrollmentRoute(writeJournal, http.MethodDelete, path+"/{item}", "delete"+k.operation, "Delete "+k.one),
		func(ctx context.Context, in *ItemOf) (*nothing, error) {
			_, err := k.write(ctx, a, in.ID, func(list *[]T) (item T, err error) {
				place, err := k.find(*list, in.Item)
				if err == nil {
					*list = slices.Delete(*list, place, place+1)
				}
				return item, err
			})
			return nil, err
		})
}

// write changes the list of an enrollment and returns the changed record.
func (k *enrollmentItems[T, S, F]) write(
	ctx context.Context, a enrollmentAPI, id journal.EnrollmentID, change func(*[]T) (T, error),
) (*body[S], error) {
	var item T
	_, err := a.enrollments.Change(ctx, caller(ctx).UserID, id, nil, func(e *enrollments.Enrollment) (err error) {
		item, err = change(k.list(e))
		return err
	})
	return answer(k.shape(item), err)
}

func (k *enrollmentItems[T, S, F]) find(list []T, id string) (int, error) {
	place := slices.IndexFunc(list, func(item T) bool { return *k.id(&item) == id })
	if place < 0 {
		return 0, journal.NotFound("record")
	}
	return place, nil
}
