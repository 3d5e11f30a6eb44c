package handlers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/static"
)

// packageName is the file name of the npm package for host applications, installed with `npm i ADDRESS`.
const packageName = "carillon-embed.tgz"

// Placeholders for the server's address and the version in the package's files.
const (
	serverPlace  = `"__CARILLON_SERVER__"`
	versionPlace = "__CARILLON_VERSION__"
)

// embedPackage is the npm package with a placeholder for the server's address.
type embedPackage struct{ files map[string][]byte }

// newEmbedPackage reads the package.
func newEmbedPackage(texts embedTexts) (*embedPackage, error) {
	files, err := static.Package()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		files[name] = texts.fill(files[name])
		fmt.Fprintf(sum, "%s %d\n", name, len(files[name]))
		sum.Write(files[name])
	}
	version := "1.0.0-" + "h" + hex.EncodeToString(sum.Sum(nil))[:12]
	files["package.json"] = bytes.ReplaceAll(files["package.json"], []byte(versionPlace), []byte(version))
	return &embedPackage{files}, nil
}

// tarball returns the package for the server at this address. The same build and address always give the same bytes,
// because lock files contain the hash.
func (p *embedPackage) tarball(server string) ([]byte, error) {
	literal, err := json.Marshal(strings.TrimSuffix(server, "/") + "/embed/index.js")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		text := bytes.ReplaceAll(p.files[name], []byte(serverPlace), literal)
		head := &tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := archive.Write(text); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// hostName matches the Host headers that may be put into a package.
var hostName = regexp.MustCompile(`\A[A-Za-z0-9.:\[\]-]{1,255}\z`)

// packaged serves the npm package. Without a public URL it uses the request's Host header.
func (h *Handlers) packaged(w http.ResponseWriter, r *http.Request) error {
	server := h.PublicURL
	if server == "" {
		if !hostName.MatchString(r.Host) {
			return errMalformed
		}
		server = "http://" + r.Host
	}
	file, err := h.pack.tarball(server)
	if err != nil {
		return fmt.Errorf("make the package: %w", err)
	}
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Cache-Control", embedFresh)
	head.Set("Content-Type", "application/gzip")
	head.Set("Content-Length", strconv.Itoa(len(file)))
	_, err = w.Write(file) //nolint:gosec // an archive; the host name in it has no markup
	return err
}
