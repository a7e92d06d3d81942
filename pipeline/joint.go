package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// jointFile is the report of all columns of a release together.
const jointFile = "joint.json"

// jointly computes what all parts tell together, and refuses more than a bound that was
// given. Nothing is drawn yet. One part tells together what its own report says: there are no
// figures and no file.
func jointly(ctx context.Context, o *request.Release, s *count.Input, all parts) (*report.Joint, error) {
	if len(all) == 1 {
		return nil, nil
	}
	cells, err := all.cross(ctx, s)
	if err != nil {
		return nil, err
	}
	joined := neighbours.Join(all.plans(), cells)
	if o.Joint != nil && !o.Joint.Admits(joined.Factor) {
		return nil, fault.New(fault.Privacy, "give smaller epsilons or a larger --joint-epsilon, lower the floors, or "+
			"leave a column out", "the columns together do not keep --joint-epsilon %s: they may tell %s nats (factor %s)",
			o.JointText, report.Nats(joined.Factor), report.FactorUp(joined.Factor))
	}
	if err := refusePatterns(o.Observed, joined.Patterns); err != nil {
		return nil, err
	}
	return joined.Tell(o.Joint), nil
}

// cross counts the combinations of letters of all parts.
func (all parts) cross(ctx context.Context, s *count.Input) ([]judge.Cell, error) {
	in, _ := records.AllAlphabets(all.drawn())
	crossing, err := neighbours.NewCrossing(in, all.groups(), s.Rows)
	if err != nil {
		return nil, err
	}
	return crossing.Cross(ctx, s, in, all.groupers())
}

// refusePatterns refuses nulls that stay where they give another column away, as
// a column that is published in clear is refused.
func refusePatterns(o request.Observed, all []neighbours.Pattern) error {
	var what, linked []string
	for _, p := range all {
		if !p.Refused || o.Audit == "off" || p.Allowed(all, o.AllowLinked) {
			continue
		}
		what = append(what, p.Says())
		for _, n := range p.By {
			if !slices.Contains(linked, n) {
				linked = append(linked, n)
			}
		}
	}
	if len(what) == 0 {
		return nil
	}
	names := strings.Join(linked, ",")
	return fault.New(fault.Privacy,
		fmt.Sprintf("randomize the nulls of %s with --null draw, leave a column out, or publish the nulls nevertheless "+
			"with --allow-linked %[1]s",
			names),
		"published nulls reveal another private column: %s", strings.Join(what, "; "))
}

// noOther refuses to leave reports of an earlier release of other columns beside those of
// this one.
func noOther(folder string, parts int) error {
	other := []string{jointFile, filepath.Join(request.PartFolder(0), jsonFile)}
	if parts > 1 {
		other = []string{jsonFile, filepath.Join(request.PartFolder(parts), jsonFile)}
	}
	for _, name := range other {
		path := store.In(folder, name)
		if _, err := os.Lstat(path); err == nil {
			return fault.New(fault.Usage, "give another folder with --report, or remove the file",
				"%s belongs to an earlier release of other private columns", path)
		}
	}
	return nil
}

// jointDocuments are joint.json, whose hash every report names from here on; none where
// there is one part.
func jointDocuments(at *place, reports []*report.Report) ([]publish.Document, error) {
	if len(reports) == 1 {
		return nil, nil
	}
	var data bytes.Buffer
	if err := report.JointOf(reports).WriteJSON(&data); err != nil {
		return nil, err
	}
	for _, rep := range reports {
		rep.JointHash = report.SubjectOf("", data.Bytes()).Digest.SHA256
	}
	return at.documents(at.o.Report, map[string][]byte{jointFile: data.Bytes()}), nil
}
