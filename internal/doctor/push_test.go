package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
)

func TestTheKeyOfPushIsTried(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]error{"ok    push         the VAPID key signs; its public half is BPub": nil, "note  push": ErrNoVAPID, "FAIL  push": errors.New("sealed")} {
		var found []string
		e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
		e.push(t.Context(), &config.Config{Push: &config.Push{Contact: "mailto:ops@example.com"}}, func(context.Context) (string, error) { return "BPub", answer })
		if len(found) != 1 || !strings.HasPrefix(found[0], want) {
			t.Errorf("%v: %q", answer, found)
		}
	}
	e := &examination{report: func(f Finding) error { t.Errorf("without push: %s", f); return nil }}
	e.push(t.Context(), &config.Config{}, nil)
}

func TestAnUnreachableContactIsAFault(t *testing.T) {
	t.Parallel()
	for contact, want := range map[string]bool{
		"mailto:ops@shop.com": true, "https://notices.shop.co.uk/": true, "mailto:ops@example.com": true,
		"mailto:carillon@localhost": false, "mailto:ops@nas.local": false, "mailto:ops@shop.invalid": false, "mailto:ops@shop.test": false, "mailto:ops@shop.example": false,
		"mailto:ops@[192.0.2.1]": false, "https://192.168.1.5:8443/": false, "https://[2001:db8::1]/": false, "https://localhost": false, "https://NAS.Local./": false, "mailto:ops": false,
	} {
		if got := reachable(contact); got != want {
			t.Errorf("%s: %t", contact, got)
		}
	}
}
