package imports_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/parse"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/settings"
)

// marketZones are the zones assumed for some brokers' exports; for all others it is UTC.
var marketZones = map[string]string{
	"ATAS": "America/Chicago", "MotiveWave": "America/Chicago", "NinjaTrader": "America/Chicago", "ProjectX": "America/Chicago",
	"Quantower": "America/Chicago", "Rithmic": "America/Chicago", "Sierra Chart": "America/Chicago", "TopstepX": "America/Chicago",
	"Tradovate": "America/Chicago", "tastytrade": "America/New_York", "HeldenTrader": "Europe/Berlin",
}

// statedZones are the zones stated in some files: in a column name, above the table, in a
// cell or in each time. One has several, so it gets its market's zone.
var statedZones = map[string]string{
	"bybit-trades.txtar": "UTC+10:00", "okx-trading.txtar": "UTC+08:00", "thinkorswim-statement.txtar": "America/Chicago",
	"projectx-orders.txtar": "UTC-06:00", "tradovate-fills.txtar": "UTC", "topstepx-trades.txtar": "America/Chicago",
}

// setTimezone sets the user's time zone.
func (b fixture) setTimezone(zone string) {
	b.Helper()
	change := settings.Change{Timezone: journal.Opt[string]{Set: true, Null: zone == "", Value: zone}}
	if _, err := b.Settings.Update(b.Context(), b.by.UserID, change, nil); err != nil {
		b.Fatal(err)
	}
}

// TestZoneOfEveryExport demands a zone for every recognized file. If the file and its
// format have none, it is default_tz, else the user's time zone, else the market's, and
// the preview states which.
func TestZoneOfEveryExport(t *testing.T) {
	t.Parallel()
	b := newFixture(t, testkit.Open(t, db.SQLite))
	account := b.account("USD")
	var assumed []exportFile
	recognized := 0
	for _, f := range exportFiles(t) {
		up := f.upload(account)
		up.Zone = ""
		p, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
		if err != nil || p.DetectedBroker == "" {
			continue
		}
		recognized++
		if _, err := parse.LoadZone(p.SuggestedZone); err != nil || p.SuggestedZone == "" {
			t.Errorf("%s: zone %q of a file of %s: %v", f.name, p.SuggestedZone, p.DetectedBroker, err)
		}
		if zone := statedZones[f.name]; zone != "" && (p.SuggestedZone != zone || p.ZoneFrom != imports.ZoneFromFile) {
			t.Errorf("%s: zone %s from %s, want %s from the file", f.name, p.SuggestedZone, p.ZoneFrom, zone)
		}
		if p.ZoneFrom != imports.ZoneUnknown && p.ZoneFrom != imports.ZoneOfDays {
			if p.DefaultZoneFrom != "" {
				t.Errorf("%s: the zone is from %s, and the default from %s", f.name, p.ZoneFrom, p.DefaultZoneFrom)
			}
			continue
		}
		assumed = append(assumed, f)
		zone, from := marketZones[p.DetectedBroker], imports.DefaultFromMarket
		if zone == "" {
			zone, from = "UTC", imports.DefaultIsUTC
		}
		b.checkDefaultZone(f.name, p, zone, from)
	}
	if recognized < 250 || len(assumed) < 40 {
		t.Errorf("%d files are recognized, %d without a zone", recognized, len(assumed))
	}

	b.setTimezone("Asia/Tokyo")
	for _, f := range assumed {
		up := f.upload(account)
		up.Zone = ""
		p, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		b.checkDefaultZone(f.name, p, "Asia/Tokyo", imports.DefaultFromSettings)
		up.DefaultZone = "Europe/Paris"
		if p, err = b.Imports.Inspect(t.Context(), b.by.UserID, up); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		b.checkDefaultZone(f.name, p, "Europe/Paris", imports.DefaultFromRequest)
	}
}

// checkDefaultZone checks the zone assumed for a file, and that the preview warns unless
// there are only days.
func (b fixture) checkDefaultZone(file string, p imports.Preview, zone string, from imports.DefaultZoneSource) {
	b.Helper()
	if p.SuggestedZone != zone || p.DefaultZoneFrom != from {
		b.Errorf("%s: zone %s from %s, want %s from %s", file, p.SuggestedZone, p.DefaultZoneFrom, zone, from)
	}
	if isWarned := hasWarning(p.Sentences, "name no time zone and were read as "+zone); isWarned != (p.ZoneFrom == imports.ZoneUnknown) {
		b.Errorf("%s: the zone is from %s, warnings %q", file, p.ZoneFrom, p.Sentences)
	}
}
