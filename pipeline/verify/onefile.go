package verify

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkFile holds one output of a data set to the list of all, and the list to the report. It reads no other.
func (v *Result) checkFile(ctx context.Context, q Request, data []byte) error {
	var told struct {
		Output struct {
			SHA256 string `json:"sha256"`
			Files  int    `json:"files"`
		} `json:"output"`
	}
	if err := json.Unmarshal(data, &told); err != nil || told.Output.Files == 0 {
		return kernel.Errorf("leave --file out", "%s is not of many files", q.Report)
	}
	list, err := q.list()
	if err != nil {
		return err
	}
	one, err := q.locate(ctx, q.Output, "--output")
	if err != nil {
		return err
	}
	defer one.close()
	if one.set.Tree {
		return kernel.Errorf("give that file with --output", "%s is a folder, and --file asks for one file", q.Output)
	}
	sum, err := one.sum(ctx)
	if err != nil {
		return err
	}
	all, sums := dataset.Set{Tree: true}, []string{""}
	for i, f := range list {
		all.Members, sums = append(all.Members, dataset.Member{Rel: f.Path}), append(sums[:i], f.OutSHA256)
	}
	whole := told.Output.SHA256 != "" && all.Hash(sums) == told.Output.SHA256
	v.Add("list of files", whole, "the hash of %d files in %s is %s of the output", len(list), report.ListFile,
		kernel.Either(whole, "that", "not that"))
	at := slices.IndexFunc(list, func(f report.Listed) bool { return f.Path == q.File })
	same := at >= 0 && list[at].OutBytes == one.size && list[at].OutSHA256 == sum
	v.Add("file", same, "%s is %s file that %s lists as %q", one.path, kernel.Either(same, "the", "not the"),
		report.ListFile, q.File)
	v.Skip("all else", "--file asks for one file")
	return nil
}
