package topic_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func (s *site) saveType(t tb, n notifier.NoticeType) {
	t.Helper()
	if err := s.SaveType(s.ctx(t), n); err != nil {
		t.Fatal(err)
	}
}

func slugs(list []notifier.NoticeType) (all []string) {
	for _, n := range list {
		all = append(all, n.Slug)
	}
	return all
}

func TestTheFirstUseMakesAType(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	for range 3 {
		if err := s.Use(t.Context(), []string{"like", "comment", "like", "No type", ""}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.sql.asked("ensure"); n != 1 {
		t.Errorf("SQL was asked %d times, want once", n)
	}
	if d := cmp.Diff([]string{"comment", "like"}, slugs(s.Types())); d != "" {
		t.Error(d)
	}
	if !s.Mutable("like") || s.Expiry("like") != 0 || s.Name("like", "ja") != "like" {
		t.Error("a type that nobody has said anything about is not as any")
	}
	s.subscribe(t, stock, "u1") // is a use, too
	if !slices.Contains(slugs(s.Types()), stock.Type) {
		t.Errorf("known: %v", slugs(s.Types()))
	}
	s.sql.before = func(string) error { return errAway }
	if err := s.Use(t.Context(), []string{"like"}); err != nil {
		t.Errorf("of a known one: %v", err)
	}
	if err := s.Use(t.Context(), []string{"like", "news"}); !errors.Is(err, errAway) {
		t.Errorf("of a new one: %v", err)
	}
}

func TestManyWhoUseANewTypeAtOnceMakeItOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if err := s.Use(t.Context(), []string{"like"}); err != nil {
				t.Error(err)
			}
			_ = s.Name("like", "en")
		})
	}
	all.Wait()
	if n := s.sql.asked("ensure"); n != 1 {
		t.Errorf("SQL was asked %d times, want once", n)
	}
}

func TestATypeIsWhatStaffSays(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	n := notifier.NoticeType{
		Slug: "rep_notice", Names: map[string]string{"en": "Replenishment", "ja": "補充"}, ExpiresIn: 72 * time.Hour, NoMute: true, Open: true,
	}
	s.saveType(t, n)
	if s.Mutable("rep_notice") || s.Expiry("rep_notice") != 72*time.Hour {
		t.Errorf("known as %+v", s.Types())
	}
	for lang, want := range map[string]string{"en": "Replenishment", "ja": "補充", "zh-Hans": "Replenishment", "": "Replenishment"} {
		if got := s.Name("rep_notice", lang); got != want {
			t.Errorf("in %q it is %q, want %q", lang, got, want)
		}
	}
	if got := s.Name("unknown", "ja"); got != "unknown" || !s.Mutable("unknown") || s.Expiry("unknown") != 0 {
		t.Errorf("an unknown one is %q", got)
	}
	n.NoMute, n.Names = false, map[string]string{"ja": "補充"}
	s.saveType(t, n)
	if !s.Mutable("rep_notice") || s.Name("rep_notice", "en") != "rep_notice" {
		t.Errorf("known as %+v", s.Types())
	}
	var bad *notifier.InvalidError
	if err := s.SaveType(t.Context(), notifier.NoticeType{Slug: "No", ExpiresIn: -1}); !errors.As(err, &bad) || len(bad.Fields) != 2 {
		t.Errorf("a wrong one: %v", err)
	}
	s.sql.before = func(call string) error {
		if call == "save" || call == "delete" {
			return errAway
		}
		return nil
	}
	if err := s.SaveType(t.Context(), notifier.NoticeType{Slug: "like"}); !errors.Is(err, errAway) || len(s.Types()) != 1 {
		t.Errorf("without SQL: %v, %v", err, slugs(s.Types()))
	}
	if err := s.DeleteType(t.Context(), "rep_notice"); !errors.Is(err, errAway) || len(s.Types()) != 1 {
		t.Errorf("without SQL: %v, %v", err, slugs(s.Types()))
	}
}

func TestADeletedTypeIsUnknownUntilItIsUsedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.saveType(t, notifier.NoticeType{Slug: "rep_notice", NoMute: true})
	s.subscribe(t, stock, "u1")
	if err := s.DeleteType(t.Context(), "rep_notice"); !errors.Is(err, notifier.ErrConflict) || s.Mutable("rep_notice") {
		t.Errorf("while somebody subscribes: %v", err)
	}
	s.unsubscribe(t, stock, "u1")
	if err := s.DeleteType(t.Context(), "rep_notice"); err != nil || !s.Mutable("rep_notice") || len(s.Types()) != 0 {
		t.Errorf("%v, %v", err, s.Types())
	}
	if err := s.DeleteType(t.Context(), "rep_notice"); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	if err := s.Use(t.Context(), []string{"rep_notice"}); err != nil || len(s.Types()) != 1 {
		t.Errorf("%v, %v", err, s.Types())
	}
}

func TestAnotherInstanceKnowsATypeAfterALook(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	b := s.another(s.rdb)
	run(t, b)
	s.saveType(t, notifier.NoticeType{Slug: "like", NoMute: true})
	eventually(t, "the other one knows it", func() bool { return !b.Mutable("like") })
	if err := s.DeleteType(t.Context(), "like"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other one has forgotten it", func() bool { return b.Mutable("like") && len(b.Types()) == 0 })
}

// Pages tell by the slice whether anything has changed.
func TestTheListOfTypesIsTheSameUntilOneChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.saveType(t, notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Like"}})
	list := s.Types()
	for range 3 {
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if unsafe.SliceData(s.Types()) != unsafe.SliceData(list) {
		t.Error("another list, with the same types")
	}
	s.saveType(t, notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Likes"}})
	if unsafe.SliceData(s.Types()) == unsafe.SliceData(list) || list[0].Names["en"] != "Like" {
		t.Errorf("the list that was given out is %+v", list)
	}
}

func TestAStartWithoutTypesIsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.sql.before = func(string) error { return errAway }
	if err := s.another(s.rdb).Load(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("%v, want that SQL is away", err)
	}
}
