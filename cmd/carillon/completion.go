package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/carillonhq/carillon/internal/config"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the completion script of a shell. It is generated from the same tables as help.
func (s completionCmd) Run(_ config.Config, c *console, app *kong.Application) error {
	_, err := fmt.Fprint(c.stdout, completion(app, s.Shell))
	return err
}

// suggestion is a word that can follow some words of a command.
type suggestion struct{ word, help string }

// suggestions lists the words that can follow each command: its subcommands, its flags, and the flags of every
// command.
func suggestions(app *kong.Application) (after []string, words map[string][]suggestion) {
	words = map[string][]suggestion{}
	var common []suggestion
	for _, flag := range app.Flags {
		common = append(common, suggestion{"--" + flag.Name, flag.Help})
	}
	var visit func(node *kong.Node, path string)
	visit = func(node *kong.Node, path string) {
		after = append(after, path)
		for _, c := range node.Children {
			if !c.Hidden {
				words[path] = append(words[path], suggestion{c.Name, c.Help})
			}
		}
		for _, p := range node.Positional {
			for _, value := range p.EnumSlice() {
				if value != "" {
					words[path] = append(words[path], suggestion{value, p.Help})
				}
			}
		}
		if path != "" {
			for _, flag := range node.Flags {
				words[path] = append(words[path], suggestion{"--" + flag.Name, flag.Help})
			}
		}
		words[path] = append(words[path], common...)
		for _, c := range node.Children {
			visit(c, strings.TrimPrefix(path+" "+c.Name, " "))
		}
	}
	visit(app.Node, "")
	words[""] = append(words[""], suggestion{"help", "Print the help of a command, or of the settings."})
	return after, words
}

// completion returns the script for a shell.
func completion(app *kong.Application, shell string) string {
	after, words := suggestions(app)
	var b strings.Builder
	switch shell {
	case "fish":
		b.WriteString("# carillon completion fish > ~/.config/fish/completions/carillon.fish\ncomplete -c carillon -f\n")
		for _, path := range after {
			for _, s := range words[path] {
				fmt.Fprintf(&b, "complete -c carillon -n 'test (string join \" \" (string match -v -- \"-*\" (commandline -opc)[2..])) = %s' -a %s -d %s\n", `"`+path+`"`, s.word, quoted(s.help))
			}
		}
		return b.String()
	case "zsh":
		b.WriteString("#compdef carillon\n# carillon completion zsh > \"${fpath[1]}/_carillon\"\n_carillon() {\n\tlocal at=\"\" word\n" +
			"\tfor word in ${words[2,CURRENT-1]}; do [[ $word == -* ]] || at=\"${at:+$at }$word\"; done\n\tlocal -a known\n\tcase $at in\n")
	default:
		b.WriteString("# carillon completion bash > /usr/share/bash-completion/completions/carillon\n_carillon() {\n\tlocal at=\"\" word; local -a known=()\n" +
			"\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ $word == -* ]] || at=\"${at:+$at }$word\"; done\n\tcase $at in\n")
	}
	for _, path := range slices.Backward(after) {
		fmt.Fprintf(&b, "\t%q) known=(", path)
		for _, s := range words[path] {
			if shell == "zsh" {
				fmt.Fprintf(&b, "%s ", quoted(strings.ReplaceAll(s.word, ":", `\:`)+":"+s.help))
			} else {
				fmt.Fprintf(&b, "%s ", s.word)
			}
		}
		b.WriteString(") ;;\n")
	}
	if shell == "zsh" {
		b.WriteString("\tesac\n\t_describe carillon known || _files\n}\n[[ $funcstack[1] == _carillon ]] && _carillon \"$@\" || compdef _carillon carillon\n")
	} else {
		b.WriteString("\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"${known[*]}\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\ncomplete -o default -F _carillon carillon\n")
	}
	return b.String()
}

// quoted quotes text for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
