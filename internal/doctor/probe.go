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
// probe: some lines, sent as events are. The token is signed with a session key and valid for a minute,
// so that nobody else can open it.
const ProbePath = "/events"

const (
	probeParameter = "doctor"
	silentFor      = "silent"
	probeLines     = 3
	probePause     = 300 * time.Millisecond
	probeLife      = time.Minute
	// maxSilence bounds the pause before the last line.
	maxSilence = 30 * time.Second
	// probeCookie and probeBearer come through every proxy that Carillon can work behind.
	probeCookie = "carillon-doctor"
	probeBearer = "Bearer doctor"
)

// arrived is what the server saw of the request of a probe: the first line says it.
type arrived struct {
	Host          string `json:"host"`
	Path          string `json:"path"`
	Cookie        bool   `json:"cookie"`
	Authorization bool   `json:"authorization"`
}

// Trickle sends lines as the event stream is sent; see live.Trickle.
type Trickle func(w http.ResponseWriter, r *http.Request, lines []string, pauses []time.Duration)

// Probe serves the probes at ProbePath, and leaves all other requests to next. The keys are those that sign sessions.
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

// refusal is the header by which the doctor tells our refusal from that of a proxy.
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
	mac.Write([]byte("carillon doctor stream " + until)) // the key signs cookies too, so the text must differ from theirs
	return hex.EncodeToString(mac.Sum(nil))
}
