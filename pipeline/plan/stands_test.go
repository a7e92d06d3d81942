package plan

import (
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

func TestStands(t *testing.T) {
	in := utility.Letters{Label: []string{"a", "b", "c"}, Null: true}
	out := utility.Letters{Label: []string{"c", "x", "a"}, Null: true}
	if got := Stands(out, in); !slices.Equal(got, []int{2, -1, 0, 3}) {
		t.Errorf("stands for %v", got)
	}
	if out.Null = false; Stands(out, in)[3] != -1 {
		t.Error("null stands where there is none")
	}
	if in.Null = false; len(Stands(out, in)) != 3 {
		t.Error("there is a null letter")
	}
}
