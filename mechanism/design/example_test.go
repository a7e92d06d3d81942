package design_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
)

// Ten records in four letters, of which a neighbour is a good replacement: the
// best floor whose leakage stays within log 2, and what each output tells.
func ExampleMake() {
	prior, err := mechanism.NewPrior([]int64{4, 3, 2, 1})
	if err != nil {
		log.Fatal(err)
	}
	order, err := mechanism.NewMatrix([][]float64{
		{0, -1, -2, -3},
		{-1, 0, -1, -2},
		{-2, -1, 0, -1},
		{-3, -2, -1, 0},
	})
	if err != nil {
		log.Fatal(err)
	}
	epsilon, err := mechanism.ParseEpsilon("log(2)")
	if err != nil {
		log.Fatal(err)
	}
	m, e, err := design.Make(context.Background(), prior, order, design.Goal{Epsilon: epsilon})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s design, nothing worse than rank %d of 4, e^epsilon = %s\n", e.Kind, e.WorstRank,
		e.Factor.RatString())
	for y, factor := range m.Leakage(prior).Output {
		if factor == nil {
			fmt.Printf("output %d never occurs\n", y)
			continue
		}
		fmt.Printf("output %d tells a factor of %s\n", y, factor.RatString())
	}
	// Output:
	// optimal design, nothing worse than rank 3 of 4, e^epsilon = 2
	// output 0 never occurs
	// output 1 tells a factor of 2
	// output 2 tells a factor of 2
	// output 3 never occurs
}
