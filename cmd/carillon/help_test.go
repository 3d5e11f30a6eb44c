package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestHelpShowsACommandsOwnFlagsAndTheSettingsOnce(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	send := must(t, c.run(t.Context(), "send", "--help")).out
	wantWords(t, send, "--title", "carillon help settings")
	if strings.Contains(send, "--redis-prefix") || strings.Count(send, "\n") > 50 {
		t.Errorf("the help of send has the settings:\n%s", send)
	}
	if strings.Index(send, "--title") > strings.Index(send, "--json") {
		t.Errorf("its own flags are not first:\n%s", send)
	}
	if again := must(t, c.run(t.Context(), "help", "send")).out; again != send {
		t.Errorf("help send differs:\n%s", again)
	}
	wantWords(t, must(t, c.run(t.Context(), "help", "key", "add")).out, "--scope")
	wantWords(t, must(t, c.run(t.Context(), "help")).out, "doctor", "restore")
	settings := must(t, c.run(t.Context(), "help", "settings")).out
	wantWords(t, settings, "--redis-prefix=TEXT", "CARILLON_REDIS_PREFIX", "CARILLON_SMTP_URL, or a file named by CARILLON_SMTP_URL_FILE", "(default: 127.0.0.1:8080)")
}

func TestWithoutACommandHelpIsPrintedAndUnknownOnesGetASuggestion(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	r := c.run(t.Context())
	if wantWords(t, r.out, "Usage: carillon", "serve"); r.status != exitUsage {
		t.Errorf("status %d", r.status)
	}
	for _, test := range []struct{ args, want string }{
		{"srve", `did you mean "serve"?`},
		{"user ad ann", `unknown command "user ad", did you mean "add"?`},
		{"help docter", `did you mean "doctor"?`},
		{"help key ad", `did you mean "add"?`},
		{"frobnicate", "the commands are serve, user,"},
		{"send --titel x", "--title"},
	} {
		if r := c.run(t.Context(), strings.Fields(test.args)...); r.status != exitUsage || !strings.Contains(r.errors, test.want) {
			t.Errorf("%s: %d %s", test.args, r.status, r.errors)
		}
	}
}

// The manual and the completions are generated from the tables of help.
func TestTheManualAndCompletionsHaveEveryCommandAndSetting(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	manual := must(t, c.run(t.Context(), "manual")).out
	wantWords(t, manual, ".TH CARILLON 1", `.B carillon key add`, `\-\-redis\-prefix=TEXT`, "CARILLON_SMTP_URL_FILE", "EXIT STATUS")
	for _, shell := range []string{"bash", "zsh", "fish"} {
		wantWords(t, must(t, c.run(t.Context(), "completion", shell)).out, "carillon", "doctor", "--redis-prefix", "--scope")
	}
	if r := c.run(t.Context(), "completion", "csh"); r.status != exitUsage {
		t.Errorf("csh: %d", r.status)
	}
	file := filepath.Join(t.TempDir(), "carillon")
	if err := os.WriteFile(file, []byte(must(t, c.run(t.Context(), "completion", "bash")).out), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"carillon do":              "doctor",
		"carillon key ":            "add",
		"carillon key add --sc":    "--scope",
		"carillon serve --redis-p": "--redis-prefix",
		"carillon completion z":    "zsh",
	} {
		script := `source ` + file + `; line="` + line + `"; read -ra COMP_WORDS <<<"$line"; [[ $line == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _carillon; echo "${COMPREPLY[@]}"`
		out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %s %v; want %s", line, out, err, want)
		}
	}
}

func TestASettingWithoutEffectIsNamedAtTheStartAndByTheDoctor(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).with("CARILLON_PUBIC_URL", "https://secret.example")
	r := c.run(t.Context(), "doctor")
	wantWords(t, r.out, "FAIL  settings", "CARILLON_PUBIC_URL", "did you mean CARILLON_PUBLIC_URL?")
	if strings.Contains(r.out, "secret.example") {
		t.Errorf("it prints the value:\n%s", r.out)
	}
}

func TestAnUnknownPermissionIsAnsweredWithTheKnownOnes(t *testing.T) {
	t.Parallel()
	r := in(t.TempDir()).run(t.Context(), "key", "add", "shop", "--scope", "write")
	if wantWords(t, r.errors, "--scope", "write", "send, read, admin"); r.status != exitUsage {
		t.Errorf("status %d", r.status)
	}
}
