package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestAUserReadsTheirAnnouncementsByToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.token(t, "bob", nil)
	for _, body := range []string{
		`{"target":{"audiences":["user"]},"type":"news","title":"Closed on Friday","body":"The **office** is [closed](/hours).\n\n![Plan](https://cdn.example.com/a.png) ![no](https://x.example/)\n\n2. <b>x</b>","pinned":true}`,
		`{"target":{"audiences":["user"]},"type":"news","title":"Second"}`,
		`{"target":{"audiences":["customer"]},"type":"news","title":"For others"}`,
	} {
		w.call(t, w.send, "POST", "/notices", body).is(t, http.StatusAccepted)
	}
	var list meAnnouncements
	testkit.Eventually(t, "both announcements are open", func() bool {
		list = meAnnouncements{}
		w.call(t, bob, "GET", "/me/announcements", nil).is(t, http.StatusOK).into(t, &list)
		return len(list.Announcements) == 2
	})
	first := list.Announcements[0]
	body, err := json.Marshal(first.Body)
	want := `[{"type":"p","children":[{"type":"text","text":"The "},{"type":"strong","children":[{"type":"text","text":"office"}]},{"type":"text","text":" is "},` +
		`{"type":"a","href":"/hours","children":[{"type":"text","text":"closed"}]},{"type":"text","text":"."}]},` +
		`{"type":"p","children":[{"type":"img","src":"https://cdn.example.com/a.png","alt":"Plan"},{"type":"text","text":" no"}]},` +
		`{"type":"ol","start":2,"children":[{"type":"li","children":[{"type":"text","text":"<b>x</b>"}]}]}]`
	if err != nil || string(body) != strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(want) {
		t.Errorf("the text is %s, %v", body, err)
	}
	if !first.Pinned || first.Read || list.Badge.Unread != 2 || list.Badge.Announcements != 2 {
		t.Errorf("the list is %+v", list)
	}
	tagged := w.call(t, bob, "GET", "/me/announcements", nil)
	w.call(t, bob, "GET", "/me/announcements", nil, "If-None-Match", tagged.Header.Get("ETag")).is(t, http.StatusNotModified)

	steps := []struct {
		path, body string
		unread     int64
	}{
		{"read", `{"ids":[` + number(first.ID) + `,999]}`, 1},
		{"unread", `{"ids":[` + number(first.ID) + `]}`, 2},
		{"read", `{"all":true}`, 0},
	}
	for _, s := range steps {
		var badge badgeAnswer
		w.call(t, bob, "POST", "/me/announcements/"+s.path, s.body).is(t, http.StatusOK).into(t, &badge)
		if badge.Unread != s.unread || badge.Announcements != s.unread {
			t.Errorf("after %s %s the badge is %+v", s.path, s.body, badge)
		}
	}
	erin := w.token(t, "erin", nil)
	w.call(t, erin, "POST", "/me/announcements/read", `{"ids":[`+number(first.ID)+`]}`).is(t, http.StatusNotFound)
	for _, bad := range []string{`{}`, `{"ids":[]}`, `{"ids":[1],"all":true}`, `{"all":false}`} {
		w.call(t, bob, "POST", "/me/announcements/read", bad).is(t, http.StatusUnprocessableEntity)
	}
}
