package notifier

import (
	"strconv"
	"strings"
	"time"
)

// StreamOf describes the page that opens an event stream.
type StreamOf struct {
	Session   string    // key under which the stream is checked: a session's ID, or a TokenSession
	Visible   bool      // the page is visible
	ToastsOff bool      // the user has switched toasts off
	NoToasts  bool      // the page shows no toasts, whatever the user's setting
	Somebody  string    // the name of deleted actors in the language of the page; empty: in English
	Until     time.Time // the stream ends at this time at the latest; zero: no limit
}

// tokenSession starts the text of a TokenSession. The IDs of sessions are hexadecimal.
const tokenSession = "token "

// TokenSession identifies a stream opened with a token. The stream ends when the app or the key is revoked,
// or the user is deleted or signed out after IssuedAt.
type TokenSession struct {
	App, Key, Seq int64 // App 0: authenticated by a proxy
	IssuedAt      int64 // seconds
}

// Session returns the TokenSession of the user of this token.
func (t *UserToken) Session(seq int64) TokenSession {
	return TokenSession{App: t.App.ID, Key: t.KeyID, Seq: seq, IssuedAt: t.IssuedAt.Unix()}
}

func (s TokenSession) String() string {
	b := []byte(tokenSession)
	for i, n := range [...]int64{s.App, s.Key, s.Seq, s.IssuedAt} {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}

// ParseTokenSession parses the text of a TokenSession. ok is false for the ID of a session.
func ParseTokenSession(text string) (s TokenSession, ok bool) {
	rest, ok := strings.CutPrefix(text, tokenSession)
	fields := strings.Split(rest, " ")
	to := [...]*int64{&s.App, &s.Key, &s.Seq, &s.IssuedAt}
	if !ok || len(fields) != len(to) {
		return TokenSession{}, false
	}
	for i := range to {
		if *to[i], ok = parseExact(fields[i]); !ok {
			return TokenSession{}, false
		}
	}
	return s, true
}
