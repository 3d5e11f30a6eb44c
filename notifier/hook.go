package notifier

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of webhooks.
const (
	MaxHooks       = 50
	MaxHookURL     = 1000    // bytes
	MaxHookEntries = 200     // entries in an event; more are in further events
	MaxHookWaiting = 100_000 // events that wait for a hook; beyond that the oldest are dropped
	MaxHookPast    = 100     // events that are kept of each hook after their last try
)

// HookOverlap is how long events are also signed with the secret before the last rotation.
const HookOverlap = 24 * time.Hour

// HookOff is why a hook is switched off.
type HookOff string

// The reasons.
const (
	HookOn      HookOff = ""        // it is not
	HookGone    HookOff = "gone"    // its receiver answered 410
	HookFailing HookOff = "failing" // it failed for days
)

// Hook is an address that receives events. Its secrets are stored sealed.
type Hook struct {
	ID        int64
	Name      string
	URL       string
	Events    []EventType
	CreatedAt time.Time

	Off          HookOff
	OffAt        time.Time
	FailingSince time.Time // the first failure since the last success; zero: the last try succeeded
	Error        string    // of the last failure since the last success
	OldUntil     time.Time // when the secret before the last rotation ends

	Waiting int64 // events; only in lists
}

// SealedHook is a hook with its secrets, as stored.
type SealedHook struct {
	Hook
	Secret, Old []byte // Old is empty if there is none
}

// HookStats counts hooks and events.
type HookStats struct {
	Hooks, Failing, Off int64
	Waiting             int64     // events of hooks that are on
	Oldest              time.Time // of those
}

// FieldError codes of webhooks.
const (
	CodeBadHookURL    = "bad_hook_url"    // url: not an https address with a host, or with a user or fragment
	CodePlainHook     = "plain_hook"      // url: http, to an address that --outbound-allow does not name
	CodePrivateHook   = "private_hook"    // url: leads to an address that is neither public nor named by --outbound-allow
	CodeBadEvent      = "bad_event"       // Name, Allowed: no type of events
	CodeHookNameTaken = "hook_name_taken" // name: another hook has it
	CodeTooManyHooks  = "too_many_hooks"  // name: there are Max hooks
)

// Check returns an *InvalidError with every fault of a hook about to be created that can be found without a look at the
// network, or nil. It sorts its events and removes repeated ones.
func (h *Hook) Check() error {
	var bad InvalidError
	switch {
	case h.Name == "":
		bad.Add("name", CodeRequired, nil)
	case !ValidName(h.Name):
		bad.Add("name", CodeBadName, map[string]any{"Name": excerpt(h.Name)})
	}
	switch {
	case h.URL == "":
		bad.Add("url", CodeRequired, nil)
	case !validHookURL(h.URL):
		bad.Add("url", CodeBadHookURL, nil)
	}
	all := EventTypes()
	known := make([]EventType, 0, len(all))
	for _, typ := range all {
		if slices.Contains(h.Events, typ) {
			known = append(known, typ)
		}
	}
	for _, typ := range h.Events {
		if !slices.Contains(all, typ) {
			bad.Add("events", CodeBadEvent, map[string]any{"Name": excerpt(string(typ)), "Allowed": joinEvents(all, ", ")})
			break
		}
	}
	if len(h.Events) == 0 {
		bad.Add("events", CodeRequired, nil)
	}
	h.Events = known
	return bad.OrNil()
}

// validHookURL reports whether a text is the address of a web server, without a user and a fragment. A host that ends in a number is
// an address: other systems read 127.1 and 2130706433 as addresses, too.
func validHookURL(text string) bool {
	if len(text) > MaxHookURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Contains(text, "#") {
		return false
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return !strings.Contains(host, "%") // no zone
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && !strings.Contains(host, ":") && !numeric(last)
}

// numeric reports whether the last label of a host makes it an address for some systems: it begins with a digit, as 0x7f does.
func numeric(label string) bool { return label[0] >= '0' && label[0] <= '9' }

func joinEvents(all []EventType, with string) string {
	texts := make([]string, len(all))
	for i, typ := range all {
		texts[i] = string(typ)
	}
	return strings.Join(texts, with)
}

// Audited returns the details of the hook for the audit log, besides its name. The path and the query of an address may contain
// secrets of the receiver.
func (h *Hook) Audited() string {
	host := ""
	if u, err := url.Parse(h.URL); err == nil {
		host = u.Scheme + "://" + u.Host
	}
	return host + " " + joinEvents(h.Events, ",")
}
