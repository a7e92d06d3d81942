package report

import "strings"

// Names reads a list of names between commas. A name with a comma stands in
// double quotes, and a double quote within these twice, as in CSV; ok is false
// where a quoted name does not end before a comma or the list does.
func Names(list string) (names []string, ok bool) {
	for more := list != ""; more; {
		var name string
		if strings.HasPrefix(list, `"`) {
			if name, list, ok = quotedName(list[1:]); !ok {
				return nil, false
			}
		} else {
			end := len(list)
			if at := strings.IndexByte(list, ','); at >= 0 {
				end = at
			}
			name, list = list[:end], list[end:]
		}
		names = append(names, name)
		if list, more = strings.CutPrefix(list, ","); !more && list != "" {
			return nil, false
		}
	}
	return names, true
}

// quotedName is the name up to the closing quote, and what is behind that.
func quotedName(list string) (name, rest string, ok bool) {
	for {
		part, behind, closed := strings.Cut(list, `"`)
		if !closed {
			return "", "", false
		}
		name += part
		if list, ok = strings.CutPrefix(behind, `"`); !ok {
			return name, behind, true
		}
		name += `"`
	}
}

// NameList is the list that Names reads these from.
func NameList(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		if words[i] = n; strings.Contains(n, ",") || strings.HasPrefix(n, `"`) {
			words[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(words, ",")
}
