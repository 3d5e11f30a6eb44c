package notifier_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestToastsWithoutANoticeAreSummarizedLast(t *testing.T) {
	t.Parallel()
	var toasts []notifier.ToastEvent
	for _, of := range []struct {
		id     string
		notice int64
	}{{"1-0", 0}, {"2-0", 12}, {"3-0", 13}, {"4-0", 14}, {"5-0", 15}} {
		shows, ok := notifier.NewToastEvent(&notifier.Toast{ID: of.id, NoticeID: of.notice, Content: []byte(`{"title":"x"}`)}, notifier.ToastShows{App: notifier.NamedApp, Look: notifier.LookOf})
		if !ok {
			t.Fatalf("toast %s cannot be read", of.id)
		}
		toasts = append(toasts, shows)
	}
	var ids []string
	for _, e := range notifier.ToastsTogether(toasts, "") {
		ids = append(ids, e.ID)
	}
	if want := []string{"4-0", "5-0", "1-0", "2-0,3-0"}; !slices.Equal(ids, want) {
		t.Errorf("toasts %q, want %q", ids, want)
	}
}

func TestAToastEventShowsWhoDidItAndWhatCanBeDone(t *testing.T) {
	t.Parallel()
	content, err := notifier.EncodeContent(notifier.Content{
		Type: "comment", Title: "Alice commented", Extras: notifier.Extras{
			Actor:   &notifier.RowActor{ID: "u7", Name: "Alice Ng", Image: "https://cdn.example.com/a.png"},
			Actions: []notifier.Action{{Label: "Reply", Link: "/photos/9#reply", Style: notifier.StylePrimary}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(typ string) notifier.Look { return notifier.Look{Icon: "star of " + typ, Tint: "pink"} }
	e, ok := notifier.NewToastEvent(&notifier.Toast{ID: "1-0", NoticeID: 4, Key: "comment:9", Content: content, RaisedAt: time.UnixMilli(77)},
		notifier.ToastShows{App: notifier.NamedApp, Look: look})
	got, err := json.Marshal(e)
	want := `{"id":"1-0","title":"Alice commented","body":"","link":"","type":"comment","look":{"icon":"star of comment","color":"pink"},` +
		`"actors":[{"id":"u7","name":"Alice Ng","image":"https://cdn.example.com/a.png"}],"face":{"initials":"AN","color":"` + notifier.TintOf("u7") + `"},` +
		`"actions":[{"label":"Reply","link":"/photos/9#reply","style":"primary"}],"notice":4,"key":"comment:9","raised":77}`
	if !ok || err != nil || string(got) != want {
		t.Errorf("%v, %v\n%s\nwant\n%s", ok, err, got, want)
	}
}

func TestAToastDoesNotShowADeletedActor(t *testing.T) {
	t.Parallel()
	x := notifier.Extras{Actor: &notifier.RowActor{ID: "u7", Name: "Alice"}}
	x.Forget("u7")
	content, err := notifier.EncodeContent(notifier.Content{Type: "comment", Title: "x", Extras: x})
	if err != nil {
		t.Fatal(err)
	}
	e, ok := notifier.NewToastEvent(&notifier.Toast{ID: "1-0", Content: content}, notifier.ToastShows{App: notifier.NamedApp, Look: notifier.LookOf})
	if !ok || e.Actors != nil || e.Face != nil || e.Look == nil {
		t.Errorf("%v, %+v; want only the look of the type", ok, e)
	}
}
