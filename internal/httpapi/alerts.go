package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/transport"
)

// alert is an alert as the API shows it.
type alert struct {
	ID           journal.AlertID        `json:"id"`
	Kind         alertKind              `json:"kind"`
	Severity     alerts.Severity        `json:"severity" enum:"info,warning,critical"`
	Title        string                 `json:"title" example:"The rule \"Max 3 trades\" was broken by NVDA."`
	At           time.Time              `json:"at" doc:"When it happened."`
	FiredAt      time.Time              `json:"fired_at" doc:"When it was found; later than at for fills that arrive late."`
	ReadAt       *time.Time             `json:"read_at"`
	SnoozedUntil *time.Time             `json:"snoozed_until" doc:"It is not unread before this instant."`
	Link         string                 `json:"link" doc:"Where the page shows it." example:"/trades/01a1e6be-3407-71e0-9be2-65869e7500c6"`
	AccountID    *journal.AccountID     `json:"account_id" doc:"Null if it concerns none, or several."`
	RuleID       *journal.TradingRuleID `json:"rule_id"`
	TradeID      *journal.TradeID       `json:"trade_id"`
	EnrollmentID *journal.EnrollmentID  `json:"enrollment_id"`
	GoalID       *journal.GoalID        `json:"goal_id"`
	BatchID      *journal.BatchID       `json:"import_batch_id" doc:"The import that brought the trade, or that failed."`
	Day          *journal.Day           `json:"day" format:"date" doc:"The day of the rule, program or goal."`
	Level        *string                `json:"level" doc:"daily_loss: 50, 75 or 100 percent of the limit. program_warning and program_breached: the kind of the program's rule. option_expires: days left." example:"75"`
	Counts       map[string]int         `json:"counts,omitempty" doc:"import_summary: how many alerts of each kind the import would have fired if its trades were recent."`
}

// alertKind is a kind of alerts.
type alertKind alerts.Kind

// Schema describes the kinds.
func (alertKind) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, kind := range alerts.Kinds() {
		schema.Enum = append(schema.Enum, string(kind))
	}
	return schema
}

func shapeAlert(a alerts.Alert) alert {
	shaped := alert{
		ID: a.ID, Kind: alertKind(a.Kind), Severity: a.Severity, Title: a.Title, At: a.At, FiredAt: a.FiredAt, ReadAt: a.ReadAt,
		SnoozedUntil: a.SnoozedUntil, Link: a.Link, AccountID: a.Account, RuleID: a.Rule, TradeID: a.Trade, EnrollmentID: a.Enrollment,
		GoalID: a.Goal, BatchID: a.Batch, Day: nilIfZero(a.Day), Level: nilIfZero(a.Level),
	}
	for _, c := range a.Counts {
		if shaped.Counts == nil {
			shaped.Counts = map[string]int{}
		}
		shaped.Counts[string(c.Kind)] = c.Count
	}
	return shaped
}

func alertTag(a alerts.Alert) any { return shapeAlert(a) }

// alertQuery is the input for a list of alerts.
type alertQuery struct {
	Paging
	Unread flagParam `query:"unread" doc:"true: only alerts that are not read and not snoozed."`
}

type alertFields struct {
	Read         opt[bool]    `json:"read"`
	SnoozedUntil opt[instant] `json:"snoozed_until" doc:"An instant in the future; null ends the snooze."`
}

// TransformSchema describes what a request must have.
func (alertFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (f alertFields) change() alerts.Change {
	return alerts.Change{
		Read:         f.Read.Opt,
		SnoozedUntil: journal.Opt[time.Time]{Set: f.SnoozedUntil.Set, Null: f.SnoozedUntil.Null, Value: f.SnoozedUntil.Value.Time},
	}
}

type allAlertFields struct {
	Read opt[bool] `json:"read" doc:"true marks all alerts as read."`
}

// TransformSchema describes what a request must have.
func (allAlertFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "read")
}

// alertAPI has the operations on alerts.
type alertAPI struct {
	alerts *alerts.Service
}

func alertRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, path, id, "Alerts", summary)
}

func (a alertAPI) register(api *API) {
	registerList(api, alertRoute(readJournal, http.MethodGet, "/alerts", "listAlerts", "List the alerts, newest first"), a.list)
	register(api, alertRoute(writeJournal, http.MethodPatch, "/alerts", "changeAlerts", "Mark all alerts as read"),
		func(ctx context.Context, in *body[allAlertFields]) (*nothing, error) {
			if !in.Body.Read.Set || in.Body.Read.Null {
				return nil, journal.InvalidField("read", "read must be true or false.")
			}
			return nil, a.alerts.ChangeAll(ctx, caller(ctx).UserID, in.Body.Read.Value)
		})
	register(api, alertRoute(readJournal, http.MethodGet, "/alerts/{id}", "getAlert", "Read an alert"),
		func(ctx context.Context, in *ByID[journal.AlertID]) (*body[alert], error) {
			found, err := a.alerts.Alert(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeAlert(found), err)
		})
	register(api, alertRoute(writeJournal, http.MethodPatch, "/alerts/{id}", "changeAlert", "Mark an alert as read, or snooze it"),
		func(ctx context.Context, in *ChangeOf[journal.AlertID, alertFields]) (*body[alert], error) {
			if in.Body.Read.Null {
				return nil, journal.InvalidField("read", "read must be true or false.")
			}
			changed, err := a.alerts.Change(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, alertTag))
			return answer(shapeAlert(changed), err)
		})
	register(api, alertRoute(readAlertSettings, http.MethodGet, "/alert-settings", "getAlertSettings", "Read which alerts you get"),
		func(ctx context.Context, _ *nothing) (*body[alertSettings], error) {
			stored, err := a.alerts.Settings(ctx, caller(ctx).UserID)
			return answer(shapeAlertSettings(stored), err)
		})
	register(api, alertRoute(writeAlertSettings, http.MethodPut, "/alert-settings", "setAlertSettings", "Change which alerts you get; what is not sent stays as it is"),
		func(ctx context.Context, in *replacement[alertSettingsFields]) (*body[alertSettings], error) {
			check := transport.IfMatch(in.IfMatch, func(s alerts.Settings) any { return shapeAlertSettings(s) })
			changed, err := a.alerts.UpdateSettings(ctx, caller(ctx).UserID, in.Body.change(), check)
			return answer(shapeAlertSettings(changed), err)
		})
}

func (a alertAPI) list(ctx context.Context, in *alertQuery) (*listing[alert], error) {
	at, id, _, err := in.decodeTimeCursor()
	if err != nil {
		return nil, err
	}
	query := alerts.Query{Unread: in.Unread.Value, BeforeAt: at, Before: journal.AlertID(id)}
	if size := in.pageSize(); size > 0 {
		query.Limit = size + 1
	}
	list, total, err := a.alerts.List(ctx, caller(ctx).UserID, query)
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, list, total, shapeAlert, func(a alerts.Alert) []string { return timeKeys(a.FiredAt, string(a.ID)) }), nil
}

// alertSettings are which alerts a user gets.
type alertSettings struct {
	Kinds      map[string]alertKindSettings `json:"kinds" doc:"Every kind of alerts."`
	QuietHours orNull[quietHours]           `json:"quiet_hours" doc:"Messages wait until they end; alerts are found and listed all the same."`
	MaxPerHour *int                         `json:"max_per_hour" doc:"How many messages are sent in an hour at most; the others follow as one digest. Null for no limit."`
}

type alertKindSettings struct {
	Enabled  bool     `json:"enabled"`
	Channels []string `json:"channels" doc:"The ids of the channels that alerts of this kind are sent to."`
}

type quietHours struct {
	From string `json:"from" example:"22:00"`
	To   string `json:"to" example:"07:00"`
	TZ   string `json:"tz" doc:"An IANA time zone. Default UTC."`
}

// TransformSchema describes what a request must have.
func (quietHours) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "from", "to")
}

func shapeAlertSettings(s alerts.Settings) alertSettings {
	shaped := alertSettings{Kinds: map[string]alertKindSettings{}, MaxPerHour: nilIfZero(s.MaxPerHour)}
	for _, kind := range alerts.Kinds() {
		shaped.Kinds[string(kind)] = alertKindSettings{Enabled: s.Wants(kind), Channels: emptyIfNil(s.Channels(kind))}
	}
	if q := s.QuietHours; q != nil {
		shaped.QuietHours = orNull[quietHours]{&quietHours{From: q.From, To: q.To, TZ: q.Zone}}
	}
	return shaped
}

type alertSettingsFields struct {
	Kinds      opt[map[string]alertKindFields] `json:"kinds" doc:"By kind. Kinds that are not sent stay as they are."`
	QuietHours opt[quietHours]                 `json:"quiet_hours" doc:"Null for none."`
	MaxPerHour opt[integer]                    `json:"max_per_hour" doc:"1 to 1000; null for no limit."`
}

// TransformSchema describes what a request must have.
func (alertSettingsFields) TransformSchema(r huma.Registry, schema *huma.Schema) *huma.Schema {
	schema.Properties["quiet_hours"] = orNull[quietHours]{}.Schema(r)
	return requireOnly(schema)
}

type alertKindFields struct {
	Enabled  opt[bool]     `json:"enabled" doc:"Default true."`
	Channels opt[[]string] `json:"channels" doc:"Ids of channels. Default none."`
}

// TransformSchema describes what a request must have.
func (alertKindFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (f alertSettingsFields) change() alerts.SettingsChange {
	change := alerts.SettingsChange{
		QuietHours: journal.Opt[alerts.QuietHours]{
			Set: f.QuietHours.Set, Null: f.QuietHours.Null,
			Value: alerts.QuietHours{From: f.QuietHours.Value.From, To: f.QuietHours.Value.To, Zone: f.QuietHours.Value.TZ},
		},
		MaxPerHour: journal.Opt[int]{Set: f.MaxPerHour.Set, Null: f.MaxPerHour.Null, Value: int(f.MaxPerHour.Value)},
		Kinds:      map[string]alerts.KindChange{},
	}
	for kind, set := range f.Kinds.Value {
		change.Kinds[kind] = alerts.KindChange{Enabled: set.Enabled.Opt, Channels: set.Channels.Opt}
	}
	return change
}
