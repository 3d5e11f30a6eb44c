package main

// popped measures toasts: what becomes of them in Redis, and what the streams of this
// instance were given.
func (from sources) popped(m meter) {
	m.counter("carillon_toasts_raised_total", "Toasts put by, one for each user.", func() int64 { return from.toasts().Raised })
	m.counter("carillon_toasts_taken_total", "Toasts taken to be shown, each time counted.", func() int64 { return from.toasts().Taken })
	m.counter("carillon_toasts_given_total", "Toasts given to a browser, each time counted.", func() int64 { return from.hub().Toasts })
	m.counter("carillon_toasts_given_again_total", "Of these, those that somebody was given before and did not acknowledge.", func() int64 { return from.hub().ToastRetries })
	m.counter("carillon_toasts_acknowledged_total", "Toasts that a browser has shown.", func() int64 { return from.toasts().Acked })
	m.counter("carillon_toasts_settled_total", "Toasts that need not be shown any more: too old, over, or read.", func() int64 { return from.toasts().Settled })
	m.counter("carillon_toasts_cleared_total", "Toasts that left by age without having been shown.", func() int64 { return from.toasts().Cleared })
	m.counter("carillon_toasts_failed_total", "Calls about toasts that failed, or a part of them.", func() int64 { return from.toasts().Failed })
}
