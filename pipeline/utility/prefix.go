package utility

import (
	"slices"
	"strconv"
	"strings"
)

// naicsSectors are the sectors of NAICS that span several two-digit codes.
var naicsSectors = map[string]string{
	"31": "31-33", "32": "31-33", "33": "31-33",
	"44": "44-45", "45": "44-45",
	"48": "48-49", "49": "48-49",
}

// maxCode is the longest code in characters.
const maxCode = 200

// buildPrefix reads prefix (a level per character), prefix:1,3,4 (a level per
// cut) and prefix:naics (cuts 2,3,4,5 with merged sectors). Dots are ignored.
// Two codes that share all cuts but differ are at level 1, at level 2 where
// they share all but the last, and so on; a code that is the start of another
// is its ancestor only at a cut.
func buildPrefix(b *builder, arg string) *draft {
	c := &cast{rows: b.rows(false), outputs: b.outputs(false)}
	code := map[letter][]rune{}
	longest := 0
	for _, l := range slices.Concat(c.rows, c.outputs) {
		code[l] = []rune(strings.ReplaceAll(l.label, ".", ""))
		longest = max(longest, len(code[l]))
	}
	if longest > maxCode {
		fail(errorf("use hierarchy: or tree:", "prefix: a label has %d characters, a code at most %d", longest, maxCode))
	}
	cuts := cutsOf(arg, longest)
	t := &trie{node: map[step]int32{}}
	root := t.grow(-1, int32(len(cuts)+1))
	return c.levels(&t.forest, func(l letter) int32 {
		n, from := root, 0
		for i, cut := range cuts {
			if cut > len(code[l]) {
				break
			}
			head := string(code[l][from:cut])
			from = cut
			if s, ok := naicsSectors[head]; ok && arg == "naics" && i == 0 {
				head = s
			}
			n = t.child(n, head, int32(len(cuts)-i))
		}
		return n
	}, "minus the levels above the common prefix, of "+strconv.Itoa(len(cuts)+1))
}

// cutsOf are the prefix lengths that make levels, ascending.
func cutsOf(arg string, longest int) (cuts []int) {
	switch arg {
	case "":
		for i := 1; i < longest; i++ {
			cuts = append(cuts, i)
		}
		return cuts
	case "naics":
		return []int{2, 3, 4, 5}
	}
	for _, a := range strings.Split(arg, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(a))
		if err != nil || n < 1 || n > maxCode || len(cuts) > 0 && n <= cuts[len(cuts)-1] {
			fail(errorf("write for example prefix:1,3,4, or prefix:naics",
				"prefix: %s is not an ascending list of prefix lengths", quote(arg)))
		}
		cuts = append(cuts, n)
	}
	return cuts
}

// A step leads from a node to the next by the characters between two cuts.
type step struct {
	from int32
	head string
}

// A trie has a node for every prefix that occurs.
type trie struct {
	forest
	node map[step]int32
}

func (t *trie) child(from int32, head string, level int32) int32 {
	n, ok := t.node[step{from, head}]
	if !ok {
		n = t.grow(from, level)
		t.node[step{from, head}] = n
	}
	return n
}
