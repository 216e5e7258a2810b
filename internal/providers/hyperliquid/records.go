package hyperliquid

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

type fill struct {
	Coin     string        `json:"coin"`
	Price    remote.Number `json:"px"`
	Size     remote.Number `json:"sz"`
	Side     string        `json:"side"`
	Time     remote.Number `json:"time"`
	Order    remote.Number `json:"oid"`
	Crossed  *bool         `json:"crossed"`
	Fee      remote.Number `json:"fee"`
	FeeToken string        `json:"feeToken"`
	ID       remote.Number `json:"tid"`
}

// A fill's sides.
const (
	buy  = "B"
	sell = "A"
)

// key identifies a fill: both sides in a trade with oneself have the same id.
func (f *fill) key() string { return string(f.ID) + f.Side }

// readFills returns a page's fills.
func (r *run) readFills(ctx context.Context, page []fill) ([]entry, error) {
	sides := map[string]string{}
	entries := make([]entry, len(page))
	for i := range page {
		f := &page[i]
		if strings.HasPrefix(f.Coin, "@") && r.pairs == nil {
			if err := r.loadPairs(ctx); err != nil {
				return nil, err
			}
		}
		id := string(f.ID)
		if first, isKnown := sides[id]; !isKnown {
			sides[id] = f.Side
		} else if first != f.Side {
			id += ":" + f.Side
		}
		entries[i] = entry{millis: f.Time, key: f.key(), add: func(record *connector.Record) { r.addFill(record, f, id) }}
	}
	r.checkGap(page)
	return entries, nil
}

// newestFill is the name under which the newest fill's time is kept.
const newestFill = "newest_fill"

// checkGap warns if the newest fill of the deliveries before is one Hyperliquid no longer
// returns: those after it may be missing, too. It then keeps the new time.
func (r *run) checkGap(page []fill) {
	if len(page) == 0 {
		return
	}
	known, _ := strconv.ParseInt(r.kept[newestFill], 10, 64)
	first, _ := strconv.ParseInt(string(page[0].Time), 10, 64)
	if last := time.UnixMilli(known); known > 0 && r.rows.Len() == 0 && !r.query.IsContinued && r.rows.Contains(last) && first > known {
		r.rows.AddMessage("Hyperliquid no longer returns the fills before %s, and some may be missing: it keeps 10,000. "+
			"Import the CSV file for the time from %s.", formatSecond(time.UnixMilli(first)), formatSecond(last))
	}
	if newest, err := strconv.ParseInt(string(page[len(page)-1].Time), 10, 64); err == nil && newest > known {
		r.kept[newestFill] = strconv.FormatInt(newest, 10)
	}
}

func formatSecond(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

func (r *run) addFill(record *connector.Record, f *fill, id string) {
	instrument := r.findInstrument(f.Coin)
	row := connector.NewFill(instrument)
	row.ID, row.At = id, record.Millis(f.Time)
	row.Quantity, row.Price = record.Decimal("size", f.Size), record.Decimal("price", f.Price)
	row.Side = record.Side(f.Side, buy, sell)
	if f.Coin == "" || f.ID == "" {
		record.Fail("The broker's record has no coin or no id.")
	}
	record.ChargeCoins(&row, instrument, record.Decimal("fee", f.Fee), f.FeeToken)
	connector.AddDetail(&row, "order_id", string(f.Order))
	if f.Crossed != nil {
		connector.AddLiquidity(&row, !*f.Crossed)
	}
	record.AddFill(row, instrument.Quote)
}

// findInstrument returns the pair or the contract with a name.
func (r *run) findInstrument(coin string) statement.Instrument {
	pair, isKnown := r.pairs[coin]
	switch {
	case isKnown:
		return pair
	case strings.HasPrefix(coin, "@"):
		r.rows.AddMessage("The pair %s is not in Hyperliquid's list of pairs. Its fills have this name.", coin)
		return statement.Instrument{Symbol: coin, Type: statement.NamePair(coin, "").Type, Base: coin, Quote: dollar}
	case strings.Contains(coin, "/"):
		return statement.NamePair(coin, "")
	}
	return statement.NewCoinContract(coin, strings.ToUpper(coin), dollar)
}

// loadPairs loads the spot pair names.
func (r *run) loadPairs(ctx context.Context) error {
	var list struct {
		Universe remote.Member[[]struct {
			Name   string `json:"name"`
			Tokens []int  `json:"tokens"`
		}] `json:"universe"`
		Tokens []struct {
			Name  string `json:"name"`
			Index int    `json:"index"`
		} `json:"tokens"`
	}
	if err := send(ctx, r.session, request{Type: "spotMeta"}, &list); err != nil {
		return err
	}
	if !list.Universe.IsPresent {
		return remote.Malformed("it has no list of pairs")
	}
	names := map[int]string{}
	for _, token := range list.Tokens {
		names[token.Index] = token.Name
	}
	r.pairs = map[string]statement.Instrument{}
	for _, pair := range list.Universe.Value {
		const coins = 2
		if len(pair.Tokens) == coins && names[pair.Tokens[0]] != "" && names[pair.Tokens[1]] != "" {
			r.pairs[pair.Name] = statement.NamePair(names[pair.Tokens[0]]+"/"+names[pair.Tokens[1]], "")
		}
	}
	return nil
}

type funding struct {
	Time  remote.Number `json:"time"`
	Delta struct {
		Coin   string        `json:"coin"`
		Amount remote.Number `json:"usdc"`
	} `json:"delta"`
}

// readFunding returns what was paid and received for holding contracts.
func (r *run) readFunding(_ context.Context, page []funding) ([]entry, error) {
	entries := make([]entry, len(page))
	for i := range page {
		f := &page[i]
		entries[i] = entry{millis: f.Time, key: f.Delta.Coin, add: func(record *connector.Record) {
			record.AddCash(statement.Cash{
				Type: "interest", Amount: record.Decimal("amount", f.Delta.Amount), Currency: dollar, At: record.Millis(f.Time), Note: "funding " + f.Delta.Coin,
			})
		}}
	}
	return entries, nil
}

type update struct {
	Time  remote.Number `json:"time"`
	Hash  string        `json:"hash"`
	Delta delta         `json:"delta"`
}

type delta struct {
	Type         string        `json:"type"`
	Dollars      remote.Number `json:"usdc"`
	Amount       remote.Number `json:"amount"`
	NetWithdrawn remote.Number `json:"netWithdrawnUsd"`
	Fee          remote.Number `json:"fee"`
	FeeToken     string        `json:"feeToken"`
	Token        string        `json:"token"`
	User         string        `json:"user"`
	Destination  string        `json:"destination"`
	Vault        string        `json:"vault"`
}

// readLedger returns the transfers. One transaction can have several, which are told apart
// by their place on the page: a page begins with the first of them or has none.
func (r *run) readLedger(_ context.Context, page []update) ([]entry, error) {
	places := map[string]int{}
	entries := make([]entry, len(page))
	for i := range page {
		u := &page[i]
		entries[i] = entry{
			millis: u.Time, key: fmt.Sprintf("%s:%d", strings.Join(strings.Fields(u.Hash), ""), places[u.Hash]),
			add: func(record *connector.Record) { r.addUpdate(record, u) },
		}
		places[u.Hash]++
	}
	return entries, nil
}

func (r *run) addUpdate(record *connector.Record, u *update) {
	d, at := &u.Delta, record.Millis(u.Time)
	cash := statement.Cash{Currency: dollar, At: at, Note: d.Type}
	switch d.Type {
	case "deposit", "vaultDistribution":
		cash.Amount = record.Decimal("amount", d.Dollars)
	case "withdraw", "vaultCreate":
		cash.Amount = d.withFee(record, d.Dollars).Neg()
	case "vaultDeposit":
		cash.Amount = r.directed(record.Decimal("amount", d.Dollars), "", d.Vault)
	case "vaultWithdraw":
		cash.Amount = r.directed(record.Decimal("amount", d.NetWithdrawn), d.Vault, d.User)
	case "internalTransfer", "subAccountTransfer":
		r.setTransfer(record, &cash, d, d.Dollars)
	case "spotTransfer", "send":
		cash.Currency = d.Token
		r.setTransfer(record, &cash, d, d.Amount)
	case "vaultLeaderCommission":
		cash.Type, cash.Amount = "adjustment", record.Decimal("amount", d.Dollars)
	case "rewardsClaim", "spotGenesis":
		if d.Token != "" {
			cash.Currency = d.Token
		}
		cash.Type, cash.Amount = "adjustment", record.Decimal("amount", d.Amount)
	case "deployGasAuction":
		cash.Currency, cash.Amount = d.Token, record.Decimal("amount", d.Amount).Neg()
	case "accountClassTransfer", "cStakingTransfer":
		record.Skip(at, statement.ReasonInternal)
		return
	case "liquidation":
		record.Skip(at, statement.ReasonResult)
		return
	default:
		r.reportUnknownUpdate(record, d, at)
		return
	}
	if cash.Type == "" {
		cash.Type = statement.TransferType(cash.Amount)
	}
	if d.isToSelf() {
		record.Skip(at, statement.ReasonInternal)
		return
	}
	record.AddCash(cash)
}

// reportUnknownUpdate skips a transfer of an unknown kind.
func (r *run) reportUnknownUpdate(record *connector.Record, d *delta, at time.Time) {
	if r.rows.Contains(at) {
		r.rows.AddMessage("Hyperliquid has a kind of transfer that is not known here: %.40q. It was left out; enter it by hand if it moved money.", d.Type)
	}
	record.Skip(at, statement.ReasonIgnored)
}

// isToSelf reports whether a transfer ends where it began, between Hyperliquid markets.
func (d *delta) isToSelf() bool { return d.User != "" && strings.EqualFold(d.User, d.Destination) }

// withFee returns an amount with the fee that was paid besides it.
func (d *delta) withFee(record *connector.Record, amount remote.Number) decimal.Decimal {
	return record.Decimal("amount", amount).Add(record.Optional("fee", d.Fee))
}

// setTransfer sets the amount for a transfer from one user to another. The sender pays
// the fee.
func (r *run) setTransfer(record *connector.Record, cash *statement.Cash, d *delta, amount remote.Number) {
	sum := record.Decimal("amount", amount)
	if strings.EqualFold(d.User, r.address) && (d.FeeToken == "" || d.FeeToken == cash.Currency) && statement.IsMoney(cash.Currency) {
		sum = d.withFee(record, amount)
	}
	cash.Amount = r.directed(sum, d.User, d.Destination)
}

// directed returns an amount with its sign: it is negative unless the address receives it.
// Without a sender the address is meant.
func (r *run) directed(amount decimal.Decimal, sender, receiver string) decimal.Decimal {
	if strings.EqualFold(receiver, r.address) && !strings.EqualFold(sender, r.address) {
		return amount
	}
	return amount.Neg()
}
