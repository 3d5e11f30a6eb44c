package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// The media types of the OCI image specification.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor refers to content by its sum.
type descriptor struct {
	Type        string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Platform    *platform         `json:"platform,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	System       string `json:"os"`
}

// index lists the images of several platforms.
type index struct {
	Version     int               `json:"schemaVersion"`
	Type        string            `json:"mediaType"`
	Manifests   []descriptor      `json:"manifests"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// manifest lists the parts of an image.
type manifest struct {
	Version int          `json:"schemaVersion"`
	Type    string       `json:"mediaType"`
	Config  descriptor   `json:"config"`
	Layers  []descriptor `json:"layers"`
}

// layout is an OCI image layout: content by its sum. What two images share is in it once.
type layout struct{ blobs map[string][]byte }

func newLayout() *layout { return &layout{map[string][]byte{}} }

// add adds content of a media type.
func (l *layout) add(kind string, content []byte) descriptor {
	d := descriptor{Type: kind, Digest: digest(content), Size: len(content)}
	l.blobs[d.Digest] = content
	return d
}

// files lists the files of the layout in an order that depends on their content only.
func (l *layout) files(top index) ([]file, error) {
	text, err := json.Marshal(top)
	if err != nil {
		return nil, err
	}
	files := []file{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644}, {"index.json", text, 0o644}}
	first := len(files)
	for sum, content := range l.blobs {
		files = append(files, file{"blobs/" + strings.Replace(sum, ":", "/", 1), content, 0o644})
	}
	slices.SortFunc(files[first:], func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}
