package keys_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

var update = flag.Bool("update", false, "write testdata/keys.golden anew")

// all returns one key of each kind for some users and partitions.
func all(s keys.Space) string {
	var b strings.Builder
	for _, seq := range []int64{1, 42, 64, 1_000_000} {
		fmt.Fprintln(&b, "List     ", s.List(seq))
		fmt.Fprintln(&b, "Hash     ", s.Hash(seq))
		fmt.Fprintln(&b, "State    ", s.State(seq))
		fmt.Fprintln(&b, "Gone     ", s.Gone(seq))
		fmt.Fprintln(&b, "Archive  ", s.Archive(seq))
		fmt.Fprintln(&b, "Deleted  ", s.Deleted(seq))
		fmt.Fprintln(&b, "LiveUser ", s.LiveUser(seq))
		fmt.Fprintln(&b, "Pending  ", s.PendingToasts(seq))
		fmt.Fprintln(&b, "Changed  ", s.Changed(seq))
	}
	for _, p := range []int{0, 7, 63} {
		fmt.Fprintln(&b, "Expiry   ", s.Expiry(p))
		fmt.Fprintln(&b, "Dirty    ", s.Dirty(p))
		fmt.Fprintln(&b, "Late     ", s.Late(p))
		fmt.Fprintln(&b, "Counts   ", s.Counts(p))
		fmt.Fprintln(&b, "Idle     ", s.Idle(p))
		fmt.Fprintln(&b, "Flushed  ", s.Flushed(p))
		fmt.Fprintln(&b, "Toasts   ", s.Toasts(p))
		fmt.Fprintln(&b, "Raised   ", s.RaisedToasts(p))
	}
	for _, t := range []notifier.Topic{{Type: "rep_notice", Scope: "119240"}, {Type: "news"}} {
		fmt.Fprintln(&b, "Subscr.  ", s.Subscribers(t))
		fmt.Fprintln(&b, "SubVer   ", s.SubscribersVersion(t))
		fmt.Fprintln(&b, "SubDraft ", s.SubscribersDraft(t, "K3VX"))
	}
	fmt.Fprintln(&b, "SubIndex ", s.SubscriberIndex())
	fmt.Fprintln(&b, "SubRev   ", s.SubscriberRevision())
	for _, a := range []notifier.Audience{1, 2, 3} {
		fmt.Fprintln(&b, "Bits     ", s.Bits(a, 17))
		fmt.Fprintln(&b, "Open     ", s.Open(a))
		fmt.Fprintln(&b, "Scheduled", s.Scheduled(a))
		fmt.Fprintln(&b, "Windows  ", s.Windows(a))
		fmt.Fprintln(&b, "AVer     ", s.AVer(a))
		fmt.Fprintln(&b, "Marked   ", s.Marked(a))
		fmt.Fprintln(&b, "DirtyBits", s.DirtyBits(a))
		fmt.Fprintln(&b, "LiveAud. ", s.LiveAudience(a))
	}
	fmt.Fprintln(&b, "Request  ", s.ToastRequest("7d44"))
	fmt.Fprintln(&b, "Intake   ", s.Intake())
	fmt.Fprintln(&b, "Session  ", s.Session("2bd806c9"))
	fmt.Fprintln(&b, "Limit    ", s.Limit("account"))
	fmt.Fprintln(&b, "Lease    ", s.Lease("notice:7"))
	return b.String()
}

// Renaming a key means migrating data: when this test fails, plan the migration for existing
// installations before running it with -update.
func TestKeysMatchTheGoldenList(t *testing.T) {
	t.Parallel()
	got := all(keys.New("carillon:"))
	const golden = "testdata/keys.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("keys (-golden +got):\n%s", d)
	}
}

// On a cluster, one script may touch all keys of a user and of their partition.
func TestAllKeysOfAUserShareTheHashTagOfTheirPartition(t *testing.T) {
	t.Parallel()
	s := keys.New("carillon:")
	for seq := int64(-3); seq < 3*keys.Partitions; seq++ {
		p := keys.Partition(seq)
		if seq >= 0 && p != int(seq%keys.Partitions) {
			t.Errorf("user %d is in partition %d", seq, p)
		}
		want := fmt.Sprintf("{p%02d}", p)
		for _, key := range []string{s.List(seq), s.Hash(seq), s.State(seq), s.Gone(seq), s.Archive(seq), s.Deleted(seq), s.Expiry(p), s.Dirty(p), s.Late(p), s.Counts(p)} {
			open, end := strings.IndexByte(key, '{'), strings.IndexByte(key, '}')
			if open < 0 || end < open || key[open:end+1] != want {
				t.Errorf("user %d: the hash tag of %s is not %s", seq, key, want)
			}
		}
	}
}

func TestEveryKeyHasThePrefixOfItsSpace(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(all(keys.New("other:"))) {
		if kind, key, _ := strings.Cut(line, " "); !strings.HasPrefix(strings.TrimLeft(key, " "), "other:") {
			t.Errorf("%s %s", kind, key)
		}
	}
}

// Redis hashes a key without braces as a whole, and a key with braces by their content.
func TestAllKeysOfATopicShareASlot(t *testing.T) {
	t.Parallel()
	s := keys.New("carillon:")
	for _, topic := range []notifier.Topic{{Type: "rep_notice", Scope: "119240"}, {Type: "news"}} {
		set := s.Subscribers(topic)
		if strings.ContainsAny(set, "{}") {
			t.Errorf("%s contains a hash tag", set)
		}
		for _, key := range []string{s.SubscribersVersion(topic), s.SubscribersDraft(topic, "K3VX")} {
			if _, tag, _ := strings.Cut(key, "{"); !strings.HasPrefix(tag, set+"}") {
				t.Errorf("the hash tag of %s is not %s", key, set)
			}
		}
	}
}

func TestTopicOfReversesSubscribers(t *testing.T) {
	t.Parallel()
	s := keys.New("carillon:")
	for _, want := range []notifier.Topic{{Type: "rep_notice", Scope: "119240"}, {Type: "news"}} {
		if got, ok := s.TopicOf(s.Subscribers(want)); !ok || got != want {
			t.Errorf("%+v, %v; want %+v", got, ok, want)
		}
	}
	for _, key := range []string{"", s.SubscriberIndex(), s.SubscriberRevision(), "carillon:subscribers:news", "carillon:subscribers::1", keys.New("x:").Subscribers(notifier.Topic{Type: "news"})} {
		if got, ok := s.TopicOf(key); ok {
			t.Errorf("%q was parsed as %+v", key, got)
		}
	}
	if got, want := keys.New(`a*[b]?\:`).AllSubscribers(), `a\*\[b\]\?\\:subscribers:*`; got != want {
		t.Errorf("pattern = %s, want %s", got, want)
	}
}
