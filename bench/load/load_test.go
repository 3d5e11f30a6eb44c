package load

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQuantilesAreWithinOnePercent(t *testing.T) {
	t.Parallel()
	var h Histogram
	const n = 20_000
	for i := range n {
		h.Add(time.Duration(i+1) * time.Microsecond)
	}
	for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
		want := q * n
		got := float64(h.Quantile(q)) / float64(time.Microsecond)
		if got < want*0.99 || got > want*1.01 {
			t.Errorf("quantile %v = %.1f µs, want %.1f within 1 %%", q, got, want)
		}
	}
	if h.Max() != n*time.Microsecond || h.Total() != n {
		t.Errorf("max %v of %d, want %v of %d", h.Max(), h.Total(), n*time.Microsecond, n)
	}
}

func TestEveryDurationFallsIntoItsBucket(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, 127, 128, 129, 255, 256, 1<<20 - 1, 1 << 20, 1<<40 + 12345, 1<<63 - 1} {
		got := middleOf(bucketOf(d))
		if diff := float64(got-d) / float64(d+1); diff > 0.01 || diff < -0.01 {
			t.Errorf("%d is counted as %d", d, got)
		}
	}
}

func TestMergingCountsBoth(t *testing.T) {
	t.Parallel()
	var a, b Histogram
	a.Add(time.Millisecond)
	b.Add(3 * time.Millisecond)
	b.Add(-time.Second)
	a.Merge(&b)
	if a.Total() != 3 || a.Max() != 3*time.Millisecond || a.Quantile(0.01) != 0 {
		t.Errorf("total %d, max %v, least %v", a.Total(), a.Max(), a.Quantile(0.01))
	}
}

func TestAMarkIsFoundInSurroundingText(t *testing.T) {
	t.Parallel()
	want := Mark{Run: 7, User: Everyone, N: 0xab, Due: time.Unix(0, 1_700_000_000_123_456_789)}
	text := want.Append(nil)
	if len(text) != MarkLen {
		t.Fatalf("%q has %d bytes, want %d", text, len(text), MarkLen)
	}
	got, ok := FindMark([]byte(`{"body":"` + string(text) + `x"}`))
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("found %v: %s", ok, diff)
	}
	for _, bad := range []string{"", "mark~", string(text[:MarkLen-1]), strings.Replace(string(text), "ab", "zz", 1)} {
		if m, ok := FindMark([]byte(bad)); ok {
			t.Errorf("found %v in %q", m, bad)
		}
	}
}

const wire = "retry: 2000\n\n: heartbeat\n\nid: 5\ndata: {\"unread\":3}\nevent: badge\n\nevent: notice\ndata:{\"a\":1}\n\n"

func TestEventsDoNotDependOnHowTheyAreSplit(t *testing.T) {
	t.Parallel()
	want := []string{`badge {"unread":3}`, `notice {"a":1}`}
	for size := 1; size <= len(wire); size++ {
		var d Decoder
		var got []string
		for rest := []byte(wire); len(rest) > 0; {
			n := min(size, len(rest))
			d.Feed(rest[:n], func(e Event) { got = append(got, fmt.Sprintf("%s %s", e.Name, e.Data)) })
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in pieces of %d: %s", size, diff)
		}
		if d.rest != nil {
			t.Fatalf("in pieces of %d: %q left over", size, d.rest)
		}
	}
}

func TestChunkedAndPlainBodiesAreEqual(t *testing.T) {
	t.Parallel()
	plain := "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + wire
	chunked := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	for rest := wire; rest != ""; {
		n := min(29, len(rest))
		chunked = fmt.Appendf(chunked, "%x\r\n%s\r\n", n, rest[:n])
		rest = rest[n:]
	}
	for _, answer := range []string{plain, string(chunked)} {
		for size := 1; size <= len(answer); size++ {
			var r response
			var got strings.Builder
			for rest := []byte(answer); len(rest) > 0; {
				n := min(size, len(rest))
				b, err := r.body(append([]byte(nil), rest[:n]...))
				if err != nil {
					t.Fatal(err)
				}
				got.Write(b)
				rest = rest[n:]
			}
			if diff := cmp.Diff(wire, got.String()); diff != "" {
				t.Fatalf("in pieces of %d: %s", size, diff)
			}
		}
	}
}

func TestAnotherStatusIsAnError(t *testing.T) {
	t.Parallel()
	var r response
	if _, err := r.body([]byte("HTTP/1.1 503 Service Unavailable\r\n\r\nfull")); err == nil {
		t.Error("an answer with status 503 was accepted as a stream")
	}
}

func TestNumbersAreReadWithoutAParser(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`{"unread":12,"ver":3}`: 12, `{"unread": 7}`: 7, `{"unread":0}`: 0, `{"ver":3}`: -1, `{"unread":null}`: -1,
	} {
		if got := number([]byte(text), `"unread"`); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
