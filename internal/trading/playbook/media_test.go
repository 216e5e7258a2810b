package playbook

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"
)

// FuzzInspect feeds hostile files to the inspection: it may refuse them, and what it lets
// in has a bounded size and a name for its type.
func FuzzInspect(f *testing.F) {
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		f.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, image.NewGray(image.Rect(0, 0, 3, 3)), nil); err != nil {
		f.Fatal(err)
	}
	f.Add("a.png", "image/png", asPNG.Bytes())
	f.Add("a.jpg", "", asJPEG.Bytes())
	f.Add("a", "", []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add("/x/y", "", []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"))
	f.Add("..", "application/pdf", []byte("%PDF-1.7"))
	f.Fuzz(func(t *testing.T, name, claimed string, content []byte) {
		kind, err := inspect(name, claimed, content)
		if err != nil {
			return
		}
		config, err := kind.size(content)
		if err != nil || int64(config.Width)*int64(config.Height) > maxPixels {
			t.Errorf("%s of %dx%d was let in, %v", kind.mediaType, config.Width, config.Height, err)
		}
		if clean, err := kind.fileName(name); err == nil && (!kind.agrees(clean, "") || bytes.ContainsAny([]byte(clean), `/\`)) {
			t.Errorf("%q became %q", name, clean)
		}
	})
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"Breakout", "bREAKOUT"}, {"straße", "STRAßE"}, {"Kelvin", "\u212aELVIN"}, {"ſo", "SO"}, {"Σς", "σσ"}} {
		if nameKey(pair[0]) != nameKey(pair[1]) {
			t.Errorf("%s and %s have the keys %q and %q", pair[0], pair[1], nameKey(pair[0]), nameKey(pair[1]))
		}
	}
	if nameKey("a b") == nameKey("ab") {
		t.Error("a space was lost")
	}
}
