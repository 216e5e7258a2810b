package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// ChargeCoin adds a fee in a coin to a fill; costs are positive, and a fee without a coin
// is in the quote coin. A fee in the traded coin changes the position: a buyer gets less,
// and a seller gives more. It returns false for a fee in a third coin, which is only kept
// in the details, as it has no price.
func (f *Fill) ChargeCoin(i Instrument, fee decimal.Decimal, coin string) bool {
	switch {
	case fee.IsZero():
	case coin == "" || i.Quote == "" && coin != i.Base || IsSameMoney(coin, i.Quote):
		f.Fees = f.Fees.Add(fee)
	case coin == i.Base:
		f.Fees = f.Fees.Add(fee.Mul(f.Price).Round(decimal.MaxDecimals))
		if i.IsContract {
			return true
		}
		if f.Side == matching.Buy {
			f.Quantity = f.Quantity.Sub(fee)
		} else {
			f.Quantity = f.Quantity.Add(fee)
		}
		f.AddDetail("fee", fee.String()+" "+coin)
	default:
		f.AddDetail("fee", fee.String()+" "+coin)
		return false
	}
	return true
}

// MarkQuote keeps the quote coin in the details if it is not the account's money, and
// reports whether it did.
func (f *Fill) MarkQuote(quote, account string) bool {
	if quote == "" || account == "" || IsSameMoney(quote, account) {
		return false
	}
	f.AddDetail("currency", quote)
	return true
}

// CashCurrency returns the currency for cash in a coin: the account's if both are the
// same money. It returns false for a coin other than money.
func CashCurrency(coin, account string) (string, bool) {
	account = strings.ToUpper(account)
	switch {
	case coin == "":
		return "", true
	case account != "" && IsSameMoney(coin, account):
		return account, true
	}
	return coin, IsMoney(coin)
}

// TransferType returns the cash type for a transfer into or out of an account.
func TransferType(amount decimal.Decimal) string { return cashType(KindTransfer, amount, "") }
