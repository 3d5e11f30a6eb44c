// Command release builds what a release of Carillon consists of: static binaries for each system, in
// archives and Debian packages, an image for containers and a chart for Helm, with the list of their parts (SBOM)
// and checksums. The same commit and the same Go give the same bytes.
package main

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	dir := flag.String("dir", "dist", "the directory to write to, which is emptied first")
	list := flag.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "systems and architectures")
	flag.Parse()
	var targets []target
	for _, text := range strings.Split(*list, ",") {
		system, arch, _ := strings.Cut(text, "/")
		targets = append(targets, target{system, arch})
	}
	if err := run(context.Background(), *dir, targets, static, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// target is a system for which Carillon is built.
type target struct{ system, arch string }

// linking describes what the binaries need on their machine.
type linking bool

const (
	static  linking = true
	dynamic linking = false // the C library: for tests, which then need not compile everything again
)

// release is what all targets have in common.
type release struct {
	root, dir string // of the repository, and of the result
	version   string
	time      time.Time // of the commit: the files of a release have no other
	linking   linking
	log       io.Writer
}

// run builds a release from the repository of the working directory.
func run(ctx context.Context, dir string, targets []target, linking linking, log io.Writer) error {
	root, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	seconds, err := git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	version, err := versionOf(ctx)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a release is public
		return err
	}
	r := release{root: root, dir: dir, version: version, time: time.Unix(n, 0).UTC(), linking: linking, log: log}
	var programs []program
	for _, t := range targets {
		binary, err := r.make(ctx, t)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", t.system, t.arch, err)
		}
		if t.system == "linux" {
			programs = append(programs, program{t.arch, binary})
		}
	}
	if len(programs) > 0 {
		if err := r.image(ctx, programs); err != nil {
			return fmt.Errorf("the image: %w", err)
		}
	}
	if err := r.chart(); err != nil {
		return fmt.Errorf("the chart: %w", err)
	}
	return r.checksums()
}

// make builds the files of one target, and returns its program.
func (r release) make(ctx context.Context, t target) (program []byte, err error) {
	temp, err := os.MkdirTemp("", "carillon-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	binary := filepath.Join(temp, "carillon")
	if err := r.build(ctx, t, binary); err != nil {
		return nil, err
	}
	if program, err = os.ReadFile(binary); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("carillon_%s_%s_%s", r.version, t.system, t.arch)
	files, err := r.contents(program)
	if err != nil {
		return nil, err
	}
	if err := r.archive(filepath.Join(r.dir, name+".tar.gz"), name, files); err != nil {
		return nil, err
	}
	if err := r.parts(ctx, binary, filepath.Join(r.dir, name+".cdx.json")); err != nil {
		return nil, err
	}
	if t.system != "linux" {
		return program, nil
	}
	return program, r.debian(ctx, binary, t.arch, filepath.Join(temp, "deb"))
}

// build compiles the program.
func (r release) build(ctx context.Context, t target, binary string) error {
	fmt.Fprintf(r.log, "building %s for %s on %s\n", r.version, t.system, t.arch)
	args := []string{"build", "-buildvcs=false", "-ldflags=-s -w -X main.release=v" + r.version, "-o", binary}
	env := append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.arch)
	if r.linking == static {
		args, env = append(args, "-trimpath"), append(env, "CGO_ENABLED=0", "GOFLAGS=")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/carillon")...) //nolint:gosec // the arguments are above
	cmd.Dir, cmd.Env = r.root, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if r.linking == static && t.system == "linux" {
		return checkStatic(binary)
	}
	return nil
}

// checkStatic returns an error if a binary names an interpreter, which loads shared libraries.
func checkStatic(binary string) error {
	f, err := elf.Open(binary)
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			err = errors.New("the binary needs shared libraries")
		}
	}
	return errors.Join(err, f.Close())
}

// parts writes the list of the modules in the binary, in the format of CycloneDX.
func (r release) parts(ctx context.Context, binary, to string) error {
	cmd := exec.CommandContext(ctx, "go", "tool", "-modfile=tools.mod", "cyclonedx-gomod", "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", "v"+r.version, "-output", to, binary) //nolint:gosec // files of this program
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("list the parts: %w: %s", err, out)
	}
	return nil
}

// checksums writes SHA256SUMS in the form of sha256sum.
func (r release) checksums() error {
	files, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(r.dir, f.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), f.Name()))
		fmt.Fprintf(r.log, "%9d  %s\n", len(content), f.Name())
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(r.dir, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644) //nolint:gosec // a release is public
}

// git returns what git prints.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output() //nolint:gosec // the arguments are constants
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
