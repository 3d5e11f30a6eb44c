package notifier_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func theShop(name string) notifier.RowApp {
	a := notifier.App{Name: name, AppLook: notifier.AppLook{Title: "The " + name, Icon: "https://cdn.example.com/a.png"}}
	return a.Shown()
}

func FuzzTheAppOfAnEventIsShown(f *testing.F) {
	f.Add("front", "x", `{"app":"data"}`, "Zoë")
	f.Add("", `,"app":"x"`, `{"a":1,"app":"data","data":{"b":1,"app":"c"}}`, "")
	f.Add(`a"\\u2028`, `,"data":{`, `{"data":{"x":1},"app":"y"}`, `,"app":"z`)
	f.Fuzz(func(t *testing.T, app, title, data, actor string) {
		c := notifier.Content{Type: "t", Title: title, Body: title, Link: title, App: strings.ToValidUTF8(app, ""), CreatedAt: time.Unix(9, 0)}
		if actor != "" {
			c.Actor = &notifier.RowActor{Name: actor}
		}
		if json.Valid([]byte(data)) && strings.HasPrefix(data, "{") {
			c.Data = json.RawMessage(data)
		}
		stored, err := notifier.EncodeContent(c)
		if err != nil {
			t.Fatal(err)
		}
		shown := notifier.ShowApp(string(stored), theShop)
		var was, is map[string]any
		if err := json.Unmarshal(stored, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(shown), &is); err != nil {
			t.Fatalf("%v in %s", err, shown)
		}
		if c.App != "" {
			was["app"] = map[string]any{"name": c.App, "title": "The " + c.App, "icon": "https://cdn.example.com/a.png"}
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stored, diff)
		}
	})
}

func TestAnAppWithoutATitleIsShownByItsName(t *testing.T) {
	t.Parallel()
	a := notifier.App{Name: "shop"}
	if got := a.Shown(); got != (notifier.RowApp{Name: "shop", Title: "shop"}) || got != notifier.NamedApp("shop") {
		t.Errorf("it is shown as %+v", got)
	}
}

func TestAToastEventShowsItsApp(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{`{"title":"x","app":"shop"}`: "The shop", `{"title":"x"}`: ""} {
		e, ok := notifier.NewToastEvent(&notifier.Toast{ID: "1-0", Content: []byte(content)}, notifier.ToastShows{App: theShop, Look: notifier.LookOf})
		if got := e.App; !ok || (got == nil) != (want == "") || got != nil && got.Title != want {
			t.Errorf("%s is shown with %+v", content, got)
		}
	}
}
