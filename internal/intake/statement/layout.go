package statement

import (
	"regexp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Layout defines what each column of a table is. An empty field means that the
// file does not have it. What concerns the whole file (zone, order of dates and
// rows, sign of costs, type of every instrument) is in [Preset].
//
// A row is read in this order: Prepare; Key; Only; Parse; its kind; whether it
// waits for other rows (Join); its instrument; quantity, side, time, price,
// costs, amount, rate, hidden costs and result; Adjust. It ends in exactly one
// [Outcome]. Only the columns that the kind of the row needs are read, so that
// an unreadable quantity does not fail a dividend.
type Layout struct {
	// Key is a column that every data row has a value of. A row without one is a
	// title, a total or a footer. If Key is empty, it is Kind, or Symbol in a layout
	// without Kind.
	Key Col
	// Only lists what must hold for a row to be read; other rows are skipped.
	Only []Condition
	// Orders says that rows are orders: one without a filled quantity is skipped.
	Orders bool
	// Parse takes values out of texts. The first pattern that matches counts.
	Parse []Pattern
	// Prepare runs before anything else is read. It may rewrite cells, set
	// values, and end the row with Ignore, Drop, Skip or Fail.
	Prepare func(*Row)

	// Kind is the column that says what a row of an account's history is. Words
	// are those of this file; they are looked up before the shared ones. Without
	// Kind every row is a trade.
	Kind  Col
	Words []Word
	// Side is the column for buying and selling in a list of fills. Without it
	// the sign of the quantity decides, or else that of the amount. Effect is a
	// column that says whether a fill opens or closes.
	Side, Effect Col

	// Symbol names what was traded. Contract is a text that may name an option
	// and is tried first. Name is kept beside the fill.
	Symbol, Contract, Name Col
	// Type, Right, Strike, Expiry and Multiplier are columns about the instrument.
	Type, Right, Strike, Expiry, Multiplier Col
	// Namer builds the instrument from Symbol and Type; NameAny if nil.
	Namer Namer
	// Coins says that the file is of a crypto exchange: amounts are in coins that
	// may be attached to the number, costs may be in the coin that is traded, and
	// coins that are not money are no cash.
	Coins bool

	// Time has day and time; or Date has the day and Clock the time. With Midnight a
	// time of 00:00 is a day only.
	Time, Date, Clock Col
	Midnight          bool
	SameInstant       InstantOrder

	Quantity, Price Col
	Decimals        DecimalRule
	// Amount is what moved in cash after costs, Gross what was traded before
	// costs. With Unsigned neither has a sign: that of a trade follows from its
	// side, and fees and withdrawals are below zero.
	Amount, Gross Col
	Unsigned      bool
	// CashAmount is what a row of cash or a leg of a trade moved, for files that
	// have it in another column than Amount.
	CashAmount Col
	// Commission, Fees and Tax are costs. Tax becomes cash of its own.
	Commission, Fees, Tax Col
	// FeesCurrency is the currency or coin of Fees and Commission, if it is not
	// that of the amount and not attached to the number.
	FeesCurrency Col
	// Currency is that of Amount and of the costs, PriceCurrency that of Price.
	// Rate is the rate between them, either way round; "=?" finds one for files
	// that do not name the currencies.
	Currency, PriceCurrency, Rate Col
	Currencies                    CurrencyRule
	// HiddenCosts books costs that only the amount shows; see [Fill.HiddenCosts].
	HiddenCosts CostRole
	// CashFees says how Fees of a row that is cash are read.
	CashFees CashFeeRule

	// Result and NetResult are what the file says that was made, before and
	// after costs.
	Result, NetResult Col
	Results           ResultRule

	// A row may be a whole trade, or two fills.
	RoundTrip
	BoughtSold
	// Swap is the cost of holding a trade overnight: below zero is a cost.
	Swap Col
	AnnotationColumns

	ID  Col
	IDs IDRule
	// Lot keeps positions of one instrument apart. Account is the name of the
	// account that a row belongs to. Note is that of cash.
	Lot, Account, Note Col
	// Details are further columns to keep beside the fill.
	Details map[string]Col

	Join []Join

	// Settle may change a whole trade before its result is compared with its prices.
	Settle func(*Row, *Trip)
	// Adjust may change the one record of the row, add to Record.Also, and fail
	// or skip the row.
	Adjust func(*Row, *Record)
	// readRow reads a row instead of the steps above, for a mapping.
	readRow func(*Row)
	// PerTable sets hooks with state in the copy of the layout that reads one table.
	PerTable func(*Reader, *Layout)
}

// Condition is a value that a row must have. Words are patterns as in [Word],
// with an empty one for a blank cell. Without a reason the row is skipped for
// the status or the value that it has.
type Condition struct {
	Col    Col
	Words  string
	Reason string
}

// Pattern takes the named groups of a regular expression out of a text: the
// group "price" becomes the value @price.
type Pattern struct {
	In Col
	Re *regexp.Regexp
}

// Namer builds an instrument from the symbol and the type that a file has; the
// type is empty if the file does not state it.
type Namer func(symbol, kind string) Instrument

// Instrument is what a row trades.
type Instrument struct {
	Symbol, Type string
	Right        string // call or put
	Strike       decimal.Null
	Expiry       journal.Day
	Multiplier   decimal.Null
	// Base and Quote are the coin that is traded and the one that it is priced
	// in. IsContract says that a contract on the coin is traded.
	Base, Quote string
	IsContract  bool
	// Problem says why the instrument cannot be read.
	Problem string
}

// Record is the result of a row: a fill, a round trip or cash, and further records
// of the same row.
type Record struct {
	Kind        Kind
	Fill        *Fill
	Trip        *Trip
	Cash        *Cash
	Annotations *Annotations // of the fill or trip
	Also        []Record
}

// CostRole is the cost of a fill that an amount belongs to.
type CostRole string

// The roles of costs.
const (
	CostNone       CostRole = ""
	CostFees       CostRole = "fees"
	CostCommission CostRole = "commission"
)

// CurrencyRule defines whose currency the amounts of a file are in.
type CurrencyRule string

// The rules. CurrencyOfRow: every row names its own. CurrencyOfAccount: amounts
// are in the account's currency, which is the first that a row names.
// CurrencyMixed: rows are in several, and none of them is known to be the
// account's. CurrencyOfFile: the whole file is in one currency, which a constant or
// the name of a column states. CurrencyOfPrice: every row names its own, and costs and
// amount are converted to the currency of the price if the user's account is in
// that one. By the other rules the multiplier converts the price.
const (
	CurrencyOfRow     CurrencyRule = ""
	CurrencyOfPrice   CurrencyRule = "price"
	CurrencyOfAccount CurrencyRule = "account"
	CurrencyMixed     CurrencyRule = "mixed"
	CurrencyOfFile    CurrencyRule = "file"
)

// CashFeeRule defines how the column of fees is read for rows that are cash.
type CashFeeRule string

// The rules. CashFeesIgnored: the amount has them in it. CashFeesSubtracted: the
// amount is before fees. CashFeesApart: fees are cash of their own.
const (
	CashFeesIgnored    CashFeeRule = ""
	CashFeesSubtracted CashFeeRule = "subtracted"
	CashFeesApart      CashFeeRule = "apart"
)

// ResultRule defines when the stated result of a fill counts. Otherwise prices
// give the result, and more exactly.
type ResultRule string

// The rules. ResultIfForeign: for prices in foreign money, for forex and CFDs,
// and for contracts that are settled in their coin. The stated result of a whole trade
// counts by every rule if prices do not give exactly the same; see [Row.Trip].
const (
	ResultIfForeign ResultRule = ""
	ResultAlways    ResultRule = "always"
	ResultIfClosing ResultRule = "closing"
	ResultNever     ResultRule = "never"
)

// IDRule defines how the id of a fill is made from its column.
type IDRule string

// The rules. IDPerSide: both sides of a position have the same id, so
// the second side gets its name added. IDPerPart: a trade comes again for each
// part that was closed.
const (
	IDAsIs    IDRule = ""
	IDPerSide IDRule = "side"
	IDPerPart IDRule = "part"
)

// DecimalRule defines how the sign for decimals is found.
type DecimalRule string

// The rules. DecimalsByColumn: all values of a column have the same. DecimalsByValue:
// a value that proves its own is read by it. DecimalsUngrouped: thousands are
// never grouped, so that comma and point are the same. DecimalsComma: a comma, so
// that 142.500 is above a hundred thousand.
const (
	DecimalsByColumn  DecimalRule = ""
	DecimalsByValue   DecimalRule = "value"
	DecimalsUngrouped DecimalRule = "ungrouped"
	DecimalsComma     DecimalRule = "comma"
)

// InstantOrder defines in which order fills of one instant happened.
type InstantOrder string

// The orders. InstantByHoldings: the file may run forwards or backwards within a
// day and does not say so; the way in which fewer shares are sold that are not
// held counts.
const (
	InstantByRow      InstantOrder = ""
	InstantByID       InstantOrder = "id"
	InstantByHoldings InstantOrder = "holdings"
)
