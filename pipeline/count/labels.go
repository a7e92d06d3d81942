package count

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// KindOf says how utility specs read the labels of a type.
func KindOf(t table.Type) utility.Kind {
	switch t.Kind {
	case table.Integer:
		return utility.Integer
	case table.Date:
		return utility.Date
	case table.Boolean:
		return utility.Boolean
	}
	return utility.Text
}

// KindOfLabels is the narrowest kind that all labels parse as.
func KindOfLabels(label []string) utility.Kind { return KindOf(typeOfLabels(label)) }

// typeOfLabels is the narrowest type that all labels parse as.
func typeOfLabels(label []string) table.Type {
	for _, t := range []table.Type{{Kind: table.Integer, Bits: 64}, {Kind: table.Integer, Bits: 64, Unsigned: true},
		{Kind: table.Date}, {Kind: table.Boolean}} {
		if !slices.ContainsFunc(label, func(l string) bool { _, err := t.Parse(l); return err != nil }) {
			return t
		}
	}
	return table.Type{Kind: table.Text}
}

// ReadLabels reads one label a line; a byte order mark and carriage returns
// before line ends are left out. The last line may lack its end.
func ReadLabels(path, flag string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable(flag, path, err)
	}
	if !utf8.Valid(data) {
		return nil, fault.New(fault.Input, "save the file as UTF-8, one label per line", "%s is not UTF-8 text", path)
	}
	var labels []string
	at := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	lines.Buffer(nil, math.MaxInt32)
	for lines.Scan() {
		label := strings.TrimSuffix(lines.Text(), "\r")
		if first, ok := at[label]; ok {
			return nil, fault.New(fault.Input, "leave one of them out", "%s: line %d repeats the label %q of line %d", path,
				len(labels)+1, label, first)
		}
		labels = append(labels, label)
		at[label] = len(labels)
	}
	if len(labels) == 0 {
		return nil, fault.New(fault.Input, "give one label per line", "%s is empty", path)
	}
	return labels, nil
}

// ReadSpec reads a spec file; its error leaves the path out, the spec has it.
func ReadSpec(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, fault.PathCause(err))
	}
	return data, nil
}
