package tacetbeam

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"
)

// Count writes how often each value of a field occurs to a file, as tacet estimate does: tacet
// design makes the plan of it. The file is as confidential as the rows.
func Count(s beam.Scope, rows beam.PCollection, field, file string) {
	s = s.Scope("tacet.Count")
	kind, _, err := column(rows.Type().Type(), field)
	if err != nil {
		panic(fmt.Errorf("tacetbeam.Count: %w", err))
	}
	counts := stats.Count(s, beam.ParDo(s, &cells{field}, rows))
	beam.ParDo0(s, &writing{field, kind, file}, beam.Impulse(s), beam.SideInput{Input: counts})
}

func init() {
	beam.RegisterType(reflect.TypeFor[*cells]())
	register.DoFn2x1[[]byte, func(*string, *int) bool, error](&writing{})
	register.Iter2[string, int]()
}

// cells are the values of a field, behind an = where they are not null.
type cells struct{ Field string }

func (c *cells) ProcessElement(row beam.X) string {
	l := label(reflect.ValueOf(row), c.Field)
	if l.Null {
		return ""
	}
	return "=" + l.Text
}

// writing writes a file of counts on one worker.
type writing struct{ Field, Kind, File string }

func (w *writing) ProcessElement(_ []byte, counts func(*string, *int) bool) error {
	head, err := json.Marshal(map[string]string{"format": "tacet.counts/v1", "column": w.Field, "type": w.Kind})
	if err != nil {
		return err
	}
	beside, err := os.OpenFile(w.File+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer beside.Close()
	fmt.Fprintf(beside, "# %s\n", head)
	to := csv.NewWriter(beside)
	to.Write([]string{"label", "count", "null"})
	var cell string
	for n := 0; counts(&cell, &n); {
		null := ""
		if cell == "" {
			cell, null = "=", "1"
		}
		to.Write([]string{cell[1:], strconv.Itoa(n), null})
	}
	if to.Flush(); to.Error() != nil {
		return to.Error()
	}
	if err := beside.Close(); err != nil {
		return err
	}
	return os.Rename(beside.Name(), w.File)
}
