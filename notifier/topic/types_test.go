package topic_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func (s *site) saveType(t tb, n notifier.NoticeType) {
	t.Helper()
	if err := s.SaveType(t.Context(), notifier.Actor{}, n); err != nil {
		t.Fatal(err)
	}
}

func slugs(list []notifier.NoticeType) (all []string) {
	for _, n := range list {
		all = append(all, n.Slug)
	}
	return all
}

func TestTheFirstUseCreatesAType(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	for range 3 {
		if err := s.Use(t.Context(), []string{"like", "comment", "like", "No type", ""}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.sql.asked("ensure"); n != 1 {
		t.Errorf("%d calls to SQL, want 1", n)
	}
	if d := cmp.Diff([]string{"comment", "like"}, slugs(s.Types())); d != "" {
		t.Error(d)
	}
	if !s.Mutable("like") || s.Expiry("like") != 0 || s.Name("like", "ja") != "like" {
		t.Error("an undescribed type lacks the defaults")
	}
	s.subscribe(t, stock, "u1") // subscribing counts as a use
	if !slices.Contains(slugs(s.Types()), stock.Type) {
		t.Errorf("known types: %v", slugs(s.Types()))
	}
	s.sql.before = func(string) error { return errAway }
	if err := s.Use(t.Context(), []string{"like"}); err != nil {
		t.Errorf("a known type: %v", err)
	}
	if err := s.Use(t.Context(), []string{"like", "news"}); !errors.Is(err, errAway) {
		t.Errorf("a new type: %v", err)
	}
}

func TestConcurrentFirstUsesCreateATypeOnce(t *testing.T) {
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
		t.Errorf("%d calls to SQL, want 1", n)
	}
}

func TestSaveTypeReplacesAType(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	n := notifier.NoticeType{
		Slug: "rep_notice", Names: map[string]string{"en": "Replenishment", "ja": "補充"}, ExpiresIn: 72 * time.Hour, NoMute: true, Open: true,
	}
	s.saveType(t, n)
	if s.Mutable("rep_notice") || s.Expiry("rep_notice") != 72*time.Hour {
		t.Errorf("known types: %+v", s.Types())
	}
	for lang, want := range map[string]string{"en": "Replenishment", "ja": "補充", "zh-Hans": "Replenishment", "": "Replenishment"} {
		if got := s.Name("rep_notice", lang); got != want {
			t.Errorf("name in %q: %q, want %q", lang, got, want)
		}
	}
	if got := s.Name("unknown", "ja"); got != "unknown" || !s.Mutable("unknown") || s.Expiry("unknown") != 0 {
		t.Errorf("name of an unknown type: %q", got)
	}
	for _, test := range []struct {
		names      map[string]string
		lang, want string
	}{
		{map[string]string{"en": "News", "zh-Hans": "新闻"}, "zh-Hant", "新闻"},
		{map[string]string{"en": "News", "zh-Hant": "新聞"}, "zh-Hans", "新聞"},
		{map[string]string{"en": "News", "zh-Hans": "新闻", "zh-Hant": "新聞"}, "zh-Hant", "新聞"},
		{map[string]string{"en": "News", "zh-Hans": "新闻", "zh-Hant": "新聞"}, "zh-Hans", "新闻"},
		{map[string]string{"en": "News", "zh-Hans": "新闻", "zh-Hant": "新聞"}, "ja", "News"},
		{map[string]string{"en": "News", "ja": "ニュース"}, "zh-Hant", "News"},
	} {
		n.Names = test.names
		s.saveType(t, n)
		if got := s.Name("rep_notice", test.lang); got != test.want {
			t.Errorf("name in %s of %v: %q, want %q", test.lang, test.names, got, test.want)
		}
	}
	n.NoMute, n.Names = false, map[string]string{"ja": "補充"}
	s.saveType(t, n)
	if !s.Mutable("rep_notice") || s.Name("rep_notice", "en") != "rep_notice" {
		t.Errorf("known types: %+v", s.Types())
	}
	var bad *notifier.InvalidError
	if err := s.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "No", ExpiresIn: -1}); !errors.As(err, &bad) || len(bad.Fields) != 2 {
		t.Errorf("invalid type: %v", err)
	}
	s.sql.before = func(call string) error {
		if call == "save" || call == "delete" {
			return errAway
		}
		return nil
	}
	if err := s.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "like"}); !errors.Is(err, errAway) || len(s.Types()) != 1 {
		t.Errorf("without SQL: %v, %v", err, slugs(s.Types()))
	}
	if err := s.DeleteType(t.Context(), notifier.Actor{}, "rep_notice"); !errors.Is(err, errAway) || len(s.Types()) != 1 {
		t.Errorf("without SQL: %v, %v", err, slugs(s.Types()))
	}
}

func TestADeletedTypeIsUnknownUntilItsNextUse(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.saveType(t, notifier.NoticeType{Slug: "rep_notice", NoMute: true})
	s.subscribe(t, stock, "u1")
	if err := s.DeleteType(t.Context(), notifier.Actor{}, "rep_notice"); !errors.Is(err, notifier.ErrConflict) || s.Mutable("rep_notice") {
		t.Errorf("delete a type with subscribers: %v", err)
	}
	s.unsubscribe(t, stock, "u1")
	if err := s.DeleteType(t.Context(), notifier.Actor{}, "rep_notice"); err != nil || !s.Mutable("rep_notice") || len(s.Types()) != 0 {
		t.Errorf("%v, %v", err, s.Types())
	}
	if err := s.DeleteType(t.Context(), notifier.Actor{}, "rep_notice"); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("delete again: %v", err)
	}
	if err := s.Use(t.Context(), []string{"rep_notice"}); err != nil || len(s.Types()) != 1 {
		t.Errorf("%v, %v", err, s.Types())
	}
}

func TestOtherInstancesReloadTypesInTheNextRound(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	b := s.another(s.rdb)
	run(t, b)
	s.saveType(t, notifier.NoticeType{Slug: "like", NoMute: true})
	testkit.Eventually(t, "the other instance knows the type", func() bool { return !b.Mutable("like") })
	if err := s.DeleteType(t.Context(), notifier.Actor{}, "like"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the other instance has dropped the type", func() bool { return b.Mutable("like") && len(b.Types()) == 0 })
}

// Pages compare the slice to find out whether any type has changed.
func TestTypesReturnsTheSameSliceUntilATypeChanges(t *testing.T) {
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
		t.Error("a new slice with the same types")
	}
	s.saveType(t, notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Likes"}})
	if unsafe.SliceData(s.Types()) == unsafe.SliceData(list) || list[0].Names["en"] != "Like" {
		t.Errorf("the slice returned before is now %+v", list)
	}
}

func TestLoadFailsWhenTypesCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.sql.before = func(string) error { return errAway }
	if err := s.another(s.rdb).Load(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("%v, want the error of SQL", err)
	}
}

func TestFirstUsesCreateALimitedNumberOfTypes(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	used := func(n int) {
		t.Helper()
		many := make([]string, 1000)
		for i := range many {
			many[i] = fmt.Sprintf("junk%d.%d", n, i)
		}
		if err := s.Use(t.Context(), many); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 5 {
		used(n)
	}
	if n := len(s.Types()); n != notifier.MaxTypes {
		t.Errorf("%d types known, want %d", n, notifier.MaxTypes)
	}
	if n := s.sql.asked("ensure"); n != 2 {
		t.Errorf("%d calls to SQL; at the limit there should be no more", n)
	}
	if !s.Mutable("junk4.1") || s.Name("junk4.1", "en") != "junk4.1" {
		t.Error("a type above the limit lacks the defaults")
	}
	if n, err := s.DeleteUndescribed(t.Context(), notifier.Actor{}); err != nil || n != notifier.MaxTypes || len(s.Types()) != 0 {
		t.Errorf("%d types deleted, %d left: %v", n, len(s.Types()), err)
	}
	used(5)
	if n := len(s.Types()); n != 1000 {
		t.Errorf("%d types known after there was room again", n)
	}
}
