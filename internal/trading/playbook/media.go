package playbook

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"path"
	"slices"
	"strings"

	"fillbook/internal/base/journal"
)

// media is a file type that may be attached. The content decides the type, and the
// claimed type must agree.
type media struct {
	mediaType  string
	extensions []string // the first is given to files that have none
	size       func([]byte) (image.Config, error)
}

var (
	pngMedia  = media{"image/png", []string{".png"}, decoded(png.DecodeConfig)}
	jpegMedia = media{"image/jpeg", []string{".jpg", ".jpeg"}, decoded(jpeg.DecodeConfig)}
	gifMedia  = media{"image/gif", []string{".gif"}, decoded(gif.DecodeConfig)}
	webpMedia = media{"image/webp", []string{".webp"}, webpSize}
	pdfMedia  = media{"application/pdf", []string{".pdf"}, func([]byte) (image.Config, error) { return image.Config{}, nil }}
)

var allMedia = []media{pngMedia, jpegMedia, gifMedia, webpMedia, pdfMedia}

// maxPixels bounds an image, because a small file can unpack to a very large
// picture in the program that shows it. Three 4K screens side by side fit.
const maxPixels = 40_000_000

func unsupported(message string) error {
	return &journal.Error{Kind: journal.KindUnsupported, Code: "unsupported_media_type", Message: message}
}

// inspect reports what a file is. It refuses what is neither an image nor a PDF,
// what claims to be something else, and images that are too large to show.
func inspect(name, claimed string, content []byte) (media, error) {
	kind, ok := sniff(content)
	if !ok {
		return media{}, unsupported("Only PNG, JPEG, GIF and WebP images and PDF documents can be attached.")
	}
	if !kind.agrees(name, claimed) {
		return media{}, unsupported("The file is not of the type that it claims to be.")
	}
	config, err := kind.size(content)
	if err != nil {
		return media{}, unsupported("The image is damaged.")
	}
	if int64(config.Width)*int64(config.Height) > maxPixels {
		return media{}, journal.TooLarge("The image must have at most %d million pixels.", maxPixels/1_000_000)
	}
	return kind, nil
}

// sniff returns a file's type by its first bytes.
func sniff(content []byte) (media, bool) {
	begins := func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) }
	switch {
	case begins("\x89PNG\r\n\x1a\n"):
		return pngMedia, true
	case begins("\xff\xd8\xff"):
		return jpegMedia, true
	case begins("GIF87a"), begins("GIF89a"):
		return gifMedia, true
	case begins("RIFF") && len(content) >= 12 && string(content[8:12]) == "WEBP":
		return webpMedia, true
	case begins("%PDF-"):
		return pdfMedia, true
	}
	return media{}, false
}

// agrees compares the type with what the request and the name claim. No claim, or a claim
// of any bytes, agrees with everything.
func (m media) agrees(name, claimed string) bool {
	claimed, _, err := mime.ParseMediaType(claimed)
	if err != nil {
		claimed = ""
	}
	switch claimed {
	case "", "application/octet-stream", m.mediaType:
	case "image/jpg":
		return m.mediaType == jpegMedia.mediaType
	default:
		return false
	}
	extension := strings.ToLower(path.Ext(name))
	return !slices.ContainsFunc(allMedia, func(other media) bool {
		return other.mediaType != m.mediaType && slices.Contains(other.extensions, extension)
	})
}

// fileName makes a name to show and download from what the client gave: never a path, and
// always with the right ending, so a picture cannot be saved as a page.
func (m media) fileName(given string) (string, error) {
	given = given[strings.LastIndexAny(given, `/\`)+1:]
	name, err := journal.CleanName("name", given)
	if err != nil {
		return "", err
	}
	if slices.Contains(m.extensions, strings.ToLower(path.Ext(name))) && len(path.Ext(name)) < len(name) {
		return name, nil
	}
	if journal.IsBlank(name) || name == m.extensions[0] {
		name = "attachment"
	}
	return name + m.extensions[0], nil
}

func decoded(decode func(io.Reader) (image.Config, error)) func([]byte) (image.Config, error) {
	return func(content []byte) (image.Config, error) { return decode(bytes.NewReader(content)) }
}

var errWebP = errors.New("not a WebP image")

// webpSize reads the size from a WebP file's first chunk, which is plain, lossless or
// extended.
func webpSize(content []byte) (image.Config, error) {
	if len(content) < 30 {
		return image.Config{}, errWebP
	}
	body := content[20:]
	switch string(content[12:16]) {
	case "VP8 ": // a 3-byte frame tag, a 3-byte start code, two 14-bit sizes
		if string(body[3:6]) != "\x9d\x01\x2a" {
			return image.Config{}, errWebP
		}
		return dimensions(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff)), nil
	case "VP8L": // a signature byte, two 14-bit sizes less one
		if body[0] != 0x2f {
			return image.Config{}, errWebP
		}
		packed := binary.LittleEndian.Uint32(body[1:])
		return dimensions(int(packed&0x3fff)+1, int(packed>>14&0x3fff)+1), nil
	case "VP8X": // 4 flag bytes, two 24-bit sizes less one
		return dimensions(uint24(body[4:])+1, uint24(body[7:])+1), nil
	}
	return image.Config{}, errWebP
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func dimensions(width, height int) image.Config {
	return image.Config{Width: width, Height: height}
}
