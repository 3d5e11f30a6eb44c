package delivery

import "slices"

// maxDirect is how many small notices may wait to be delivered without the stream. Above it, other
// instances are to have a share of the work.
const maxDirect = 1000

// takeDirect queues a small notice for delivery by this process, without the stream, while Run runs.
// That saves the calls of Redis that add, read and acknowledge an entry, and their time. Nothing is
// lost if the process dies: SQL knows that the notice is unfinished, and the relay puts it into the
// stream. The relay does the same for one that takes longer than a round, which delivers it twice, and
// so changes nothing. While entries that this process put into the stream may still wait there,
// takeDirect returns false, so that later notices do not overtake them.
func (q *Intake) takeDirect(e Entry) bool {
	if e.Kind != Whole || e.Again || !q.running.Load() || q.spilled.Load() > 0 {
		return false
	}
	e.Taken = q.c.Now()
	select {
	case q.direct <- e:
		return true
	default:
		return false
	}
}

// follows reports whether the notices that come after an entry in the stream must not overtake it.
// Those after one that could not be delivered directly may, as they may overtake any that is retried.
func follows(e Entry) bool { return e.Kind == Whole && e.Taken.IsZero() }

// spill records that an entry is going into the stream. The caller has counted it in writing.
func (q *Intake) spill() { q.spilled.Add(1) }

// lastSpill returns what unspill needs to know from before a look at the stream: 0 while entries are
// on their way into it.
func (q *Intake) lastSpill() int64 {
	last := q.spilled.Load() // before writing: an entry that is not counted yet will change it
	if q.writing.Load() > 0 {
		return 0
	}
	return last
}

// unspill allows direct delivery again if a look found the stream empty and no entry has gone there
// since it began.
func (q *Intake) unspill(before, unfinished int64) {
	if before > 0 && unfinished == 0 {
		q.spilled.CompareAndSwap(before, 0)
	}
}

// afterDirect puts the notices that wait in front of a batch from the stream if some in it may have
// come after them. No others are added meanwhile.
func (s *shift) afterDirect(batch []Entry) []Entry {
	if s.spilled.Load() == 0 || len(s.direct) == 0 {
		return batch
	}
	return append(s.gatherDirect(maxDirect), batch...)
}

// gatherDirect adds to batch the notices that wait, up to most.
func (s *shift) gatherDirect(most int, batch ...Entry) []Entry {
	batch = slices.Grow(batch, min(len(s.direct), most))
	for len(batch) < most {
		select {
		case e := <-s.direct:
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// bring puts those of these entries into the stream that are not there, and returns the others.
func (s *shift) bring(entries []Entry) (there []Entry) {
	for _, e := range entries {
		if e.ID == "" {
			s.enqueue(e) // if there is no room, it is left to the relay
		}
	}
	return inStream(entries)
}

// inStream returns those of these entries that are in the stream.
func inStream(entries []Entry) []Entry {
	isDirect := func(e Entry) bool { return e.ID == "" }
	if !slices.ContainsFunc(entries, isDirect) {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), isDirect)
}
