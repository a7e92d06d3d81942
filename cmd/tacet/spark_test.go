package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestSlowSpark runs the tests that tacet-spark/tacet_spark.py has without Spark, where there is
// python3; TACET_PYTHON=required fails where there is none.
func TestSlowSpark(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("TACET_PYTHON") == "required" {
		t.Fatal("no python3, which TACET_PYTHON requires")
	}
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	c := exec.Command(python, "-B", "../tacet-spark/tacet_spark_test.py")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
