package push_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/notifier/push"
)

var message = push.Message{
	Notification: push.Notification{Title: "Stock is low", Body: "3 left", Lang: "en", Navigate: "https://carillon.example/inbox"},
	Key:          "stock:42", Badge: 5, Inbox: 4,
}

func newSender(t *testing.T, s *pushtest.Service) *push.Sender {
	t.Helper()
	key, err := push.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return &push.Sender{Key: key, Contact: "mailto:ops@carillon.example", Client: s.Client(), Now: time.Now}
}

func send(t *testing.T, sender *push.Sender, s *pushtest.Service, m push.Message) push.Outcome {
	t.Helper()
	out, err := sender.Send(t.Context(), s.Sub, m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAMessageArrivesWithItsTopicLifeAndUrgency(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	sender := newSender(t, s)
	now := time.Now()
	sender.Now = func() time.Time { return now }
	urgent := message
	urgent.Urgent, urgent.Expires = true, now.Add(90*time.Second)
	for _, m := range []push.Message{message, urgent} {
		if out := send(t, sender, s, m); out.Verdict != push.Accepted {
			t.Errorf("outcome %+v", out)
		}
	}
	topic := push.TopicOf("stock:42")
	text := []byte(`{"app_badge":5,"inbox":4,"notification":{"title":"Stock is low","body":"3 left","lang":"en","navigate":"https://carillon.example/inbox","tag":"` +
		topic + `"},"web_push":8030}`)
	want := []pushtest.Received{
		{Path: "/device", TTL: "86400", Topic: topic, Urgency: "normal", Text: text},
		{Path: "/device", TTL: "90", Topic: topic, Urgency: "high", Text: text},
	}
	if diff := cmp.Diff(want, s.Received()); diff != "" {
		t.Error(diff)
	}
}

func TestAMessageThatIsTooLongLosesItsPictureAndButtonsBeforeItsText(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	rich := message
	rich.Notification.Image = "https://cdn.example.com/a.png"
	rich.Notification.Actions = []push.Action{{Action: "1", Title: "Order", Navigate: "https://carillon.example/n/7?a=1"}}
	long := rich
	long.Notification.Body = strings.Repeat("x", 3_750)
	longer := rich
	longer.Notification.Body = strings.Repeat("x", 9_000)
	for _, m := range []push.Message{rich, long, longer} {
		send(t, newSender(t, s), s, m)
	}
	const extras = `"image":"https://cdn.example.com/a.png","actions":[{"action":"1","title":"Order","navigate":"https://carillon.example/n/7?a=1"}]`
	for i, want := range []struct {
		whole, extras bool
	}{{true, true}, {true, false}, {false, false}} {
		text := string(s.Received()[i].Text)
		whole := strings.Contains(text, []push.Message{rich, long, longer}[i].Notification.Body)
		if whole != want.whole || strings.Contains(text, extras) != want.extras || len(text) > push.MaxPayload {
			t.Errorf("message %d: %.300s", i, text)
		}
	}
}

func TestWhatExpiredIsNotSent(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	late := message
	late.Expires = time.Now()
	if out := send(t, newSender(t, s), s, late); out.Verdict != push.Refused || len(s.Received()) != 0 {
		t.Errorf("outcome %+v, %d sent", out, len(s.Received()))
	}
}

func TestEachAnswerOfARealServiceIsUnderstood(t *testing.T) {
	t.Parallel()
	verdicts := map[pushtest.Means]push.Verdict{
		pushtest.Taken: push.Accepted, pushtest.Ended: push.Gone, pushtest.NotOurs: push.Denied, pushtest.NotNow: push.Later, pushtest.BadMessage: push.Refused,
	}
	for _, a := range pushtest.Answers() {
		s := pushtest.Start(t)
		s.Answer(a.Answer, a.Answer) // the second time without the text
		out := send(t, newSender(t, s), s, message)
		if want, ok := verdicts[a.Means]; !ok || out.Verdict != want || out.Status != a.Answer.Status || out.Reason != a.Reason || a.Source == "" {
			t.Errorf("%+v: %+v, want %d", a, out, want)
		}
	}
}

func TestRetryAfterIsObeyedWithinBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"120": 2 * time.Minute, "999999999": 6 * time.Hour, "soon": 0, "": 0} {
		s := pushtest.Start(t)
		s.Answer(pushtest.Answer{Status: 429, RetryAfter: text})
		if out := send(t, newSender(t, s), s, message); out.Verdict != push.Later || out.After != want {
			t.Errorf("%q: %+v", text, out)
		}
	}
}

func TestMicrosoftsOwnHeaderSetsTheRetryTime(t *testing.T) {
	t.Parallel() // learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers
	for retryAfter, want := range map[string]time.Duration{"": 90 * time.Second, "120": 2 * time.Minute} {
		s := pushtest.Start(t)
		s.Answer(pushtest.Answer{Status: 406, RetryAfter: retryAfter, Header: map[string]string{"X-WNS-Continue-After": "90"}})
		if out := send(t, newSender(t, s), s, message); out.Verdict != push.Later || out.After != want {
			t.Errorf("%q: %+v", retryAfter, out)
		}
	}
}

func TestAReasonIsOneShortLineWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	s.Answer(pushtest.Answer{Status: 403, Body: "no\r\nto https://push.example/" + strings.Repeat("x", 20) + " and " + strings.Repeat("aB3_", 20) + strings.Repeat(" more", 100)})
	out := send(t, newSender(t, s), s, message)
	if !strings.HasPrefix(out.Reason, "no to … and … more") || len(out.Reason) > 200 || strings.Contains(out.Reason, "\n") {
		t.Errorf("%q", out.Reason)
	}
}

func TestRetryAfterMayBeADate(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	now := time.Now().Truncate(time.Second)
	sender := newSender(t, s)
	sender.Now = func() time.Time { return now }
	s.Answer(pushtest.Answer{Status: 503, RetryAfter: now.Add(5 * time.Minute).UTC().Format(http.TimeFormat)})
	if out := send(t, sender, s, message); out.After != 5*time.Minute {
		t.Errorf("after %s, want 5m", out.After)
	}
}

func TestTooLargeIsSentOnceMoreWithoutItsBody(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	s.Answer(pushtest.Answer{Status: 413})
	out := send(t, newSender(t, s), s, message)
	if out.Verdict != push.Accepted || len(s.Received()) != 2 || bytes.Contains(s.Received()[1].Text, []byte("3 left")) || s.Received()[0].Topic != s.Received()[1].Topic {
		t.Errorf("outcome %+v after %s", out, s.Received())
	}
	s.Answer(pushtest.Answer{Status: 413}, pushtest.Answer{Status: 413})
	if out = send(t, newSender(t, s), s, message); out.Verdict != push.Refused || len(s.Received()) != 4 {
		t.Errorf("outcome %+v, %d messages, want no third try", out, len(s.Received()))
	}
}

func TestAServiceThatHangsGivesNoAnswer(t *testing.T) {
	t.Parallel()
	s := pushtest.Start(t)
	sender := newSender(t, s)
	sender.Client.Timeout = 100 * time.Millisecond
	s.Answer(pushtest.Answer{Hang: true})
	if out := send(t, sender, s, message); out != (push.Outcome{Verdict: push.Unreachable}) {
		t.Errorf("outcome %+v", out)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	s, inside := pushtest.Start(t), pushtest.Start(t)
	s.Answer(pushtest.Answer{Status: http.StatusTemporaryRedirect, Location: inside.URL})
	sender := newSender(t, s)
	sender.Client = push.NewClient(nil)
	sender.Client.Transport = s.Client().Transport // which trusts the service
	if out := send(t, sender, s, message); out.Verdict != push.Refused || len(inside.Received()) != 0 {
		t.Errorf("outcome %+v, %d requests elsewhere", out, len(inside.Received()))
	}
}

func TestAKeyIsReadAgainFromItsText(t *testing.T) {
	t.Parallel()
	key, err := push.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := key.Secret()
	again, err := push.ParseKey(secret + "\n")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := key.Public()
	if got, _ := again.Public(); got != want || len(got) != 87 {
		t.Errorf("public key %q, want %q", got, want)
	}
	for _, bad := range []string{"", secret[1:], secret + "AAAA", strings.Repeat("A", 43), strings.Repeat("_", 42) + "8"} {
		if _, err = push.ParseKey(bad); !errors.Is(err, push.ErrBadKey) {
			t.Errorf("%q: %v, want ErrBadKey", bad, err)
		}
	}
}
