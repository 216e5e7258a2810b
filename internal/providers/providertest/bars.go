package providertest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// BarCase is a provider with a query its server answers.
type BarCase struct {
	Provider    barsource.Provider
	Credentials map[string]string
	Query       barsource.Query
	// Answer is the provider's server.
	Answer http.HandlerFunc
	// Except names the faults the provider means differently.
	Except []string

	// Want are the bars of the query in the words of [DescribeBars].
	Want string
	// Long is the end of a query that needs several requests, LongBars how many bars it
	// has, LongRequests how many requests it takes and LongURL how the first one begins;
	// zero for none.
	Long                   time.Time
	LongBars, LongRequests int
	LongURL                string
	// Errors are answers to the query and the errors they mean.
	Errors map[string]Answer
	// Symbols are instrument names.
	Symbols []Symbol
}

// Checks implements the constraint of [Run].
func (c BarCase) Checks() map[string]func(BarCase, *testing.T) {
	return map[string]func(BarCase, *testing.T){
		"fetch":   BarCase.testFetch,
		"pages":   BarCase.testPages,
		"faults":  BarCase.testFaults,
		"errors":  func(c BarCase, t *testing.T) { c.remote().TestAnswers(t, c.Errors) },
		"symbols": BarCase.testSymbols,
	}
}

// testFetch fetches the query.
func (c BarCase) testFetch(t *testing.T) { c.Expect(t, c.Want) }

// Expect fetches the query and compares its bars.
func (c BarCase) Expect(t *testing.T, want string) barsource.Result {
	t.Helper()
	got := c.MustFetch(t)
	if diff := cmp.Diff(want, DescribeBars(got)); diff != "" {
		t.Errorf("%s: %s", c.Query.Instrument.Symbol, diff)
	}
	return got
}

// testPages fetches the long query.
func (c BarCase) testPages(t *testing.T) {
	if c.Long.IsZero() {
		return
	}
	c.Query.To, c.Query.Now = c.Long, c.Long
	client := NewClient(t, c.Provider, c.Answer)
	got, err := c.Provider.Fetch(t.Context(), client, c.Credentials, c.Query)
	if err != nil || len(got.Block.Bars) != c.LongBars || len(client.Requests) != c.LongRequests {
		t.Fatalf("%d bars in %d requests, error %v", len(got.Block.Bars), len(client.Requests), err)
	}
	if got := client.Requests[0].URL.String(); !strings.HasPrefix(got, c.LongURL) {
		t.Errorf("the first request is %s", got)
	}
}

// NewClient returns a client of the hosts a provider declares.
func NewClient(t testing.TB, provider barsource.Provider, handler http.Handler) *remotetest.Client {
	t.Helper()
	return remotetest.NewClient(t, provider.Describe().Hosts, handler)
}

// Fetch sends the query to a handler.
func (c BarCase) Fetch(t testing.TB, handler http.HandlerFunc) (barsource.Result, error) {
	t.Helper()
	return c.Provider.Fetch(t.Context(), NewClient(t, c.Provider, handler), c.Credentials, c.Query)
}

// call sends the query to a handler and checks that no bars come with an error.
func (c BarCase) call(ctx context.Context, t *testing.T, handler http.HandlerFunc) error {
	t.Helper()
	result, err := c.Provider.Fetch(ctx, NewClient(t, c.Provider, handler), c.Credentials, c.Query)
	if err != nil && len(result.Block.Bars) > 0 {
		t.Error("bars together with an error")
	}
	return err
}

// MustFetch returns the result of the query from the provider's server.
func (c BarCase) MustFetch(t testing.TB) barsource.Result {
	t.Helper()
	result, err := c.Fetch(t, c.Answer)
	if err != nil {
		t.Fatal(err)
	}
	if problem := CheckResult(c.Query, result); problem != "" {
		t.Fatal(problem)
	}
	return result
}

// DescribeBars returns a result's bars, one in a line: time, open, high, low, close and
// volume.
func DescribeBars(result barsource.Result) string {
	var text strings.Builder
	for _, b := range result.Block.Bars {
		text.WriteString(time.Unix(b.Time, 0).UTC().Format("2006-01-02 15:04:05"))
		for _, price := range []int64{b.Open, b.High, b.Low, b.Close} {
			text.WriteString(" " + decimal.FromScaled(price, result.Block.PriceScale).String())
		}
		fmt.Fprintf(&text, " %s\n", decimal.FromScaled(b.Volume, result.Block.VolumeScale))
	}
	return text.String()
}

// CheckResult returns what is wrong with a result, or an empty text.
func CheckResult(query barsource.Query, result barsource.Result) string {
	if result.Covered.From < query.From.Unix() || result.Covered.To > query.To.Unix() || result.Covered.To < result.Covered.From {
		return fmt.Sprintf("covered %v", result.Covered)
	}
	last := int64(-1)
	for _, bar := range result.Block.Bars {
		switch {
		case bar.Check() != nil:
			return fmt.Sprintf("%+v: %v", bar, bar.Check())
		case bar.Time <= last:
			return fmt.Sprintf("%+v is not in order", bar)
		case bar.Time < result.Covered.From || bar.Time >= result.Covered.To:
			return fmt.Sprintf("%+v is not in %v", bar, result.Covered)
		case bar.Time+query.BarSecs > query.Now.Unix():
			return fmt.Sprintf("%+v has not ended", bar)
		}
		last = bar.Time
	}
	for block := range market.SplitBlocks(result.Block) {
		if _, err := market.DecodeBlock(block.AppendTo(nil), nil); err != nil {
			return err.Error()
		}
	}
	return ""
}

func (c BarCase) remote() remotetest.Case {
	return remotetest.Case{Credentials: c.Credentials, Except: c.Except, Call: c.call}
}

// testFaults sends what can go wrong with any server and checks the errors.
func (c BarCase) testFaults(t *testing.T) {
	c.remote().TestFaults(t, remotetest.Faults(c.Answer, c.Query.Now, remote.MaxPageBytes))
}

// Symbol is the symbol and the type of an instrument in the journal, and the provider's
// name of it, or an empty text if the provider does not have it.
type Symbol = struct{ Journal, Type, Want string }

// testSymbols compares the provider's instrument names.
func (c BarCase) testSymbols(t *testing.T) {
	for _, s := range c.Symbols {
		got, ok := c.Provider.Symbol(instruments.Priced{Symbol: s.Journal, Type: s.Type}, c.Query.From)
		if ok != (s.Want != "") || ok && got != s.Want {
			t.Errorf("%s %s: %q %v, want %q", s.Type, s.Journal, got, ok, s.Want)
		}
	}
}

// FuzzAnswer sends any answer to the provider and checks the result. The provider's own
// answer and the given ones are the start.
func (c BarCase) FuzzAnswer(f *testing.F, seeds ...string) {
	f.Helper()
	remotetest.FuzzAnswer(f, c.Answer, seeds, func(t testing.TB, doer remote.Doer) {
		result, err := c.Provider.Fetch(t.Context(), doer, c.Credentials, c.Query)
		if err != nil {
			return
		}
		if problem := CheckResult(c.Query, result); problem != "" {
			t.Error(problem)
		}
	})
}

// TestLimit sends a refusal with a header, which has status 200 if it has a body, and
// checks how long the client waits.
func (c BarCase) TestLimit(t *testing.T, header, value, body string, want time.Duration) {
	t.Helper()
	testLimit(t, func(h http.HandlerFunc) error { return c.call(t.Context(), t, h) }, header, value, body, want)
}
