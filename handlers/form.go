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

// codeForm is the error code for a form that is not ours: an unknown field, or one that is repeated.
const codeForm = "form"

// form parses a posted form that may have only the given fields. For an unknown or repeated field it returns a
// *notifier.InvalidError along with the values. A form may contain the name of its page's user; if another user is
// signed in, the error is errOtherUser.
func form(r *http.Request, fields ...string) (url.Values, error) {
	return formWith(r, nil, fields...)
}

// formWith is form, but the fields in many may be repeated, as checkboxes that share a name are.
func formWith(r *http.Request, many []string, fields ...string) (url.Values, error) {
	return formThat(r, many, func(url.Values) []string { return fields })
}

// formThat is formWith, but the permitted fields depend on the values sent.
func formThat(r *http.Request, many []string, fieldsOf func(sent url.Values) []string) (url.Values, error) {
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
	fields := fieldsOf(r.PostForm)
	for name, values := range r.PostForm {
		if several := contains(many, name); len(values) > 1 && !several || !several && !contains(fields, name) && name != views.PageUser {
			bad.Add("", codeForm, nil)
			break
		}
	}
	return r.PostForm, bad.OrNil()
}

// ownForm reports whether a plain form came from a page of this user. The form contains the name, because without
// script no header does, and someone else may have signed in since in another tab. It is true for a signed-out user,
// who can change nothing.
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

// kept makes input safe to show again: it replaces characters that a page cannot contain.
func kept(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// number parses a positive decimal number. It returns 0 for anything else, such as a cursor that was tampered with.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || s[0] == '+' {
		return 0
	}
	return n
}

// pathID parses the ID in the path. Anything but a plain number is notifier.ErrNotFound.
func pathID(r *http.Request) (int64, error) {
	id := number(r.PathValue("id"))
	if id == 0 || strconv.FormatInt(id, 10) != r.PathValue("id") {
		return 0, notifier.ErrNotFound
	}
	return id, nil
}
