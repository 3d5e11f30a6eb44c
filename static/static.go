// Package static holds the files that browsers load besides the pages: the style
// sheet, the modules and the icons. The modules in js/ are bundled into a few
// files in built/: a browser would need dozens of requests for them, each with
// more headers than code. The bundles are committed, so that building Carillon
// needs only Go; `npm run build` rebuilds them.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed css/app.css css/staff.css css/settings.css css/prose.css css/board.css built/*.js built/embed/*.js js/vendor/*.js icons/*.svg icons/*.png
var embedded embed.FS

// Prefix begins the address of every static file.
const Prefix = "/static/"

// forever is the Cache-Control of addresses that contain the hash of the content.
const forever = "public, max-age=31536000, immutable"

// Files serves the files under addresses that change with their content. One
// hash covers them all, because modules import each other by relative path.
type Files struct {
	base  string
	etag  string
	files map[string]file
}

type file struct {
	kind    string
	plain   []byte
	zipped  []byte // nil if compression does not make it smaller
	plainN  string
	zippedN string
}

// New reads, hashes and compresses the files.
func New() (*Files, error) { return load(embedded) }

func load(from fs.FS) (*Files, error) {
	f := &Files{files: map[string]file{}}
	sum := sha256.New()
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(text))
		sum.Write(text)
		f.files[name], err = newFile(name, text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read static files: %w", err)
	}
	hash := hex.EncodeToString(sum.Sum(nil))[:12]
	f.base = Prefix + hash + "/"
	f.etag = `"` + hash + `"`
	return f, nil
}

func newFile(name string, text []byte) (file, error) {
	f := file{kind: mime.TypeByExtension(path.Ext(name)), plain: text, plainN: strconv.Itoa(len(text))}
	if path.Ext(name) == ".js" {
		f.kind = "text/javascript; charset=utf-8" // modules need this type, whatever the system's tables contain
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return f, err
	}
	if _, err := z.Write(text); err != nil {
		return f, err
	}
	if err := z.Close(); err != nil {
		return f, err
	}
	if b.Len() < len(text) {
		f.zipped, f.zippedN = b.Bytes(), strconv.Itoa(b.Len())
	}
	return f, nil
}

// Path returns the address of a file such as `js/app.js`.
func (f *Files) Path(name string) string { return f.base + name }

// Text returns the content of a file, which must exist.
func (f *Files) Text(name string) []byte { return f.files[name].plain }

// Hash returns the hash of all files. It changes when any of them does.
func (f *Files) Hash() string { return strings.Trim(f.etag, `"`) }

// Serve answers a request for a file. It returns false, and writes nothing, if there
// is no file with that name.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request) bool {
	name, ok := strings.CutPrefix(r.URL.Path, f.base)
	if !ok {
		return false
	}
	found, ok := f.files[name]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Cache-Control", forever)
	h.Set("Etag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	body, length := found.plain, found.plainN
	if found.zipped != nil && Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		body, length = found.zipped, found.zippedN
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", found.kind)
	h.Set("Content-Length", length)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the browser may have disconnected
	}
	return true
}

// Accepts reports whether an Accept-Encoding header names a coding and allows it.
func Accepts(header, coding string) bool {
	for named := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(named), ";")
		if strings.TrimSpace(name) == coding {
			quality, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
			return err != nil || quality > 0
		}
	}
	return false
}
