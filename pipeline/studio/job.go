package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A job is what was chosen so far. Paths are as they are typed in the working folder.
type job struct {
	Input, Delimiter, Header string
	Column, Null             string
	Bins, Utility            string

	Epsilon, Shift        string // "" until a point is taken
	FloorRank, FloorValue string // at most one is given
	Time                  string // for a search
	Drop                  []string

	Folder, Name string // of what is made, and of the file that is published there
	Sign         string // key file, "" for none
	About        map[string]string
}

// aboutFields are the keys of about: that the page asks for, with their labels.
var aboutFields = [][2]string{{"owner", "Who answers for the data"}, {"contact", "How they are reached"},
	{"purpose", "What it is published for"}, {"recipients", "Who gets it"}, {"access", "How: open, licensed, on request"},
	{"terms", "What they agree to"}, {"why_column", "Why this column is published"}, {"why_detail", "Why in this detail"},
	{"row", "What one row is"}, {"persons", "Rows one person may have"}, {"data_from", "First date of the data"},
	{"data_to", "Last date of the data"}, {"release", "Name of the release"}, {"date", "Its date"},
	{"series", "Once, or how often"}, {"next_review", "Date of the next review"}, {"preparer", "Who prepared it"},
	{"reviewer", "Who looked at it"}, {"approver", "Who may approve it"}}

func (j *job) in(name string) string { return filepath.Join(j.Folder, name) }
func (j *job) path() string          { return j.in("job.yaml") }
func (j *job) output() string        { return j.in(j.Name) }
func (j *job) report() string        { return request.ReportOf(j.output()) }
func (j *job) frontier() string      { return j.in("frontier.html") }
func (j *job) Taken() bool           { return j.Epsilon != "" }

// forget takes back the point that was taken.
func (j *job) forget() { j.Epsilon, j.Shift, j.FloorRank, j.FloorValue = "", "", "", "" }

// options are the job by key, with values as JSON, which YAML reads.
func (j *job) options() (out [][2]string) {
	add := func(key string, given bool, value any) {
		if given {
			out = append(out, [2]string{key, quoted(value)})
		}
	}
	text := func(key, value string) { add(key, value != "", value) }
	text("input", j.Input)
	text("csv-delimiter", j.Delimiter)
	text("csv-header", j.Header)
	text("column", j.Column)
	text("null", j.Null)
	text("bins", j.Bins)
	text("utility", j.Utility)
	text("solve-time", j.Time)
	text("epsilon", j.Epsilon)
	text("max-shift", j.Shift)
	add("floor-rank", j.FloorRank != "", json.Number(j.FloorRank))
	add("floor-value", j.FloorValue != "", json.Number(j.FloorValue))
	add("drop", len(j.Drop) > 0, j.Drop)
	text("sign", j.Sign)
	text("output", j.output())
	text("report", j.report())
	return out
}

func quoted(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(value)
	return strings.TrimSpace(b.String())
}

// ours begins a job file in a folder whose files may be replaced.
const ours = "# Written by tacet studio.\n"

// yaml is the job file.
func (j *job) yaml() string {
	var b strings.Builder
	b.WriteString(ours)
	for _, o := range j.options() {
		fmt.Fprintf(&b, "%s: %s\n", o[0], o[1])
	}
	said := ""
	for _, f := range aboutFields {
		if v := j.About[f[0]]; v != "" {
			said += fmt.Sprintf("  %s: %s\n", f[0], quoted(v))
		}
	}
	if said != "" {
		b.WriteString("about:\n" + said)
	}
	return b.String()
}

// python is the release as Python makes it.
func (j *job) python(format string) string {
	read := map[string]string{"parquet": "pd.read_parquet(%s)", "arrow": "pd.read_feather(%s)",
		"csv": "pd.read_csv(%s, dtype=\"string\", keep_default_na=False, na_values=[\"\"])"}[format]
	if d := j.Delimiter; d != "" {
		read = strings.Replace(read, ", dtype", ", sep="+quoted(d)+", dtype", 1)
	}
	lines := []string{"import pandas as pd, tacet\n", "df = " + fmt.Sprintf(read, quoted(j.Input)),
		"r = tacet.privatize(df"}
	for _, o := range j.options() {
		switch o[0] {
		case "input", "csv-delimiter", "csv-header", "output", "report":
			continue
		}
		value := o[1]
		if value == "true" {
			value = "True"
		}
		lines[2] += ",\n    " + strings.ReplaceAll(o[0], "-", "_") + "=" + value
	}
	if len(j.About) > 0 {
		lines[2] += ",\n    about=" + quoted(j.About)
	}
	return strings.Join(append(lines[:2], lines[2]+")", "r.save("+quoted(j.report())+")"), "\n") + "\n"
}

// words are a command of the job, without the program's name.
func (s *studio) words(j job, command string, more ...string) []string {
	words := append([]string{command, "--config", j.path()}, more...)
	if s.TestSeed != "" && command == "run" {
		words = append(words, "--test-seed", s.TestSeed)
	}
	return words
}

// typed is a command as it is typed.
func typed(words []string) string {
	line := "tacet"
	for _, w := range words {
		line += " " + report.Shell(w)
	}
	return line
}

// ask writes the job file, once what it names has been looked at, and reads the options of
// a command of it.
func (s *studio) ask(ctx context.Context, t *task, j job, words []string) (*request.Options, error) {
	reads := append((&request.Options{Utility: j.Utility, Bins: j.Bins, Sign: j.Sign}).Reads(), j.Input)
	for _, path := range reads {
		if _, _, err := s.folders.file(path); err != nil {
			return nil, err
		}
	}
	for _, path := range []string{j.output(), j.report()} {
		if _, err := s.folders.place(path); err != nil {
			return nil, err
		}
	}
	if err := s.unchanged(j); err != nil {
		return nil, err
	}
	if err := s.folders.write(j.path(), []byte(j.yaml())); err != nil {
		return nil, err
	}
	o, err := s.Options(ctx, words)
	if err != nil {
		return nil, err
	}
	o.Progress = t.show
	return o, nil
}

// order opens the order of the job.
func (s *studio) order(ctx context.Context, t *task, j job) (*pipeline.Built, error) {
	o, err := s.ask(ctx, t, j, s.words(j, "order", j.anyhow()...))
	if err != nil {
		return nil, err
	}
	opened, err := pipeline.OpenOrder(*o)
	if err != nil {
		return nil, err
	}
	return opened.Build(ctx)
}

// anyhow orders values in no way until an order is chosen.
func (j *job) anyhow() []string {
	if j.Utility == "" && j.Bins == "" {
		return []string{"--utility", "any"}
	}
	return nil
}

// unchanged refuses a file that is another than was looked at.
func (s *studio) unchanged(j job) error {
	_, now, err := s.folders.file(j.Input)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if then := s.stamp; then != nil && (!os.SameFile(now, then) || now.Size() != then.Size() ||
		!now.ModTime().Equal(then.ModTime())) {
		return fault.New(fault.Environment, "look at it again, and choose anew", "%s has changed since it was looked at",
			report.Shell(j.Input))
	}
	return nil
}
