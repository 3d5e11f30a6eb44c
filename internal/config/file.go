package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"github.com/carillonhq/carillon/notifier"
)

// fileFlag is the flag that names the configuration file.
const fileFlag = "config"

// file is the configuration file: TOML, whose keys are the names of the flags.
type file struct {
	name     string
	settings map[string]fileSetting // by flag
}

// fileSetting is a setting as text, like a flag's, and its line.
type fileSetting struct {
	text string
	line int
}

// at names a line of the file.
func (f *file) at(line int) string { return fmt.Sprintf("%s, line %d", f.name, line) }

// readFile reads the file with this name, and adds its faults to bad. Without a name there are no settings.
func readFile(name string, bad *Faults) *file {
	f := &file{name: name, settings: map[string]fileSetting{}}
	if name == "" {
		return f
	}
	text, err := os.ReadFile(name)
	if err != nil {
		bad.Add("--"+fileFlag, "%v", err)
		return f
	}
	var values map[string]any
	meta, err := toml.Decode(string(text), &values)
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		*bad = append(*bad, fmt.Sprintf("%s: %s", f.at(syntax.Position.Line), syntax.Message))
		return f
	} else if err != nil {
		bad.Add("--"+fileFlag, "%s: %v", name, err)
		return f
	}
	lines, known := strings.Split(string(text), "\n"), fileKeys()
	for _, key := range meta.Keys() {
		if len(key) > 1 {
			continue // the fault belongs to its table
		}
		f.add(key[0], values[key[0]], lineOf(lines, key[0]), known, bad)
	}
	return f
}

// add adds the setting of a key. Lists and numbers are written as on the command line.
func (f *file) add(key string, value any, line int, known []string, bad *Faults) {
	if !slices.Contains(known, key) {
		fault := fmt.Sprintf("%s: unknown key %q", f.at(line), key)
		if near := nearest(strings.ReplaceAll(key, "_", "-"), known); near != "" {
			fault += fmt.Sprintf("; did you mean %q?", near)
		}
		*bad = append(*bad, fault)
		return
	}
	text, ok := textOf(value)
	if yes, is := value.(bool); is && isSwitch(key) {
		text, ok = strconv.FormatBool(yes), true
	}
	if list, is := value.([]any); is {
		texts := make([]string, len(list))
		ok = true
		for i, element := range list {
			var fits bool
			texts[i], fits = textOf(element)
			ok = ok && fits
		}
		text = strings.Join(texts, ",")
	}
	if !ok {
		*bad = append(*bad, fmt.Sprintf("%s: %s must be a text, a number, or a list of these", f.at(line), key))
		return
	}
	f.settings[key] = fileSetting{text, line}
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// isSwitch reports whether a setting is true or false.
func isSwitch(key string) bool {
	return slices.ContainsFunc(settingsOf(&Flags{}), func(flag *kong.Flag) bool {
		return flag.Name == key && (flag.IsBool() || flag.PlaceHolder == "BOOL")
	})
}

// fileKeys lists the valid keys of a configuration file.
func fileKeys() []string {
	var keys []string
	for _, flag := range settingsOf(&Flags{}) {
		if flag.Name != fileFlag {
			keys = append(keys, flag.Name)
		}
	}
	return keys
}

// settingsOf lists the flags of the configuration. Their values are the fields of f.
func settingsOf(f *Flags) []*kong.Flag {
	parser, err := kong.New(f, kong.NoDefaultHelp())
	if err != nil {
		panic("the fields of Flags are no flags: " + err.Error()) // the panic would fail every test
	}
	return parser.Model.Flags
}

// lineOf returns the number of the first line that sets a key or opens a table of that name.
func lineOf(lines []string, key string) int {
	for i, line := range lines {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " \t["), "=")
		name, _, _ = strings.Cut(name, "]")
		name, _, _ = strings.Cut(name, ".")
		if strings.Trim(name, " \t\r\"'") == key {
			return i + 1
		}
	}
	return 1
}

// mistakes counts the typing mistakes that turn a into b.
func mistakes(a, b string) int { return notifier.Mistakes([]rune(a), []rune(b)) }

// nearest returns the name that is closest to word, counted in typing mistakes, where a missing end counts as one; empty
// if all differ by more than a third of its letters.
func nearest(word string, names []string) string {
	best, least := "", len(word)/3+1
	for _, name := range names {
		n := mistakes(word, name)
		if len(word) > 2 && strings.HasPrefix(name, word) {
			n = min(n, 1) // the rest is missing
		}
		if n < least {
			best, least = name, n
		}
	}
	return best
}
