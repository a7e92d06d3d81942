package utility

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// file answers every path with one text.
func file(text string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return []byte(text), nil }
}

func letters(label ...string) Letters { return Letters{Label: label} }

func withNull(label ...string) Letters { return Letters{Label: label, Null: true} }

func build(t *testing.T, spec string, in Input) *Result {
	t.Helper()
	r, err := Build(spec, in)
	if err != nil {
		t.Fatalf("Build(%q): %v", spec, err)
	}
	if err := consistent(r); err != nil {
		t.Fatalf("Build(%q): %v", spec, err)
	}
	return r
}

// consistent checks what every order promises: its shape, ranks that follow
// from values, nil slices, and the number of rows with ties.
func consistent(r *Result) error {
	n, m := r.Order.Inputs(), r.Order.Outputs()
	if n != r.Inputs.Len() || m != r.Outputs.Len() {
		return fmt.Errorf("order is %d by %d, letters %d by %d", n, m, r.Inputs.Len(), r.Outputs.Len())
	}
	rank, alone, value, follows := make([]uint16, m), make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := range n {
		r.Order.Row(x, rank, value)
		r.Order.Row(x, alone, nil)
		r.Order.Row(x, nil, nil)
		mechanism.Rank(value, follows)
		if !slices.Equal(rank, alone) || !slices.Equal(rank, follows) {
			return fmt.Errorf("row %d: ranks %v, alone %v, by value %v", x, rank, alone, follows)
		}
		for y, v := range value {
			if math.IsNaN(v) || math.IsInf(v, 1) || v == 0 && math.Signbit(v) {
				return fmt.Errorf("row %d output %d: value %v", x, y, v)
			}
		}
	}
	if tied := mechanism.Tied(r.Order); tied != r.Ties {
		return fmt.Errorf("%d rows with ties, mechanism.Tied counts %d", r.Ties, tied)
	}
	return nil
}

func table2(r *Result) (value [][]float64, rank [][]uint16) {
	for x := range r.Order.Inputs() {
		v, u := make([]float64, r.Order.Outputs()), make([]uint16, r.Order.Outputs())
		r.Order.Row(x, u, v)
		value, rank = append(value, v), append(rank, u)
	}
	return value, rank
}

func wantOutputs(t *testing.T, r *Result, want Letters) {
	t.Helper()
	if !slices.Equal(r.Outputs.Label, want.Label) || r.Outputs.Null != want.Null {
		t.Errorf("outputs %q null %v, want %q null %v", r.Outputs.Label, r.Outputs.Null, want.Label, want.Null)
	}
}

func TestReadFailure(t *testing.T) {
	_, err := Build("matrix:gone.csv", Input{Letters: letters("A"), ReadFile: func(p string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "gone.csv") {
		t.Errorf("error %v", err)
	}
}

func TestExtraAndMissing(t *testing.T) {
	text := "x,A,B,Z\nB,1,2,3\nQ,1,2,3\nR,1,2,3\n"
	if r := build(t, "matrix:f.csv", Input{Letters: letters("B"), ReadFile: file(text)}); r.Extra != 2 ||
		r.File != "f.csv" {
		t.Errorf("extra %d, file %q", r.Extra, r.File)
	}
	in := Input{Letters: letters("A", "B", "secret"), ReadFile: file(text), Known: func(l string) bool { return l == "A" }}
	for _, spec := range []string{"matrix:f.csv", "ordered:B", "positions:f.csv", "hierarchy:f.csv"} {
		if spec == "hierarchy:f.csv" {
			in.ReadFile = file("B;*\nQ;*\nC;*\n")
		}
		_, err := Build(spec, in)
		var missing *MissingError
		var plain *Error
		if !errors.As(err, &missing) || !errors.As(err, &plain) || !slices.Equal(missing.Letters, []int{0, 2}) {
			t.Fatalf("%s: error %v", spec, err)
		}
		if all := err.Error() + plain.Hint + strings.Join(missing.Named, ""); strings.Contains(all, "secret") ||
			!strings.Contains(all, `"A"`) {
			t.Errorf("%s: %q", spec, all)
		}
	}
}
