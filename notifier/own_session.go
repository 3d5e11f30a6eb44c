package notifier

import (
	"strings"
	"time"
	"unicode"
)

// OwnSession is a session in the list that its user sees.
type OwnSession struct {
	ID       string // opaque: it cannot be used in place of the session
	Session  string // as Asker.Session; never shown
	Agent    string // of the browser in which it began, see CleanAgent; empty: unknown
	Since    time.Time
	Seen     time.Time // within some minutes
	Provided bool      // an identity provider has signed the user in
}

// MaxAgent is how many bytes of a User-Agent header are kept.
const MaxAgent = 200

// CleanAgent returns what is kept of a User-Agent header: printable ASCII, at most MaxAgent bytes.
func CleanAgent(header string) string {
	clean := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, header[:min(len(header), 4*MaxAgent)])
	return strings.TrimSpace(clean[:min(len(clean), MaxAgent)])
}

// The names that browsers and systems are known by in a User-Agent header. Each browser also names those that it
// wants to be taken for, so the order matters.
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

// ReadAgent returns the names of the browser and its system in a User-Agent header; empty: unknown.
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
