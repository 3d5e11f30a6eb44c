package instance

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/live"
)

// streams records that a page of a user is visible when its stream begins: pushes to them wait.
type streams struct {
	*live.Hub
	looking *channels.Viewers
}

// Serve calls Hub.Serve.
func (s streams) Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, of notifier.StreamOf) error {
	if of.Visible {
		s.looking.Set(who.Seq, true)
	}
	return s.Hub.Serve(w, r, who, of)
}
