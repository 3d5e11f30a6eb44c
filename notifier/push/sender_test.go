package push_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier/push"
)

var message = push.Message{
	Notification: push.Notification{Title: "Stock is low", Body: "3 left", Lang: "en", Navigate: "https://carillon.example/inbox"},
	Key:          "stock:42", Badge: 5,
}

func newSender(t *testing.T, s *service) *push.Sender {
	t.Helper()
	key, err := push.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return &push.Sender{Key: key, Contact: "mailto:ops@carillon.example", Client: s.Client(), Now: time.Now}
}

func send(t *testing.T, sender *push.Sender, s *service, m push.Message) push.Outcome {
	t.Helper()
	out, err := sender.Send(t.Context(), s.sub, m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAMessageArrivesWithItsTopicLifeAndUrgency(t *testing.T) {
	t.Parallel()
	s := newService(t)
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
	text := []byte(`{"app_badge":5,"notification":{"title":"Stock is low","body":"3 left","lang":"en","navigate":"https://carillon.example/inbox","tag":"` +
		topic + `"},"web_push":8030}`)
	want := []received{
		{ttl: "86400", topic: topic, urgency: "normal", text: text},
		{ttl: "90", topic: topic, urgency: "high", text: text},
	}
	if diff := cmp.Diff(want, s.received, cmp.AllowUnexported(received{})); diff != "" {
		t.Error(diff)
	}
}

func TestWhatExpiredIsNotSent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	late := message
	late.Expires = time.Now()
	if out := send(t, newSender(t, s), s, late); out.Verdict != push.Refused || len(s.received) != 0 {
		t.Errorf("outcome %+v, %d sent", out, len(s.received))
	}
}

func TestEachAnswerHasItsOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer answer
		want   push.Outcome
	}{
		{answer{status: 200}, push.Outcome{Verdict: push.Accepted, Status: 200}},
		{answer{status: 404}, push.Outcome{Verdict: push.Gone, Status: 404}},
		{answer{status: 410}, push.Outcome{Verdict: push.Gone, Status: 410}},
		{answer{status: 400}, push.Outcome{Verdict: push.Refused, Status: 400}},
		{answer{status: 401}, push.Outcome{Verdict: push.Paused, Status: 401, After: 10 * time.Minute}},
		{answer{status: 403}, push.Outcome{Verdict: push.Paused, Status: 403, After: 10 * time.Minute}},
		{answer{status: 429, retryAfter: "120"}, push.Outcome{Verdict: push.Later, Status: 429, After: 2 * time.Minute}},
		{answer{status: 429, retryAfter: "999999999"}, push.Outcome{Verdict: push.Later, Status: 429, After: 6 * time.Hour}},
		{answer{status: 503}, push.Outcome{Verdict: push.Later, Status: 503, After: time.Minute}},
		{answer{status: 503, retryAfter: "soon"}, push.Outcome{Verdict: push.Later, Status: 503, After: time.Minute}},
	} {
		s := newService(t)
		s.answers = []answer{c.answer}
		if diff := cmp.Diff(c.want, send(t, newSender(t, s), s, message)); diff != "" {
			t.Errorf("%+v: %s", c.answer, diff)
		}
	}
}

func TestRetryAfterMayBeADate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	now := time.Now().Truncate(time.Second)
	sender := newSender(t, s)
	sender.Now = func() time.Time { return now }
	s.answers = []answer{{status: 503, retryAfter: now.Add(5 * time.Minute).UTC().Format(http.TimeFormat)}}
	if out := send(t, sender, s, message); out.After != 5*time.Minute {
		t.Errorf("after %s, want 5m", out.After)
	}
}

func TestTooLargeIsSentOnceMoreWithoutItsBody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answers = []answer{{status: 413}}
	out := send(t, newSender(t, s), s, message)
	if out.Verdict != push.Accepted || len(s.received) != 2 || bytes.Contains(s.received[1].text, []byte("3 left")) || s.received[0].topic != s.received[1].topic {
		t.Errorf("outcome %+v after %s", out, s.received)
	}
	s.answers = []answer{{status: 413}, {status: 413}}
	if out = send(t, newSender(t, s), s, message); out.Verdict != push.Refused || len(s.received) != 4 {
		t.Errorf("outcome %+v, %d messages, want no third try", out, len(s.received))
	}
}

func TestAServiceThatRefusesTheKeyIsLeftInPeaceForTenMinutes(t *testing.T) {
	t.Parallel()
	s, other := newService(t), newService(t)
	sender := newSender(t, s)
	now := time.Now()
	sender.Now = func() time.Time { return now }
	s.answers = []answer{{status: 403}}
	send(t, sender, s, message)
	now = now.Add(9 * time.Minute)
	if out := send(t, sender, s, message); out.Verdict != push.Paused || out.After != time.Minute || len(s.received) != 1 {
		t.Errorf("outcome %+v, %d sent", out, len(s.received))
	}
	if out := send(t, sender, other, message); out.Verdict != push.Accepted {
		t.Errorf("another service: %+v", out)
	}
	now = now.Add(time.Minute)
	if out := send(t, sender, s, message); out.Verdict != push.Accepted {
		t.Errorf("after ten minutes: %+v", out)
	}
}

func TestAServiceThatHangsIsTriedLater(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answers = []answer{{hang: true}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	out, err := newSender(t, s).Send(ctx, s.sub, message)
	if err != nil || out.Verdict != push.Later || out.After == 0 {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	s, inside := newService(t), newService(t)
	s.answers = []answer{{status: http.StatusTemporaryRedirect, location: inside.URL}}
	sender := newSender(t, s)
	sender.Client = push.NewClient(nil)
	sender.Client.Transport = s.Client().Transport // which trusts the service
	if out := send(t, sender, s, message); out.Verdict != push.Refused || len(inside.received) != 0 {
		t.Errorf("outcome %+v, %d requests elsewhere", out, len(inside.received))
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
