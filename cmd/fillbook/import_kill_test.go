package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// TestKilledWhileImporting kills the server during imports and reversals, at times spread
// over a call's duration. After each kill, all import rows exist or none, according to
// its status, acknowledged changes are kept, and interrupted ones can be completed.
func TestKilledWhileImporting(t *testing.T) {
	killImports(t, fillsOfImport, 2)
}

// TestKilledWhileImportingInParts is the same with files stored in parts on SQLite.
func TestKilledWhileImportingInParts(t *testing.T) {
	killImports(t, 4000, 4)
}

// killImports kills the server once for every share rounds.
func killImports(t *testing.T, fills, share int) {
	t.Helper()
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		k := &killing{victim: newVictim(t, engine), outcomes: map[string]int{}, fills: fills}
		k.measure()
		rounds := killRounds(t) / share
		// On a busy machine a call may end before its kill, so there are more rounds until one was interrupted.
		for round := 0; round < rounds || k.interrupted == 0 && round < 10*rounds; round++ {
			moment := (float64(round%rounds/2) + rand.Float64()) / float64((rounds+1)/2)
			if round%2 == 0 {
				k.killImport(round, moment)
			} else {
				k.killReversal(round, moment)
			}
		}
		k.p.stop()
		t.Logf("outcomes: %v", k.outcomes)
		if k.interrupted == 0 {
			t.Fatal("no call was interrupted: the test has no effect")
		}
	})
}

// killing is a repeatedly killed server and its expected contents.
type killing struct {
	*victim
	// batch is the stored import, with the file it came from.
	batch string
	file  importFile
	fills int // in each file
	// How long an import and a reversal last took without an interruption.
	importing, reversing time.Duration

	interrupted int
	outcomes    map[string]int
}

// importFile is a file and its contents.
type importFile struct {
	name, content string
	fills, cash   int
}

// action is what an import of the file is in the history.
func (f *importFile) action() string {
	if f.name == "journal.json" {
		return "restore"
	}
	return "import"
}

const (
	fillsOfImport = 400
	cashOfImport  = 20
)

// newImportFile creates fills unique to a round: a table, or a JSON file with cash.
func newImportFile(round, fills int) importFile {
	day := time.Date(2020, 1, 6, 14, 0, 0, 0, time.UTC).AddDate(0, 0, round)
	var rows []string
	asJSON := round%4 >= 2
	for i := range fills {
		form := "%s,%s,%d,%d.%02d,%s,%d.5\n"
		if asJSON {
			form = `{"symbol":%q,"side":%q,"quantity":%d,"price":%d.%02d,"executed_at":%q,"commission":%d.5}`
		}
		rows = append(rows, fmt.Sprintf(form, []string{"AAPL", "MSFT", "TSLA", "NVDA", "AMD"}[rand.IntN(5)], []string{"buy", "sell"}[rand.IntN(2)],
			1+rand.IntN(9), 10+rand.IntN(90), rand.IntN(100), day.Add(time.Duration(i)*time.Second).Format(time.RFC3339), rand.IntN(3)))
	}
	if !asJSON {
		return importFile{"fills.csv", "Symbol,Side,Quantity,Price,Executed At,Commission\n" + strings.Join(rows, ""), fills, 0}
	}
	var cash []string
	for i := range cashOfImport {
		cash = append(cash, fmt.Sprintf(`{"type":"fee","amount":-%d.25,"occurred_at":%q}`, 1+i, day.Add(time.Duration(i)*time.Minute).Format(time.RFC3339)))
	}
	content := `{"executions":[` + strings.Join(rows, ",") + `],"cash_transactions":[` + strings.Join(cash, ",") + `]}`
	return importFile{"journal.json", content, fills, cashOfImport}
}

// measure imports and reverses once without a kill.
func (k *killing) measure() {
	k.t.Helper()
	file := newImportFile(-1, k.fills)
	status, answer, err := k.undisturbed("/imports/commit", file)
	if err != nil || status != http.StatusOK {
		k.t.Fatalf("the import returned %d %v %v", status, answer, err)
	}
	k.wantResult(answer, file)
	k.reverse(answer["import_batch_id"].(string))
}

// undisturbed imports a file and returns the duration.
func (k *killing) undisturbed(path string, file importFile) (int, map[string]any, error) {
	begun := time.Now()
	defer func() { k.importing = time.Since(begun) }()
	return k.upload(path, file)
}

// reverse reverses an import and returns the duration.
func (k *killing) reverse(batch string) {
	k.t.Helper()
	begun := time.Now()
	k.p.must("DELETE", "/imports/"+batch, k.token, nil, http.StatusNoContent)
	k.reversing = time.Since(begun)
}

// upload sends a file and returns the response, or an error if there was none.
func (k *killing) upload(path string, file importFile) (int, map[string]any, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("account_id", k.account)
	in, err := form.CreateFormFile("file", file.name)
	if err != nil {
		return 0, nil, err
	}
	_, _ = io.WriteString(in, file.content)
	_ = form.Close()
	content, status, err := k.send("POST", path, &body, form.FormDataContentType())
	answer := map[string]any{}
	if err == nil {
		err = json.Unmarshal(content, &answer)
	}
	return status, answer, err
}

// killDuring starts a call and kills the server at a fraction of its usual duration. Then
// it checks the journal and starts the server again.
func (k *killing) killDuring(moment float64, takes time.Duration, call func() (int, error)) (status int, answered bool) {
	k.t.Helper()
	const spread = 1.2 // machines have moods; some are to come after the end
	server := k.p.command.Process
	timer := time.AfterFunc(time.Duration(moment*spread*float64(takes)), func() { _ = server.Kill() })
	status, err := call()
	timer.Stop()
	_ = server.Kill()
	if err != nil {
		k.interrupted++
	}
	k.revive()
	return status, err == nil
}

// killImport kills the import of a new file and then completes it.
func (k *killing) killImport(round int, moment float64) {
	k.t.Helper()
	k.file = newImportFile(round, k.fills)
	before := len(k.list("/imports"))
	var answer map[string]any
	status, answered := k.killDuring(moment, k.importing, func() (status int, err error) {
		status, answer, err = k.upload("/imports/commit", k.file)
		return status, err
	})
	if answered {
		if status != http.StatusOK {
			k.t.Fatalf("round %d: the import returned %d %v", round, status, answer)
		}
		k.wantResult(answer, k.file)
	}
	found := k.list("/imports")
	if len(found) == before {
		if answered {
			k.t.Fatalf("round %d: the import was acknowledged and is lost", round)
		}
		k.outcomes["no import"]++
		k.wantRows(round, "", 0, 0)
		status, answer, err := k.undisturbed("/imports/commit", k.file)
		if err != nil || status != http.StatusOK {
			k.t.Fatalf("round %d: a new import answers %d %v %v", round, status, answer, err)
		}
		k.batch = answer["import_batch_id"].(string)
		k.wantResult(answer, k.file)
	} else {
		k.batch = found[0]["id"].(string)
		k.finish(round, found[0]["status"].(string), answered)
	}
	k.wantStatus(round, "committed")
	k.wantRows(round, k.batch, k.file.fills, k.file.cash)
	k.wantChanges(round, k.file.action())
}

// finish completes an import with its own file only.
func (k *killing) finish(round int, status string, answered bool) {
	k.t.Helper()
	k.outcomes["import "+status]++
	switch {
	case status == "committed":
		k.wantRows(round, k.batch, k.file.fills, k.file.cash)
		k.wantChanges(round, k.file.action())
	case status == "pending" && !answered:
		k.wantRows(round, k.batch, 0, 0)
		k.wantChanges(round)
		k.wantConflict(round)
		status, answer, err := k.undisturbed("/imports/"+k.batch+"/commit", k.file)
		if err != nil || status != http.StatusOK {
			k.t.Fatalf("round %d: finishing returned %d %v %v", round, status, answer, err)
		}
		k.wantResult(answer, k.file)
	default:
		k.t.Fatalf("round %d: the import is %s (acknowledged: %v)", round, status, answered)
	}
	// A client without the answer gets it again, and nothing is written.
	code, answer, err := k.upload("/imports/"+k.batch+"/commit", k.file)
	if err != nil || code != http.StatusOK {
		k.t.Fatalf("round %d: asking again returned %d %v %v", round, code, answer, err)
	}
	k.wantResult(answer, k.file)
	k.wantConflict(round)
}

// wantConflict checks that another file cannot complete the import.
func (k *killing) wantConflict(round int) {
	k.t.Helper()
	other := k.file
	other.content += "\n"
	if status, answer, err := k.upload("/imports/"+k.batch+"/commit", other); err != nil || status != http.StatusConflict {
		k.t.Fatalf("round %d: another file returned %d %v %v", round, status, answer, err)
	}
}

// killReversal kills a reversal and then completes it.
func (k *killing) killReversal(round int, moment float64) {
	k.t.Helper()
	path := "/imports/" + k.batch
	status, answered := k.killDuring(moment, k.reversing, func() (int, error) {
		_, status, err := k.send("DELETE", path, http.NoBody, "")
		return status, err
	})
	if answered && status != http.StatusNoContent {
		k.t.Fatalf("round %d: the reversal returned %d", round, status)
	}
	switch found := k.p.must("GET", path, k.token, nil, http.StatusOK)["status"]; {
	case found == "reversed":
		k.outcomes["reversed"]++
		k.wantChanges(round, "reverse", k.file.action())
	case found == "committed" && !answered:
		k.outcomes["not reversed"]++
		k.wantRows(round, k.batch, k.file.fills, k.file.cash)
		k.wantChanges(round, k.file.action())
		k.reverse(k.batch)
	default:
		k.t.Fatalf("round %d: the import is %v (acknowledged: %v)", round, found, answered)
	}
	k.wantStatus(round, "reversed")
	k.wantRows(round, k.batch, 0, 0)
	k.wantChanges(round, "reverse", k.file.action())
}

func (k *killing) wantResult(answer map[string]any, file importFile) {
	k.t.Helper()
	if answer["inserted"] != float64(file.fills) || answer["cash_inserted"] != float64(file.cash) || answer["error_count"] != 0.0 {
		k.t.Fatalf("the import returned %v, want %d fills and %d cash rows", answer, file.fills, file.cash)
	}
}

func (k *killing) wantStatus(round int, status string) {
	k.t.Helper()
	if found := k.p.must("GET", "/imports/"+k.batch, k.token, nil, http.StatusOK); found["status"] != status {
		k.t.Fatalf("round %d: the import is %v, want %s", round, found["status"], status)
	}
}

// wantChanges checks that the history has exactly these actions for the import, the newest
// first.
func (k *killing) wantChanges(round int, actions ...string) {
	k.t.Helper()
	found := []string{}
	for _, change := range k.list("/history?type=import&object_id=" + k.batch) {
		found = append(found, change["action"].(string))
	}
	if !slices.Equal(found, actions) {
		k.t.Fatalf("round %d: the changes of the import are %v, want %v", round, found, actions)
	}
}

// wantRows checks that exactly these import rows exist.
func (k *killing) wantRows(round int, batch string, fills, cash int) {
	k.t.Helper()
	for path, want := range map[string]int{"/executions": fills, "/cash-transactions": cash} {
		rows := k.list(path)
		if len(rows) != want {
			k.t.Fatalf("round %d: %d rows of %s, want %d", round, len(rows), path, want)
		}
		for _, row := range rows {
			if row["import_batch_id"] != batch {
				k.t.Fatalf("round %d: a row is of import %v, want %s", round, row["import_batch_id"], batch)
			}
		}
	}
	if trades := k.list("/trades"); (len(trades) > 0) != (fills > 0) {
		k.t.Fatalf("round %d: %d trades of %d fills", round, len(trades), fills)
	}
}
