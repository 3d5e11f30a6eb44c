package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// stream is the result of a probe through the public URL.
type stream struct {
	arrived  arrived
	arrivals []time.Time
	header   http.Header
	proto    string // such as HTTP/2.0
	cut      error  // why it ended before its last line
}

// through creates the client of all requests through the public URL. It follows no redirects, because a browser's
// stream must be at its own address.
func through() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// readProbe opens a probe like a browser opens a stream, with a pause before its last line, and returns when each
// line arrived. The error is a *fault.
func readProbe(ctx context.Context, public *url.URL, token string, silence time.Duration, headers bool) (*stream, error) {
	const answer = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, answer+silence)
	defer cancel()
	query := url.Values{probeParameter: {token}, silentFor: {strconv.Itoa(int(silence.Seconds()))}}
	at := public.JoinPath(ProbePath)
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, &fault{found: "the address is not one: " + err.Error(), advice: "correct --public-url"}
	}
	// A proxy may decide to buffer based on these headers, which browsers send for /events.
	req.Header.Set("Accept", "text/event-stream")
	req.AddCookie(&http.Cookie{Name: probeCookie, Value: "1", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	if headers {
		req.Header.Set("Authorization", probeBearer)
	}
	res, err := through().Do(req)
	if err != nil {
		return nil, unreached(public, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, answered(public, res)
	}
	if kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); kind != "text/event-stream" {
		return nil, &fault{
			found:  public.String() + ProbePath + " answers with " + strconv.Quote(kind) + ", not with a stream: another application or another path answers",
			advice: "have the proxy pass on every path below --public-url as it is, with its Content-Type, and check the path of --public-url",
		}
	}
	if res.Uncompressed { // the client has removed the header
		res.Header.Set("Content-Encoding", "gzip")
	}
	s := &stream{header: res.Header, proto: res.Proto}
	in := bufio.NewScanner(io.LimitReader(res.Body, 64<<10))
	for in.Scan() {
		line, comment := strings.CutPrefix(in.Text(), ": ")
		if !comment {
			continue
		}
		if len(s.arrivals) == 0 {
			_ = json.Unmarshal([]byte(line), &s.arrived) // missing values were not received
		}
		s.arrivals = append(s.arrivals, time.Now())
	}
	s.cut = in.Err()
	return s, nil
}
