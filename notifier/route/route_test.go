package route_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/route"
)

var errAway = errors.New("away")

type directory struct {
	users map[string]int64
	roles map[string][]uint32
	mutes map[string][]uint32
	err   error

	asked    *int  // calls of MutedBy
	mutesErr error // returned by MutedBy and Addressees only
}

func (d directory) MutedBy(_ context.Context, typ string, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	if d.asked != nil {
		*d.asked++
	}
	if d.mutesErr != nil {
		return nil, d.mutesErr
	}
	muted := roaring.BitmapOf(d.mutes[typ]...)
	muted.And(among)
	return muted, nil
}

func (d directory) Addressees(_ context.Context, typ string, names []string) (seqs map[string]int64, muted *roaring.Bitmap, err error) {
	seqs, muted = map[string]int64{}, roaring.New()
	for _, name := range names {
		if seq, ok := d.users[name]; ok {
			seqs[name] = seq
			if slices.Contains(d.mutes[typ], uint32(seq)) {
				muted.Add(uint32(seq))
			}
		}
	}
	return seqs, muted, errors.Join(d.err, d.mutesErr)
}

func (d directory) RoleMembers(_ context.Context, role string) (*roaring.Bitmap, error) {
	members, ok := d.roles[role]
	if !ok && d.err == nil {
		return nil, fmt.Errorf("role %q: %w", role, notifier.ErrNotFound)
	}
	return roaring.BitmapOf(members...), d.err
}

var some = directory{
	users: map[string]int64{"alice": 1, "bob": 7, "carol": 4_000_000_000},
	roles: map[string][]uint32{"picker": {7, 9}, "empty": {}},
	mutes: map[string][]uint32{"like": {7, 8}, "all": {7, 9}},
}

func draft(typ string, t notifier.Target) notifier.Draft { return notifier.Draft{Type: typ, Target: t} }

func TestATargetReachesTheUsersItNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		target notifier.Target
		want   []uint32
	}{
		{notifier.Target{Users: []string{"carol", "alice"}}, []uint32{1, 4_000_000_000}},
		{notifier.Target{Role: "picker"}, []uint32{7, 9}},
		{notifier.Target{Role: "empty"}, nil},
		{notifier.Target{Roles: []string{"empty", "picker"}}, []uint32{7, 9}},
	}
	for _, tt := range tests {
		got, err := route.New(some, nil).Recipients(t.Context(), draft("news", tt.target))
		if err != nil || !slices.Equal(got.ToArray(), tt.want) {
			t.Errorf("%+v: %v, %v; want %v", tt.target, got, err, tt.want)
		}
	}
}

func TestUnknownUsersAndRolesAreNamedInTheError(t *testing.T) {
	t.Parallel()
	crowd := []string{"alice"}
	for i := range 12 {
		crowd = append(crowd, fmt.Sprint("x", i))
	}
	tests := []struct {
		target notifier.Target
		want   notifier.FieldError
		others []uint32
	}{
		{
			notifier.Target{Users: []string{"dave", "bob", "erin"}},
			notifier.FieldError{Field: "to", Code: "unknown_users", Params: map[string]any{"Names": "dave, erin", "Count": 2}},
			[]uint32{7},
		},
		{
			notifier.Target{Users: crowd},
			notifier.FieldError{Field: "to", Code: "unknown_users", Params: map[string]any{"Names": "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9", "Count": 12}},
			[]uint32{1},
		},
		{
			notifier.Target{Role: "nobody"},
			notifier.FieldError{Field: "to", Code: "unknown_role", Params: map[string]any{"Name": "nobody"}},
			nil,
		},
		{
			notifier.Target{Roles: []string{"nobody", "picker", "nowhere"}},
			notifier.FieldError{Field: "to", Code: "unknown_role", Params: map[string]any{"Name": "nobody"}},
			[]uint32{7, 9},
		},
	}
	for _, tt := range tests {
		got, err := route.New(some, nil).Recipients(t.Context(), draft("news", tt.target))
		want := &notifier.InvalidError{Fields: []notifier.FieldError{tt.want}}
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Errorf("%+v: %s", tt.target, diff)
		}
		if !slices.Equal(got.ToArray(), tt.others) {
			t.Errorf("%+v: found %v, want %v", tt.target, got, tt.others)
		}
	}
}

func TestADirectoryFailureIsNotAnInvalidError(t *testing.T) {
	t.Parallel()
	away := some
	away.err = errAway
	for _, target := range []notifier.Target{{Users: []string{"dave"}}, {Role: "nobody"}} {
		var bad *notifier.InvalidError
		got, err := route.New(away, nil).Recipients(t.Context(), draft("news", target))
		if !errors.Is(err, errAway) || errors.As(err, &bad) || got != nil {
			t.Errorf("%+v: %v, %v", target, got, err)
		}
	}
}

func TestUsersWhoMutedTheTypeAreLeftOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typ    string
		target notifier.Target
		want   []uint32
		asked  int
	}{
		{"like", notifier.Target{Role: "picker"}, []uint32{9}, 1},
		{"like", notifier.Target{Users: []string{"alice", "bob"}}, []uint32{1}, 0},
		{"like", notifier.Target{Users: []string{"bob"}}, nil, 0},
		{"all", notifier.Target{Role: "picker"}, nil, 1},
		{"all", notifier.Target{Role: "empty"}, nil, 0},
		{"news", notifier.Target{Role: "picker"}, []uint32{7, 9}, 1},
	}
	for _, tt := range tests {
		asked := 0
		dir := some
		dir.asked = &asked
		got, err := route.New(dir, nil).Recipients(t.Context(), draft(tt.typ, tt.target))
		if err != nil || !slices.Equal(got.ToArray(), tt.want) || asked != tt.asked {
			t.Errorf("%s to %+v: %v, %v, %d calls of MutedBy; want %v, %d", tt.typ, tt.target, got, err, asked, tt.want, tt.asked)
		}
	}
}

func TestMutesApplyBesideUnknownUsers(t *testing.T) {
	t.Parallel()
	got, err := route.New(some, nil).Recipients(t.Context(), draft("like", notifier.Target{Users: []string{"alice", "bob", "dave"}}))
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) || !slices.Equal(got.ToArray(), []uint32{1}) {
		t.Errorf("%v, %v; want an error that names dave, and alice", got, err)
	}
}

func TestRecipientsFailWhenMutesCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := some
	dir.mutesErr = errAway
	for _, names := range [][]string{{"alice"}, {"alice", "dave"}} {
		got, err := route.New(dir, nil).Recipients(t.Context(), draft("like", notifier.Target{Users: names}))
		var bad *notifier.InvalidError
		if !errors.Is(err, errAway) || errors.As(err, &bad) || got != nil {
			t.Errorf("to %v: %v, %v", names, got, err)
		}
	}
}
