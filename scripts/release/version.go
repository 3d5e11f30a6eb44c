package main

import (
	"context"
	"strings"
)

// versionOf returns the version of the sources: the version of a tag such as v1.2.0; after it 1.2.0+5.g1a2b3c4d5e6f,
// where 5 is the number of commits since; and 0.0.0+… without a tag. It ends in dirty if a file differs from the commit.
func versionOf(ctx context.Context) (string, error) {
	commit, err := git(ctx, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", err
	}
	version := "0.0.0+g" + commit
	if text, err := git(ctx, "describe", "--tags", "--long", "--abbrev=12", "--match=v[0-9]*"); err == nil {
		version = described(text)
	}
	changes, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	switch {
	case changes == "":
		return version, nil
	case strings.Contains(version, "+"):
		return version + ".dirty", nil
	}
	return version + "+dirty", nil
}

// described turns v1.2.0-5-g1a2b3c, which is the name of a tag, commits since then, and the present one, into a version.
func described(text string) string {
	parts := strings.Split(strings.TrimPrefix(text, "v"), "-")
	last := len(parts) - 1
	tag, since, commit := strings.Join(parts[:last-1], "-"), parts[last-1], parts[last]
	if since == "0" {
		return tag
	}
	return tag + "+" + since + "." + commit
}

// debianVersion returns the version of the package. A pre-release such as 1.2.0-rc.1 comes before 1.2.0, and a
// hyphen would begin the revision of a package.
func debianVersion(version string) string { return strings.ReplaceAll(version, "-", "~") }
