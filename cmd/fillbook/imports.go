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
	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/imports"
	"fillbook/internal/installation"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/transport"
)

type importCommand struct {
	File          string `arg:"" type:"existingfile" help:"The broker's file, or a backup."`
	Email         string `required:"" placeholder:"EMAIL" help:"Whose journal it goes into."`
	Account       string `placeholder:"ACCOUNT" help:"The name or id of the account; a backup names its own."`
	SourceTZ      string `name:"source-tz" placeholder:"ZONE" help:"The time zone of times that name none, for example America/New_York."`
	DateOrder     string `name:"date-order" enum:",day_first,month_first" default:"" help:"day_first or month_first, where the file leaves it open."`
	TradeDate     string `name:"trade-date" placeholder:"DAY" help:"The day of times that have none, for example 2026-01-31."`
	Map           string `placeholder:"JSON" help:"A JSON object from what a column is to its name, for example {\"symbol\":\"Ticker\"}."`
	DryRun        bool   `name:"dry-run" help:"Only tell what would be imported."`
	AllowMismatch bool   `name:"allow-currency-mismatch" help:"Import a file in another currency than the account's, its amounts as they are."`
}

// Run imports a file, or tells what is in it.
func (c importCommand) Run(env *environment, s *settings) error {
	services, done, err := s.journals(env)
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
			return namingFlags(err)
		}
		return printPreview(env.stdout, preview)
	}
	by := imports.Actor{Principal: identity.Principal{UserID: owner, Credential: identity.CredentialCLI}}
	draw := progressBar(env.stderr, "steps")
	up.Watch = stagesOn(draw)
	result, err := services.Imports.Commit(env.ctx, by, up)
	if err != nil {
		draw(brokenOff, len(stages))
		return namingFlags(err)
	}
	draw(len(stages), len(stages))
	return printResult(env.stdout, result)
}

// stages are the steps of an import in their order; the first is to read the
// file, which is done when the second begins.
var stages = []string{"reading", "checking", "writing", "annotating"}

// stagesOn shows on a bar which steps of an import are done.
func stagesOn(draw func(done, total int)) (watch func(imports.Progress)) {
	draw(0, len(stages))
	return func(p imports.Progress) { draw(slices.Index(stages, p.Stage), len(stages)) }
}

func (c importCommand) upload(env *environment, services *installation.Installation) (journal.UserID, imports.Upload, error) {
	owner, err := userByEmail(env, services, c.Email)
	if err != nil {
		return "", imports.Upload{}, err
	}
	up := imports.Upload{
		FileName: filepath.Base(c.File), Zone: c.SourceTZ, Order: c.DateOrder, Day: c.TradeDate, AllowCurrencyMismatch: c.AllowMismatch,
	}
	if up.Data, err = os.ReadFile(c.File); err != nil {
		return "", up, err
	}
	if c.Map != "" {
		if err := transport.Unmarshal([]byte(c.Map), &up.Mapping); err != nil {
			return "", up, errors.New("--map must be a JSON object of texts, with each key once")
		}
	}
	if c.Account != "" {
		account, err := accountByName(env, services, owner, c.Account)
		if err != nil {
			return "", up, err
		}
		up.Account = account.ID
	}
	return owner, up, nil
}

func userByEmail(env *environment, services *installation.Installation, email string) (journal.UserID, error) {
	user, err := services.Identity.UserByEmail(env.ctx, email)
	if journal.IsKind(err, journal.KindNotFound) {
		err = fmt.Errorf("there is no user %s", email)
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
		return ledger.Account{}, fmt.Errorf("there is no account %q", name)
	}
	return ledger.Account{}, fmt.Errorf("%d accounts are called %q; name it by its id", len(found), name)
}

func printPreview(out io.Writer, p imports.Preview) error {
	broker := p.DetectedBroker
	if broker == "" {
		broker = "no broker that is known"
	}
	fmt.Fprintf(out, "%s (%s)\n%s: %s, %d known, %s, %s\n%s", broker, p.Format, counted(p.RowCount, "row"),
		counted(p.NewRows, "new fill"), p.Duplicates, counted(p.CashRows-p.CashDuplicates, "cash row"), counted(p.ErrorCount, "problem"),
		completes(p.Completed))
	if o := p.Outcome; o != nil {
		fmt.Fprintf(out, "%s, %d changed, %d still open\n", counted(o.NewTrades, "new trade"), o.ChangedTrades, o.OpenTrades)
		for _, net := range o.NetPnL {
			fmt.Fprintf(out, "net P&L %s %s\n", net.Amount, net.Currency)
		}
	}
	if c := p.Currency; c != nil && c.Mismatch {
		fmt.Fprintf(out, "the file is in %s, the account in %s: choose another account or add --allow-currency-mismatch\n", c.File, c.Account)
	}
	printSkipped(out, p.SkippedReasons)
	if len(p.MissingMapping) > 0 {
		fmt.Fprintf(out, "--map must say which columns hold: %s\n", strings.Join(p.MissingMapping, ", "))
	}
	return printRest(out, p.Errors, p.Warnings, p.Reconciliation)
}

// completes returns a line on the stored fills that a file completes, empty for
// none.
func completes(fills int) string {
	if fills == 0 {
		return ""
	}
	return fmt.Sprintf("completes %s\n", counted(fills, "fill"))
}

func printResult(out io.Writer, r imports.Result) error {
	fmt.Fprintf(out, "import %s: %s inserted, %d known, %s, %d annotated, %s, %s\n%s", r.BatchID, counted(r.Inserted, "fill"),
		r.Skipped, counted(r.Trades, "trade"), r.Annotated, counted(r.CashInserted, "cash row"), counted(r.ErrorCount, "problem"),
		completes(r.Completed))
	printSkipped(out, r.SkippedReasons)
	return printRest(out, r.Errors, r.Warnings, r.Reconciliation)
}

// printSkipped says how many rows were skipped for each reason.
func printSkipped(out io.Writer, reasons []imports.SkippedReason) {
	for _, r := range reasons {
		fmt.Fprintf(out, "skipped %s: %s\n", counted(r.Rows, "row"), r.Reason)
	}
}

// namingFlags is a refusal in the words of the command line.
func namingFlags(err error) error {
	refused, ok := errors.AsType[*journal.Error](err)
	if !ok {
		return err
	}
	told := *refused
	told.Message = withFlags(refused.Message)
	return &told
}

// withFlags puts the flags of import in the place of the API's fields.
func withFlags(text string) string {
	return strings.NewReplacer(
		" with account_id.", " with --account.", " with source_tz.", " with --source-tz.", " with date_order.", " with --date-order.",
		" with trade_date,", " with --trade-date,",
		"Say which columns hold:", "Say with --map which columns hold:", "send allow_currency_mismatch=true", "add --allow-currency-mismatch",
	).Replace(text)
}

// counted says how many of something there are.
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func printRest(out io.Writer, problems []imports.Problem, warnings []string, totals []imports.Reconciliation) error {
	for _, p := range problems {
		fmt.Fprintf(out, "row %d: %s\n", p.Row, p.Message)
	}
	for _, w := range warnings {
		fmt.Fprintf(out, "note: %s\n", withFlags(w))
	}
	for _, t := range totals {
		if _, err := fmt.Fprintf(out, "%s: the file says %s, read %s, difference %s\n", t.Item, t.File, t.Computed, t.Difference); err != nil {
			return err
		}
	}
	return nil
}

type exportCommand struct {
	File    string `arg:"" help:"Where to write, in place of what is there; - is standard output."`
	Email   string `required:"" placeholder:"EMAIL" help:"Whose journal to export."`
	Account string `placeholder:"ACCOUNT" help:"The name or id of one account; everything without it."`
	Format  string `enum:"json,csv,xlsx,zip" default:"json" help:"json is the complete backup, zip the same with attachments, csv and xlsx are tables."`
	Rows    string `enum:"trades,executions" default:"trades" help:"What a csv lists."`
}

// Run writes a user's journal to a file. The file is there whole or not at
// all.
func (c exportCommand) Run(env *environment, s *settings) error {
	services, done, err := s.journals(env)
	if err != nil {
		return err
	}
	defer done()
	owner, err := userByEmail(env, services, c.Email)
	if err != nil {
		return err
	}
	request := backup.Request{
		Owner: owner, Format: backup.Format(c.Format), Fills: c.Rows == "executions", At: journal.SystemClock(),
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
				fmt.Fprintf(env.stderr, "the attachment %s is missing\n", file.Path)
			}
			return err
		})
	}
	if c.File == "-" {
		return write(env.stdout)
	}
	return writeWhole(c.File, write)
}

// writeWhole writes a file under another name first, so that nobody ever finds
// half of it.
func writeWhole(name string, write func(io.Writer) error) (err error) {
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
