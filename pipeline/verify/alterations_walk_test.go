package verify_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/test/torture"
)

// A leaf is a member of a report that is no object and no list, or any member that
// is taken out; a place in a list is [] in its path.
type leaf struct {
	path string
	old  any
	set  func(v any)
	out  bool // it is taken out, and not changed
}

// gone is set to take a member out.
type gone struct{}

// key is by which a walker knows what it has tried.
func (l leaf) key() string {
	if l.out {
		return l.path + " taken out"
	}
	return l.path
}

// values are what it is changed to: one, or all there are.
func (l leaf) values(all bool) []any {
	if l.out {
		return []any{gone{}}
	}
	return others(l.old, all)
}

// leavesOf are those of a document; of a list its first, its last and, of claims, one between
// them, or every one.
func leavesOf(document any, every bool) (all []leaf) {
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				set := func(x any) {
					if v[name] = x; x == (gone{}) {
						delete(v, name)
					}
				}
				at := strings.TrimPrefix(path+"."+name, ".")
				all = append(all, leaf{at, v[name], set, true})
				walk(at, v[name], set)
			}
		case []any:
			for i := range v {
				if every || i == 0 || i == len(v)-1 || i == len(v)/2 && path == "claims" {
					walk(path+"[]", v[i], func(x any) { v[i] = x })
				}
			}
		default:
			all = append(all, leaf{path, v, set, false})
		}
	}
	walk("", document, nil)
	return all
}

// synonyms are other words that may stand where a word stands.
var synonyms = map[string]string{
	"flag": "config", "default": "environment", "run": "apply", "promised": "told", "told": "promised",
	"reached": "told",
	"nothing": "told", "fresh": "memoised", "memoised": "fresh", "record": "person", "observed": "declared",
	"declared": "observed",
	"refuse":   "draw", "public": "refuse", "measured": "off", "off": "measured", "clear": "warn", "lead": "verdict",
	"exponential": "randomised response", "randomised response": "exponential", "all": "with a value", "cell": "anyone",
	"this file": "no prior", "published in clear": "dropped", "leakage": "floor", "optimal": "safe", "exact": "bound",
}

// others are other values of the same type: one, or all there are.
func others(v any, all bool) []any {
	switch v := v.(type) {
	case bool:
		return []any{!v}
	case json.Number:
		f, _ := v.Float64()
		otherwise := strings.Replace(string(v), "e", "E", 1) // the same number
		if otherwise == string(v) {
			otherwise += "e0"
		}
		if !all {
			return []any{f + 1}
		}
		return slices.DeleteFunc([]any{f + 1, f / 2, -f - 1, json.Number(otherwise)}, func(x any) bool { return x == f })
	case string:
		list := []any{v + "x"}
		if f, ok := new(big.Rat).SetString(v); ok && v != "" {
			list = []any{f.Add(f, big.NewRat(1, 7)).RatString()}
		}
		if at := year.FindStringIndex(v); at != nil {
			list = []any{v[:at[0]] + "1999" + v[at[1]:]}
		}
		if s, ok := synonyms[v]; ok {
			list = append([]any{s}, list...)
		}
		if all && v != "" {
			return append(list, "")
		}
		return list[:1]
	}
	return []any{"x"}
}

// An uncovered part of a report is no claim that any check looks at. A member that
// ends in "?" may be left out unseen.
type uncovered struct {
	name    string
	members []string
}

// beyond are the members of an internal report that no check compares with
// anything, by the names under which verify lists them. [] is any place in a list; what lies
// below a member belongs to it.
var beyond = []uncovered{
	{"about", []string{"stated.about?"}},
	{"inside", []string{"stated.inside?"}},
	{"made", []string{"stated.made?"}},
	{"declared", []string{"stated.declared", "domain.declared"}},
	{"options", []string{"stated.options[]", "certainty.unchanged_allowed?"}},
	{"paths", []string{"input.path", "output.path"}},
	{"version", []string{"version", "stated.version"}},
}

// nameOf is the name under which verify lists a member that no check looks at,
// "" for others.
func nameOf(list []uncovered, l leaf) string {
	for _, b := range list {
		for _, m := range b.members {
			member, free := strings.CutSuffix(m, "?")
			if l.out && !free && member == l.path {
				continue // it may not be left out
			}
			if rest, ok := strings.CutPrefix(l.path, member); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return b.name
			}
		}
	}
	return ""
}

// shared are the members that reports of several columns have in common: who
// forges one forges all.
var shared = []string{"version", "stamp", "about", "inside", "input", "output", "joint"}

// everywhere are those that public reports have, too.
var everywhere = []string{"version", "stamp", "about", "declared"}

// A sheet is a document that is changed.
type sheet struct {
	path   string
	public bool
	whole  []byte
	all    map[string]any
}

func sheetOf(t *testing.T, path string) *sheet {
	s := &sheet{path: path, public: filepath.Base(filepath.Dir(path)) == "public", whole: []byte(mustRead(t, path))}
	s.all = decoded(t, string(s.whole))
	return s
}

// TestForgedLeaves changes every member of a report, one by one, as a forger
// does who states the release anew and has no key. Each change is refused, or
// its member is one of those that verify names as looked at by no check. A public report is held to the internal
// one, too, where that lies above it: there every change is refused. With
// TACET_TORTURE every member of every release is changed in several ways, and
// taken out; else each of them in some release, the cheapest that has it, and of the
// others one in thirty: a third here, the rest in TestSlowForgedLeaves.
func TestForgedLeaves(t *testing.T)     { forgedLeaves(t, false, 200) }
func TestSlowForgedLeaves(t *testing.T) { forgedLeaves(t, true, 400) }

func forgedLeaves(t *testing.T, slow bool, least int) {
	t.Parallel()
	w := &walker{picker: picker{slow, map[string]bool{}}, all: torture.Long(), passed: map[string]bool{}}
	cheapest := []string{"places", "nulls", "neighbours", "strata", "nights", "columns", "columns in strata"}
	for _, name := range cheapest {
		r := copied(t, name)
		var inside, outside []*sheet
		for _, file := range []string{"joint.json", "report.json", "1/report.json", "2/report.json"} {
			if _, err := os.Stat(r.path(file)); err != nil {
				continue
			}
			inside = append(inside, sheetOf(t, r.path(file)))
			if file != "joint.json" {
				outside = append(outside, sheetOf(t, r.path(filepath.Join(filepath.Dir(file), "public/report.json"))))
			}
		}
		untouched(t, name, r.request(t))
		group := slices.Concat(inside, outside)
		if r.joint { // of others TestRetoldLeaves changes the members
			for _, s := range inside {
				w.change(t, name, r, s, group, beyond, r.request(t))
			}
		}
		for _, s := range outside {
			w.change(t, name, r, s, group, beyond[6:], verify.Request{Report: s.path, Output: r.output})
		}
	}
	enough(t, w.changes, least)
}

// enough wants so many changes to have been made.
func enough(t *testing.T, changes, least int) {
	t.Helper()
	if t.Logf("%d changes", changes); changes < least {
		t.Errorf("only %d changes", changes)
	}
}

// A picker picks members, each once, and a third of them in the quick test.
type picker struct {
	slow  bool
	tried map[string]bool
}

// picks reports whether the member of that key is changed here; first, whether it is new.
func (p picker) picks(key string) (here, first bool) {
	first = !p.tried[key]
	p.tried[key] = true
	return torture.Long() || hashOf(key)%3 > 0 == p.slow, first
}

func hashOf(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()
}

// A walker counts its changes, and remembers which names of unseen members let one pass.
type walker struct {
	picker
	all     bool
	changes int
	passed  map[string]bool
}

// takes reports whether a member is changed here.
func (w *walker) takes(release, kind string, l leaf, name string) bool {
	key := kind + l.key()
	here, first := w.picks(key)
	return here && (first || w.all || name != "" && !w.passed[kind+name] || name == "" && hashOf(release+key)%30 == 0)
}

// change changes the members of one document.
func (w *walker) change(t *testing.T, release string, r *release, s *sheet, group []*sheet, list []uncovered,
	q verify.Request) {
	t.Helper()
	kind := filepath.Base(s.path)
	if s.public {
		kind = "public " + kind
	}
	for _, l := range leavesOf(s.all, w.all || s.public) {
		name := nameOf(list, l)
		if !w.takes(release, kind, l, name) {
			continue
		}
		for _, fresh := range l.values(w.all) {
			w.changes++
			l.set(fresh)
			s.write(t, group, l.path)
			restate(t, r.path(""))
			what := fmt.Sprintf("%s, %s: %s is %v instead of %v", release, kind, l.key(), fresh, l.old)
			if name == "" {
				refuses(t, what, q)
			} else if got, err := verify.Run(t.Context(), q); err == nil && len(got.Failed()) == 0 {
				if w.passed[kind+name] = true; !l.out && !slices.Contains(got.Stated, name) {
					t.Errorf("%s, and verify does not say that no check looks at %s", what, name)
				}
			}
			of, _, _ := strings.Cut(l.path, ".")
			if s.public && !slices.Contains(everywhere, strings.TrimSuffix(of, "[]")) && (w.all || w.changes%4 == 0) {
				refuses(t, what+", and the internal report is not held against it", r.request(t))
			}
		}
		l.set(l.old)
	}
	s.write(t, group, "")
	for _, o := range group {
		must(t, os.WriteFile(o.path, o.whole, 0o600))
	}
	restate(t, r.path(""))
}

// write writes a document as it is now, and into the others of its group what
// they share with it. They name the joint.json that is written, unless that is what was
// changed.
func (s *sheet) write(t *testing.T, group []*sheet, changed string) {
	t.Helper()
	for _, o := range group {
		members := shared
		if o.public || s.public {
			members = everywhere
		}
		for _, m := range members {
			if v, ok := s.with(m)[m]; ok && o != s {
				o.with(m)[m] = v
			} else if o != s {
				delete(o.with(m), m)
			}
		}
		data := asWritten(t, o.all)
		must(t, os.WriteFile(o.path, data, 0o600))
		if filepath.Base(o.path) == "joint.json" && changed != "joint_sha256" {
			for _, part := range group {
				if _, ok := part.all["joint_sha256"]; ok {
					part.all["joint_sha256"] = hexSum(data)
				}
			}
		}
	}
}

// with is the object that has a member: that of what is stated has some of an internal report.
func (s *sheet) with(member string) map[string]any {
	within := []string{"version", "stamp", "about", "inside", "declared"}
	if stated, ok := s.all["stated"].(map[string]any); ok && slices.Contains(within, member) {
		return stated
	}
	return s.all
}
