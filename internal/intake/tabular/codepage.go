package tabular

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// guessCodePage chooses between the code pages used in exports without a declaration.
func guessCodePage(raw string) (encoding.Encoding, string) {
	chinese, japaneseShare := gbkShare(raw), shiftJISShare(raw)
	switch {
	case japaneseShare > 0 && japaneseShare >= chinese:
		return japanese.ShiftJIS, "Shift_JIS"
	case chinese > 0:
		return simplifiedchinese.GBK, "GBK"
	}
	return charmap.Windows1252, "windows-1252"
}

// charStats counts the two-byte characters a text would have in an encoding, to see
// whether it reads like a text in that language.
type charStats struct {
	all, common int // characters, and those in everyday use
	joined      int // characters next to another one
}

// share is the percentage of everyday characters, or 0 for a text that does not read like
// one. Words in such languages have several characters in a row, whereas a pair arising
// from an accent or a typographic quote stands alone.
func (c charStats) share() int {
	if c.all == 0 || c.common*10 < c.all*6 || c.joined*3 < c.all {
		return 0
	}
	return c.common * 100 / c.all
}

// count counts a character. chained reports whether it directly follows another one.
func (c *charStats) count(common, chained bool) {
	c.all++
	if common {
		c.common++
	}
	if chained {
		c.joined++
	}
}

// gbkShare rates a text as GBK; 0 means it cannot be. The marks and GB 2312's first
// character level are everyday.
func gbkShare(raw string) int {
	var c charStats
	end := -1 // where the last pair ended
	for i := 0; i < len(raw); i++ {
		lead := raw[i]
		if lead < 0x80 {
			continue
		}
		if i+1 == len(raw) {
			break // cut off inside a character
		}
		trail := raw[i+1]
		if lead == 0x80 || lead == 0xff || trail < 0x40 || trail == 0x7f || trail == 0xff {
			return 0
		}
		everyday := lead >= 0xa1 && lead <= 0xa9 || lead >= 0xb0 && lead <= 0xd7
		c.count(everyday && trail >= 0xa1, end == i)
		i++
		end = i + 1
	}
	return c.share()
}

// shiftJISShare rates a text as Shift_JIS; 0 means it cannot be. Kana, marks and the
// first kanji level are everyday; half-width katakana, which other encodings look like
// here, are not.
func shiftJISShare(raw string) int {
	var c charStats
	end := -1
	for i := 0; i < len(raw); i++ {
		lead := raw[i]
		switch {
		case lead < 0x80:
			continue
		case lead >= 0xa1 && lead <= 0xdf:
			c.count(false, false)
			continue
		case lead == 0x80 || lead == 0xa0 || lead > 0xfc:
			return 0
		}
		if i+1 == len(raw) {
			break
		}
		trail := raw[i+1]
		if trail < 0x40 || trail == 0x7f || trail > 0xfc {
			return 0
		}
		c.count(lead <= 0x83 || lead >= 0x88 && lead <= 0x98, end == i)
		i++
		end = i + 1
	}
	return c.share()
}
