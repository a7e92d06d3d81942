package oracle_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forgeries alter a release of one column; false where that cannot be done to it. All
// hashes are made to fit, unless it says that the statements stay.
var forgeries = []struct {
	name, wrong string
	unstated    bool
	alter       func(*forgery) bool
}{
	{"two weights of a row, exchanged", "factor of outputs", false, func(f *forgery) bool {
		for _, r := range f.rows() {
			if o := r.(tree)["outputs"].([]any); len(o) > 1 && o[0].([]any)[1] != o[1].([]any)[1] {
				o[0].([]any)[1], o[1].([]any)[1] = o[1].([]any)[1], o[0].([]any)[1]
				return true
			}
		}
		return false
	}},
	{"the count of a value, with that of its group", "counts", false, func(f *forgery) bool {
		f.plan["counts"].([]any)[0], f.group()["counts"].([]any)[0] = "1000", "1000"
		return true
	}},
	{"rows of the output that exchange what they show", "pairs", false, func(f *forgery) bool {
		for i, a := range f.lines {
			for k, b := range f.lines[:i] {
				if k > 0 && len(a) > 0 && !f.may(i, b[1:2]) && strings.HasPrefix(a, `"`) && strings.HasPrefix(b, `"`) {
					f.lines[i], f.lines[k] = b[:3]+a[3:], a[:3]+b[3:]
					return true
				}
			}
		}
		return false
	}},
	{"a row of the output that shows what is no output", "alphabet", false, func(f *forgery) bool {
		f.lines[1] = `"z"` + f.lines[1][3:]
		return true
	}},
	{"the factor in plan, group and report", "factor", false, func(f *forgery) bool {
		for _, of := range []any{f.plan["epsilon"], f.report["epsilon"], f.group()} {
			if of.(tree)["factor"] == "1" {
				return false
			}
			of.(tree)["factor"], of.(tree)["nats"] = "1", 0
		}
		return true
	}},
	{"the epsilon that was asked for", "target", false, func(f *forgery) bool {
		for _, of := range []any{f.plan["epsilon"], f.report["epsilon"]} {
			if of.(tree)["factor"] == "1" {
				return false
			}
			of.(tree)["target"] = "0.0001"
		}
		return true
	}},
	{"the worst rank in plan, group and report", "floor", false, func(f *forgery) bool {
		for _, of := range []any{f.plan["floor"], f.report["floor"], f.group()} {
			of.(tree)["rank"] = 1000
		}
		return true
	}},
	{"the shift in the report", "shift", false, func(f *forgery) bool {
		f.report["shares"].(tree)["shift"] = "1/1000003"
		return true
	}},
	{"the number of rows", "rows", false, func(f *forgery) bool {
		f.report["records"] = 1000
		return true
	}},
	{"the promise in the report, as a number", "e^epsilon", false, func(f *forgery) bool {
		f.report["claims"].([]any)[0].(tree)["figure"].(tree)["times"] = 1.5
		return true
	}},
	{"the factor that a sentence says", "by observer", false, func(f *forgery) bool {
		for _, c := range f.report["claims"].([]any) {
			if c.(tree)["key"] == "leakage.reached" {
				c.(tree)["figure"].(tree)["factor"] = "1000/999"
			}
		}
		return true
	}},
	{"a file, as stated before", "hashes", true, func(f *forgery) bool {
		f.report["stated"].(tree)["stamp"] = "none"
		return true
	}},
}

// tree is an object of JSON.
type tree = map[string]any

// A forgery is a release that is taken apart.
type forgery struct {
	audited
	plan, report tree
	lines        []string // of the output, which is CSV; its first column is private
	truth        []string // those of the input
}

func (f *forgery) rows() []any { return f.plan["mechanisms"].([]any)[0].(tree)["rows"].([]any) }
func (f *forgery) group() tree { return f.plan["groups"].([]any)[0].(tree) }

// may reports whether the plan allows y for a line of the input.
func (f *forgery) may(line int, y string) bool {
	for _, r := range f.rows() {
		if r.(tree)["input"] == f.truth[line][1:2] {
			return slices.ContainsFunc(r.(tree)["outputs"].([]any), func(o any) bool { return o.([]any)[0] == y })
		}
	}
	return false
}

// open reads a release.
func open(t *testing.T, of audited) *forgery {
	t.Helper()
	f := &forgery{audited: of}
	f.plan = decoded(t, filepath.Join(of.Report, "plan.json"))
	f.report = decoded(t, filepath.Join(of.Report, "report.json"))
	f.lines = strings.Split(string(bytesOf(t, of.Output)), "\n")
	f.truth = strings.Split(string(bytesOf(t, of.Input)), "\n")
	return f
}

// close writes it, with all hashes; the statements stay where that is said.
func (f *forgery) close(t *testing.T, unstated bool) {
	t.Helper()
	at := func(name string) string { return filepath.Join(f.Report, name) }
	f.plan["design_sha256"] = f.design()
	delete(f.plan, "plan_sha256")
	body, err := json.Marshal(f.plan)
	if err != nil {
		t.Fatal(err)
	}
	head := string(body[:len(body)-1]) + ","
	f.plan["plan_sha256"] = digest([]byte(head))
	put(t, at("plan.json"), []byte(head+`"plan_sha256":"`+digest([]byte(head))+`"}`))
	for k := range f.report["plan"].(tree) {
		f.report["plan"].(tree)[k] = f.plan[k]
	}
	encode(t, at("report.json"), f.report)
	put(t, f.Output, []byte(strings.Join(f.lines, "\n")))
	if unstated {
		return
	}
	f.state(t, f.Report, "")
	key, err := hex.DecodeString(strings.TrimSpace(string(bytesOf(t, at("commitment.key")))))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(bytesOf(t, at("release.json")))
	f.state(t, at("public"), hex.EncodeToString(mac.Sum(nil)))
}

// state makes a statement again.
func (f *forgery) state(t *testing.T, folder, commitment string) {
	t.Helper()
	path := filepath.Join(folder, "release.json")
	s := decoded(t, path)
	for _, e := range s["subject"].([]any) {
		file := filepath.Join(folder, e.(tree)["name"].(string))
		if e.(tree)["annotations"] != nil {
			file = f.Output
		}
		e.(tree)["digest"] = tree{"sha256": digest(bytesOf(t, file))}
	}
	if commitment != "" {
		s["predicate"].(tree)["commitment"] = commitment
	}
	encode(t, path, s)
}

// design is the hash of labels and rows, as docs/files.md has it.
func (f *forgery) design() string {
	var b []byte
	number := func(n int) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	place := map[any]int{}
	for _, list := range []string{"inputs", "outputs"} {
		number(len(f.plan[list].([]any)))
		for i, l := range f.plan[list].([]any) {
			b = append(b, 1)
			number(len(l.(string)))
			b = append(b, l.(string)...)
			place[l] = i
		}
	}
	number(len(f.rows()))
	for _, r := range f.rows() {
		number(whole(r.(tree)["total"]))
		number(len(r.(tree)["outputs"].([]any)))
		for _, o := range r.(tree)["outputs"].([]any) {
			number(place[o.([]any)[0]])
			number(whole(o.([]any)[1]))
		}
	}
	return digest(b)
}

func whole(s any) (n int) {
	for _, c := range s.(string) {
		n = 10*n + int(c-'0')
	}
	return n
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decoded(t *testing.T, path string) (of tree) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(bytesOf(t, path))))
	d.UseNumber()
	if err := d.Decode(&of); err != nil {
		t.Fatal(err)
	}
	return of
}

func encode(t *testing.T, path string, of tree) {
	t.Helper()
	b, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, b)
}

func put(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
