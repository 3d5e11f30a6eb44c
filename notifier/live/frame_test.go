package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

// printed returns the bytes the library writes for an event.
func printed(ev *sse.Event) string {
	return fmt.Sprintf("id: %s\ndata: %s\nevent: %s\n\n", ev.ID, ev.Data, ev.Event)
}

func parse(text []byte) (out []event) {
	readEvents(bytes.NewReader(text), func(e event) { out = append(out, e) })
	return out
}

func TestPackPrintsExactlyItsEvents(t *testing.T) {
	t.Parallel()
	text := appendEvent(nil, 7, "notice", `{"a":1}`)
	text = appendEvent(text, 8, "read", `{"keys":["event: x"]}`)
	text = appendBadge(text, notifier.Badge{Unread: 3, Inbox: 2, Announcements: 1, Ver: 9, AVer: 4})
	if got := printed(pack(text)); got != string(text) {
		t.Errorf("the library prints %q, want %q", got, text)
	}
	want := []event{
		{name: "notice", id: "7", data: `{"a":1}`},
		{name: "read", id: "8", data: `{"keys":["event: x"]}`},
		{name: "badge", id: "9", data: `{"unread":3,"inbox":2,"announcements":1,"ver":9,"aver":4}`},
	}
	if diff := cmp.Diff(want, parse(text), cmp.AllowUnexported(event{})); diff != "" {
		t.Error(diff)
	}
}

func TestPackSharedPrintsTheSameAsPack(t *testing.T) {
	t.Parallel()
	n := notifier.Badge{Unread: 3, Inbox: 2, Announcements: 1, Ver: 9, AVer: 4}
	one := appendData(nil, "announcement", `{"title":"event: x"}`)
	two := appendData(one, "announcement_removed", `{"id":1}`)
	for _, text := range [][]byte{one, two} {
		kept := string(text)
		for _, due := range []bool{false, true} {
			want := append(appendID(nil, 9), text...)
			if due {
				want = appendBadge(want, n)
			}
			if got := printed(packShared(text, n, due)); got != string(want) {
				t.Errorf("the library prints %q, want %q", got, want)
			}
		}
		if string(text) != kept {
			t.Errorf("the shared text was changed to %q", text)
		}
	}
}

func FuzzAnAnnouncementCannotForgeEvents(f *testing.F) {
	for _, s := range []string{"{}", "{\n}", `{"title":"\nevent: badge\ndata: {}"}`, "{\"a\":\"\u2028\"}", "{\u2029 event: x}"} {
		f.Add(s, int64(7))
	}
	f.Fuzz(func(t *testing.T, object string, seq int64) {
		parsed, err := notifier.ParseTurn("200 100\nopen 9 5 " + object + "\nopen 8 0 {}\nremoved 7")
		if err != nil {
			return
		}
		want := []string{"announcement", "announcement", "announcement_removed", "badge"}
		if seq > 5 {
			want = want[1:]
		}
		text := printed(packShared(newTurn(parsed, notifier.NamedApp).view(seq).text, notifier.Badge{Ver: 3}, true))
		var names []string
		for _, e := range parse([]byte(text)) {
			names = append(names, e.name)
			if e.id != "3" || e.retry != "" || e.data[0] != '{' {
				t.Fatalf("event %+v", e)
			}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzEventsSurviveEncoding(f *testing.F) {
	for _, s := range []string{
		"a", "\r\nevent: forged\r\ndata: x\r\n\r\n", "\n\nid: 1", "\u2028data: x\u2029", ":", "\x00\xff", "\ufeff", `\u2028"}`,
	} {
		f.Add(s, s, int64(1))
	}
	f.Fuzz(func(t *testing.T, title, key string, id int64) {
		stored, err := notifier.EncodeContent(notifier.Content{Type: key, Title: title, Body: title, Link: key})
		if err != nil {
			t.Fatal(err)
		}
		raw := strings.ReplaceAll(string(stored), `\u2028`, "\u2028") // as a different writer might store it
		c := notifier.Change{Ver: id, Unread: 1, Events: []notifier.ChangeEvent{
			{Kind: notifier.ChangeNotice, ID: id, Key: key, JSON: raw},
			{Kind: notifier.ChangeRead, Key: key},
			{Kind: notifier.ChangeRemoved, Key: title},
			{Kind: notifier.ChangeEdited, ID: id, Key: key, JSON: "{\r\n\"title\":\n" + quote(title) + "}"},
		}}
		text := appendBadge(appendChange(nil, &c, notifier.NamedApp, ""), notifier.Badge{Ver: id})
		if got := printed(pack(text)); got != string(text) {
			t.Fatalf("the library prints %q, want %q", got, text)
		}
		if bytes.ContainsAny(text, "\r\u2028\u2029") {
			t.Fatalf("line end in %q", text)
		}
		got := parse(text)
		var names []string
		for _, e := range got {
			names = append(names, e.name)
			if e.id != strconv.FormatInt(id, 10) || !json.Valid([]byte(e.data)) || e.retry != "" {
				t.Fatalf("event %+v", e)
			}
		}
		if diff := cmp.Diff([]string{"notice", "read", "removed", "changed", "badge"}, names); diff != "" {
			t.Fatal(diff)
		}
		for _, i := range []int{0, 3} {
			var n struct {
				Key   string
				ID    int64
				Title string
			}
			if err := json.Unmarshal([]byte(got[i].data), &n); err != nil {
				t.Fatal(err)
			}
			if n.ID != id || n.Key != valid(key) || n.Title != valid(title) {
				t.Fatalf("notice %+v of key %q, title %q", n, key, title)
			}
		}
	})
}

// valid returns a string as JSON encodes it, with invalid UTF-8 replaced.
func valid(s string) string { return string([]rune(s)) }

func TestAnEventShowsTheAppOfItsNotice(t *testing.T) {
	t.Parallel()
	stored, err := notifier.EncodeContent(notifier.Content{Title: "x", App: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	c := notifier.Change{Ver: 1, Events: []notifier.ChangeEvent{{Kind: notifier.ChangeNotice, ID: 1, Key: "a:1", JSON: string(stored)}}}
	got := parse(appendChange(nil, &c, func(name string) notifier.RowApp {
		return notifier.RowApp{Name: name, Title: "The " + name, Icon: "https://i"}
	}, ""))
	if want := `,"app":{"name":"shop","title":"The shop","icon":"https://i"},`; len(got) != 1 || !strings.Contains(got[0].data, want) || !json.Valid([]byte(got[0].data)) {
		t.Errorf("the event is %+v", got)
	}
}

func TestNoFieldCanForgeAnEvent(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{"\r", "\n", "\r\n", "\u2028", "\u2029", "\n\nevent: badge\ndata: {}\n\n"} {
		s := "a" + evil + "b"
		stored, err := notifier.EncodeContent(notifier.Content{Revision: 1, Type: s, Scope: s, Title: s, Body: s, Link: s, Reason: s})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{notifier.ChangeNotice, notifier.ChangeEdited} {
			c, err := notifier.ParseChange("5 1\n" + kind + " 3 a:1 " + string(stored))
			if err != nil {
				t.Fatal(err)
			}
			got := parse(appendChange(nil, &c, notifier.NamedApp, ""))
			if len(got) != 1 || got[0].name != kind {
				t.Fatalf("%q became %+v", evil, got)
			}
			var back notifier.Content
			if err := json.Unmarshal([]byte(got[0].data), &back); err != nil || back.Body != s || back.Link != s || back.Reason != s {
				t.Errorf("%v: %+v", err, back)
			}
		}
	}
}
