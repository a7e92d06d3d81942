package request

import (
	"reflect"
	"testing"
)

// TestChoiceIsTheTable: a Choice has the fields of the options that may be given once
// for each column, no others, and none is lost on the way to it and back.
func TestChoiceIsTheTable(t *testing.T) {
	var o, own Options
	fields, chosen := reflect.ValueOf(&o).Elem(), reflect.TypeFor[Choice]()
	each := 0
	for i := range Table {
		if Table[i].Each == "" {
			continue
		}
		each++
		at := reflect.ValueOf(Table[i].in(&o))
		for f := range fields.Type().Fields() {
			if v := fields.FieldByIndex(f.Index); v.Addr().Pointer() == at.Pointer() && v.Type() == at.Type().Elem() {
				if c, ok := chosen.FieldByName(f.Name); !ok || c.Type != f.Type {
					t.Errorf("--%s is given for each column, and Choice has no %s", Table[i].Name, f.Name)
				}
			}
		}
		switch at := at.Interface().(type) {
		case *string:
			*at = Table[i].Name
		case **int:
			*at = new(int)
		case **float64:
			*at = new(float64)
		}
	}
	if each == 0 || chosen.NumField() != each+1 { // and the settings
		t.Errorf("Choice has %d fields for %d options", chosen.NumField(), each)
	}
	own.choose(o.choice())
	if !reflect.DeepEqual(own, o) {
		t.Errorf("%+v became %+v", o, own)
	}
}
