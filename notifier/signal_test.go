package notifier_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestParseSignalReadsEachKindAndRejectsOtherText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]notifier.Signal{
		"T":        {},
		"N":        {Kind: notifier.SignalNudge},
		"V ab 1 5": {Kind: notifier.SignalSeen, Browser: "ab", On: true, At: 5},
		"V ab 0 0": {Kind: notifier.SignalSeen, Browser: "ab"},
		"P 1":      {Kind: notifier.SignalSwitch, On: true},
		"P 0":      {Kind: notifier.SignalSwitch},
		"P 0 5":    {Kind: notifier.SignalSwitch, At: 5},
		"E ab":     {Kind: notifier.SignalEnded, Browser: "ab"},
		"M":        {Kind: notifier.SignalMoved},
	} {
		got, err := notifier.ParseSignal(text)
		if err != nil || got != want || got.String() != text || !notifier.IsSignal(text) {
			t.Errorf("%q was parsed as %+v and rendered as %q: %v", text, got, got, err)
		}
	}
	for _, text := range []string{
		"", "T ", "TT", "N 1", "V ", "V a 2 5", "V a 1 x", "V a 1", "V a 1 5 6", "V  1 5", "V a 1 05", "V a 1 -5", "P", "P ", "P 2", "P 01", "P 0 ", "P 0 0", "P 0 05", "P 1 5", "P 0 x", "E", "E ", "E a b", "M ", "M 1",
	} {
		if got, err := notifier.ParseSignal(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, got)
		}
	}
}

func FuzzParseSignal(f *testing.F) {
	for _, text := range []string{"T", "N", "V ab 1 1700000000001", "V ab 0 5", "P 0", "P 0 5", "P 1", "E ab", "M"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := notifier.ParseSignal(text)
		if err == nil && (s.String() != text || !notifier.IsSignal(text)) {
			t.Errorf("%q was parsed as %+v, which renders as %q", text, s, s)
		}
	})
}
