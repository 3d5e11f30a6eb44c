package api

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// listPatience is the time after which a list that has to search answers with what it has found, and where to
	// search on.
	listPatience = 300 * time.Millisecond

	// maxListNames is the number of recipients by name after which a page of notices ends.
	maxListNames = 20_000
)

// ListInput selects a page of a list. It is exported for Huma, which skips other embedded types.
type ListInput struct {
	After string `query:"after" doc:"For the next page: next of the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Maximum number in one answer. There may be fewer although there is a next page."`

	given url.Values
}

// Resolve notes how often each parameter was given.
func (in *ListInput) Resolve(c huma.Context) []error {
	at := c.URL()
	in.given = at.Query()
	return nil
}

// start returns where the page begins in a list of this kind; "": at its beginning. It adds the faults of the parameters that
// all lists have.
func (in *ListInput) start(kind byte, bad *notifier.InvalidError) (place string) {
	for _, name := range slices.Sorted(maps.Keys(in.given)) {
		if len(in.given[name]) > 1 {
			bad.Add(name, codeOnce, nil)
		}
	}
	place, ok := parsePlace(kind, in.After)
	if in.After != "" && !ok {
		bad.Add("after", codeBadCursor, nil)
	}
	return place
}

// The kinds of lists. A cursor begins with that of its list.
const (
	noticeList byte = 'n'
	userList   byte = 'u'
	askList    byte = 'q'
)

// placeCursor encodes a place in a list for the caller to send back. A cursor gives access to nothing that the list would
// not show anyway; its checksum only detects cursors that were made up.
func placeCursor(kind byte, place string) string {
	if place == "" {
		return ""
	}
	b := append([]byte{kind}, place...)
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// parsePlace decodes a cursor of a list of this kind.
func parsePlace(kind byte, text string) (place string, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 1+1+4 || b[0] != kind {
		return "", false
	}
	place = string(b[1 : len(b)-4])
	return place, placeCursor(kind, place) == text
}

// idCursor is placeCursor for the ID of a notice; 0 is none.
func idCursor(id int64) string {
	if id == 0 {
		return ""
	}
	return placeCursor(noticeList, strconv.FormatInt(id, 10))
}

// queryField returns the place of a parameter in a request.
func queryField(name string) string { return "query." + name }
