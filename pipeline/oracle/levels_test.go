package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// groups are those of every letter, from the root down to itself.
var groups = map[string][]string{"a": {"*", "abc", "ab", "a"}, "b": {"*", "abc", "ab", "b"},
	"c": {"*", "abc", "c1", "c"}, "d": {"*", "de", "de1", "d"}, "e": {"*", "de", "de1", "e"}}

// hierarchical gives the job its letters in groups, and the table of that order.
func (j *job) hierarchical(o *pipeline.Options) {
	var tree, labels strings.Builder
	table := "x,a,b,c,d,e\n"
	for _, x := range strings.Split(letters, "") {
		up := slices.Clone(groups[x])
		slices.Reverse(up)
		fmt.Fprintln(&tree, strings.Join(up, ";"))
		fmt.Fprintln(&labels, x)
		table += x
		for _, y := range strings.Split(letters, "") {
			table += fmt.Sprint(",", common(x, y)-3)
		}
		table += "\n"
	}
	o.Utility, o.Labels = "hierarchy:"+filepath.Join(j.dir, "groups.csv"), filepath.Join(j.dir, "labels.txt")
	for path, text := range map[string]string{filepath.Join(j.dir, "groups.csv"): tree.String(), o.Labels: labels.String(),
		j.matrix: table} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			j.t.Fatal(err)
		}
	}
}

// common is the depth of the lowest group that two letters share.
func common(x, y string) int {
	depth := 0
	for depth < 3 && groups[x][depth+1] == groups[y][depth+1] {
		depth++
	}
	return depth
}

// checkLevel: no published value of the rows of a claim is outside the group of the
// true one at that level. Where null is a value, it is apart from level 1 on, and
// the groups are one level deeper.
func (r *release) checkLevel(t *testing.T, c claim.Claim) {
	t.Helper()
	at, nulls := c.Figure.Level.At, c.Figure.Level.Of-3
	for i, x := range r.truth {
		v, y := x.cell(r.column), r.shown[i].cell(r.column)
		if r.public && (v == null || y == null) || !r.among(i, c.Records) {
			continue
		}
		switch {
		case (v == null) != (y == null):
			if at > 0 {
				t.Errorf("%s: %q; a null is published as a value, or a value as null", c.Key, c.Words)
			}
		case v != null && common(v, y) < at-nulls:
			t.Errorf("%s: %q; %s is published as %s", c.Key, c.Words, v, y)
		}
	}
}
