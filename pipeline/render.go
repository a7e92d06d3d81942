package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/page"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// A Rendering asks for a report that was written before, in another view.
type Rendering struct {
	From      string // Required. report.json, internal or public.
	Previous  string // report.json of the release before, to compare with; "" for none
	Format    string // "text" (default), "md", "html", "json"
	Profile   string // "internal" or "public"; "" is that of From
	Output    string // file to write; "" is the writer given to Render
	Overwrite bool
}

// Formats are the views of a report.
func Formats() []string { return []string{"text", "md", "html", "json"} }

// Render reads a report and writes a view of it. The view is whole before the
// first byte of it is written.
func Render(q Rendering, to io.Writer) error {
	switch {
	case q.From == "":
		return fault.New(fault.Usage, "name a report.json with --from", "no report is given")
	case q.Format != "" && !slices.Contains(Formats(), q.Format):
		return fault.New(fault.Usage, "choose one of "+strings.Join(Formats(), ", "), "--format has the unknown value %q", q.Format)
	case q.Profile != "" && q.Profile != "internal" && q.Profile != "public":
		return fault.New(fault.Usage, "choose internal or public", "--profile has the unknown value %q", q.Profile)
	}
	t, err := readTelling(q.From, "--from", q.Profile)
	if err != nil {
		return err
	}
	if q.Previous != "" {
		before, err := readTelling(q.Previous, "--previous", t.profile())
		if err != nil {
			return err
		}
		t.since(before)
	}
	data, err := t.show(q.Format)
	if err != nil {
		return err
	}
	if q.Output == "" {
		_, err := to.Write(data)
		return err
	}
	return q.write(data, t.profile() == "internal")
}

// write puts the view in place whole, or not at all.
func (q *Rendering) write(data []byte, private bool) (err error) {
	st, err := os.Stat(q.From)
	if err != nil {
		return err
	}
	set := publish.NewSet(st)
	defer documents.Abort(set, &err)
	f, err := set.Add(publish.Target{Path: q.Output, Overwrite: q.Overwrite, Private: private})
	if err != nil {
		return err
	}
	if err := documents.Write(f, data); err != nil {
		return err
	}
	return set.Commit()
}

// A telling is a report in one of its profiles.
type telling struct {
	internal *report.Report
	public   *report.Public
}

// readTelling reads a report.json and leaves of it what the profile shows.
func readTelling(path, flag, profile string) (t telling, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return t, fault.New(fault.Input, "check the path given to "+flag, "%s cannot be read: %v", path, source.PathCause(err))
	}
	if t.internal, t.public, err = report.Read(data); err != nil {
		return t, &fault.Fault{Class: fault.Input, What: path + ": " + err.Error(), Hint: "it was cut short, changed, or written by another version; give a report.json of this one", Err: err}
	}
	switch {
	case profile == "internal" && t.internal == nil:
		return t, fault.New(fault.Input, "give the report.json beside the plan, or --profile public", "%s is a public report: it holds nothing internal", path)
	case profile == "public" && t.internal != nil:
		return telling{public: t.internal.Publish()}, nil
	}
	return t, nil
}

func (t telling) profile() string {
	if t.internal != nil {
		return "internal"
	}
	return "public"
}

func (t telling) document() *view.Document {
	if t.internal != nil {
		return page.Internal(t.internal)
	}
	return page.Public(t.public)
}

// since notes what differs from an earlier report of the same profile.
func (t telling) since(before telling) {
	changes := page.Difference(before.document(), t.document())
	if t.internal != nil {
		t.internal.Changes = &changes
		return
	}
	t.public.Changes = &changes
}

// show is one view, whole.
func (t telling) show(format string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch format {
	case "", "text":
		err = view.Text(&b, t.document())
	case "md":
		err = view.Markdown(&b, t.document())
	case "html":
		err = view.HTML(&b, t.document())
	case "json":
		if t.internal != nil {
			err = t.internal.WriteJSON(&b)
		} else {
			err = t.public.WriteJSON(&b)
		}
	}
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) {
		return nil, fault.New(fault.Internal, "please report it", "the report holds a number that is none")
	}
	return b.Bytes(), err
}
