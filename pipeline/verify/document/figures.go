package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// Figures are what verify expects at the keys of an object. By the type of what is
// expected a key is held to
//
//	string, bool, int, int64, float64, files.Label  exactly that
//	*big.Rat                 its text; where a number stands, its logarithm, rounded up
//	Rounded                  a float, but for the last bits
//	Near                     a float, within a distance
//	Rule                     whatever the rule takes
//	Stated                   nothing: whoever reads it is told so, or it was not checked
//	Figures                  an object with these keys and no others
//	a slice                  a list of as many, each of them as expected
//	nil                      absence
//
// A key that ends in "?" is absent where what is expected is empty, and is there
// otherwise: "late?" is late, left out where it is 0. In the figures of a whole
// document keys are paths, and others may stand beside.
type Figures map[string]any

// A Rounded is a float and the size of what was summed, 0 for its own.
type Rounded struct{ Value, Size float64 }

// A Near is a float and how far a claim may be from it.
type Near struct{ Value, By float64 }

// A Rule reports whether a claim can be.
type Rule func(Node) bool

// Stated takes every claim, and its absence.
type Stated struct{}

// figure is what may be shown of a claim: a number, a fraction or a truth value.
// All else may be the value of a cell.
var figure = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-?[0-9][0-9.]{0,30}([eE][-+]?[0-9]{1,3})?|[0-9]{1,30}/[0-9]{1,30}|true|false)$`)
})

// Expect compares places of the report with what is expected there, and remembers
// that they were looked at.
func (v *View) Expect(w *Faults, want Figures) {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		bare := strings.TrimSuffix(path, "?")
		v.Seen(bare)
		diff(w, bare, v.Report.At(bare), want[path], bare != path)
	}
}

// Diff compares one object with what is expected of it.
func Diff(w *Faults, of string, claim Node, want Figures) { diff(w, of, claim, want, false) }

// Some compares members of an object, beside which others may stand.
func Some(w *Faults, of string, claim Node, want Figures) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		bare := strings.TrimSuffix(key, "?")
		diff(w, of+"."+bare, claim.At(bare), want[key], bare != key)
	}
}

// diff is the one comparison: of a claim, by its path, with what is expected. bare
// says that what is empty is left out.
func diff(w *Faults, path string, claim Node, want any, bare bool) {
	if _, any := want.(Stated); any {
		return
	}
	if f, ok := want.(Figures); ok && f == nil {
		want = nil
	}
	absent := want == nil || bare && empty(path, want)
	switch {
	case absent && !claim.there:
		return
	case absent:
		w.Addf("%s is stated%s, and there should be none", path, shown(claim.value))
		return
	case !claim.there:
		w.Addf("%s is missing", path)
		return
	}
	switch e := want.(type) {
	case Figures:
		diffObject(w, path, claim, e)
	case Rule:
		if !e(claim) {
			w.Addf("%s%s is not what the files give", path, shown(claim.value))
		}
	default:
		if list := reflect.ValueOf(want); list.Kind() == reflect.Slice {
			diffList(w, path, claim, list)
		} else if !agrees(claim, want) {
			found := shown(want)
			if q, ok := want.(*big.Rat); ok && claim.Text("") == "" {
				low, _ := exact.Log(q, 128)
				found = " " + low.Text('g', 12)
			}
			if stated := shown(claim.value); stated != "" && found != "" {
				w.Addf("%s is%s, and the files give%s", path, stated, found)
			} else {
				w.Addf("%s is not what the files give", path)
			}
		}
	}
}

func diffObject(w *Faults, path string, claim Node, want Figures) {
	object, ok := claim.value.(map[string]any)
	if !ok {
		w.Addf("%s is no object", path)
		return
	}
	known := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		bare := strings.TrimSuffix(key, "?")
		at := claim.At(bare)
		if at.there {
			known++
		}
		diff(w, path+"."+bare, at, want[key], bare != key)
	}
	if known < len(object) {
		w.Addf("%s has a member that is not known", path)
	}
}

func diffList(w *Faults, path string, claim Node, want reflect.Value) {
	list, ok := claim.value.([]any)
	if !ok && claim.value != nil || len(list) != want.Len() { // Go writes a list of none as null
		w.Addf("%s has %d entries, and the files give %d", path, len(list), want.Len())
		return
	}
	for i := range list {
		diff(w, fmt.Sprintf("%s[%d]", path, i), Node{list[i], true}, want.Index(i).Interface(), false)
	}
}

// agrees compares a claim that is no object and no list.
func agrees(claim Node, want any) bool {
	number, isNumber := claim.value.(json.Number)
	f := claim.Float("")
	switch e := want.(type) {
	case string:
		s, ok := claim.value.(string)
		return ok && s == e
	case bool:
		b, ok := claim.value.(bool)
		return ok && b == e
	case int:
		return string(number) == strconv.Itoa(e)
	case int64:
		return string(number) == strconv.FormatInt(e, 10)
	case float64:
		return isNumber && f == e
	case Rounded:
		return isNumber && exact.Near(f, e.Value, e.Size)
	case Near:
		return isNumber && f-e.Value <= e.By && e.Value-f <= e.By
	case files.Label:
		l, ok := claim.Label("")
		return ok && l == e
	case *big.Rat:
		if isNumber {
			return exact.Nats(f, e)
		}
		return claim.value == e.RatString()
	}
	panic(fmt.Sprintf("verify: nothing is known of a figure of type %T", want))
}

// empty reports what "?" leaves out: also the logarithm of 1.
func empty(path string, want any) bool {
	switch e := want.(type) {
	case *big.Rat:
		return e == nil || strings.HasSuffix(path, "nats") && e.Cmp(exact.One) == 0
	case Rounded:
		return e.Value == 0
	case Near:
		return e.Value == 0
	}
	v := reflect.ValueOf(want)
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// shown is a figure as a fault shows it, "" for what it does not show.
func shown(v any) string {
	text := ""
	switch v := v.(type) {
	case json.Number:
		text = string(v)
	case bool, int, int64, float64:
		text = fmt.Sprint(v)
	case *big.Rat:
		text = v.RatString()
	case Rounded:
		text = fmt.Sprint(v.Value)
	case Near:
		text = fmt.Sprint(v.Value)
	case string:
		if !strings.Contains(v, "/") { // a text of digits may be a label
			return ""
		}
		text = v
	}
	if !figure().MatchString(text) {
		return ""
	}
	return " " + text
}

// Seen remembers that places were looked at, with all below them.
func (v *View) Seen(paths ...string) {
	if v.looked == nil {
		v.looked = map[string]bool{}
	}
	for _, p := range paths {
		v.looked[p] = true
	}
}

// Unseen names the places of the report that nobody looked at.
func (v *View) Unseen() (paths []string) {
	var walk func(path string, at any)
	walk = func(path string, at any) {
		if v.looked[path] {
			return
		}
		switch at := at.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(at)) {
				walk(strings.TrimPrefix(path+"."+key, "."), at[key])
			}
			if len(at) > 0 {
				return
			}
		case []any:
			for _, e := range at {
				walk(path+"[]", e)
			}
			if len(at) > 0 {
				return
			}
		}
		paths = append(paths, path)
	}
	walk("", v.Report.value)
	slices.Sort(paths)
	return slices.Compact(paths)
}
