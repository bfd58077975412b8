package defaults

import (
	"maps"
	"reflect"
	"slices"
	"sync"
)

// node is the plan for the values of one type: its own rules, and the fields that lead to types with rules.
type node struct {
	fixed    []assignment
	rules    [2][]func(obj any) // the index is the pass
	children []child
}

type child struct {
	field int
	node  *node
}

// pass is one of the two walks over an object.
type pass int

const (
	filling pass = iota
	rewriting
)

// walk applies the rules to an addressable value. A nil node has no rules.
func (n *node) walk(v reflect.Value, p pass) {
	if n == nil {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n.walk(v.Elem(), p)
		}
		return
	case reflect.Slice:
		for i := range v.Len() {
			n.walk(v.Index(i), p)
		}
		return
	}
	if p == filling {
		for _, a := range n.fixed {
			a.apply(v)
		}
	}
	for _, run := range n.rules[p] {
		run(v.Addr().Interface())
	}
	for _, c := range n.children {
		c.node.walk(v.Field(c.field), p)
	}
}

// planner makes the plan of each type once.
type planner struct {
	rules map[reflect.Type][]rule

	mu    sync.Mutex
	nodes map[reflect.Type]*node
}

func newPlanner(rules []rule) *planner {
	p := &planner{rules: map[reflect.Type][]rule{}, nodes: map[reflect.Type]*node{}}
	for _, r := range rules {
		p.rules[r.typ] = append(p.rules[r.typ], r)
	}
	return p
}

func (p *planner) of(t reflect.Type) *node {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.node(t)
}

// node returns the plan for values of a type, or nil if no rule concerns them. A type that contains itself has no rules
// in its inner values; Kubernetes has no such type with defaults.
func (p *planner) node(t reflect.Type) *node {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if n, done := p.nodes[t]; done {
		return n
	}
	p.nodes[t] = nil
	n := &node{}
	for _, r := range p.rules[t] {
		if r.stop {
			return nil
		}
		for _, path := range slices.Sorted(maps.Keys(r.values)) {
			n.fixed = append(n.fixed, newAssignment(t, path, r.values[path]))
		}
		for i, run := range []func(any){filling: r.set, rewriting: r.canonicalize} {
			if run != nil {
				n.rules[i] = append(n.rules[i], run)
			}
		}
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if inner := p.node(t.Field(i).Type); inner != nil && t.Field(i).IsExported() {
				n.children = append(n.children, child{i, inner})
			}
		}
	}
	if len(n.fixed)+len(n.rules[filling])+len(n.rules[rewriting])+len(n.children) > 0 {
		p.nodes[t] = n
	}
	return p.nodes[t]
}
