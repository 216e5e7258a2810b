package httpapi_test

import (
	"net/http"
	"testing"
)

// TestTaxToolFileIsRefused: a tax tool's file has no fills. Preview and commit name
// the file to import instead, with a mapping too, and no batch is left.
func TestTaxToolFileIsRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const file = "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\n" +
			"2026-01-05 10:00:00 UTC,100,EUR,0.001,BTC,,,,,,,\n"
		mapping := part{"column_mapping", "", `{"symbol": "Received Currency", "quantity": "Received Amount", "price": "Sent Amount", "executed_at": "Date", "side": "=buy"}`}
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, file).wantField("file").is("error.message", `"This is a file of Koinly, a tax tool. Its rows are sums that were sent and received, `+
				`not fills, so it is not supported. Import the trade history or the ledger that your exchange exports."`)
			d.upload(path, file, mapping).wantField("file")
		}
		d.get("/imports").want(http.StatusOK).is("", "[]")
	})
}
