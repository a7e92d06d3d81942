package request

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// OrderFile is the file that the utility spec names, "" where it names none.
func (o *Options) OrderFile() string { return utility.FileOf(o.Utility) }

// Reads names the files beside the input that the user has written or keeps,
// which no output may replace. Those of an earlier release are not among
// them: a plan and a report may be followed by new ones in their place.
func (o *Options) Reads() (paths []string) {
	for _, p := range []string{o.OrderFile(), o.Labels, o.DomainFile(), o.Prior, o.BinsFile(), o.KeyFile, o.RunKey, o.Sign,
		o.Mechanism, o.Group} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// Existing are the files that options name and that have to be there.
func (o *Options) Existing() []Named {
	all := []Named{{"input", o.Input}, {"utility", o.OrderFile()}, {"labels", o.Labels}, {"domain", o.DomainFile()},
		{"prior", o.Prior}, {"plan", o.Plan}, {"mechanism", o.Mechanism}, {"group", o.Group}}
	for _, c := range o.Counts {
		all = append(all, Named{"counts", strings.TrimPrefix(c, "@")})
	}
	return slices.DeleteFunc(all, func(n Named) bool { return n.Path == "" })
}

// counted are the files of counts: those given, and those that a list @FILE names, one a
// line, from the folder of the list.
func (o *Options) counted() (paths []string, err error) {
	for _, given := range o.Counts {
		list, ok := strings.CutPrefix(given, "@")
		if !ok {
			paths = append(paths, given)
			continue
		}
		data, err := os.ReadFile(list)
		if err != nil {
			return nil, fault.Unreadable("--counts", list, err)
		}
		before := len(paths)
		for line := range strings.Lines(string(data)) {
			switch name := strings.TrimRight(line, "\r\n"); {
			case name == "":
			case filepath.IsAbs(name):
				paths = append(paths, name)
			default:
				paths = append(paths, filepath.Join(filepath.Dir(list), name))
			}
		}
		if len(paths) == before {
			return nil, fault.New(fault.Input, "write the paths of files that tacet estimate wrote, one a line",
				"%s names no file of counts", list)
		}
	}
	return paths, nil
}

// A Naming is what an option says of columns of the input.
type Naming struct {
	Flag  string
	Names []string
}

// Naming are the columns that options name.
func (o *Options) Naming() []Naming {
	conditions, _ := o.Conditions()
	all := []Naming{{"column", []string{o.Column}}, {"keep", o.Keep}, {"drop", o.Drop}, {"allow-linked", o.AllowLinked},
		{"record-id", o.RecordID}, {"person", []string{o.Person}}, {"strata", []string{o.Strata}}, {"by", o.By},
		{"where", conditions}, {"clusters", []string{o.Clusters}}}
	for i := range all {
		all[i].Names = slices.DeleteFunc(slices.Clone(all[i].Names), func(n string) bool { return n == "" })
	}
	return all
}
