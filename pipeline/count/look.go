package count

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A look is at what is asked, and at the columns of the input, nil where they cannot be read.
type look struct {
	*request.Options
	columns []table.Column
}

// Check is Options.Check with a look at the files: those that are not there, and columns
// that the input does not have, are told of with all else that is wrong, and what is
// missing gets an example of this input. A plan may say what is left out where one is followed.
func Check(o *request.Options, command string, planned bool) error {
	l := look{o, columnsOf(request.Reading{Path: cmp.Or(o.Input, here()), Delimiter: o.Delimiter, Header: o.Header,
		Since: o.Since, Own: o.Report})}
	faults := append(o.Faults(command, planned), l.absent()...)
	if o.Input != "" && l.columns != nil {
		faults = append(faults, l.unnamed()...)
	}
	for _, f := range faults {
		f.Hint = cmp.Or(l.example(f.Option), f.Hint)
		if f.Option == "utility" && strings.HasSuffix(f.Hint, alone) {
			f.More = nil
		}
	}
	return fault.Together(faults)
}

// absent are files that options name and that are not there.
func (l *look) absent() (out []*fault.Fault) {
	for _, n := range l.Existing() {
		if store.Is(n.Path) { // its store says so when it is opened
			continue
		}
		_, err := os.Stat(n.Path)
		if !errors.Is(err, fs.ErrNotExist) || n.Flag == "input" && dataset.Tree(n.Path) {
			continue
		}
		if n.Flag == "input" && n.Path == request.Standard {
			continue // which is read, or was refused
		}
		f := fault.Unreadable("--"+n.Flag, n.Path, err)
		if n.Flag == "input" {
			f.What = n.Path + " does not exist"
		}
		folder, name := filepath.Split(n.Path)
		if near := request.Meant(name, some(folder)); near != "" {
			f.Hint = "did you mean " + report.Shell(folder+near) + "?"
		} else if n.Flag == "utility" && l.Input != "" && l.Column != "" && utility.Starts(l.Utility) {
			f.Hint = "check the path given to --utility, or make a file to fill in: tacet order --input " +
				report.Shell(l.Input) + " --column " + report.Shell(l.Column) + " --new " + report.Shell(l.Utility)
		}
		out = append(out, f)
	}
	return out
}

// unnamed are columns that options name and the input does not have.
func (l *look) unnamed() (out []*fault.Fault) {
	names := table.Names(l.columns)
	for _, n := range l.Naming() {
		for _, name := range n.Names {
			if slices.Contains(names, name) {
				continue
			}
			class := fault.Input
			if slices.Contains([]string{"keep", "drop", "allow-linked"}, n.Flag) {
				class = fault.Usage
			}
			hint := "its columns are " + listed(names)
			if near := request.Meant(name, names); near != "" {
				hint = "did you mean " + report.Shell(near) + "? " + hint
			}
			out = append(out, fault.New(class, hint, "--%s: %s has no column %q", n.Flag, store.Plain(l.Input), name))
		}
	}
	return out
}

// columnsOf are the columns of a file, nil where it cannot be read: the step that reads
// it says why.
func columnsOf(r request.Reading) []table.Column {
	set, err := Find(context.Background(), r)
	if err != nil {
		return nil
	}
	content, err := set.Members[0].Open()
	if err != nil {
		return nil
	}
	defer content.Close()
	f, err := OpenFile(content, table.Request{Dialect: table.Dialect{Delimiter: r.Delimiter, Header: r.Header}})
	if err != nil {
		return nil
	}
	columns := f.Columns()
	for _, key := range set.KeyNames() {
		columns = append(columns, table.Column{Name: key})
	}
	return columns
}

// listed are names for people, the first of many.
func listed(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// alone ends the hint of an order that the values of any column of this type have.
const alone = "the nearer, the better"

// example is how an option that is missing may be given for this input, "" where that
// tells nothing.
func (l *look) example(option string) string {
	meant := l.Column
	if names := table.Names(l.columns); !slices.Contains(names, meant) {
		meant = request.Meant(meant, names)
	}
	at := slices.IndexFunc(l.columns, func(c table.Column) bool { return c.Name == meant })
	extension := filepath.Ext(store.Name(cmp.Or(l.Input, here())))
	switch {
	case option == "input" && here() != "":
		return "give --input " + report.Shell(here())
	case option == "column" && len(l.columns) > 0:
		return "give --column " + report.Shell(likely(l.columns)) + ", or another of its columns: " +
			listed(table.Names(l.columns))
	case option == "utility" && at >= 0 && ordered(l.columns[at].Type):
		return "say which value may replace which; for a column of type " + l.columns[at].Type + " --utility numeric: " +
			alone
	case option == "utility" && at >= 0 && binned(l.columns[at].Type):
		return "put the values into bins: --bins with edges such as 0,10,20,inf, or with a unit of time (tacet inspect " +
			"--input " + report.Shell(cmp.Or(l.Input, here())) + l.dialect() + " --column " + report.Shell(meant) +
			" proposes some): " + alone
	case option == "utility" && l.columns != nil:
		return "say which value may replace which: --utility with one of these; tacet inspect --input " +
			report.Shell(cmp.Or(l.Input, here())) + l.dialect() + " says which suits"
	case option == "output" && len(extension) > 1:
		return "give --output published" + report.Shell(extension)
	}
	return ""
}

// dialect are the flags that say how a CSV file is written, as they were given.
func (l *look) dialect() (flags string) {
	if l.Delimiter != "" {
		flags = " --csv-delimiter " + report.Shell(l.Delimiter)
	}
	if l.Header != "" && l.Header != "auto" {
		flags += " --csv-header " + report.Shell(l.Header)
	}
	return flags
}

// likely is the first column that is text, or else the first.
func likely(columns []table.Column) string {
	text := slices.IndexFunc(columns, func(c table.Column) bool { return strings.Contains(c.Type, "string") })
	return columns[max(text, 0)].Name
}

// ordered reports whether a type, as people read it, is of whole numbers or dates.
func ordered(kind string) bool {
	return strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint") || strings.HasPrefix(kind, "date")
}

// binned reports whether the values of a type are taken in bins alone.
func binned(kind string) bool {
	return slices.ContainsFunc([]string{"float", "double", "halffloat", "decimal", "timestamp"}, func(of string) bool {
		return strings.HasPrefix(kind, of)
	})
}

// here is the first file in the working folder that is named like an input, "" where
// there is none. A CSV file may be an order or a list: it comes last.
func here() string {
	names := some("")
	for _, like := range [][]string{{".parquet", ".arrow", ".feather"}, {".csv"}} {
		at := slices.IndexFunc(names, func(name string) bool { return slices.Contains(like, filepath.Ext(name)) })
		if at >= 0 {
			return names[at]
		}
	}
	return ""
}

// some are names in a folder, not all of those of a large one.
func some(folder string) []string {
	const most = 1000
	f, err := os.Open(cmp.Or(folder, "."))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(most) // what is not read is not proposed
	slices.Sort(names)
	return names
}
