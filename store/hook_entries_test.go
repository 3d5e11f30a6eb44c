package store_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// rowOf returns a row of a snapshot.
func rowOf(key string, id int64, read bool, members string) notifier.SnapshotRow {
	suffix := notifier.UnreadSuffix
	if read {
		suffix = notifier.ReadSuffix
	}
	return notifier.SnapshotRow{Field: key + suffix, NoticeID: id, Members: members}
}

func TestEntriesThatAreReadUnreadAndRemovedHaveEvents(t *testing.T) {
	const (
		read    = `entries.read {"user":"u1","entries":[%s]}`
		unread  = `entries.unread {"user":"u1","entries":[%s]}`
		removed = `entries.removed {"user":"u1","entries":[%s]}`
		a1      = `{"key":"a","id":1}`
	)
	is := func(rows ...notifier.SnapshotRow) notifier.Snapshot { return notifier.Snapshot{Rows: rows} }
	archived := notifier.Snapshot{Archived: []notifier.ArchivedRow{{Key: "a", NoticeID: 1, ArchivedAt: 5}}}
	cases := map[string]struct {
		was, now notifier.Snapshot
		want     []string
	}{
		"nothing changes":              {is(rowOf("a", 1, false, "")), is(rowOf("a", 1, false, "")), nil},
		"a delivery":                   {is(), is(rowOf("a", 1, false, "")), nil},
		"read":                         {is(rowOf("a", 1, false, "")), is(rowOf("a", 1, true, "")), []string{fmt.Sprintf(read, a1)}},
		"delivered and read":           {is(), is(rowOf("a", 1, true, "")), []string{fmt.Sprintf(read, a1)}},
		"marked as unread":             {is(rowOf("a", 1, true, "")), is(rowOf("a", 1, false, "")), []string{fmt.Sprintf(unread, a1)}},
		"removed":                      {is(rowOf("a", 1, true, "")), is(), []string{fmt.Sprintf(removed, a1)}},
		"archived":                     {is(rowOf("a", 1, true, "")), archived, []string{fmt.Sprintf(removed, a1)}},
		"back from the archive":        {archived, is(rowOf("a", 1, false, "")), []string{fmt.Sprintf(unread, a1)}},
		"back from the archive, read":  {archived, is(rowOf("a", 1, true, "")), []string{fmt.Sprintf(read, a1)}},
		"deleted from the archive":     {archived, is(), nil},
		"replaced by a newer notice":   {is(rowOf("a", 1, true, "")), is(rowOf("a", 2, false, "")), nil},
		"replaced by one that is read": {is(rowOf("a", 1, false, "")), is(rowOf("a", 2, true, "")), []string{fmt.Sprintf(read, `{"key":"a","id":2}`)}},
		"a row of several notices": {
			is(rowOf("a", 2, false, "m2,1=,2=")), is(rowOf("a", 3, true, "m3,1=,2=,3=")),
			[]string{fmt.Sprintf(read, `{"key":"a","id":1},{"key":"a","id":2},{"key":"a","id":3}`)},
		},
		"several at a time": {
			is(rowOf("a", 1, false, ""), rowOf("b", 2, true, ""), rowOf("c", 3, true, "")), is(rowOf("a", 1, true, ""), rowOf("b", 2, false, "")),
			[]string{fmt.Sprintf(read, a1), fmt.Sprintf(unread, `{"key":"b","id":2}`), fmt.Sprintf(removed, `{"key":"c","id":3}`)},
		},
	}
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 1)
		h := addHook(t, s, "all")
		ver := int64(0)
		for name, c := range cases {
			ver += 2
			c.was.Seq, c.was.Ver, c.now.Seq, c.now.Ver = 1, ver-1, 1, ver
			save(t, s, c.was)
			events(t, s, h.ID)
			save(t, s, c.now)
			wantEvents(t, s, h.ID, name, c.want...)
		}
		cold := is(rowOf("a", 1, false, ""))
		cold.Seq, cold.Ver = 1, ver-1
		save(t, s, cold)
		wantEvents(t, s, h.ID, "an older snapshot")
	})
}

// TestEventsOfEntriesReproduceTheInbox keeps a copy of inboxes by their events alone: after each save it has every notice that was read and
// not removed since.
func TestEventsOfEntriesReproduceTheInbox(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 3)
		h := addHook(t, s, "all")
		random := rand.New(rand.NewPCG(1, 2))
		copies := map[string]map[notifier.HookEntry]bool{"u1": {}, "u2": {}, "u3": {}}
		for ver := int64(1); ver < 200; ver++ {
			var all []notifier.Snapshot
			for seq := int64(1); seq <= 3; seq++ {
				n := notifier.Snapshot{Seq: seq, Ver: ver}
				for id := int64(1); id <= 6; id++ {
					if kind := random.IntN(3); kind > 0 {
						n.Rows = append(n.Rows, rowOf("k"+itoa(id), id, kind == 1, ""))
					}
				}
				all = append(all, n)
			}
			if random.IntN(2) == 0 {
				all = append(all, notifier.Snapshot{Seq: 1, Ver: ver - 1}) // older than what comes with it
			}
			save(t, s, all...)
			for _, e := range must(s.HookEvents(t.Context(), h.ID, 1000))(t) {
				var body struct{ Data notifier.HookEntries }
				if err := json.Unmarshal(e.Body, &body); err != nil {
					t.Fatal(err)
				}
				for _, entry := range body.Data.Entries {
					if is := copies[body.Data.User]; e.Type == notifier.EventEntriesRead {
						is[entry] = true
					} else {
						delete(is, entry)
					}
				}
			}
			store.Exec(t, s, `DELETE FROM hook_events`)
			for i := range 3 {
				want := map[notifier.HookEntry]bool{}
				for _, r := range all[i].Rows {
					if key, read, _ := notifier.SplitField(r.Field); read {
						want[notifier.HookEntry{Key: key, ID: r.NoticeID}] = true
					}
				}
				if got := copies["u"+itoa(all[i].Seq)]; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("save %d: the copy of user %d has %v; want %v", ver, all[i].Seq, got, want)
				}
			}
		}
	})
}
