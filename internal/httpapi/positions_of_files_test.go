package httpapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// positionsOfFiles has what becomes of the positions of each fixture with options that ended or with
// corporate actions: option trades that did not end by a trade, with their net result; the shares that
// came or left by them; actions; and the trades on which actions acted, with what remains.
var positionsOfFiles = map[string]string{
	"activity": `
long 1200 of ACME, 0 remain at 20.5
new split of ACME 2:1
short 2 of ACME call 22.5 2026-03-20 ended by expiry, net 78.7
`,
	"bux-transactions": `
long 0.104172 of US00FICT0083, 0 remain at 109.96
new split of US00FICT0083 4:1
`,
	"degiro-account": `
new exchange of AU00FICT0077 1:5 to AU00FICT0076
`,
	"etrade-transactions": `
sell 100 REEF at 35 by assignment
short 1 of REEF call 35 2026-07-17 ended by assignment, net 79.35
short 2 of REEF put 30 2026-07-17 ended by expiry, net 108.7
`,
	"fidelity-actions": `
long 10 of WLET, 10 remain at 0
long 20 of NOVA, 20 remain at 5
long 40 of WREN, 40 remain at 5
new exchange of OLDT 1:2 to NEWT
new rename of ACME 1:1 to NOVA
new rename of GONE 1:1 to OTHR
new spin_off of WREN 1:4 to WLET
new split of ZEPH 1:10
`,
	"fidelity-history": `
buy 100 LARK at 44.5 by assignment
long 2 of WREN put 6 2026-07-17 ended by expiry, net -21.32
short 1 of LARK put 44.5 2026-07-17 ended by assignment, net 79.33
short 5 of WREN call 9 2026-07-17 ended by expiry, net 146.65
`,
	"fidelity-shifted": `
short 5 of WREN call 9 2021-12-17 ended by expiry, net 121.63
`,
	"firstrade-history": `
buy 100 MINT at 6 by assignment
short 1 of MINT put 6 2026-05-15 ended by assignment, net 33.95
`,
	"flex-csv-full": `
buy 100 ACME at 20 by assignment
short 1 of ACME put 20 2026-03-20 ended by assignment, net 54.3
`,
	"flex-xml": `
short 2 of ACME call 22.5 2026-03-20 ended by expiry, net 78.7
`,
	"flex-xml-actions": `
long 100 of ACRN, 100 remain at 0
long 17.444 of PINE, 0.444 remain at 40.128410914928
long 300 of ELMS, 300 remain at 20
long 40 of FERN.TEN, 0 remain at 2.5
new exchange of BUSH 592:1000 to HEDG
new exchange of DWDP 1:3 to DD
new exchange of OAKS 2492:10000 to PINE
new rename of FERN 1:1 to FERN.TEN
new rename of REED 1:1 to RUSH
new spin_off of ELMS 1:3 to ACRN
new stock_dividend of TEFF 10416666667:10000000000
`,
	"questrade-activities": `
short 1 of ZZZ put 10 2026-03-20 ended by expiry, net 40.05
`,
	"revolut-stocks": `
unclear action of HAZL
`,
	"robinhood-actions": `
long 100 of DJOT, 100 remain at 17
long 100 of GELM, 100 remain at 10
long 25 of GEVN, 25 remain at 0
long 4 of PECN, 4 remain at 10
long 74 of FIRS, 74 remain at 108.881554054054
new rename of DIGW 1:1 to DJOT
new spin_off of GELM 1:4 to GEVN
new split of FIRS 20:1
new split of PECN 1:10
`,
	"robinhood-activity": `
buy 100 FIGS at 20 by exercise
buy 100 PLUM at 8 by assignment
long 1 of FIGS call 20 2023-08-18 ended by exercise, net -110
long 1 of PLUM put 5.5 2023-08-04 ended by expiry, net -30
short 1 of PLUM put 8 2023-08-04 ended by assignment, net 94.97
short 3 of PEAR call 16 2023-08-04 ended by expiry, net 110.91
unclear action of KIWI
`,
	"schwab-actions": `
long 12 of GRPF ended by removal, net 0
long 132 of GRAN, 132 remain at 18.181818181818
long 20 of TONX, 20 remain at 20
long 50 of LUCD, 50 remain at 10
new exchange of GRPF 1:10 to GRAN
new rename of CHAP 1:1 to LUCD
new spin_off of GRAN 1:1 to GRPF
new split of TONX 1:20
unclear action of GRAN
`,
	"schwab-transactions": `
buy 100 PINE at 28 by assignment
buy 100 YEWS at 10 by exercise
long 1 of PINE put 20 2026-03-13 ended by expiry, net -10.66
long 1 of YEWS call 10 2026-03-20 ended by exercise, net -210.66
short 1 of PINE put 28 2026-03-13 ended by assignment, net 89.34
short 2 of PINE call 30 2026-03-13 ended by expiry, net 78.68
unclear action of FIRS
`,
	"tastytrade-actions": `
long 10 of META, 10 remain at 150
new exchange of PEAR 1:4 to PLUM
new rename of FACE 1:1 to META
new rename of OILS 1:1 to OILS1
`,
	"tastytrade-early": `
short 1 of CHIA put 22.5 2021-02-19 ended by expiry, net 81.86
`,
	"tastytrade-early-nozone": `
short 1 of CHIA put 22.5 2021-02-19 ended by expiry, net 81.86
`,
	"tastytrade-transactions": `
buy 100 LIME at 80 by assignment
long 1 of SPX call 5600 2024-09-18 ended by settlement, net 613.28
long 25 of DILL, 25 remain at 58.136
new split of DILL 1:20
short 1 of LIME put 80 2024-09-20 ended by assignment, net 93.87
short 2 of LIME call 99 2024-09-20 ended by expiry, net 227.74
`,
	"tdameritrade-transactions": `
long 2 of WREN call 30 2021-02-19 ended by expiry, net -56.96
`,
	"trading212-splits": `
long 7.451195 of BRCH, 0 remain at 8
new split of BRCH 1:4
`,
}

// TestPositionsOfFiles imports every fixture of the brokers and compares what became of its positions.
func TestPositionsOfFiles(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		var files []string
		for _, folder := range []string{"", "ibkr"} {
			found, err := filepath.Glob(filepath.Join("..", "intake", "brokers", folder, "testdata", "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		if len(files) < len(positionsOfFiles) {
			t.Fatalf("there are %d fixtures", len(files))
		}
		for i, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			want, isListed := positionsOfFiles[name]
			if !isListed && !strings.Contains(string(data), " closing kind ") && !strings.Contains(string(data), "corporate action and no trade") {
				continue
			}
			d := w.addUser(owner, fmt.Sprintf("%d@example.org", i)).addAccount("Main")
			if got := positionsAfter(d, archive); strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
		}
		w.checkInstallation()
	})
}

// positionsAfter imports a fixture's file and describes the positions.
func positionsAfter(d trader, archive *txtar.Archive) string {
	file := archive.Files[0]
	parts := []part{{"allow_currency_mismatch", "", "true"}}
	for line := range strings.Lines(string(archive.Comment)) {
		if zone, ok := strings.CutPrefix(strings.TrimSpace(line), "hint: zone="); ok {
			parts = append(parts, part{"default_tz", "", zone})
		}
	}
	done := d.upload("/imports/commit", string(file.Data), parts...).want(http.StatusOK)
	rows := 0
	for _, class := range []string{"fills", "cash", "annotations", "skipped", "errors"} {
		n, _ := strconv.Atoi(done.json("rows." + class))
		rows += n
	}
	if strconv.Itoa(rows) != done.json("rows.data") {
		d.w.t.Errorf("%d of %s rows are accounted for", rows, done.json("rows.data"))
	}
	var lines []string
	acted := map[string]bool{}
	for i := range done.count("corporate_actions") {
		at := fmt.Sprintf("corporate_actions.%d.", i)
		line := done.text(at+"state") + " action of " + done.text(at+"symbol")
		if proposal := at + "proposal."; done.value(at+"proposal") != nil {
			acted[done.text(proposal+"symbol")], acted[done.text(proposal+"new_symbol")] = true, true
			line = fmt.Sprintf("%s %s of %s %s:%s", done.text(at+"state"), done.text(proposal+"kind"), done.text(proposal+"symbol"),
				done.text(proposal+"ratio_new"), done.text(proposal+"ratio_old"))
			if to := done.text(proposal + "new_symbol"); to != "" {
				line += " to " + to
			}
		}
		lines = append(lines, line)
	}
	trades := d.get("/trades?limit=200").want(http.StatusOK)
	for i := range trades.count("") {
		text := func(field string) string { return trades.text(fmt.Sprintf("%d.%s", i, field)) }
		contract := strings.Join(strings.Fields(text("symbol")+" "+text("option_right")+" "+text("strike")+" "+text("expiry")), " ")
		switch ended := text("ended_by"); {
		case ended != "" && ended != "trade":
			lines = append(lines, fmt.Sprintf("%s %s of %s ended by %s, net %s", text("direction"), text("qty_opened"), contract, ended, text("net_pnl")))
		case acted[text("symbol")]:
			lines = append(lines, fmt.Sprintf("%s %s of %s, %s remain at %s", text("direction"), text("qty_opened"), contract, text("qty_remaining"), text("avg_entry_price")))
		}
	}
	fills := d.get("/executions?limit=500").want(http.StatusOK)
	for i := range fills.count("") {
		text := func(field string) string { return fills.text(fmt.Sprintf("%d.%s", i, field)) }
		if event := text("event_id"); event != "" && text("kind") == "trade" {
			word, _, _ := strings.Cut(event, " ")
			lines = append(lines, fmt.Sprintf("%s %s %s at %s by %s", text("side"), text("quantity"), text("symbol"), text("price"), word))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
