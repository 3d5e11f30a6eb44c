package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

var sentAs = regexp.MustCompile(`^/staff/notices/(\d+)`)

// announces lets a member of staff announce something by the form of the page;
// more is fields and values in turn. It returns the announcement's id.
func (p *person) announces(to, title string, more ...string) string {
	p.t.Helper()
	fields := append([]string{"target", "audience", "to", to, "title", title}, more...)
	at := p.leads("/staff/send", fields...)
	m := sentAs.FindStringSubmatch(at)
	if m == nil {
		p.t.Fatalf("announce %q: led to %s", title, at)
	}
	return m[1]
}

// after is a moment as the form takes it, some time from now.
func after(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }

// post is the row of an announcement.
func post(id string) css { return css(`[data-testid=announcement][data-id="` + id + `"]`) }

// posted waits until the list of announcements has those titles, from the top.
func (w *window) posted(want ...string) *window {
	w.t.Helper()
	list := "[]"
	if len(want) > 0 {
		list = `["` + strings.Join(want, `", "`) + `"]`
	}
	return w.until(`JSON.stringify([...document.querySelectorAll("[data-testid=announcement] :is(h2, h3) a")].map(a => a.textContent)) === JSON.stringify(` + list + `)`)
}

// turned waits until the row of an announcement is in a state.
func (w *window) turned(id, state string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(r => r?.dataset.state === %q && r.dataset.read === %q && (r.querySelector(".dot") !== null) === %t)(document.querySelector(%q))`,
		state, map[string]string{"read": "1", "unread": "0"}[state], state == "unread", post(id)))
}

// heading waits until the navigation says how many announcements are unread;
// empty: none.
func (w *window) heading(want string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => (e.hidden ? "" : e.firstElementChild.textContent) === %q)(document.querySelector("#announcements-count"))`, want))
}

// banner waits until the banner shows that title; empty: nothing is to be seen of it.
func (w *window) banner(title string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => (e?.checkVisibility({visibilityProperty: true}) ? e.querySelector(".pinned-title").textContent : "") === %q)(document.querySelector("#pinned"))`, title))
}

// moves tells how far what is read has moved since the last time; the first
// time it is nothing.
func (w *window) moves() float64 {
	w.t.Helper()
	return ask[float64](w, `(() => {
		const top = document.querySelector("main h1").getBoundingClientRect().top;
		const moved = top - (window.stood ?? top);
		window.stood = top;
		return moved;
	})()`)
}

// chooses presses one of the choices of the form that sends.
func (w *window) chooses(target string) *window {
	w.t.Helper()
	w.do(chromedp.Click(css(`label:has([name=target][value=` + target + `])`)))
	return w
}
