package topic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// whole is the member that marks a set, or the index, as complete.
const whole = "0"

const (
	userMember = "user:"
	roleMember = "role:"
)

func memberOf(seq int64) string { return userMember + strconv.FormatInt(seq, 10) }

// members returns the members of a topic's set: none for a topic without subscribers.
func members(s *notifier.TopicSubscribers) []any {
	if len(s.Users)+len(s.Roles) == 0 {
		return nil
	}
	all := make([]any, 0, 1+len(s.Users)+len(s.Roles))
	all = append(all, whole)
	for _, seq := range s.Users {
		all = append(all, memberOf(seq))
	}
	for _, role := range s.Roles {
		all = append(all, roleMember+role)
	}
	return all
}

// parse parses the set of a topic. It returns false if the set is incomplete or has a malformed
// member.
func parse(topic notifier.Topic, set []string) (s notifier.TopicSubscribers, ok bool) {
	s.Topic = topic
	for _, m := range set {
		switch {
		case m == whole:
			ok = true
		case strings.HasPrefix(m, userMember):
			seq, err := strconv.ParseInt(m[len(userMember):], 10, 64)
			if err != nil || seq < 1 {
				return s, false
			}
			if s.Users == nil {
				s.Users = make([]int64, 0, len(set))
			}
			s.Users = append(s.Users, seq)
		case strings.HasPrefix(m, roleMember):
			s.Roles = append(s.Roles, m[len(roleMember):])
		default:
			return s, false
		}
	}
	slices.Sort(s.Users)
	slices.Sort(s.Roles)
	return s, ok
}

// equal compares a parsed set with SQL's subscribers, which may come in any order.
func equal(got, want *notifier.TopicSubscribers) bool {
	if len(got.Users) != len(want.Users) || len(got.Roles) != len(want.Roles) {
		return false
	}
	return slices.Equal(got.Users, sorted(want.Users)) && slices.Equal(got.Roles, sorted(want.Roles))
}

func sorted[T int64 | string](list []T) []T {
	if !slices.IsSorted(list) {
		list = slices.Clone(list)
		slices.Sort(list)
	}
	return list
}

// indexed returns the index member of a topic.
func indexed(t notifier.Topic) string { return t.Type + ":" + t.Scope }

// fromIndex returns the topic of an index member; false for a malformed one.
func fromIndex(member string) (t notifier.Topic, ok bool) {
	t.Type, t.Scope, ok = strings.Cut(member, ":")
	return t, ok && t.Type != ""
}
