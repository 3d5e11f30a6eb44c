package api

// registerNotices adds the calls about notices.
func registerNotices(*server) {}
