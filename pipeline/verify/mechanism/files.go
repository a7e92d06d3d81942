package mechanism

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckFiles compares hashes, sizes, rows and columns with the report. An
// input that is another file, as that of another night, is an error: nothing
// that is compared with it would say anything of the release.
func CheckFiles(ctx context.Context, v *document.View, f *document.Files) error {
	if f.In != nil && v.Report.Text("input.sha256") != "" && v.Report.Text("output.sha256") != "" {
		document.SumBoth(ctx, f.In, f.Out)
	}
	for _, k := range []struct {
		name string
		file *document.Opened
	}{{"input", f.In}, {"output", f.Out}} {
		hash := v.Report.Text(k.name + ".sha256")
		if k.file == nil {
			v.Skip(k.name+" hash", "no input")
			v.Leave(k.name+" file", "no input", k.name)
			continue
		}
		if how := v.Report.Option("hash"); hash == "" && how != "" && how != "none" {
			v.Seen(k.name + ".sha256")
			v.Add(k.name+" hash", false, "the report holds no hash, and its options say that there is one")
		} else if err := CheckHash(ctx, v, k.name, k.file); err != nil {
			return err
		} else if k.file == f.In && hash != "" && v.Checks[len(v.Checks)-1].Outcome == document.Failed {
			return another(f.In)
		}
		var w document.Faults
		ExpectFile(v, &w, k.name, k.file)
		if k.file == f.In && len(w) > 0 && hash == "" {
			return another(f.In)
		}
		v.Settle(k.name+" file", w, "%d rows, %d bytes, %s", k.file.Rows(), k.file.Size, k.file.Format())
	}
	checkColumns(v, f)
	return nil
}

// CheckHash compares the hash of a file, where the report has one.
func CheckHash(ctx context.Context, v *document.View, name string, file *document.Opened) error {
	if v.Report.Text(name+".sha256") == "" {
		var w document.Faults
		if v.Expect(&w, Figures{name + ".sha256": ""}); len(w) == 0 {
			v.Skip(name+" hash", "the report holds no hash")
			return nil
		}
	}
	sum, err := file.Sum(ctx)
	if err != nil {
		return err
	}
	var w document.Faults
	if v.Expect(&w, Figures{name + ".sha256": sum}); len(w) > 0 {
		w = document.Faults{"the file is another than the one that the report is about"}
	}
	v.Settle(name+" hash", w, "the file is, byte for byte, the one that the report is about")
	return nil
}

// ExpectFile compares size and format of a file.
func ExpectFile(v *document.View, w *document.Faults, name string, file *document.Opened) {
	v.Expect(w, Figures{name + ".rows": file.Rows(), name + ".bytes": file.Size, name + ".format": file.Format()})
	if name == "output" && v.Report.Has("output.order") {
		v.Expect(w, Figures{"output.order": "random"})
	}
	if file.Members != nil {
		v.Expect(w, Figures{name + ".files": len(file.Members)})
	}
	if file.Comma != 0 {
		v.Expect(w, Figures{name + ".dialect.delimiter": string(rune(file.Comma)), name + ".dialect.header": file.Header})
	}
}

// another says that the input is not the one that was privatized.
func another(in *document.Opened) error {
	return document.Errorf("name the file that was privatized, as it was then",
		"%s is another file than the input that the report is about", in.Path)
}

// checkColumns compares the columns of output, report and input.
func checkColumns(v *document.View, f *document.Files) {
	var w document.Faults
	private, kept, dropped := v.Report.Fate("privatized"), v.Report.Fate("published in clear"), v.Report.Fate("dropped")
	columns := v.Report.List("columns")
	var listed, left []string
	for _, c := range columns {
		if listed = append(listed, c.Text("name")); c.Text("fate") != "dropped" {
			left = append(left, c.Text("name"))
		}
	}
	redrawn := []string{v.Plan.Column}
	if of := v.Report.List("joint.columns"); len(of) > 0 {
		redrawn = nil
		for _, c := range of {
			redrawn = append(redrawn, c.Text("column"))
		}
		w.Match(slices.Contains(redrawn, v.Plan.Column), "the private columns")
	}
	together := slices.Sorted(slices.Values(private))
	slices.Sort(redrawn)
	w.Match(slices.Equal(together, redrawn) && len(private)+len(kept)+len(dropped) == len(listed),
		"the fate of the columns")
	v.Expect(&w, Figures{"columns": slices.Repeat([]Figures{{"name": some, "type": document.Text, "fate": some}},
		len(columns))})
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
	if v.Report.Shuffled() {
		putBack(v, f, redrawn)
		return
	}
	differ, err := f.Out.Same(f.In.File, redrawn)
	switch {
	case err != nil:
		v.Add(name, false, "the output %v", err)
	default:
		v.Add(name, len(differ) == 0, "%s", document.Either(len(differ) == 0,
			"every column published in clear is that of the input", "columns published in clear are not those of the input"))
	}
}

// Compare reads input and output side by side, unit by unit.
func Compare(ctx context.Context, v *document.View, f *document.Files) error {
	to, err := files.NewLetters(f.Out.Type(), v.Plan.Outputs)
	if err != nil {
		v.Add("alphabet", false, "the outputs of the plan are no values of the written column: %v", err)
		return nil
	}
	scan(v, f, to)
	var from *files.Letters
	if v.Report.Shuffled() {
		checkShuffledUnits(v, f)
		if f.In != nil && v.Back == nil {
			return nil // the rows are not those of the input
		}
	}
	units := f.Out.Units()
	if f.In != nil {
		if from, err = files.NewLetters(f.In.Type(), v.Plan.Inputs); err != nil {
			v.Add("counts", false, "the inputs of the plan are no values of the column: %v", err)
			return nil
		}
		if v.Back != nil {
			if err := unshuffled(ctx, v, f, from, to); err != nil {
				return err
			}
			units = f.Out.Units()
		} else if !slices.Equal(f.In.Units(), units) {
			v.Add("row groups", false, "the output has row groups or record batches of other sizes than the input: records "+
				"cannot be compared")
			return nil
		} else {
			v.Add("row groups", true, "%d row groups or record batches, of as many rows in both files", len(units))
		}
	}
	begin := func() *document.Tally {
		return document.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs), f.Out.Rows())
	}
	total := begin()
	err = document.EachUnit(len(units), begin,
		func(own *document.Tally, u int) error { return own.Unit(ctx, f, u, from, to) }, total.Merge)
	if err != nil {
		return err
	}
	v.Pairs = total
	return nil
}

// checkShuffledUnits holds row groups and record batches to sizes that say nothing of
// those of the input.
func checkShuffledUnits(v *document.View, f *document.Files) {
	units := f.Out.Units()
	if f.Out.Comma != 0 {
		return // a CSV file has none
	}
	ok := true
	for i, n := range units {
		ok = ok && (n == shuffledRows || i+1 == len(units) && n > 0 && n < shuffledRows)
	}
	v.Add("row groups", ok, "%d row groups or record batches, %s", len(units), document.Either(ok,
		"all of 131072 rows but the last", "which are not of 131072 rows each"))
}

// scan looks for what the output says of the column beyond its letters.
func scan(v *document.View, f *document.Files, to *files.Letters) {
	var keep []string
	if keys := v.Report.Option("keep-metadata"); keys != "" {
		keep = document.Names(keys)
	}
	for _, k := range f.Out.Scan(to, keep) {
		v.Add(k.Name, k.Passed, "%s", k.Detail)
	}
}
