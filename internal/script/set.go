package script

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Set contains the scripts of one package. It is immutable.
type Set struct {
	files   map[string]file
	scripts map[string]*Script
	sorted  []*Script // by name
}

// file is one .lua file: a script, or a function that scripts share.
type file struct {
	src    string
	shared bool
	uses   []string
}

// Read returns the scripts in the .lua files of a directory. The header of a file, which is the
// comment at its top, may have two lines for it:
//
//	-- shared
//	-- uses: find_row, save_state
//
// A file with the first line defines a function for other files, and is not a script. The files named
// by the second line are inserted before the file, each after the files that it uses itself and
// each only once.
func Read(dir fs.FS) (*Set, error) {
	names, err := fs.Glob(dir, "*.lua")
	if err != nil {
		return nil, fmt.Errorf("list the scripts: %w", err)
	}
	s := &Set{files: make(map[string]file, len(names)), scripts: make(map[string]*Script, len(names))}
	for _, name := range names {
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read script %s: %w", name, err)
		}
		s.files[strings.TrimSuffix(name, ".lua")] = parseFile(string(src))
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, ".lua")
		parts, err := s.join(nil, nil, name)
		if err != nil {
			return nil, err
		}
		if s.files[name].shared {
			continue
		}
		for i, part := range parts {
			parts[i] = s.files[part].src
		}
		s.scripts[name] = New(name, parts...)
		s.sorted = append(s.sorted, s.scripts[name])
	}
	return s, nil
}

// Must returns the set. It panics on an error, which only a change of the .lua files can cause.
func Must(s *Set, err error) *Set {
	if err != nil {
		panic(err)
	}
	return s
}

// NameOf returns the name of the script with this hash, or "" if the set has no such script.
func (s *Set) NameOf(sha string) string {
	for _, script := range s.sorted {
		if script.sha == sha {
			return script.name
		}
	}
	return ""
}

// Get returns the script in the file name.lua. It panics if there is none.
func (s *Set) Get(name string) *Script {
	found := s.scripts[name]
	if found == nil {
		panic("no script " + name)
	}
	return found
}

// Load loads all scripts of the set on every master. Runs load missing scripts themselves; Load only
// saves the first ones a round trip. Its error is ErrUnavailable if Redis cannot be reached.
func (s *Set) Load(ctx context.Context, rdb redis.UniversalClient) error {
	return MarkAway(Load(ctx, rdb, s.sorted...))
}

// join adds a file to parts, after the files that it uses. path contains the files that lead to it.
func (s *Set) join(parts, path []string, name string) ([]string, error) {
	if slices.Contains(parts, name) {
		return parts, nil
	}
	if slices.Contains(path, name) {
		return nil, fmt.Errorf("%s.lua uses itself by way of %s", name, strings.Join(path, ", "))
	}
	path = append(path, name)
	for _, use := range s.files[name].uses {
		if !s.files[use].shared {
			return nil, fmt.Errorf("%s.lua uses %q, which is not a shared function", name, use)
		}
		var err error
		if parts, err = s.join(parts, path, use); err != nil {
			return nil, err
		}
	}
	return append(parts, name), nil
}

func parseFile(src string) file {
	f := file{src: src}
	for line := range strings.Lines(src) {
		line, comment := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !comment {
			break
		}
		line = strings.TrimSpace(line)
		if line == "shared" {
			f.shared = true
		}
		if names, ok := strings.CutPrefix(line, "uses:"); ok {
			f.uses = append(f.uses, strings.Split(strings.ReplaceAll(names, " ", ""), ",")...)
		}
	}
	return f
}
