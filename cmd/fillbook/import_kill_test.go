package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/db"
)

// TestKilledWhileImporting kills the server in the middle of imports and of
// reversals, at moments spread over the time that such a call takes. After each
// the rows of the import are all there or none is, its status says which, what
// was acknowledged holds, and what was interrupted can be finished.
func TestKilledWhileImporting(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		k := &killing{victim: newVictim(t, engine), outcomes: map[string]int{}}
		k.measure()
		rounds := killRounds(t) / 2
		for round := range rounds {
			moment := (float64(round/2) + rand.Float64()) / float64((rounds+1)/2)
			if round%2 == 0 {
				k.killImport(round, moment)
			} else {
				k.killReversal(round, moment)
			}
		}
		k.p.stop()
		t.Logf("what the kills left: %v", k.outcomes)
		if k.interrupted == 0 {
			t.Fatal("no call was interrupted: the test tests nothing")
		}
	})
}

// killing is a server that is killed again and again, and what it must hold.
type killing struct {
	*victim
	// batch is the import that the server holds, with the file it came from.
	batch string
	file  importFile
	// How long an import and a reversal took when nobody last disturbed them.
	importing, reversing time.Duration

	interrupted int
	outcomes    map[string]int
}

// importFile is a file with what is in it.
type importFile struct {
	name, content string
	fills, cash   int
}

const (
	fillsOfImport = 400
	cashOfImport  = 20
)

// newImportFile makes up fills that no other round has: a table, or a JSON file
// that has cash as well.
func newImportFile(round int) importFile {
	day := time.Date(2020, 1, 6, 14, 0, 0, 0, time.UTC).AddDate(0, 0, round)
	var rows []string
	asJSON := round%4 >= 2
	for i := range fillsOfImport {
		form := "%s,%s,%d,%d.%02d,%s,%d.5\n"
		if asJSON {
			form = `{"symbol":%q,"side":%q,"quantity":%d,"price":%d.%02d,"executed_at":%q,"commission":%d.5}`
		}
		rows = append(rows, fmt.Sprintf(form, []string{"AAPL", "MSFT", "TSLA", "NVDA", "AMD"}[rand.IntN(5)], []string{"buy", "sell"}[rand.IntN(2)],
			1+rand.IntN(9), 10+rand.IntN(90), rand.IntN(100), day.Add(time.Duration(i)*time.Second).Format(time.RFC3339), rand.IntN(3)))
	}
	if !asJSON {
		return importFile{"fills.csv", "Symbol,Side,Quantity,Price,Executed At,Commission\n" + strings.Join(rows, ""), fillsOfImport, 0}
	}
	var cash []string
	for i := range cashOfImport {
		cash = append(cash, fmt.Sprintf(`{"type":"fee","amount":-%d.25,"occurred_at":%q}`, 1+i, day.Add(time.Duration(i)*time.Minute).Format(time.RFC3339)))
	}
	content := `{"executions":[` + strings.Join(rows, ",") + `],"cash_transactions":[` + strings.Join(cash, ",") + `]}`
	return importFile{"journal.json", content, fillsOfImport, cashOfImport}
}

// measure imports and reverses once undisturbed.
func (k *killing) measure() {
	k.t.Helper()
	file := newImportFile(-1)
	status, answer, err := k.undisturbed("/imports/commit", file)
	if err != nil || status != http.StatusOK {
		k.t.Fatalf("the import answers %d %v %v", status, answer, err)
	}
	k.wantResult(answer, file)
	k.reverse(answer["import_batch_id"].(string))
}

// undisturbed uploads a file to be imported and takes the time.
func (k *killing) undisturbed(path string, file importFile) (int, map[string]any, error) {
	begun := time.Now()
	defer func() { k.importing = time.Since(begun) }()
	return k.upload(path, file)
}

// reverse takes an import back and takes the time.
func (k *killing) reverse(batch string) {
	k.t.Helper()
	begun := time.Now()
	k.p.must("DELETE", "/imports/"+batch, k.token, nil, http.StatusNoContent)
	k.reversing = time.Since(begun)
}

// upload sends a file and gives the answer. An error means that none came.
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

// killDuring makes a call and kills the server at a moment of it, 1 being the
// end of one that nobody disturbs. Then it is checked and started anew.
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

// killImport leaves the import of a new file committed, after it was killed.
func (k *killing) killImport(round int, moment float64) {
	k.t.Helper()
	k.file = newImportFile(round)
	before := len(k.list("/imports"))
	var answer map[string]any
	status, answered := k.killDuring(moment, k.importing, func() (status int, err error) {
		status, answer, err = k.upload("/imports/commit", k.file)
		return status, err
	})
	if answered {
		if status != http.StatusOK {
			k.t.Fatalf("round %d: the import answers %d %v", round, status, answer)
		}
		k.wantResult(answer, k.file)
	}
	found := k.list("/imports")
	if len(found) == before {
		if answered {
			k.t.Fatalf("round %d: the import was acknowledged and is gone", round)
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
}

// finish completes an import with its own file, and with no other.
func (k *killing) finish(round int, status string, answered bool) {
	k.t.Helper()
	k.outcomes["import "+status]++
	switch {
	case status == "committed":
		k.wantRows(round, k.batch, k.file.fills, k.file.cash)
	case status == "pending" && !answered:
		k.wantRows(round, k.batch, 0, 0)
		k.wantConflict(round)
		status, answer, err := k.undisturbed("/imports/"+k.batch+"/commit", k.file)
		if err != nil || status != http.StatusOK {
			k.t.Fatalf("round %d: finishing is answered %d %v %v", round, status, answer, err)
		}
		k.wantResult(answer, k.file)
	default:
		k.t.Fatalf("round %d: the import is %s (acknowledged: %v)", round, status, answered)
	}
	// Whoever lost the answer is told it again, and nothing is written.
	code, answer, err := k.upload("/imports/"+k.batch+"/commit", k.file)
	if err != nil || code != http.StatusOK {
		k.t.Fatalf("round %d: asking again is answered %d %v %v", round, code, answer, err)
	}
	k.wantResult(answer, k.file)
	k.wantConflict(round)
}

// wantConflict demands that another file cannot finish the import.
func (k *killing) wantConflict(round int) {
	k.t.Helper()
	other := k.file
	other.content += "\n"
	if status, answer, err := k.upload("/imports/"+k.batch+"/commit", other); err != nil || status != http.StatusConflict {
		k.t.Fatalf("round %d: another file is answered %d %v %v", round, status, answer, err)
	}
}

// killReversal leaves the import reversed, after its reversal was killed.
func (k *killing) killReversal(round int, moment float64) {
	k.t.Helper()
	path := "/imports/" + k.batch
	status, answered := k.killDuring(moment, k.reversing, func() (int, error) {
		_, status, err := k.send("DELETE", path, http.NoBody, "")
		return status, err
	})
	if answered && status != http.StatusNoContent {
		k.t.Fatalf("round %d: the reversal answers %d", round, status)
	}
	switch found := k.p.must("GET", path, k.token, nil, http.StatusOK)["status"]; {
	case found == "reversed":
		k.outcomes["reversed"]++
	case found == "committed" && !answered:
		k.outcomes["not reversed"]++
		k.wantRows(round, k.batch, k.file.fills, k.file.cash)
		k.reverse(k.batch)
	default:
		k.t.Fatalf("round %d: the import is %v (acknowledged: %v)", round, found, answered)
	}
	k.wantStatus(round, "reversed")
	k.wantRows(round, k.batch, 0, 0)
}

func (k *killing) wantResult(answer map[string]any, file importFile) {
	k.t.Helper()
	if answer["inserted"] != float64(file.fills) || answer["cash_inserted"] != float64(file.cash) || answer["error_count"] != 0.0 {
		k.t.Fatalf("the import answers %v, want %d fills and %d cash rows", answer, file.fills, file.cash)
	}
}

func (k *killing) wantStatus(round int, status string) {
	k.t.Helper()
	if found := k.p.must("GET", "/imports/"+k.batch, k.token, nil, http.StatusOK); found["status"] != status {
		k.t.Fatalf("round %d: the import is %v, want %s", round, found["status"], status)
	}
}

// wantRows demands that these rows are there, of this import, and no others.
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
