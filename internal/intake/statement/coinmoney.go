package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// ChargeCoin adds a fee in a coin to a fill; costs are positive, and without a coin the
// fee is in that of the price. A fee in the coin that is traded is part of the position:
// a buyer gets less, and a seller gives more. It returns false for a fee in a third
// coin, which is only kept in the details, as it has no price.
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

// MarkQuote keeps the coin of the price in the details if it is not the money of the
// account, and reports whether that is so.
func (f *Fill) MarkQuote(quote, account string) bool {
	if quote == "" || account == "" || IsSameMoney(quote, account) {
		return false
	}
	f.AddDetail("currency", quote)
	return true
}

// CashCurrency returns the currency that cash in a coin is booked in: that of the account
// if both are the same money. It returns false for a coin that is not money.
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

// TransferType returns the type of cash that moves into or out of an account.
func TransferType(amount decimal.Decimal) string { return cashType(KindTransfer, amount, "") }
