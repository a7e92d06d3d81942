package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// differences names the members in which two JSON documents differ, by their path; none
// where both are the same bytes.
func differences(is, want []byte) (names []string) {
	if bytes.Equal(is, want) {
		return nil
	}
	var a, b any
	if numbers(is, &a) != nil || numbers(want, &b) != nil {
		return []string{"all of it"}
	}
	differ("", a, b, &names)
	if names == nil {
		names = []string{"how it is written"}
	}
	return slices.Compact(names)
}

// numbers keeps numbers as they are written.
func numbers(data []byte, into *any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// differ adds the paths below at. Places of a list are named from 1.
func differ(at string, a, b any, names *[]string) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			break
		}
		all := maps.Clone(a)
		maps.Copy(all, b)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			x, here := a[name]
			y, there := b[name]
			path := strings.TrimPrefix(at+"."+name, ".")
			if here != there {
				*names = append(*names, path)
				continue
			}
			differ(path, x, y, names)
		}
		return
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range a {
			differ(fmt.Sprintf("%s[%d]", at, i+1), a[i], b[i], names)
		}
		return
	default:
		if a == b {
			return
		}
	}
	*names = append(*names, at)
}

// firstOf are some of the names, and how many more there are.
func firstOf(names []string) string {
	const most = 4
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// texts finds members of a document by their paths; those that are no texts are left out.
func texts(data []byte, paths iter.Seq[string]) map[string]string {
	var all any
	found := map[string]string{}
	if numbers(data, &all) != nil {
		return found
	}
	for path := range paths {
		at := all
		for _, name := range strings.Split(path, ".") {
			of, _ := at.(map[string]any)
			at = of[name]
		}
		if text, ok := at.(string); ok {
			found[path] = text
		}
	}
	return found
}
