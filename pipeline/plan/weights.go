package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/mechanism"
)

// WeightsFile lies beside plan.json where that leaves out rows of more than maxCells
// weights, and holds these.
const WeightsFile = "plan.weights"

// weightsMark begins the file; the rows come after it, in the order of the inputs. A
// row is its number of outputs and, for each, how many places it stands after the one
// before it, from place -1 on, and its weight. Every number is a base-128 varint, its
// lowest bits first, as in Protocol Buffers.
const weightsMark = "tacetw1\n"

// Weights is WeightsFile, nil where plan.json has the rows.
func (p *Plan) Weights() []byte {
	if !p.apart() {
		return nil
	}
	var b bytes.Buffer
	b.Grow(8 * p.Groups[0].Mechanism.Cells())
	writeWeights(&b, p.Groups[0].Mechanism)
	return b.Bytes()
}

// weightsHash is the SHA-256 of WeightsFile.
func weightsHash(m *mechanism.Mechanism) string {
	h := sha256.New()
	writeWeights(h, m)
	return hex.EncodeToString(h.Sum(nil))
}

// writeWeights writes to what does not fail.
func writeWeights(to io.Writer, m *mechanism.Mechanism) {
	b := []byte(weightsMark)
	for x := range m.Inputs() {
		r := m.Row(x)
		b = binary.AppendUvarint(b, uint64(len(r.Output)))
		last := -1
		for i, y := range r.Output {
			b = binary.AppendUvarint(b, uint64(int(y)-last))
			b = binary.AppendUvarint(b, uint64(r.At(i)))
			last = int(y)
		}
		to.Write(b)
		b = b[:0]
	}
}

// readWeights reads WeightsFile, whose hash is sum.
func readWeights(data []byte, sum string, inputs, outputs int) (*mechanism.Mechanism, error) {
	if s := sha256.Sum256(data); hex.EncodeToString(s[:]) != sum {
		return nil, fmt.Errorf("%s is not that of this plan (sha256 differs)", WeightsFile)
	}
	rest, ok := bytes.CutPrefix(data, []byte(weightsMark))
	next := func(most uint64) uint64 {
		v, n := binary.Uvarint(rest)
		if ok = ok && n > 0 && v > 0 && v <= most; !ok {
			return 0
		}
		rest = rest[n:]
		return v
	}
	rows := make([]mechanism.Row, inputs)
	for x := range rows {
		n := next(uint64(outputs))
		output, weight, equal := make([]uint16, n), make([]int64, n), true
		last := -1
		for i := range output {
			last += int(next(uint64(outputs - 1 - last)))
			output[i], weight[i] = uint16(max(last, 0)), int64(next(1<<62))
			equal = equal && weight[i] == 1
		}
		if !ok {
			return nil, fmt.Errorf("%s does not hold row %d", WeightsFile, x+1)
		}
		if rows[x] = mechanism.WeightedRow(output, weight); equal {
			rows[x] = mechanism.UniformRow(output)
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%s goes on after its last row", WeightsFile)
	}
	return mechanism.New(outputs, rows)
}
