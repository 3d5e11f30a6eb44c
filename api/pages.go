package api

// addPages adds the pages for people.
func (s *server) addPages() error { return nil }
