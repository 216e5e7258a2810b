package watch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// verdict is a file's final result.
type verdict struct {
	outcome Outcome
	message string
	batch   string
	// isBackup reports whether the file is known, but not imported.
	isBackup bool
}

func refuse(format string, args ...any) (verdict, error) {
	return verdict{outcome: Refused, message: fmt.Sprintf(format, args...)}, nil
}

// importer brings files to a server. It is used by one goroutine.
type importer struct {
	client *client
	now    func() time.Time
	dryRun bool

	checked  bool // whether the token and the accounts were checked
	origin   bool // whether the server takes the field origin
	layouts  map[string]layout
	layoutAt time.Time // when layouts were read; zero if never
}

// layoutAge is how long remembered settings are used before they are read again.
const layoutAge = time.Minute

// check checks once that the token works and the accounts exist.
func (i *importer) check(ctx context.Context, folders []Folder) error {
	if i.checked {
		return nil
	}
	accounts, err := i.client.accounts(ctx)
	if err != nil {
		return err
	}
	if err := checkAccounts(folders, accounts); err != nil {
		return err
	}
	if i.origin, err = i.client.takesOrigin(ctx); err != nil {
		return err
	}
	i.checked = true
	return nil
}

func checkAccounts(folders []Folder, accounts []account) error {
	for i, folder := range folders {
		if !slices.ContainsFunc(accounts, func(a account) bool { return a.ID == folder.AccountID }) {
			return configError("[[folder]] %d: the account %s does not exist or the token may not use it. %s", i+1, folder.AccountID, listAccounts(accounts))
		}
	}
	return nil
}

func listAccounts(accounts []account) string {
	if len(accounts) == 0 {
		return "There are no accounts."
	}
	var list []string
	for _, a := range accounts {
		list = append(list, fmt.Sprintf("%s (%s, %s)", a.ID, a.Name, a.Currency))
	}
	return "Accounts: " + strings.Join(list, ", ")
}

// fields returns the form fields for every upload from a folder.
func (i *importer) fields(folder *Folder) map[string]string {
	fields := map[string]string{"account_id": folder.AccountID}
	if folder.TZ != "" {
		fields["source_tz"] = folder.TZ
	}
	if i.origin {
		fields["origin"] = "watch"
	}
	return fields
}

// send imports a trades or price bar file. The error is ErrConfig, errUnreachable or a
// refusal that may not last.
func (i *importer) send(ctx context.Context, folder *Folder, path string, content []byte) (verdict, error) {
	v, err := i.sendTrades(ctx, folder, path, content)
	if err != nil || v.outcome != Skipped || v.isBackup {
		return v, err
	}
	bars, isBars, err := i.sendBars(ctx, folder, path, content)
	if err != nil || isBars {
		return bars, err
	}
	return v, nil
}

// sendTrades imports a trades file: a preview, the settings remembered by the browser for
// its layout, and a commit if nothing is in doubt.
func (i *importer) sendTrades(ctx context.Context, folder *Folder, path string, content []byte) (verdict, error) {
	up := upload{name: filepath.Base(path), content: content, fields: i.fields(folder)}
	p, err := i.client.preview(ctx, up)
	if err != nil {
		return judgeRefusal(err, folder, Skipped)
	}
	if p.Source == "backup" {
		return verdict{outcome: Skipped, message: "this is a backup. Restore it in the browser", isBackup: true}, nil
	}
	remembered, err := i.addRemembered(ctx, folder, &up, p)
	if err != nil {
		return verdict{}, err
	}
	if remembered {
		if p, err = i.client.preview(ctx, up); err != nil {
			return judgeRefusal(err, folder, Refused)
		}
	}
	if v := judgePreview(p, remembered); v != nil {
		return *v, nil
	}
	if i.dryRun {
		return verdict{outcome: Imported, message: fmt.Sprintf("would insert %s, %s", count(p.NewRows, "fill"), count(p.CashRows-p.CashDuplicates, "cash row"))}, nil
	}
	r, err := i.commit(ctx, up)
	if err != nil {
		return judgeRefusal(err, folder, Refused)
	}
	return verdict{outcome: Imported, message: describeResult(r), batch: r.Import}, nil
}

// commit imports a file. The key makes a repetition harmless while the first call still
// runs. An answer older than its import's reversal is not accepted: the preview has found
// new fills, so the file is imported again.
func (i *importer) commit(ctx context.Context, up upload) (result, error) {
	key := up.key()
	r, replayed, err := i.client.commit(ctx, up, key)
	if err != nil || !replayed {
		return r, err
	}
	if stored, err := i.client.isCommitted(ctx, r.Import); err != nil || stored {
		return r, err
	}
	r, _, err = i.client.commit(ctx, up, key+"-"+rand.Text())
	return r, err
}

// addRemembered adds the settings remembered by the browser for a file's layout, and
// reports whether there are any.
func (i *importer) addRemembered(ctx context.Context, folder *Folder, up *upload, p preview) (bool, error) {
	if i.layoutAt.IsZero() || i.now().Sub(i.layoutAt).Abs() > layoutAge {
		layouts, err := i.client.layouts(ctx)
		if err != nil {
			return false, err
		}
		i.layouts, i.layoutAt = layouts, i.now()
	}
	known, ok := i.layouts[p.Signature]
	if !ok || p.Signature == "" {
		return false, nil
	}
	if known.Mapping != nil && hasColumns(p.Headers, known.Mapping) {
		text, err := json.Marshal(known.Mapping)
		if err != nil {
			return false, err
		}
		up.fields["column_mapping"] = string(text)
	}
	if folder.TZ == "" && known.Zone != "" && p.ZoneFrom != "file" {
		up.fields["source_tz"] = known.Zone
	}
	if p.DateOrder == "ambiguous" && known.Order != "" {
		up.fields["date_order"] = known.Order
	}
	return true, nil
}

// hasColumns reports whether a file has all columns in a mapping.
func hasColumns(headers []string, mapping map[string]string) bool {
	for _, column := range mapping {
		if !strings.HasPrefix(column, "=") && !slices.Contains(headers, column) {
			return false
		}
	}
	return true
}

const askInBrowser = "Import one such file in the browser; later ones use your answers"

// judgePreview returns why a file is not imported, or nil. An unknown layout is
// imported if all columns are known by their names, including the side, or if the
// user has imported such a file before.
func judgePreview(p preview, remembered bool) *verdict {
	unfit := Skipped
	if p.Broker != "" || remembered {
		unfit = Refused
	}
	isNew := p.NewRows > 0 || p.Completed > 0 || p.CashRows > p.CashDuplicates || p.Journal != nil
	switch {
	case len(p.Missing) > 0:
		return &verdict{outcome: unfit, message: fmt.Sprintf("not recognized: the columns for %s are unknown. %s", strings.Join(p.Missing, ", "), askInBrowser)}
	case unfit == Skipped && p.Suggested["side"] == "":
		return &verdict{outcome: Skipped, message: "not recognized as a file of trades. " + askInBrowser}
	case p.Currency != nil && p.Currency.Mismatch:
		return &verdict{outcome: Refused, message: fmt.Sprintf("the file is in %s, the account in %s. Import it in the browser", p.Currency.File, p.Currency.Account)}
	case p.DateOrder == "ambiguous":
		return &verdict{outcome: Refused, message: "its dates may be day first or month first. " + askInBrowser}
	case p.ZoneFrom == "unknown":
		return &verdict{outcome: Refused, message: "the time zone of its times is unknown. Set tz for the folder"}
	case isNew:
		return nil
	case p.Duplicates+p.CashDuplicates > 0:
		return &verdict{outcome: Unchanged, message: fmt.Sprintf("nothing new, %s known", count(p.Duplicates, "fill")) + describeProblems(p.ErrorCount, p.Errors)}
	case p.ErrorCount > 0:
		return &verdict{outcome: unfit, message: "no row can be imported" + describeProblems(p.ErrorCount, p.Errors)}
	}
	return &verdict{outcome: Unchanged, message: "nothing to import"}
}

// judgeRefusal returns the verdict for a file the server does not accept. What can change
// without the file is an error.
func judgeRefusal(err error, folder *Folder, outcome Outcome) (verdict, error) {
	r, ok := errors.AsType[*refusal](err)
	if !ok || errors.Is(err, ErrConfig) || errors.Is(err, errUnreachable) {
		return verdict{}, err
	}
	switch {
	case r.Field == "source_tz":
		return verdict{}, configError("tz = %q of the folder %s: %w", folder.TZ, folder.Path, r)
	case r.Status == http.StatusNotFound, r.Field == "account_id":
		return verdict{}, configError("the account %s of the folder %s: %w", folder.AccountID, folder.Path, r)
	case r.Status == http.StatusRequestEntityTooLarge:
		return refuse("%s", r.Message)
	case r.Status/100 == 4:
		return verdict{outcome: outcome, message: r.Message}, nil
	}
	return verdict{}, err
}

func describeResult(r result) string {
	text := fmt.Sprintf("%s inserted, %d known, %s", count(r.Inserted, "fill"), r.Skipped, count(r.Trades, "trade"))
	if r.Completed > 0 {
		text += fmt.Sprintf(", %s completed", count(r.Completed, "fill"))
	}
	if r.CashInserted > 0 {
		text += ", " + count(r.CashInserted, "cash row")
	}
	return text + describeProblems(r.ErrorCount, r.Errors)
}

// describeProblems names the first unreadable row.
func describeProblems(n int, problems []rowError) string {
	if n == 0 || len(problems) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s with a problem, first row %d: %s", count(n, "row"), problems[0].Row, oneLine(problems[0].Message))
}

// count returns a number with a noun in singular or plural.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
