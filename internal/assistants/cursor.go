package assistants

import (
	"crypto/hmac"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
)

// fillPage reads a page, and again a shorter one if it does not fit: so the API's cursor
// follows the last row that is shown.
func (c *call) fillPage(query url.Values, cursor string, limit int, readPage func(url.Values) (*answer, Response, error)) (*answer, error) {
	key := query.Encode()
	at, err := url.ParseQuery(key)
	if err != nil {
		return nil, err
	}
	if cursor != "" {
		place, err := c.openCursor(key, cursor)
		if err != nil {
			return nil, err
		}
		at.Set("cursor", place)
	}
	for {
		at.Set("limit", strconv.Itoa(limit))
		a, response, err := readPage(at)
		if err != nil {
			return nil, err
		}
		if place := nextCursor(response); place != "" {
			a.cursor = c.sealCursor(key, place)
		} else if cursor != "" {
			a.lists[0].total = len(a.lists[0].rows) // the last page
		}
		read := len(a.lists[0].rows)
		c.encodeAnswer(a)
		if fits := len(a.lists[0].rows); fits == read || fits == 0 {
			return a, nil
		}
		limit = len(a.lists[0].rows)
	}
}

// nextCursor returns the cursor in a Link header, or "".
func nextCursor(r Response) string {
	link, _, found := strings.Cut(strings.TrimPrefix(r.Header.Get("Link"), "<"), ">")
	if !found {
		return ""
	}
	address, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return address.Query().Get("cursor")
}

// sealCursor returns a cursor that is valid for the same token, tool and query only.
func (c *call) sealCursor(query, place string) string {
	return base64.RawURLEncoding.EncodeToString(append(c.signCursor(query, place), place...))
}

const cursorSignature = 12 // bytes

func (c *call) signCursor(query, place string) []byte {
	signed := c.Sign([]byte("cursor"), []byte(c.caller.PublicID), []byte(c.caller.TokenID), []byte(c.tool.name), []byte(query), []byte(place))
	return signed[:cursorSignature:cursorSignature]
}

func (c *call) openCursor(query, cursor string) (string, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(sealed) < cursorSignature || !hmac.Equal(c.signCursor(query, string(sealed[cursorSignature:])), sealed[:cursorSignature]) {
		return "", invalid("cursor", "cursor is not valid here. Use more.cursor of the page before, with the same arguments.")
	}
	return string(sealed[cursorSignature:]), nil
}
