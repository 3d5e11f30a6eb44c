package inbox

// PollsWaiting returns the number of polls that wait for the next round trip.
func (b *Inbox) PollsWaiting() int { return b.polls.waiting.Len() }
