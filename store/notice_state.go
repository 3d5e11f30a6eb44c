package store

import "github.com/carillonhq/carillon/notifier"

// retracted must repeat the predicate of the partial index notices_retracted word for word; otherwise
// the index is not used.
const retracted = `state IN ('retracting', 'retracted')`

// The senders with an id. Each must repeat the predicate of its partial index, notices_sender and notices_other_sender,
// word for word.
const (
	byUser  = `sender_kind = 'user' AND sender_id = %s`
	byOther = `sender_kind <> 'user' AND sender_id = %s`
)

// sentBy adds the condition that notices are of exactly this sender.
func sentBy(f *filter, by notifier.Ref) {
	switch {
	case by.IsZero():
	case by.Kind == notifier.KindUser:
		f.add(byUser, refID(by))
	default:
		f.add(byOther+` AND sender_kind = %s`, refID(by), string(by.Kind))
	}
}

// inState adds the condition of one of the Sent constants, and reports whether it is one.
func inState(f *filter, state string, now int64) bool {
	switch state {
	case "":
	case notifier.SentScheduled:
		f.add(`id IN (`+scheduledIDs+`)`, now)
	case notifier.SentOpen:
		f.add(`id IN (SELECT notice_id FROM announcements WHERE starts_at <= %s AND ends_at > %s)`, now, now)
	case notifier.SentClosed:
		f.add(`id IN (SELECT notice_id FROM announcements WHERE ends_at <= %s)`, now)
	case notifier.SentSending:
		f.add(unfinished + ` AND state <> 'retracting'`)
	case notifier.SentDone:
		f.add(`state = 'sent' AND notice_id IS NULL`)
	case notifier.SentRetracted:
		f.add(retracted)
	default:
		return false
	}
	if state == notifier.SentScheduled || state == notifier.SentOpen || state == notifier.SentClosed {
		f.add(`state NOT IN ('retracting', 'retracted')`)
	}
	return true
}

// scheduledIDs selects the notices that wait for their time, and the announcements that have not opened.
const scheduledIDs = `SELECT id FROM notices WHERE state = 'scheduled' UNION ALL SELECT notice_id FROM announcements WHERE starts_at > %s`

// inStage adds the condition of NoticeQuery.Stage, and reports whether it is a state.
func inStage(f *filter, stage notifier.State, now int64) bool {
	switch stage {
	case "":
	case notifier.StateScheduled:
		f.add(`id IN (`+scheduledIDs+`) AND send_at > 0 AND state NOT IN ('retracting', 'retracted')`, now)
	case notifier.StateSent:
		f.add(`state = 'sent' AND (notice_id IS NULL OR send_at = 0 OR starts_at <= %s)`, now)
	case notifier.StateAccepted, notifier.StateSending, notifier.StateRetracting:
		f.add(unfinished+` AND state = %s`, string(stage))
	case notifier.StateRetracted:
		f.add(retracted+` AND state = %s`, string(stage))
	default:
		return false
	}
	return true
}
