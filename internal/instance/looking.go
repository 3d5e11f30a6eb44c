package instance

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/live"
)

// streams notes who looks at a page when its stream begins: a push waits for them.
type streams struct {
	*live.Hub
	looking *channels.Viewers
}

// Serve is that of the hub.
func (s streams) Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, of notifier.StreamOf) error {
	if of.Visible {
		s.looking.Set(who.Seq, true)
	}
	return s.Hub.Serve(w, r, who, of)
}
