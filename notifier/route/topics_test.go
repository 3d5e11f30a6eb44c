package route_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/route"
)

// subscribers is a Topics with fixed subscribers: users by seq, roles by name.
type subscribers struct {
	of        map[notifier.Topic]notifier.TopicSubscribers
	immutable string // the one type that may not be muted
	err       error
	asked     *int
}

func (s subscribers) Mutable(typ string) bool { return typ != s.immutable }

func (s subscribers) SubscribersOf(_ context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error) {
	if s.asked != nil {
		*s.asked++
	}
	found := make([]notifier.TopicSubscribers, len(topics))
	for i, topic := range topics {
		found[i] = s.of[topic]
		found[i].Topic = topic
	}
	return found, s.err
}

var (
	stock = notifier.Topic{Type: "rep_notice", Scope: "119240"}
	other = notifier.Topic{Type: "rep_notice", Scope: "7"}
	free  = notifier.Topic{Type: "free"}
	gone  = notifier.Topic{Type: "gone"}
	big   = notifier.Topic{Type: "big"}

	topics = subscribers{of: map[notifier.Topic]notifier.TopicSubscribers{
		stock: {Users: []int64{7, 1}, Roles: []string{"picker", "packer"}},
		other: {Roles: []string{"picker", "packer"}},
		free:  {Users: []int64{4_000_000_000}},
		gone:  {Users: []int64{1}, Roles: []string{"nobody", "picker"}},
		big:   {Users: []int64{1, 7}, Roles: []string{"empty", "second"}},
	}}
	roles = directory{
		roles: map[string][]uint32{"picker": {7, 9, 11}, "packer": {1, 9, 10}, "empty": {}, "second": {7}},
		mutes: map[string][]uint32{"like": {9}, "most": {1, 7, 9, 10}},
	}
)

func toTopic(typ string, topic notifier.Topic) notifier.Draft {
	return draft(typ, notifier.Target{Topic: topic})
}

// why formats reasons: `role:packer 10, role:picker *`; a star stands for all remaining recipients.
func why(reasons []notifier.Why) string {
	var parts []string
	for _, w := range reasons {
		to := "*"
		if w.To != nil {
			to = strings.Trim(fmt.Sprint(w.To.ToArray()), "[]")
		}
		parts = append(parts, w.Reason+" "+to)
	}
	return strings.Join(parts, ", ")
}

func TestATopicReachesEachSubscriberOnceForOneReason(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, typ string
		topic     notifier.Topic
		want      []uint32
		why       string
	}{
		{"own subscription first, then the roles by name", "news", stock, []uint32{1, 7, 9, 10, 11}, "role:packer 9 10, role:picker 11"},
		{"no own subscriptions: the last role has the rest", "news", other, []uint32{1, 7, 9, 10, 11}, "role:packer 1 9 10, role:picker *"},
		{"own subscriptions only", "news", free, []uint32{4_000_000_000}, ""},
		{"own subscriptions of role members", "news", big, []uint32{1, 7}, ""},
		{"no subscribers", "news", notifier.Topic{Type: "unknown"}, nil, ""},
		{"a deleted role", "news", gone, []uint32{1, 7, 9, 11}, "role:picker 7 9 11"},
		{"muted by a subscriber", "like", stock, []uint32{1, 7, 10, 11}, "role:packer 10, role:picker 11"},
		{"muted by all with an own subscription", "most", stock, []uint32{11}, "role:picker *"},
		{"muted by all of the first role", "most", other, []uint32{11}, "role:picker *"},
	}
	for _, tt := range tests {
		answers, err := route.New(roles, topics).RecipientsAll(t.Context(), []notifier.Draft{toTopic(tt.typ, tt.topic)})
		if err != nil || answers[0].Err != nil {
			t.Fatal(err, answers[0].Err)
		}
		if got := answers[0]; !slices.Equal(got.To.ToArray(), tt.want) || why(got.Reasons) != tt.why {
			t.Errorf("%s: %v with reasons %q; want %v with %q", tt.name, got.To, why(got.Reasons), tt.want, tt.why)
		}
	}
}

func TestSeveralRolesReachEachMemberOnceForOneReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ   string
		names []string
		want  []uint32
		why   string
	}{
		{"news", []string{"packer", "picker"}, []uint32{1, 7, 9, 10, 11}, "role:packer 1 9 10, role:picker *"},
		{"news", []string{"picker", "packer"}, []uint32{1, 7, 9, 10, 11}, "role:picker 7 9 11, role:packer *"},
		{"like", []string{"picker", "packer"}, []uint32{1, 7, 10, 11}, "role:picker 7 11, role:packer *"},
	} {
		answers, err := route.New(roles, topics).RecipientsAll(t.Context(), []notifier.Draft{draft(tt.typ, notifier.Target{Roles: tt.names})})
		if err != nil || answers[0].Err != nil {
			t.Fatal(err, answers[0].Err)
		}
		if got := answers[0]; !slices.Equal(got.To.ToArray(), tt.want) || why(got.Reasons) != tt.why {
			t.Errorf("%s to %v: %v with reasons %q; want %v with %q", tt.typ, tt.names, got.To, why(got.Reasons), tt.want, tt.why)
		}
	}
}

func TestNamesAndASingleRoleGiveNoReasons(t *testing.T) {
	t.Parallel()
	answers, err := route.New(some, topics).RecipientsAll(t.Context(), []notifier.Draft{
		draft("news", notifier.Target{Role: "picker"}), draft("news", notifier.Target{Users: []string{"alice"}}),
	})
	if err != nil || answers[0].Reasons != nil || answers[1].Reasons != nil {
		t.Errorf("%+v, %v", answers, err)
	}
}

func TestWithoutTopicsThereAreNoSubscribers(t *testing.T) {
	t.Parallel()
	got, err := route.New(roles, nil).Recipients(t.Context(), toTopic("news", stock))
	if err != nil || got == nil || !got.IsEmpty() {
		t.Errorf("%v, %v", got, err)
	}
}

func TestMutesOfATypeThatMayNotBeMutedHaveNoEffect(t *testing.T) {
	t.Parallel()
	firm := topics
	firm.immutable = "most"
	asked := 0
	dir := roles
	dir.asked = &asked
	for _, d := range []notifier.Draft{toTopic("most", stock), draft("most", notifier.Target{Role: "picker"})} {
		want := 5
		if d.Target.Role != "" {
			want = 3
		}
		if got, err := route.New(dir, firm).Recipients(t.Context(), d); err != nil || int(got.GetCardinality()) != want {
			t.Errorf("%+v: %v, %v", d.Target, got, err)
		}
	}
	if asked != 0 {
		t.Errorf("%d calls of MutedBy, want none", asked)
	}
}

func TestManyDraftsToTopicsTakeOneTopicsCall(t *testing.T) {
	t.Parallel()
	asked := 0
	all := topics
	all.asked = &asked
	dir := &counting{directory: roles}
	var drafts []notifier.Draft
	for range 20 {
		drafts = append(drafts, toTopic("news", stock), toTopic("like", stock), toTopic("news", other), draft("news", notifier.Target{Role: "packer"}), toTopic("news", gone))
	}
	answers, err := route.New(dir, all).RecipientsAll(t.Context(), drafts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{5, 4, 5, 3, 4} {
		for k := i; k < len(answers); k += 5 {
			if answers[k].Err != nil || answers[k].To.GetCardinality() != want {
				t.Errorf("draft %d: %v, %v; want %d", k, answers[k].To, answers[k].Err, want)
			}
		}
	}
	if asked != 1 || dir.roles != 3 || dir.mutes != 2 || dir.names != 0 {
		t.Errorf("%d calls for topics, %d for roles, %d for mutes, %d for names; want 1, 3, 2, 0", asked, dir.roles, dir.mutes, dir.names)
	}
}

func TestATopicsFailureIsNotAnInvalidError(t *testing.T) {
	t.Parallel()
	away := topics
	away.err = errAway
	dirAway := roles
	dirAway.err = errAway
	for _, r := range []*route.Router{route.New(roles, away), route.New(dirAway, topics)} {
		var bad *notifier.InvalidError
		got, err := r.Recipients(t.Context(), toTopic("news", stock))
		if !errors.Is(err, errAway) || errors.As(err, &bad) || got != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestReasonsMatchTheirModel: the reason is an own subscription, else the first of the user's roles
// by name.
func TestReasonsMatchTheirModel(t *testing.T) {
	t.Parallel()
	seqs := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 8), 0, 8, rapid.ID[uint32])
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(rt *rapid.T) {
		dir := directory{roles: map[string][]uint32{}, mutes: map[string][]uint32{"news": seqs.Draw(rt, "mutes")}}
		for _, name := range names {
			if rapid.Bool().Draw(rt, name) {
				dir.roles[name] = seqs.Draw(rt, name+"'s members")
			}
		}
		of := notifier.TopicSubscribers{Roles: rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(rt, "roles")}
		named := seqs.Draw(rt, "users")
		for _, seq := range named {
			of.Users = append(of.Users, int64(seq))
		}
		all := subscribers{of: map[notifier.Topic]notifier.TopicSubscribers{stock: of}}
		n := notifier.Notice{Draft: toTopic("news", stock)}
		answers, err := route.New(dir, all).RecipientsAll(t.Context(), []notifier.Draft{n.Draft, n.Draft})
		if err != nil {
			rt.Fatal(err)
		}
		n.Reasons = answers[0].Reasons
		slices.SortFunc(of.Roles, cmp.Compare[string])
		want := roaring.New()
		for seq := uint32(1); seq <= 8; seq++ {
			reason := ""
			if slices.Contains(named, seq) {
				reason = "topic:rep_notice:119240"
			}
			for _, role := range of.Roles {
				if reason == "" && slices.Contains(dir.roles[role], seq) {
					reason = "role:" + role
				}
			}
			if reason == "" || slices.Contains(dir.mutes["news"], seq) {
				continue
			}
			want.Add(seq)
			if got := n.ReasonFor(int64(seq)); got != reason {
				rt.Fatalf("user %d has reason %q, want %q", seq, got, reason)
			}
		}
		answers[1].To.Flip(0, 20) // the answers must not share the bitmap
		if !answers[0].To.Equals(want) {
			rt.Fatalf("recipients %v, want %v", answers[0].To, want)
		}
		for _, w := range n.Reasons {
			if w.Reason == n.Target.Reason() || w.To != nil && w.To.IsEmpty() {
				rt.Fatalf("unexpected reasons: %s", why(n.Reasons))
			}
		}
	})
}

func BenchmarkATopicOfMany(b *testing.B) {
	of := notifier.TopicSubscribers{Roles: []string{"packer", "picker"}}
	for seq := range int64(100_000) {
		of.Users = append(of.Users, seq+1)
	}
	r := route.New(roles, subscribers{of: map[notifier.Topic]notifier.TopicSubscribers{stock: of}})
	for b.Loop() {
		if got, err := r.Recipients(b.Context(), toTopic("news", stock)); err != nil || got.GetCardinality() != 100_000 {
			b.Fatal(got, err)
		}
	}
}
