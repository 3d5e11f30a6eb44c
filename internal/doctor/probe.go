package doctor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ProbePath is the path of the event stream that browsers open. With a token in the parameter "doctor" it is a
// probe: some lines, sent like events. The token is signed with a session key and valid for a minute, so
// that only the doctor can open it.
const ProbePath = "/events"

const (
	probeParameter = "doctor"
	silentFor      = "silent"
	probeLines     = 3
	probePause     = 300 * time.Millisecond
	probeLife      = time.Minute
	// maxSilence limits the pause before the last line.
	maxSilence = 30 * time.Second
	// probeCookie and probeBearer pass through every proxy that Carillon supports.
	probeCookie = "carillon-doctor"
	probeBearer = "Bearer doctor"
)

// arrived contains what the server received of the request of a probe; the first line contains it.
type arrived struct {
	Host          string `json:"host"`
	Path          string `json:"path"`
	Cookie        bool   `json:"cookie"`
	Authorization bool   `json:"authorization"`
}

// Trickle sends lines like the event stream; see live.Trickle.
type Trickle func(w http.ResponseWriter, r *http.Request, lines []string, pauses []time.Duration)

// Probe serves the probes at ProbePath, and passes all other requests to next. The keys are the session keys.
func Probe(keys [][]byte, now func() time.Time, trickle Trickle, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		token := query.Get(probeParameter)
		if token == "" || r.Method != http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		if !probeAllowed(keys, token, now()) {
			w.Header().Set(refusal, "token")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: probeCookie, Value: "1", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode})
		lines, pauses := []string{": " + seen(r)}, []time.Duration{}
		for range probeLines - 1 {
			lines, pauses = append(lines, ": a line"), append(pauses, probePause)
		}
		if silence, err := strconv.Atoi(query.Get(silentFor)); err == nil && silence > 0 {
			lines = append(lines, ": after a silence")
			pauses = append(pauses, min(time.Duration(silence)*time.Second, maxSilence))
		}
		trickle(w, r, lines, pauses)
	})
}

// refusal is the header by which the doctor distinguishes Carillon's refusal from a proxy's.
const refusal = "Carillon-Doctor"

func seen(r *http.Request) string {
	_, err := r.Cookie(probeCookie)
	text, _ := json.Marshal(arrived{ // cannot fail
		Host: r.Host, Path: r.URL.Path, Cookie: err == nil, Authorization: r.Header.Get("Authorization") == probeBearer,
	})
	return string(text)
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
	mac.Write([]byte("carillon doctor stream " + until)) // the key also signs cookies, so the text must differ from theirs
	return hex.EncodeToString(mac.Sum(nil))
}
