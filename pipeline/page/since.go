package page

import (
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Before reads the report of the release before, nil where none is given. It
// is read before anything is written: it may be the one that is overwritten.
func Before(path string, columns int) (*report.Report, error) {
	switch {
	case path == "":
		return nil, nil
	case columns > 1:
		return nil, fault.New(fault.Usage, "compare the reports one by one with tacet report --previous",
			"--previous is for one private column, and %d are given", columns)
	}
	t, err := readTelling(path, "--previous", "")
	if err != nil {
		return nil, err
	}
	if t.Internal == nil {
		return nil, fault.New(fault.Input, "give the report.json beside the plan",
			"%s is a public report: it holds nothing internal to compare with", path)
	}
	return t.Internal, nil
}

// Since notes in a report what differs from the one before. The public views
// stay as they are: the report before may never have been public.
func Since(r, before *report.Report) {
	if before != nil {
		Telling{Internal: r}.since(Telling{Internal: before})
	}
}
