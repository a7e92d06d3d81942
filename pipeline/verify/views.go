package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkViews compares files below a folder with those that are told again; err says why these
// could not be. Files that are not there are named by the statement, and version is of what wrote
// them. It fails where the system does not read a file.
func (q Request) checkViews(to *kernel.Result, version string, texts map[string][]byte, err error) error {
	const name = "views"
	same, differ := 0, []string(nil)
	if err != nil {
		differ = append(differ, "all of them")
	}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		path := filepath.Join(filepath.Dir(q.Report), filepath.FromSlash(file))
		got, missing := os.ReadFile(path)
		switch {
		case errors.Is(missing, fs.ErrNotExist):
		case failed(missing):
			return unreadable(path, "--report", missing)
		case missing != nil || !bytes.Equal(got, texts[file]):
			differ = append(differ, file)
		default:
			same++
		}
	}
	switch {
	case len(differ) > 0 && version != q.Version:
		to.Skip(name, fmt.Sprintf("written by version %.40q, which may tell a report in other words: %s", version,
			firstOf(differ)))
	case len(differ) > 0:
		to.Add(name, false, "not what is told again: %s", firstOf(differ))
	default:
		to.Add(name, true, "%d files are, byte for byte, what is told again", same)
	}
	return nil
}

// failed reports whether the system did not read a file, which is there and no folder.
func failed(err error) bool {
	var system syscall.Errno
	return errors.As(err, &system) && system != syscall.EISDIR && !errors.Is(err, fs.ErrNotExist)
}

// views are those of the report and all public files but those of all columns.
func (c *column) views() (texts map[string][]byte, err error) {
	if texts, err = pipeline.Views(c.told); err != nil {
		return nil, err
	}
	const file = publicFolder + "/" + plan.OpenFile
	if data, absent := os.ReadFile(filepath.Join(filepath.Dir(c.q.Report), file)); absent == nil {
		texts[file], err = c.opened(data)
	}
	return texts, err
}

// opened is the mechanism as everybody may see it, told again.
func (c *column) opened(data []byte) ([]byte, error) {
	is, err := plan.DecodeOpen(data)
	if err != nil {
		return nil, err
	}
	r := c.told
	asked := pipeline.Opening{Part: r.Prior.Part != nil}
	if r.Draws.Unit == "person" {
		asked.Person = is.Person
	}
	if person := r.Setting("person"); person != "" {
		asked.Person = person
	}
	if s := r.History.Series; s != nil {
		asked.Held = is.Held
	}
	return asked.Of(c.plan).Encode()
}
