package inbox_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// ofApp returns a notice of an app; 0: of none.
func (s *site) ofApp(app, id int64, subject string) *notifier.Notice {
	n := s.notice(id, subject)
	n.App.ID = app
	return n
}

func TestReadSubjectLeavesTheEntriesOfOtherApps(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i, c := range []struct {
			app  int64
			left string
		}{{7, "a17/like:o/1 a71/like:o/1"}, {0, ""}, {9, "a7/like:o/1 a17/like:o/1 a71/like:o/1"}} {
			seq := int64(42 + i)
			for j, app := range []int64{71, 17, 7, 0} {
				s.deliver(t, seq, s.ofApp(app, int64(10*i+j+1), "o/1"))
			}
			if _, err := s.ReadSubject(t.Context(), seq, "o/1", c.app); err != nil {
				t.Fatal(err)
			}
			var unread []string
			for _, field := range s.sound(t, seq).List {
				if key, read, _ := notifier.SplitField(field); !read {
					unread = append(unread, key)
				}
			}
			if got := strings.Join(unread, " "); got != c.left {
				t.Errorf("reading as app %d leaves %q unread; want %q", c.app, got, c.left)
			}
		}
		if types, err := s.Types(t.Context(), 42, false); err != nil || len(types) != 1 || types[0].Type != "like" || types[0].Count != 4 {
			t.Errorf("the types are %+v, %v; want one for all senders", types, err)
		}
	})
}

// TestANoticeIsFoundUnderTheKeyThatAnOlderProgramGaveIt delivers like an instance without support for apps.
func TestANoticeIsFoundUnderTheKeyThatAnOlderProgramGaveIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.deliver(t, 42, s.ofApp(0, 5, "photo:5"))
		n := s.ofApp(7, 5, "photo:5")
		s.edit(t, edited(n, 1, "Edited"), 42)
		if e, err := s.Find(t.Context(), 42, "like:photo:5", 0); err != nil || e.Title != "Edited" {
			t.Errorf("the row is %+v, %v; want it edited", e, err)
		}
		if err := s.Retract(t.Context(), 6, "a7/like:photo:5", []int64{42}); err != nil || len(s.sound(t, 42).List) != 1 {
			t.Errorf("retracting another notice, %v, leaves %q", err, s.stored(t, 42).List)
		}
		if err := s.Retract(t.Context(), 5, n.Key(), []int64{42}); err != nil || len(s.sound(t, 42).List) != 0 {
			t.Errorf("retracting the notice, %v, leaves %q", err, s.stored(t, 42).List)
		}
	})
}
