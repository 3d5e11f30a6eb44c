package embedded

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// lines forwards the child's output to the log and keeps the last lines for the error about its
// exit.
type lines struct {
	log  *slog.Logger
	mu   sync.Mutex
	part []byte
	tail []string
}

// Write never fails: a lost log line must not stop Redis.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, p...)
	for {
		line, rest, ok := bytes.Cut(l.part, []byte("\n"))
		if !ok {
			break
		}
		l.add(strings.TrimSpace(string(line)))
		l.part = rest
	}
	if len(l.part) > 4096 {
		l.part = nil
	}
	return len(p), nil
}

func (l *lines) add(line string) {
	if line == "" {
		return
	}
	l.log.Debug("redis output", "line", line)
	l.tail = append(l.tail, line)
	if len(l.tail) > 3 {
		l.tail = l.tail[1:]
	}
}

func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.tail, " | ")
}
