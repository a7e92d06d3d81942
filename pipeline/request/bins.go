package request

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// maxBins bounds a file of edges, in bytes.
const maxBins = 4 << 20

// Binning are the bins that --bins asks for. @FILE has the edges, one a line or with
// commas between them; a line that begins with # is for people.
func (o *Options) Binning() (spec string, err error) {
	text := o.Bins
	if path := o.BinsFile(); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fault.Unreadable("--bins", path, err)
		}
		if len(data) > maxBins || !utf8.Valid(data) {
			return "", fault.New(fault.Input, "write one edge a line", "--bins: %s is no list of edges", path)
		}
		lines := strings.FieldsFunc(strings.TrimPrefix(string(data), "\ufeff"), func(r rune) bool {
			return r == '\n' || r == '\r'
		})
		text = strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#") }), ",")
	}
	spec, err = plan.ParseBins(text)
	if err != nil {
		hint := "give edges such as 0,10,20, width:10, or month"
		if told, ok := err.(interface{ Advice() string }); ok {
			hint = cmp.Or(told.Advice(), hint)
		}
		return "", fault.New(fault.Usage, hint, "--bins: %v", err)
	}
	return spec, nil
}

// BinsFile is the file that --bins names, "" where it names none.
func (o *Options) BinsFile() string {
	path, ok := strings.CutPrefix(o.Bins, "@")
	if !ok {
		return ""
	}
	return path
}

// DomainFile is the file that --domain names, "" where it names none: --domain bins are
// all bins of a list.
func (o *Options) DomainFile() string {
	if o.Domain == AllBins {
		return ""
	}
	return o.Domain
}

// AllBins is what --domain says for all bins, whether records lie in them or not.
const AllBins = "bins"

// order is the utility spec that is given; of bins, the order in which they lie stands
// for none.
func (o *Options) order() string {
	if o.Utility == "" && o.Bins != "" {
		return utility.InBins
	}
	return o.Utility
}
