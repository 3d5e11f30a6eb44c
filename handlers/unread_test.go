package handlers_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// unreadBy returns the users after the given seq who have not read a notice.
type unreadBy func(after int64, most int) ([]notifier.UserName, int64)

func (u unreadBy) UnreadBy(_ context.Context, _ *notifier.Notice, after int64, most int) ([]notifier.UserName, int64, error) {
	users, next := u(after, most)
	return users, next, nil
}

func TestThoseWhoHaveNotReadAreListedPageByPage(t *testing.T) {
	t.Parallel()
	n := notice(5, notifier.StateSent)
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: n}, nil }
		w.config.Unread = unreadBy(func(after int64, most int) (users []notifier.UserName, next int64) {
			switch after {
			case 0:
				for i := range most {
					users = append(users, notifier.UserName{Name: "user" + strconv.Itoa(i), Display: "Anna"})
				}
				return users, 90
			case 90:
				return []notifier.UserName{{Name: "zoe"}}, 900
			default:
				return nil, 0
			}
		})
	})
	r := w.get("carol", "/staff/notices/5/unread").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=unread-by] li") != 50 || r.attr(".pager a", "href") != "/staff/notices/5/unread?after=90" || r.text(".pager") != "Next" {
		t.Errorf("the first page: %s", r.body)
	}
	r = w.get("carol", "/staff/notices/5/unread?after=90").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=unread-by] li", "zoe")
	if r.attr(".pager [rel=next]", "href") != "/staff/notices/5/unread?after=900" || r.attr(".pager a", "href") != "/staff/notices/5/unread" {
		t.Errorf("a page of a search that took long: %s", r.body)
	}
	w.get("carol", "/staff/notices/5/unread?after=900").wantText(t, ".empty h2", "Nobody here has it unread")
	w.get("alice", "/staff/notices/5/unread").wantStatus(t, http.StatusNotFound)
	n.Target = notifier.Target{Audiences: []notifier.Audience{2}}
	w.get("carol", "/staff/notices/5/unread").wantStatus(t, http.StatusNotFound)
}
