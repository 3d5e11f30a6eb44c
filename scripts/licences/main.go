// Command licences prints the licences of all third-party parts of the program: the linked
// modules, Go itself, and the vendored files in static/.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are the systems that the program is built for. The linked modules differ.
var systems = []string{"linux", "darwin", "windows"}

// licence matches the names of files with a licence.
var licence = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|[a-z0-9]+-licen[sc]e)([-.][a-z0-9.-]*)?$`)

// part is a third-party part of the program.
type part struct {
	name string
	dirs []string // directories that may have a licence, from the root of its module down
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "licences: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, to io.Writer) error {
	parts, err := linked(ctx)
	if err != nil {
		return err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("ask for GOROOT: %w", err)
	}
	parts = append([]part{
		{"Go and its standard library", []string{strings.TrimSpace(string(goroot))}},
		{"htmx", []string{"static/js/vendor"}},
		{"Lucide", []string{"static/icons"}},
		{"Tailwind CSS", []string{"static/css"}},
	}, parts...)
	out := bufio.NewWriter(to)
	fmt.Fprintln(out, "Carillon holds the work of others, under these licences.")
	for _, p := range parts {
		if err := p.print(out); err != nil {
			return fmt.Errorf("the licence of %s: %w", p.name, err)
		}
	}
	return out.Flush()
}

// linked lists the modules of the program, by name.
func linked(ctx context.Context) ([]part, error) {
	found := map[string]*part{}
	for _, system := range systems {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Module", "./cmd/carillon")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		all, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the linked packages on %s: %w", system, err)
		}
		for in := json.NewDecoder(bytes.NewReader(all)); ; {
			var pkg struct {
				Dir    string
				Module *struct {
					Path, Dir string
					Main      bool
				}
			}
			if err := in.Decode(&pkg); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("read the linked packages: %w", err)
			}
			if m := pkg.Module; m != nil && !m.Main {
				if found[m.Path] == nil {
					found[m.Path] = &part{name: m.Path}
				}
				found[m.Path].add(m.Dir, pkg.Dir)
			}
		}
	}
	parts := make([]part, 0, len(found))
	for _, p := range found {
		slices.Sort(p.dirs)
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	return parts, nil
}

// add adds the directories of a linked package: each directory between it and the root of its
// module may have a licence of its own.
func (p *part) add(root, dir string) {
	for ; len(dir) >= len(root); dir = filepath.Dir(dir) {
		if !slices.Contains(p.dirs, dir) {
			p.dirs = append(p.dirs, dir)
		}
	}
}

// print writes each licence text once. It returns an error if there is none, because such a part
// must not be shipped.
func (p *part) print(to io.Writer) error {
	var texts []string
	for _, dir := range p.dirs {
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.IsDir() || !licence.MatchString(f.Name()) || strings.HasSuffix(f.Name(), ".go") {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				return err
			}
			if text := tidy(string(b)); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 {
		return fmt.Errorf("no licence in %s", strings.Join(p.dirs, ", "))
	}
	_, err := fmt.Fprintf(to, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), p.name, strings.Join(texts, "\n\n"+strings.Repeat("-", 80)+"\n\n"))
	return err
}

// tidy unifies line ends and removes trailing blanks.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
