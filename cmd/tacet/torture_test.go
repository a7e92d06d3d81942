package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testsBelow are the names of all tests in folders and, where they end so, in those below.
func testsBelow(t *testing.T, folders string) (names []string) {
	t.Helper()
	for _, folder := range strings.Fields(folders) {
		root, below := strings.CutSuffix(folder, "/...")
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "out" || !below && path != filepath.Join("../..", root)):
				return filepath.SkipDir
			case !strings.HasSuffix(path, "_test.go"):
				return nil
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(readFile(t, path)), -1) {
				names = append(names, m[1])
			}
			return nil
		})
		must(t, err)
	}
	return names
}

// TestTortureRows: every alternative of the names that a row of make torture runs is one of a test that is there, and
// so is every test that SECURITY.md and docs/torture.md name.
func TestTortureRows(t *testing.T) {
	text := `((?:"[^"]*"\s*)+),\s*`
	row := regexp.MustCompile(`(?m)^    "([a-z-]+)": \(\s*` + text + text + text)
	joined := func(s string) string { return regexp.MustCompile(`^"|"\s*"|"\s*$`).ReplaceAllString(s, "") }
	rows := row.FindAllStringSubmatch(string(readFile(t, "../../test/torture/torture.py")), -1)
	if len(rows) < 15 {
		t.Fatalf("%d rows are found", len(rows))
	}
	for _, r := range rows {
		names := strings.Join(testsBelow(t, joined(r[3])), "\n")
		for _, one := range alternatives(joined(r[4])) {
			if !regexp.MustCompile("(?m)" + one).MatchString(names) {
				t.Errorf("row %s: no test is named like %s", r[1], one)
			}
		}
	}
	names := strings.Join(testsBelow(t, "./..."), "\n")
	for _, page := range []string{"../../SECURITY.md", "../../docs/torture.md"} {
		for _, m := range regexp.MustCompile("`(Test\\w+)(\\.\\.\\.)?").FindAllStringSubmatch(string(readFile(t, page)), -1) {
			if !regexp.MustCompile("(?m)^" + m[1] + map[bool]string{true: `\w`, false: "$"}[m[2] != ""]).MatchString(names) {
				t.Errorf("%s: there is no %s", page, m[0])
			}
		}
	}
}

// alternatives are the expressions that one with | is, each without: of the whole, and of its groups.
func alternatives(expression string) (out []string) {
	depth, from, open := 0, 0, -1
	for i, c := range expression + "|" {
		switch {
		case c == '(':
			if depth++; depth == 1 && open < 0 {
				open = i
			}
		case c == ')':
			depth--
		case c == '|' && depth == 0 && (from > 0 || i < len(expression)):
			out = append(out, alternatives(expression[from:i])...)
			from = i + 1
		}
	}
	if len(out) > 0 || open < 0 {
		return append(out, []string{expression}[:max(0, 1-len(out))]...)
	}
	end := open + 1
	for depth = 1; depth > 0; end++ {
		depth += map[byte]int{'(': 1, ')': -1}[expression[end]]
	}
	inside := alternatives(expression[open+1 : end-1])
	for _, rest := range alternatives(expression[end:]) {
		if len(inside) == 1 {
			out = append(out, expression[:end]+rest)
			continue
		}
		for _, one := range inside {
			out = append(out, expression[:open]+one+rest)
		}
	}
	return out
}
