package verify

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
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
	statement, _ := stating(q.Report, false)
	list, err := readList(filepath.Join(filepath.Dir(statement), report.ListFile))
	if err != nil {
		return err
	}
	if _, many, err := q.find(ctx, q.Output, "--output"); many && err == nil {
		return kernel.Errorf("give that file with --output", "%s is a folder, and --file asks for one file", q.Output)
	}
	one, err := openFile(ctx, q, q.Output, "--output", files.Dialect{}, func(io.ReaderAt, int64) (files.File, error) {
		return nil, nil
	})
	if err != nil {
		return err
	}
	defer one.close()
	if err := one.hash(ctx); err != nil {
		return err
	}
	all := &opened{members: []files.Member{}}
	for _, row := range list {
		all.members, all.sums = append(all.members, files.Member{Rel: row[0]}), append(all.sums, row[5])
	}
	whole := all.sum() == told.Output.SHA256
	v.Add("list of files", whole, "the hash of %d files in %s is %s of the output", len(list), report.ListFile,
		either(whole, "that", "not that"))
	at := slices.IndexFunc(list, func(row []string) bool { return row[0] == q.File })
	same := at >= 0 && slices.Equal(list[at][4:], []string{strconv.FormatInt(one.size, 10), one.sums[0]})
	v.Add("file", same, "%s is %s file that %s lists as %q", one.path, either(same, "the", "not the"), report.ListFile, q.File)
	v.Skip("all else", "--file asks for one file")
	return nil
}
