package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

var sentAs = regexp.MustCompile(`/staff/notices/(\d+)`)

// announces publishes an announcement with the staff form, and returns its id. more contains further fields and
// values in turn.
func (p *person) announces(to, title string, more ...string) string {
	p.t.Helper()
	fields := append([]string{"target", "audience", "to", to, "title", title}, more...)
	at := p.leads("/staff/send", fields...)
	m := sentAs.FindStringSubmatch(at)
	if m == nil {
		p.t.Fatalf("announce %q: redirected to %s", title, at)
	}
	return m[1]
}

// after returns the time after d in the format of the form.
func after(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }

// post returns the selector of the row of an announcement.
func post(id string) css { return css(`[data-testid=announcement][data-id="` + id + `"]`) }

// posted waits until the list of announcements shows these titles, from the top.
func (w *window) posted(want ...string) *window {
	w.t.Helper()
	list := "[]"
	if len(want) > 0 {
		list = `["` + strings.Join(want, `", "`) + `"]`
	}
	return w.until(`JSON.stringify([...document.querySelectorAll("[data-testid=announcement] :is(h2, h3) a")].map(a => a.textContent)) === JSON.stringify(` + list + `)`)
}

// turned waits until the row of an announcement has this state.
func (w *window) turned(id, state string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(r => r?.dataset.state === %q && r.dataset.read === %q && (r.querySelector(".dot") !== null) === %t)(document.querySelector(%q))`,
		state, map[string]string{"read": "1", "unread": "0"}[state], state == "unread", post(id)))
}

// heading waits until the navigation shows this number of unread announcements; "" means none.
func (w *window) heading(want string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => (e.hidden ? "" : e.firstElementChild.textContent) === %q)(document.querySelector("#announcements-count"))`, want))
}

// banner waits until the banner shows this title; "" if it is hidden.
func (w *window) banner(title string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => (e?.checkVisibility({visibilityProperty: true}) ? e.querySelector(".pinned-title").textContent : "") === %q)(document.querySelector("#pinned"))`, title))
}

// moves returns how far the content has moved since the last call, in px. The first call returns 0.
func (w *window) moves() float64 {
	w.t.Helper()
	return ask[float64](w, `(() => {
		const top = document.querySelector("main h1").getBoundingClientRect().top;
		const moved = top - (window.stood ?? top);
		window.stood = top;
		return moved;
	})()`)
}

// chooses selects a kind of target in the staff form; with a script only an announcement is one to choose. From an
// announcement the switch leads back first.
func (w *window) chooses(target string) *window {
	w.t.Helper()
	if target != "audience" && ask[bool](w, `document.querySelector("[name=target][value=audience]").checked`) {
		w.clickOn(".kinds .notification")
	}
	w.do(chromedp.Click(css(`label:has([name=target][value=` + target + `])`)))
	return w
}
