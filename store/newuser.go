package store

import (
	"math"
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/carillonhq/carillon/notifier"
)

// The codes of FieldError for a new user, besides notifier.CodeBadName.
const (
	CodeBadAudience = "bad_audience" // audience: not a number above 0
	CodeBadLocale   = "bad_locale"   // locale: neither empty nor BCP 47
)

const maxLocale = 35 // RFC 5646, section 4.4.1

// checkUser returns an error with every invalid field of u.
func checkUser(u *notifier.NewUser) error {
	var bad notifier.InvalidError
	if !notifier.ValidName(u.Name) {
		bad.Add("name", notifier.CodeBadName, map[string]any{"Name": u.Name})
	}
	if u.Audience < 1 || u.Audience > math.MaxInt16 {
		bad.Add("audience", CodeBadAudience, map[string]any{"Audience": int(u.Audience)})
	}
	if u.Locale != "" {
		if _, err := language.Parse(u.Locale); err != nil || len(u.Locale) > maxLocale {
			bad.Add("locale", CodeBadLocale, map[string]any{"Locale": u.Locale})
		}
	}
	for _, role := range u.Roles {
		if !notifier.ValidName(role) {
			bad.Add("roles", notifier.CodeBadName, map[string]any{"Name": role})
		}
	}
	return bad.OrNil()
}

// userRow is a user with the values that the store adds.
type userRow struct {
	notifier.NewUser
	seq     int64
	fold    string
	created int64
}

// user converts the row to the type that callers see.
func (r *userRow) user() notifier.User {
	roles := slices.Clone(r.Roles)
	slices.Sort(roles)
	return notifier.User{
		Seq: r.seq, Name: r.Name, Audience: r.Audience, Settings: notifier.Settings{Locale: r.Locale},
		Roles: slices.Compact(roles),
	}
}

// fold removes the case from a name. It makes a new Caser each time, because one must not be shared.
func fold(name string) string { return cases.Fold().String(name) }
