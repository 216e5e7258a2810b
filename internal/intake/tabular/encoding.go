package tabular

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

const (
	byteOrderMark = '\ufeff'
	utf8Mark      = "\xef\xbb\xbf"
)

// decode returns a text file's bytes as UTF-8 without NUL, and how they were written. The
// bytes themselves decide; charset, from an HTML document, is believed only where they
// leave a choice. Text without a certain encoding is read as windows-1252, where every
// byte is a character.
func decode(raw, charset string) (text, name string) {
	if text, name, wide := decodeWide(raw); wide {
		return text, name
	}
	raw, marked := strings.CutPrefix(raw, utf8Mark)
	raw = strings.ReplaceAll(raw, "\x00", "")
	if utf8.ValidString(raw) {
		return raw, "UTF-8"
	}
	if marked {
		return strings.ToValidUTF8(raw, string(utf8.RuneError)), "UTF-8"
	}
	coding, name := findEncoding(charset)
	if coding == nil {
		coding, name = guessCodePage(raw)
	}
	var out strings.Builder
	out.Grow(len(raw) + len(raw)/2)
	if _, err := io.Copy(&out, coding.NewDecoder().Reader(strings.NewReader(raw))); err != nil {
		// The decoders replace what they cannot read, so this is the last resort.
		return strings.ToValidUTF8(raw, string(utf8.RuneError)), "UTF-8"
	}
	return out.String(), name
}

// findEncoding finds a document's declared encoding, among those known from trading
// platform reports.
func findEncoding(charset string) (encoding.Encoding, string) {
	switch strings.ToLower(charset) {
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932", "ms932":
		return japanese.ShiftJIS, "Shift_JIS"
	case "gbk", "gb2312", "gb18030", "cp936", "x-gbk":
		return simplifiedchinese.GBK, "GBK"
	case "windows-1250", "cp1250":
		return charmap.Windows1250, "windows-1250"
	case "windows-1251", "cp1251":
		return charmap.Windows1251, "windows-1251"
	case "windows-1252", "cp1252", "iso-8859-1", "latin1", "us-ascii":
		return charmap.Windows1252, "windows-1252"
	}
	return nil, ""
}

// metaCharset finds the charset declared near an HTML document's start.
func metaCharset(raw string) string {
	head := strings.ToLower(raw[:min(len(raw), headBytes)])
	for {
		_, rest, found := strings.Cut(head, "<meta")
		if !found {
			return ""
		}
		tag, _, _ := strings.Cut(rest, ">")
		if _, value, ok := strings.Cut(tag, "charset"); ok {
			value = strings.TrimLeft(value, " =\"'")
			if end := strings.IndexAny(value, " \"';/"); end >= 0 {
				value = value[:end]
			}
			return value
		}
		head = rest
	}
}
