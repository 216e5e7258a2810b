// Package databento fetches futures bars from Databento: those for the traded contract
// month, from CME Group's exchanges. Databento charges for each query by its size, so its
// price is asked first.
//
// The client was written from Databento's documentation and tested against our own
// server. It was never tried with a live account.
package databento

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
	"fillbook/internal/trading/instruments"
)

const (
	host     = "hist.databento.com"
	dataset  = "GLBX.MDP3" // all CME Group exchanges
	keyField = "api_key"
)

var (
	schemas   = map[int64]string{1: "ohlcv-1s", 60: "ohlcv-1m", 3600: "ohlcv-1h"}
	exchanges = []string{"CME", "CBOT", "NYMEX", "COMEX"}
)

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Pricer { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:   "databento",
		Title:  "Databento",
		Covers: "Futures of CME, CBOT, NYMEX and COMEX by contract month",
		Notes:  "Paid by the size of a query; a new account has a credit. Fillbook shows the price first. Bars are at least a day old.",
		Hosts:  []string{host},
		Fields: []remote.Field{
			{Name: keyField, Title: "API key", Help: "Starts with db-. Create it in the Databento portal.", IsSecret: true},
		},
		BarSecs:           []int64{1, 60, 3600},
		PageBars:          barsource.MaxBars,
		RequestsPerMinute: 60,
		// Newer bars need an exchange license.
		Delay: 25 * time.Hour,
	}
}

const monthCodes = "FGHJKMNQUVXZ"

// continuous ends the name for the contract with the day's largest volume.
const continuous = ".v.0"

// Symbol implements barsource.Provider. A future without a month has the leading
// contract's bars, which are right only if the fills lie inside them.
func (barClient) Symbol(of instruments.Priced, at time.Time) (string, bool) {
	contract, ok := instruments.ParseFuture(of.Symbol)
	ok = ok && slices.Contains(exchanges, contract.Root.Exchange) && barsource.IsType(of.Type, instruments.TypeFuture)
	if !ok || of.Type == "" && !contract.Explicit {
		return "", false
	}
	if contract.Delivery.Month == 0 {
		return contract.Root.Symbol + continuous, true
	}
	month := monthCodes[contract.Delivery.Month-1]
	return fmt.Sprintf("%s%c%d", contract.Root.Symbol, month, contract.Delivery.YearAt(at)%10), true
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	return barsource.Fetch(ctx, client, p, credentials, query, fetchWindow)
}

// parametersOf returns what the queries for bars and for their price share.
func parametersOf(run *barsource.Run, window market.Range) map[string]string {
	kind := "raw_symbol"
	if strings.HasSuffix(run.Result.Symbol, continuous) {
		kind = "continuous"
	}
	return map[string]string{
		"dataset": dataset, "symbols": run.Result.Symbol, "stype_in": kind, "schema": schemas[run.Secs],
		"start": formatTime(window.From), "end": formatTime(window.To), "limit": strconv.Itoa(barsource.MaxBars),
	}
}

func formatTime(second int64) string { return time.Unix(second, 0).UTC().Format(time.RFC3339) }

func fetchWindow(ctx context.Context, run *barsource.Run, window market.Range) error {
	parameters := parametersOf(run, window)
	parameters["stype_out"], parameters["encoding"], parameters["compression"] = "instrument_id", "dbn", "none"
	body, err := run.Send(ctx, remote.Request{
		Address: "https://" + host + "/v0/timeseries.get_range", Parameters: parameters, IsForm: true,
		User: run.Value(keyField), Classify: classify,
	})
	if err != nil {
		return err
	}
	return addFile(ctx, run, body)
}

// addFile adds a DBN file's bars. A contract that changes its number, and a continuous
// one that changes the month, has several series.
func addFile(ctx context.Context, run *barsource.Run, body []byte) error {
	if len(body) == 0 {
		return remote.ErrTruncated
	}
	if !bytes.HasPrefix(body, []byte("DBN")) {
		return remote.Malformed("it is not in the format DBN")
	}
	limits := files.Limits{Bytes: remote.MaxPageBytes, Bars: barsource.MaxBars}
	file, err := files.Read(ctx, bytes.NewReader(body), "bars.dbn", files.Options{Limits: limits})
	var limit files.LimitError
	switch {
	case errors.Is(err, files.ErrNoBars):
		return nil
	case errors.Is(err, files.ErrDamaged):
		return fmt.Errorf("%w: %w", remote.ErrTruncated, err)
	case errors.As(err, &limit):
		return fmt.Errorf("%w: %w", remote.ErrTooLarge, err)
	case err != nil:
		return fmt.Errorf("%w: %w", remote.ErrMalformed, err)
	}
	run.Result.Skipped += file.ErrorCount
	for _, series := range file.Series {
		if series.Secs != run.Secs {
			return remote.Malformed("its bars have another length")
		}
		for block := range series.Blocks() {
			if err := run.AddBlock(block); err != nil {
				return err
			}
		}
	}
	return nil
}

// Price implements barsource.Pricer.
func (p barClient) Price(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Price, error) {
	price := barsource.Price{Currency: "USD"}
	err := barsource.Ask(ctx, client, p, credentials, query, func(ctx context.Context, run *barsource.Run, window market.Range) error {
		if window.From == window.To {
			return nil // too recent: nothing would be sent
		}
		parameters := parametersOf(run, window)
		parameters["mode"] = "historical-streaming"
		var amount remote.Number
		err := run.Fetch(ctx, remote.Request{
			Address: "https://" + host + "/v0/metadata.get_cost", Parameters: parameters,
			User: run.Value(keyField), Classify: classify,
		}, &amount)
		if err != nil {
			return err
		}
		price.Amount, err = parseAmount(string(amount))
		return err
	})
	if err != nil {
		return barsource.Price{}, err
	}
	return price, nil
}

// amountText is a float with a size that can be computed with.
var amountText = lazyregexp.New(`^[0-9]{1,9}(?:\.[0-9]{1,30})?(?:[eE]-[0-9]{1,2})?$`)

// parseAmount parses an amount in dollars, which is a float with all its digits, and
// rounds it to a hundredth cent.
func parseAmount(text string) (decimal.Decimal, error) {
	if !amountText().MatchString(text) {
		return decimal.Zero, remote.Malformed("the price is not a number")
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return decimal.Zero, remote.Malformed("the price is not a number")
	}
	return decimal.Parse(exact.FloatString(4))
}

// classify returns an answer's error by the case it names.
func classify(a remote.Answer) error {
	switch {
	case strings.HasPrefix(a.Code, "symbology_"):
		return remote.ErrNotFound
	case a.Code == "data_end_after_available_end", a.Code == "data_start_after_available_end", a.Code == "dataset_unavailable_range":
		return remote.ErrUnavailable // the bars come later
	}
	return nil
}
