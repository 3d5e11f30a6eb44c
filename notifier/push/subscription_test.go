package push_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier/push"
)

const (
	point    = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	auth     = "BTBZMqHH6r4Tts7J_aSIgg"
	endpoint = "https://fcm.googleapis.com/fcm/send/abc"
)

func subscription(endpoint, p256dh, auth string) []byte {
	text, _ := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil, "keys": map[string]string{"p256dh": p256dh, "auth": auth}})
	return text
}

func TestOnlyWholeSubscriptionsAreAccepted(t *testing.T) {
	t.Parallel()
	hosts := push.Hosts{"push.example"}
	off, _ := base64.RawURLEncoding.DecodeString(point)
	off[64] ^= 1
	for text, want := range map[string]error{
		string(subscription(endpoint, point, auth)):                      nil,
		string(subscription(endpoint, point+"=", auth+"==")):             nil,
		string(subscription("https://push.example:8443/x", point, auth)): nil,
		`{`:                       push.ErrSyntax,
		`[]`:                      push.ErrSyntax,
		strings.Repeat(" ", 4097): push.ErrSyntax,
		`{}`:                      push.ErrEndpoint,
		string(subscription(endpoint, base64.RawURLEncoding.EncodeToString(off), auth)): push.ErrP256DH,
		string(subscription(endpoint, "", auth)):                                        push.ErrP256DH,
		string(subscription(endpoint, point, auth[1:])):                                 push.ErrAuth,
		string(subscription("https://push.test/x", point, auth)):                        push.ErrUnknown,
	} {
		if _, err := hosts.ParseSubscription([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

func TestOnlyTheParsedHostDecides(t *testing.T) {
	t.Parallel()
	hosts := push.Hosts{"Push.example", "192.0.2.1"}
	for endpoint, want := range map[string]error{
		"https://updates.push.services.mozilla.com/wpush/v2/x": nil,
		"https://wns2-by3p.notify.windows.com/w/?token=x":      nil,
		"https://web.push.apple.com/x":                         nil,
		"https://FCM.googleapis.com./x":                        nil,
		"https://eu.push.example:8443/x":                       nil,
		"https://192.0.2.1:8443/x":                             nil,
		"https://evilpush.example/x":                           push.ErrUnknown,
		"https://push.example.evil.test/x":                     push.ErrUnknown,
		"https://evil.test/push.example":                       push.ErrUnknown,
		"https://evil.test?.push.example":                      push.ErrUnknown,
		"https://googleapis.com/x":                             push.ErrUnknown,
		"https://[::1]/x":                                      push.ErrUnknown,
		"https://push.example@evil.test/x":                     push.ErrEndpoint,
		"https://evil.test#.push.example":                      push.ErrEndpoint,
		"http://push.example/x":                                push.ErrEndpoint,
		"https:push.example":                                   push.ErrEndpoint,
		"https://evil.test\\.push.example/x":                   push.ErrEndpoint,
		"https://push.example:1/x":                             nil,
		"https://push.example:65535/x":                         nil,
		"https://push.example:0/x":                             push.ErrEndpoint,
		"https://push.example:00/x":                            push.ErrEndpoint,
		"https://push.example:65536/x":                         push.ErrEndpoint,
		"https://push.example:99999/x":                         push.ErrEndpoint,
		"https://push.example:99999999999999999999/x":          push.ErrEndpoint,
		"https://push.example:/x":                              push.ErrEndpoint,
		"https://push.example:-1/x":                            push.ErrEndpoint,
		"https://push.example:https/x":                         push.ErrEndpoint,
		"https://[::1]:0/x":                                    push.ErrEndpoint,
		"https://push.example/" + strings.Repeat("x", 1024):    push.ErrEndpoint,
	} {
		if err := hosts.Check(endpoint); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", endpoint, err, want)
		}
	}
}

func FuzzParseSubscription(f *testing.F) {
	f.Add(subscription(endpoint, point, auth))
	f.Add([]byte(`{"endpoint":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		hosts := push.Hosts{"push.example"}
		sub, err := hosts.ParseSubscription(text)
		if err != nil {
			return
		}
		encode := base64.RawURLEncoding.EncodeToString
		again, err := hosts.ParseSubscription(subscription(sub.Endpoint, encode(sub.P256DH[:]), encode(sub.Auth[:])))
		if err != nil || again != sub {
			t.Errorf("%q is read as %+v, and that as %+v: %v", text, sub, again, err)
		}
	})
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{endpoint, "https://push.example:443/x", "https://push.example:0/x", "https://push.example:/", "https://[::1]:99999", "https://push.example.:08443/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		if (push.Hosts{"push.example", "::1"}).Check(endpoint) != nil {
			return
		}
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" {
			t.Fatalf("%q is accepted: %v", endpoint, err)
		}
		port := u.Port()
		if port == "" {
			port = "443"
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || strings.HasSuffix(u.Host, ":") {
			t.Errorf("%q is accepted with port %q", endpoint, port)
		}
	})
}
