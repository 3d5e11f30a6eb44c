package session

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/internal/web"
)

const (
	slipName = "carillon-slip"
	// secureSlipName makes browsers reject the cookie over plain http.
	secureSlipName = "__Secure-carillon-slip"

	slipLife = time.Minute // a redirect takes no longer
	maxSlip  = 2048        // a name of 200 bytes and a key, sealed
)

// Slips carry a short text from the response to a form to the page that it redirects to, which
// shows the text once. The text is in a cookie that is encrypted and signed, sent only to that page,
// valid only for its user, and expires after a minute. Every instance with the same session keys can read it.
type Slips struct {
	codecs  []*securecookie.SecureCookie
	name    string
	options sessions.Options
	now     func() time.Time
}

// slip is the content of the cookie.
type slip struct {
	Seq   int64
	Until time.Time
	Text  string
}

// NewSlips returns slips that are sealed with the first key and opened with any.
func NewSlips(keys [][]byte, secure bool, now func() time.Time) *Slips {
	s := &Slips{name: slipName, now: now, options: sessions.Options{
		MaxAge: int(slipLife.Seconds()), Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}}
	if secure {
		s.name = secureSlipName
	}
	for _, key := range keys {
		// The session keys are for signing sessions; slips use keys derived from them.
		sign, _ := hkdf.Key(sha256.New, key, nil, "carillon slip sign", keyBytes)
		seal, _ := hkdf.Key(sha256.New, key, nil, "carillon slip seal", keyBytes)
		s.codecs = append(s.codecs, securecookie.New(sign, seal).SetSerializer(securecookie.JSONEncoder{}).
			MaxAge(0).MaxLength(maxSlip)) // the age is in the content, by our clock
	}
	return s
}

// keyBytes is the length of the derived keys, as for AES-256.
const keyBytes = 32

// Put stores a text for a user, to be shown by the page at path, to which the response redirects.
func (s *Slips) Put(w http.ResponseWriter, r *http.Request, path string, seq int64, text string) error {
	if len(s.codecs) == 0 {
		return errNoKey
	}
	sealed, err := s.codecs[0].Encode(s.name, slip{seq, s.now().Add(slipLife), text})
	if err != nil {
		return fmt.Errorf("seal a slip: %w", err)
	}
	options := s.options
	options.Path = web.At(r.Context(), path)
	http.SetCookie(w, sessions.NewCookie(s.name, sealed, &options))
	return nil
}

// Take returns the text that was put for this user and the page that r requests, and clears the cookie.
func (s *Slips) Take(w http.ResponseWriter, r *http.Request, seq int64) (text string, ok bool) {
	for _, c := range r.CookiesNamed(s.name) {
		gone := s.options
		gone.Path, gone.MaxAge = web.At(r.Context(), r.URL.Path), -1
		http.SetCookie(w, sessions.NewCookie(s.name, "", &gone))
		for _, codec := range s.codecs {
			var found slip
			if codec.Decode(s.name, c.Value, &found) == nil && found.Seq == seq && s.now().Before(found.Until) {
				return found.Text, true
			}
		}
	}
	return "", false
}
