package doctor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ProbePath is the path of the probe: a stream of three lines that the doctor reads through the
// public URL. Its token is signed with a session key and valid for a minute, so that nobody else
// can open it.
const ProbePath = "/doctor/stream"

const (
	probeLines = 3
	probePause = 300 * time.Millisecond
	probeLife  = time.Minute
)

// Probe serves the probe with the headers of /events. The keys are those that sign sessions.
func Probe(keys [][]byte, now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !probeAllowed(keys, r.URL.Query().Get("token"), now()) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		tick := time.NewTicker(probePause)
		defer tick.Stop()
		for i := range probeLines {
			if _, err := fmt.Fprintf(w, ": line %d\n\n", i+1); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil || i == probeLines-1 {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	})
}

func probeToken(key []byte, now time.Time) string {
	until := strconv.FormatInt(now.Add(probeLife).Unix(), 10)
	return until + "." + probeSign(key, until)
}

func probeAllowed(keys [][]byte, token string, now time.Time) bool {
	until, sign, _ := strings.Cut(token, ".")
	end, err := strconv.ParseInt(until, 10, 64)
	if err != nil || now.Unix() > end || end > now.Add(2*probeLife).Unix() {
		return false
	}
	for _, key := range keys {
		if hmac.Equal([]byte(sign), []byte(probeSign(key, until))) {
			return true
		}
	}
	return false
}

func probeSign(key []byte, until string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("carillon doctor stream " + until)) // the key signs cookies too, so the text must differ from theirs
	return hex.EncodeToString(mac.Sum(nil))
}
