package written

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckFiles compares hashes, sizes, rows and columns with the report.
func CheckFiles(ctx context.Context, v *subject.View, f *pair.Files) error {
	for _, k := range []struct {
		name  string
		file  *pair.Opened
		claim document.FileClaim
	}{{"input", f.In, v.Report.Input}, {"output", f.Out, v.Report.Output}} {
		if k.file == nil {
			v.Skip(k.name+" hash", "no input")
			v.Skip(k.name+" file", "no input")
			continue
		}
		if how := v.Report.Option("hash"); k.claim.SHA256 == "" && how != "" && how != "none" {
			v.Add(k.name+" hash", false, "the report holds no hash, and its options say that there is one")
		} else if k.claim.SHA256 == "" {
			v.Skip(k.name+" hash", "the report holds no hash")
		} else {
			sum, err := k.file.Sum(ctx)
			if err != nil {
				return err
			}
			v.Add(k.name+" hash", digest.Is(sum) && sum == k.claim.SHA256, "%s", verdict.Either(sum == k.claim.SHA256,
				"the file is, byte for byte, the one that the report is about", "the file is another than the one that the report is about"))
		}
		var w verdict.Faults
		w.Match(k.claim.Rows == k.file.Rows(), "the number of rows")
		w.Match(k.claim.Bytes == k.file.Size, "the number of bytes")
		w.Match(k.claim.Format == k.file.Format(), "the format")
		v.Settle(k.name+" file", w, "%d rows, %d bytes, %s", k.file.Rows(), k.file.Size, k.file.Format())
	}
	checkColumns(v, f)
	return nil
}

// checkColumns compares the columns of output, report and input.
func checkColumns(v *subject.View, f *pair.Files) {
	var w verdict.Faults
	private, kept, dropped := v.Report.Fate("privatized"), v.Report.Fate("published in clear"), v.Report.Fate("dropped")
	var listed, left []string
	for _, c := range v.Report.Columns {
		if listed = append(listed, c.Name); c.Fate != "dropped" {
			left = append(left, c.Name)
		}
	}
	redrawn := []string{v.Plan.Column}
	if j := v.Report.Joint; j != nil {
		redrawn = j.Names()
		w.Match(slices.Contains(redrawn, v.Plan.Column), "the private columns")
	}
	together := slices.Clone(private)
	slices.Sort(together)
	slices.Sort(redrawn)
	w.Match(slices.Equal(together, redrawn) && len(private)+len(kept)+len(dropped) == len(listed), "the fate of the columns")
	if !slices.Equal(f.Out.Columns(), left) {
		w.Addf("the output has other columns than the report says")
	}
	if f.In != nil && !slices.Equal(f.In.Columns(), listed) {
		w.Addf("the input has other columns than the report says")
	}
	v.Settle("columns", w, "%d privatized, %d published in clear, %d dropped", len(private), len(kept), len(dropped))
	const name = "copied columns"
	if f.In == nil {
		v.Skip(name, "no input")
		return
	}
	differ, err := f.Out.Same(f.In.File, redrawn)
	switch {
	case err != nil:
		v.Add(name, false, "the output %v", err)
	default:
		v.Add(name, len(differ) == 0, "%s", verdict.Either(len(differ) == 0, "every column published in clear is that of the input", "columns published in clear are not those of the input"))
	}
}
