package handlers_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// TestRetractShowsNoStaleMessage requests the page that the Retract button leads to, while the notice is being
// retracted and after that.
func TestRetractShowsNoStaleMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, state := range []notifier.State{notifier.StateRetracting, notifier.StateRetracted, notifier.StateSent} {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notifier.Notice{ID: id, State: state, Routed: true, Draft: notifier.Draft{Title: "Late", Type: "order"}}}, nil
		}
		r := w.get("carol", "/staff/notices/7?done=retracting")
		if r.count("#done p") != 0 {
			t.Errorf("%s: the page still says %q", state, r.text("#done p"))
		}
		gone := state != notifier.StateSent
		if r.text("[data-testid=unseen]") != map[bool]string{true: "Nobody sees it any more."}[gone] || (r.count("[data-testid=card]") == 0) != gone {
			t.Errorf("%s: as recipients see it: %q, with %d cards", state, r.text("[data-testid=unseen]"), r.count("[data-testid=card]"))
		}
	}
}

// TestPreviewOfAPastWindowHasNoSchedule has a start in the past and no end, so the end depends on the start.
func TestPreviewOfAPastWindowHasNoSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.sender.count = func(d notifier.Draft) (int64, error) { return 1, d.Validate(notifier.Limits{Now: noon}) }
	r := w.postBody("carol", "/staff/send", "preview=1&target=audience&to=user&title=Late&starts_at=2020-01-01T10%3A00", "HX-Request", "true")
	r.wantText(t, "#starts_at-fault", "This time has already passed.")
	if r.count("[data-testid=recipients]")+r.count("[data-testid=schedule]")+r.count("[data-testid=card]") != 0 {
		t.Errorf("the preview is %q", r.text("#preview"))
	}
}
