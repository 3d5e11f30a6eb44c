package store

import "testing"

// CurrentQuery is what CurrentAnnouncements asks, for the test of its plan.
var CurrentQuery = announcementsQuery(current)

// OpenQuery is what an announcement is held against, for the test of its plan.
func OpenQuery(s *Store) string { return s.openQuery() }

// CountAudience is what AudienceSize asks, for the test of its plan.
const CountAudience = countAudienceQuery

// LargeAudience says from which size on sizes are remembered.
func LargeAudience(s *Store, size int64) { s.sizes.large = size }

// BoundNames makes the index of names that small.
func BoundNames(s *Store, most int) { s.names.bound = most }

// Exec runs a statement that no method of the store makes.
func Exec(tb testing.TB, s *Store, statement string, args ...any) {
	tb.Helper()
	if _, err := s.exec(tb.Context(), statement, args...); err != nil {
		tb.Fatal(err)
	}
}

// How reasons are encoded.
var (
	EncodeReasons = encodeReasons
	DecodeReasons = decodeReasons
)

// How inboxes are encoded, for the tests that know no database.
var (
	EncodeRows = encodeRows
	DecodeRows = decodeRows
	EncodeGone = encodeGone
	DecodeGone = decodeGone
)

// NoticeCountsQuery is what NoticeCounts asks, for the test of its plan.
const NoticeCountsQuery = noticeCountsQuery

// SubscriptionsQuery is what Subscriptions asks, for the test of its plans.
var SubscriptionsQuery = subscriptionsQuery

// SubjectQuery is the condition of NoticesBySubject, for the test of its plan.
const SubjectQuery = subjectQuery

// What SubscribersOf and AllSubscribers ask, for the test of their plans.
func SubscribersQuery(s *Store) string    { return s.subscribersQuery() }
func AllSubscribersQuery(s *Store) string { return s.allSubscribersQuery() }

// SmallRole is up to how many members are sorted.
const SmallRole = smallRole
