package decide

import (
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

func TestPlaces(t *testing.T) {
	in := utility.Letters{Label: []string{"a", "b", "c"}, Null: true}
	out := utility.Letters{Label: []string{"c", "x", "a"}, Null: true}
	if got := places(in, out); !slices.Equal(got, []int{2, -1, 0, 3}) {
		t.Errorf("places %v", got)
	}
	if out.Null = false; places(in, out)[3] != -1 {
		t.Error("null stands where there is none")
	}
	if in.Null = false; len(places(in, out)) != 3 {
		t.Error("there is a null letter")
	}
}
