package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/idptest"
)

func TestAUserSignsInAndOutAtTheirProvider(t *testing.T) {
	t.Parallel()
	p := idptest.Start(t, map[string]any{"sub": "248289761001", "name": "Jane Doe", "groups": []string{"notices"}})
	s := alone(t)
	s.env = []string{"CARILLON_OIDC_CLIENT_SECRET=" + idptest.ClientSecret}
	if s.path = *below; s.path == "" {
		s.path = "/notifications"
	}
	i := s.serve("--addr", "127.0.0.1:0", "--oidc-issuer", p.URL, "--oidc-client-id", idptest.ClientID, "--oidc-staff-group", "notices")
	jane := open(t, i)

	p.Fail("access_denied")
	jane.goToSignIn()
	jane.shot("oidc")
	jane.press(`[data-testid=provider] a`)
	jane.until(`document.querySelector("[data-testid=provider-fault]").textContent.includes("didn't sign you in")`)
	jane.shot("oidc-refused")

	p.Fail("")
	jane.do(chromedp.Navigate(jane.url + "/staff/notices"))
	jane.until(`document.querySelector("[data-testid=provider] a")`)
	jane.press(`[data-testid=provider] a`)
	jane.at("/staff/notices")
	jane.until(live2)

	jane.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".menu").open = true`))
	jane.press(`.menu form[action$="/logout"] button`)
	jane.until(`document.querySelector("h1").textContent === "Signed out everywhere"`)
	if ended := p.Ended(); len(ended) != 1 || ended[0].Get("id_token_hint") == "" {
		t.Errorf("the provider was asked to sign out with %v", ended)
	}
	jane.press(`#back`)
	jane.until(`document.querySelector("#done").textContent.includes("You are signed out.") && document.querySelector("[data-testid=provider]")`)
}
