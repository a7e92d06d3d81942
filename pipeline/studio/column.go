package studio

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// An arrangement is how the values of the column were put in order on the page.
type arrangement struct {
	How    string   `json:"how"`    // suggested, list, circle, groups, places, file, bins or any
	Order  []int    `json:"order"`  // of a list: the values by number
	Groups []string `json:"groups"` // of groups: that of each value
	Path   string   `json:"-"`      // of a file
	Form   string   `json:"-"`      // and what it holds
}

// chooseColumn makes a column the private one, and counts its values.
func (s *studio) chooseColumn(r *http.Request) (string, error) {
	name := r.PostFormValue("column")
	c := s.column(name)
	if c == nil {
		return fileStep, fault.New(fault.Input, "choose another", "this column cannot be private")
	}
	folder, err := s.folders.place(r.PostFormValue("folder"))
	if err != nil {
		return fileStep, err
	}
	before, _ := os.ReadFile(filepath.Join(folder, "job.yaml"))
	if all, _ := os.ReadDir(folder); len(all) > 0 && !strings.HasPrefix(string(before), ours) {
		return fileStep, fault.New(fault.Usage, "name one that is not there yet", "that folder holds other files")
	}
	s.forget()
	s.job.Column, s.job.Folder = name, s.folders.short(folder)
	if c.Nulls > 0 {
		s.job.Null = "draw"
	}
	s.job.Bins = c.Bins
	s.Chosen.How = "any"
	switch {
	case c.Bins != "":
		s.Chosen.How = "bins"
	case !c.New:
		s.Chosen.How = "suggested"
	case c.Values <= 12:
		s.Chosen.How = "list"
	case c.Values <= 500:
		s.Chosen.How = "groups"
	}
	j := s.job
	s.start(columnStep, "Counting the values", func(ctx context.Context, t *task) (func(), error) {
		built, err := s.order(ctx, t, j)
		return func() { s.Values = built }, err
	})
	return columnStep, nil
}

// column is the column of a name, nil where it cannot be private.
func (s *studio) column(name string) *inspect.Column {
	for i := 0; s.Looked != nil && i < len(s.Looked.Columns); i++ {
		if c := &s.Looked.Columns[i]; c.Name == name && c.Private {
			return c
		}
	}
	return nil
}

// chooseOrder takes how the values may stand for each other, and builds that order.
func (s *studio) chooseOrder(r *http.Request) (string, error) {
	c := s.column(s.job.Column)
	if c == nil {
		return fileStep, nil
	}
	a, j := arrangement{}, s.job
	if text := r.FormValue("arrangement"); text != "" {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return columnStep, fault.New(fault.Usage, "load the page again", "the page sent no arrangement of values")
		}
	}
	a.How, a.Path, a.Form = r.FormValue("how"), r.FormValue("path"), r.FormValue("form")
	if c.Nulls > 0 {
		j.Null = r.FormValue("null")
	}
	j.Bins, j.Utility = "", ""
	file, data := "", []byte(nil)
	switch a.How {
	case "suggested":
		j.Utility = c.Order
	case "bins":
		var err error
		if j.Bins, err = edges(r.FormValue("bins")); err != nil {
			return columnStep, err
		}
	case "list", "circle", "groups":
		if s.Values == nil {
			return columnStep, nil
		}
		labels := s.Values.Inputs.Label
		var err error
		if file, data, err = a.file(labels); err != nil {
			return columnStep, err
		}
		j.Utility = map[string]string{"list": "ordered:@", "circle": "circular:@", "groups": "hierarchy:"}[a.How] + j.in(file)
	case "places", "file":
		if a.How == "places" {
			a.Form = "positions"
		}
		if up, h, err := r.FormFile("upload"); err == nil {
			defer up.Close()
			if data, err = io.ReadAll(up); err != nil {
				return columnStep, err
			}
			file = "order" + filepath.Ext(filepath.Base(h.Filename))
			a.Path = j.in(file)
		}
		at := ":"
		if f, ok := utility.FormOf(a.Form); !ok || a.Path == "" {
			return columnStep, fault.New(fault.Usage, "choose one, or drop one on the field", "no file was chosen")
		} else if strings.Contains(f.Syntax, ":@FILE") {
			at = ":@"
		}
		j.Utility = a.Form + at + a.Path
	default:
		a.How, j.Utility = "any", "any"
	}
	s.job, s.Chosen, s.Built, s.Search, s.Judged, s.Done = j, a, nil, nil, nil, nil
	s.job.forget()
	j = s.job
	s.start(columnStep, "Checking the order", func(ctx context.Context, t *task) (func(), error) {
		if file != "" {
			if err := s.folders.write(j.in(file), data); err != nil {
				return nil, err
			}
		}
		built, err := s.order(ctx, t, j)
		return func() {
			if s.Built = built; j.Bins != "" {
				s.Values = built
			}
		}, err
	})
	return columnStep, nil
}

// file is the file of an arrangement of the labels.
func (a *arrangement) file(labels []string) (name string, data []byte, err error) {
	if a.How == "groups" {
		left := len(labels) - len(a.Groups)
		for _, g := range a.Groups {
			if strings.TrimSpace(g) == "" {
				left++
			}
		}
		if left != 0 {
			return "", nil, fault.New(fault.Input, "mark them, name a group and put them into it",
				"%s no group", report.Several(left, "value has", "values have"))
		}
		return "groups.csv", utility.Grouped(labels, a.Groups), nil
	}
	sorted := slices.Sorted(slices.Values(a.Order))
	for i, x := range sorted {
		if x != i || len(sorted) != len(labels) {
			return "", nil, fault.New(fault.Input, "load the page again", "the list does not have every value once")
		}
	}
	listed := make([]string, len(a.Order))
	for i, x := range a.Order {
		listed[i] = labels[x]
	}
	return "order.txt", utility.Listed(listed), nil
}

// edges are bins as the flag takes them: a rule, or edges by line or semicolon, whose
// numbers have English or German decimal signs.
func edges(text string) (string, error) {
	var out []string
	for _, e := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r;", r) }) {
		if e = strings.TrimSpace(e); e == "" {
			continue
		}
		rule, v, ok := strings.Cut(e, ":")
		if !ok || rule != "width" {
			rule, v = "", e
		}
		v, err := decimal(v)
		if err != nil {
			return "", err
		}
		if rule != "" {
			v = rule + ":" + v
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return "", fault.New(fault.Usage, "write one edge a line", "there are no edges of bins")
	}
	return strings.Join(out, ","), nil
}

var (
	marked    = regexp.MustCompile(`^[-+]?\d*[.,]\d+$`)
	thousands = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}[.,]\d{3}$`)
	grouped   = regexp.MustCompile(`^[-+]?\d{1,3}((,\d{3})+\.\d+|(\.\d{3})+,\d+)$`)
)

// decimal is a number with the decimal sign of flags; other text stays as it is. A sign
// that may also stand between thousands is not guessed at.
func decimal(text string) (string, error) {
	switch {
	case thousands.MatchString(text):
		whole := strings.NewReplacer(".", "", ",", "").Replace(text)
		return "", fault.New(fault.Usage, "write "+whole+", or "+text+"0", "%s is a thousand and more, or less", text)
	case grouped.MatchString(text):
		last := strings.LastIndexAny(text, ".,")
		return strings.NewReplacer(".", "", ",", "").Replace(text[:last]) + "." + text[last+1:], nil
	case marked.MatchString(text):
		return strings.Replace(text, ",", ".", 1), nil
	}
	return text, nil
}

// listed are the values as the page works on them.
func (s *studio) listed(*http.Request) (any, error) {
	if s.Values == nil {
		return nil, fault.New(fault.Input, "choose a column", "no values were counted")
	}
	return map[string]any{"labels": s.Values.Inputs.Label, "records": s.Values.Records, "order": s.Chosen.Order,
		"groups": s.Chosen.Groups}, nil
}

// nearest are the ten best replacements of a value by its number, with their places on the
// map, null where there is none.
func (s *studio) nearest(r *http.Request) (any, error) {
	var x int
	if err := json.NewDecoder(r.Body).Decode(&x); err != nil || s.Built == nil || x < 0 || x >= len(s.Built.Inputs.Label) {
		return nil, fault.New(fault.Usage, "load the page again", "there is no such value")
	}
	type near struct {
		Label string    `json:"label"`
		Worth string    `json:"worth"`
		At    []float64 `json:"at"`
	}
	var best []near
	labels, m := s.Built.Inputs.Label, mapOf(s.Built)
	for _, n := range s.Built.Nearest(x) {
		one := near{Label: report.Clean(n.Label.String()), Worth: report.Measured(n.Value, s.Built.Unit)}
		if m != nil && !n.Label.Null {
			one.At = m.at(slices.Index(labels, n.Label.Text))
		}
		best = append(best, one)
	}
	return map[string]any{"value": report.Clean(labels[x]), "at": m.at(x), "best": best}, nil
}

// Private is the column that was chosen, nil for none.
func (s *studio) Private() *inspect.Column { return s.column(s.job.Column) }

// Edges are those of its bins, one a line; "" where it takes none.
func (s *studio) Edges() string {
	if proposed := s.Private().Bins; proposed != "" {
		return strings.ReplaceAll(cmp.Or(s.job.Bins, proposed), ",", "\n")
	}
	return ""
}

// Forms are those of files of an order.
func (s *studio) Forms() (out []utility.Form) {
	for _, f := range utility.Forms() {
		if utility.Starts(f.Name + ":@FILE") {
			out = append(out, f)
		}
	}
	return out
}

// Map is that of the values, nil where there is none.
func (s *studio) Map() *atlas { return mapOf(s.Built) }
