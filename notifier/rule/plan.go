package rule

import (
	"bytes"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// seenEvery is how often it is written down that what is known is still there.
const seenEvery = time.Hour

// Change says why a finding would be told.
type Change string

// What becomes of a finding.
const (
	ChangeNew      Change = "new"      // it was not there before
	ChangeOther    Change = "changed"  // it says something else, or to others
	ChangeReminder Change = "reminder" // it is still there after the quiet time
	ChangeNone     Change = "known"    // nothing is sent
)

// Plan is what a run would do.
type Plan struct {
	Findings []Finding // in the order of the rows
	Gone     []string  // subjects of what was told of and is not found any more; withdrawn if the rule says so
}

// Finding is something that a rule has found, as it would be sent.
type Finding struct {
	Draft  notifier.Draft
	Change Change
}

// telling is a finding on its way: it is written down with these words before it is
// sent, so that a run that dies in between is gone on with, and tells nothing twice.
type telling struct {
	found
	change Change
	row    notifier.Finding // NoticeID 0 until it is sent
	moved  bool             // it may have been told to others before
}

// compare says what is to be done about what was found, given what is known.
func (r *Rule) compare(all []found, known map[string]notifier.Finding, now time.Time) (list []telling, gone []string) {
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

func (r *Rule) weigh(f found, known map[string]notifier.Finding, now time.Time) telling {
	before, is := known[f.draft.Subject]
	t := telling{found: f, change: ChangeNone, row: before}
	switch {
	case !is:
		t.change = ChangeNew
	case !bytes.Equal(before.Digest, f.digest):
		t.change = ChangeOther
		t.moved = !bytes.HasPrefix(before.Digest, f.digest[:addressBytes])
	case before.NoticeID == 0:
		// A run has died over it, or it could not be sent: its time stays, and with
		// it the key that keeps it from being told twice.
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
