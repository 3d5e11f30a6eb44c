package notifier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Signal is what is published on a user's channel that changes none of his numbers.
// Its text is one of
//
//	T
//	N
//	V BROWSER 1 MS
//	V BROWSER 0 MS
//	P 1
//	P 0
//
// The letter is its kind. It tells a signal from a Change, which begins with a number,
// and from Marks.
type Signal struct {
	Kind    SignalKind
	On      bool   // of SignalSeen, SignalSwitch
	Browser string // of SignalSeen; holds no space
	At      int64  // of SignalSeen, ms
}

// SignalKind says what a Signal means.
type SignalKind byte

// Kinds of signals. The zero kind is SignalToast.
const (
	SignalToast  SignalKind = iota // a toast waits
	SignalNudge                    // so does one that all had who are connected to one instance, in vain
	SignalSeen                     // from then on a page of Carillon can be seen in that browser, or none
	SignalSwitch                   // the user wants toasts from now on, or none
)

var errSignal = errors.New("malformed signal")

// IsSignal says whether a text published on a user's channel is a Signal.
func IsSignal(text string) bool {
	return text == "T" || text == "N" || strings.HasPrefix(text, "V ") || strings.HasPrefix(text, "P ")
}

// ParseSignal reads a published signal. It accepts nothing that Carillon would not
// write.
func ParseSignal(text string) (Signal, error) {
	switch text {
	case "T":
		return Signal{}, nil
	case "N":
		return Signal{Kind: SignalNudge}, nil
	case "P 0", "P 1":
		return Signal{Kind: SignalSwitch, On: text == "P 1"}, nil
	}
	f := strings.Split(text, " ")
	if len(f) != 4 || f[0] != "V" || f[1] == "" || f[2] != "0" && f[2] != "1" {
		return Signal{}, fmt.Errorf("%w: %.40q", errSignal, text)
	}
	at, ok := parseExact(f[3])
	if !ok {
		return Signal{}, fmt.Errorf("%w: time in %.40q", errSignal, text)
	}
	return Signal{Kind: SignalSeen, Browser: f[1], On: f[2] == "1", At: at}, nil
}

// String is the text of the signal.
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
		return "P " + on
	default:
		return "T"
	}
}
