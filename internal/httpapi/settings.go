package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/settings"
	"fillbook/internal/transport"
)

type checklistTemplate struct {
	Items []string `json:"items" doc:"The items of a new user's routine."`
}

type instrumentOverride struct {
	Root       string          `json:"root" example:"ES"`
	Multiplier decimal.Decimal `json:"multiplier"`
	TickSize   decimal.Null    `json:"tick_size" required:"false"`
}

type instrumentSettings struct {
	AccountID   journal.AccountID    `json:"account_id"`
	Instruments []instrumentOverride `json:"instruments" doc:"Multipliers of contract roots in this account, in place of the built-in ones."`
}

// journalSettings are the settings read by the server itself.
type journalSettings struct {
	Timezone           *string         `json:"timezone" doc:"An IANA name. Files of detected brokers with the clock of your computer are read in it, and bars without a zone are tried in it."`
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance" doc:"Results this near to zero count as breakeven: an amount, {\"amount\": number}, or {\"r\": number} as a multiple of the risk."`
}

func shapeJournalSettings(j settings.Journal) journalSettings {
	return journalSettings{Timezone: nilIfZero(j.Timezone), BreakevenTolerance: j.Tolerance}
}

type journalSettingsFields struct {
	Timezone           opt[string]          `json:"timezone" doc:"An IANA name; null for none."`
	BreakevenTolerance opt[json.RawMessage] `json:"breakeven_tolerance" doc:"An amount of 0 or more, {\"amount\": number} or {\"r\": number}; null for none."`
}

// TransformSchema describes what a request must have.
func (journalSettingsFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func settingRoute(needs permission, method, path, id, summary string) route {
	r := journalRoute(needs, method, "/settings/"+path, id, "Settings", summary)
	r.repeated = nil
	return r
}

// replacement is the input for a conditional write to a record without an id.
type replacement[B any] struct {
	Precondition
	Body B
}

// settingAPI has the operations on settings.
type settingAPI struct {
	ledger   *ledger.Service
	routine  *routine.Service
	settings *settings.Service
}

func (a settingAPI) register(api *API) {
	a.registerJournalSettingRoutes(api)
	register(api, settingRoute(readJournal, http.MethodGet, "checklist-template", "getChecklistTemplate", "Read the template of the daily checklist"),
		func(ctx context.Context, _ *nothing) (*body[checklistTemplate], error) {
			lines, err := a.routine.Template(ctx, caller(ctx).UserID)
			return answer(checklistTemplate{lines}, err)
		})
	register(api, settingRoute(writeJournal, http.MethodPut, "checklist-template", "setChecklistTemplate", "Replace the template of the daily checklist"),
		func(ctx context.Context, in *replacement[checklistTemplate]) (*body[checklistTemplate], error) {
			if in.Body.Items == nil {
				return nil, journal.InvalidField("items", "items must be a list of texts. An empty list starts an empty routine.")
			}
			check := transport.IfMatch(in.IfMatch, func(lines []string) any { return checklistTemplate{lines} })
			lines, err := a.routine.SetTemplate(ctx, caller(ctx).UserID, in.Body.Items, check)
			return answer(checklistTemplate{lines}, err)
		})
	register(api, settingRoute(readJournal, http.MethodGet, "instruments", "getInstruments", "Read an account's own multipliers"),
		func(ctx context.Context, in *struct {
			AccountID journal.AccountID `query:"account_id" required:"true"`
		},
		) (*body[instrumentSettings], error) {
			if in.AccountID == "" {
				return nil, journal.InvalidField("account_id", "account_id is required.")
			}
			list, err := a.ledger.Overrides(ctx, caller(ctx).UserID, in.AccountID)
			return answer(shapeInstruments(in.AccountID, list), err)
		})
	register(api, settingRoute(writeJournal, http.MethodPut, "instruments", "setInstruments", "Replace an account's own multipliers"), a.setInstruments)
}

func (a settingAPI) registerJournalSettingRoutes(api *API) {
	register(api, settingRoute(readJournal, http.MethodGet, "journal", "getJournalSettings", "Read the settings of the journal"),
		func(ctx context.Context, _ *nothing) (*body[journalSettings], error) {
			stored, err := a.settings.Read(ctx, caller(ctx).UserID)
			return answer(shapeJournalSettings(stored), err)
		})
	register(api, settingRoute(writeJournal, http.MethodPut, "journal", "setJournalSettings", "Change settings of the journal; those not sent stay as they are"),
		func(ctx context.Context, in *replacement[journalSettingsFields]) (*body[journalSettings], error) {
			change := settings.Change{Timezone: in.Body.Timezone.Opt, Tolerance: in.Body.BreakevenTolerance.Opt}
			check := transport.IfMatch(in.IfMatch, func(j settings.Journal) any { return shapeJournalSettings(j) })
			changed, err := a.settings.Update(ctx, caller(ctx).UserID, change, check)
			return answer(shapeJournalSettings(changed), err)
		})
}

func (a settingAPI) setInstruments(ctx context.Context, in *replacement[instrumentSettings]) (*body[instrumentSettings], error) {
	account := in.Body.AccountID
	switch {
	case account == "":
		return nil, journal.InvalidField("account_id", "account_id is required.")
	case in.Body.Instruments == nil:
		return nil, journal.InvalidField("instruments", "instruments must be a list. An empty list removes all multipliers of the account.")
	}
	overrides := shapeAll(in.Body.Instruments, func(o instrumentOverride) ledger.Override { return ledger.Override(o) })
	check := transport.IfMatch(in.IfMatch, func(stored []ledger.Override) any { return shapeInstruments(account, stored) })
	list, err := a.ledger.SetOverrides(ctx, caller(ctx).UserID, account, overrides, check)
	return answer(shapeInstruments(account, list), err)
}

func shapeInstruments(account journal.AccountID, list []ledger.Override) instrumentSettings {
	return instrumentSettings{account, shapeAll(list, func(o ledger.Override) instrumentOverride { return instrumentOverride(o) })}
}
