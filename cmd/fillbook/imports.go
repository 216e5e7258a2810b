package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/installation"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

type importCommand struct {
	File          string `arg:"" type:"existingfile" help:"Broker file or backup."`
	Email         string `required:"" placeholder:"EMAIL" help:"Email address of the user."`
	Account       string `placeholder:"ACCOUNT" help:"Name or id of the account. Not needed for a backup."`
	SourceTZ      string `name:"source-tz" placeholder:"ZONE" help:"Time zone of times without one, for example America/New_York."`
	DateOrder     string `name:"date-order" enum:",day_first,month_first" default:"" help:"day_first or month_first, if the dates are ambiguous."`
	TradeDate     string `name:"trade-date" placeholder:"DAY" help:"Day of times without a date, for example 2026-01-31."`
	Map           string `placeholder:"JSON" help:"JSON object from fields to column names, for example {\"symbol\":\"Ticker\"}."`
	DryRun        bool   `name:"dry-run" help:"Only print what would be imported."`
	AllowMismatch bool   `name:"allow-currency-mismatch" help:"Import a file in another currency than the account without converting amounts."`
	IgnoreActions bool   `name:"ignore-corporate-actions" help:"Do not record the splits that the file states."`
}

// Run imports a file, or prints a preview.
func (c importCommand) Run(env *environment, s *settings) error {
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	owner, up, err := c.upload(env, services)
	if err != nil {
		return err
	}
	if c.DryRun {
		preview, err := services.Imports.Inspect(env.ctx, owner, up)
		if err != nil {
			return rewordForFlags(err)
		}
		return printPreview(env.stdout, preview)
	}
	by := imports.Actor{Principal: identity.Principal{UserID: owner, Credential: identity.CredentialCLI}}
	draw := progressBar(env.stderr, "steps")
	up.Watch = showStages(draw)
	result, err := services.Imports.Commit(env.ctx, by, up)
	if err != nil {
		draw(progressAborted, len(stages))
		return rewordForFlags(err)
	}
	draw(len(stages), len(stages))
	return printResult(env.stdout, result)
}

// stages are an import's steps in order. The first is reading the file, which is complete
// when the second starts.
var stages = []string{"reading", "checking", "writing", "annotating"}

// showStages draws an import's completed steps.
func showStages(draw func(done, total int)) (watch func(imports.Progress)) {
	draw(0, len(stages))
	return func(p imports.Progress) { draw(slices.Index(stages, p.Stage), len(stages)) }
}

func (c importCommand) upload(env *environment, services *installation.Installation) (journal.UserID, imports.Upload, error) {
	owner, err := userByEmail(env, services, c.Email)
	if err != nil {
		return 0, imports.Upload{}, err
	}
	up := imports.Upload{
		FileName: filepath.Base(c.File), Zone: c.SourceTZ, Order: c.DateOrder, Day: c.TradeDate, AllowCurrencyMismatch: c.AllowMismatch,
		Origin: imports.FromCLI, IgnoreActions: c.IgnoreActions,
	}
	if up.Data, err = os.ReadFile(c.File); err != nil {
		return 0, up, err
	}
	if c.Map != "" {
		if err := transport.Unmarshal([]byte(c.Map), &up.Mapping); err != nil {
			return 0, up, errors.New("--map must be a JSON object with text values and unique keys")
		}
	}
	if c.Account != "" {
		account, err := accountByName(env, services, owner, c.Account)
		if err != nil {
			return 0, up, err
		}
		up.Account = account.ID
	}
	return owner, up, nil
}

func userByEmail(env *environment, services *installation.Installation, email string) (journal.UserID, error) {
	user, err := services.Identity.UserByEmail(env.ctx, email)
	if journal.IsKind(err, journal.KindNotFound) {
		err = fmt.Errorf("user %s does not exist", email)
	}
	return user.ID, err
}

// accountByName finds an account by its id or name.
func accountByName(env *environment, services *installation.Installation, owner journal.UserID, name string) (ledger.Account, error) {
	accounts, err := services.Ledger.Accounts(env.ctx, owner)
	if err != nil {
		return ledger.Account{}, err
	}
	var found []ledger.Account
	for _, a := range accounts {
		if string(a.ID) == name || strings.EqualFold(a.Name, name) {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return ledger.Account{}, fmt.Errorf("account %q does not exist", name)
	}
	return ledger.Account{}, fmt.Errorf("%d accounts have the name %q; use the id", len(found), name)
}

func printPreview(out io.Writer, p imports.Preview) error {
	broker := p.DetectedBroker
	if broker == "" {
		broker = "unknown broker"
	}
	fmt.Fprintf(out, "%s (%s)\n%s: %s, %d known, %s, %s\n%s", broker, p.Format, formatCount(p.RowCount, "row"),
		formatCount(p.NewRows, "new fill"), p.Duplicates, formatCount(p.CashRows-p.CashDuplicates, "cash row"), formatCount(p.ErrorCount, "problem"),
		formatCompleted(p.Completed))
	if o := p.Outcome; o != nil {
		fmt.Fprintf(out, "%s, %d changed, %d still open\n", formatCount(o.NewTrades, "new trade"), o.ChangedTrades, o.OpenTrades)
		for _, net := range o.NetPnL {
			fmt.Fprintf(out, "net P&L %s %s\n", net.Amount, net.Currency)
		}
	}
	if c := p.Currency; c != nil && c.Mismatch {
		fmt.Fprintf(out, "the file is in %s, the account in %s: choose another account or add --allow-currency-mismatch\n", c.File, c.Account)
	}
	printSkipped(out, p.SkippedReasons)
	if len(p.MissingMapping) > 0 {
		fmt.Fprintf(out, "use --map to set the columns for: %s\n", strings.Join(p.MissingMapping, ", "))
	}
	return printRest(out, p.Errors, p.Sentences, p.Reconciliation)
}

// formatCompleted returns a line about the stored fills completed by a file, or an empty
// string.
func formatCompleted(fills int) string {
	if fills == 0 {
		return ""
	}
	return fmt.Sprintf("completes %s\n", formatCount(fills, "fill"))
}

func printResult(out io.Writer, r imports.Result) error {
	fmt.Fprintf(out, "import %s: %s inserted, %d known, %s, %d annotated, %s, %s\n%s", r.BatchID, formatCount(r.Inserted, "fill"),
		r.Skipped, formatCount(r.Trades, "trade"), r.Annotated, formatCount(r.CashInserted, "cash row"), formatCount(r.ErrorCount, "problem"),
		formatCompleted(r.Completed))
	printSkipped(out, r.SkippedReasons)
	return printRest(out, r.Errors, r.Sentences, r.Reconciliation)
}

// printSkipped prints how many rows were skipped for each reason.
func printSkipped(out io.Writer, reasons []imports.SkippedReason) {
	for _, r := range reasons {
		fmt.Fprintf(out, "skipped %s: %s\n", formatCount(r.Rows, "row"), r.Reason)
	}
}

// rewordForFlags replaces field names in an error by the command's flags.
func rewordForFlags(err error) error {
	refused, ok := errors.AsType[*journal.Error](err)
	if !ok {
		return err
	}
	reworded := *refused
	reworded.Message = replaceFieldNames(refused.Message)
	return &reworded
}

// replaceFieldNames replaces API field names by flags of import.
func replaceFieldNames(text string) string {
	return strings.NewReplacer(
		" with account_id.", " with --account.", " with source_tz.", " with --source-tz.", " with date_order.", " with --date-order.",
		" with trade_date,", " with --trade-date,",
		"Choose the columns for:", "Choose the columns with --map for:", "send allow_currency_mismatch=true", "add --allow-currency-mismatch",
		"Send tz,", "Add --tz,", "Send stamp.", "Add --stamp.", "Send symbol.", "Add --symbol.", "Send bar_secs.", "Add --bar-secs.",
	).Replace(text)
}

// formatCount returns a number with a noun in singular or plural.
func formatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func printRest(out io.Writer, problems []imports.Problem, warnings []string, totals []imports.Reconciliation) error {
	for _, p := range problems {
		fmt.Fprintf(out, "row %d: %s\n", p.Row, p.Message)
	}
	for _, w := range warnings {
		fmt.Fprintf(out, "note: %s\n", replaceFieldNames(w))
	}
	for _, t := range totals {
		if _, err := fmt.Fprintf(out, "%s: file %s, computed %s, difference %s\n", t.Item, t.File, t.Computed, t.Difference); err != nil {
			return err
		}
	}
	return nil
}

type exportCommand struct {
	File    string `arg:"" help:"File to write or replace; - for standard output."`
	Email   string `required:"" placeholder:"EMAIL" help:"Email address of the user."`
	Account string `placeholder:"ACCOUNT" help:"Name or id of one account. Default: all accounts."`
	Format  string `enum:"json,csv,xlsx,zip" default:"json" help:"json: complete backup; zip: backup with attachments; csv, xlsx: tables."`
	Bars    bool   `help:"Add the price bars to a json or zip file of all accounts."`
	Rows    string `enum:"trades,executions,realized-gains" default:"trades" help:"Rows of a csv or xlsx file."`
}

// Run writes a user's journal to a file, completely or not at all.
func (c exportCommand) Run(env *environment, s *settings) error {
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	owner, err := userByEmail(env, services, c.Email)
	if err != nil {
		return err
	}
	request := backup.Request{
		Owner: owner, Format: backup.Format(c.Format), Rows: backup.Rows(c.Rows), At: journal.SystemClock(), Bars: c.Bars,
	}
	if c.Account != "" {
		account, err := accountByName(env, services, owner, c.Account)
		if err != nil {
			return err
		}
		request.Accounts = []journal.AccountID{account.ID}
	}
	write := func(out io.Writer) error {
		return services.DB.View(env.ctx, func(tx *db.Tx) error {
			missing, err := backup.Write(env.ctx, tx, services.Playbook, request, out)
			for _, file := range missing {
				fmt.Fprintf(env.stderr, "attachment %s is missing\n", file.Path)
			}
			return err
		})
	}
	if c.File == "-" {
		return write(env.stdout)
	}
	return writeAtomically(c.File, write)
}

// writeAtomically writes a file under a temporary name and renames it, so an incomplete
// file is never visible.
func writeAtomically(name string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
