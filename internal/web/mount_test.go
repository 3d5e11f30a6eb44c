package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/internal/web"
)

// served answers with the address as handlers see it and as a browser would.
var served = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s", r.URL.RequestURI(), web.At(r.Context(), "/inbox"))
})

func TestOnlyAddressesBelowThePathAreServed(t *testing.T) {
	t.Parallel()
	h := web.Mount("/notifications", served, "/healthz")
	for address, want := range map[string]string{
		"/notifications/":                       "200 / /notifications/inbox",
		"/notifications/inbox?filter=unread":    "200 /inbox?filter=unread /notifications/inbox",
		"/notifications/staff/roles/a%2Fb":      "200 /staff/roles/a%2Fb /notifications/inbox",
		"/notifications/staff/roles/a%2F..%2Fb": "200 /staff/roles/a%2F..%2Fb /notifications/inbox",
		"/notifications/healthz":                "200 /healthz /notifications/inbox",
		"/healthz":                              "200 /healthz /notifications/inbox",
		"/":                                     "404",
		"/inbox":                                "404",
		"/api/v1/me":                            "404",
		"/notificationsx/inbox":                 "404",
		"/Notifications/inbox":                  "404",
		"/%6eotifications/inbox":                "404",
		"/notifications//inbox":                 "404",
		"/notifications/inbox//panel":           "404",
		"/notifications/%2e%2e/inbox":           "404",
		"/notifications/../notifications/inbox": "404",
		"/notifications/%2E./inbox":             "404",
		"/notifications/./inbox":                "404",
		"/notifications/inbox/..":               "404",
		"//notifications/inbox":                 "404",
		"/x/../notifications/inbox":             "404",
		"/notifications/healthz/../../etc":      "404",
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://app.example.com"+address, nil))
		got := strconv.Itoa(rec.Code)
		if rec.Code == http.StatusOK {
			got += " " + rec.Body.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestThePathWithoutItsSlashLeadsToThePath(t *testing.T) {
	t.Parallel()
	h := web.Mount("/notifications", served)
	for method, want := range map[string]int{http.MethodGet: http.StatusPermanentRedirect, http.MethodPost: http.StatusNotFound} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, "/notifications", nil))
		if rec.Code != want {
			t.Errorf("%s: %d, want %d", method, rec.Code, want)
		}
		if to := rec.Header().Get("Location"); want == http.StatusPermanentRedirect && to != "/notifications/" {
			t.Errorf("it leads to %q", to)
		}
	}
}

func TestInsideIsTheReverseOfAt(t *testing.T) {
	t.Parallel()
	h := web.Mount("/n", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for _, address := range []string{"/inbox", "/n/7", "/", "https://shop.example.com/", "#e5", "", "?before=1"} {
			if got := web.Inside(r.Context(), web.At(r.Context(), address)); got != address {
				t.Errorf("%q became %q", address, got)
			}
		}
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/n/", nil))
}
