package notifier

import (
	"strings"
	"time"
	"unicode"
)

// OwnSession is a session as shown to its user.
type OwnSession struct {
	ID       string // opaque: it cannot be used in place of the session
	Session  string // as in Asker.Session; never shown
	Agent    string // of the browser in which it began, see CleanAgent; empty: unknown
	Since    time.Time
	Seen     time.Time // accurate to a few minutes
	Provided bool      // an identity provider signed the user in
}

// MaxAgent is the maximum length of a stored User-Agent header, in bytes.
const MaxAgent = 200

// CleanAgent returns the stored part of a User-Agent header: printable ASCII, at most MaxAgent bytes.
func CleanAgent(header string) string {
	clean := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, header[:min(len(header), 4*MaxAgent)])
	return strings.TrimSpace(clean[:min(len(clean), MaxAgent)])
}

// Names of browsers and systems in a User-Agent header. Most browsers also include the names of browsers that they
// are compatible with, so the order matters.
var (
	agentBrowsers = [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS", "Firefox"},
		{"Chrome/", "Chrome"},
		{"CriOS", "Chrome"},
		{"Safari/", "Safari"},
	}
	agentSystems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// ReadAgent returns the names of the browser and its system from a User-Agent header; empty: unknown.
func ReadAgent(header string) (browser, system string) {
	return firstNamed(agentBrowsers, header), firstNamed(agentSystems, header)
}

func firstNamed(names [][2]string, header string) string {
	for _, n := range names {
		if strings.Contains(header, n[0]) {
			return n[1]
		}
	}
	return ""
}
