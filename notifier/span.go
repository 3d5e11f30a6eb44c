package notifier

import (
	"strconv"
	"strings"
	"time"
)

// ParseSpan parses a time span: a Go duration, such as 90s or 72h, or whole days, such as 30d. Flags, request fields and
// rules all use this form.
func ParseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}
