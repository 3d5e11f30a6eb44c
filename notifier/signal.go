package notifier

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Signal is a message on a user's channel that changes none of the user's numbers. Its text
// is one of
//
//	T
//	N
//	V BROWSER 1 MS
//	V BROWSER 0 MS
//	P 1
//	P 0
//	P 0 MS
//	E BROWSER
//	M
//
// The letter is the kind, and distinguishes a signal from a Change, which starts with a
// number, and from Marks.
type Signal struct {
	Kind    SignalKind
	On      bool   // of SignalSeen and SignalSwitch
	Browser string // of SignalSeen and SignalEnded: a name returned by Browser; contains no space
	At      int64  // of SignalSeen: time in ms; of SignalSwitch, when off: end time in ms; 0: no end
}

// SignalKind is the kind of a Signal.
type SignalKind byte

// The kinds of a Signal. The zero kind is SignalToast.
const (
	SignalToast  SignalKind = iota // a toast is waiting
	SignalNudge                    // a toast is waiting that all connections of one instance received and none acknowledged
	SignalSeen                     // from At on, the browser shows a page of Carillon, or no longer shows one
	SignalSwitch                   // the user has switched toasts on or off
	SignalEnded                    // the session in that browser has ended
	SignalMoved                    // the user has been moved to another audience
)

// Browser returns a name for the browser of a session. Signals contain this name, because they must
// not contain the session id.
func Browser(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:8])
}

var errSignal = errors.New("malformed signal")

// IsSignal reports whether a text published on a user's channel is a Signal.
func IsSignal(text string) bool {
	return text == "T" || text == "N" || text == "M" ||
		strings.HasPrefix(text, "V ") || strings.HasPrefix(text, "P ") || strings.HasPrefix(text, "E ")
}

// ParseSignal parses a published signal. It rejects any text that Carillon cannot have written.
func ParseSignal(text string) (Signal, error) {
	switch text {
	case "T":
		return Signal{}, nil
	case "N":
		return Signal{Kind: SignalNudge}, nil
	case "P 0", "P 1":
		return Signal{Kind: SignalSwitch, On: text == "P 1"}, nil
	case "M":
		return Signal{Kind: SignalMoved}, nil
	}
	f := strings.Split(text, " ")
	if len(f) == 2 && f[0] == "E" && f[1] != "" {
		return Signal{Kind: SignalEnded, Browser: f[1]}, nil
	}
	if len(f) == 3 && f[0] == "P" && f[1] == "0" {
		if at, ok := parseExact(f[2]); ok && at > 0 {
			return Signal{Kind: SignalSwitch, At: at}, nil
		}
	}
	if len(f) != 4 || f[0] != "V" || f[1] == "" || f[2] != "0" && f[2] != "1" {
		return Signal{}, fmt.Errorf("%w: %.40q", errSignal, text)
	}
	at, ok := parseExact(f[3])
	if !ok {
		return Signal{}, fmt.Errorf("%w: time in %.40q", errSignal, text)
	}
	return Signal{Kind: SignalSeen, Browser: f[1], On: f[2] == "1", At: at}, nil
}

// String returns the text of the signal.
func (s Signal) String() string {
	on := "0"
	if s.On {
		on = "1"
	}
	switch s.Kind {
	case SignalNudge:
		return "N"
	case SignalSeen:
		return "V " + s.Browser + " " + on + " " + strconv.FormatInt(s.At, 10)
	case SignalSwitch:
		if !s.On && s.At > 0 {
			return "P 0 " + strconv.FormatInt(s.At, 10)
		}
		return "P " + on
	case SignalEnded:
		return "E " + s.Browser
	case SignalMoved:
		return "M"
	default:
		return "T"
	}
}
