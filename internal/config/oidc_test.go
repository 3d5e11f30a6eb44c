package config

import (
	"strings"
	"testing"
)

func TestTheProviderIsCompleteOrRefusedByTheNameOfTheFlag(t *testing.T) {
	t.Parallel()
	good := []string{"--oidc-issuer=https://login.example.com/realms/shop", "--oidc-client-id=carillon", "--public-url=https://notices.example.com"}
	c, err := parse(t, map[string]string{"CARILLON_OIDC_CLIENT_SECRET": "hunter2\n"}, append(good, "--oidc-staff-group=notices", "--password-login=false")...)
	if err != nil {
		t.Fatal(err)
	}
	want := OIDC{
		Issuer: "https://login.example.com/realms/shop", ClientID: "carillon", ClientSecret: "hunter2",
		UserClaim: "sub", GroupsClaim: "groups", StaffGroup: "notices", Email: true, Audience: 2,
	}
	if *c.OIDC != want || !c.PasswordsOff {
		t.Errorf("%+v, passwords off: %v", *c.OIDC, c.PasswordsOff)
	}
	if c, err := parse(t, nil); err != nil || c.OIDC != nil || c.PasswordsOff {
		t.Errorf("by default: %+v, %v", c.OIDC, err)
	}
	for flag, args := range map[string][]string{
		"--oidc-issuer":        {"--oidc-issuer=http://login.example.com", "--oidc-client-id=carillon", "--public-url=https://notices.example.com"},
		"--oidc-client-id":     {"--oidc-issuer=https://login.example.com", "--public-url=https://notices.example.com"},
		"--public-url":         {"--oidc-issuer=https://login.example.com", "--oidc-client-id=carillon"},
		"--oidc-user-claim":    append(good, "--oidc-user-claim=email"),
		"--oidc-groups-claim":  append(good, "--oidc-groups-claim="),
		"--oidc-audience":      append(good, "--oidc-audience=nobody"),
		"--oidc-staff-group":   {"--oidc-staff-group=notices"},
		"--oidc-client-secret": {"--oidc-client-secret=hunter2"},
		"--password-login":     {"--password-login=false"},
	} {
		if _, err := parse(t, nil, args...); err == nil || !strings.Contains(err.Error(), flag) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v; want a fault of %s", args, err, flag)
		}
	}
	if _, err := parse(t, nil, append(good, "--password-login=maybe")...); err == nil {
		t.Error("--password-login=maybe is accepted")
	}
}
