package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	a, b := members(is), members(want)
	if a == nil || b == nil {
		return []string{"all of it"}
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	last := "." // which no path begins with
	for _, path := range slices.Sorted(maps.Keys(all)) {
		x, here := a[path]
		y, there := b[path]
		if (here != there || x != y) && !strings.HasPrefix(path, last+".") && !strings.HasPrefix(path, last+"[") {
			names, last = append(names, path), path
		}
	}
	if names == nil {
		names = []string{"how it is written"}
	}
	return names
}

// members are those of a JSON document by path, places of a list named from 1: texts, numbers as
// they are written, and of objects and lists the kind and the length. It is nil where data is none.
func members(data []byte) map[string]any {
	var all any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return nil
	}
	found := map[string]any{}
	var walk func(path string, of any)
	walk = func(path string, of any) {
		switch of := of.(type) {
		case map[string]any:
			found[path] = '{'
			for name, value := range of {
				walk(strings.TrimPrefix(path+"."+name, "."), value)
			}
		case []any:
			found[path] = len(of)
			for i, value := range of {
				walk(fmt.Sprintf("%s[%d]", path, i+1), value)
			}
		default:
			found[path] = of
		}
	}
	walk("", all)
	return found
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
