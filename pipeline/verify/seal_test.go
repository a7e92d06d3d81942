package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// save writes the documents as they are now. A forger who knows how makes
// every hash fit again.
func (r *release) save(t *testing.T, forge bool) {
	t.Helper()
	if r.ledger != "" {
		r.saveReport(t, forge)
		return
	}
	if forge {
		sum := hexSum(r.order)
		at(r.plan, "order")["sha256"], at(r.report, "order")["sha256"] = sum, sum
		r.redesign()
	}
	plan := []byte("{\n")
	for name, v := range r.plan {
		if name != "plan_sha256" {
			plan = fmt.Appendf(plan, "%q: %s,\n", name, encoded(t, v))
		}
	}
	if forge {
		r.plan["plan_sha256"] = hexSum(plan)
		at(r.report, "plan")["plan_sha256"] = r.plan["plan_sha256"]
	}
	plan = fmt.Appendf(plan, "\"plan_sha256\": %q\n}\n", r.plan["plan_sha256"])
	must(t, os.WriteFile(r.path("plan.json"), plan, 0o600))
	must(t, os.WriteFile(r.path("order.csv"), r.order, 0o600))
	r.saveReport(t, forge)
}

// saveReport leaves plan and order as they are.
func (r *release) saveReport(t *testing.T, forge bool) {
	t.Helper()
	if forge {
		out := []byte(mustRead(t, r.output))
		at(r.report, "output")["sha256"], at(r.report, "output")["bytes"] = hexSum(out), len(out)
	}
	must(t, os.WriteFile(r.path("report.json"), asWritten(t, r.report), 0o600))
	restate(t, r.path(""))
}

// asWritten is a report as a run writes it, where it can be one: a forger leaves no
// contradiction there.
func asWritten(t *testing.T, of map[string]any) []byte {
	t.Helper()
	data := encoded(t, of)
	for schema, to := range map[string]interface{ WriteJSON(io.Writer) error }{report.Schema: &report.Report{},
		report.PublicSchema: &report.Public{}, report.JointSchema: &report.JointFile{}} {
		if of["schema"] != schema || json.Unmarshal(data, to) != nil {
			continue
		}
		var written bytes.Buffer
		must(t, to.WriteJSON(&written))
		if bytes.Equal(encoded(t, decoded(t, written.String())), data) {
			return written.Bytes()
		}
	}
	return data
}

// restate writes the statements of the files that stand in a folder, as one
// does who knows how: without the signing key, that is all a forger can do.
func restate(t *testing.T, folder string) {
	t.Helper()
	var told struct {
		Stated struct{ Version, Stamp string } `json:"stated"`
		Input  struct{ SHA256 string }         `json:"input"`
		Output struct{ SHA256 string }         `json:"output"`
	}
	must(t, json.Unmarshal([]byte(mustRead(t, filepath.Join(folder, firstReport(folder)))), &told))
	var files []report.Subject
	must(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), report.StatementFile) {
			return err
		}
		name, err := filepath.Rel(folder, path)
		must(t, err)
		files = append(files, report.SubjectOf(name, []byte(mustRead(t, path))))
		return nil
	}))
	output := report.Subject{Name: "out", Digest: report.FileHash{SHA256: told.Output.SHA256}}
	inside := report.NewStatement(told.Stated.Version, told.Stated.Stamp, output,
		report.Subject{Name: "in", Digest: report.FileHash{SHA256: told.Input.SHA256}}, files)
	internal, err := inside.Encode()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, report.StatementFile), internal, 0o600))
	outside := inside.Open()
	secret, _ := hex.DecodeString(strings.TrimSpace(mustRead(t, filepath.Join(folder, report.CommitmentFile))))
	outside.Commit(internal, secret)
	public, err := outside.Encode()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "public", report.StatementFile), public, 0o600))
}

// redesign puts the hash of the rows wherever it stands.
func (r *release) redesign() {
	r.plan["design_sha256"] = r.designSum()
	at(r.report, "plan")["design_sha256"] = r.plan["design_sha256"]
}

// designSum is what docs/files.md says of design_sha256; as it was where the plan does not
// hold the rows.
func (r *release) designSum() string {
	var s []byte
	put := func(n uint64) { s = binary.BigEndian.AppendUint64(s, n) }
	each := func(of any, f func(any)) {
		list, _ := of.([]any)
		put(uint64(len(list)))
		for _, e := range list {
			f(e)
		}
	}
	labels := func(of any) []any {
		each(of, func(l any) {
			if text, ok := l.(string); ok {
				s = append(s, 1)
				put(uint64(len(text)))
				s = append(s, text...)
			} else {
				s = append(s, 0)
			}
		})
		list, _ := of.([]any)
		return list
	}
	inputs := labels(r.plan["inputs"])
	outputs := labels(r.plan["outputs"])
	row := func(of any) {
		m := of.(map[string]any)
		put(numberOf(m["total"]))
		each(m["outputs"], func(c any) {
			put(uint64(slices.Index(outputs, c.([]any)[0])))
			put(numberOf(c.([]any)[1]))
		})
	}
	laws := func(of any) { each(of.(map[string]any)["rows"], row) }
	mechanisms, _ := r.plan["mechanisms"].([]any)
	given, _ := r.plan["strata"].(map[string]any)
	switch {
	case given != nil:
		put(math.MaxUint64)
		labels([]any{given["of"], ""})
		each(r.plan["mechanisms"], laws)
		each(r.plan["groups"], func(of any) {
			g := of.(map[string]any)
			put(numberOf(g["mechanism"]))
			put(map[bool]uint64{true: 1}[g["rest"] == true])
			labels(g["strata"])
		})
	case len(mechanisms) == 0:
		put(0)
	case r.law()["rows"] != nil:
		laws(mechanisms[0])
	case r.law()["blocks"] != nil:
		put(math.MaxUint64 - 1)
		each(r.law()["blocks"], func(of any) {
			each(of.(map[string]any)["inputs"], func(l any) { put(uint64(slices.Index(inputs, l))) })
			row(of)
		})
	default:
		was, _ := r.plan["design_sha256"].(string)
		return was
	}
	return hexSum(s)
}

// numberOf is a whole number of a plan, 0 where there is none.
func numberOf(v any) uint64 {
	n, _ := new(big.Int).SetString(fmt.Sprint(v), 10)
	if n == nil || !n.IsUint64() {
		return 0
	}
	return n.Uint64()
}

func hexSum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// retell tells everything anew from report.json as a publisher can who has this program's
// source: the claims follow from the figures, the public report, and every view
// from the claims, and the statements are of the files as they are then.
func retell(t *testing.T, folder string) {
	t.Helper()
	defer restate(t, folder)
	defer func() { _ = recover() }() // of a report that no run can have made there are no other words
	told, _, err := report.Read([]byte(mustRead(t, filepath.Join(folder, "report.json"))))
	if err != nil {
		return // it is no report any more
	}
	account.Claim(told)
	formats := map[string]string{".json": "json", ".html": "html", ".txt": "text"}
	for within, v := range map[string]page.Telling{"": {Internal: told}, "public": {Public: told.Publish()}} {
		paths, err := filepath.Glob(filepath.Join(folder, within, "report.*"))
		must(t, err)
		var wanted []string
		for _, path := range paths {
			wanted = append(wanted, formats[filepath.Ext(path)])
		}
		views, err := v.Views(wanted...)
		must(t, err)
		for i, path := range paths {
			must(t, os.WriteFile(path, views[i], 0o600))
		}
	}
}

// reckon computes the factors of a release without strata again from the counts and the rows
// of its plan, and puts them wherever plan and report have one.
func (r *release) reckon(t *testing.T) {
	t.Helper()
	var counts []int64
	var rows []mechanism.Row
	outputs := r.outputs()
	for x, n := range r.counts() {
		row := mechanism.Row{Total: int64(numberOf(r.rowOf(x)["total"]))}
		for _, c := range r.cellsOf(x) {
			row.Output = append(row.Output, uint16(slices.Index(outputs, c.([]any)[0].(string))))
			row.Weight = append(row.Weight, int64(numberOf(c.([]any)[1])))
		}
		counts, rows = append(counts, int64(numberOf(n))), append(rows, row)
	}
	prior, err := mechanism.NewPrior(counts)
	must(t, err)
	m, err := mechanism.New(len(outputs), rows)
	must(t, err)
	leakage := m.Leakage(prior)
	put := func(of map[string]any, f *big.Rat) { of["factor"], of["nats"] = f.RatString(), mechanism.Nats(f) }
	for _, o := range r.report["outputs"].([]any) {
		o := o.(map[string]any)
		if f := leakage.Output[slices.Index(outputs, o["label"].(string))]; f != nil && o["factor"] != nil {
			put(o, f)
		}
	}
	_, most := leakage.Max()
	for _, of := range r.largestFactors() {
		put(of, most)
	}
}
