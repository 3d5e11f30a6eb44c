package store

import (
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/carillonhq/carillon/notifier"
)

// The codes of FieldError for a new user, besides notifier.CodeBadName.
const (
	CodeBadAudience = "bad_audience" // audience: not a number above 0
	CodeBadLocale   = "bad_locale"   // locale: neither empty nor BCP 47
)

// CheckNewUser returns what CreateUser would refuse about a user: a *notifier.InvalidError with every invalid field.
func CheckNewUser(u notifier.NewUser) error { return checkNewUser(&u) }

// checkNewUser is checkUser for a new user.
func checkNewUser(u *notifier.NewUser) error {
	err := checkUser(u)
	fault := notifier.NameFault(u.Name)
	if fault == nil || fault.Code == notifier.CodeBadName { // already found by checkUser
		return err
	}
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		bad = &notifier.InvalidError{}
	}
	bad.Fields = slices.Insert(bad.Fields, 0, *fault)
	return bad
}

// checkUser returns an error with every invalid field of u, and normalises without loss: it trims blanks
// around values, and rewrites the domain of the mail address.
func checkUser(u *notifier.NewUser) error {
	var bad notifier.InvalidError
	if !notifier.ValidName(u.Name) {
		bad.Add("name", notifier.CodeBadName, map[string]any{"Name": u.Name})
	}
	u.Locale = strings.TrimSpace(u.Locale)
	if u.Audience < 1 || u.Audience > math.MaxInt16 {
		bad.Add("audience", CodeBadAudience, map[string]any{"Audience": int(u.Audience)})
	}
	if u.Locale != "" {
		if _, err := language.Parse(u.Locale); err != nil || len(u.Locale) > notifier.MaxLocale {
			bad.Add("locale", CodeBadLocale, map[string]any{"Locale": u.Locale})
		}
	}
	if u.Email = strings.TrimSpace(u.Email); u.Email != "" {
		address, err := notifier.ParseEmail(u.Email)
		if err != nil {
			bad.Add("email", notifier.CodeBadEmail, nil)
		}
		u.Email = address
	}
	for _, role := range u.Roles {
		if !notifier.ValidName(role) {
			bad.Add("roles", notifier.CodeBadName, map[string]any{"Name": role})
		}
	}
	return bad.OrNil()
}
