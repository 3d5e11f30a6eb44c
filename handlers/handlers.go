// Package handlers serves browsers: the pages, their forms and the event stream. A handler parses the request, makes
// one call, and redirects or renders; the interfaces in config.go hide what happens to notices.
//
// routes.go lists every address, serve.go turns errors into pages, and middleware.go wraps all requests.
package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/static"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
	"github.com/carillonhq/carillon/views/markdown"
)

// Handlers serves the pages, their forms and the event stream.
type Handlers struct {
	Config
	files     *static.Files
	embeds    embeds
	pack      *embedPackage
	assets    views.Assets
	texts     *locale.Catalogue
	markdown  *markdown.Markdown
	zones     zones
	looks     looks
	summed    atomic.Pointer[summedTypes]
	turned    recent[[]string]   // changed by Mark all as read: entry keys or announcement IDs
	taken     recent[views.Done] // last removal from each staff list, by path, with Undo
	mutes     *otter.Cache[mutesKey, []string]
	strangers *strangers
	heard     atomic.Int64 // when Redis last responded, in Unix ms; 0: never
	buffers   sync.Pool
	secure    bool        // the public URL is https
	policy    string      // Content-Security-Policy of the pages
	headers   http.Header // of every response
	origin    *http.CrossOriginProtection

	refusedOrigin sync.Once // logs only once why forms are refused
}

// New loads the texts and static files, and sets the origins that may post forms.
func New(c Config) (*Handlers, error) {
	if err := c.setDefaults(); err != nil {
		return nil, err
	}
	h := &Handlers{
		Config: c, markdown: markdown.New(c.LinkHosts, c.ImageHosts, c.LinkBase), origin: http.NewCrossOriginProtection(),
		zones: newZones(), looks: newLooks(), mutes: newMutes(c.Now), strangers: newStrangers(c.Now),
	}
	h.policy = policyOf(c.ImageHosts)
	h.headers = headersOf(h.policy)
	// The token in the address authorizes these requests, so another site cannot forge one. Our page sends no
	// referrer, so browsers send the origin "null".
	h.origin.AddInsecureBypassPattern("POST " + unsubscribePath + "{token}")
	h.origin.AddInsecureBypassPattern("POST " + unsubscribePath + "{token}/settings")
	var err error
	if h.texts, err = locale.New(); err != nil {
		return nil, fmt.Errorf("load the texts: %w", err)
	}
	if h.files, err = static.New(); err != nil {
		return nil, fmt.Errorf("load the static files: %w", err)
	}
	texts, err := newEmbedTexts(h.texts)
	if err != nil {
		return nil, fmt.Errorf("prepare the texts for host applications: %w", err)
	}
	if h.embeds, err = newEmbeds(h.files, texts); err != nil {
		return nil, fmt.Errorf("prepare the scripts for host applications: %w", err)
	}
	if h.pack, err = newEmbedPackage(texts); err != nil {
		return nil, fmt.Errorf("prepare the package for host applications: %w", err)
	}
	h.assets = views.Assets{
		Style: h.files.Path("css/app.css"), StaffStyle: h.files.Path("css/staff.css"), SettingsStyle: h.files.Path("css/settings.css"), ProseStyle: h.files.Path("css/prose.css"), BoardStyle: h.files.Path("css/board.css"), BoardScript: h.files.Path("built/board.js"), Script: h.files.Path("built/app.js"), HTMX: h.files.Path("js/vendor/htmx.min.js"),
		Icon: h.files.Path("icons/bell.svg"), UnreadIcon: h.files.Path("icons/bell-dot.svg"), HomeIcon: h.files.Path("icons/home-180.png"), Icons: components.Icons(h.files.Path("icons/sprite.svg")),
		Modules: h.files.Modules("built/app.js"),
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil {
			return nil, fmt.Errorf("read the public URL: %w", err)
		}
		h.secure = u.Scheme == "https"
		if err := h.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, fmt.Errorf("trust the public URL: %w", err)
		}
	}
	return h, nil
}

// Handler serves all requests to the public address.
func (h *Handlers) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, methods := range h.byPattern() {
		mux.Handle(pattern, h.serve(methods))
	}
	return h.middleware(web.Routed(mux))
}
