package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// evil is a body whose scripts, images and frames must not reach the pages of readers.
const evil = `# Prices

They **rise** on [Monday](/prices), see <https://example.com/list>.

- <script>window.evil = "script"</script>
- <img src="https://evil.example/pixel.png" onerror="window.evil = 'img'">
- ![tracking](https://evil.example/pixel.png)
- [press me](javascript:window.evil='link')
- [or me](data:text/html,<script>alert(1)</script>)
- <style>body { display: none }</style>
- <iframe src="https://evil.example/"></iframe>
- <form action="https://evil.example/"><button>Win</button></form>

` + "`code` and\n\n> a quotation\n"

func TestMarkdownIsRenderedWithoutActiveContent(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve("--addr", "127.0.0.1:0", "--link-hosts", "example.com")
	vera := i.person(t, "vera")
	id := vera.announces("customer", "<script>window.evil = 'title'</script>", "body", evil, "pinned", "1")
	w := open(t, i).as(i.person(t, "cara"))
	see := w.watched()
	for _, path := range []string{"/inbox", "/announcements", "/announcements/" + id} {
		w.visit(path).until(live2).until(`document.body.checkVisibility() && window.evil === undefined`)
		if found := ask[[]string](w, `[...document.querySelectorAll("main :is(script, style, iframe, img, object, link), .prose form, main [onerror], main a[href^='javascript:'], main a[href^='data:']")].map(e => e.outerHTML)`); len(found) > 0 {
			t.Errorf("%s contains %q", path, found)
		}
	}
	w.until(`document.querySelector(".prose strong").textContent === "rise" && document.querySelector(".prose a[href$='/prices']") && document.querySelector(".prose blockquote") && document.querySelector(".prose code")`)
	w.until(`document.querySelector(".prose a[href='https://example.com/list']").rel.includes("noopener")`)
	if complaints := see.complaints(200); len(complaints) > 0 {
		t.Errorf("the browser reports %q", complaints)
	}
	w.shot("announcement-markdown")
	w.as(vera).visit("/staff/notices/" + id).until(`window.evil === undefined && !document.querySelector("main :is(script, iframe, img)")`)
}

func TestAPrefetchMarksNothingAsRead(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	id := i.person(t, "vera").announces("customer", "Read me yourself")
	w := open(t, i).as(i.person(t, "cara"))
	see := w.watched()
	w.visit("/announcements").until(live2).turned(id, "unread")
	value[bool](w, `new Promise((done, failed) => {
		const link = document.createElement("link");
		[link.rel, link.href, link.onload, link.onerror] = ["prefetch", "`+w.path()+`/announcements/`+id+`", () => done(true), failed];
		document.head.append(link);
	})`)
	see.mu.Lock()
	asked := strings.Join(see.asked, "\n")
	see.mu.Unlock()
	if !strings.Contains(asked, "GET "+i.url+"/announcements/"+id) {
		t.Fatalf("the browser requested\n%s", asked)
	}
	if status, _ := i.person(t, "cara").ask(http.MethodHead, "/announcements/"+id, nil); status != http.StatusOK {
		t.Errorf("HEAD has status %d", status)
	}
	w.visit("/announcements").turned(id, "unread").badge("1")
	w.do(chromedp.Click(css(string(post(id)) + " a")))
	w.has("h1", "Read me yourself").badge("")
}
