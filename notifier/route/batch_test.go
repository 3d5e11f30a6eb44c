package route_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/route"
)

// counting is a directory that counts its calls.
type counting struct {
	directory
	names, roles, mutes int
}

func (c *counting) Addressees(ctx context.Context, typ string, names []string) (map[string]int64, *roaring.Bitmap, error) {
	c.names++
	return c.directory.Addressees(ctx, typ, names)
}

func (c *counting) RoleMembers(ctx context.Context, role string) (*roaring.Bitmap, error) {
	c.roles++
	return c.directory.RoleMembers(ctx, role)
}

func (c *counting) MutedBy(ctx context.Context, typ string, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	c.mutes++
	return c.directory.MutedBy(ctx, typ, among)
}

func TestManyDraftsTakeOneDirectoryCallOfEachKindAndType(t *testing.T) {
	t.Parallel()
	dir := &counting{directory: some}
	var drafts []notifier.Draft
	var want [][]uint32
	for range 50 {
		drafts = append(
			drafts,
			draft("like", notifier.Target{Users: []string{"alice", "bob"}}), draft("news", notifier.Target{Users: []string{"bob", "carol"}}),
			draft("like", notifier.Target{Role: "picker"}), draft("news", notifier.Target{Role: "picker"}), draft("like", notifier.Target{Role: "empty"}),
		)
		want = append(want, []uint32{1}, []uint32{7, 4_000_000_000}, []uint32{9}, []uint32{7, 9}, nil)
	}
	answers, err := route.New(dir, nil).RecipientsAll(t.Context(), drafts)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Err != nil || !slices.Equal(a.To.ToArray(), want[i]) {
			t.Errorf("draft %d: %v, %v; want %v", i, a.To, a.Err, want[i])
		}
	}
	if dir.names != 2 || dir.roles != 2 || dir.mutes != 2 {
		t.Errorf("%d calls for names, %d for roles, %d for mutes; want 2 each", dir.names, dir.roles, dir.mutes)
	}
	if none, err := route.New(dir, nil).RecipientsAll(t.Context(), nil); err != nil || len(none) != 0 || dir.names != 2 {
		t.Errorf("no drafts: %v, %v", none, err)
	}
}

func TestUnknownNamesInOneDraftDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	answers, err := route.New(some, nil).RecipientsAll(t.Context(), []notifier.Draft{
		draft("news", notifier.Target{Users: []string{"alice"}}), draft("news", notifier.Target{Users: []string{"erin", "bob", "erin"}}),
		draft("news", notifier.Target{Role: "nobody"}), draft("news", notifier.Target{Users: []string{"dave"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	fault := func(code string, params map[string]any) error {
		return &notifier.InvalidError{Fields: []notifier.FieldError{{Field: "to", Code: code, Params: params}}}
	}
	for i, want := range []error{
		nil, fault("unknown_users", map[string]any{"Names": "erin", "Count": 1}),
		fault("unknown_role", map[string]any{"Name": "nobody"}), fault("unknown_users", map[string]any{"Names": "dave", "Count": 1}),
	} {
		if diff := cmp.Diff(want, answers[i].Err); diff != "" {
			t.Errorf("draft %d: %s", i, diff)
		}
	}
}

func TestRecipientsAllFailsWhenTheDirectoryFails(t *testing.T) {
	t.Parallel()
	drafts := []notifier.Draft{draft("news", notifier.Target{Role: "picker"}), draft("like", notifier.Target{Users: []string{"dave"}})}
	away, mutes := some, some
	away.err, mutes.mutesErr = errAway, errAway
	for _, dir := range []directory{away, mutes} {
		for _, of := range [][]notifier.Draft{drafts, drafts[:1]} {
			if got, err := route.New(dir, nil).RecipientsAll(t.Context(), of); !errors.Is(err, errAway) || got != nil {
				t.Errorf("%v, %v", got, err)
			}
		}
	}
}

// TestManyDraftsAreRoutedLikeSingleDrafts also changes each answer afterwards: no answer may share
// its bitmap with another.
func TestManyDraftsAreRoutedLikeSingleDrafts(t *testing.T) {
	t.Parallel()
	names := []string{"alice", "bob", "carol", "dave"}
	rapid.Check(t, func(rt *rapid.T) {
		var drafts []notifier.Draft
		for i := range rapid.IntRange(0, 12).Draw(rt, "drafts") {
			target := notifier.Target{Role: rapid.SampledFrom([]string{"picker", "empty", "nobody", ""}).Draw(rt, fmt.Sprint("role", i))}
			if target.Role == "" {
				target.Users = rapid.SliceOf(rapid.SampledFrom(names)).Draw(rt, fmt.Sprint("users", i))
			}
			drafts = append(drafts, draft(rapid.SampledFrom([]string{"like", "news", "all"}).Draw(rt, fmt.Sprint("type", i)), target))
		}
		r := route.New(some, nil)
		answers, err := r.RecipientsAll(t.Context(), drafts)
		if err != nil {
			rt.Fatal(err)
		}
		for i, a := range answers {
			want, wantErr := r.Recipients(t.Context(), drafts[i])
			if !slices.Equal(a.To.ToArray(), want.ToArray()) || !cmp.Equal(a.Err, wantErr) {
				rt.Fatalf("%+v: %v, %v; as a single draft %v, %v", drafts[i], a.To, a.Err, want, wantErr)
			}
			a.To.Flip(0, 100)
		}
	})
}
