package cel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// These are the cost limits of the worst case, as CEL estimates it: for one expression in all places where an object
// can have it, and for all expressions of a kind. They are those of custom resource definitions.
const (
	estimateLimit     = 10_000_000
	kindEstimateLimit = 100_000_000
)

const boundsHelp = "make it simpler, or bound its lists, maps and texts with maxItems, maxProperties and maxLength"

// worstCase sums the estimated costs of the rules of a kind.
type worstCase struct {
	total  uint64
	most   []expressionCost // the expressions that contribute notably to the total
	errs   []error
	inside map[*node]bool // the nodes above the present one
}

type expressionCost struct {
	place string
	units uint64
}

// checkWorstCase returns an error for rules that could cost too much in the largest objects.
func checkWorstCase(root *node) error {
	w := worstCase{inside: map[*node]bool{}}
	w.node(root, "self", amount{count: 1})
	if w.total > kindEstimateLimit {
		slices.SortStableFunc(w.most, func(a, b expressionCost) int { return cmp.Compare(b.units, a.units) })
		var most []string
		for _, e := range w.most[:min(len(w.most), 4)] {
			most = append(most, e.place)
		}
		w.errs = append(w.errs, fmt.Errorf("cel: all rules together could cost %s the limit of a kind, most of it %s: %s",
			factor(w.total, kindEstimateLimit), strings.Join(most, ", "), boundsHelp))
	}
	return errors.Join(w.errs...)
}

// amount is how many values an object can have for one place of its schema.
type amount struct {
	count     uint64
	unbounded bool // only the size of a request bounds the number
}

func (p amount) times(most *int64) amount {
	if p.unbounded || most == nil {
		return amount{unbounded: true}
	}
	return amount{count: multiply(p.count, uint64(*most))}
}

// of returns the number of values, each of at least that size.
func (p amount) of(size uint64) uint64 {
	if p.unbounded {
		return maxRequest / (size + 1)
	}
	return p.count
}

func multiply(a, b uint64) uint64 {
	if high, low := bits.Mul64(a, b); high == 0 {
		return low
	}
	return math.MaxUint64
}

func (w *worstCase) node(n *node, place string, at amount) {
	if n == nil || w.inside[n] {
		return
	}
	if n.leadsTo(n, map[*node]bool{}) { // a type that contains itself
		at = amount{unbounded: true}
	}
	w.inside[n] = true
	defer delete(w.inside, n)
	for i, r := range n.rules {
		w.expression(fmt.Sprintf("%s: rule %d", place, i), multiply(r.cost, at.of(minSize(n.schema))))
		if r.message != nil {
			w.expression(fmt.Sprintf("%s: messageExpression of rule %d", place, i), r.messageCost)
		}
	}
	for name, below := range n.fields {
		w.node(below, place+"."+name, at)
	}
	w.node(n.values, place+"[*]", at.times(n.schema.Constraints().MaxProperties))
	w.node(n.items, place+"[*]", at.times(n.schema.Constraints().MaxItems))
}

func (w *worstCase) expression(place string, units uint64) {
	if units > estimateLimit {
		w.errs = append(w.errs, fmt.Errorf("cel: %s: it could cost %s the limit: %s", place, factor(units, estimateLimit),
			boundsHelp))
	}
	if units >= kindEstimateLimit/100 {
		w.most = append(w.most, expressionCost{place, units})
	}
	if w.total += units; w.total < units {
		w.total = math.MaxUint64
	}
}

func factor(cost, limit uint64) string {
	switch times := float64(cost) / float64(limit); {
	case times > 100:
		return "more than 100 times"
	case times < 1.5:
		return fmt.Sprintf("%f times", times)
	default:
		return fmt.Sprintf("%.1f times", times)
	}
}

// leadsTo reports whether the node to is below n.
func (n *node) leadsTo(to *node, seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	for _, below := range n.fields {
		if below == to || below.leadsTo(to, seen) {
			return true
		}
	}
	return n.values != nil && n.values == to || n.items != nil && n.items == to || n.values.leadsTo(to, seen) ||
		n.items.leadsTo(to, seen)
}
