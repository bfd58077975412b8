package soak

import (
	"net/url"

	"github.com/decorum-go/decorum/storage"
)

// selector narrows a list or watch: for the API as text, for the model as a function that shares no code with the API.
type selector struct {
	namespace, labels, fields string
	holds                     func(k storage.Key, v value) bool
}

func (s selector) matches(k storage.Key, v value) bool {
	return k.Resource == gadgets && (s.namespace == "" || s.namespace == k.Namespace) && (s.holds == nil || s.holds(k, v))
}

func (s selector) String() string {
	text := "of namespace " + s.namespace
	if s.namespace == "" {
		text = "of all namespaces"
	}
	if s.labels != "" {
		text += ", labels " + s.labels
	}
	if s.fields != "" {
		text += ", fields " + s.fields
	}
	return text
}

func (s selector) query() url.Values {
	q := url.Values{}
	if s.labels != "" {
		q.Set("labelSelector", s.labels)
	}
	if s.fields != "" {
		q.Set("fieldSelector", s.fields)
	}
	return q
}

func selectors() []selector {
	return []selector{
		{},
		{namespace: "a"},
		{namespace: passing[0]},
		{labels: "side=left", holds: func(_ storage.Key, v value) bool { return v.side == "left" }},
		{namespace: "b", labels: "side!=left", holds: func(_ storage.Key, v value) bool { return v.side != "left" }},
		{labels: "!side", holds: func(_ storage.Key, v value) bool { return v.side == "" }},
		{namespace: "a", labels: "side in (left,right)", holds: func(_ storage.Key, v value) bool { return v.side != "" }},
		{fields: "spec.color=red", holds: func(_ storage.Key, v value) bool { return v.color == "red" }},
		{labels: "side=right", fields: "metadata.namespace=b,spec.color!=red",
			holds: func(k storage.Key, v value) bool {
				return v.side == "right" && k.Namespace == "b" && v.color != "red"
			}},
		{namespace: "a", fields: "metadata.name=counter-0",
			holds: func(k storage.Key, _ value) bool { return k.Name == "counter-0" }},
		{fields: "metadata.name=pool-1", holds: func(k storage.Key, _ value) bool { return k.Name == "pool-1" }},
	}
}
