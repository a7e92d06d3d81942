package tacetbeam_test

import (
	"context"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/tacet-privacy/tacet/tacetbeam"
)

func readVisits(s beam.Scope) beam.PCollection { return beam.CreateList(s, visits(10)) }

func Example() {
	p, s := beam.NewPipelineWithRoot()
	visits := readVisits(s) // of a struct with fields Number, Region and more
	published, checks := tacetbeam.Privatize(s, visits, tacetbeam.Options{
		Field: "Region",
		ID:    []string{"Number"},
		Plan:  "/shared/plan.json",
		Key:   "/shared/draw.key",
	})
	textio.Write(s, "/shared/published.csv", beam.ParDo(s, text, published))
	textio.Write(s, "/shared/checks.txt", beam.ParDo(s, checked, checks))
	if _, err := prism.Execute(context.Background(), p); err != nil {
		log.Fatal(err)
	}
}
