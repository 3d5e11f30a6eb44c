package rule

import (
	"bytes"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// seenEvery is the interval at which an unchanged finding is recorded as still present.
const seenEvery = time.Hour

// Change is the reason to send a finding.
type Change string

// The values of Change.
const (
	ChangeNew      Change = "new"      // not found before
	ChangeOther    Change = "changed"  // its text or its recipients changed
	ChangeReminder Change = "reminder" // still found after the rule's remind time
	ChangeNone     Change = "known"    // nothing to send
)

// Plan is what a run would do.
type Plan struct {
	Findings []Finding // in the order of the rows
	Gone     []string  // subjects sent before and no longer found; retracted if the rule is set to withdraw
}

// Finding is a result of a rule, as it would be sent.
type Finding struct {
	Draft  notifier.Draft
	Change Change
}

// pending is a finding to send. Its row is saved before it is sent, so that another run can
// continue after a crash without sending it twice.
type pending struct {
	found
	change Change
	row    notifier.Finding // NoticeID is 0 until it is sent
	moved  bool             // it may have been sent to other recipients before, or as another task
}

// compare decides what to do with the findings, given the recorded ones.
func (r *Rule) compare(all []found, known map[string]notifier.Finding, now time.Time) (list []pending, gone []string) {
	there := map[string]bool{}
	for _, f := range all {
		there[f.draft.Subject] = true
		list = append(list, r.weigh(f, known, now))
	}
	for _, subject := range sortedKeys(known) {
		if !there[subject] {
			gone = append(gone, subject)
		}
	}
	return list, gone
}

func (r *Rule) weigh(f found, known map[string]notifier.Finding, now time.Time) pending {
	before, is := known[f.draft.Subject]
	t := pending{found: f, change: ChangeNone, row: before}
	switch {
	case !is:
		t.change = ChangeNew
	case !bytes.Equal(before.Digest, f.digest):
		t.change = ChangeOther
		// A changed task is a new one, so the former must not wait any longer.
		t.moved = r.take != nil || !bytes.HasPrefix(before.Digest, f.digest[:addressBytes])
	case before.NoticeID == 0:
		// The run died, or it could not be sent. Its time stays the same, and therefore also the
		// idempotency key that prevents sending it twice.
		t.change, t.moved = ChangeNew, true
		return t
	case r.Remind > 0 && now.Sub(before.ToldAt) >= r.Remind:
		t.change = ChangeReminder
	}
	if t.change != ChangeNone {
		t.row = notifier.Finding{Rule: r.Name, Subject: f.draft.Subject, Digest: f.digest, ToldAt: now, SeenAt: now}
	}
	return t
}
