package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// unitChanges convert the unit of a program copied to /usr/local to the unit of a package, which has
// a user and a configuration file of its own.
var unitChanges = [][2]string{
	{"ExecStart=/usr/local/bin/carillon serve", "ExecStart=/usr/bin/carillon serve"},
	{"Environment=CARILLON_DATA_DIR=/var/lib/carillon", "Environment=CARILLON_CONFIG=/etc/carillon/config"},
	{"DynamicUser=yes", "User=carillon\nGroup=carillon"},
}

// debian builds the package in a directory.
func (r release) debian(ctx context.Context, binary, arch, dir string) error {
	version := debianVersion(r.version)
	files, err := r.packaged(binary)
	if err != nil {
		return err
	}
	printed, err := r.printed(ctx)
	if err != nil {
		return err
	}
	files = append(files, printed...)
	size := 0
	for _, f := range files {
		size += len(f.content)
	}
	for _, name := range []string{"control", "conffiles", "postinst", "prerm", "postrm"} {
		text, err := os.ReadFile(filepath.Join(r.root, "deploy/debian", name))
		if err != nil {
			return err
		}
		f := file{"DEBIAN/" + name, text, 0o755}
		switch name {
		case "control":
			fields := strings.NewReplacer("@VERSION@", version, "@ARCH@", arch, "@SIZE@", strconv.Itoa((size+1023)/1024))
			f.content, f.mode = []byte(fields.Replace(string(text))), 0o644
		case "conffiles":
			f.mode = 0o644
		}
		files = append(files, f)
	}
	for _, f := range files {
		if err := f.write(dir); err != nil {
			return err
		}
	}
	to := filepath.Join(r.dir, fmt.Sprintf("carillon_%s_%s.deb", version, arch))
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--root-owner-group", "-Zgzip", "--build", dir, to) //nolint:gosec // directories of this program
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, out)
	}
	return nil
}

// packaged lists the files that the package installs.
func (r release) packaged(binary string) ([]file, error) {
	const docs = "usr/share/doc/carillon/"
	examples, err := r.recipes(docs + "examples")
	if err != nil {
		return nil, err
	}
	files := examples[:0]
	for _, f := range examples {
		if filepath.Base(f.name) == "carillon.service" {
			if f, err = unit(f); err != nil {
				return nil, err
			}
		}
		files = append(files, f)
	}
	for _, f := range []struct {
		name string
		from []string
		mode int64
	}{
		{"usr/bin/carillon", []string{binary}, 0o755},
		{"etc/carillon/config", []string{"deploy/debian/config"}, 0o640},
		{docs + "copyright", []string{"LICENSE", "cmd/carillon/licences.txt"}, 0o644},
		{docs + "changelog", []string{"CHANGELOG.md"}, 0o644},
	} {
		var content []byte
		for _, name := range f.from {
			if !filepath.IsAbs(name) {
				name = filepath.Join(r.root, name)
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			content = append(content, text...)
		}
		files = append(files, file{f.name, content, f.mode})
	}
	return files, nil
}

// printed lists what the program prints about itself: the manual page and the completions of shells. They are made by
// a program for this machine, because the one in the package may be for another.
func (r release) printed(ctx context.Context) (files []file, err error) {
	for _, f := range []struct{ name, args string }{
		{"usr/share/man/man1/carillon.1.gz", "manual"},
		{"usr/share/bash-completion/completions/carillon", "completion bash"},
		{"usr/share/zsh/vendor-completions/_carillon", "completion zsh"},
		{"usr/share/fish/vendor_completions.d/carillon.fish", "completion fish"},
	} {
		args := append([]string{"run", "-buildvcs=false", "-ldflags=-X main.release=v" + r.version, "./cmd/carillon"}, strings.Fields(f.args)...)
		cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the arguments are above
		cmd.Dir = r.root
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("print %s: %w", f.args, err)
		}
		if strings.HasSuffix(f.name, ".gz") {
			if text, err = zipped(text, gzip.BestCompression); err != nil {
				return nil, err
			}
		}
		files = append(files, file{f.name, text, 0o644})
	}
	return files, nil
}

// zipped compresses text, without a time, at a level of gzip.
func zipped(text []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	_, err = zip.Write(text)
	err = errors.Join(err, zip.Close())
	return b.Bytes(), err
}

// unit creates the unit of the package from the one in deploy.
func unit(f file) (file, error) {
	f.name = "usr/lib/systemd/system/carillon.service"
	for _, change := range unitChanges {
		from, to := []byte("\n"+change[0]+"\n"), []byte("\n"+change[1]+"\n")
		if bytes.Count(f.content, from) != 1 {
			return file{}, fmt.Errorf("carillon.service has not one line %q", change[0])
		}
		f.content = bytes.Replace(f.content, from, to, 1)
	}
	// The comment at the top is about the settings of a copied program.
	_, rest, _ := strings.Cut("\n"+string(f.content), "\n[Unit]\n")
	f.content = []byte("# Settings: /etc/carillon/config\n[Unit]\n" + rest)
	return f, nil
}

// write writes a file of the package below dir.
func (f file) write(dir string) error {
	name := filepath.Join(dir, f.name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // as they are installed
		return err
	}
	if err := os.WriteFile(name, f.content, os.FileMode(f.mode)); err != nil { //nolint:gosec // the modes are three constants
		return err
	}
	return os.Chmod(name, os.FileMode(f.mode)) //nolint:gosec // whatever the umask is
}
