package tabular_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(out)
}

func TestEncodings(t *testing.T) {
	const (
		kanji   = "約定日,銘柄,売買,数量\n2024/01/05,トヨタ自動車,買,100\n2024/01/06,ソニーグループ,売,50\n"
		half    = "約定日,銘柄\n2024/01/05,ﾄﾖﾀ自動車 株式現物買\n"
		hanzi   = "时间,成交,交易品种,类型\n2024.01.05,1,欧元美元,买入\n"
		german  = "Währung;Stück;Kurs\nEUR;5;1,25\nÜbertrag;\u201eGröße\u201c \u2013 5 \u20ac;1\n"
		pounds  = "Trade date,Value (£)\n05/01/2024,4.05\n"
		quotes  = "Note,Price\nIt didn\u2019t fill,5\nWe\u2019re late,6\n"
		french  = "Opération;Libellé\nAchat;créée à Orléans\n"
		spanish = "Operación;Año\nCompra;España ¿sí?\n"
	)
	for _, test := range []struct {
		name string
		data []byte
		text string
	}{
		{"UTF-8", []byte(kanji), kanji},
		{"UTF-8", []byte("\xef\xbb\xbf" + german), german},
		{"UTF-16LE", wide(kanji, binary.LittleEndian, true), kanji},
		{"UTF-16BE", wide(german, binary.BigEndian, true), german},
		{"UTF-16LE", wide(german, binary.LittleEndian, false), german},
		{"UTF-16BE", wide(german, binary.BigEndian, false), german},
		{"UTF-16LE", append(wide("a,😀\n", binary.LittleEndian, true), '\n'), "a,😀\n"},
		{"Shift_JIS", encoded(t, japanese.ShiftJIS, kanji), kanji},
		{"Shift_JIS", encoded(t, japanese.ShiftJIS, half), half},
		{"GBK", encoded(t, simplifiedchinese.GBK, hanzi), hanzi},
		{"windows-1252", encoded(t, charmap.Windows1252, german), german},
		{"windows-1252", encoded(t, charmap.Windows1252, pounds), pounds},
		{"windows-1252", encoded(t, charmap.Windows1252, quotes), quotes},
		{"windows-1252", encoded(t, charmap.Windows1252, french), french},
		{"windows-1252", encoded(t, charmap.Windows1252, spanish), spanish},
		{"windows-1252", []byte("a\n\xff\xfe\xfd"), "a\nÿþý"},
	} {
		file := read(t, test.data)
		want := cellsOf(t, read(t, []byte(test.text)))
		if got := cellsOf(t, file); file.Encoding != test.name || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q is read as %s: %q, want %s: %q", test.data, file.Encoding, got, test.name, want)
		}
	}
}

// What cannot be decoded costs the character, not the file.
func TestBrokenText(t *testing.T) {
	for data, want := range map[string]string{
		"\xef\xbb\xbfa\xffb":                "a\ufffdb",                      // the mark promised UTF-8
		"\xff\xfea\x00\x00\xd8b\x00":        "a\ufffdb",                      // half a pair
		"\xff\xfea\x00\x00\xd8":             "a\ufffd",                       // and at the end
		"\xff\xfea\x00\x00\x00b\x00":        "ab",                            // NUL
		strings.Repeat("a", 9000) + "\x00b": strings.Repeat("a", 9000) + "b", // late NUL
	} {
		if got := cellsOf(t, read(t, []byte(data))); len(got) != 1 || got[0] != want {
			t.Errorf("%.40q is read as %.40q, want %.40q", data, got, want)
		}
	}
}

func TestMetaCharset(t *testing.T) {
	const page = "<html><head>%META%</head><table><tr><td>Счёт закрыт</td></tr></table>"
	for _, test := range []struct{ meta, want, encoding string }{
		{`<meta charset="windows-1251">`, "Счёт закрыт", "windows-1251"},
		{`<META http-equiv=Content-Type content="text/html; charset=Windows-1251">`, "Счёт закрыт", "windows-1251"},
		{`<meta name="generator"><meta charset='cp1251' />`, "Счёт закрыт", "windows-1251"},
		{`<meta charset=klingon>`, "Ñ÷¸ò çàêðûò", "windows-1252"},
		{``, "Ñ÷¸ò çàêðûò", "windows-1252"},
	} {
		data := encoded(t, charmap.Windows1251, strings.Replace(page, "%META%", test.meta, 1))
		file := read(t, data)
		if got := cellsOf(t, file); got[0] != test.want || file.Encoding != test.encoding {
			t.Errorf("%s is read as %q in %s", test.meta, got, file.Encoding)
		}
	}
	lying := []byte(strings.Replace(page, "%META%", `<meta charset="shift_jis">`, 1))
	if got := cellsOf(t, read(t, lying)); got[0] != "Счёт закрыт" {
		t.Errorf("a document of valid UTF-8 that claims otherwise is read as %q", got)
	}
	for charset, coding := range map[string]encoding.Encoding{"gb2312": simplifiedchinese.GBK, "Shift_JIS": japanese.ShiftJIS, "cp1250": charmap.Windows1250, "latin1": charmap.Windows1252} {
		word := map[string]string{"gb2312": "盈利", "Shift_JIS": "損", "cp1250": "Správa č", "latin1": "é"}[charset]
		data := encoded(t, coding, `<meta charset="`+charset+`"><td>`+word)
		if got := cellsOf(t, read(t, data)); got[0] != word {
			t.Errorf("%s is read as %q", charset, got)
		}
	}
}
