package verify

import (
	"context"
	"encoding/json"
	"slices"
)

// A publicFile is public/report.json as docs/files.md describes it: it holds
// nothing that tells of counts, so little of it can be recomputed.
type publicFile struct {
	Schema  string      `json:"schema"`
	Version string      `json:"version"`
	Stamp   string      `json:"stamp"`
	About   *aboutClaim `json:"about"`
	Column  string      `json:"column"`
	Given   string      `json:"given"`
	Rows    int64       `json:"rows"`
	Columns []struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Fate string `json:"fate"`
	} `json:"columns"`
	Dropped  []string        `json:"dropped"`
	Kept     bool            `json:"kept"`
	Domain   json.RawMessage `json:"domain"`
	Order    json.RawMessage `json:"order"`
	Declared json.RawMessage `json:"declared"`
	Target   string          `json:"target"`
	Factor   float64         `json:"target_factor"`
	Floor    json.RawMessage `json:"floor"`
	Design   string          `json:"design"`
	Grid     []gridClaim     `json:"grid"`
	Draws    json.RawMessage `json:"randomness"`
	Output   struct {
		Name string `json:"name"`
		fileClaim
	} `json:"output"`
	Changes json.RawMessage `json:"difference"`
}

func (*publicFile) format() string { return publicFormat }

const publicFormat = "tacet.public-report/v1"

// checkPublic makes the checks that a public report allows.
func (v *verifier) checkPublic(ctx context.Context, q Request, data []byte) error {
	p := &publicFile{}
	if err := decode(data, q.Report, p); err != nil {
		return err
	}
	q.Input = ""
	files, err := openFiles(q, p.Column)
	if err != nil {
		return err
	}
	defer files.close()
	sum, err := files.out.sum(ctx)
	if err != nil {
		return err
	}
	if p.Output.SHA256 == "" {
		v.skip("output hash", "the report holds no hash")
	} else {
		v.add("output hash", sum == p.Output.SHA256, "%s", either(sum == p.Output.SHA256,
			"the file is, byte for byte, the one that the report is about", "the file is another than the one that the report is about"))
	}
	var w wrong
	w.match(p.Output.Rows == files.out.rows() && p.Rows == p.Output.Rows, "the number of rows")
	w.match(p.Output.Bytes == files.out.size, "the number of bytes")
	w.match(p.Output.Format == files.out.Format(), "the format")
	v.settle("output file", w, "%d rows, %d bytes, %s", files.out.rows(), files.out.size, files.out.Format())

	w = nil
	var left, private []string
	for _, c := range p.Columns {
		if left = append(left, c.Name); c.Fate == "privatized" {
			private = append(private, c.Name)
		} else if c.Fate != "published in clear" {
			w.addf("a column is neither privatized nor published in clear")
		}
	}
	w.match(slices.Equal(private, []string{p.Column}), "the private column")
	if !slices.Equal(files.out.Columns(), left) {
		w.addf("the output has other columns than the report says")
	}
	v.settle("columns", w, "%d privatized, %d published in clear", len(private), len(left)-len(private))
	w = nil
	w.checkGrid(p.Target, p.Factor, p.Grid)
	v.settle("caps", w, "e^epsilon, and min(1, e^epsilon p) of %d shares", len(p.Grid))
	v.add("report", p.Stamp == "" || p.Stamp == "NOT A PRIVATE RELEASE", "%s", either(p.Stamp == "", "public; not stamped", "public; stamped "+p.Stamp))
	v.skip("all else", "a public report holds no plan: counts, floor, factors and fit need the internal one")
	return nil
}
