package request

import "github.com/tacet-privacy/tacet/pipeline/utility"

// OrderFile is the file that the utility spec names, "" where it names none.
func (o *Options) OrderFile() string { return utility.FileOf(o.Utility) }

// Reads names the files beside the input that the user has written or keeps,
// which no output may replace. Those of an earlier release are not among
// them: a plan and a report may be followed by new ones in their place.
func (o *Options) Reads() (paths []string) {
	for _, p := range []string{o.OrderFile(), o.Labels, o.Domain, o.Prior, o.BinsFile(), o.KeyFile, o.Sign, o.Mechanism, o.Group} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}
