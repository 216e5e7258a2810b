package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/ledger"
)

// Upload is a file with its import options.
type Upload struct {
	FileName string
	Data     []byte
	// SHA256 is the hash of Data, if the caller has it.
	SHA256 *[sha256.Size]byte
	// Account is the account for the rows. A backup names its own; with Account, its only
	// account goes there.
	Account journal.AccountID
	// DefaultAccount is the account for the rows if Account is empty. A backup ignores
	// it.
	DefaultAccount journal.AccountID
	// Mapping maps targets to column names; empty means automatic.
	Mapping map[string]string
	Zone    string
	// DefaultZone is the zone for times without one, if neither Zone nor the file's
	// format says which. If it is empty, see [DefaultZoneSource].
	DefaultZone string
	Order       string
	// AllowCurrencyMismatch imports amounts in another currency than the account's
	// unchanged. Without it such a file is rejected.
	AllowCurrencyMismatch bool
	// Day is the day for times without one, such as 2026-01-31; empty if unknown.
	Day string
	// Kinds are the user's kinds for words in the file; see [UnknownKind].
	Kinds map[string]string
	// IgnoreActions does not record the corporate actions that the file states.
	IgnoreActions bool
	// Origin is how the file arrived; upload if empty.
	Origin Origin
	// Watch, if set, is called at each commit stage.
	Watch func(Progress)
}

func (u Upload) hash() string {
	if u.SHA256 != nil {
		return hex.EncodeToString(u.SHA256[:])
	}
	sum := sha256.Sum256(u.Data)
	return hex.EncodeToString(sum[:])
}

func (u Upload) check() error {
	switch parse.DateOrder(u.Order) {
	case parse.DateOrderUnknown, parse.DayFirst, parse.MonthFirst:
	default:
		return journal.InvalidField("date_order", "date_order must be day_first or month_first.")
	}
	if err := checkZone("source_tz", u.Zone); err != nil {
		return err
	}
	if err := checkZone("default_tz", u.DefaultZone); err != nil {
		return err
	}
	if u.Day != "" {
		if _, err := journal.ParseDay(statement.TradeDate, u.Day); err != nil {
			return err
		}
	}
	for target := range u.Mapping {
		if !slices.Contains(statement.Targets(), statement.Target(target)) {
			return journal.InvalidField("column_mapping", "%q is not a mapping target.", target)
		}
	}
	if err := checkKinds(u.Kinds); err != nil {
		return err
	}
	if len(u.Data) == 0 {
		return journal.InvalidField("file", "The file is empty.")
	}
	return nil
}

// checkZone returns an error if the zone in a field is not known.
func checkZone(field, zone string) error {
	if zone == "" {
		return nil
	}
	if _, err := parse.LoadZone(zone); err != nil {
		return journal.InvalidField(field, "The time zone %q is not known. Use an IANA name such as America/New_York.", zone)
	}
	return nil
}

// content is a file's content: a statement or a backup.
type content struct {
	found     statement.Detection
	headers   []string
	samples   [][]string
	suggested statement.Suggestion
	// statement is nil if columns must be named first; mapping is then the error.
	statement *statement.Statement
	mapping   error
	// layout is the preset's key, under which kinds for words are stored; empty for a
	// file without a preset.
	layout string
	// zone is the time zone chosen by the user, or empty.
	zone        string
	defaultZone defaultZone
	// tableRows counts the rows below the header if columns must be named first.
	tableRows int
	// backup is nil for other files, and restored until it is restored.
	backup   Backup
	restored *RestoreResult
}

// rows returns the file's row count.
func (c *content) rows() int {
	switch {
	case c.backup != nil:
		return c.backup.Rows()
	case c.statement != nil:
		return c.statement.Rows
	}
	return c.tableRows
}

// hasOwnReader reports whether the file is recognized by its shape, so there are no
// columns to map.
func (c *content) hasOwnReader() bool { return c.backup == nil && c.found.Header < 0 }

// read waits for a slot, then detects a file's layout and parses it. Parsing stops when
// the client disconnects, and after readTime.
func (s *Service) read(ctx context.Context, owner journal.UserID, up Upload, account *ledger.Account) (*content, error) {
	if err := up.check(); err != nil {
		return nil, err
	}
	release, err := s.waitForSlot(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer release()
	limited, cancel := context.WithTimeout(ctx, s.readTime)
	defer cancel()
	c, err := s.parse(limited, owner, up, account)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, journal.InvalidField("file", "Reading the file takes too long. Split it and upload the parts.")
	}
	return c, err
}

func (s *Service) parse(ctx context.Context, owner journal.UserID, up Upload, account *ledger.Account) (*content, error) {
	if zip, err := s.backups.OpenZip(up.Data); zip != nil || err != nil {
		return &content{backup: zip}, err
	}
	file, err := tabular.ReadContext(ctx, up.Data, tabular.Default())
	if err != nil {
		return nil, err
	}
	if file.Kind == tabular.JSON {
		decoded, err := s.backups.Decode([]byte(file.Text))
		return &content{backup: decoded}, err
	}
	return s.readTables(ctx, owner, file, up, account)
}

func (s *Service) readTables(
	ctx context.Context, owner journal.UserID, file tabular.File, up Upload, account *ledger.Account,
) (*content, error) {
	if account == nil {
		return nil, journal.InvalidField("account_id", "Say which account the file is of with account_id.")
	}
	c := &content{zone: up.Zone}
	if err := c.detect(file, s.presets, up.Mapping); err != nil {
		return nil, err
	}
	var err error
	if c.defaultZone, err = s.findDefaultZone(ctx, owner, up, account.ID, c); err != nil {
		return nil, err
	}
	hints := statement.Hints{
		Zone: up.Zone, DefaultZone: c.defaultZone.name, Order: parse.DateOrder(up.Order), FileName: up.FileName, Day: journal.Day(up.Day), Currency: account.BaseCurrency,
	}
	chosen := targets(up.Mapping)
	if !c.hasOwnReader() && !maps.Equal(chosen, c.suggested) {
		hints.Mapping = chosen
	}
	if hints.Kinds, err = s.mergeKinds(ctx, owner, c.layout, up.Kinds); err != nil {
		return nil, err
	}
	c.statement, err = statement.ReadContext(ctx, file, c.found, hints)
	if isMappingRequired(err) {
		c.mapping, c.tableRows, err = err, statement.CountRows(file.Tables[c.found.Table], c.found.Header), nil
	}
	if err == nil && c.hasOwnReader() {
		if c.statement.Source == statement.FromCSV { // a statement has no columns to map
			c.suggested = statement.SuggestFromSamples(c.statement)
		}
		if len(chosen) > 0 && !maps.Equal(chosen, c.suggested) {
			c.statement.AddWarning(statement.Warning{
				Code:   statement.MappingIgnored,
				Text:   fmt.Sprintf("Your columns were not used, because files of this kind (%s) have a reader of their own.", c.found.Preset.Broker),
				Advice: "column_mapping was ignored.",
			})
		}
	}
	return c, err
}

// detect finds a file's preset, or builds one from its column names and the user's
// mapping.
func (c *content) detect(file tabular.File, presets *statement.Detector, mapping map[string]string) error {
	found, known := presets.Detect(file)
	if !known {
		at, ok := statement.Locate(file)
		if !ok {
			return journal.Invalid("The file contains no readable table.")
		}
		found = at
	}
	if known {
		c.layout = found.Preset.Key()
	}
	var header []string
	var rows []tabular.Row
	if found.Header >= 0 {
		table := file.Tables[found.Table]
		header, rows = table.Rows[found.Header].Cells, table.Rows[found.Header+1:]
		c.headers, c.samples = statement.Sample(table, found.Header)
		c.suggested = statement.SuggestFor(found.Preset, header, rows)
	}
	chosen := targets(mapping)
	switch {
	case !known && len(chosen) == 0:
		found.Preset = c.suggested.Preset()
	case !known:
		found.Preset = statement.Generic(header, rows, chosen)
	case len(chosen) > 0 && found.Header >= 0 && !maps.Equal(chosen, c.suggested): // sending back the suggested mapping is not a choice
		found.Preset = found.Preset.Mapped(header, rows, chosen)
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
