package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// witness records the invisible events of a window: its requests, the responses, and the messages of
// its console.
type witness struct {
	mu       sync.Mutex
	host     string
	also     string              // another host that the pages may ask; empty: none
	faults   []string            // of the console, of scripts and of the content policy
	foreign  []string            // requests to other hosts
	asked    []string            // method and address of every request
	bytes    map[string]int64    // address → bytes transferred, including headers
	cached   map[string]bool     // addresses that came from the browser's cache
	statuses map[string]int64    // address → status
	pages    []network.RequestID // of documents and responses to forms
	ids      map[network.RequestID]string
	frame    string // of the window; frames within it show other documents
}

// watched attaches a witness to the window, which records events from now on.
func (w *window) watched() *witness {
	w.t.Helper()
	u, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	see := &witness{host: u.Host}
	see.forget()
	if err := chromedp.Listen(w.ctx, see.note); err != nil {
		w.t.Fatalf("watch a window: %v", err)
	}
	return see
}

// forget discards all records.
func (s *witness) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.foreign, s.asked, s.pages = nil, nil, nil, nil
	s.bytes, s.cached, s.statuses = map[string]int64{}, map[string]bool{}, map[string]int64{}
	s.ids = map[network.RequestID]string{}
}

func (s *witness) note(ev any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		s.faults = append(s.faults, "exception: "+e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			s.faults = append(s.faults, fmt.Sprintf("console: %s %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			s.faults = append(s.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		s.noteRequest(e)
	case *network.EventResponseReceived:
		s.statuses[e.Response.URL] = e.Response.Status
		if e.Response.Status == http.StatusNoContent { // a form that was saved leaves the page as it is
			s.pages = slices.DeleteFunc(s.pages, func(id network.RequestID) bool { return id == e.RequestID })
		}
		if e.Response.FromDiskCache {
			s.cached[e.Response.URL] = true
		}
	case *network.EventRequestServedFromCache:
		s.cached[s.ids[e.RequestID]] = true
	case *network.EventLoadingFinished:
		s.bytes[s.ids[e.RequestID]] += int64(e.EncodedDataLength)
	}
}

func (s *witness) noteRequest(e *network.EventRequestWillBeSent) {
	s.ids[e.RequestID] = e.Request.URL
	s.asked = append(s.asked, e.Request.Method+" "+e.Request.URL)
	if s.frame == "" && e.Type == network.ResourceTypeDocument {
		s.frame = string(e.FrameID)
	}
	if _, form := e.Request.Headers["Carillon-Form"]; form || e.Type == network.ResourceTypeDocument && string(e.FrameID) == s.frame {
		s.pages = append(s.pages, e.RequestID)
	}
	u, err := url.Parse(e.Request.URL)
	if err != nil || (u.Host != s.host && (s.also == "" || u.Host != s.also) && u.Scheme != "data" && u.Scheme != "blob" && u.Scheme != "about") {
		s.foreign = append(s.foreign, e.Request.URL)
	}
}

// complaints returns recorded events that must not happen. The browser also reports a page with an intended status of
// 400 or more as a fault; expected is that status.
func (s *witness) complaints(expected int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.foreign)
	for i, f := range all {
		all[i] = "asks another host: " + f
	}
	for _, f := range s.faults {
		if expected < 400 || !strings.Contains(f, fmt.Sprintf("the server responded with a status of %d", expected)) {
			all = append(all, f)
		}
	}
	return all
}
