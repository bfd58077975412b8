package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// limits are what a LimitRange says about one resource. Absent values are nil.
type limits struct {
	least, most, usual, requested, ratio *resource.Quantity
	exact                                bool // whether a container must request what it may use
}

func limitsOf(l *corev1.LimitRangeItem, name corev1.ResourceName) limits {
	of := func(list corev1.ResourceList) *resource.Quantity {
		if q, ok := list[name]; ok {
			return &q
		}
		return nil
	}
	all := limits{least: of(l.Min), most: of(l.Max), ratio: of(l.MaxLimitRequestRatio), exact: !mayExceed(name)}
	if l.Type != corev1.LimitTypePod {
		all.usual, all.requested = of(l.Default), of(l.DefaultRequest)
	}
	return all
}

// limit checks that the values of one resource are in order: the least, what is requested, what is usual, and the most.
func (r *report) limit(p *field.Path, name string, l limits) {
	for _, rule := range []struct {
		field       string
		shown, a, b *resource.Quantity
		detail      string
	}{
		{"min", l.least, l.least, l.most, "min value %s is greater than max value %s"},
		{"defaultRequest", l.requested, l.least, l.requested, "min value %s is greater than default request value %s"},
		{"defaultRequest", l.requested, l.requested, l.most, "default request value %s is greater than max value %s"},
		{"defaultRequest", l.requested, l.requested, l.usual, "default request value %s is greater than default limit " +
			"value %s"},
		{"default", l.least, l.least, l.usual, "min value %s is greater than default value %s"},
		{"default", l.most, l.usual, l.most, "default value %s is greater than max value %s"},
	} {
		if rule.a != nil && rule.b != nil {
			r.is(rule.a.Cmp(*rule.b) <= 0, field.Invalid(p.Child(rule.field).Key(name), *rule.shown,
				fmt.Sprintf(rule.detail, rule.a.String(), rule.b.String())))
		}
	}
	if l.ratio != nil {
		r.ratio(p.Child("maxLimitRequestRatio").Key(name), *l.ratio, l)
	}
	if l.exact && l.usual != nil && l.requested != nil {
		r.is(l.usual.Cmp(*l.requested) == 0, field.Invalid(p.Child("defaultRequest").Key(name), *l.requested,
			fmt.Sprintf("default value %s must equal to defaultRequest value %s in %s", l.usual.String(), l.requested.String(),
				name)))
	}
}

// ratio checks that the ratio of limit and request is possible.
func (r *report) ratio(p *field.Path, ratio resource.Quantity, l limits) {
	r.is(ratio.Cmp(resource.MustParse("1")) >= 0, field.Invalid(p, ratio,
		fmt.Sprintf("ratio %s is less than 1", ratio.String())))
	if l.least == nil || l.most == nil {
		return
	}
	value, least, most := float64(ratio.Value()), l.least.Value(), l.most.Value()
	if ratio.Value() < resource.MaxMilliValue && least < resource.MaxMilliValue && most < resource.MaxMilliValue {
		value, least, most = float64(ratio.MilliValue())/1000, l.least.MilliValue(), l.most.MilliValue()
	}
	possible := float64(most) / float64(least)
	r.is(!(value > possible), field.Invalid(p, ratio, fmt.Sprintf("ratio %s is greater than max/min = %f", ratio.String(),
		possible)))
}
