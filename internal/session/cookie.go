package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
)

const (
	plainName = "carillon"
	// secureName makes browsers refuse the cookie from a subdomain, from plain
	// http and for another path.
	secureName = "__Host-carillon"

	idBytes   = 32
	maxCookie = 256 // ours have 120 bytes
	// maxTries is how many cookies of our name are looked at: a neighbour on
	// the same host may have put one before ours.
	maxTries = 4
)

var errNoKey = errors.New("no session key is configured")

// cookie turns session ids into signed cookies and back.
type cookie struct {
	name    string
	codecs  []*securecookie.SecureCookie
	options sessions.Options
}

func newCookie(keys [][]byte, secure bool) cookie {
	c := cookie{name: plainName, options: sessions.Options{
		Path: "/", MaxAge: int(maxAge.Seconds()), Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}}
	if secure {
		c.name = secureName
	}
	for _, key := range keys {
		codec := securecookie.New(key, nil).HashFunc(sha256.New).SetSerializer(securecookie.NopEncoder{}).
			MaxAge(c.options.MaxAge).MaxLength(maxCookie)
		c.codecs = append(c.codecs, codec)
	}
	return c
}

// issue makes a new random id: the value of its cookie, and its hash.
func (c *cookie) issue() (value, id string, err error) {
	if len(c.codecs) == 0 {
		return "", "", errNoKey
	}
	raw := make([]byte, idBytes)
	_, _ = rand.Read(raw) // it never fails: the program would end
	value, err = c.codecs[0].Encode(c.name, raw)
	if err != nil {
		return "", "", fmt.Errorf("sign a cookie: %w", err)
	}
	return value, hash(raw), nil
}

// read returns the hash of the id that r carries. It is false for a cookie that
// we have not signed with one of our keys.
func (c *cookie) read(r *http.Request) (id string, ok bool) {
	for i, found := range r.CookiesNamed(c.name) {
		if i == maxTries {
			break
		}
		for _, codec := range c.codecs {
			var raw []byte
			if codec.Decode(c.name, found.Value, &raw) == nil && len(raw) == idBytes {
				return hash(raw), true
			}
		}
	}
	return "", false
}

func (c *cookie) set(w http.ResponseWriter, value string) {
	http.SetCookie(w, sessions.NewCookie(c.name, value, &c.options))
}

// clear takes the cookie back: with the same attributes, or browsers keep it.
func (c *cookie) clear(w http.ResponseWriter) {
	gone := c.options
	gone.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(c.name, "", &gone))
}

func hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
