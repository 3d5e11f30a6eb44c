package handlers

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
	"github.com/carillonhq/carillon/views/locale"
)

// textsPlace is the placeholder for the texts in the scripts for host applications.
const textsPlace = `"__CARILLON_TEXTS__"`

// Cache-Control for scripts: a fixed name whose content changes, and a name that contains the content's hash.
const (
	embedFresh   = "public, max-age=300"
	embedForever = "public, max-age=31536000, immutable"
)

// embed is a script for the pages of host applications.
type embed struct {
	etag, cache   string
	plain, zipped []byte
}

// embeds maps file names to scripts: v1.js, core.js, and v1.js again under its content hash.
type embeds map[string]*embed

// embedTexts returns the texts of all languages as a JavaScript literal.
func embedTexts(texts *locale.Catalogue) ([]byte, error) {
	catalogues := map[string]json.RawMessage{}
	for _, p := range texts.Printers() {
		catalogues[p.Lang()] = p.Embed()
	}
	all, err := json.Marshal(catalogues)
	if err != nil {
		return nil, fmt.Errorf("encode the texts: %w", err)
	}
	return json.Marshal(string(all))
}

func newEmbeds(files *static.Files, literal []byte) (embeds, error) {
	made := embeds{}
	for _, name := range []string{"v1.js", "core.js"} {
		text := bytes.Replace(files.Text("built/embed/"+name), []byte(textsPlace), literal, 1)
		hash := sha256.Sum256(text)
		e := &embed{etag: `"` + hex.EncodeToString(hash[:8]) + `"`, cache: embedFresh, plain: text}
		var err error
		if e.zipped, err = compressed(text); err != nil {
			return nil, err
		}
		made[name] = e
		if name == "v1.js" {
			fixed := *e
			fixed.cache = embedForever
			made[hex.EncodeToString(hash[:8])+".js"] = &fixed
		}
	}
	return made, nil
}

func compressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// embedded serves a script for the pages of host applications; any origin may load it.
func (h *Handlers) embedded(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("file") == packageName {
		return h.packaged(w, r)
	}
	if r.PathValue("file") == "demo" && h.Shop != nil {
		redirect(w, r, h.Shop()) // a page of another origin
		return nil
	}
	e := h.embeds[r.PathValue("file")]
	if e == nil {
		return notifier.ErrNotFound
	}
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Cache-Control", e.cache)
	head.Set("Etag", e.etag)
	head.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), e.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	text := e.plain
	if static.Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		text = e.zipped
		head.Set("Content-Encoding", "gzip")
	}
	head.Set("Content-Type", "text/javascript; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(text)
	return err
}
