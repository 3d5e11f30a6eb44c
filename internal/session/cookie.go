package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
)

const (
	plainName = "carillon"
	// hostPrefix makes browsers reject the cookie if it comes from a subdomain, over plain http or for
	// another path. A cookie for a path of the host can only have securePrefix, which excludes plain http.
	hostPrefix   = "__Host-"
	securePrefix = "__Secure-"

	idBytes   = 32
	maxCookie = 256 // our cookies have 120 to 130 bytes
)

var errNoKey = errors.New("no session key is configured")

// Place is the location of Carillon as browsers see it.
type Place struct {
	Secure bool   // by https
	Path   string // of the public URL, such as /notifications; empty: Carillon has the whole host
	Port   string // distinguishes installations on one host, since browsers send a cookie to all ports; empty: the usual one
}

// cookie converts idBytes bytes to signed cookies and back.
type cookie struct {
	name    string
	former  string // its name before it contained the port: such cookies stay valid; empty: the same
	codecs  []*securecookie.SecureCookie
	options sessions.Options
	length  int // the length of every value that we sign
}

func newCookie(name string, keys [][]byte, place Place, life time.Duration) cookie {
	c := cookie{name: name, options: sessions.Options{
		Path: place.Path + "/", MaxAge: int(life.Seconds()), Secure: place.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}}
	switch {
	case place.Secure && place.Path == "":
		c.name = hostPrefix + name
	case place.Secure:
		c.name = securePrefix + name
	}
	if place.Port != "" {
		c.former = c.name
		c.name += "-" + place.Port
	}
	for _, key := range keys {
		codec := securecookie.New(key, nil).HashFunc(sha256.New).SetSerializer(securecookie.NopEncoder{}).
			MaxAge(c.options.MaxAge).MaxLength(maxCookie)
		c.codecs = append(c.codecs, codec)
	}
	if value, err := c.sign(make([]byte, idBytes)); err == nil {
		c.length = len(value)
	}
	return c
}

// sign returns the value of the cookie that holds raw.
func (c *cookie) sign(raw []byte) (string, error) {
	if len(c.codecs) == 0 {
		return "", errNoKey
	}
	value, err := c.codecs[0].Encode(c.name, raw)
	if err != nil {
		return "", fmt.Errorf("sign a cookie: %w", err)
	}
	return value, nil
}

// issue returns a new random id as the value of its cookie and as its hash.
func (c *cookie) issue() (value, id string, err error) {
	raw := make([]byte, idBytes)
	_, _ = rand.Read(raw) // never returns an error: on failure the program crashes
	value, err = c.sign(raw)
	return value, hash(raw), err
}

// read iterates over the contents of those cookies of r that one of our keys has signed. Another application on the
// same host may have planted any number of cookies with the same name before ours, so it examines all of them, as
// many as the request headers have room for. Only a few hundred of these can have the length of ours and cost a MAC
// for each key.
func (c *cookie) read(r *http.Request) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, found := range r.Cookies() {
			if found.Name != c.name && (c.former == "" || found.Name != c.former) || len(found.Value) != c.length {
				continue
			}
			if raw := c.open(found); raw != nil && !yield(raw) {
				return
			}
		}
	}
}

// open returns the content of a cookie that one of our keys has signed for its name, or nil.
func (c *cookie) open(found *http.Cookie) []byte {
	for _, codec := range c.codecs {
		var raw []byte
		if codec.Decode(found.Name, found.Value, &raw) == nil && len(raw) == idBytes {
			return raw
		}
	}
	return nil
}

func (c *cookie) set(w http.ResponseWriter, value string) { http.SetCookie(w, c.with(value)) }

func (c *cookie) with(value string) *http.Cookie {
	return sessions.NewCookie(c.name, value, &c.options)
}

// clear removes the cookie. It must have the same attributes, or browsers keep it.
func (c *cookie) clear(w http.ResponseWriter) {
	gone := c.options
	gone.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(c.name, "", &gone))
}

func hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
