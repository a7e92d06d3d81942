package studio

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
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
)

// A released is what was published, and what became of it.
type released struct {
	Job     job
	Open    pipeline.Open
	Decided []string
	Public  string // key of the signature, "" for none
	Verify  string // the command that checks it
	Passed  int    // checks
	Failed  []string
	report  []byte // its page
}

// release takes what is said of the release, and makes it.
func (s *studio) release(r *http.Request) (string, error) {
	if !s.job.Taken() {
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
			if text := strings.Join(strings.Fields(r.PostFormValue("about-"+f[0])), " "); text != "" {
				s.job.About[f[0]] = text
			}
		}
		var err error
		if s.job.Sign, err = s.keyOf(r); err != nil {
			return releaseStep, err
		}
	}
	j := s.job
	s.Done = nil
	s.start(releaseStep, "Making the release", func(ctx context.Context, t *task) (func(), error) {
		o, err := s.ask(ctx, t, j, s.words(j, "run"))
		if err != nil {
			return nil, err
		}
		if _, err := pipeline.Run(ctx, *o); err != nil {
			return nil, err
		}
		d, err := s.verify(t, j)
		if err != nil {
			return nil, fault.New(fault.Published, "do not release again: a second draw would leak more",
				"the release is published, but it could not be checked: %s", fault.As(err).What)
		}
		return func() { s.Done = d }, nil
	})
	return releaseStep, nil
}

// verify proves a release from its files, and reads what is shown of it.
func (s *studio) verify(t *task, j job) (d *released, err error) {
	t.show("verifying", 0, 0)
	d = &released{Job: j,
		Verify: typed([]string{"verify", "--report", j.report(), "--input", j.Input, "--output", j.output()})}
	report := filepath.Join(j.report(), "report.json")
	if d.Passed, d.Failed, err = s.Verify(context.Background(), report, j.Input, j.output()); err != nil {
		return nil, err
	}
	if j.Sign != "" {
		k, err := key.Read(j.Sign, key.Signing, "--sign")
		if err != nil {
			return nil, err
		}
		d.Public = strings.TrimSpace(k.Public())
	}
	if d.report, err = s.folders.read(filepath.Join(j.report(), "report.html")); err != nil {
		return nil, err
	}
	d.Open, err = pipeline.SignOff{Report: j.report()}.Open()
	return d, err
}

// remedy leaves out what the last release was refused for.
func (s *studio) remedy() {
	if c := s.Revealing(); c != nil {
		drop := slices.Clone(s.job.Drop)
		for _, name := range c.Drop {
			if !slices.Contains(drop, name) {
				drop = append(drop, name)
			}
		}
		s.job.Drop = drop
	}
}

// Revealing is why the last release was refused, nil where it was not for other columns.
func (s *studio) Revealing() (c *pipeline.Revealing) {
	errors.As(s.failed[releaseStep], &c)
	return c
}

// keyOf is the key file that a form names, which is made where it says so.
func (s *studio) keyOf(r *http.Request) (string, error) {
	path := r.PostFormValue("key")
	switch path {
	case "":
		return "", nil
	case "new":
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
	d := s.Done
	if d == nil {
		return releaseStep, nil
	}
	path, err := s.keyOf(r)
	if err == nil && path == "" {
		err = fault.New(fault.Usage, "choose one, or let one be made", "a decision is signed, and no key was chosen")
	}
	if err != nil {
		return releaseStep, err
	}
	o := pipeline.SignOff{Report: d.Job.report(), Decision: r.PostFormValue("decision"), By: r.PostFormValue("by"),
		Note: r.PostFormValue("note"), Date: now(), Key: path}
	if o.Decision != "approve" && o.Decision != "reject" {
		return releaseStep, nil
	}
	s.start(releaseStep, "Checking and signing", func(ctx context.Context, t *task) (func(), error) {
		o.Verify = func() error {
			again, err := s.verify(t, d.Job)
			if err == nil && len(again.Failed) > 0 {
				err = fault.New(fault.Privacy, "do not approve it", "the release is not what its report claims: %s",
					strings.Join(again.Failed, ", "))
			}
			return err
		}
		made, at, err := o.Write()
		if err != nil {
			return nil, err
		}
		return func() {
			d.Decided = append(d.Decided, fmt.Sprintf("%s by %s, in %s", map[string]string{"approve": "Approved",
				"reject": "Rejected"}[made.Decision], report.Clean(made.By), report.Clean(at)))
		}, nil
	})
	return releaseStep, nil
}

// freeName is a name for the file to publish that nothing has yet, nor its report.
func (s *studio) freeName() string {
	j, ext := s.job, filepath.Ext(s.job.Name)
	for n := 2; there(j.output()) || there(j.report()); n++ {
		j.Name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(s.job.Name, ext), n, ext)
	}
	return j.Name
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FreeKey is a path for a new key, beside the folder of the release.
func (s *studio) FreeKey() (path string) {
	for n := 1; n == 1 || there(path); n++ {
		path = filepath.Join(filepath.Dir(s.job.Folder), fmt.Sprintf("signing-%d.key", n))
	}
	return path
}

// made hands over what was made; where there is no release yet, it is not found.
func (s *studio) made(show func(http.ResponseWriter, *http.Request, *released)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		d := s.Done
		s.mu.Unlock()
		if d == nil {
			http.NotFound(w, r)
			return
		}
		show(w, r, d)
	}
}

// reportPage is page one of the report and all below it.
func reportPage(w http.ResponseWriter, _ *http.Request, d *released) {
	frame(w, "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:", d.report)
}

// download hands over a file of the release.
func (s *studio) download(w http.ResponseWriter, r *http.Request, d *released) {
	attach := func(name string) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	switch r.PathValue("what") {
	case "output":
		place, st, err := s.folders.file(d.Job.output())
		f, opened := os.Open(place)
		if err != nil || opened != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close()
		attach(d.Job.Name)
		http.ServeContent(w, r, "", st.ModTime(), f)
	case "public":
		root, err := os.OpenRoot(filepath.Join(d.Job.report(), "public")) // no link leads out of it
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer root.Close()
		attach("public.zip")
		z := zip.NewWriter(w)
		z.AddFS(root.FS())
		z.Close()
	case "job":
		attach("job.yaml")
		fmt.Fprint(w, d.Job.yaml())
	default:
		http.NotFound(w, r)
	}
}
