// Package links creates the links in mails and push messages, so that each reader can open them. Users who can sign in
// here get Carillon's own pages. Users of an app who cannot get a link to a page of their app, and settings that open
// with the token of the mail.
package links

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

const (
	purpose  = "carillon link" // separates these tokens from others under the same session keys
	macBytes = 16
	keyBytes = 32
	// MaxToken is the length of the longest token: two numbers of at most 10 bytes each, and the MAC.
	MaxToken = (2*binary.MaxVarintLen64 + macBytes) * 4 / 3
)

// OpenPath begins the path of a link to an app's page, and TargetPath the path of a link with the token of a target.
const (
	OpenPath   = "/o/"
	TargetPath = "/u/"
)

var errNoKey = errors.New("no session key to sign links with")

// Maker creates links. It is safe for concurrent use.
type Maker struct {
	base string
	keys [][]byte
}

// New returns a Maker whose links begin with base: the public URL with its path, without a trailing slash. The first
// session key signs, and all verify.
func New(base string, sessionKeys [][]byte) (*Maker, error) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || strings.HasSuffix(base, "/") {
		return nil, fmt.Errorf("links cannot begin with %q", base)
	}
	m := &Maker{base: base}
	for _, key := range sessionKeys {
		derived, err := hkdf.Key(sha256.New, key, nil, purpose, keyBytes)
		if err != nil {
			return nil, fmt.Errorf("derive a key for links: %w", err)
		}
		m.keys = append(m.keys, derived)
	}
	if len(m.keys) == 0 {
		return nil, errNoKey
	}
	return m, nil
}

// Host is the host of the links, without its port.
func (m *Maker) Host() string {
	u, err := url.Parse(m.base)
	if err != nil {
		return "" // already parsed by New
	}
	return u.Hostname()
}

// Reader is the user who gets a link.
type Reader struct {
	Seq      int64
	Away     bool   // they cannot sign in here: an app has created them
	Token    string // of the mail address or browser that gets the link
	Settings string // the page of their app with the settings; empty: none
}

// Links are the links for one reader.
type Links struct {
	maker *Maker
	Reader
}

// For returns the links for a reader.
func (m *Maker) For(r Reader) Links { return Links{m, r} }

// Notice returns the link that marks a notice as read and redirects to its subject.
func (l Links) Notice(id int64) string {
	if l.Away {
		return l.maker.base + OpenPath + l.maker.token(id, l.Seq)
	}
	return l.maker.base + "/n/" + strconv.FormatInt(id, 10)
}

// Action returns the link that marks a notice as read and redirects to where its action number n, counted from 1, leads.
func (l Links) Action(id int64, n int) string { return l.Notice(id) + "?a=" + strconv.Itoa(n) }

// Inbox returns the link to all notices.
func (l Links) Inbox() string {
	if l.Away {
		return l.maker.base + OpenPath + l.maker.token(0, l.Seq)
	}
	return l.maker.base + "/inbox"
}

// Settings returns the link to the page with the reader's notification settings.
func (l Links) Settings() string {
	switch {
	case !l.Away:
		return l.maker.base + "/settings"
	case l.Reader.Settings != "":
		return l.Reader.Settings
	}
	return l.Unsubscribe() + "/settings"
}

// Unsubscribe returns the link that unsubscribes from these messages.
func (l Links) Unsubscribe() string { return l.maker.base + TargetPath + url.PathEscape(l.Token) }

// token encodes a notice (0: none, the inbox) and a user. It cannot be forged for another notice or user.
func (m *Maker) token(notice, seq int64) string {
	text := binary.AppendVarint(binary.AppendVarint(nil, notice), seq)
	return base64.RawURLEncoding.EncodeToString(append(text, mac(m.keys[0], text)...))
}

// Read returns the notice (0: none, the inbox) and the user of a valid token; ok is false for any other text.
func (m *Maker) Read(token string) (notice, seq int64, ok bool) {
	if len(token) > MaxToken {
		return 0, 0, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) <= macBytes || base64.RawURLEncoding.EncodeToString(raw) != token { // decoding skips line breaks
		return 0, 0, false
	}
	text, sum := raw[:len(raw)-macBytes], raw[len(raw)-macBytes:]
	for _, key := range m.keys {
		ok = hmac.Equal(sum, mac(key, text)) || ok
	}
	if !ok {
		return 0, 0, false
	}
	id, n := binary.Varint(text)
	if n <= 0 {
		return 0, 0, false
	}
	user, more := binary.Varint(text[n:])
	if more <= 0 || n+more != len(text) || id < 0 || user <= 0 {
		return 0, 0, false
	}
	return id, user, true
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)[:macBytes]
}
