package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A packed file is one that an archive or a package holds.
type packed struct{ Src, Dst string }

// goreleaser reads what .goreleaser.yaml says of builds and files.
func goreleaser(t *testing.T) (c struct {
	Before struct{ Hooks []string }
	Builds []struct {
		Main, Dir, Binary string
		Env, Goos, Goarch []string
	}
	Archives []struct{ Files []packed }
	Packages []struct {
		Formats  []string
		Contents []packed
	} `yaml:"nfpms"`
}) {
	t.Helper()
	data := readFile(t, "../../.goreleaser.yaml")
	must(t, yaml.Unmarshal(data, &c))
	return c
}

// TestReleaseFiles holds the files that archives and packages name to those that there
// are, or that the hook makes; and the packages to what docs/install.md says of them.
func TestReleaseFiles(t *testing.T) {
	c := goreleaser(t)
	makefile := readFile(t, "../../Makefile")
	page := readFile(t, "../../docs/install.md")
	made := map[string]bool{}
	for _, hook := range c.Before.Hooks {
		target, ok := strings.CutPrefix(hook, "make ")
		_, recipe, there := strings.Cut(string(makefile), "\n"+target+":")
		if !ok || !there {
			t.Errorf("the hook %q is no target of the Makefile", hook)
		}
		recipe, _, _ = strings.Cut(recipe, "\n\n")
		for _, m := range regexp.MustCompile(`> \$\(PAGES\)/(\S+)`).FindAllStringSubmatch(recipe, -1) {
			made["out/pages/"+m[1]] = true
		}
		for _, m := range regexp.MustCompile(`gzip -9nk \$\(PAGES\)/(\S+)`).FindAllStringSubmatch(recipe, -1) {
			made["out/pages/"+m[1]+".gz"] = true
		}
	}
	if len(c.Archives) == 0 || len(c.Packages) == 0 || len(made) == 0 {
		t.Fatalf("%d archives, %d packages, %d files made before", len(c.Archives), len(c.Packages), len(made))
	}
	var all []packed
	for _, a := range c.Archives {
		all = append(all, a.Files...)
	}
	for _, p := range c.Packages {
		all = append(all, p.Contents...)
		for _, f := range p.Contents {
			if f.Dst == "" || !path.IsAbs(f.Dst) {
				t.Errorf("%s goes to %q", f.Src, f.Dst)
			}
			if strings.HasPrefix(f.Dst, "/usr/share/doc/") {
				continue
			}
			if !strings.Contains(string(page), path.Base(f.Dst)) {
				t.Errorf("docs/install.md does not name %s", f.Dst)
			}
		}
		if !slices.Equal(p.Formats, []string{"deb", "rpm"}) {
			t.Errorf("packages are %v", p.Formats)
		}
	}
	used := map[string]bool{}
	for _, f := range all {
		used[f.Src] = true
		if strings.HasPrefix(f.Src, "out/") {
			if !made[f.Src] {
				t.Errorf("no hook makes %s", f.Src)
			}
			continue
		}
		if found, err := filepath.Glob("../../" + f.Src); err != nil || len(found) == 0 {
			t.Errorf("%s names no file", f.Src)
		}
	}
	for f := range made {
		if !used[f] {
			t.Errorf("%s is made and packed nowhere", f)
		}
	}
}

// TestSlowReleaseStatic holds the builds to the systems that docs/install.md names, all
// without cgo; and the program to packages that need none, its ledger's too.
func TestSlowReleaseStatic(t *testing.T) {
	for _, b := range goreleaser(t).Builds {
		folder := filepath.Join("../..", b.Dir, b.Main)
		if !slices.Equal(b.Goos, []string{"linux", "darwin"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) ||
			!slices.Equal(b.Env, []string{"CGO_ENABLED=0"}) || filepath.Base(folder) != b.Binary {
			t.Errorf("the build is %+v", b)
		}
		for _, system := range b.Goos {
			for _, processor := range b.Goarch {
				list := exec.Command("go", "list", "-deps", "-f",
					`{{if not .Standard}}{{if .CgoFiles}}{{.ImportPath}} needs cgo{{end}}{{end}}{{with .Error}}{{.}}{{end}}`, ".")
				list.Dir = folder
				list.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+system, "GOARCH="+processor)
				var stderr strings.Builder // go says there what it downloads
				list.Stderr = &stderr
				out, err := list.Output()
				if text := strings.TrimSpace(string(out)); err != nil || text != "" {
					t.Errorf("%s, %s: %v: %s\n%s", system, processor, err, text, &stderr)
				}
			}
		}
	}
}

// TestReleaseContainer holds the image to what docs/install.md says of it: it starts from
// nothing, and runs the static binary as nobody.
func TestReleaseContainer(t *testing.T) {
	data := readFile(t, "../../Containerfile")
	var last []string // instructions of the last stage
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "FROM ") {
			last = nil
		}
		if from, ok := strings.CutPrefix(line, "COPY "); ok && !strings.HasPrefix(from, "--from") {
			for _, name := range strings.Fields(from)[:len(strings.Fields(from))-1] {
				if _, err := os.Stat("../../" + name); err != nil {
					t.Error(err)
				}
			}
		}
		last = append(last, line)
	}
	for _, want := range []string{"FROM scratch", "COPY --from=build /tacet /usr/bin/tacet", "USER 10001:10001",
		`ENTRYPOINT ["/usr/bin/tacet"]`} {
		if !slices.Contains(last, want) {
			t.Errorf("the last stage lacks %s", want)
		}
	}
	if !strings.Contains(string(data), "RUN CGO_ENABLED=0 go build ") {
		t.Error("the binary may need a C library")
	}
}
