package e2e

import (
	"strconv"
	"strings"
	"testing"
)

func TestTheActionsOfAnAnnouncementFollowItsState(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	id := vera.announces("customer", "We close at four")
	w := open(t, i).size(800, 500).as(vera)
	w.visit("/staff/notices/"+id).until(live2).has("[data-testid=state]", "Open")
	w.stays().clickOn("[data-testid=notice-menu] > summary").clickOn("[data-testid=retract] summary").tabsTo("Retract now")
	at := ask[float64](w, `(scrollTo(0, 40), scrollY)`)
	i.person(t, "cara").get("/announcements/" + id)
	w.until(`document.querySelector("progress[data-testid^=read-]").value === 1`) // the page has refreshed itself
	if now := ask[float64](w, `scrollY`); at == 0 || now != at {
		t.Errorf("without user action the page scrolled from %v to %v", at, now)
	}
	w.until(`document.activeElement.closest("details[data-testid=retract][open]")`)
	vera.leads("/staff/notices/" + id + "/retract")
	w.has("[data-testid=state]", "Retracted")
	w.until(`document.querySelector("#deeds [data-testid=delete]") && !document.querySelector("[data-testid=retract], [data-testid=edit]")`)
	w.until(`document.activeElement.id === "deeds"`).same()
}

// wide contains bodies with parts wider than a phone.
var wide = map[string]string{
	"deep quotes": strings.Repeat("> ", 1900) + "deep",
	"deep lists":  strings.Repeat("1. ", 400) + "deep\n\n" + strings.Repeat("- > ", 200) + strings.Repeat("w", 200),
	"long words":  strings.Repeat("w", 300) + "\n\n`" + strings.Repeat("c", 300) + "`\n\n# " + strings.Repeat("h", 100),
	"code":        "```\n" + strings.Repeat("k", 300) + "\n" + strings.Repeat("word ", 90) + "\n```\n\n- - -     " + strings.Repeat("i", 99),
	"numbers":     "987654321. one\n\n   two\n987654322. three\n\n> 99. four\n\n***\n\n7654321) five",
	"from right":  "שלום עולם\n\n987654321. אחת\n987654322. שתיים\n\n***\n\n98) שלוש\n\n- > - > - > - " + strings.Repeat("ש", 200),
}

func TestNoAnnouncementIsWiderThanAPhone(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera, cara := i.person(t, "vera"), i.person(t, "cara")
	staff, reader := open(t, i).size(320, 700).as(vera), open(t, i).size(320, 700).as(cara)
	for name, body := range wide {
		id := vera.announces("customer", "A body of "+name, "body", body)
		reader.visit("/announcements/"+id).until(live2).has("h1", "A body of "+name)
		reader.shot("wide-" + strings.ReplaceAll(name, " ", "-"))
		at := map[string]*window{"its page": reader, "the page of staff": staff}
		staff.visit("/staff/notices/" + id).until(live2)
		for where, w := range at {
			fits(t, w, name+" on "+where)
		}
		staff.visit("/staff/notices/" + id + "/edit").until(`document.querySelector("#preview .prose *")`)
		fits(t, staff, name+" in the preview")
	}
	reader.visit("/announcements").until(live2)
	fits(t, reader, "the list")
}

// fits checks that a page does not scroll sideways, and that no part of a body is cut off.
func fits(t *testing.T, w *window, what string) {
	t.Helper()
	if got := ask[float64](w, `document.documentElement.scrollWidth`); got > 320 {
		t.Errorf("%s: %v px wide", what, got)
	}
	if cut := ask[[]string](w, `[...document.querySelectorAll("main .prose *")].filter((e) => {
		const range = document.createRange();
		range.selectNodeContents(e);
		const { left, right, width } = range.getBoundingClientRect();
		return width > 0 && (left < 0 || right > innerWidth);
	}).map((e) => e.outerHTML.slice(0, 80))`); len(cut) > 0 {
		t.Errorf("%s: cut off: %q", what, cut)
	}
}

func TestALongPinnedTitleLeavesRoomForThePage(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	title := strings.Repeat("Inventory in hall three ", 8) + "x"
	i.person(t, "vera").announces("customer", title, "pinned", "1")
	w := open(t, i).as(i.person(t, "cara"))
	for _, width := range []int64{320, 1280} {
		w.size(width, 700).visit("/settings").until(live2).banner(title)
		if got := ask[float64](w, `document.querySelector(".pinned-title").clientHeight`); got > 2*26 {
			t.Errorf("at %d px the title is %v px high", width, got)
		}
		w.shot("banner-long-" + strconv.FormatInt(width, 10))
	}
	w.scaled(320, 700, 1, true)
	w.visit("/settings").until(live2).shot("banner-long-phone")
}
