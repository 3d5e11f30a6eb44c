package unread

import (
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

var seed = maphash.MakeSeed()

func checksum(fields []string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, f := range fields {
		_, _ = h.WriteString(f)
		_ = h.WriteByte(' ')
	}
	return h.Sum64()
}

// parseCounts parses pairs of field and value. If only one of a notice's two fields is on this
// page, the other is 0 in the result; saving it does not lower the stored count.
func parseCounts(p int, fields []string) []notifier.NoticeCount {
	at := map[int64]int{}
	var all []notifier.NoticeCount
	for i := 0; i+1 < len(fields); i += 2 {
		word, kind, _ := strings.Cut(fields[i], ":")
		id, err := strconv.ParseInt(word, 10, 64)
		n, err2 := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil || err2 != nil || id <= 0 || n < 0 || kind != "d" && kind != "r" {
			continue // no script writes such a field
		}
		k, known := at[id]
		if !known {
			k, at[id] = len(all), len(all)
			all = append(all, notifier.NoticeCount{NoticeID: id, Partition: p})
		}
		if kind == "d" {
			all[k].Delivered = n
		} else {
			all[k].Read = n
		}
	}
	return all
}
