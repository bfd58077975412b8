package k8s

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"
)

// publishedText is what Kubernetes' OpenAPI states about fields and its code does not enforce by the schema: which are
// required, and their values. k8s.io/api has neither. A line at the margin names a struct type. A line below it has a
// member of the type and an api tag.
//
//go:embed published.txt
var publishedText string

// publishedTable holds the tags by the names of the types and their members.
var publishedTable = sync.OnceValue(func() map[string]map[string]string {
	table := map[string]map[string]string{}
	var tags map[string]string
	readTable(publishedText, func(name, _ string) {
		tags = map[string]string{}
		table[name] = tags
	}, func(member, tag string) { tags[member] = tag })
	return table
})

// addPublished adds the tags of the types of a kind to its overlay. It ignores members that the types lack, because the
// program may use another release of k8s.io/api.
func addPublished(overlay map[string]string, kind reflect.Type) {
	eachStruct(kind, map[reflect.Type]bool{}, func(t reflect.Type) bool {
		for member, tag := range publishedTable()[typeName(t)] {
			owner, _, ok := memberNamed(t, member)
			key := typeName(owner) + "." + member
			if ok && !strings.Contains(overlay[key], tag) { // a type may be embedded in several
				overlay[key] = strings.TrimPrefix(overlay[key]+","+tag, ",")
			}
		}
		return true
	})
}
