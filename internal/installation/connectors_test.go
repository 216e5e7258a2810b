package installation_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/intake/connector"
	"fillbook/internal/providers"
)

// brokersPage lists the supported brokers, for users. Its second part lists the
// connections; the first one is written by the preset tests.
const (
	brokersPage      = "../../docs/brokers.md"
	connectionsTitle = "\n## Connections"
)

// connectionFacts are facts for users about a connection, which no connector needs.
type connectionFacts struct {
	// files says how the fills match those in the broker's files.
	files string
	// history says how far back the broker answers, if it is not a duration.
	history string
}

var factsOfConnections = map[string]connectionFacts{
	"alpaca":         {files: "no file of Alpaca is read"},
	"binance":        {files: "spot trades: same time to the second, side, quantity and price", history: "everything, for the symbols that are asked for"},
	"binance_usdm":   {files: "futures trades: same time to the second, side, quantity and price"},
	"bybit":          {files: "trade history and ledger: same id, as far as known"},
	"coinbase":       {files: "transactions: same time to the second, side, quantity and price"},
	"deribit":        {files: "transaction log: same trade id, as far as known"},
	"hyperliquid":    {files: "trade history: same time to the second, side, quantity and price; the zone of the file must be right", history: "the newest 10,000 fills"},
	"ibkr_flex":      {files: "Flex queries: same execution id", history: "a year; whether older ones are answered is not documented"},
	"kraken":         {files: "trades and ledgers: same transaction id"},
	"kraken_futures": {files: "account log: same execution id, as far as known"},
	"oanda":          {files: "no file of OANDA is read"},
	"okx":            {files: "trading history: same bill id for contracts, not certain for spot; order history: never"},
	"projectx":       {files: "never: the files list round turns or orders", history: "not documented"},
	"questrade":      {files: "executions: same time to the second, side, quantity and price; confirmations and activities: never"},
	"trading212":     {files: "never: the ids differ"},
}

// TestThePageListsEveryConnection compares docs/brokers.md with the connectors; run it
// with -update to write the file.
func TestThePageListsEveryConnection(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(brokersPage)
	if err != nil {
		t.Fatal(err)
	}
	files, _, _ := strings.Cut(string(page), connectionsTitle)
	want := files + describeConnections(t)
	if *update {
		if err := os.WriteFile(brokersPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Error("docs/brokers.md does not list the connections as they are: go test ./internal/installation -run TestThePage -update")
	}
}

var update = flag.Bool("update", false, "write the list of connections in docs/brokers.md")

func describeConnections(t *testing.T) string {
	t.Helper()
	list := providers.Fills()
	slices.SortFunc(list, func(a, b connector.Connector) int {
		return cmp.Compare(strings.ToLower(a.Describe().Title), strings.ToLower(b.Describe().Title))
	})
	var b strings.Builder
	b.WriteString(connectionsTitle + `

A connection fetches fills and cash from a broker by itself, if the server may connect to other servers (` + "`SVC_OUTBOUND`" + `).
It only reads. Every connection was tested against the documentation of its broker, not yet against a live account:
compare the first run with your statement.

*Files of the same broker* tells by what a fill of a file is recognized as the fill of a connection. Where that is *never*,
use one of the two for a period, or the fills count twice. *Key* tells what a key can do: one that can withdraw is never used,
and one that can trade only if you allow it.

| Broker | Fetched | How far back | Files of the same broker | Key |
|---|---|---|---|---|
`)
	for _, c := range list {
		d := c.Describe()
		facts, known := factsOfConnections[d.Name]
		if !known {
			t.Errorf("the test has no facts of %s", d.Name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", d.Title, d.Covers, cmp.Or(facts.history, describeHistory(d.History)), facts.files, describeRights(d.Rights))
	}
	return b.String()
}

func describeHistory(history time.Duration) string {
	const day = 24 * time.Hour
	days := int(history / day)
	switch {
	case days == 0:
		return "everything"
	case days%365 == 0 && days > 365:
		return fmt.Sprintf("%d years", days/365)
	case days == 365:
		return "a year"
	}
	return fmt.Sprintf("%d days", days)
}

func describeRights(rights connector.RightsCheck) string {
	switch rights {
	case connector.RightsHarmless:
		return "can only read"
	case connector.RightsChecked:
		return "checked before each run"
	case connector.RightsUnknown:
		return "can trade, or its rights can't be checked"
	}
	return ""
}
