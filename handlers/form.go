package handlers

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// codeForm is the fault of a form that is not ours: a field unknown or twice.
const codeForm = "form"

// form reads a posted form that has the given fields and no others. A field
// too many, or one sent twice, is an *notifier.InvalidError beside the values.
// Every form may say whose page it is of: that of somebody else is errOtherUser.
func form(r *http.Request, fields ...string) (url.Values, error) {
	return formWith(r, "", fields...)
}

// formWith is form, for one with boxes that share a name: many may be sent several
// times.
func formWith(r *http.Request, many string, fields ...string) (url.Values, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if name, _, err := mime.ParseMediaType(kind); err != nil || name != "application/x-www-form-urlencoded" {
			return nil, fmt.Errorf("%w: content type %.60q", errMalformed, kind)
		}
	}
	if err := r.ParseForm(); err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return nil, notifier.ErrTooLarge
		}
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if !ownForm(r) {
		return nil, errOtherUser
	}
	var bad notifier.InvalidError
	for name, values := range r.PostForm {
		if len(values) > 1 && name != many || !contains(fields, name) && name != many && name != views.PageUser {
			bad.Add("", codeForm, nil)
			break
		}
	}
	return r.PostForm, bad.OrNil()
}

// ownForm says whether a plain form is of a page of this user, as far as it
// says. Without script no header does, and somebody else may have signed in since
// in another tab. Whoever is signed out has nothing that could be changed.
func ownForm(r *http.Request) bool {
	v := visitOf(r)
	for _, name := range r.PostForm[views.PageUser] {
		if v.known && name != "" && name != v.user.User.Name {
			return false
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, each := range list {
		if each == s {
			return true
		}
	}
	return false
}

// kept is a typed text as it can stand in a page again: what no page can hold
// is shown as a replacement character.
func kept(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// number reads a positive decimal number. Anything else, such as a cursor that
// was tampered with, is 0.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || s[0] == '+' {
		return 0
	}
	return n
}

// pathID is the number in an address. What is no number of anything does not exist.
func pathID(r *http.Request) (int64, error) {
	id := number(r.PathValue("id"))
	if id == 0 || strconv.FormatInt(id, 10) != r.PathValue("id") {
		return 0, notifier.ErrNotFound
	}
	return id, nil
}
