package inbox

// PollsWaiting is how many polls wait for the next round trip.
func (b *Inbox) PollsWaiting() int { return b.polls.waiting.Len() }
