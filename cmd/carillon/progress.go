package main

import (
	"github.com/schollz/progressbar/v3"
)

// progress shows how far a long command is: a bar on a terminal, else a line at
// each tenth.
type progress struct {
	c     *console
	what  string
	total int
	bar   *progressbar.ProgressBar
	tenth int
}

func newProgress(c *console, what string, total int) *progress {
	p := &progress{c: c, what: what, total: total}
	if c.terminal() {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(c.stderr),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *progress) at(done int) {
	if p.bar != nil {
		_ = p.bar.Set(min(done, p.total)) // a bar that cannot be drawn stops nothing
		return
	}
	if p.total == 0 {
		return
	}
	if tenth := min(10, 10*done/p.total); tenth > p.tenth {
		p.tenth = tenth
		p.c.note("%s: %d %%", p.what, 10*tenth)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish() // as above
	}
}
