package e2e

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// line describes the network connection of a window.
type line struct {
	Offline  bool    `json:"offline"`
	Latency  float64 `json:"latency"`            // ms
	Download float64 `json:"downloadThroughput"` // bytes per second; -1: no limit
	Upload   float64 `json:"uploadThroughput"`   // like Download
}

// fullSpeed is the default line of a window.
var fullSpeed = line{Download: -1, Upload: -1}

// setLine is deprecated, and therefore missing from cdproto. But all versions of Chromium support it: 121 lacks its
// replacements, and 148 rejects the parameters that 156 requires.
var setLine = cdp.Command[line, struct{}]{Method: "Network.emulateNetworkConditions"}

func (w *window) line(l line) *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, setLine, l); err != nil {
		w.t.Fatalf("make the network %+v: %v", l, err)
	}
	return w
}
