package intake

// acknowledgeAll acknowledges finished entries while the next ones are being confirmed.
func (s *shift) acknowledgeAll() {
	for batch := range s.acks {
		for waiting := len(s.acks); waiting > 0; waiting-- {
			batch = append(batch, <-s.acks...)
		}
		s.done.Add(s.acknowledge(batch))
	}
}

// acknowledge returns how many entries were still pending. If Redis is unavailable they stay in the
// stream and are handled once more, which handlers must tolerate.
func (s *shift) acknowledge(entries []Entry) int64 {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	n, err := s.c.Redis.XAck(s.work, s.stream, Group, ids...).Result()
	if err != nil {
		s.c.Log.DebugContext(s.work, "entries stay in the stream and will be handled again", "stage", "intake", "entries", len(ids), "err", err)
	}
	s.inFlight.settle(ids...)
	return n
}
