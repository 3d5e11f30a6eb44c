package notifier_test

import (
	"encoding/json"
	"slices"
	"testing"

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
	e, ok := notifier.NewToastEvent(&notifier.Toast{ID: "1-0", NoticeID: 4, Key: "comment:9", Content: content},
		notifier.ToastShows{App: notifier.NamedApp, Look: look})
	got, err := json.Marshal(e)
	want := `{"id":"1-0","title":"Alice commented","body":"","link":"","type":"comment","look":{"icon":"star of comment","color":"pink"},` +
		`"actors":[{"id":"u7","name":"Alice Ng","image":"https://cdn.example.com/a.png"}],"face":{"initials":"AN","color":"` + notifier.TintOf("u7") + `"},` +
		`"actions":[{"label":"Reply","link":"/photos/9#reply","style":"primary"}],"notice":4,"key":"comment:9"}`
	if !ok || err != nil || string(got) != want {
		t.Errorf("%v, %v\n%s\nwant\n%s", ok, err, got, want)
	}
}

func TestAToastOfAGroupHasTheTitleAndTheActorOfItsRow(t *testing.T) {
	t.Parallel()
	shows := notifier.ToastShows{App: notifier.NamedApp, Look: notifier.LookOf, Somebody: "Jemand"}
	group := notifier.Members{Joins: true, Times: 2, Notices: []notifier.Member{{ID: 3, Actor: "x"}, {ID: 4, Actor: "y"}}}
	const content = `{"type":"comment","title":"Bob commented","body":"","link":"","actor":{"name":"Bob"},"more":{"other":"{actor} and {others} other commented"}}`
	for latest, name := range map[string]string{`{"name":"Carol"}`: "Carol", `{"name":"Somebody","gone":"y"}`: "Jemand"} {
		lines := content + "\n" + group.String() + "\n" + latest + "\n" + `{"name":"Alice"}`
		e, ok := notifier.NewToastEvent(&notifier.Toast{ID: "1-0", Content: []byte(lines)}, shows)
		if want := name + " and 1 other commented"; !ok || e.Title != want || len(e.Actors) != 1 || e.Actors[0].Name != name || e.Actors[0].Gone != "" {
			t.Errorf("%v, %q by %+v; want %q", ok, e.Title, e.Actors, want)
		}
	}
	if _, ok := notifier.NewToastEvent(&notifier.Toast{Content: []byte(content + "\nnonsense")}, shows); ok {
		t.Error("a malformed group is shown")
	}
}
