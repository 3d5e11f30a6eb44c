package config

import (
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier/push"
)

// Push describes how users are notified on their devices.
type Push struct {
	Contact string // mailto: or https:, for the operators of push services
	Key     string // the VAPID key; empty: generated once and stored in SQL
	Hosts   []string
}

// localContact is the contact of a server that can only be reached from this machine.
const localContact = "mailto:carillon@localhost"

// push parses the flags of push. The result is nil if it is off.
func (f *Faults) push(c *Config, flags *Flags) *Push {
	p := &Push{Contact: flags.PushContact, Key: strings.TrimSpace(flags.VAPIDKey), Hosts: f.pushHosts("--push-hosts", flags.PushHosts)}
	if u, err := url.Parse(p.Contact); p.Contact != "" && (err != nil || u.Scheme == "mailto" && !strings.Contains(u.Opaque, "@") || u.Scheme == "https" && u.Host == "" || u.Scheme != "mailto" && u.Scheme != "https") {
		f.Add("--push-contact", "%q is neither an address such as mailto:ops@example.com nor an https URL", p.Contact)
	}
	if p.Key != "" {
		if _, err := push.ParseKey(p.Key); err != nil {
			f.Add("--vapid-key", "%v", err) // the error contains no part of the key
		}
	}
	if p.Contact == "" {
		p.Contact = localContact
		if c.Secure() {
			p.Contact = c.PublicURL.String()
		}
	}
	// Browsers offer push to pages over https, and to pages of their own machine.
	offered := c.Secure() || c.Local() || c.PublicURL != nil && loopback(c.PublicURL.Hostname())
	switch flags.Push {
	case "auto":
		if !offered {
			return nil
		}
	case "on":
		if !offered {
			f.Add("--push", "on needs https: set --public-url, because browsers offer push to no other pages")
		}
	case "off":
		return nil
	default:
		f.Add("--push", "%q is not auto, on or off", flags.Push)
	}
	return p
}

// pushHosts parses the names of push services, which have no ports.
func (f *Faults) pushHosts(flag, s string) []string {
	all := f.hosts(flag, s)
	for _, name := range all {
		if strings.Contains(name, ":") {
			f.Add(flag, "%q must have no port: a service is accepted on any port", name)
		}
	}
	return all
}
