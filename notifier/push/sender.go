// Package push sends messages to browsers while no page is open in them: Web Push (RFC 8030) with encrypted
// messages (RFC 8291) and a key that identifies the sender (RFC 8292).
package push

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// Limits of a message and its sending.
const (
	maxTTL    = 24 * time.Hour // a browser that is off for longer gets only later messages
	maxAnswer = 4 << 10        // bytes of a response that are read, so that the connection can be reused
	maxRetry  = 6 * time.Hour  // the longest Retry-After that is respected
)

// Verdict is the result of sending a message.
type Verdict int

// The verdicts.
const (
	Accepted    Verdict = iota // the push service accepted it
	Gone                       // the subscription no longer exists: delete it
	Later                      // retry, not before After; 0: the service gave no time
	Denied                     // the service rejects messages for this subscription: it belongs to another key, or the service rejects our key
	Refused                    // the service will never accept this message
	Unreachable                // the service did not respond
)

// Outcome is a verdict, with the time before which nothing more may be sent there, and the reason of a refusal.
type Outcome struct {
	Verdict Verdict
	Status  int // 0 if there was no response
	After   time.Duration
	Reason  string // as stated by the service: one line of at most 200 bytes, without addresses and tokens
}

// Notification is what the browser shows. Its JSON is a Declarative Web Push message, which Safari shows by itself;
// other browsers pass it to the service worker.
type Notification struct {
	Title    string   `json:"title"`
	Body     string   `json:"body,omitempty"`
	Lang     string   `json:"lang,omitempty"`
	Navigate string   `json:"navigate"`
	Tag      string   `json:"tag"`
	Image    string   `json:"image,omitempty"`   // https address of a picture
	Actions  []Action `json:"actions,omitempty"` // at most two: browsers show no more
}

// Action is a button of a notification.
type Action struct {
	Action   string `json:"action"` // identifies it within the notification
	Title    string `json:"title"`
	Navigate string `json:"navigate"`
}

// Message is one message to one browser.
type Message struct {
	Notification Notification
	Key          string // messages with the same key replace each other; at most one of them waits
	Badge        int64  // for the icon of the application; 0: unchanged
	Inbox        int64  // unread notices in the inbox: if there is 1, older messages were read elsewhere
	Urgent       bool
	Expires      time.Time // zero: never
}

// Sender sends messages. All methods may be called concurrently.
type Sender struct {
	Key     Key
	Contact string // mailto: or https:, for the operators of push services
	Client  *http.Client
	Now     func() time.Time
}

// NewClient returns a client that dials with this function, which must reject private addresses. It follows no
// redirects and waits 10 s for a response.
func NewClient(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dial, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second,
		},
	}
}

// TopicOf returns the Topic and the tag of a key: 32 characters of base64url, the maximum for a push service.
func TopicOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// Send sends a message and returns the outcome. An error means that the message could not be created.
func (s *Sender) Send(ctx context.Context, sub Subscription, m Message) (Outcome, error) {
	ttl := maxTTL
	if !m.Expires.IsZero() {
		ttl = min(ttl, m.Expires.Sub(s.Now()))
	}
	if ttl < time.Second {
		return Outcome{Verdict: Refused}, nil // it has expired
	}
	outcome, err := s.post(ctx, sub, m, ttl)
	if err == nil && outcome.Status == http.StatusRequestEntityTooLarge && m.Notification.Body != "" {
		m.Notification.Body = ""
		outcome, err = s.post(ctx, sub, m, ttl)
	}
	return outcome, err
}

func (s *Sender) post(ctx context.Context, sub Subscription, m Message, ttl time.Duration) (Outcome, error) {
	topic := TopicOf(m.Key)
	m.Notification.Tag = topic
	text, err := payload(m)
	if err != nil {
		return Outcome{}, err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return Outcome{}, fmt.Errorf("make the key of a message: %w", err)
	}
	var salt [saltBytes]byte
	_, _ = rand.Read(salt[:]) // never fails
	body, err := encrypt(text, sub, own, salt)
	if err != nil {
		return Outcome{}, err
	}
	authorization, err := s.Key.Authorization(sub.Endpoint, s.Contact, s.Now())
	if err != nil {
		return Outcome{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, sub.Endpoint, bytes.NewReader(body))
	if err != nil {
		return Outcome{}, fmt.Errorf("make a request to a push service: %w", err)
	}
	urgency := "normal"
	if m.Urgent {
		urgency = "high"
	}
	for name, value := range map[string]string{
		"Authorization": authorization, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"TTL": strconv.Itoa(int(ttl / time.Second)), "Topic": topic, "Urgency": urgency,
	} {
		req.Header.Set(name, value)
	}
	res, err := s.Client.Do(req)
	if err != nil {
		return Outcome{Verdict: Unreachable}, nil
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // a truncated response still has its status
	return judge(res, answer, s.Now()), nil
}

// payload returns the JSON of a message, without its picture and buttons and with a shorter body if the whole does not
// fit.
func payload(m Message) ([]byte, error) {
	for {
		fields := map[string]any{"web_push": 8030, "notification": m.Notification}
		if m.Badge > 0 {
			fields["app_badge"], fields["inbox"] = m.Badge, m.Inbox
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("encode a push message: %w", err)
		}
		long := utf8.RuneCountInString(m.Notification.Body)
		bare := m.Notification.Image == "" && len(m.Notification.Actions) == 0
		if len(text) <= MaxPayload || long == 0 && bare {
			return text, nil
		}
		if !bare {
			m.Notification.Image, m.Notification.Actions = "", nil
			continue
		}
		m.Notification.Body = notifier.Shorten(m.Notification.Body, max(1, long/2))
		if long == 1 {
			m.Notification.Body = ""
		}
	}
}
