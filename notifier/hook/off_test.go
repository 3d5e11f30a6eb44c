package hook_test

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/hook"
)

func TestAReceiverThatIsGoneSwitchesTheHookOff(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, status(http.StatusGone))
	h, _ := w.add("shop", to.URL)
	w.delete("ann")
	w.round()
	if is := w.hook(h.ID); is.Off != notifier.HookGone || !slices.Equal(w.alarms, []string{"shop gone"}) {
		t.Fatalf("the hook is %+v; alarms: %v", is, w.alarms)
	}
	w.delete("ben")
	w.move(time.Hour)
	w.round()
	if n := len(to.messages()); n != 1 {
		t.Errorf("%d messages, want no more", n)
	}
	to.set(nil)
	if _, err := w.hooks.SwitchOn(t.Context(), staff, h.ID); err != nil {
		t.Fatal(err)
	}
	w.round()
	if got := to.messages(); len(got) != 2 || got[0].id() != got[1].id() {
		t.Errorf("messages: %+v; want the one that was refused again, and none of the time in between", got)
	}
}

// delete creates and deletes a user.
func (w *world) delete(name string) {
	w.t.Helper()
	if _, err := w.db.CreateUser(w.t.Context(), notifier.NewUser{Name: name, Audience: 3}); err != nil {
		w.t.Fatal(err)
	}
	if _, _, err := w.db.BeginDeletion(w.t.Context(), name); err != nil {
		w.t.Fatal(err)
	}
}

func TestAHookThatFailsForFiveDaysIsSwitchedOffOnceStaffAreNotified(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, status(500))
	h, _ := w.add("shop", to.URL)
	w.test(h, 1)
	w.round()
	w.move(5*24*time.Hour - time.Second)
	w.test(h, 1)
	w.round()
	if is := w.hook(h.ID); is.Off != notifier.HookOn || len(w.alarms) > 0 {
		t.Fatalf("before five days: %+v, %v", is, w.alarms)
	}
	w.move(time.Minute)
	w.alarm = errors.New("no notice can be sent now")
	w.round()
	if is := w.hook(h.ID); is.Off != notifier.HookOn || len(w.alarms) == 0 {
		t.Fatalf("without a notice to staff: %+v, %v", is, w.alarms)
	}
	w.move(time.Hour)
	w.alarm = nil
	w.round()
	if is := w.hook(h.ID); is.Off != notifier.HookFailing || w.alarms[len(w.alarms)-1] != "shop failing" {
		t.Errorf("after five days: %+v, %v", is, w.alarms)
	}
}

func TestASuccessEndsAFailure(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, status(500))
	h, _ := w.add("shop", to.URL)
	w.test(h, 1)
	w.round()
	to.set(nil)
	w.move(4 * 24 * time.Hour)
	w.test(h, 1)
	w.round()
	if is := w.hook(h.ID); !is.FailingSince.IsZero() || is.Error != "" {
		t.Errorf("the hook is %+v", is)
	}
	to.set(status(500))
	w.test(h, 1)
	w.round()
	w.move(2 * 24 * time.Hour)
	w.round()
	if is := w.hook(h.ID); is.Off != notifier.HookOn {
		t.Errorf("the hook is %+v; it has failed for two days only", is)
	}
}

func TestAReceiverThatFailsIsLeftInPeace(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, status(500))
	h, _ := w.add("shop", to.URL)
	w.test(h, 100)
	w.round()
	first := len(to.messages())
	w.round()
	if next := len(to.messages()) - first; first > 2*4 || next > 4 {
		t.Errorf("%d messages, and then %d; want a few", first, next)
	}
	to.set(nil)
	w.round()
	w.round()
	w.move(time.Minute)
	w.round()
	if is := w.hook(h.ID); !is.FailingSince.IsZero() {
		t.Fatalf("the hook still fails: %+v", is)
	}
	for _, e := range w.events(h) {
		if e.State != notifier.HookDelivered || e.Tries > 2 {
			t.Errorf("%+v; want it delivered by its first or second try", e)
		}
	}
}

func TestTheOldestEventsAreDroppedWhenTooManyWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *hook.StageConfig) { c.Most = 5 })
	to := newReceiver(t, nil)
	h, _ := w.add("shop", to.URL)
	w.test(h, 8)
	want := w.events(h)[3:]
	w.round()
	var ids, wanted []string
	for i, m := range to.messages() {
		ids, wanted = append(ids, m.id()), append(wanted, want[i].ID)
	}
	slices.Sort(ids)
	slices.Sort(wanted)
	if !slices.Equal(ids, wanted) || len(ids) != 5 || w.stage.Stats().Dropped != 3 {
		t.Errorf("sent %v, want %v; dropped %d, want 3", ids, wanted, w.stage.Stats().Dropped)
	}
}

func TestSecretsAreSealedUnderTheNewestSessionKey(t *testing.T) {
	t.Parallel()
	newest := bytes.Repeat([]byte("n"), 32)
	w, to := newWorld(t), newReceiver(t, nil)
	h, secret := w.add("shop", to.URL)
	for _, keys := range [][][]byte{{newest, sessionKey}, {newest}} {
		stage := w.with(w.newHooks(keys...))
		w.test(h, 1)
		if err := stage.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := to.messages()
	if len(got) != 2 || got[1].verify(secret) != nil {
		t.Errorf("%d messages, log: %s", len(got), w.log)
	}
}

func TestAddressesThatMayNotBeReachedAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for url, code := range map[string]string{
		"https://hooks.example.com/a?b=c": "", "http://127.0.0.1:8080/": "", "https://127.0.0.1/": "", "https://[2606:4700::1111]:443/": "", "http://machine.example.com/": "",
		"http://hooks.example.com/": notifier.CodePlainHook, "http://8.8.8.8/": notifier.CodePlainHook, "http://inside.example.com/": notifier.CodePlainHook, "http://localhost/": notifier.CodePlainHook,
		"https://10.0.0.1/": notifier.CodePrivateHook, "https://[::1]/": notifier.CodePrivateHook, "https://[::ffff:10.0.0.1]/": notifier.CodePrivateHook, "https://inside.example.com/": notifier.CodePrivateHook,
		"https://169.254.169.254/latest": notifier.CodePrivateHook,
		"":                               notifier.CodeRequired, "https://": notifier.CodeBadHookURL, "https:///path": notifier.CodeBadHookURL, "ftp://example.com/": notifier.CodeBadHookURL, "//example.com/": notifier.CodeBadHookURL,
		"https://user:pass@example.com/": notifier.CodeBadHookURL, "https://example.com/#a": notifier.CodeBadHookURL, "https://127.1/": notifier.CodeBadHookURL, "https://2130706433/": notifier.CodeBadHookURL,
		"https://0x7f.1/": notifier.CodeBadHookURL, "https://a.0x7f000001/": notifier.CodeBadHookURL, "https://1.2.3.4.5/": notifier.CodeBadHookURL, "https://example.com:0/": notifier.CodeBadHookURL,
		"https://example.com:99999/": notifier.CodeBadHookURL, "https://exa mple.com/": notifier.CodeBadHookURL, "https://exämple.com/": notifier.CodeBadHookURL, "https://[fe80::1%25eth0]/": notifier.CodeBadHookURL,
		"https://example.com\\@inside/": notifier.CodeBadHookURL, "https://example.com/" + strings.Repeat("a", 1000): notifier.CodeBadHookURL,
	} {
		h, _, err := w.hooks.Add(t.Context(), staff, notifier.Hook{Name: "h" + url[:min(len(url), 150)], URL: url, Events: []notifier.EventType{notifier.EventTest}})
		var bad *notifier.InvalidError
		switch {
		case errors.As(err, &bad):
			if got := bad.Fields[0].Code; got != code || bad.Fields[0].Field != "url" && !strings.Contains(url, " ") && !strings.Contains(url, "\\") {
				t.Errorf("%s: %v; want %q", url, bad, code)
			}
		case err != nil || code != "":
			t.Errorf("%s: %v; want %q", url, err, code)
		default:
			if _, err := w.hooks.Remove(t.Context(), staff, h.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAHookHasANameOfItsOwnAndKnownEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("shop", "https://hooks.example.com/")
	for name, c := range map[string]struct {
		hook notifier.Hook
		want string
	}{
		"the same name":    {notifier.Hook{Name: "shop", URL: "https://a.example.com", Events: notifier.EventTypes()}, "name: " + notifier.CodeHookNameTaken},
		"no name":          {notifier.Hook{URL: "https://a.example.com", Events: notifier.EventTypes()}, "name: " + notifier.CodeRequired},
		"no events":        {notifier.Hook{Name: "b", URL: "https://a.example.com"}, "events: " + notifier.CodeRequired},
		"an unknown event": {notifier.Hook{Name: "b", URL: "https://a.example.com", Events: []notifier.EventType{"test", "notice.lost"}}, "events: " + notifier.CodeBadEvent},
	} {
		if _, _, err := w.hooks.Add(t.Context(), staff, c.hook); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
	for i := range notifier.MaxHooks - 1 {
		w.add("h"+strings.Repeat("x", i), "https://hooks.example.com/")
	}
	_, _, err := w.hooks.Add(t.Context(), staff, notifier.Hook{Name: "one more", URL: "https://a.example.com", Events: notifier.EventTypes()})
	if err == nil || !strings.Contains(err.Error(), notifier.CodeTooManyHooks) {
		t.Errorf("one more: %v", err)
	}
}

// with returns a stage with other session keys.
func (w *world) with(hooks *hook.Hooks) *hook.Stage {
	c := w.config
	c.Hooks = hooks
	return hook.NewStage(c)
}
