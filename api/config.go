package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/reception"
	"github.com/carillonhq/carillon/notifier/task"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// Stream answers a request with a user's event stream; see notifier/live. It returns an error only if
// nothing was written: notifier.ErrTooMany (a *notifier.TooManyError) or notifier.ErrUnavailable.
type Stream interface {
	Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, s notifier.StreamOf) error
}

// Config holds the parts that the API works with. Zero fields of the second and third group
// have the defaults named there.
type Config struct {
	Store         *store.Store
	Notices       *notices.Notices
	Asks          *ask.Asks
	Tasks         *task.Tasks
	Receptions    *reception.Receptions
	Receipts      *ask.Receipts // nil: none are issued
	Inbox         *inbox.Inbox
	Announcements *announcement.Announcements
	People        *person.People
	Apps          *app.Apps
	Hooks         *hook.Hooks
	Accounts      identity.Accounts // required with Who
	Topics        *topic.Topics
	Who           *identity.Who // nil: no calls below /me
	Tokens        *app.Verifier // their apps, whose pages may make calls below /me
	Stream        Stream        // required with Who

	Audit          web.Audit
	TrustedProxies web.Proxies // proxies whose X-Forwarded-For is trusted

	Audiences  map[notifier.Audience]string // names of the audiences by number
	LinkHosts  []string                     // hosts that announcements may link to; none: relative links only
	ImageHosts []string                     // hosts of pictures in announcements, with the hosts below them; none: no pictures
	Path       string                       // of the public URL
	Demo       bool                         // a demonstration on this machine: pages on loopback addresses may ask for every app
	PublicURL  string                       // how browsers reach the API; default: the address of the request
	Version    string                       // version of the document; default: 1.0.0
	Rate       int                          // requests per second, key and instance; 0: no limit
	Mailing    bool                         // this installation sends mail
	Pushing    bool                         // this installation sends pushes
	UserRate   int                          // the same for calls of a user, with bursts of three times as many
	Served     web.Served                   // nil: not called of requests
	Traced     web.Traced                   // nil: there are no traces
	Log        *slog.Logger                 // default: slog.Default()
	Now        func() time.Time             // default: time.Now
}

func (c *Config) setDefaults() {
	if c.Version == "" {
		c.Version = "1.0.0"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}
