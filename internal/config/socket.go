package config

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// Socket is a Unix socket to listen on.
type Socket struct {
	Path string
	Mode fs.FileMode
}

// socketMode lets the owner and the group connect, such as the proxy's.
const socketMode = 0o660

// maxSocket is the longest path of a socket that every system accepts.
const maxSocket = 100

// SocketOf parses unix:/PATH and unix:/PATH?mode=0660; ok is false for addresses in other forms.
func SocketOf(addr string) (s Socket, ok bool) {
	rest, is := strings.CutPrefix(addr, "unix:")
	if !is {
		return Socket{}, false
	}
	path, query, _ := strings.Cut(rest, "?")
	path = "/" + strings.TrimLeft(path, "/") // unix:///run/… is the same
	s = Socket{Path: filepath.Clean(path), Mode: socketMode}
	if query == "" {
		return s, strings.HasPrefix(rest, "/") && path != "/" && len(path) <= maxSocket
	}
	values, err := url.ParseQuery(query)
	mode, merr := strconv.ParseUint(values.Get("mode"), 8, 9)
	s.Mode = fs.FileMode(mode)
	return s, err == nil && merr == nil && len(values) == 1 && strings.HasPrefix(rest, "/") && path != "/" && len(path) <= maxSocket
}

// listener checks an address to listen on.
func (f *Faults) listener(flag, s string) string {
	if !strings.HasPrefix(s, "unix:") {
		return f.address(flag, s)
	}
	if _, ok := SocketOf(s); !ok {
		f.Add(flag, "%q is not unix:/PATH, such as unix:/run/carillon/http.sock, or unix:/PATH?mode=0666; the path has at most %d bytes", s, maxSocket)
	}
	return s
}
