package backup

import (
	"github.com/go-json-experiment/json"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// The head of every backup. formatVersion rises with every new field in the document, so
// an older program rejects a file instead of dropping a field. This program reads all
// versions up to its own.
const (
	formatName    = "fillbook"
	formatVersion = 8
)

// checkVersion refuses an unknown version.
func checkVersion(version int) error {
	if version >= 1 && version <= formatVersion {
		return nil
	}
	return journal.Invalid("The backup has the format version %d; this Fillbook reads versions 1 to %d. Update Fillbook to read it.",
		version, formatVersion)
}

// upgrade changes an older document to the current version. The text is the file it was
// read from.
func (d *Document) upgrade(text []byte) error {
	for i := range d.Setups {
		fields.DropNulls(&d.Setups[i].SetupChange)
	}
	if d.Version < 2 {
		d.setMissingPrices()
	}
	if d.Version < 7 {
		d.readOldPreferences()
	}
	if d.Version < 3 {
		return d.readOldNames(text)
	}
	return nil
}

// setMissingPrices clears the prices missing from setups in version 1. The version left
// out an absent price and always contained the other fields. If those are missing too, a
// person wrote the setup, and an absent price keeps its stored value.
func (d *Document) setMissingPrices() {
	for i := range d.Setups {
		s := &d.Setups[i]
		if !s.Description.Set || !s.Thesis.Set || !s.Symbol.Set || !s.Direction.Set || !s.Checklist.Set {
			continue
		}
		for _, price := range []*journal.Opt[decimal.Decimal]{&s.TargetPrice, &s.StopPrice} {
			if !price.Set {
				price.Set, price.Null = true, true
			}
		}
	}
}

// oldNames are the members named differently in versions 1 and 2.
type oldNames struct {
	Orphans  []Orphan    `json:"waiting_annotations"` // in a single-account file
	Accounts []oldBundle `json:"accounts"`
	Notes    []oldLink   `json:"notes"`
	Files    []oldLink   `json:"attachments"`
}

type oldBundle struct {
	Orphans []Orphan `json:"waiting_annotations"`
}

type oldLink struct {
	Trade struct {
		Orphan *int `json:"waiting"`
	} `json:"trade"`
}

// readOldNames sets orphans, and links to them, from their names before version
// 3.
func (d *Document) readOldNames(text []byte) error {
	var old oldNames
	if err := json.Unmarshal(text, &old, json.WithUnmarshalers(unmarshalTime)); err != nil {
		return newFieldError(err)
	}
	if len(old.Accounts) == 0 {
		old.Accounts = []oldBundle{{Orphans: old.Orphans}}
	}
	for i := range d.Accounts {
		d.Accounts[i].Orphans = old.Accounts[i].Orphans
	}
	for i := range d.Notes {
		d.Notes[i].Trade.setOrphan(old.Notes[i])
	}
	for i := range d.Attachments {
		d.Attachments[i].Trade.setOrphan(old.Files[i])
	}
	return nil
}

func (r *TradeRef) setOrphan(old oldLink) {
	if r != nil {
		r.Orphan = old.Trade.Orphan
	}
}
