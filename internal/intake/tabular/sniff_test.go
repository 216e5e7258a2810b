package tabular_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/tabular"
)

func TestSniff(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want tabular.Kind
	}{
		{"plain", []byte("a,b\n1,2\n"), tabular.CSV},
		{"one letter", []byte("a"), tabular.CSV},
		{"byte order mark", []byte("\xef\xbb\xbfa,b"), tabular.CSV},
		{"code page", []byte("Value (\xa3),1"), tabular.CSV},
		{"a late angle bracket", []byte("a<b"), tabular.CSV},
		{"UTF-16 with mark", wide("a;b\n1;2", binary.LittleEndian, true), tabular.CSV},
		{"UTF-16 without mark", wide("a;b\n1;2", binary.LittleEndian, false), tabular.CSV},
		{"big endian without mark", wide("a;b\n1;2", binary.BigEndian, false), tabular.CSV},
		{"blanks for a while", []byte(strings.Repeat("\n", 10_000) + "a,b"), tabular.CSV},
		{"form feed and tab", []byte("\f\ta\tb"), tabular.CSV},

		{"HTML", []byte("<html><body>"), tabular.HTML},
		{"document type", []byte("\r\n  <!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\n<html>"), tabular.HTML},
		{"a bare table", []byte("<TABLE><tr>"), tabular.HTML},
		{"XHTML", []byte(`<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">`), tabular.HTML},
		{"HTML in UTF-16", wide("<html>", binary.LittleEndian, true), tabular.HTML},
		{"HTML in UTF-16 without mark, odd", append(wide("<html></html>", binary.LittleEndian, false), '\n'), tabular.HTML},

		{"XML", []byte(`<?xml version="1.0"?><a/>`), tabular.XML},
		{"XML with mark", []byte("\xef\xbb\xbf <?XML version='1.0'?>"), tabular.XML},
		{"Flex without declaration", []byte(`<FlexQueryResponse queryName="q">`), tabular.XML},
		{"Flex after a comment", []byte("<!-- made today -->\n<FlexQueryResponse>"), tabular.XML},

		{"object", []byte(` {"a": 1}`), tabular.JSON},
		{"array", []byte("\n[1]"), tabular.JSON},

		{"workbook", archived(t, entry{"xl/workbook.xml", ""}), tabular.XLSX},
		{"workbook by its types", archived(t, entry{"[Content_Types].xml", ""}), tabular.XLSX},
		{"workbook of a careless writer", archived(t, entry{`XL\Workbook.xml`, ""}), tabular.XLSX},
		{"archive", archived(t, entry{"trades.csv", "a"}), tabular.Zip},
		{"empty archive", archived(t), tabular.Zip},
	} {
		got, err := tabular.Sniff(test.data)
		if err != nil || got != test.want {
			t.Errorf("%s is %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

func TestSniffRefusals(t *testing.T) {
	for _, test := range []struct{ data, sentence string }{
		{"", "empty"},
		{"\xef\xbb\xbf \r\n\t", "empty"},
		{"\xff\xfe", "empty"},
		{"%PDF-1.7\n", "PDF"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as XLSX"},
		{"\x89PNG\r\n\x1a\n", "picture (PNG)"},
		{"\xff\xd8\xff\xe0", "picture (JPEG)"},
		{"GIF89a", "picture (GIF)"},
		{"\x1f\x8b\x08", "gzip"},
		{"Rar!\x1a\x07", "RAR"},
		{"7z\xbc\xaf\x27\x1c", "7z"},
		{"SQLite format 3\x00", "database"},
		{`{\rtf1\ansi`, "RTF"},
		{"\x00\x01\x02\x03\x00\x00\x04", "not text"},
		{"a,b\n1,\x002\n", "not text"},
		{strings.Repeat("a\x01\x02", 100), "not text"},
		{"PK\x03\x04 and nothing more", "damaged"},
		{`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">`, "Excel 2003"},
	} {
		kind, err := tabular.Sniff([]byte(test.data))
		if kind != "" || !journal.IsKind(err, journal.KindInvalid) || !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%q is %q, %v, want a refusal with %q", test.data, kind, err, test.sentence)
		}
		wantRefusal(t, []byte(test.data), tabular.Limits{}, test.sentence)
	}
}

// A name does not matter, and neither do another format's first bytes later on.
func TestReadKinds(t *testing.T) {
	for _, test := range []struct {
		data string
		want tabular.Kind
	}{
		{"a,%PDF-\n", tabular.CSV},
		{"<table><tr><td>PK", tabular.HTML},
		{"<?xml version='1.0'?><a b='c'/>", tabular.XML},
		{"{}", tabular.JSON},
	} {
		if got := read(t, []byte(test.data)).Kind; got != test.want {
			t.Errorf("%q is read as %q, want %q", test.data, got, test.want)
		}
	}
}

func TestReadJSON(t *testing.T) {
	const text = `{"note": "Grüße, 東京"}`
	for name, data := range map[string][]byte{
		"UTF-8": []byte("\xef\xbb\xbf" + text), "UTF-16LE": wide(text, binary.LittleEndian, true), "UTF-16BE": wide(text, binary.BigEndian, true),
	} {
		file := read(t, data)
		if file.Text != text || file.Encoding != name || file.Tables != nil {
			t.Errorf("%s is read as %q in %s", name, file.Text, file.Encoding)
		}
	}
}
