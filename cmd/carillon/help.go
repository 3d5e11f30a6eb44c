package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/carillonhq/carillon/internal/config"
)

// settingsGroup is the key of the settings among the flags: help lists them once, not with every command.
const settingsGroup = "settings"

// maxHelpWidth is the width of a line of help.
const maxHelpWidth = 110

// helpWords returns the arguments of `carillon help …`; ok is false for any other call.
func helpWords(args []string) (words []string, ok bool) {
	if len(args) == 0 || args[0] != "help" {
		return nil, false
	}
	return slices.DeleteFunc(slices.Clone(args[1:]), func(arg string) bool { return strings.HasPrefix(arg, "-") }), true
}

// help prints the help of a command, named by words as on the command line, or of the settings.
func (p *program) help(parser *kong.Kong, words []string) error {
	if slices.Equal(words, []string{"settings"}) {
		return settingsHelp(p.stdout, parser.Model)
	}
	node := parser.Model.Node
	for i, word := range words {
		next := child(node, word)
		if next == nil {
			return usageError{unknownCommand(node, strings.Join(words[:i+1], " "), word)}
		}
		node = next
	}
	_, _ = parser.Parse(append(slices.Clone(words), "--help")) // it prints the help before it finds arguments missing
	return nil
}

func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// unknownCommand names the command that was probably meant.
func unknownCommand(node *kong.Node, all, word string) error {
	var names []string
	for _, c := range node.Children {
		names = append(names, c.Name)
	}
	near := config.Nearest(word, names)
	if i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, word) }); near == "" && i >= 0 {
		near = names[i]
	}
	if near != "" {
		return fmt.Errorf("unknown command %q, did you mean %q? (see carillon help)", all, near)
	}
	return fmt.Errorf("unknown command %q; the commands are %s", all, strings.Join(names, ", "))
}

// parseError adds the command that was probably meant to the error of a call whose first words are no command.
func parseError(parser *kong.Kong, args []string, err error) error {
	node := parser.Model.Node
	for i, word := range args {
		if strings.HasPrefix(word, "-") || len(node.Children) == 0 {
			break
		}
		next := child(node, word)
		if next == nil {
			return usageError{unknownCommand(node, strings.Join(args[:i+1], " "), word)}
		}
		node = next
	}
	return usageError{fmt.Errorf("%w (see carillon %s)", err, strings.TrimSpace(node.Path()+" --help"))}
}

// hideSettings omits the settings from the help of commands, and puts the flags of every command last.
func hideSettings(k *kong.Kong) error {
	common := &kong.Group{Key: "common", Title: "Flags of every command:"}
	for _, flag := range k.Model.Flags {
		if flag.Hidden = isSetting(flag); !flag.Hidden {
			flag.Group = common
		}
	}
	return nil
}

func isSetting(flag *kong.Flag) bool { return flag.Group != nil && flag.Group.Key == settingsGroup }

// printHelp prints the help of a command, its own flags first, and refers to the settings.
func printHelp(options kong.HelpOptions, call *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, call); err != nil {
		return err
	}
	_, err := fmt.Fprintf(call.Stdout, "\nThe settings of the server, such as --data-dir and --redis-url, are listed by \"%s help settings\".\n", call.Model.Name)
	return err
}

// settingsHelp lists the settings.
func settingsHelp(to io.Writer, app *kong.Application) error {
	var text strings.Builder
	text.WriteString("The settings. Each is a flag of every command, a variable of the environment, and a key of the file of\n" +
		"--config; flags win over variables, and variables over the file.\n")
	for _, s := range settingsOf(app) {
		fmt.Fprintf(&text, "\n  %-40s %s\n", s.usage, strings.Join(s.variables, ", or a file named by "))
		for _, line := range wrapped(s.help, maxHelpWidth-6) {
			text.WriteString("      " + line + "\n")
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// setting is a setting as shown by help, the manual and completions.
type setting struct {
	name, usage, help string
	variables         []string // its own, and the variable for a file if it is a secret
}

func settingsOf(app *kong.Application) (all []setting) {
	for _, flag := range app.Flags {
		if !isSetting(flag) {
			continue
		}
		s := setting{name: flag.Name, usage: flagUsage(flag), help: flag.Help, variables: []string{config.Variable(flag.Name)}}
		if flag.Default != "" {
			s.help += " (default: " + flag.Default + ")"
		}
		if flag.Tag.Has("secret") {
			s.variables = append(s.variables, config.Variable(flag.Name)+"_FILE")
		}
		all = append(all, s)
	}
	return all
}

// flagUsage returns the notation of a flag, such as --data-dir=DIR.
func flagUsage(flag *kong.Flag) string {
	if flag.IsBool() || flag.IsCounter() {
		return "--" + flag.Name
	}
	return "--" + flag.Name + "=" + cmp.Or(flag.PlaceHolder, strings.ToUpper(flag.Name))
}

// wrapped breaks text between words.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
