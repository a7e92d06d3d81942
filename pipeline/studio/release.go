package studio

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// A released is what was published, and what became of it.
type released struct {
	job     job
	report  []byte // its page
	checks  *verify.Result
	open    pipeline.Open
	decided []string
}

// signOffStep is a part of the last page with failures of its own.
const signOffStep = "sign-off"

// release takes what is said of the release, and makes it.
func (s *studio) release(r *http.Request) (string, error) {
	if !s.job.taken() {
		return chooseStep, nil
	}
	if r.PostFormValue("remedy") != "" {
		s.remedy()
	} else {
		name := strings.TrimSpace(r.PostFormValue("name"))
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return releaseStep, fault.New(fault.Usage, "write a name such as published.csv, without a folder", "the file to "+
				"publish has no name")
		}
		s.job.Name, s.job.About = name, map[string]string{}
		for _, f := range aboutFields {
			if text := strings.Join(strings.Fields(r.PostFormValue(f.Key)), " "); text != "" {
				s.job.About[f.Key] = text
			}
		}
		var err error
		if s.job.Sign, err = s.keyOf(r); err != nil {
			return releaseStep, err
		}
	}
	j := s.job
	s.done = nil
	words := s.words(j, "run")
	s.start(releaseStep, "Making the release", func(ctx context.Context, t *task) (func(), error) {
		o, err := s.ask(ctx, t, j, words)
		if err != nil {
			return nil, err
		}
		if _, err := pipeline.Run(ctx, *o); err != nil {
			return nil, err
		}
		d := &released{job: j}
		if err := s.verify(context.WithoutCancel(ctx), t, d); err != nil {
			return nil, fault.New(fault.Published, "do not release again: a second draw would leak more",
				"the release is published, but it could not be checked: %s", fault.As(err).What)
		}
		return func() { s.done = d }, nil
	})
	return releaseStep, nil
}

// verify proves a release from its files, and reads its page.
func (s *studio) verify(ctx context.Context, t *task, d *released) (err error) {
	t.show("verifying", 0, 0)
	path := filepath.Join(d.job.report(), "report.json")
	if d.checks, err = verify.Run(ctx, verify.Request{Report: path, Input: d.job.Input, Output: d.job.output(),
		Version: s.Version}); err != nil {
		return err
	}
	if d.report, err = s.folders.read(filepath.Join(d.job.report(), "report.html")); err != nil {
		return err
	}
	d.open, err = pipeline.SignOff{Report: d.job.report()}.Open()
	return err
}

// verifyWords are the command that does the same.
func (d *released) verifyWords() []string {
	return []string{"verify", "--report", d.job.report(), "--input", d.job.Input, "--output", d.job.output()}
}

// Passed and Failed are how the checks ended.
func (d *released) Passed() (n int) {
	for _, c := range d.checks.Checks {
		if c.Outcome.String() == "passed" {
			n++
		}
	}
	return n
}

func (d *released) Failed() []string { return d.checks.Failed() }

// remedy leaves out what the last release was refused for.
func (s *studio) remedy() {
	if c := s.revealing(); c != nil {
		drop := slices.Clone(s.job.Drop)
		for _, name := range slices.Concat(c.Drop, c.Drops) {
			if !slices.Contains(drop, name) {
				drop = append(drop, name)
			}
		}
		s.job.Drop, s.job.Shuffle = drop, s.job.Shuffle || c.Places
	}
}

// revealing is why the last release was refused, nil where it was not for other columns.
func (s *studio) revealing() (c *pipeline.Revealing) {
	errors.As(s.failed[releaseStep], &c)
	return c
}

// Words of a form that chooses a key.
const (
	noKey  = ""
	newKey = "new"
)

// keyOf is the key file that a form names, which is made where it says so.
func (s *studio) keyOf(r *http.Request) (string, error) {
	path := r.PostFormValue("key")
	switch path {
	case noKey:
		return "", nil
	case newKey:
		path = strings.TrimSpace(r.PostFormValue("new-key"))
		place, err := s.folders.place(path)
		if err != nil {
			return "", err
		}
		k, err := key.New(key.Signing, now())
		if err != nil {
			return "", err
		}
		return s.folders.short(place), key.Write(place, k)
	}
	place, _, err := s.folders.file(path)
	return s.folders.short(place), err
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// signOff signs what somebody decided of the release.
func (s *studio) signOff(r *http.Request) (string, error) {
	d := s.done
	if d == nil {
		return releaseStep, nil
	}
	path, err := s.keyOf(r)
	if err == nil && path == noKey {
		err = fault.New(fault.Usage, "choose one, or let one be made", "a decision is signed, and no key was chosen")
	}
	if err != nil {
		s.failed[signOffStep] = err
		return releaseStep, nil
	}
	o := pipeline.SignOff{Report: d.job.report(), Decision: r.PostFormValue("decision"), By: r.PostFormValue("by"),
		Note: r.PostFormValue("note"), Date: now(), Key: path}
	if o.Decision != "approve" && o.Decision != "reject" {
		return releaseStep, nil
	}
	s.start(signOffStep, "Checking and signing", func(ctx context.Context, t *task) (func(), error) {
		o.Verify = func() error {
			again := &released{job: d.job}
			if err := s.verify(ctx, t, again); err != nil {
				return err
			}
			if failed := again.Failed(); len(failed) > 0 {
				return fault.New(fault.Privacy, "do not approve it", "the release is not what its report claims: %s",
					strings.Join(failed, ", "))
			}
			return nil
		}
		made, at, err := o.Write()
		if err != nil {
			return nil, err
		}
		return func() {
			d.decided = append(d.decided, fmt.Sprintf("%s by %s, in %s", map[string]string{"approve": "Approved",
				"reject": "Rejected"}[made.Decision], report.Clean(made.By), report.Clean(at)))
		}, nil
	})
	return releaseStep, nil
}

// A releaseView is what the last page shows.
type releaseView struct {
	Name      string
	Fields    []aboutField
	About     map[string]string
	Keys      []string
	Sign      string
	NewKey    string
	Public    string // the key that signs
	Drop      []string
	Revealing *pipeline.Revealing
	Done      *released
	Warnings  []string
	Missing   []string
	Verify    string // the command
	Decided   []string
}

func (s *studio) releaseView() *releaseView {
	v := &releaseView{Name: s.freeName(), Fields: aboutFields, About: s.job.About, Keys: s.folders.list(".key"),
		Sign: s.job.Sign, NewKey: s.freeKey(), Drop: s.job.Drop, Revealing: s.revealing(), Done: s.done}
	if d := s.done; d != nil {
		v.Warnings, v.Missing, v.Decided = d.open.Warnings, d.open.Missing, d.decided
		v.Verify = typed(d.verifyWords())
		if d.job.Sign != "" {
			if k, err := key.Read(d.job.Sign, key.Signing, "--sign"); err == nil {
				v.Public = strings.TrimSpace(k.Public())
			}
		}
	}
	return v
}

// freeName is a name for the file to publish that nothing has yet.
func (s *studio) freeName() string {
	ext := filepath.Ext(s.job.Name)
	stem := strings.TrimSuffix(s.job.Name, ext)
	for n := 1; ; n++ {
		name := s.job.Name
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		free := true
		for _, path := range []string{s.job.in(name), request.ReportOf(s.job.in(name))} {
			_, err := os.Lstat(path)
			free = free && errors.Is(err, fs.ErrNotExist)
		}
		if free {
			return name
		}
	}
}

// freeKey is a path for a new key.
func (s *studio) freeKey() string {
	for n := 1; ; n++ {
		path := filepath.Join(filepath.Dir(s.job.Folder), cmp.Or(map[int]string{1: "signing.key", 2: "approver.key"}[n],
			fmt.Sprintf("key-%d.key", n)))
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// reportPage is page one of the report and all below it.
func (s *studio) reportPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	d := s.done
	s.mu.Unlock()
	if d == nil {
		http.NotFound(w, r)
		return
	}
	frame(w, "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:", d.report)
}

// download hands over a file of the release.
func (s *studio) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	d := s.done
	s.mu.Unlock()
	if d == nil {
		http.NotFound(w, r)
		return
	}
	attach := func(name string) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	switch r.PathValue("what") {
	case "output":
		place, st, err := s.folders.file(d.job.output())
		f, opened := os.Open(place)
		if err != nil || opened != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close()
		attach(d.job.Name)
		http.ServeContent(w, r, "", st.ModTime(), f)
	case "public":
		attach("public.zip")
		s.zip(w, filepath.Join(d.job.report(), "public"))
	case "job":
		attach("job.yaml")
		fmt.Fprint(w, d.job.yaml())
	default:
		http.NotFound(w, r)
	}
}

// zip packs the files of a folder.
func (s *studio) zip(w http.ResponseWriter, folder string) {
	z := zip.NewWriter(w)
	defer z.Close()
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		data, err := s.folders.read(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		if to, err := z.Create(e.Name()); err == nil {
			to.Write(data)
		}
	}
}
