package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// FuzzWeights: any bytes are the weights of a mechanism or are refused in one line.
func FuzzWeights(f *testing.F) {
	f.Add([]byte(weightsMark), 1, 1)
	f.Add([]byte(weightsMark+"\x01\x01\x01"), 1, 1)
	f.Add([]byte(weightsMark+"\x02\x01\x02\x01\x03\x01\x02\x01"), 2, 2)
	f.Add([]byte(weightsMark+"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"), 1, 3)
	f.Fuzz(func(t *testing.T, data []byte, inputs, outputs int) {
		if inputs < 0 || inputs > 100 || outputs < 0 || outputs > 100 {
			return
		}
		sum := sha256.Sum256(data)
		m, err := readWeights(data, hex.EncodeToString(sum[:]), inputs, outputs)
		if (m == nil) == (err == nil) || err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%v, %q", m, err)
		}
		if err == nil && (m.Inputs() != inputs || m.Outputs() != outputs) {
			t.Errorf("%d by %d are read as %d by %d", inputs, outputs, m.Inputs(), m.Outputs())
		}
	})
}

// FuzzOpen: any bytes are a mechanism that is published or are refused in one line.
func FuzzOpen(f *testing.F) {
	for _, s := range []string{"", "{}", "[]", `{"schema":"tacet.mechanism/v1"}`, `{"schema":"tacet.mechanism/v1","inputs":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := DecodeOpen(data)
		if err == nil && o == nil || err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%v, %q", o, err)
		}
	})
}
