package openapi

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// metaName is what the types of object metadata are called in every document, whatever Go package they are from: tools
// know them by these names.
const metaName = "io.k8s.apimachinery.pkg.apis.meta.v1."

// kubernetesGroups are the groups of Kubernetes whose schemas have the name of a Go package instead of that of the
// group. Other groups that end with k8s.io belong to projects.
var kubernetesGroups = map[string]string{
	"":                             "io.k8s.api.core",
	"admissionregistration.k8s.io": "io.k8s.api.admissionregistration",
	"apiextensions.k8s.io":         "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	"apiregistration.k8s.io":       "io.k8s.kube-aggregator.pkg.apis.apiregistration",
	"authentication.k8s.io":        "io.k8s.api.authentication",
	"authorization.k8s.io":         "io.k8s.api.authorization",
	"certificates.k8s.io":          "io.k8s.api.certificates",
	"coordination.k8s.io":          "io.k8s.api.coordination",
	"discovery.k8s.io":             "io.k8s.api.discovery",
	"events.k8s.io":                "io.k8s.api.events",
	"flowcontrol.apiserver.k8s.io": "io.k8s.api.flowcontrol",
	"internal.apiserver.k8s.io":    "io.k8s.api.apiserverinternal",
	"networking.k8s.io":            "io.k8s.api.networking",
	"node.k8s.io":                  "io.k8s.api.node",
	"rbac.authorization.k8s.io":    "io.k8s.api.rbac",
	"resource.k8s.io":              "io.k8s.api.resource",
	"scheduling.k8s.io":            "io.k8s.api.scheduling",
	"storage.k8s.io":               "io.k8s.api.storage",
	"storagemigration.k8s.io":      "io.k8s.api.storagemigration",
}

// kindName returns the name of a kind's schema: its group from the general to the particular, its version and itself,
// e.g. com.example.v1.Widget. Groups without a domain are Kubernetes' own.
func kindName(gvk apimeta.GroupVersionKind) string {
	group, known := kubernetesGroups[gvk.Group]
	switch {
	case known:
	case strings.Contains(gvk.Group, "."):
		group = reversed(gvk.Group)
	default:
		group = "io.k8s.api." + gvk.Group
	}
	return clean(group + "." + gvk.Version + "." + gvk.Kind)
}

// typeName returns the name of a Go type's schema: the domain of its import path reversed, then the rest of it, as
// upstream names them: k8s.io/api/core/v1.Container is io.k8s.api.core.v1.Container.
func typeName(goName string) string {
	slash := strings.LastIndexByte(goName, '/')
	dot := strings.IndexByte(goName[slash+1:], '.')
	if dot < 0 {
		return clean(goName)
	}
	path, name := goName[:slash+1+dot], goName[slash+1+dot+1:]
	switch path {
	case "github.com/decorum-go/decorum/apimeta", "k8s.io/apimachinery/pkg/apis/meta/v1":
		return metaName + clean(name)
	case "github.com/decorum-go/decorum/status":
		if name != "Status" {
			name = "Status" + name
		}
		return metaName + clean(name)
	}
	domain, rest, found := strings.Cut(path, "/")
	if found {
		rest = "." + strings.ReplaceAll(rest, "/", ".")
	}
	return clean(reversed(domain) + rest + "." + name)
}

func reversed(domain string) string {
	labels := strings.Split(domain, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// clean keeps of a name what OpenAPI allows in the name of a component.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

// camel joins the words of a group or version, each with a capital: example.com and v1 are ExampleComV1.
func camel(words ...string) string {
	var b strings.Builder
	for _, word := range words {
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '.' || r == '-' || r == '/' }) {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
