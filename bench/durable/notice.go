package durable

import (
	"encoding/json"
	"errors"
	"strings"
)

// notice is a request of an application, and what the server adds.
type notice struct {
	Target struct {
		Users []string `json:"users"`
		Role  string   `json:"role"`
	} `json:"target"`
	Type  string `json:"type"`
	Title string `json:"title"`
	Body  string `json:"body"`
	Link  string `json:"link"`

	id, seq, at int64
	stored      chan error
}

const (
	maxTitle = 200
	maxText  = 10_000
	maxType  = 64
)

var (
	errTitle  = errors.New("title: 1 to 200 bytes")
	errText   = errors.New("body: at most 10,000 bytes")
	errType   = errors.New("type: 1 to 64 bytes")
	errLink   = errors.New("link: a path or an https address")
	errTarget = errors.New("target: one user or a role")
)

func (n *notice) check() error {
	switch {
	case n.Title == "" || len(n.Title) > maxTitle:
		return errTitle
	case len(n.Body) > maxText:
		return errText
	case n.Type == "" || len(n.Type) > maxType:
		return errType
	case n.Link != "" && !strings.HasPrefix(n.Link, "/") && !strings.HasPrefix(n.Link, "https://"):
		return errLink
	case len(n.Target.Users) != 1 && n.Target.Role == "":
		return errTarget
	}
	return nil
}

// entry is the text of a row in an inbox and of an event.
func (n *notice) entry() (string, error) {
	text, err := json.Marshal(struct {
		ID    int64  `json:"id"`
		At    int64  `json:"at"`
		Type  string `json:"type"`
		Title string `json:"title"`
		Body  string `json:"body"`
		Link  string `json:"link"`
	}{n.id, n.at, n.Type, n.Title, n.Body, n.Link})
	return string(text), err
}
