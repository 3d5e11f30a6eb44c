package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// heads returns the columns of a table, each with its sort order and link.
func heads(r reply) map[string]string {
	found := map[string]string{}
	for _, th := range r.page.Find("thead th").EachIter() {
		found[th.Text()] = th.AttrOr("aria-sort", "") + " " + th.Find("a").AttrOr("href", "")
	}
	return found
}

func TestSentNoticesAreListedInPages(t *testing.T) {
	t.Parallel()
	const path = "/staff/notices"
	var asked []notifier.NoticeQuery
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) {
			asked = append(asked, q)
			var list []notifier.Notice
			for i := range q.Limit {
				list = append(list, notice(int64(1000-i), notifier.StateSent))
			}
			return list, nil
		}
	})
	newest, oldest := "descending "+path+"?sort=time", "ascending "+path
	for _, test := range []struct {
		address, next, first, sorted string
		query                        notifier.NoticeQuery
	}{
		{"", "?before=951", "", newest, notifier.NoticeQuery{}},
		{"?before=951", "?before=951", path, newest, notifier.NoticeQuery{Before: 951}},
		{"?sort=-time&before=951", "?before=951", path, newest, notifier.NoticeQuery{Before: 951}},
		{"?sort=time", "?after=951&sort=time", "", oldest, notifier.NoticeQuery{Oldest: true}},
		{"?sort=time&after=7", "?after=951&sort=time", path + "?sort=time", oldest, notifier.NoticeQuery{Oldest: true, After: 7}},
		{"?q=+a%26b+&sort=time", "?after=951&q=a%26b&sort=time", "", oldest + "?q=a%26b", notifier.NoticeQuery{Oldest: true, Contains: "a&b"}},
		{"?q=x", "?before=951&q=x", "", "descending " + path + "?q=x&sort=time", notifier.NoticeQuery{Contains: "x"}},
		{"?before=tampered&after=-1", "?before=951", "", newest, notifier.NoticeQuery{}},
		{"?after=7", "?before=951", "", newest, notifier.NoticeQuery{}}, // a cursor for the other order
		{"?sort=size&q=" + strings.Repeat("long", 300), "?before=951", "", newest, notifier.NoticeQuery{}},
	} {
		asked = nil
		r := w.get("carol", path+test.address).wantStatus(t, http.StatusOK)
		test.query.Limit = 51
		if test.query.Contains == "" {
			test.query.Senders = notifier.SentByPeople
		}
		if diff := cmp.Diff([]notifier.NoticeQuery{test.query}, asked); diff != "" {
			t.Errorf("%s: %s", test.address, diff)
		}
		if got := r.attr("a[rel=next]", "href"); r.count("[data-testid=sent]") != 50 || got != path+test.next {
			t.Errorf("%s: %d rows, the next page is %q", test.address, r.count("[data-testid=sent]"), got)
		}
		if got := r.attr(".pager a:not([rel])", "href"); got != test.first {
			t.Errorf("%s: the first page is %q, want %q", test.address, got, test.first)
		}
		if got := heads(r)["Sent at"]; got != test.sorted || r.count("th[aria-sort]") != 1 {
			t.Errorf("%s: sorted %q, want %q", test.address, got, test.sorted)
		}
	}
}

func TestSearchOfSentNoticesKeepsTheSearchAndTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.get("carol", "/staff/notices").wantText(t, "[data-testid=empty] h2", "Nothing sent yet")
	r := w.get("carol", "/staff/notices?q=lift%22&sort=time")
	r.wantText(t, "[data-testid=empty] h2", "Nothing found")
	if r.attr("#q", "value") != `lift"` || r.attr(".search [name=sort]", "value") != "time" || r.attr(".search", "method") != "get" {
		t.Errorf("the search is %q", r.attr("#q", "value"))
	}
	if w.get("carol", "/staff/notices?q=lift").count(".search [name=sort]") != 0 {
		t.Error("the form has a field for the default order")
	}
}

func TestSentNoticesShowHowManyReceivedAndReadThem(t *testing.T) {
	t.Parallel()
	early, nobody := notice(2, notifier.StateAccepted), notice(1, notifier.StateSent)
	early.Routed, early.Recipients, nobody.Recipients = false, 0, 0
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) {
			return []notifier.Notice{notice(4, notifier.StateSending), notice(3, notifier.StateSent), early, nobody}, nil
		}
		w.sender.progressOf = func(notices []notifier.Notice) (list []notifier.Progress, err error) {
			for _, n := range notices {
				list = append(list, notifier.Progress{Notice: n, Delivered: 1200, Read: 3, Counted: n.ID != 3})
			}
			return list, nil
		}
	})
	r := w.get("carol", "/staff/notices").wantStatus(t, http.StatusOK)
	var got []string
	for _, row := range r.page.Find("[data-testid=sent]").EachIter() {
		for _, id := range []string{"delivered", "read"} {
			cell := row.Find("[data-testid=" + id + "]")
			bar := cell.Find("progress")
			got = append(got, strings.Join(strings.Fields(cell.Text()), " ")+"|"+bar.AttrOr("value", "")+"|"+bar.AttrOr("max", ""))
		}
	}
	want := []string{
		"1,200 of 1,500|1200|1500", "3 of 1,500|3|1500", "unknown right now||", "unknown right now||",
		"counting||", "counting||", "no recipients||", "no recipients||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	first := r.page.Find("[data-testid=sent]").First()
	if first.Find("th a").AttrOr("href", "") != "/staff/notices/4" || first.Find("th .hint").Text() != "To a, b, c and 2 more · by carol" {
		t.Errorf("the first row is %q", first.Text())
	}
	for id, follows := range map[string]bool{"4": true, "1": false} {
		row := r.page.Find("#notice-" + id)
		if row.Length() != 1 || (row.AttrOr("hx-trigger", "") != "") != follows {
			t.Errorf("notice %s polls: %v, want %v", id, !follows, follows)
		}
	}
	w.sender.progressOf = func([]notifier.Notice) ([]notifier.Progress, error) {
		return nil, fmt.Errorf("read recipients: %w", notifier.ErrUnavailable)
	}
	w.get("carol", "/staff/notices").wantStatus(t, http.StatusServiceUnavailable)
}

func TestUsersAreSortedByNameOrNewestFirst(t *testing.T) {
	t.Parallel()
	const path = "/staff/users"
	w := newWorld(t, nil)
	w.haveCrowd("user", 60, 2) // after alice, bob and carol
	usual := map[string]string{"Name": "ascending " + path + "?sort=-name"}
	latest := map[string]string{"Name": " " + path}
	for _, test := range []struct {
		address, next, first string
		heads                map[string]string
	}{
		{"", "?after=user+0046", "alice", usual},
		{"?after=user+0046", "", "user 0047", usual},
		{
			"?sort=-name&after=x", "?after=user+0010&sort=-name", "user 0059",
			map[string]string{"Name": "descending " + path},
		},
		{"?sort=-seq", "?after=14&sort=-seq", "user 0059", latest},
		{"?sort=-seq&after=14", "", "user 0009", latest},
		{"?sort=-seq&after=user+49", "?after=14&sort=-seq", "user 0059", latest},
		{"?sort=audience", "?after=user+0046", "alice", usual},
		{"?sort=-seq&q=user", "?after=user+0049&q=user", "user 0000", map[string]string{"Name": "ascending "}}, // only by name a search can stop and continue
		{"?after=" + strings.Repeat("long", 100), "?after=user+0046", "alice", usual},
	} {
		r := w.get("carol", path+test.address).wantStatus(t, http.StatusOK)
		if got := r.page.Find("[data-testid=user] th").First().Text(); !strings.Contains(got, test.first) {
			t.Errorf("%s: the first is %q, want %q", test.address, got, test.first)
		}
		if test.next != "" {
			test.next = path + test.next
		}
		if got := r.attr("a[rel=next]", "href"); got != test.next {
			t.Errorf("%s: the next page is %q", test.address, got)
		}
		for column, want := range test.heads {
			if got := heads(r)[column]; got != want {
				t.Errorf("%s: %s is %q, want %q", test.address, column, got, want)
			}
		}
	}
}

func TestANoticeOfOneRecipientIsReadOrUnread(t *testing.T) {
	t.Parallel()
	one, two := notice(2, notifier.StateSent), notice(1, notifier.StateSent)
	one.Recipients, two.Recipients = 1, 2
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) { return []notifier.Notice{one, two}, nil }
		w.sender.progressOf = func(notices []notifier.Notice) (list []notifier.Progress, err error) {
			for _, n := range notices {
				list = append(list, notifier.Progress{Notice: n, Delivered: 1, Counted: true})
			}
			return list, nil
		}
	})
	r := w.get("carol", "/staff/notices").wantStatus(t, http.StatusOK)
	for row, want := range map[string]string{"#notice-2[data-single]": "Unread", "#notice-1:not([data-single])": "1 of 2 0 of 2"} {
		r.wantText(t, row+" [data-testid=delivered], "+row+" [data-testid=read]", want)
	}
	if r.count("#notice-2 progress") != 0 || r.count("#notice-1 progress") != 2 {
		t.Errorf("%d and %d bars", r.count("#notice-2 progress"), r.count("#notice-1 progress"))
	}
	if got := r.count("#state-2 .chip, #state-1 .chip"); got != 0 {
		t.Errorf("%d notices that are sent say so", got)
	}
}

func TestReadStateOfASingleRecipientCanBeUnknown(t *testing.T) {
	t.Parallel()
	one := notice(2, notifier.StateSent)
	one.Recipients = 1
	p := notifier.Progress{Notice: one, Delivered: 1, Counted: true, ReadUnknown: true}
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) { return []notifier.Notice{one}, nil }
		w.sender.progressOf = func([]notifier.Notice) ([]notifier.Progress, error) { return []notifier.Progress{p}, nil }
		w.sender.progress = func(int64) (notifier.Progress, error) { return p, nil }
	})
	for _, address := range []string{"/staff/notices", "/staff/notices/2"} {
		r := w.get("carol", address).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=read]", "Unknown")
		if text := r.text("main"); !strings.Contains(text, "1 of 1") || strings.Contains(text, "0 of 1") {
			t.Errorf("%s says %q", address, text)
		}
		if r.count("progress[data-testid=read], [data-testid=read] progress") != 0 {
			t.Errorf("%s: a bar shows an unknown share", address)
		}
	}
	w.get("carol", "/staff/notices/2", "Accept-Language", "ja").wantText(t, "[data-testid=read]", "不明")
}

func TestListAnnouncesTheResultOfASearch(t *testing.T) {
	t.Parallel()
	found, users := 0, 0
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) (list []notifier.Notice, err error) {
			for i := range min(found, q.Limit) {
				list = append(list, notice(int64(1000-i), notifier.StateSent))
			}
			return list, nil
		}
	})
	for _, test := range []struct {
		address, lang string
		found         int
		want          string
	}{
		{"/staff/users?q=zz", "en", 0, "Nobody found"},
		{"/staff/users?q=zz", "en", 1, "1 result"},
		{"/staff/users?q=zz", "zh", 3, "找到 3 个结果"},
		{"/staff/users?q=zz", "en", 50, "50 results"},
		{"/staff/users?q=zz", "en", 51, "50 or more results"},
		{"/staff/users?q=zz", "zh", 51, "找到 50 个或更多结果"},
		{"/staff/notices?q=a", "en", 0, "Nothing found"},
		{"/staff/notices?q=a", "en", 2, "2 results"},
		{"/staff/notices?q=a", "ja", 51, "50件以上見つかりました"},
		{"/staff/notices?q=a", "ja", 1, "1件見つかりました"},
		{"/staff/notices", "zh", 0, "还没有发送过通知"},
	} {
		for found = test.found; strings.HasPrefix(test.address, "/staff/users") && users < found; users++ {
			w.haveUsers(fmt.Sprintf("zz%02d", users))
		}
		if got := w.get("carol", test.address, "Accept-Language", test.lang).attr("#results", "data-say"); got != test.want {
			t.Errorf("%d of %s in %s: %q, want %q", test.found, test.address, test.lang, got, test.want)
		}
	}
}
