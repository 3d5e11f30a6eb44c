package config

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Identity describes how a proxy identifies the user.
type Identity struct {
	Header       string
	NameHeader   string // empty: none
	EmailHeader  string // empty: none
	GroupsHeader string // empty: none
	Separator    string // between groups
	StaffGroup   string // empty: none
	From         []netip.Prefix
	Audience     notifier.Audience // of new users
}

var headerName = regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9-]{0,63}\z`)

// identity parses the flags of the identity header. If any client could send the header, anybody could
// sign in as anybody.
func (f *Faults) identity(flags *Flags, audiences map[notifier.Audience]string) *Identity {
	i := &Identity{
		Header: flags.IdentityHeader, NameHeader: flags.IdentityNameHeader, EmailHeader: flags.IdentityEmailHeader, GroupsHeader: flags.IdentityGroupsHeader,
		StaffGroup: flags.IdentityStaffGroup, From: f.proxies("--identity-from", flags.IdentityFrom),
	}
	if i.Header == "" {
		for _, of := range [][2]string{
			{"--identity-name-header", i.NameHeader},
			{"--identity-email-header", i.EmailHeader},
			{"--identity-groups-header", i.GroupsHeader},
			{"--identity-staff-group", i.StaffGroup},
			{"--identity-from", flags.IdentityFrom},
		} {
			if of[1] != "" {
				f.Add(of[0], "needs --identity-header")
			}
		}
		return nil
	}
	f.headerName("--identity-header", i.Header)
	f.headerName("--identity-name-header", i.NameHeader)
	f.headerName("--identity-email-header", i.EmailHeader)
	f.headerName("--identity-groups-header", i.GroupsHeader)
	i.Separator = f.separator(flags.IdentityGroupsSeparator, i)
	if (i.StaffGroup == "") != (i.GroupsHeader == "") {
		f.Add("--identity-staff-group", "needs --identity-groups-header, and the header needs the group")
	}
	if len(i.From) == 0 {
		f.Add("--identity-from", "must list the addresses of the proxies whose identity headers are believed, such as 127.0.0.1")
	}
	for _, from := range i.From {
		if tooWide(from) {
			f.Add("--identity-from", "%s includes every client: anybody could send the header", from)
		}
	}
	for number, name := range audiences {
		if name == flags.IdentityAudience {
			i.Audience = number
		}
	}
	if i.Audience == 0 {
		f.Add("--identity-audience", "%q is none of the audiences", flags.IdentityAudience)
	}
	return i
}

// separator returns the separator between the groups in a header.
func (f *Faults) separator(text string, i *Identity) (between string) {
	switch text {
	case "auto":
		between = ","
		if strings.HasPrefix(strings.ToLower(i.GroupsHeader), "x-authentik-") {
			between = "|"
		}
	case ",", ";", "|":
		between = text
	case "space", " ":
		between = " "
	default:
		f.Add("--identity-groups-separator", "%q is none of: auto , ; | space", text)
		return ","
	}
	if strings.Contains(i.StaffGroup, between) {
		f.Add("--identity-staff-group", "%q contains %q, which separates groups: no user can be a member; see --identity-groups-separator", i.StaffGroup, between)
	}
	return between
}

func (f *Faults) headerName(flag, name string) {
	switch http.CanonicalHeaderKey(name) {
	case "":
	case "Authorization", "Cookie", "Host", "Origin", "X-Forwarded-For":
		f.Add(flag, "%q has another meaning", name)
	default:
		if !headerName.MatchString(name) {
			f.Add(flag, "%q is not the name of a header, such as X-Forwarded-User", name)
		}
	}
}

// tooWide reports whether a range is wider than the private networks 10.0.0.0/8 and fc00::/7. A few such
// ranges would include every client.
func tooWide(p netip.Prefix) bool {
	switch {
	case p.Addr().Is4():
		return p.Bits() < 8
	case p.Addr().Is4In6():
		return p.Bits() < 96+8
	}
	return p.Bits() < 7
}
