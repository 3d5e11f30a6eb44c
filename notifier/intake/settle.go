package intake

// acknowledgeAll takes what is done off the hands of the group, while the next is confirmed.
func (s *shift) acknowledgeAll() {
	for batch := range s.acks {
		for waiting := len(s.acks); waiting > 0; waiting-- {
			batch = append(batch, <-s.acks...)
		}
		s.done.Add(s.acknowledge(batch))
	}
}

// acknowledge returns how many were still pending. When Redis is away they stay, and are
// done once more: a handler bears that.
func (s *shift) acknowledge(entries []Entry) int64 {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	n, err := s.c.Redis.XAck(s.work, s.stream, Group, ids...).Result()
	if err != nil {
		s.c.Log.DebugContext(s.work, "entries stay, to be done again", "stage", "intake", "entries", len(ids), "err", err)
	}
	s.hand.settle(ids...)
	return n
}
