package figures

// The prose of docs/paper.md.

const intro = `
# The paper, recomputed

Ci Song and Tobias J. Oechtering, *Worst-case utility privacy mechanism design via pointwise maximal leakage*,
introduce the utility-safe mechanism M*(h): every value is replaced by one of its M-h+1 best outputs, all equally
likely. ` + "`make paper`" + ` recomputes the paper's figures from the matrices alone and adds what it leaves open: the best
mechanism. Factors e^[epsilon](glossary.md) are fractions. *Optimum* is the least factor of any mechanism with the same floor:
a mechanism in integers reaches it, and a certificate in integers proves that none is below it. Utilities are values
u'(x,y), the larger the better; *mean* is the expected utility.

## How close

A curve's largest difference from what was printed. The paper's linear programs stop about 2e-5 above the optimum
(.40548325 where the exact value is log 1.5 = .40546511). What the paper does not print was computed beforehand by other linear
programs, means to two decimals.
`

const example = `
## Example 1: the counting query, floor by floor

Seven values, all equally likely; u'(x,y) = -(x-y)^2, one less where the answer is too small. Factors e^epsilon:
`

const values = `
The floor h = 4 costs nothing: output 3 has rank 4 (1 is the worst) or better for every value, so it can
always be published. M* pays 7/2 for it, because it spreads each value evenly over all that is allowed.

A floor on values instead of ranks lets the number of allowed outputs differ:
`

const figure1 = `
## Figure 1: worst value and mean against epsilon

![worst value against epsilon](paper/figure1-worst.svg)

![expected utility against epsilon](paper/figure1-mean.svg)

- **M*** is the utility-safe mechanism at the best floor within epsilon, as in the paper.
- **Optimum** is the best rank floor within epsilon, then the largest mean, then the least leakage. **By value** has the floor on values.
- **Exponential mechanism** and **k-randomised response** (k-RR) have the level of local differential privacy that guarantees
  epsilon, e^-epsilon = P_min + (1-P_min) e^-level (Proposition 6). k-RR then leaks exactly epsilon here, the exponential
  mechanism less (at .85 it leaks %.3f), so it is also shown **tuned** to leak epsilon.

The worst value of both baselines is -37 throughout, since every output can occur for every value. From epsilon = log 7 =
1.946 on no mechanism leaks more than epsilon, and both need no noise: their worst value is 0. Means:
`

const cyclic = `
## Figures 2 and 3: four values in a cycle

Each value ranks itself best, then the others in cyclic order. Epsilon in nats against the least probability p_min. M* agrees with
the paper in all decimals. *Program* is the paper's linear program. The best factors are proven from below by the same fraction.
`

const oneLowText = `
### Figure 2: one low, three high

The prior is (p_min, then three times (1-p_min)/3). M* is the best mechanism at both floors: the paper's linear program lies
on it but for its tolerance.

![Figure 2](paper/figure2.svg)
`

const threeLowText = `
### Figure 3: three low, one high

The prior is (three times p_min, then 1-3 p_min). At h = 3 M* is again the best; at h = 2 it is far from it, by %.2f nats at
p_min = .02, and the optimum is log(3/2) whatever p_min.

![Figure 3](paper/figure3.svg)
`
