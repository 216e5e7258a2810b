package backup

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// wantRefusal checks for a readable refusal containing the words.
func wantRefusal(t *testing.T, err error, words string) {
	t.Helper()
	var refusal *journal.Error
	if !errors.As(err, &refusal) || refusal.Kind == journal.KindInternal {
		t.Errorf("%v, want a refusal with %q", err, words)
		return
	}
	if !strings.Contains(refusal.Message, words) || !strings.HasSuffix(refusal.Message, ".") || strings.Contains(refusal.Message, "%!") {
		t.Errorf("refused with %q, want %q in it", refusal.Message, words)
	}
}

const emptyBackup = `{"format":"fillbook","version":1}`

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for name, c := range map[string]struct{ text, words string }{
		"nothing":          {"", "empty"},
		"blank":            {" \n", "empty"},
		"half a file":      {emptyBackup[:20], "not valid JSON"},
		"no JSON":          {"Date,Symbol\n", "not valid JSON"},
		"a text":           {`"fillbook"`, "object or a list"},
		"a null":           {`null`, "no executions"},
		"a number":         {`12`, "object or a list"},
		"two files":        {emptyBackup + emptyBackup, "after the end"},
		"a key twice":      {`{"format":"fillbook","version":1,"version":1}`, `"version" twice`},
		"a deep key twice": {`{"format":"fillbook","version":1,"tags":[{"name":"a","name":"b"}]}`, `"name" twice`},
		"deep nesting":     {`{"format":"fillbook","version":1,"other":` + deep + `}`, "nested deeper"},
		"NUL":              {`{"format":"fillbook","version":1,"tags":[{"name":"a\u0000"}]}`, "NUL"},
		"bad UTF-8":        {"{\"format\":\"fillbook\",\"version\":1,\"tags\":[{\"name\":\"\xff\"}]}", "not valid JSON"},
		"a lone surrogate": {`{"format":"fillbook","version":1,"tags":[{"name":"\ud800"}]}`, "not valid JSON"},
		"another format":   {`{"format":"ledgerbook","version":1}`, "not a Fillbook backup"},
		"format a number":  {`{"format":1,"version":1}`, "not a Fillbook backup"},
		"no version":       {`{"format":"fillbook"}`, "format version 0"},
		"a newer version":  {`{"format":"fillbook","version":9}`, "reads versions 1 to 8"},
		"version a text":   {`{"format":"fillbook","version":"1"}`, "not a Fillbook backup"},
		"a wrong list":     {`{"format":"fillbook","version":1,"tags":{}}`, "tags has the wrong type"},
		"a wrong number":   {`{"format":"fillbook","version":1,"accounts":[{"executions":[{"quantity":"much"}]}]}`, "accounts.0.executions.0.quantity must be a number"},
		"a huge number":    {`{"format":"fillbook","version":1,"accounts":[{"executions":[{"quantity":1e30}]}]}`, "quantity must be a number"},
		"a wrong instant":  {`{"format":"fillbook","version":1,"accounts":[{"executions":[{"executed_at":"yesterday"}]}]}`, "executed_at must be a date"},
		"an early instant": {`{"format":"fillbook","version":1,"exported_at":"1960-01-01T00:00:00Z"}`, "exported_at must lie"},
		"a wrong place":    {`{"format":"fillbook","version":1,"notes":[{"account":"main"}]}`, "notes.0.account has the wrong type"},
		"both shapes":      {`{"format":"fillbook","version":1,"account":{"name":"A"},"accounts":[{"account":{"name":"B"}}]}`, "not both"},
		"nothing known":    {`{"hello":1}`, "no executions"},
		"executions wrong": {`{"account":{},"executions":{}}`, "executions must be a list"},
		"checksum of none": {`{"format":"fillbook","version":1,"checksums":{"tags":"00"}}`, `"tags" is missing`},
		"section unsummed": {`{"format":"fillbook","version":1,"tags":[],"checksums":{}}`, `"tags" does not agree`},
		"checksum wrong":   {`{"format":"fillbook","version":1,"tags":[],"checksums":{"tags":"00"}}`, `"tags" does not agree`},
		"checksums a text": {`{"format":"fillbook","version":1,"checksums":"none"}`, "checksums has the wrong type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Decode([]byte(c.text))
			wantRefusal(t, err, c.words)
			if doc != nil {
				t.Error("gave a document along with the refusal")
			}
		})
	}
}

func TestDecodeAccepts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"the least":          emptyBackup,
		"a byte order mark":  "\ufeff" + emptyBackup,
		"blanks around":      "\r\n\t" + emptyBackup + "\n\n",
		"unknown members":    `{"format":"fillbook","version":1,"later":{"id":1},"tags":[{"name":"a","mood":2}]}`,
		"numbers as texts":   `{"format":"fillbook","version":1,"accounts":[{"account":{"name":"A","starting_balance":"12.5"}}]}`,
		"checksums of none":  `{"format":"fillbook","version":1,"checksums":{}}`,
		"no checksums":       `{"format":"fillbook","version":1,"tags":[{"name":"by hand"}]}`,
		"a right checksum":   `{"format":"fillbook","version":1,"tags":[],"checksums":{"tags":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"}}`,
		"... in upper case":  `{"format":"fillbook","version":1,"tags":[ ],"checksums":{"tags":"4F53CDA18C2BAA0C0354BB5F9A3ECBE5ED12AB4D8E11BA873C2F11161202B945"}}`,
		"a plain list":       `[]`,
		"a deep preference":  `{"format":"fillbook","version":1,"preferences":{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}}`,
		"a single account":   `{"format":"fillbook","version":1,"account":{"name":"A"},"executions":[]}`,
		"a null for a list":  `{"format":"fillbook","version":1,"tags":null}`,
		"a null for a place": `{"format":"fillbook","version":1,"notes":[{"account":null,"trade":null}]}`,
	} {
		if _, err := Decode([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// newBusyJournal returns a small journal with a few records in every section.
func newBusyJournal(t *testing.T, h *fixture) (owner journal.UserID, account journal.AccountID) {
	t.Helper()
	owner = h.user(t)
	account = h.account(t, owner, "Main")
	h.fill(t, owner, account, matching.Buy, "10", "100.5", 0)
	sold := h.fill(t, owner, account, matching.Sell, "10", "101.25", 5)
	h.annotate(t, owner, sold.TradeIDs[0], "Waited for the retest.")
	return owner, account
}

// A reformatted file still agrees with its checksums; one with a single changed character
// in a section does not.
func TestChecksums(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner, account := newBusyJournal(t, h)
	for _, text := range []string{h.export(t, owner, ""), h.export(t, owner, account)} {
		for name, layout := range map[string]func(*jsontext.Value) error{
			"compact": func(v *jsontext.Value) error { return v.Compact() },
			"indent":  func(v *jsontext.Value) error { return v.Indent() },
		} {
			value := jsontext.Value(text)
			must(t, layout(&value))
			if _, err := Decode(value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, change := range [][2]string{
			{`"price":100.5`, `"price":100.6`},
			{`"price":100.5`, `"price":100.50`},
			{"retest", "Retest"},
			{"Main", "main"},
			{`"fills":[0,1]`, `"fills":[0]`},
			{`"tags":[`, `"tags":[{"name":"x"}`},
			{`"cash_transactions"`, `"cash"`},
		} {
			damaged := strings.Replace(text, change[0], change[1], 1)
			if damaged == text {
				t.Fatalf("%q is not in the file", change[0])
			}
			_, err := Decode([]byte(damaged))
			wantRefusal(t, err, "The backup is damaged")
		}
		free, _, _ := strings.Cut(text, ",\n\"checksums\"")
		free += "}"
		if _, err := Decode([]byte(strings.Replace(free, "100.5", "100.6", 1))); err != nil {
			t.Errorf("without checksums: %v", err)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	doc, err := Decode([]byte(`{"executions":[{"symbol":"ES","side":"buy","qty":1,"price":1,"time":"2026-01-02"},{}],
		"cash":[{"type":"fee","amount":1,"date":"2026-01-02"}]}`))
	must(t, err)
	if got := doc.Rows(); got != 3 {
		t.Errorf("%d rows, want the fill, the cash row and the row that cannot be read", got)
	}
}

// A long text from the file does not fill the message about it.
func TestRefusalsAreShort(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("ä", 1000)
	_, err := Decode([]byte(`{"` + name + `":1,"` + name + `":2}`))
	wantRefusal(t, err, strings.Repeat("ä", 40)+"…\"")
}

// FuzzDecode: whatever the bytes, there is a document or a refusal.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		emptyBackup, `[]`, `[{"symbol":"ES","side":"buy","qty":1,"price":"5000.25","time":"2026-01-02T15:00:00Z"}]`,
		`{"format":"fillbook","version":1,"account":{"name":"A"},"executions":[{"symbol":"A","side":"buy","quantity":1,"price":1,` +
			`"executed_at":"2026-01-02T15:00:00Z"}],"trades":[{"fills":[0,7,-1],"notes":"n"}],"checksums":{"account":"00"}}`,
		`{"format_version":1,"account":{"name":"A"},"trades":[{"symbol":"ES","fills":[{"side":"sell","qty":2,"price":1,"filled_at":1700000000}]}]}`,
		`{"trades":[{"symbol":"ES","side":"long","qty":1,"entry_price":1,"exit_price":2,"open_time":"2026-01-02","close_time":"2026-01-03"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := Decode(text)
		if err != nil {
			var refusal *journal.Error
			if !errors.As(err, &refusal) || refusal.Message == "" || doc != nil {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		for i := range doc.Accounts {
			b := &doc.Accounts[i]
			fills, places, problems := b.NewFills()
			if len(fills) != len(places) || len(fills)+len(problems) != len(b.Executions) {
				t.Fatalf("%d fills, %d places and %d problems of %d rows", len(fills), len(places), len(problems), len(b.Executions))
			}
			cash, _, problems := b.NewCash("USD")
			if len(cash)+len(problems) != len(b.Cash) {
				t.Fatalf("%d cash rows and %d problems of %d", len(cash), len(problems), len(b.Cash))
			}
		}
	})
}
