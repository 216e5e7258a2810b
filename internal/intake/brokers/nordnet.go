package brokers

import s "fillbook/internal/intake/statement"

// nordnetTransactions is the transaction list in the country's language: Swedish, Danish,
// Norwegian or Finnish. It has days only, newest first. Every amount has its currency in
// the next column, and prices are in the instrument's, with the rate to the account's. A
// canceled row has its cancellation day.
var nordnetTransactions = s.Preset{
	Broker: "Nordnet", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: stockholm, Costs: s.CostsPositive,
	Header: s.Cols("Id;" + nordnetBooked + ";" + nordnetTraded + ";" + nordnetKind + ";" + nordnetName + ";ISIN;" + nordnetQuantity + ";" + nordnetPrice +
		";" + nordnetAmount), NewestFirst: true,
	Layout: &s.Layout{
		Key: "Id", Kind: nordnetKind, Only: []s.Condition{{Col: nordnetCanceled, Words: "", Reason: "canceled by the broker"}},
		Symbol: "ISIN|" + nordnetName, Namer: s.NamePlain, Name: nordnetName, Time: nordnetTraded + "|" + nordnetBooked, Decimals: s.DecimalsByValue,
		Quantity: nordnetQuantity, Price: nordnetPrice, Amount: nordnetAmount, Commission: nordnetFees, Rate: nordnetRate,
		Currency: "Valuta#2|Valuta|Valuutta#2|Valuutta", Currencies: s.CurrencyOfAccount, ID: "Id", Account: "Depå|Depot|Portefølje|Salkku",
		Note: nordnetText + "|" + nordnetKind, Words: nordnetWords,
	},
}

// The columns in Swedish, Danish, Norwegian and Finnish.
const (
	nordnetBooked   = "Bokföringsdag|Bogføringsdag|Bokføringsdag|Kirjauspäivä"
	nordnetTraded   = "Affärsdag|Handelsdag|Kauppapäivä"
	nordnetKind     = "Transaktionstyp|Transaktionstype|Transaksjonstype|Tapahtumatyyppi"
	nordnetName     = "Värdepapper|Værdipapirer|Verdipapir|Arvopaperi"
	nordnetQuantity = "Antal|Antall|Määrä"
	nordnetPrice    = "Kurs|Kurssi"
	nordnetAmount   = "Belopp|Beløb|Beløp|Summa"
	nordnetFees     = "Total Avgift|Samlede afgifter|Totale Avgifter|Kokonaiskulut|Avgifter|Afgifter|Courtage|Kurtage|Kurtasje|Välityspalkkio"
	nordnetRate     = "Växlingskurs|Vekslingskurs|Vaihtokurssi"
	nordnetText     = "Transaktionstext|Transaktionstekst|Transaksjonstekst|Tapahtumateksti"
	nordnetCanceled = "Makuleringsdatum|Makuleringsdato|Makuleringsddato|Mitätöintipäivä"
)

// nordnetWords are the kinds in the four languages. Other words for buying and selling
// are among the shared ones.
var nordnetWords = []s.Word{
	{Kind: s.KindWithholding, Words: "*kupongskatt*|*källskatt*|*udbytteskat*|*kildeskatt*|*ennakkopidätys*|*lähdevero*|utl kupskatt"},
	{Kind: s.KindBuy, Words: "köpt|købt|kjøpt|osto|reinvestert utbytte|tildelning inlägg re|emission inlägg*"},
	{Kind: s.KindSell, Words: "sålt|solgt|salg|myynti"},
	{Kind: s.KindDividend, Words: "*utdelning*|*udbytte*|*utbytte*|*osinko*|*tuotto*"},
	{Kind: s.KindDeposit, Words: "insättning*|indbetaling*|indsættelse*|innskudd*|straksoverførsel*|talletus*|pano*|premieinbetalning"},
	{Kind: s.KindWithdrawal, Words: "uttag*|hævning*|uttak*|nosto*|udbetaling*"},
	{Kind: s.KindInterest, Words: "*ränta*|*rente*|*korko*"},
	{Kind: s.KindExchange, Words: "*växling*|*veksling*|*valuutanvaihto*|valuta köpt|valuta sålt|valuta købt|valuta solgt"},
	{Kind: s.KindFee, Words: "*avgift*|*gebyr*|*afgift*|*maksu*|*palkkio*"},
	{Kind: s.KindTax, Words: "*skatt*|*skat|*vero*|*beskatning*"},
	{Kind: s.KindMovement, Words: "*split*|*byte*|*uttag vp*|*inlägg*|*overført*|*omplassering*|*siirto*|*flyt*|*ombytning*|*tildeling*"},
}
