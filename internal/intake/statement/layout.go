package statement

import (
	"regexp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Layout defines what each column in a table is. An empty field means that the file does
// not have it. Facts about the whole file (zone, order of dates and rows, sign of costs,
// type of every instrument) are in [Preset].
//
// A row is read in this order: Prepare; Key; Only; Parse; its kind; whether it waits for
// other rows (Join); its instrument; quantity, side, time, price, costs, amount, rate,
// hidden costs and result; Adjust. It has exactly one outcome. Only the columns needed
// for its kind are read, so an unreadable quantity does not fail a dividend.
type Layout struct {
	// Key is a column with a value in every data row. A row without one is a title, a
	// total or a footer. If Key is empty, it is Kind, or Symbol in a layout without Kind.
	Key Col
	// Only lists what must hold for a row to be read; other rows are skipped.
	Only []Condition
	// Orders says that rows are orders: those without a filled quantity are skipped.
	Orders bool
	// Parse takes values out of texts. The first matching pattern counts.
	Parse []Pattern
	// Prepare runs before anything else is read. It may rewrite cells, set
	// values, and end the row with Ignore, Drop, Skip or Fail.
	Prepare func(*Row)

	// Kind is the column with a row's kind in an account history. Words are those in this
	// file; they are looked up before the shared ones. Without Kind every row is a trade.
	Kind  Col
	Words []Word
	// Side is the column for buying and selling in a list of fills. Without it the
	// quantity's sign decides, or else the amount's. Effect is a column saying whether a
	// fill opens or closes.
	Side, Effect Col

	// Symbol names what was traded. Contract is a text that may name an option and is
	// tried first. Name is kept beside the fill.
	Symbol, Contract, Name Col
	// Type, Right, Strike, Expiry and Multiplier are columns about the instrument.
	Type, Right, Strike, Expiry, Multiplier Col
	// Namer builds the instrument from Symbol and Type; NameAny if nil.
	Namer Namer
	// Coins marks files from crypto exchanges: amounts are in coins that may be attached
	// to the number, costs may be in the traded coin, and coins other than money are no
	// cash.
	Coins bool

	// Time has day and time; or Date has the day and Clock the time. With Midnight, 00:00
	// means a day without a time.
	Time, Date, Clock Col
	Midnight          bool
	SameInstant       InstantOrder

	Quantity, Price Col
	Decimals        DecimalRule
	// ShortWord: short sales have a word of their own, so a plain sale of shares
	// closes a position.
	ShortWord bool
	// SplitsAdd: a row about a split states how many shares came to those held.
	SplitsAdd bool
	// Company is the name of a share's company. Rows about corporate actions without a symbol
	// are those of the company.
	Company Col
	// Amount is what moved in cash after costs, Gross what was traded before costs. With
	// Unsigned neither has a sign: a trade's follows from its side, and fees and
	// withdrawals are below zero.
	Amount, Gross Col
	Unsigned      bool
	// CashAmount is the amount in a cash row or a leg, for files with another column for
	// it than Amount.
	CashAmount Col
	// Commission, Fees and Tax are costs. Tax becomes separate cash.
	Commission, Fees, Tax Col
	// FeesCurrency is the currency or coin for Fees and Commission, if it is neither the
	// amount's nor attached to the number.
	FeesCurrency Col
	// Currency belongs to Amount and costs, PriceCurrency to Price. Rate is the rate
	// between them, either way round; "=?" finds one for files without currencies.
	Currency, PriceCurrency, Rate Col
	Currencies                    CurrencyRule
	// HiddenCosts books costs only the amount shows; see [Fill.HiddenCosts].
	HiddenCosts CostRole
	// CashFees says how Fees in cash rows are read.
	CashFees CashFeeRule

	// Result and NetResult are the stated result, before and after costs.
	Result, NetResult Col
	Results           ResultRule

	// A row may be a whole trade, or two fills.
	RoundTrip
	BoughtSold
	// Swap is the overnight holding cost: below zero is a cost.
	Swap Col
	AnnotationColumns

	ID  Col
	IDs IDRule
	// Order is the order id, which an order's fills share.
	Order Col
	// Lot keeps positions in one instrument apart. Account names the row's account. Note
	// is the cash note.
	Lot, Account, Note Col
	// Details are further columns to keep beside the fill.
	Details map[string]Col

	Join []Join

	// Settle may change a whole trade before its result is compared with its prices.
	Settle func(*Row, *Trip)
	// Adjust may change the row's record, add to Record.Also, and fail or skip the row.
	Adjust func(*Row, *Record)
	// AdjustAction may change what a row states about a corporate action.
	AdjustAction func(*Row, *ActionRow)
	// readRow reads a row instead of the steps above, for a mapping.
	readRow func(*Row)
	// PerTable sets hooks with state in the layout's copy for a table.
	PerTable func(*Reader, *Layout)
}

// Condition is a required value. Words are patterns as in [Word], with an empty one for a
// blank cell. Without a reason the row is skipped for its status or value.
type Condition struct {
	Col    Col
	Words  string
	Reason string
}

// Pattern takes the named groups in a regular expression out of a text: the group "price"
// becomes the value @price.
type Pattern struct {
	In Col
	Re func() *regexp.Regexp // of [lazyregexp.New]
}

// Namer builds an instrument from the symbol and type in a file; the type is empty if the
// file does not state it.
type Namer func(symbol, kind string) Instrument

// Instrument is what a row trades.
type Instrument struct {
	Symbol, Type string
	Right        string // call or put
	Strike       decimal.Null
	Expiry       journal.Day
	Multiplier   decimal.Null
	// Base and Quote are the traded coin and the one it is priced in. IsContract says
	// that a contract on the coin is traded.
	Base, Quote string
	IsContract  bool
	// Problem says why the instrument cannot be read.
	Problem string
}

// Record is a row's result: a fill, a round trip or cash, and further records from the
// same row.
type Record struct {
	Kind        Kind
	Fill        *Fill
	Trip        *Trip
	Cash        *Cash
	Annotations *Annotations // for the fill or trip
	Also        []Record
}

// CostRole is the cost an amount belongs to.
type CostRole string

// The cost roles.
const (
	CostNone       CostRole = ""
	CostFees       CostRole = "fees"
	CostCommission CostRole = "commission"
)

// CurrencyRule defines whose currency a file's amounts are in.
type CurrencyRule string

// The rules. CurrencyOfRow: every row names its own. CurrencyOfAccount: amounts are in
// the account's currency, which is the first one named by a row. CurrencyMixed: rows are
// in several, and none is known to be the account's. CurrencyOfFile: the whole file is in
// one currency, stated by a constant or a column name. CurrencyOfPrice: every row names
// its own, and costs and amount are converted to the price currency if the user's account
// is in it. By the other rules the multiplier converts the price.
const (
	CurrencyOfRow     CurrencyRule = ""
	CurrencyOfPrice   CurrencyRule = "price"
	CurrencyOfAccount CurrencyRule = "account"
	CurrencyMixed     CurrencyRule = "mixed"
	CurrencyOfFile    CurrencyRule = "file"
)

// CashFeeRule defines how the fee column is read in cash rows.
type CashFeeRule string

// The rules. CashFeesIgnored: the amount includes them. CashFeesSubtracted: the amount is
// before fees. CashFeesApart: fees are separate cash.
const (
	CashFeesIgnored    CashFeeRule = ""
	CashFeesSubtracted CashFeeRule = "subtracted"
	CashFeesApart      CashFeeRule = "apart"
)

// ResultRule defines when a fill's stated result counts. Otherwise prices give the
// result, and more exactly.
type ResultRule string

// The rules. ResultIfForeign: for prices in foreign money, for forex and CFDs, and for
// contracts settled in their coin. A whole trade's stated result counts by every rule if
// prices do not give exactly the same; see [Row.Trip].
const (
	ResultIfForeign ResultRule = ""
	ResultAlways    ResultRule = "always"
	ResultIfClosing ResultRule = "closing"
	ResultNever     ResultRule = "never"
)

// IDRule defines how a fill's id is made from its column.
type IDRule string

// The rules. IDPerSide: both sides of a position have the same id, so the second side
// gets its name added. IDPerPart: a trade comes again for each closed part.
const (
	IDAsIs    IDRule = ""
	IDPerSide IDRule = "side"
	IDPerPart IDRule = "part"
)

// DecimalRule defines how the sign for decimals is found.
type DecimalRule string

// The rules. DecimalsByColumn: all values in a column have the same. DecimalsByValue: a
// value proving its own is read by it. DecimalsUngrouped: thousands are never grouped, so
// comma and point are the same. DecimalsComma: a comma, so 142.500 is above a hundred
// thousand.
const (
	DecimalsByColumn  DecimalRule = ""
	DecimalsByValue   DecimalRule = "value"
	DecimalsUngrouped DecimalRule = "ungrouped"
	DecimalsComma     DecimalRule = "comma"
)

// InstantOrder defines the order of fills within an instant.
type InstantOrder string

// The orders. InstantByHoldings: the file may run forwards or backwards within a day and
// does not say so; the direction with fewer short sales counts.
const (
	InstantByRow      InstantOrder = ""
	InstantByID       InstantOrder = "id"
	InstantByHoldings InstantOrder = "holdings"
)
