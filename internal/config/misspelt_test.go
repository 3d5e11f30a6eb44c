package config_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
)

func TestAVariableThatIsNoSettingIsNamedWithTheNearestThatIs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"CARILLON_PUBIC_URL":          "CARILLON_PUBLIC_URL",
		"CARILON_PUBLIC_URL":          "CARILLON_PUBLIC_URL",
		"CARILLON_PUBLICURL":          "CARILLON_PUBLIC_URL",
		"CARILLON_SMTP_URL_FIEL":      "CARILLON_SMTP_URL_FILE",
		"CARILLON_SMTP":               "CARILLON_SMTP_",
		"CARILLON_DATABASE":           "CARILLON_DATABASE_",
		"CARILLON_SMPT_URL":           "CARILLON_SMTP_URL",
		"CARILLON_X":                  "carillon help settings",
		"CARILLON_WHATEVER_THIS_IS":   "carillon help settings",
		"CARILLON_PUBLIC_URL":         "",
		"CARILLON_REDIS_URL_FILE":     "",
		"CARILLON_SHOP_DATABASE":      "", // of the rules
		"CARILLON_PORT_8080_TCP_ADDR": "", // of Kubernetes
		"CARILLON_SERVICE_HOST":       "",
		"PATH":                        "",
		"PUBLIC_URL":                  "",
	} {
		got := config.Misspelt([]string{name}, `url_env = "CARILLON_SHOP_DATABASE"`)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0], want) || !strings.Contains(got[0], name+" ")) {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
