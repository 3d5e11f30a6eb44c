package embedded

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// oldest is the oldest major version with all the features that the scripts use.
const oldest = 7

// find returns the path of the first installed program, or "".
func find(programs []string) string {
	if len(programs) == 0 {
		programs = []string{"redis-server", "valkey-server"}
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// checkVersion rejects an old version before it touches the files: an older server cannot read files
// written by a newer one.
func checkVersion(ctx context.Context, program string) error {
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", program, err)
	}
	version, major := parseVersion(string(out))
	switch {
	case version == "":
		return fmt.Errorf("%s printed no version: %.80q", program, out)
	case major < oldest:
		return fmt.Errorf("%s is version %s, but at least %d.0 is required: install a newer one, or set --redis-url", program, version, oldest)
	}
	return nil
}

func parseVersion(text string) (version string, major int) {
	m := regexp.MustCompile(`\bv=((\d+)\.\d+\.\d+)`).FindStringSubmatch(text)
	if m == nil {
		return "", 0
	}
	major, _ = strconv.Atoi(m[2])
	return m[1], major
}
