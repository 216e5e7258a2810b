package backup

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/oldpreferences"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategies"
)

// Settings are the journal settings.
type Settings struct {
	Timezone           string         `json:"timezone,omitzero"`
	BreakevenTolerance jsontext.Value `json:"breakeven_tolerance,omitzero"`
	// StrategyDetection is what the detection of strategies does.
	StrategyDetection strategies.Mode `json:"strategy_detection,omitzero"`
}

// Count returns how many settings there are.
func (s Settings) Count() (n int) {
	if s.Timezone != "" {
		n++
	}
	if s.BreakevenTolerance != nil {
		n++
	}
	if s.StrategyDetection != "" {
		n++
	}
	return n
}

// ImportLayout is how files with a layout are imported.
type ImportLayout struct {
	Signature     string            `json:"signature"`
	Name          string            `json:"name"`
	SourceTZ      string            `json:"source_tz,omitzero"`
	DateOrder     string            `json:"date_order,omitzero"`
	ColumnMapping map[string]string `json:"column_mapping,omitzero"`
	Accounts      []LayoutAccount   `json:"accounts,omitempty"` // the last used first
	UsedAt        Instant           `json:"used_at,omitzero"`
}

// LayoutAccount is an account for files with a layout, by its place.
type LayoutAccount struct {
	Account     int    `json:"account"`
	FileAccount string `json:"file_account,omitzero"`
}

func (e *exporter) writeSettings() error {
	stored, err := settings.Read(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return e.record("settings", Settings{Timezone: stored.Timezone, BreakevenTolerance: jsontext.Value(stored.Tolerance), StrategyDetection: stored.Detection})
}

func (e *exporter) writeLayouts() error {
	list, err := layouts.List(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "import_layouts", list, e.layout)
}

func (e *exporter) layout(l layouts.Layout) ImportLayout {
	out := ImportLayout{
		Signature: l.Signature, Name: l.Name, SourceTZ: l.SourceTZ, DateOrder: l.DateOrder, ColumnMapping: l.Mapping, UsedAt: Instant{l.UsedAt},
	}
	for _, a := range l.Accounts {
		if place, known := e.places[a.ID]; known {
			out.Accounts = append(out.Accounts, LayoutAccount{Account: place, FileAccount: a.File})
		}
	}
	return out
}

// restoreSettings sets the user's unset settings.
func (r *restorer) restoreSettings() (err error) {
	in := settings.Journal{Timezone: r.Document.Settings.Timezone, Detection: r.Document.Settings.StrategyDetection}
	if value := r.Document.Settings.BreakevenTolerance; value != nil && value.Kind() != 'n' {
		in.Tolerance = json.RawMessage(value)
	}
	r.result.Settings, err = settings.Restore(r.ctx, r.tx, r.Owner, in)
	return r.accept("Settings", 0, err)
}

// restoreLayouts adds the user's missing layouts.
func (r *restorer) restoreLayouts() error {
	list, places, err := convertRows(r, "Import layout", slices.All(r.Document.ImportLayouts), func(in ImportLayout) (layouts.Layout, error) {
		return r.layout(in).Clean()
	})
	if err != nil {
		return err
	}
	added, refusals, err := layouts.Restore(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.ImportLayouts = added
	return r.acceptAll("Import layout", places, refusals)
}

func (r *restorer) layout(in ImportLayout) layouts.Layout {
	out := layouts.Layout{
		Signature: in.Signature, Name: in.Name, SourceTZ: in.SourceTZ, DateOrder: in.DateOrder, Mapping: in.ColumnMapping,
		UsedAt: in.UsedAt.instantOr(r.now),
	}
	for _, a := range in.Accounts {
		if id := r.accountAt(&a.Account); id != "" {
			out.Accounts = append(out.Accounts, layouts.Account{File: a.FileAccount, ID: id})
		}
	}
	return out
}

// readOldPreferences sets the settings and layouts from the preferences in which
// versions before 7 have them.
func (d *Document) readOldPreferences() {
	preferences := map[string]json.RawMessage{}
	for key, value := range d.Preferences {
		preferences[key] = json.RawMessage(value)
	}
	old := oldpreferences.Read(preferences)
	d.Settings.Timezone = old.Timezone
	if old.Tolerance != "" {
		d.Settings.BreakevenTolerance = jsontext.Value(old.Tolerance)
	}
	places := make([]oldpreferences.Account, len(d.Accounts))
	for i, b := range d.Accounts {
		places[i] = oldpreferences.Account{ID: strconv.Itoa(i), Name: b.Account.Name}
	}
	for _, l := range old.Layouts {
		layout := ImportLayout{
			Signature: l.Signature, Name: l.Name, SourceTZ: l.Zone, DateOrder: l.Order, ColumnMapping: l.Mapping, UsedAt: Instant{l.UsedAt.UTC()},
		}
		for _, a := range l.FindAccounts(places) {
			place, _ := strconv.Atoi(a.ID) // set above
			layout.Accounts = append(layout.Accounts, LayoutAccount{Account: place, FileAccount: a.File})
		}
		d.ImportLayouts = append(d.ImportLayouts, layout)
	}
}
