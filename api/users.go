package api

// registerUsers adds the calls about users, polls and subscriptions.
func registerUsers(*server) {}
