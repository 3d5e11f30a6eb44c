package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
)

const (
	richData   = `{"null":null,"price":1.10,"big":12345678901234567890123,"far":1e400,"list":[{"x":"<\u2028>"}]}`
	richExtras = `"actor":{"id":"u7","name":"Alice Abe","image":"https://cdn.example.com/a.png"},
		"image":{"url":"https://eu.cdn.example.com/plan.png","alt":"The plan of hall 3"},
		"actions":[{"label":"Review","link":"/prs/7","style":"primary"},{"label":"Later","link":"https://shop.example.com/later"}],
		"data":` + richData
)

// escaped writes characters as an encoder does that expects its output in HTML. The value stays the same.
var escaped = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

func TestExtrasReachEveryAnswerAsTheyWereSent(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		id := w.accepted(t, w.front.APIKey, `{"target":{"users":["bob"]},"type":"review","title":"Please review",`+richExtras+`}`)
		path := "/notices/" + strconv.FormatInt(id, 10)
		actor := actorJSON{"u7", "Alice Abe", "https://cdn.example.com/a.png"}
		image := &imageJSON{"https://eu.cdn.example.com/plan.png", "The plan of hall 3"}
		actions := []actionJSON{{"Review", "https://shop.example.com/prs/7", "primary"}, {"Later", "https://shop.example.com/later", "plain"}}

		var n noticeOutput
		w.call(t, w.admin, "GET", path, nil).is(t, http.StatusOK).into(t, &n)
		if diff := cmp.Diff(ExtrasOutput{&actor, image, actions, verbatimOf([]byte(escaped.Replace(richData))), nil}, n.ExtrasOutput); diff != "" {
			t.Errorf("the notice: %s", diff)
		}
		w.has(t, "bob", "Please review")
		none, one := int64(0), int64(1)
		want := RowExtras{actorList{actor}, &none, &one, image, actionList(actions), verbatimOf([]byte(escaped.Replace(richData))), nil, nil}
		if diff := cmp.Diff(want, w.polled(t, "bob", "").Notices[0].RowExtras); diff != "" {
			t.Errorf("the poll: %s", diff)
		}
		var mine meNotices
		w.call(t, w.bob, "GET", "/me/notices", nil).is(t, http.StatusOK).into(t, &mine)
		if diff := cmp.Diff(want, mine.Notices[0].RowExtras); diff != "" {
			t.Errorf("the user's own: %s", diff)
		}
		text := w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", typeXML).is(t, http.StatusOK).text
		for _, part := range []string{
			"<actors><actor><id>u7</id><name>Alice Abe</name><image>https://cdn.example.com/a.png</image></actor></actors><others>0</others><times>1</times>",
			"<image><url>https://eu.cdn.example.com/plan.png</url><alt>The plan of hall 3</alt></image>",
			"<actions><action><label>Review</label><link>https://shop.example.com/prs/7</link><style>primary</style></action><action>",
			"<data>{&#34;null&#34;:null,&#34;price&#34;:1.10,",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("the XML lacks %s:\n%s", part, text)
			}
		}
	})
}

func TestAnEditChangesOrRemovesExtras(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["bob"]},"type":"review","title":"Please review",`+strings.Replace(richExtras, "https://shop.example.com", "", 1)+`}`)
	path := "/notices/" + strconv.FormatInt(id, 10)
	w.has(t, "bob", "Please review")
	var n noticeOutput
	edit := func(body string) ExtrasOutput {
		t.Helper()
		n = noticeOutput{}
		w.call(t, w.send, "PATCH", path, body).is(t, http.StatusOK).into(t, &n)
		shown := RowExtras{}
		testkit.Eventually(t, "the row follows", func() bool {
			shown = w.polled(t, "bob", "").Notices[0].RowExtras
			return (shown.Image == nil) == (n.Image == nil) && (len(shown.Actors) == 0) == (n.Actor == nil) && cmp.Equal([]actionJSON(shown.Actions), n.Actions) && cmp.Equal(shown.Data, n.Data)
		})
		return n.ExtrasOutput
	}
	before := w.notice(t, id).ExtrasOutput
	if got := edit(`{"title":"Another title"}`); !cmp.Equal(got, before) || n.Revision != 1 {
		t.Errorf("an edit of the title changed the extras: %+v", got)
	}
	if got := edit(`{"actor":{"id":"u7","name":"Alice Abe","image":"https://cdn.example.com/a.png"}}`); !cmp.Equal(got, before) || n.Revision != 1 {
		t.Errorf("the same actor is revision %d: %+v", n.Revision, got)
	}
	if got := edit(`{"actor":null,"actions":[{"label":"Open","link":"/o"}],"data":{"a":1}}`); got.Actor != nil || got.Image == nil || len(got.Actions) != 1 || string(got.Data.RawMessage) != `{"a":1}` {
		t.Errorf("%+v", got)
	}
	if got := edit(`{"image":null,"actions":null,"data":null}`); !cmp.Equal(got, ExtrasOutput{}) {
		t.Errorf("%+v", got)
	}
}

func TestExtrasOfWhatIsNotSentYetAndOfAnnouncementsCanBeEdited(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		const picture = `"image":{"url":"https://cdn.example.com/a.png","alt":"A"}`
		actions := []actionJSON{{"Open", "/o", "plain"}}
		for name, target := range map[string]string{
			"scheduled":    `{"users":["bob"]},"type":"order","send_at":"` + stamp(time.Now().Add(time.Hour)) + `"`,
			"announcement": `{"audiences":["user"]}`,
		} {
			var sent struct{ ID int64 }
			w.call(t, w.send, "POST", "/notices", `{"target":`+target+`,"title":"A",`+picture+`,"data":{"a":1}}`).is(t, http.StatusAccepted).into(t, &sent)
			id := sent.ID
			image := &imageJSON{"https://cdn.example.com/a.png", "A"}
			if diff := cmp.Diff(ExtrasOutput{Image: image, Data: verbatimOf([]byte(`{"a":1}`))}, w.notice(t, id).ExtrasOutput); diff != "" {
				t.Errorf("%s, accepted: %s", name, diff)
			}
			path := "/notices/" + strconv.FormatInt(id, 10)
			w.call(t, w.send, "PATCH", path, `{"data":null,"actions":[{"label":"Open","link":"/o"}]}`).is(t, http.StatusOK)
			if diff := cmp.Diff(ExtrasOutput{Image: image, Actions: actions}, w.notice(t, id).ExtrasOutput); diff != "" {
				t.Errorf("%s, edited: %s", name, diff)
			}
		}
		var mine meAnnouncements
		testkit.Eventually(t, "the announcement has its button", func() bool {
			mine = meAnnouncements{}
			w.call(t, w.bob, "GET", "/me/announcements", nil).is(t, http.StatusOK).into(t, &mine)
			return len(mine.Announcements) == 1 && cmp.Equal(mine.Announcements[0].Actions, actions)
		})
		if a := mine.Announcements[0]; a.Image == nil || a.Data != nil {
			t.Errorf("the announcement has %+v", a.ExtrasOutput)
		}
	})
}

func TestFaultsOfExtrasNameTheirField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nested := func(levels int) string {
		return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
	}
	data := func(size int) string { return `{"a":"` + strings.Repeat("x", size-8) + `"}` }
	for extras, places := range map[string][]string{
		`"actor":{"name":""}`:                                                                                            {"body.actor.name"},
		`"actor":{"id":"u7"}`:                                                                                            {"body.actor.name"},
		`"actor":"Alice"`:                                                                                                {"body.actor"},
		`"actor":{"name":"\u2067\u2069"}`:                                                                                {"body.actor.name"},
		`"actor":{"name":"Zoë 😀 \u2067عمر\u2069"}`:                                                                       nil,
		`"actor":{"name":"` + strings.Repeat("字", 60) + `"}`:                                                             nil,
		`"actor":{"name":"` + strings.Repeat("a", 61) + `"}`:                                                             {"body.actor.name"},
		`"actor":{"name":"A","id":"` + strings.Repeat("é", 101) + `"}`:                                                   {"body.actor.id"},
		`"actor":{"name":"A","image":"https://evil.example/a.png"}`:                                                      {"body.actor.image"},
		`"actor":{"name":"A","image":"https://xcdn.example.com/a.png"}`:                                                  {"body.actor.image"},
		`"actor":{"name":"A","image":"http://cdn.example.com/a.png"}`:                                                    {"body.actor.image"},
		`"actor":{"name":"A","image":"https://a@cdn.example.com/a.png"}`:                                                 {"body.actor.image"},
		`"actor":{"name":"A","image":"https://cdn.example.com:8443/a.png"}`:                                              {"body.actor.image"},
		`"actor":{"name":"A","image":"https://CDN.example.com:443/a.png"}`:                                               nil,
		`"actor":{"name":"A","image":"data:image/png;base64,AA=="}`:                                                      {"body.actor.image"},
		`"actor":{"name":"A","image":"javascript:alert(1)"}`:                                                             {"body.actor.image"},
		`"actor":{"name":"A","colour":"red"}`:                                                                            {"body.actor.colour"},
		`"image":{"url":"https://cdn.example.com/a.png"}`:                                                                {"body.image.alt"},
		`"image":{"alt":"A plan"}`:                                                                                       {"body.image.url"},
		`"image":{"url":"/a.png","alt":"A plan"}`:                                                                        {"body.image.url"},
		`"image":{"url":"https://cdn.example.com/a.png","alt":"` + strings.Repeat("a", 121) + `"}`:                       {"body.image.alt"},
		`"actions":[{"label":"A","link":"javascript:1"},{"label":"","link":"/b"}]`:                                       {"body.actions[0].link", "body.actions[1].label"},
		`"actions":[{"label":"A","link":""}]`:                                                                            {"body.actions[0].link"},
		`"actions":[{"label":"A"}]`:                                                                                      {"body.actions[0].link"},
		`"actions":[{"label":"A","link":"/a","style":"red"}]`:                                                            {"body.actions[0].style"},
		`"actions":[{"label":"` + strings.Repeat("a", 25) + `","link":"/a"}]`:                                            {"body.actions[0].label"},
		`"actions":[{"label":"A","link":"/a"},{"label":"B","link":"/b"},{"label":"C","link":"/c"}]`:                      {"body.actions"},
		`"actions":[` + strings.Repeat(`{"label":"A","link":"/a"},`, 1000) + `{"label":"A","link":"https://b.example"}]`: {"body.actions"},
		`"more":{"other":"{actor} and {others} others"}`:                                                                 {"body.more.other"},
		`"more":{"other":"{others} new notices"}`:                                                                        nil,
		`"actor":{"name":"A"},"more":{"one":"{actor} and {others}","other":"` + strings.Repeat("a", 200) + `"}`:          nil,
		`"actor":{"name":"A"},"more":{"one":"{actor} and another"}`:                                                      {"body.more.other"},
		`"actor":{"name":"A"},"more":{"other":""}`:                                                                       {"body.more.other"},
		`"actor":{"name":"A"},"more":{"other":"{actor} and {count} others"}`:                                             {"body.more.other"},
		`"actor":{"name":"A"},"more":{"one":"a { b","other":"x"}`:                                                        {"body.more.one"},
		`"actor":{"name":"A"},"more":{"other":"` + strings.Repeat("a", 201) + `"}`:                                       {"body.more.other"},
		`"actor":{"name":"A"},"more":{"other":"x","two":"y"}`:                                                            {"body.more.two"},
		`"more":"others"`:                  {"body.more"},
		`"data":[]`:                        {"body.data"},
		`"data":"x"`:                       {"body.data"},
		`"data":7`:                         {"body.data"},
		`"data":{}`:                        nil,
		`"data":` + data(2048):             nil,
		`"data":` + data(2049):             {"body.data"},
		`"data":` + nested(32):             nil,
		`"data":` + nested(33):             {"body.data"},
		`"data":` + nested(100):            {"body.data"},
		`"data":{"a":1,"a":2}`:             {"body.data.a"},
		`"data":{"a":null},"colour":"red"`: {"body.colour"},
	} {
		body := `{"target":{"users":["bob"]},"type":"review","title":"A",` + extras + `}`
		if places == nil {
			w.accepted(t, w.send, body)
			continue
		}
		got := w.call(t, w.send, "POST", "/notices", body).is(t, http.StatusUnprocessableEntity).faults(t)
		if slices.Sort(got); !slices.Equal(got, places) {
			t.Errorf("%.200s: faults at %v, want %v", extras, got, places)
		}
	}
	refused := w.call(t, w.send, "POST", "/notices", `{"target":{"audiences":["user"]},"title":"A","actor":{"name":"A"}}`).is(t, http.StatusUnprocessableEntity)
	if got := refused.faults(t); !slices.Equal(got, []string{"body.actor"}) {
		t.Errorf("the actor of an announcement: faults at %v", got)
	}
	w.accepted(t, w.send, `{"target":{"audiences":["user"]},"title":"A","image":{"url":"https://cdn.example.com/a.png","alt":"A"},"actions":[{"label":"A","link":"/a"}],"data":{"a":1}}`)
}
