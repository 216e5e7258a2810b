package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"fillbook/internal/backup"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Upload is a file and what its sender says about it.
type Upload struct {
	FileName string
	Data     []byte
	// Account is where the rows go. A backup may do without: it names its own.
	Account journal.AccountID
	// Mapping says which column is what; empty leaves it to us.
	Mapping map[string]string
	Zone    string
	Order   string
	// Watch, where set, is told of each stage that a commit enters.
	Watch func(Progress)
}

func (u Upload) hash() string {
	sum := sha256.Sum256(u.Data)
	return hex.EncodeToString(sum[:])
}

func (u Upload) check() error {
	switch statement.DateOrder(u.Order) {
	case statement.DateOrderUnknown, statement.DayFirst, statement.MonthFirst:
	default:
		return journal.InvalidField("date_order", "date_order must be day_first or month_first.")
	}
	if u.Zone != "" {
		if _, err := statement.LoadZone(u.Zone); err != nil {
			return journal.InvalidField("source_tz", "The time zone %q is not known. Use an IANA name such as America/New_York.", u.Zone)
		}
	}
	for target := range u.Mapping {
		if !slices.Contains(statement.Targets(), statement.Target(target)) {
			return journal.InvalidField("column_mapping", "%q is not something that a column can be.", target)
		}
	}
	if len(u.Data) == 0 {
		return journal.InvalidField("file", "The file is empty.")
	}
	return nil
}

// content is what a file turned out to be: a statement, or a backup.
type content struct {
	found     statement.Detection
	headers   []string
	samples   [][]string
	suggested statement.Suggestion
	// statement is nil while mapping says what is missing.
	statement *statement.Statement
	mapping   error
	// backup is the document of a backup, archive the zip that it came in, and
	// restored what became of it.
	backup   *backup.Document
	archive  *backup.Archive
	restored *backup.Result
}

// rows is how many rows the file has.
func (c *content) rows() int {
	switch {
	case c.backup != nil:
		return c.backup.Rows()
	case c.statement != nil:
		return c.statement.Rows
	}
	return 0
}

// read finds out what a file is and reads it. It is pure but for waiting its
// turn.
func (s *Service) read(ctx context.Context, owner journal.UserID, up Upload, account *ledger.Account) (*content, error) {
	if err := up.check(); err != nil {
		return nil, err
	}
	release, err := s.slot(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer release()
	if c, err := readBackup(up); c != nil || err != nil {
		return c, err
	}
	file, err := tabular.Read(up.Data, tabular.Default())
	if err != nil {
		return nil, err
	}
	if file.Kind == tabular.JSON {
		doc, err := backup.Decode([]byte(file.Text))
		return &content{backup: doc}, err
	}
	return s.readTables(file, up, account)
}

func (s *Service) readTables(file tabular.File, up Upload, account *ledger.Account) (*content, error) {
	if account == nil {
		return nil, journal.InvalidField("account_id", "Say which account the file is of with account_id.")
	}
	c := &content{}
	hints := statement.Hints{
		Zone: up.Zone, Order: statement.DateOrder(up.Order), FileName: up.FileName, Currency: account.BaseCurrency,
	}
	if err := c.detect(file, s.presets, up.Mapping); err != nil {
		return nil, err
	}
	if !maps.Equal(targets(up.Mapping), c.suggested) {
		hints.Mapping = targets(up.Mapping)
	}
	var err error
	c.statement, err = statement.Read(file, c.found, hints)
	if isMappingRequired(err) {
		c.mapping, err = err, nil
	}
	return c, err
}

// detect finds the preset for a file, or makes one of its column names and the
// user's mapping.
func (c *content) detect(file tabular.File, presets []*statement.Preset, mapping map[string]string) error {
	found, known := statement.Detect(file, presets)
	if !known {
		at, ok := statement.Locate(file)
		if !ok {
			return journal.Invalid("There is no table in this file that could be read.")
		}
		found = at
	}
	if found.Header >= 0 {
		c.headers, c.samples = statement.Sample(file.Tables[found.Table], found.Header)
		c.suggested = statement.SuggestFor(found.Preset, c.headers)
	}
	chosen := targets(mapping)
	switch {
	case !known:
		found.Preset = statement.Generic(c.headers, chosen)
	case len(chosen) > 0 && !maps.Equal(chosen, c.suggested): // sending back what was suggested is no choice
		found.Preset = found.Preset.Mapped(c.headers, chosen)
	}
	c.found = found
	return nil
}

func targets(mapping map[string]string) map[statement.Target]string {
	chosen := make(map[statement.Target]string, len(mapping))
	for target, name := range mapping {
		if name != "" {
			chosen[statement.Target(target)] = name
		}
	}
	return chosen
}

func isMappingRequired(err error) bool {
	var refusal *journal.Error
	return errors.As(err, &refusal) && refusal.Code == "mapping_required"
}
