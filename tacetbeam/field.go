package tacetbeam

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A field of a row is text, a whole number or a boolean; one that may be null is a pointer.
// Whatever else it is, column has refused.

// column is a field of rows of a type, and its name as counts have it.
func column(row reflect.Type, name string) (kind string, null bool, err error) {
	if row.Kind() != reflect.Struct {
		return "", false, fmt.Errorf("rows of type %v are no structs: give a PCollection of structs", row)
	}
	f, found := row.FieldByName(name)
	if !found || !f.IsExported() {
		return "", false, fmt.Errorf("%v has no exported field %q", row, name)
	}
	t := f.Type
	if null = t.Kind() == reflect.Pointer; null {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k == reflect.Int:
		return "int64", null, nil
	case k == reflect.Uint:
		return "uint64", null, nil
	case k == reflect.String, k == reflect.Bool, k >= reflect.Int8 && k <= reflect.Int64,
		k >= reflect.Uint8 && k <= reflect.Uint64:
		return k.String(), null, nil
	}
	return "", false, fmt.Errorf("field %s of %v is no text, whole number or boolean", name, row)
}

// label is the cell of a field.
func label(row reflect.Value, name string) report.Label {
	v := row.FieldByName(name)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return report.NullLabel
		}
		v = v.Elem()
	}
	return report.Label{Text: fmt.Sprint(v.Interface())}
}

// put makes a label the cell of a field.
func put(row reflect.Value, name string, l report.Label) (err error) {
	v := row.FieldByName(name)
	if v.Kind() == reflect.Pointer {
		if v.SetZero(); l.Null { // the cell of the row that came is left as it is
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	var i int64
	var u uint64
	var b bool
	switch {
	case l.Null:
		err = strconv.ErrSyntax
	case v.Kind() == reflect.String:
		v.SetString(l.Text)
	case v.Kind() == reflect.Bool:
		b, err = strconv.ParseBool(l.Text)
		v.SetBool(b)
	case v.CanInt():
		i, err = strconv.ParseInt(l.Text, 10, v.Type().Bits())
		v.SetInt(i)
	default:
		u, err = strconv.ParseUint(l.Text, 10, v.Type().Bits())
		v.SetUint(u)
	}
	if err != nil {
		return fmt.Errorf("field %s cannot hold every output of the plan: make it text, or a pointer for null", name)
	}
	return nil
}

// identify fills id with the fields that name a record.
func identify(id *draw.ID, row reflect.Value, names []string) error {
	id.Reset()
	for _, name := range names {
		l := label(row, name)
		if l.Null {
			return fmt.Errorf("a row has no %s, which names its record", name)
		}
		id.Part([]byte(l.Text))
	}
	return nil
}
