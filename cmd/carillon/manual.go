package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/carillonhq/carillon/internal/config"
)

type manualCmd struct{}

// Run prints the manual page. It is generated from the same tables as help.
func (manualCmd) Run(_ config.Config, c *console, app *kong.Application) error {
	_, err := fmt.Fprint(c.stdout, manual(app))
	return err
}

// manual returns the manual page of section 1, in the language of man.
func manual(app *kong.Application) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH CARILLON 1 "" "Carillon %s" "Carillon"`, roff(version()))
	line(".SH NAME\ncarillon \\- %s", roff(strings.TrimSuffix(strings.ToLower(app.Help[:1])+app.Help[1:], ".")))
	line(".SH SYNOPSIS\n.B carillon\n.I command\n[\\fIflags\\fR]")
	line(".SH COMMANDS")
	for _, leaf := range app.Leaves(true) {
		line(".TP\n.B carillon %s", roff(leaf.Summary()))
		line("%s", roff(leaf.Help))
		for _, flag := range leaf.Flags {
			if flag.Hidden || flag.Name == "help" {
				continue
			}
			line(".RS\n.TP\n.B %s\n%s\n.RE", roff(flagUsage(flag)), roff(flag.Help))
		}
	}
	line(".SH SETTINGS\nEach is a flag of every command, a variable of the environment, and a key of the file of \\fB\\-\\-config\\fR.")
	line("Flags win over variables, and variables over the file.")
	for _, s := range settingsOf(app) {
		line(".TP\n.B %s\n%s", roff(s.usage), roff(s.help))
		line("Variable: \\fB%s\\fR", roff(strings.Join(s.variables, ", or a file named by ")))
	}
	line(".SH EXIT STATUS\n.TP\n.B %d\nSuccess.\n.TP\n.B %d\nA failure.\n.TP\n.B %d\nWrong usage, or a wrong setting.", exitDone, exitFailed, exitUsage)
	line(".SH FILES\n.TP\n.I /etc/carillon/config\nThe settings of a server that was installed from a package.")
	return b.String()
}

// roff quotes text for man: backslashes, hyphens, which must stay copyable, and lines that begin like a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
