package agent_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/agent"
)

// answers is a server that is away or busy as a test says; calls are counted from 0.
type answers func(call int, r *http.Request) (*http.Response, error)

// tries are the requests of one call of the API: the idempotency key of each, and when it came.
type tries struct {
	keys []string
	at   []time.Duration
}

func (a answers) to(seen *tries) agent.Config {
	begun := time.Now()
	return agent.Config{URL: &url.URL{Scheme: "http", Host: "carillon.example", Path: "/notifications"}, Key: "ck_x", HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		seen.keys = append(seen.keys, r.Header.Get("Idempotency-Key"))
		seen.at = append(seen.at, time.Since(begun))
		return a(len(seen.at)-1, r)
	})}}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string, head ...string) *http.Response {
	res := &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	if len(head) == 2 {
		res.Header.Set(head[0], head[1])
	}
	return res
}

func TestACallIsTriedAgainWithItsKeyWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen tries
		server := answers(func(call int, r *http.Request) (*http.Response, error) {
			switch {
			case r.URL.Path != "/notifications/api/v1/notices" || r.Header.Get("Authorization") != "Bearer ck_x":
				t.Errorf("a request to %s", r.URL)
			case call == 0:
				return answer(http.StatusServiceUnavailable, "", "Retry-After", "7"), nil
			case call == 1:
				return nil, errors.New("connection refused")
			case call == 2:
				return answer(http.StatusTooManyRequests, "{}"), nil
			case call == 3:
				return answer(http.StatusBadGateway, "<html>"), nil
			}
			return answer(http.StatusAccepted, `{"id":1}`), nil
		})
		got, err := server.to(&seen).Post(t.Context(), "/notices", []byte(`{}`))
		if err != nil || string(got) != `{"id":1}` {
			t.Errorf("the call returns %s, %v", got, err)
		}
		if want := []time.Duration{0, 7 * time.Second, 9 * time.Second, 13 * time.Second, 21 * time.Second}; !slices.Equal(seen.at, want) {
			t.Errorf("it was tried at %v, want %v", seen.at, want)
		}
		if keys := slices.Compact(slices.Clone(seen.keys)); len(keys) != 1 || len(keys[0]) < 20 {
			t.Errorf("the keys are %q", seen.keys)
		}
	})
}

func TestACallIsGivenUpAfterFiveTriesAndARefusalAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away, refused tries
		gone := answers(func(int, *http.Request) (*http.Response, error) {
			return answer(http.StatusGatewayTimeout, "<html>"), nil
		})
		if _, err := gone.to(&away).Post(t.Context(), "/notices", []byte(`{}`)); err == nil || len(away.at) != 5 {
			t.Errorf("%d tries, %v", len(away.at), err)
		}
		const problem = `{"detail":"validation failed","code":"invalid","errors":[{"location":"body.title","message":"is required"}]}`
		no := answers(func(int, *http.Request) (*http.Response, error) {
			return answer(http.StatusUnprocessableEntity, problem), nil
		})
		if _, err := no.to(&refused).Post(t.Context(), "/notices", []byte(`{}`)); err == nil || !strings.HasSuffix(err.Error(), "(invalid): validation failed\ntitle: is required") || len(refused.at) != 1 {
			t.Errorf("%d tries, %v", len(refused.at), err)
		}
	})
}

// Clients that follow no progress end a call after 60 seconds, which would withdraw the question.
func TestAClientThatFollowsNoProgressGetsTheOpenQuestionInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen tries
		const open = `{"id":123,"state":"open","answers":[]}`
		server := answers(func(call int, r *http.Request) (*http.Response, error) {
			switch {
			case call == 0 && r.Method == http.MethodPost:
				return answer(http.StatusAccepted, open), nil
			case r.Method != http.MethodGet || r.URL.String() != "http://carillon.example/notifications/api/v1/asks/123?wait=20":
				t.Errorf("%s %s", r.Method, r.URL)
			}
			<-time.After(20 * time.Second) // as the server waits
			return answer(http.StatusOK, open), nil
		})
		got, err := server.to(&seen).Ask(t.Context(), `{"title":"Lunch?"}`)
		if err != nil || string(got) != open || !slices.Equal(seen.at, []time.Duration{0, 0, 20 * time.Second}) {
			t.Errorf("after requests at %v it returns %s, %v", seen.at, got, err)
		}
	})
}

func TestAQuestionWhoseCallIsCancelledWhileItIsAskedIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var seen tries
		withdrawn := false
		server := answers(func(_ int, r *http.Request) (*http.Response, error) {
			switch r.Method {
			case http.MethodPost:
				cancel() // it is stored, and the answer is under way
				<-time.After(time.Second)
				return answer(http.StatusAccepted, `{"id":123,"state":"open","answers":[]}`), r.Context().Err()
			case http.MethodDelete:
				withdrawn = strings.HasSuffix(r.URL.Path, "/asks/123")
				return answer(http.StatusNoContent, ""), nil
			}
			return nil, r.Context().Err()
		})
		if got, err := server.to(&seen).Ask(ctx, `{"title":"Lunch?"}`); !errors.Is(err, context.Canceled) || !withdrawn {
			t.Errorf("it returns %s, %v; withdrawn: %v", got, err, withdrawn)
		}
	})
}
