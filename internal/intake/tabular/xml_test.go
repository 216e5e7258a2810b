package tabular_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/intake/tabular"
)

func TestXML(t *testing.T) {
	const text = `<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- a comment, with <Trade a="b"/> -->
<q:Report xmlns:q="urn:x" xmlns="urn:y" name="Grüße &amp; &#8364;">
  <Trades>text
    <Trade symbol=" GC&#160;"
      quantity='-1'/><Trade/>
    <x:Trade x:symbol="ES"><Lot id="1"></Lot></x:Trade>
  </Trades><![CDATA[<Trade a="b"/>]]>
</q:Report>
`
	want := []tabular.Element{
		{Name: "Report", Line: 3, Attr: map[string]string{"name": "Grüße & €"}},
		{Name: "Trade", Parent: "Trades", Line: 5, Attr: map[string]string{"symbol": "GC", "quantity": "-1"}},
		{Name: "Trade", Parent: "Trades", Line: 7, Attr: map[string]string{"symbol": "ES"}},
		{Name: "Lot", Parent: "Trade", Line: 7, Attr: map[string]string{"id": "1"}},
	}
	for _, data := range [][]byte{
		[]byte(text), []byte("\xef\xbb\xbf" + text), wide(text, binary.LittleEndian, true), append(wide(text, binary.BigEndian, false), 0),
		[]byte(strings.ReplaceAll(text, "\n", "\r\n")),
		[]byte(strings.ReplaceAll(text, "üß", "\xfc\xdf")), // as it says it is written
	} {
		file := read(t, data)
		if diff := cmp.Diff(want, file.Elements); diff != "" || file.Kind != tabular.XML || file.Tables != nil {
			t.Errorf("%.60q: %s", data, diff)
		}
	}
}

func TestXMLRefusals(t *testing.T) {
	nested := strings.Repeat("<a>", 65) + strings.Repeat("</a>", 65)
	var attributes strings.Builder
	for range 400_000 {
		attributes.WriteString(` a=""`)
	}
	for _, test := range []struct{ text, sentence string }{
		{`<!DOCTYPE a [<!ENTITY b "c">]><a d="&b;"/>`, "document type"},
		{`<!DOCTYPE a SYSTEM "http://example.org/"><a/>`, "document type"},
		{`<a b="&c;"/>`, "damaged"},
		{`<a><b x="1"></a></b>`, "damaged"},
		{`<a><b x="1"/>`, "damaged"},
		{`</a>`, "damaged"},
		{`<a b=">`, "damaged"},
		{`<a b=1/>`, "damaged"},
		{nested, "nested more than 64 deep"},
		{`<a` + strings.Repeat(` b="1"`, 257) + `/>`, "more than 256 columns"},
		{`<a` + attributes.String() + `/>`, "more than 1,048,576 bytes"},
		{`<a b="` + strings.Repeat("x", 70_000) + `"/>`, "more than 65,536 bytes"},
		{strings.Repeat(`<a b=""/>`, 200_001), "more than 200,000 rows"},
	} {
		wantRefusal(t, []byte(`<?xml version="1.0"?>`+test.text), tabular.Limits{}, test.sentence)
	}
	deep := strings.Repeat("<a>", 64) + strings.Repeat("</a>", 64)
	read(t, []byte(`<?xml version="1.0"?>`+deep))
}
