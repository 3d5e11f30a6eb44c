package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestProgramsOfTheREADMEOfClients runs each of them, which send a notice to alice.
func TestProgramsOfTheREADMEOfClients(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../clients")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	here := in(t.TempDir())
	server := serve(t, here)
	must(t, here.run(t.Context(), "user", "add", "alice"))
	key := strings.TrimSpace(must(t, here.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
	programs := regexp.MustCompile("(?s)```(go|js|python|php|ruby)\n(.*?)```").FindAllSubmatch(text, -1)
	if len(programs) != 5 {
		t.Errorf("the README has %d programs", len(programs))
	}
	for _, program := range programs {
		language := string(program[1])
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{
				"main." + language:    string(program[2]),
				"package.json":        `{"type": "module"}`,
				"go.mod":              "module shop\n\ngo 1.24.0\n\nrequire github.com/carillonhq/carillon/clients/go v0.0.0\n\nreplace github.com/carillonhq/carillon/clients/go => " + root + "/go\n",
				"vendor/autoload.php": "<?php spl_autoload_register(fn ($class) => require '" + root + "/php/src/' . substr($class, 9) . '.php');",
			} {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "node_modules/@carillon"), 0o700), os.Symlink(root+"/typescript", filepath.Join(dir, "node_modules/@carillon/client"))); err != nil {
				t.Fatal(err)
			}
			command := map[string][]string{
				"go": {"go", "run", "-mod=mod", "."}, "js": {"node", "main.js"}, "python": {"/usr/bin/python3", "main.python"},
				"php": {"php", "main.php"}, "ruby": {"ruby", "-I", root + "/ruby/lib", "main.ruby"},
			}[language]
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			cmd.Env = append(os.Environ(), "CARILLON_URL="+server.URL, "CARILLON_API_KEY="+key, "PYTHONPATH="+root+"/python")
			out, err := cmd.Output()
			if id, bad := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || bad != nil || id < 1 {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
}
