// Package barsourcetest helps to test the clients of price providers: it connects them
// to a server of the test that speaks the provider's protocol, and sends the faults
// that any server can have.
package barsourcetest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// Secret is a credential for tests. No error may contain it.
const Secret = remotetest.Secret

// Case is a provider with a query that its server answers.
type Case struct {
	Provider    barsource.Provider
	Credentials map[string]string
	Query       barsource.Query
	// Answer is the server of the provider.
	Answer http.HandlerFunc
	// Except names the faults of [Case.TestFaults] that the provider means differently.
	Except []string
}

// NewClient returns a client of the hosts that a provider declares.
func NewClient(t testing.TB, provider barsource.Provider, handler http.Handler) *remotetest.Client {
	t.Helper()
	return remotetest.NewClient(t, provider.Describe().Hosts, handler)
}

// Fetch sends the query to a handler.
func (c Case) Fetch(t testing.TB, handler http.HandlerFunc) (barsource.Result, error) {
	t.Helper()
	return c.Provider.Fetch(t.Context(), NewClient(t, c.Provider, handler), c.Credentials, c.Query)
}

// call sends the query to a handler and checks that no bars come with an error.
func (c Case) call(ctx context.Context, t *testing.T, handler http.HandlerFunc) error {
	t.Helper()
	result, err := c.Provider.Fetch(ctx, NewClient(t, c.Provider, handler), c.Credentials, c.Query)
	if err != nil && len(result.Block.Bars) > 0 {
		t.Error("bars together with an error")
	}
	return err
}

// MustFetch returns the result of the query from the provider's server.
func (c Case) MustFetch(t testing.TB) barsource.Result {
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

// Describe returns the bars of a result, one in a line: time, open, high, low, close
// and volume.
func Describe(result barsource.Result) string {
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

func (c Case) remote() remotetest.Case {
	return remotetest.Case{Credentials: c.Credentials, Except: c.Except, Call: c.call}
}

// Reply returns a handler that always sends the same answer.
func Reply(status int, body string) http.HandlerFunc { return remotetest.Reply(status, body) }

// TestFaults sends what can go wrong with any server and checks the errors.
func (c Case) TestFaults(t *testing.T) {
	t.Helper()
	c.remote().TestFaults(t, remotetest.Faults(c.Answer, c.Query.Now, remote.MaxPageBytes))
}

// Answer is an answer of a provider and the error that it means, which may be nil.
type Answer = remotetest.Answer

// TestAnswers sends answers and checks the errors.
func (c Case) TestAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	c.remote().TestAnswers(t, answers)
}

// Symbol is the symbol and the type of an instrument in the journal, and the provider's
// name of it, or an empty text if the provider does not have it.
type Symbol = struct{ Journal, Type, Want string }

// TestSymbols compares the provider's names of instruments.
func (c Case) TestSymbols(t *testing.T, symbols []Symbol) {
	t.Helper()
	for _, s := range symbols {
		got, ok := c.Provider.Symbol(instruments.Priced{Symbol: s.Journal, Type: s.Type}, c.Query.From)
		if ok != (s.Want != "") || ok && got != s.Want {
			t.Errorf("%s %s: %q %v, want %q", s.Type, s.Journal, got, ok, s.Want)
		}
	}
}

// IsError reports whether an error is the wanted one. A RateLimited must be equal.
func IsError(err, want error) bool { return remotetest.IsError(err, want) }

// FuzzAnswer sends any answer to the provider and checks the result. The provider's own
// answer and the given ones are the start.
func (c Case) FuzzAnswer(f *testing.F, seeds ...string) {
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
