package brokers

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"fillbook/internal/intake/brokers/brokertest"
)

// TestNativeEncodings reads fixtures in the encoding in which the broker writes them.
func TestNativeEncodings(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]encoding.Encoding{
		"nordnet-transactions":    unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"comdirect-transactions":  charmap.Windows1252,
		"tonghuashun-settlements": simplifiedchinese.GBK,
	} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := in.NewEncoder().Bytes(archive.Files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		brokertest.Check(t, data, brokertest.Hints(string(archive.Comment)), All(), string(archive.Files[1].Data))
	}
}
