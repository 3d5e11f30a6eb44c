package inbox

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	// youngFor is the age up to which the delivery of a notice makes a late mark (see package behind). Those of older
	// notices would hold back the time up to which SQL counts as complete.
	youngFor = 20 * time.Second
	// perCall is the number of users for whom one call of a script delivers: Redis serves no other client meanwhile.
	perCall = 16
)

// DeliverAll adds each of these notices, unread, to the top of the inboxes of its recipients; notices to the same
// user are added in order. An inbox stays unchanged if the notice is in it or was before, if a later notice has the
// same key or if the notice has expired. An earlier notice with the same key is replaced, and its row moves to the
// top; if the row is unread and the notice has More, the row then stands for both, and a notice with More that comes after a
// later one joins the row of that one. The oldest rows beyond the cap are removed. A delivery with Again also skips each inbox whose floor is at or
// above the notice: that inbox may have had the notice without a record of it.
//
// It returns the new rows in no order, and an error for each delivery, in order: nil means that the notice is in all of
// its inboxes. A failed inbox affects only its own deliveries. After an error some inboxes may already have the
// notice; the caller should deliver to all of them again.
func (b *Inbox) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	arrived, errs := b.deliver(ctx, all)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("deliver notice %d to %d users: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return arrived, errs
}

// deliver is DeliverAll with shorter errors.
func (b *Inbox) deliver(ctx context.Context, all []notifier.Delivery) (arrived []notifier.Arrival, errs []error) {
	d := delivering{b: b, all: all, notices: make([][]any, len(all))}
	n, now := 0, b.millis()
	for i := range all {
		d.notices[i] = b.noticeArgs(&all[i], now)
		n += len(all[i].Seqs)
	}
	jobs := make([]job, 0, n)
	for i := range all {
		for _, seq := range all[i].Seqs {
			jobs = append(jobs, job{seq, i})
		}
	}
	d.arrived = make([]notifier.Arrival, 0, n)
	_, errs = b.many(ctx, len(all), jobs, task{pass: d.pass})
	return d.arrived, errs
}

// noticeArgs returns the ARGV of deliver_notice that are the same for all recipients, converted to any once.
func (b *Inbox) noticeArgs(d *notifier.Delivery, now int64) []any {
	accepted := min(d.Accepted, now)
	if d.Again || accepted < now-youngFor.Milliseconds() {
		accepted = 0
	}
	return []any{
		d.Key, strconv.FormatInt(d.NoticeID, 10), d.Expires, d.Content, now, b.cap, accepted,
		flag(d.Counted), flag(d.Again), max(d.Order, d.NoticeID), groupLines(d.Group),
	}
}

// delivering is one DeliverAll.
type delivering struct {
	b       *Inbox
	all     []notifier.Delivery
	notices [][]any // see noticeArgs

	mu      sync.Mutex
	arrived []notifier.Arrival
}

// call is one run of deliver_notice, for jobs of the same notice and partition.
type call struct {
	jobs []job
	cmd  *redis.Cmd
}

// pass delivers once, with one call for several recipients in the same partition. It creates inboxes that SQL does not
// have, and returns the jobs whose inbox must be restored.
func (d *delivering) pass(ctx context.Context, jobs []job, now int64, r *results) (cold []job, err error) {
	cold, failed, err := d.run(ctx, perCall, jobs, nil, now, r)
	if err == nil && len(cold) > 0 {
		var more []job
		cold, more, err = d.create(ctx, cold, now, r)
		failed = append(failed, more...)
	}
	if err != nil || len(failed) == 0 {
		return cold, err
	}
	more, _, err := d.run(ctx, 1, failed, nil, now, r) // a call for one user returns the error
	return append(cold, more...), err
}

// create delivers to cold inboxes that SQL does not have, which are therefore empty. It returns the other jobs. As in
// warm, the fences are read before SQL.
func (d *delivering) create(ctx context.Context, jobs []job, now int64, r *results) (cold, failed []job, err error) {
	seqs, all := make([]int64, len(jobs)), make([]int, len(jobs))
	for i, j := range jobs {
		seqs[i], all[i] = j.seq, i
	}
	at, err := d.b.fences(ctx, partitionsOf(seqs, all), now)
	if err != nil {
		return jobs, nil, fmt.Errorf("read the fences of %d inboxes: %w", len(jobs), err)
	}
	var fresh []job
	vers := map[int64]int64{}
	if d.b.sql != nil {
		if vers, err = d.b.sql.VersOf(ctx, seqs); err != nil {
			return jobs, nil, fmt.Errorf("look for the inboxes of %d users: %w", len(jobs), script.MarkAway(err))
		}
	}
	for _, j := range jobs {
		if ver, known := vers[j.seq]; ver == 0 && (known || d.b.sql == nil) {
			fresh = append(fresh, j)
		} else {
			cold = append(cold, j)
		}
	}
	if len(fresh) == 0 {
		return cold, nil, nil
	}
	stale, failed, err := d.run(ctx, perCall, fresh, at, now, r)
	return append(cold, stale...), failed, err
}

// run makes the calls, each for at most limit users. With fences it creates the inboxes. failed contains the jobs that
// failed in a call for several users.
func (d *delivering) run(ctx context.Context, limit int, jobs []job, at fences, now int64, r *results) (cold, failed []job, err error) {
	p := script.NewPipe(d.b.rdb, len(jobs))
	calls := make([]call, 0, len(jobs))
	var args []any
	for some := range together(jobs, limit) {
		args = d.args(args[:0], some, at, now)
		calls = append(calls, call{some, p.Add(ctx, deliverNotice, 5+5*len(some), args...)})
	}
	_ = p.Exec(ctx) // each command has its own error
	var arrived []notifier.Arrival
	for _, c := range calls {
		reply, bad := script.ParseReply(c.cmd)
		if bad != nil {
			r.fail(c.jobs, bad)
			if err == nil {
				err = hopeless(ctx, bad)
			}
			continue
		}
		for i, j := range c.jobs {
			switch ver := reply.Number(i); ver {
			case 0:
			case codeCold:
				cold = append(cold, j)
			case codeFailed:
				failed = append(failed, j)
			default:
				arrived = append(arrived, notifier.Arrival{Seq: j.seq, At: ver, Key: d.all[j.of].Key})
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.arrived = append(d.arrived, arrived...)
	return cold, failed, err
}

// args appends the KEYS and ARGV of deliver_notice for jobs of the same notice and partition.
func (d *delivering) args(to []any, jobs []job, at fences, now int64) []any {
	k, p := d.b.k, d.b.part(jobs[0].seq)
	to = append(to, p.expiry, p.dirty, p.late, p.counts, p.idle)
	for _, j := range jobs {
		to = append(to, k.List(j.seq), k.Hash(j.seq), k.State(j.seq), k.Gone(j.seq), k.Archive(j.seq))
	}
	to = append(to, d.notices[jobs[0].of]...)
	to[5+5*len(jobs)+4] = now // of this pass
	to = append(to, at.of(jobs[0].seq))
	for _, j := range jobs {
		to = append(to, strconv.FormatInt(j.seq, 10), k.LiveUser(j.seq))
	}
	return to
}

// together yields the jobs in groups of the same notice and partition, at most limit in each. Jobs of the same user stay
// in order.
func together(jobs []job, limit int) iter.Seq[[]job] {
	return func(yield func([]job) bool) {
		var parts [keys.Partitions][]job
		for len(jobs) > 0 {
			n := 1
			for n < len(jobs) && jobs[n].of == jobs[0].of {
				n++
			}
			for _, j := range jobs[:n] {
				p := keys.Partition(j.seq)
				parts[p] = append(parts[p], j)
			}
			jobs = jobs[n:]
			for p, those := range parts {
				for some := range slices.Chunk(those, limit) {
					if !yield(some) {
						return
					}
				}
				parts[p] = nil
			}
		}
	}
}

// flag returns yes as the number that scripts use.
func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// millis returns t in the form that scripts use: ms, where 0 means never.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
