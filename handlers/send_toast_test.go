package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestFormHasAToastBoxForEveryTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, target := range []string{"user", "role", "topic", "audience"} {
		r := w.get("carol", "/staff/send?target="+target).wantStatus(t, http.StatusOK)
		box := "#send input[type=checkbox][name=toast][value='1']"
		if r.count(box) != 1 || r.count(box+"[checked]") != 0 || r.page.Find(box).Closest(".for-notice, .for-audience").Length() != 0 {
			t.Errorf("%s: %d boxes", target, r.count(box))
		}
		if hint := r.attr(box, "aria-describedby"); r.text("#"+hint) == "" {
			t.Errorf("%s: the hint %q is empty", target, hint)
		}
	}
}

// Browsers, and the script that shows the preview, send a checkbox only if it is ticked.
func TestTickedToastBoxIsPreviewedSentAndKept(t *testing.T) {
	t.Parallel()
	for name, form := range map[string][]string{"a notice": goodForm, "an announcement": audienceForm} {
		var sent []notifier.Draft
		w := sendWorld(t, 1203, &sent)
		ticked := append(append([]string{}, form...), "toast", "1")
		for how, r := range map[string]reply{
			"previewed":  w.post("carol", "/staff/send", append(ticked, "preview", "1")...).wantStatus(t, http.StatusOK),
			"to confirm": w.post("carol", "/staff/send", ticked...).wantStatus(t, http.StatusUnprocessableEntity),
			"faulty":     w.post("carol", "/staff/send", with(ticked, "title", "bell\x07")...).wantStatus(t, http.StatusUnprocessableEntity),
		} {
			if r.count("#send [name=toast][checked]") != 1 {
				t.Errorf("%s, %s: the box is no longer ticked", name, how)
			}
		}
		for how, see := range map[string]func(fields ...string) reply{
			"as a page": func(fields ...string) reply {
				return w.post("carol", "/staff/send", append(fields, "preview", "1")...)
			},
			"while it is written": func(fields ...string) reply { return w.live(nil, fields...) },
		} {
			see(append([]string{}, ticked...)...).wantText(t, "#preview [data-testid=preview-toast] .toast-title", "Hello")
			if see(append([]string{}, form...)...).count("[data-testid=preview-toast]") != 0 {
				t.Errorf("%s, %s: a toast is announced without the box", name, how)
			}
		}
		if len(sent) > 0 {
			t.Fatalf("%s: sent %v", name, sent)
		}
		for _, fields := range [][]string{ticked, form} {
			w.post("carol", "/staff/send", append(append([]string{}, fields...), "confirm", "1203")...).wantRedirect(t, "/staff/notices/42")
		}
		if len(sent) != 2 || !sent[0].Toast || sent[1].Toast {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

func TestInvalidToastBoxIsReportedBesideIt(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	r := w.post("carol", "/staff/send", append(append([]string{}, goodForm...), "toast", "yes")...).wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "#is_toast-fault[data-field=is_toast]", "Choose on or off.")
	if got := r.text("[data-testid=faults] a[href='#is_toast']"); !strings.HasSuffix(got, ": Choose on or off.") || len(sent) > 0 {
		t.Errorf("the list is %q, sent %v", got, sent)
	}
	if got := w.live(nil, append(append([]string{}, goodForm...), "toast", "yes")...).text("#is_toast-fault"); got != "Choose on or off." {
		t.Errorf("while typing the error is %q", got)
	}
}

func TestNoticePageSaysWhetherItIsAToastToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct {
		of   notifier.Notice
		want string
	}{{notice(5, notifier.StateSent), ""}, {announced(5, -hour, week), "No"}} {
		for _, toasts := range []bool{false, true} {
			if test.of.Toast = toasts; toasts {
				test.want = "Yes"
			}
			w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: test.of}, nil }
			got := ""
			for _, row := range w.get("carol", "/staff/notices/5").page.Find(".facts > div").EachIter() {
				if row.Find("dt").Text() == "Pop-up" {
					got = strings.TrimSpace(row.Find("dd").Text())
				}
			}
			if got != test.want {
				t.Errorf("%v, with a toast %v: the page says %q, want %q", test.of.Target, toasts, got, test.want)
			}
		}
	}
}
