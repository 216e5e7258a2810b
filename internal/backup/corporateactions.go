package backup

import (
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// CorporateAction is a split, a rename or another corporate action.
type CorporateAction struct {
	Kind        string       `json:"kind"`
	Symbol      string       `json:"symbol"`
	NewSymbol   string       `json:"new_symbol,omitzero"`
	RatioNew    int64        `json:"ratio_new"`
	RatioOld    int64        `json:"ratio_old"`
	CostShare   decimal.Null `json:"cost_share,omitzero"`
	Cash        decimal.Null `json:"cash_per_share,omitzero"`
	EffectiveOn string       `json:"effective_on"`
	Zone        string       `json:"tz"`
	AppliesTo   string       `json:"applies_to"`
	Accounts    []int        `json:"accounts,omitempty"` // their places; all if there are none
	Source      string       `json:"source"`
	Note        string       `json:"note,omitzero"`
	CreatedAt   Instant      `json:"created_at,omitzero"`
}

// writeCorporateActions writes the actions that act on the accounts in the file.
func (e *exporter) writeCorporateActions() error {
	return e.list("corporate_actions", func() error {
		list, err := ledger.ListActions(e.ctx, e.tx, e.owner)
		if err != nil {
			return err
		}
		for _, a := range list {
			out := CorporateAction{
				Kind: string(a.Kind), Symbol: a.Symbol, NewSymbol: a.NewSymbol, CostShare: a.CostShare, Cash: a.Cash, RatioNew: a.RatioNew, RatioOld: a.RatioOld, EffectiveOn: string(a.EffectiveOn), Zone: a.Zone,
				AppliesTo: string(a.AppliesTo), Source: string(a.Source), Note: a.Note, CreatedAt: Instant{a.CreatedAt},
			}
			accounts := a.Accounts
			if e.isSingle() && len(accounts) == 0 {
				accounts = []journal.AccountID{e.scope.Account}
			}
			for _, id := range accounts {
				if place, known := e.places[id]; known {
					out.Accounts = append(out.Accounts, place)
				}
			}
			if len(accounts) > 0 && len(out.Accounts) == 0 {
				continue
			}
			if err := e.element(out); err != nil {
				return err
			}
		}
		return nil
	})
}

// restoreCorporateActions stores the actions that are not stored yet, before the fills.
func (r *ledgerRestorer) restoreCorporateActions() error {
	list, places := make([]ledger.NewAction, 0, len(r.Document.CorporateActions)), make([]int, 0, len(r.Document.CorporateActions))
	for i, in := range r.Document.CorporateActions {
		action, err := r.corporateAction(in)
		if err == nil {
			list, places = append(list, action), append(places, i)
		}
		if err := r.accept("Corporate action", i, err); err != nil {
			return err
		}
	}
	done, err := r.Ledger.RestoreActions(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	for i, d := range done {
		if err := r.accept("Corporate action", places[i], d.Err); err != nil {
			return err
		}
		if d.Changed {
			r.result.CorporateActions++
		}
	}
	return nil
}

func (r *ledgerRestorer) corporateAction(in CorporateAction) (ledger.NewAction, error) {
	accounts := make([]journal.AccountID, 0, len(in.Accounts))
	for _, place := range in.Accounts {
		account := r.accountAt(&place)
		if account == "" {
			return ledger.NewAction{}, journal.InvalidField("accounts", "accounts has the place %s, which is not in the file.", strconv.Itoa(place))
		}
		accounts = append(accounts, account)
	}
	some := func(n decimal.Null) journal.Opt[decimal.Decimal] {
		return journal.Opt[decimal.Decimal]{Set: n.Valid, Value: n.Decimal}
	}
	return ledger.NewAction{CreatedAt: in.CreatedAt.instantOr(r.now), ActionChange: ledger.ActionChange{
		NewSymbol: journal.Some(in.NewSymbol), CostShare: some(in.CostShare), Cash: some(in.Cash),
		Kind: journal.Some(ledger.ActionKind(in.Kind)), Symbol: journal.Some(in.Symbol), RatioNew: journal.Some(in.RatioNew), RatioOld: journal.Some(in.RatioOld),
		EffectiveOn: journal.Some(journal.Day(in.EffectiveOn)), Zone: journal.Some(in.Zone), AppliesTo: journal.Some(ledger.ActionScope(in.AppliesTo)),
		Accounts: journal.Some(accounts), Source: journal.Some(ledger.ActionSource(in.Source)), Note: journal.Some(in.Note),
	}}, nil
}
