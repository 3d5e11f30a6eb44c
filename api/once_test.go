package api

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
)

const onceHeader = "Idempotency-Key"

func TestARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"target":{"users":["alice"]},"type":"like","title":"Once"}`
	first := w.call(t, w.send, "POST", "/notices", body, onceHeader, "k-1").is(t, http.StatusAccepted)
	w.has(t, "alice", "Once")
	for _, same := range []string{body, ` { "title" : "Once", "type":"like", "target":{ "users":["al\u0069ce"] } } `} {
		again := w.call(t, w.send, "POST", "/notices", same, onceHeader, "k-1").is(t, http.StatusAccepted)
		if again.text != first.text || again.Header.Get("Location") != first.Header.Get("Location") || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s %v, the first was %s", again.text, again.Header, first.text)
		}
	}
	if first.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer is marked as replayed")
	}
	w.call(t, w.send, "POST", "/notices", strings.Replace(body, "Once", "Twice", 1), onceHeader, "k-1").is(t, http.StatusUnprocessableEntity)

	// The Idempotency-Key belongs to the name of the API key: another API key with that name
	// repeats the request, one with another name does not.
	if res := w.call(t, w.key(t, "shop", "send"), "POST", "/notices", body, onceHeader, "k-1").is(t, http.StatusAccepted); res.text != first.text {
		t.Errorf("a second key of the application: %s", res.text)
	}
	if res := w.call(t, w.admin, "POST", "/notices", body, onceHeader, "k-1").is(t, http.StatusAccepted); res.text == first.text {
		t.Error("another application got the answer of this one")
	}
	w.has(t, "alice", "Once", "Once")
}

func TestARefusedRequestMayBeCorrectedUnderTheSameKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["zoe"]},"type":"like","title":"A"}`, onceHeader, "k").is(t, http.StatusUnprocessableEntity)
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},"type":"like","title":"A"}`, onceHeader, "k").is(t, http.StatusAccepted)
}

func TestAnIdempotencyKeyMustBeVisibleASCII(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"target":{"users":["alice"]},"type":"like","title":"A"}`
	for _, path := range []string{"/notices", "/notices/batch"} {
		text := body
		if path != "/notices" {
			text = `{"notices":[` + body + `]}`
		}
		for _, bad := range []string{"a b", "a\x7f", "é", "a\x01", "\xff", strings.Repeat("k", 256)} {
			res := w.call(t, w.send, "POST", path, text, onceHeader, bad).is(t, http.StatusUnprocessableEntity)
			if got := res.faults(t); len(got) != 1 || got[0] != "header.Idempotency-Key" {
				t.Errorf("%.20q: faults at %v", bad, got)
			}
		}
		w.call(t, w.send, "POST", path, text, onceHeader, strings.Repeat("k", 255)).is(t, http.StatusAccepted)
	}
}

func TestAHundredConcurrentEqualRequestsSendOneNotice(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"sqlite", "postgres"} {
		for name, body := range map[string]string{
			"user":     `{"target":{"users":["alice"]},"type":"like","title":"Once"}`,
			"audience": `{"target":{"audiences":["customer"]},"title":"Once"}`,
		} {
			t.Run(sql+"/"+name, func(t *testing.T) {
				t.Parallel()
				address := ""
				if sql == "postgres" {
					address = sqltest.URL(t)
				}
				w := newWorldOn(t, address, redistest.Client(t))
				replies := make([]reply, 100)
				begin := make(chan struct{})
				var all sync.WaitGroup
				for i := range replies {
					all.Go(func() {
						<-begin
						replies[i] = w.call(t, w.send, "POST", "/notices", body, onceHeader, "the-same")
					})
				}
				close(begin)
				all.Wait()
				first := 0
				for _, r := range replies {
					if r.StatusCode != http.StatusAccepted || r.text != replies[0].text {
						t.Errorf("status %d: %s", r.StatusCode, r.text)
					}
					if r.Header.Get("Idempotent-Replayed") == "" {
						first++
					}
				}
				if first != 1 {
					t.Errorf("%d answers are not marked as replayed, want one", first)
				}
				if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 1 {
					t.Errorf("%d notices, %v", len(sent), err)
				}
			})
		}
	}
}

func TestARepeatedBatchSendsOnlyTheMissingNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	batch := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, `{"target":{"users":["`+name+`"]},"type":"like","title":"To `+name+`"}`)
		}
		return `{"notices":[` + strings.Join(all, ",") + `]}`
	}
	send := func(body string) (out batchResults, replayed bool) {
		t.Helper()
		res := w.call(t, w.send, "POST", "/notices/batch", body, onceHeader, "b").is(t, http.StatusAccepted)
		res.into(t, &out)
		return out, res.Header.Get("Idempotent-Replayed") == "true"
	}
	first, replayed := send(batch("alice", "zoe", "bob"))
	if replayed || first.Results[0].ID == 0 || first.Results[2].State != "accepted" || first.Results[2].URL == "" ||
		first.Results[1].Error == nil || first.Results[1].ID != 0 {
		t.Fatalf("%v %+v", replayed, first)
	}
	if _, err := w.store.CreateUser(t.Context(), newcomer("zoe")); err != nil {
		t.Fatal(err)
	}
	second, replayed := send(batch("alice", "zoe", "bob"))
	if replayed || second.Results[0] != first.Results[0] || second.Results[2] != first.Results[2] || second.Results[1].ID == 0 {
		t.Errorf("%v %+v", replayed, second)
	}
	if third, replayed := send(batch("alice", "zoe", "bob")); !replayed || third.Results[1] != second.Results[1] {
		t.Errorf("%v %+v", replayed, third)
	}
	other, _ := send(batch("alice", "carol", "bob"))
	if e := other.Results[1].Error; e == nil || e.Status != http.StatusUnprocessableEntity || other.Results[0].ID != first.Results[0].ID {
		t.Errorf("with a different second notice: %+v", other)
	}
	// A batch and a single request do not share a key.
	if n := w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},"type":"like","title":"To alice"}`, onceHeader, "b").is(t, 202); n.Header.Get("Idempotent-Replayed") != "" {
		t.Error("a single request is taken for a notice of the batch")
	}
	w.has(t, "zoe", "To zoe")
	w.has(t, "bob", "To bob")
}

func TestABatchHasOneToAThousandNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	batch := func(n int) string {
		one := `{"target":{"users":["alice"]},"type":"like","title":"A"}`
		return `{"notices":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
	}
	var out batchResults
	w.call(t, w.send, "POST", "/notices/batch", batch(1000)).is(t, http.StatusAccepted).into(t, &out)
	ids := map[int64]bool{}
	for _, r := range out.Results {
		ids[r.ID] = true
	}
	if len(out.Results) != 1000 || len(ids) != 1000 || ids[0] {
		t.Errorf("%d results with %d IDs", len(out.Results), len(ids))
	}
	for _, n := range []int{0, 1001} {
		res := w.call(t, w.send, "POST", "/notices/batch", batch(n)).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); len(got) != 1 || got[0] != "body.notices" {
			t.Errorf("%d: faults at %v", n, got)
		}
	}
	// A malformed batch is refused as a whole.
	res := w.call(t, w.send, "POST", "/notices/batch", strings.Replace(batch(3), `"title"`, `"heading"`, 1)).is(t, http.StatusUnprocessableEntity)
	if got := res.faults(t); len(got) == 0 || !strings.HasPrefix(got[0], "body.notices[0]") {
		t.Errorf("faults at %v", got)
	}
	if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{Limit: 2000}); err != nil || len(sent) != 1000 {
		t.Errorf("%d notices were sent, %v", len(sent), err)
	}
}
