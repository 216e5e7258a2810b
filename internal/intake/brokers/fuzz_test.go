package brokers_test

import (
	"testing"

	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/brokers/brokertest"
)

// FuzzAll passes arbitrary files to the whole pipeline: nothing may crash, and
// every fill must be sound.
func FuzzAll(f *testing.F) {
	brokertest.Fuzz(f, brokers.All(),
		"Data operazione,Tipo operazione,Ticker,Isin,Protocollo,Descrizione,Quantità,Importo euro\n02-02-2026,Acquisto,GRUX,I,P,D,4,-197.82",
		"Operazione,Data valuta,Descrizione,Titolo,Isin,Segno,Quantita,Divisa,Prezzo,Cambio,Controvalore\n20/02/2026,,C,H,I,A,2,USD,175,1.25,280",
		"Buchungstag;Valuta;Bezeichnung;ISIN;Nominal (Stk.);;Betrag;;Kurs;;TA.-Nr.;Buchungsinformation\n13.01.2026;;K;I;-10;;-1,9;;134,00;;4;Storno ORDER Kauf",
		"date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;currency\n2026-02-02;13:32:02;Executed;S;D;Security;Savings plan;I;7,3;10,2;-74,9;0;EUR",
		"Security / ISIN,Transaction Type,Quantity,Share Price,Total Trade Value,Trade Date/Time\nW / ISIN I,Buy,2.6,£110.79,£299.04,23/12/25 15:18:12",
		"Date;Category;Asset Name;ISIN;Number of Shares;Asset Price in CHF;Cash Flow\n2026-05-16;Buy;M;C;0.006;1304.04;-7.8",
		"datetime;price;shares;amount;tax;fee;type;identifier;holdingname\n2026-06-04T12:04:00Z;263;6;1578;0;1;Sell;D;R",
		"symbol,trade_date,exchange,segment,trade_type,quantity,price,trade_id\nNIFTY2610724500PE,2026-01-05,NFO,FO,buy,75,1,T1\n",
		"Symbol,Entry Date,Exit Date,Quantity,Buy Value,Sell Value,Profit\nA,2026-01-05,2026-01-06,3,10,11,1\n",
		"Date,Company,Scrip Code,Instrument Type,Strike Price,Expiry,Trade Num,Trade Time,Side,Quantity,Price\n01-10-2026,N PE,,OPTIDX,1,28-10-2026,T,09:20:00,BUY,75,2\n",
		"Scrip/Contract,Buy/Sell,Buy Price,Sell Price,Quantity,Brokerage,Trade ID,Date\nFUTIDX N Oct 28 2026,Buy,1,0,75,20,T1,10/1/26 0:00\n",
		"Stock name,Symbol,ISIN,Type,Quantity,Value,Execution date and time,Order status\nA,A,I,BUY,3,10,05-01-2026 10:30 AM,Executed\n",
		"約定日,銘柄コード,取引,約定数量,約定単価,受渡金額/決済損益\n2026/01/05,7999,現引,100,5,--\n",
		"Symbol,Price,Qty,Time,Side,Type,\nACME,3.47,30,07:41:15,S,Margin,\n",
		"Side,Symbol,Order Price,Order Qty,Filled@Avg Price,Order Time,Fill Qty\nBuy,A,1,2,2@1,2026/04/08 09:31:00 (ET),\n,,,,,,3\n",
		"Trade Date,Settlement date,Trade #,Action,Quantity,Symbol,Description,Price,Gross amount,Comm,SEC fees\n20-10-25,,7,Buy,80,.A,x,1,(80),0,0\n",
		"T/D,Side,Symbol,Qty,Price,Exec Time,Comm,Gross Proceeds,Net Proceeds\n4/30/26,SS,A,1,2,9:30:00,0,2,2\n",
		"Transaction Date,Settlement Date,Action,Symbol,Description,Quantity,Price,Net Amount,Activity Type\n2026-03-03 12:00:00 AM,,EXP,,PUT Z 03/20/26 10 Z,1,0,0,Other\n",
	)
}
