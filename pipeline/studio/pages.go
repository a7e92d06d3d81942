package studio

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

//go:embed studio.html studio.css studio.js
var files embed.FS

// newPages are the templates.
func newPages() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean":   report.Clean,
		"grouped": func(n any) string { return report.Grouped(fmt.Sprint(n)) },
		"names":   func(all []string) string { return report.Clean(report.And(all)) },
		"about":   func() [][2]string { return aboutFields },
		"has":     slices.Contains[[]string],
		"json":    quoted,
		"percent": percent,
		"times":   func() []string { return searchTimes },
		"rows":    func(n int64) string { return report.Several(n, "row", "rows") },
	}).ParseFS(files, "studio.html"))
}

// routes are all addresses. What changes something is posted; no address has a value, a
// name of a column or of a file.
func (s *studio) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.act(func(*http.Request) (string, error) { return s.reached(), nil }))
	m.HandleFunc("GET /{step}", s.page)
	for _, name := range []string{"studio.css", "studio.js"} {
		m.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, name) })
	}
	m.HandleFunc("GET /events", s.events)
	m.HandleFunc("GET /frontier", s.frontier)
	m.HandleFunc("GET /report", s.made(reportPage))
	m.HandleFunc("GET /get/{what}", s.made(s.download))
	for name, do := range map[string]func(*http.Request) (string, error){"open": s.openFile, "private": s.chooseColumn,
		"order": s.chooseOrder, "search": s.startSearch, "take": s.takePoint, "columns": s.takeColumns,
		"release": s.release, "sign-off": s.signOff, "cancel": s.cancel} {
		m.HandleFunc("POST /"+name, s.act(do))
	}
	for name, ask := range map[string]func(*http.Request) (any, error){"values": s.listed, "nearest": s.nearest,
		"words": s.inWords} {
		m.HandleFunc("POST /"+name, s.answer(ask))
	}
	return m
}

// to sends the browser to a page. The address is from that of the request.
func to(w http.ResponseWriter, step string) {
	w.Header().Set("Location", step)
	w.WriteHeader(http.StatusSeeOther)
}

// act does what a form asks for, and shows the page of the step that it is about.
func (s *studio) act(do func(*http.Request) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.PostFormValue("") // reads the form
		s.mu.Lock()
		defer s.mu.Unlock()
		step, err := do(r)
		if r.Method == http.MethodPost {
			s.failed[step] = err
		}
		to(w, step+anchors[step])
	}
}

// anchors are where pages are read on after a form.
var anchors = map[string]string{columnStep: "#try", chooseStep: "#columns"}

// answer tells a script what it asks for.
func (s *studio) answer(ask func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		v, err := ask(r)
		if err != nil {
			http.Error(w, fault.As(err).What, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
}

// cancel ends what goes on.
func (s *studio) cancel(*http.Request) (string, error) {
	if s.task == nil {
		return s.reached(), nil
	}
	s.task.cancel()
	return s.task.Step, nil
}

// steps are the pages in turn, with their titles.
var steps = [][2]string{{fileStep, "File"}, {columnStep, "Column and order"}, {chooseStep, "Choose"},
	{releaseStep, "Release"}}

// reaches reports whether what a page shows is there.
func (s *studio) reaches(step string) bool {
	switch step {
	case columnStep:
		return s.column(s.job.Column) != nil
	case chooseStep:
		return s.Built != nil
	case releaseStep:
		return s.Built != nil && s.job.Taken()
	}
	return step == fileStep
}

// reached is the last page that can be shown.
func (s *studio) reached() (last string) {
	for _, p := range steps {
		if s.reaches(p[0]) {
			last = p[0]
		}
	}
	return last
}

// A view is a page.
type view struct {
	*studio
	Step, Title  string
	Steps        [][2]string
	Reaches      func(string) bool
	Job          *job           // of the release that was made, where there is one
	Task         *task          // that the page waits for; nil for none
	Failed       []*fault.Fault // what went wrong
	Typed        []string       // the commands that do the same
	Yaml, Python string         // of the job
}

// Here is the working folder.
func (s *studio) Here() string { return s.folders.here }

// Files are those with these endings, of tables where none is given.
func (s *studio) Files(endings ...string) []string {
	if len(endings) == 0 {
		endings = tables
	}
	return s.folders.list(endings...)
}

// page shows a step.
func (s *studio) page(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	step := r.PathValue("step")
	at := slices.IndexFunc(steps, func(p [2]string) bool { return p[0] == step })
	if at < 0 {
		http.NotFound(w, r)
		return
	}
	if !s.reaches(step) {
		to(w, s.reached())
		return
	}
	v := &view{studio: s, Step: step, Title: steps[at][1], Steps: steps, Reaches: s.reaches, Job: &s.job}
	if s.task != nil && s.task.Step == step {
		v.Task = s.task
	}
	v.Failed = fault.Of(s.failed[step])
	if s.job.Column != "" {
		v.Yaml = s.job.yaml()
	}
	switch step {
	case fileStep:
		if s.Looked != nil {
			v.Typed = []string{typed([]string{"inspect", "--input", s.job.Input})}
		}
	case columnStep:
		v.Typed = []string{typed(s.words(s.job, "order", append(s.job.anyhow(), "--show", "A VALUE")...))}
	case chooseStep:
		v.Typed = []string{typed(s.searchWords(s.job))}
		if s.job.Taken() {
			v.Typed = append(v.Typed, typed([]string{"inspect", "--input", s.job.Input, "--column", s.job.Column, "--epsilon",
				s.job.Epsilon}))
		}
	case releaseStep:
		if s.Done != nil {
			v.Job = &s.Done.Job
		} else if v.Task == nil {
			s.job.Name = s.freeName()
		}
		v.Yaml, v.Python = v.Job.yaml(), v.Job.python(s.Looked.Format)
		v.Typed = []string{typed(s.words(*v.Job, "run"))}
	}
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, "studio.html", v); err != nil {
		http.Error(w, "this page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	b.WriteTo(w)
}
