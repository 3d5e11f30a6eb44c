package config

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// OIDC describes the identity provider that signs users in.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty: a public client
	UserClaim    string
	GroupsClaim  string
	StaffGroup   string            // empty: groups do not grant the staff role
	Email        bool              // users get mail at the address in the provider's claims
	Audience     notifier.Audience // of new users
}

// oidc parses the flags of the identity provider. The result is nil if there is none.
func (f *Faults) oidc(c *Config, flags *Flags) *OIDC {
	passwords, err := strconv.ParseBool(flags.PasswordLogin)
	if err != nil {
		f.Add("--password-login", "%q is not true or false", flags.PasswordLogin)
	}
	c.PasswordsOff = err == nil && !passwords
	o := &OIDC{
		Issuer: flags.OIDCIssuer, ClientID: flags.OIDCClientID, ClientSecret: strings.TrimSpace(flags.OIDCClientSecret),
		UserClaim: flags.OIDCUserClaim, GroupsClaim: flags.OIDCGroupsClaim, StaffGroup: flags.OIDCStaffGroup,
	}
	if o.Email, err = strconv.ParseBool(flags.OIDCEmail); err != nil {
		f.Add("--oidc-email", "%q is not true or false", flags.OIDCEmail)
	}
	if o.Issuer == "" {
		for _, of := range [][2]string{
			{"--oidc-client-id", o.ClientID}, {"--oidc-client-secret", o.ClientSecret}, {"--oidc-staff-group", o.StaffGroup},
		} {
			if of[1] != "" {
				f.Add(of[0], "needs --oidc-issuer")
			}
		}
		if c.PasswordsOff && c.Identity == nil {
			f.Add("--password-login", "false needs another way to sign in: --oidc-issuer or --identity-header")
		}
		return nil
	}
	if u, err := url.Parse(o.Issuer); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		f.Add("--oidc-issuer", "%q is not an https URL such as https://login.example.com/realms/shop", o.Issuer)
	}
	if o.ClientID == "" {
		f.Add("--oidc-client-id", "must be Carillon's client ID at the provider of --oidc-issuer")
	}
	if c.PublicURL == nil {
		f.Add("--public-url", "must be set: the provider of --oidc-issuer sends browsers back there")
	}
	for _, of := range [][2]string{{"--oidc-user-claim", o.UserClaim}, {"--oidc-groups-claim", o.GroupsClaim}} {
		switch of[1] {
		case "":
			f.Add(of[0], "must name a claim")
		case "email":
			f.Add(of[0], "cannot be the e-mail address: people get one that was another's, and some providers let them type it")
		}
	}
	for number, name := range c.Audiences {
		if name == flags.OIDCAudience {
			o.Audience = number
		}
	}
	if o.Audience == 0 {
		f.Add("--oidc-audience", "%q is none of the audiences", flags.OIDCAudience)
	}
	return o
}
