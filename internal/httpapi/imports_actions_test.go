package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The files of brokers with corporate actions of other kinds than splits.
const (
	flexActions = `<?xml version="1.0" encoding="UTF-8"?>
<FlexQueryResponse queryName="Journal" type="AF"><FlexStatements count="1"><FlexStatement accountId="U7654321" fromDate="20250301" toDate="20250331">
<Trades>
<Trade accountId="U7654321" currency="USD" assetCategory="STK" symbol="ELMS" multiplier="1" dateTime="20250302;093105" tradeDate="20250302" quantity="300" tradePrice="20" taxes="0" ibCommission="0" ibCommissionCurrency="USD" netCash="-6000" openCloseIndicator="O" buySell="BUY" ibExecID="a.01" tradeID="501" transactionType="ExchTrade" levelOfDetail="EXECUTION" />
<Trade accountId="U7654321" currency="USD" assetCategory="STK" symbol="BUSH" multiplier="1" dateTime="20250302;093205" tradeDate="20250302" quantity="1000" tradePrice="10" taxes="0" ibCommission="0" ibCommissionCurrency="USD" netCash="-10000" openCloseIndicator="O" buySell="BUY" ibExecID="a.02" tradeID="502" transactionType="ExchTrade" levelOfDetail="EXECUTION" />
<Trade accountId="U7654321" currency="USD" assetCategory="STK" symbol="ACRN" multiplier="1" dateTime="20250320;093205" tradeDate="20250320" quantity="-100" tradePrice="5" taxes="0" ibCommission="0" ibCommissionCurrency="USD" netCash="500" openCloseIndicator="C" buySell="SELL" ibExecID="a.03" tradeID="503" transactionType="ExchTrade" levelOfDetail="EXECUTION" />
<Trade accountId="U7654321" currency="USD" assetCategory="STK" symbol="WILO" multiplier="1" dateTime="20250320;093305" tradeDate="20250320" quantity="-300" tradePrice="25" taxes="0" ibCommission="0" ibCommissionCurrency="USD" netCash="7500" openCloseIndicator="C" buySell="SELL" ibExecID="a.04" tradeID="504" transactionType="ExchTrade" levelOfDetail="EXECUTION" />
</Trades>
<CorporateActions>
<CorporateAction accountId="U7654321" currency="USD" assetCategory="STK" symbol="ACRN" description="ELMS(US00FICT0001) SPINOFF  1 FOR 3 (ACRN, ACORN INC-W/I, 00FICT002)" reportDate="20250305" quantity="100" />
<CorporateAction accountId="U7654321" currency="USD" assetCategory="STK" symbol="ELMS.OLD" description="ELMS(US00FICT0001) CUSIP/ISIN CHANGE TO (US00FICT0009) (ELMS.OLD, ELMS INC, US00FICT0001)" reportDate="20250312" quantity="-300" />
<CorporateAction accountId="U7654321" currency="USD" assetCategory="STK" symbol="WILO" description="ELMS(US00FICT0001) CUSIP/ISIN CHANGE TO (US00FICT0009) (WILO, WILLOW INC, US00FICT0009)" reportDate="20250312" quantity="300" />
<CorporateAction accountId="U7654321" currency="USD" assetCategory="STK" symbol="BUSH" description="BUSH(US00FICT0005) CASH and STOCK MERGER (Acquisition) US00FICT0006 592 FOR 1000 AND USD 4.24 (BUSH, BUSH LTD, US00FICT0005)" reportDate="20250310" quantity="-1000" />
<CorporateAction accountId="U7654321" currency="USD" assetCategory="STK" symbol="HEDG" description="BUSH(US00FICT0005) CASH and STOCK MERGER (Acquisition) US00FICT0006 592 FOR 1000 AND USD 4.24 (HEDG, HEDGE INC, US00FICT0006)" reportDate="20250310" quantity="592" />
</CorporateActions>
</FlexStatement></FlexStatements></FlexQueryResponse>`
	numberedShares = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"06/21/2024","Sell","GRPF","GRAND CINEMA HLDGS 0%PFD SUBJ TO XTRO REDEMPTION","120","$5.00","","$600.00"
"06/20/2024","Sell","LUCD","LUCENT MOTORS INC","20","$15.00","","$300.00"
"06/14/2024 as of 06/13/2024","Spin-off","GRPF","GRAND CINEMA HLDGS 0%PFD SUBJ TO XTRO REDEMPTION","120","","",""
"06/12/2024","Stock Merger","LUCD","LUCENT MOTORS INC","50","","",""
"06/12/2024","Stock Merger","171430102","CHAPEL CAPITAL IV XXXMANDATORY MERGER EFF: 06/12/24","-50","","",""
"06/04/2024","Buy","CHAP","CHAPEL CAPITAL CORP IV","50","$10.00","","-$500.00"
"06/03/2024","Buy","GRAN","GRAND CINEMA HLDGS CLASS A","120","$20.00","","-$2400.00"
`
	exchangedContracts = `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency
2024-09-19T12:30:00+0000,Receive Deliver,Stock Merger,BUY_TO_OPEN,PLUM,Equity,Stock merger: Open 25.0 PLUM,"-1,000.00",25,-40.00,--,0.00,,,,,,,,"-1,000.00",USD
2024-09-19T12:30:00+0000,Receive Deliver,Stock Merger,SELL_TO_CLOSE,PEAR,Equity,Stock merger: Close 100.0 PEAR,"1,000.00",100,10.00,--,0.00,,,,,,,,"1,000.00",USD
2024-09-18T12:35:00+0000,Receive Deliver,Reverse Split,BUY_TO_OPEN,OILS1  241220P00002000,Equity Option,Reverse split: Open 6 OILS1  241220P00002000,-174.00,6,-29.00,--,0.00,100,OILS1,OILS,12/20/24,2,PUT,,-174.00,USD
2024-09-18T12:35:00+0000,Receive Deliver,Reverse Split,SELL_TO_CLOSE,OILS  241220P00002000,Equity Option,Reverse split: Close 6 OILS   241220P00002000,174.00,6,29.00,--,0.00,100,OILS,OILS,12/20/24,2,PUT,,174.00,USD
2024-09-10T16:01:00+0000,Trade,Buy to Open,BUY_TO_OPEN,OILS  241220P00002000,Equity Option,Bought 6 OILS 12/20/24 Put 2.00 @ 0.29,-174.00,6,-29.00,0.00,0.00,100,OILS,OILS,12/20/24,2,PUT,900002,-174.00,USD
2024-09-10T16:00:00+0000,Trade,Buy to Open,BUY_TO_OPEN,PEAR,Equity,Bought 100 PEAR @ 10.00,"-1,000.00",100,-10.00,0.00,0.00,,,,,,,900001,"-1,000.00",USD
`
)

// TestActionsOfFiles: new symbols, exchanges and spin-offs of files are proposed and recorded
// once. The reversal of the import deletes them, and its undo restores them.
func TestActionsOfFiles(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for name, c := range map[string]struct {
			file    string
			actions []string // kind, symbols, ratio, cash, scope and day
			trades  []string // symbol, direction, remaining quantity and its average price, net result
		}{
			"flex": {flexActions, []string{
				"spin_off ELMS ACRN 1 3 shares 2025-03-05", "exchange BUSH HEDG 592 1000 4.24 shares 2025-03-10", "rename ELMS WILO 1 1 all 2025-03-12",
			}, []string{"ACRN long 0 0 500", "HEDG long 592 16.891891891892 null", "WILO long 0 20 1500"}},
			"schwab": {numberedShares, []string{
				"rename CHAP LUCD 1 1 all 2024-06-12", "spin_off GRAN GRPF 1 1 shares 2024-06-14",
			}, []string{"GRAN long 120 20 null", "GRPF long 0 0 600", "LUCD long 30 10 null"}},
			"tastytrade": {exchangedContracts, []string{
				"rename OILS OILS1 1 1 options 2024-09-18", "exchange PEAR PLUM 1 4 shares 2024-09-19",
			}, []string{"OILS1 long 6 0.29 null", "PLUM long 25 40 null"}},
		} {
			d := w.addUser(owner, name+"@example.org").addAccount("Main")
			isStated := func(r *reply, state string) *reply {
				t.Helper()
				var got []string
				for i := range r.count("corporate_actions") {
					at := fmt.Sprintf("corporate_actions.%d.", i)
					words := []string{}
					for _, field := range []string{"kind", "symbol", "new_symbol", "ratio_new", "ratio_old", "cash_per_share", "applies_to", "effective_on"} {
						if r.value(at+"proposal."+field) != nil {
							words = append(words, strings.Trim(r.json(at+"proposal."+field), `"`))
						}
					}
					got = append(got, strings.Join(words, " "))
					if r.text(at+"state") != state {
						t.Errorf("%s: %s is %s, want %s", name, got[i], r.text(at+"state"), state)
					}
				}
				if list, want := strings.Join(got, "\n"), strings.Join(c.actions, "\n"); list != want {
					t.Errorf("%s: actions\n%s\nwant\n%s", name, list, want)
				}
				return r
			}
			areTrades := func() {
				t.Helper()
				var got []string
				r := d.get("/trades").want(http.StatusOK)
				for i := range r.count("") {
					var words []string
					for _, field := range []string{"symbol", "direction", "qty_remaining", "avg_entry_price", "net_pnl"} {
						words = append(words, strings.Trim(r.json(fmt.Sprintf("%d.%s", i, field)), `"`))
					}
					got = append(got, strings.Join(words, " "))
				}
				slices.Sort(got)
				if list, want := strings.Join(got, "\n"), strings.Join(c.trades, "\n"); list != want {
					t.Errorf("%s: trades\n%s\nwant\n%s", name, list, want)
				}
			}
			isStated(d.upload("/imports", c.file).want(http.StatusOK), "new")
			d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
			done := isStated(d.imported(c.file), "new")
			areTrades()
			isStated(d.upload("/imports", c.file).want(http.StatusOK), "known").is("unmatched_closing", "[]")
			again := isStated(d.imported(c.file), "known").is("inserted", "0")
			areTrades()
			w.checkInstallation()
			d.delete("/imports/" + again.text("import_batch_id")).wantNone()
			areTrades()

			d.delete("/imports/" + done.text("import_batch_id")).wantNone()
			d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
			d.get("/trades").want(http.StatusOK).is("", "[]")
			d.post("/history/"+d.get("/history?limit=1").want(http.StatusOK).text("0.id")+"/undo", nil).want(http.StatusOK)
			areTrades()
			w.checkInstallation()
		}
	})
}

// TestActionsOfFilesThatAreNotClear: the company can be several symbols or none that was held, a
// part of the shares took part in an offer, or another symbol is recorded.
func TestActionsOfFilesThatAreNotClear(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		twoClasses := strings.Replace(numberedShares, `"06/03/2024","Buy"`, `"06/03/2024","Buy","GRAB","GRAND CINEMA HLDGS CLASS B","60","$9.00","","-$540.00"
"06/03/2024","Buy"`, 1)
		fraction := strings.Replace(numberedShares, `XTRO REDEMPTION","120","",`, `XTRO REDEMPTION","17","",`, 1) // not one for seven, rounded
		d.upload("/imports", fraction).want(http.StatusOK).is("corporate_actions.1.state", `"unclear"`)
		d.upload("/imports", twoClasses).want(http.StatusOK).is("corporate_actions.0.state", `"new"`).
			is("corporate_actions.1.state", `"unclear"`).is("corporate_actions.1.symbol", `"GRPF"`).is("corporate_actions.1.row", "3")
		fewer := strings.Replace(numberedShares, `"CHAPEL CAPITAL CORP IV","50"`, `"CHAPEL CAPITAL CORP IV","49"`, 1)
		done := d.imported(fewer).is("corporate_actions.0.state", `"unclear"`).is("corporate_actions.0.symbol", `"LUCD"`).
			is("corporate_actions.1.state", `"new"`)
		if !strings.Contains(string(done.body), "The new symbol of LUCD was left out") {
			t.Errorf("%s", done.body)
		}
		d.made("/corporate-actions", more{"kind": "exchange", "symbol": "BUSH", "new_symbol": "REED", "effective_on": "2025-03-08"})
		d.imported(flexActions).is("corporate_actions.0.state", `"new"`).is("corporate_actions.1.state", `"contradicts"`).is("corporate_actions.1.action_id", "null")
		d.get("/trades?symbol=HEDG").want(http.StatusOK).is("", "[]")

		offer := strings.NewReplacer("CUSIP/ISIN CHANGE TO (US00FICT0009)", "TENDERED TO US00FICT0009 1 FOR 1", "ELMS", "FERN", "WILO", "FERN.TEN", "a.0", "b.0").Replace(flexActions)
		d.upload("/imports", offer).want(http.StatusOK).is("corporate_actions.2.proposal.kind", `"rename"`).is("corporate_actions.2.state", `"new"`)
		part := strings.NewReplacer(`quantity="-300" />`, `quantity="-200" />`, `quantity="300" />`, `quantity="200" />`).Replace(offer)
		d.upload("/imports", part).want(http.StatusOK).is("corporate_actions.2.state", `"unclear"`)
	})
}
