package app

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// claims are the claims of a token, by their exact names.
type claims map[string]json.RawMessage

const null = "null"

// refused returns an error about a claim.
func refused(claim, format string, args ...any) error {
	return &notifier.TokenError{Code: notifier.TokenClaim, Claim: claim, Detail: claim + " " + fmt.Sprintf(format, args...)}
}

// text returns a claim that is a string. Nil: absent; empty: null or empty.
func (c claims) text(claim string) (*string, error) {
	raw, given := c[claim]
	if !given {
		return nil, nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil { // null leaves s empty
		return nil, refused(claim, "must be a string")
	}
	return &s, nil
}

// cleaned returns a claim of the profile. Nil: it is absent, or Dropped; empty: null or empty. Of a list, only the
// first element is used.
func (c claims) cleaned(claim string, clean func(text string) (string, notifier.Mend)) (*string, notifier.Mend) {
	raw, given := c[claim]
	if !given {
		return nil, notifier.Unsaid
	}
	var sent string
	first := notifier.Kept
	if json.Unmarshal(raw, &sent) != nil { // null leaves it empty
		var list []string
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return nil, notifier.Dropped
		}
		sent, first = list[0], notifier.Cut
	}
	value, mend := clean(sent)
	switch mend {
	case notifier.Dropped:
		return nil, mend
	case notifier.Kept:
		mend = first
	case notifier.Unsaid, notifier.Cleaned, notifier.Cut:
	}
	return &value, mend
}

// subject returns the user's id in the app.
func (c claims) subject() (string, error) {
	s, err := c.text("sub")
	switch {
	case err != nil:
		return "", err
	case s == nil || *s == "":
		return "", refused("sub", "is required")
	case !notifier.ValidName(*s):
		return "", refused("sub", "must have at most %d bytes and no control characters", notifier.MaxName)
	}
	return *s, nil
}

// audiences returns aud, which is a string or a list of strings.
func (c claims) audiences() ([]string, error) {
	raw, given := c["aud"]
	if !given || string(raw) == null {
		return nil, refused("aud", "is required")
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil, refused("aud", "must be a string or a list of strings")
	}
	return many, nil
}

// farthest is the latest time accepted, in seconds. No token needs more, and larger values overflow.
const farthest = 1 << 40

// time returns a claim in seconds since 1970, which may have a fraction. The zero time: absent.
func (c claims) time(claim string, required bool) (time.Time, error) {
	raw, given := c[claim]
	if !given || string(raw) == null {
		if required {
			return time.Time{}, refused(claim, "is required")
		}
		return time.Time{}, nil
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds < 0 || seconds > farthest {
		return time.Time{}, refused(claim, "must be a number of seconds since 1970")
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), nil
}
