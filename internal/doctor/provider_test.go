package doctor

import (
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/idptest"
)

func TestTheIdentityProviderIsAsked(t *testing.T) {
	t.Parallel()
	p := idptest.Start(t, nil)
	public := &url.URL{Scheme: "https", Host: "notices.example.com"}
	for issuer, want := range map[string]string{p.URL: "ok    oidc", p.URL + "/other": "FAIL  oidc"} {
		var found []string
		e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
		e.provider(t.Context(), &config.Config{PublicURL: public, OIDC: &config.OIDC{Issuer: issuer, ClientID: "carillon", StaffGroup: "notices"}})
		if all := strings.Join(found, "\n"); !strings.HasPrefix(all, want) || want == "ok    oidc" && !strings.Contains(all, "https://notices.example.com/login/oidc/callback") {
			t.Errorf("%s: %s", issuer, all)
		}
	}
	e := &examination{report: func(f Finding) error { t.Errorf("without a provider: %s", f); return nil }}
	e.provider(t.Context(), &config.Config{})
}
