package instance

import (
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/handlers"
)

// applications makes the handler of the API.
func (i *instance) applications() (http.Handler, error) {
	c := api.Config{
		Keys: i.db, Sender: i.pipe, Inbox: i.inbox, Board: i.board, Topics: i.topics, Toasts: i.pipe,
		Directory: i.db, People: i.people,
		Audit: i.db, Address: func(r *http.Request) string { return handlers.Address(r, i.cfg.TrustedProxies) },
		Audiences: i.cfg.Audiences, Rate: i.cfg.APIRate, Log: i.log,
	}
	if i.cfg.PublicURL != nil {
		c.PublicURL = i.cfg.PublicURL.String()
	}
	h, err := api.New(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the api: %w", err)
	}
	return h, nil
}
