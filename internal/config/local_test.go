package config

import (
	"strings"
	"testing"
	"time"
)

func TestTheLocalZoneComesFromTZ(t *testing.T) {
	t.Parallel()
	winter := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{"Europe/Berlin": "13:00", ":Asia/Kathmandu": "17:45", "UTC": "12:00", "": "12:00"} {
		zone, err := Local(func(string) (string, bool) { return name, true })
		if err != nil || winter.In(zone).Format("15:04") != want {
			t.Errorf("%q: %v, %v", name, zone, err)
		}
	}
	for _, name := range []string{"Europe/Berlyn", "CET-1CEST,M3.5.0,M10.5.0/3", "/nowhere/zone", "local_test.go", "../etc"} {
		if zone, err := Local(func(string) (string, bool) { return name, true }); err == nil || !strings.Contains(err.Error(), "TZ") {
			t.Errorf("%q: %v, %v", name, zone, err)
		}
	}
	if zone, err := Local(func(string) (string, bool) { return "", false }); err != nil || zone != time.Local {
		t.Errorf("without TZ: %v, %v", zone, err)
	}
}
