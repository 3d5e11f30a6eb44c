package handlers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
	"github.com/carillonhq/carillon/views/locale"
)

// The placeholders in the scripts for host applications: for the texts, for those of the module that is loaded later, and
// for its name.
const (
	textsPlace     = "__CARILLON_TEXTS__"
	moreTextsPlace = "__CARILLON_MORE_TEXTS__"
	morePlace      = "__CARILLON_MORE__"
)

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

// embeds maps file names to scripts: v1.js, core.js, and under their content hashes both again and the module that v1.js
// loads later.
type embeds map[string]*embed

// embedTexts fills the placeholders for texts.
type embedTexts struct{ first, more []byte }

// newEmbedTexts returns the texts of all languages as JavaScript literals.
func newEmbedTexts(texts *locale.Catalogue) (t embedTexts, err error) {
	if t.first, err = embedLiteral(texts, (*locale.Printer).Embed); err == nil {
		t.more, err = embedLiteral(texts, (*locale.Printer).EmbedMore)
	}
	if err != nil {
		return t, fmt.Errorf("encode the texts: %w", err)
	}
	return t, nil
}

// embedLiteral returns the languages, and for each text its id and the text in each of them, as rows: the first item of the
// languages is empty. None of the texts may have plural forms: the scripts cannot choose one.
func embedLiteral(texts *locale.Catalogue, of func(*locale.Printer) json.RawMessage) ([]byte, error) {
	languages := []string{""}
	rows := map[string][]string{}
	for _, p := range texts.Printers() {
		var known map[string]string
		if err := json.Unmarshal(of(p), &known); err != nil {
			return nil, err
		}
		languages = append(languages, strings.TrimSuffix(p.Lang(), "-Hans")) // plain zh is Simplified
		for id, text := range known {
			rows[id] = append(rows[id], text)
		}
	}
	all := [][]string{languages}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, append([]string{id}, rows[id]...))
	}
	return json.Marshal(all)
}

func (t embedTexts) fill(script []byte) []byte {
	return bytes.Replace(bytes.Replace(script, []byte(textsPlace), t.first, 1), []byte(moreTextsPlace), t.more, 1)
}

func newEmbeds(files *static.Files, texts embedTexts) (embeds, error) {
	made := embeds{}
	more, err := made.add("", texts.fill(files.Text("built/embed/more.js")))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"v1.js", "core.js"} {
		script := bytes.Replace(texts.fill(files.Text("built/embed/"+name)), []byte(morePlace), []byte(more), 1)
		if _, err := made.add(name, script); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// add adds a script under its hash, which it returns, and under a name unless that is empty.
func (made embeds) add(name string, text []byte) (string, error) {
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:8])
	zipped, err := compressed(text)
	if err != nil {
		return "", err
	}
	e := embed{etag: `"` + hash + `"`, cache: embedForever, plain: text, zipped: zipped}
	made[hash+".js"] = &e
	if name != "" {
		fresh := e
		fresh.cache = embedFresh
		made[name] = &fresh
	}
	return hash, nil
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
