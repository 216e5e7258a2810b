package brokers

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

// FuzzSaversPresets feeds any text through the presets: nothing may panic, and every
// fill that comes out is one.
func FuzzSaversPresets(f *testing.F) {
	brokertest.Fuzz(f, saversPresets(),
		"Data operazione,Tipo operazione,Ticker,Isin,Protocollo,Descrizione,Quantità,Importo euro\n02-02-2026,Acquisto,GRUX,I,P,D,4,-197.82",
		"Operazione,Data valuta,Descrizione,Titolo,Isin,Segno,Quantita,Divisa,Prezzo,Cambio,Controvalore\n20/02/2026,,C,H,I,A,2,USD,175,1.25,280",
		"Buchungstag;Valuta;Bezeichnung;ISIN;Nominal (Stk.);;Betrag;;Kurs;;TA.-Nr.;Buchungsinformation\n13.01.2026;;K;I;-10;;-1,9;;134,00;;4;Storno ORDER Kauf",
		"date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;currency\n2026-02-02;13:32:02;Executed;S;D;Security;Savings plan;I;7,3;10,2;-74,9;0;EUR",
		"Security / ISIN,Transaction Type,Quantity,Share Price,Total Trade Value,Trade Date/Time\nW / ISIN I,Buy,2.6,£110.79,£299.04,23/12/25 15:18:12",
		"Date;Category;Asset Name;ISIN;Number of Shares;Asset Price in CHF;Cash Flow\n2026-05-16;Buy;M;C;0.006;1304.04;-7.8",
		"datetime;price;shares;amount;tax;fee;type;identifier;holdingname\n2026-06-04T12:04:00Z;263;6;1578;0;1;Sell;D;R",
	)
}
