package matching

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Describe returns a write as the request of an AdmissionReview of admission.k8s.io/v1, as far as expressions see it: without uid, object and
// oldObject. in is the version in which a webhook or a policy matches, and user the userInfo.
func (q *Request) Describe(in resource.Version, user doc.Value) (doc.Value, error) {
	options, dryRun := q.review.Options()
	described, err := describeOptions(options)
	if err != nil {
		return doc.Value{}, err
	}
	member := func(key string, value doc.Value) doc.Member { return doc.Member{Key: key, Value: value} }
	text := func(key, value string) doc.Member {
		if value == "" {
			return doc.Member{Key: key} // absent
		}
		return member(key, doc.Of(value))
	}
	_, name := q.review.Named()
	return doc.MapOf(
		member("kind", describeKind(in.Kind)), member("resource", describeResource(in.Resource)), text("subResource", q.write.subresource),
		member("requestKind", describeKind(q.requested.Kind)), member("requestResource", describeResource(q.requested.Resource)),
		text("requestSubResource", q.write.subresource), text("name", name), text("namespace", q.review.NamespaceName()),
		member("operation", doc.Of(q.write.operation)), member("userInfo", user), member("dryRun", doc.OfBool(dryRun)), member("options", described),
	), nil
}

func describeKind(k apimeta.GroupVersionKind) doc.Value {
	return describe("kind", k.Group, k.Version, k.Kind)
}

func describeResource(r apimeta.GroupVersionResource) doc.Value {
	return describe("resource", r.Group, r.Version, r.Resource)
}

func describe(what, group, version, name string) doc.Value {
	return doc.MapOf(doc.Member{Key: "group", Value: doc.Of(group)}, doc.Member{Key: "version", Value: doc.Of(version)}, doc.Member{Key: what, Value: doc.Of(name)})
}

// describeOptions returns the options of a request with their kind. They are absent if the client connects.
func describeOptions(options any) (doc.Value, error) {
	var kind string
	switch options.(type) {
	case *apimeta.CreateOptions:
		kind = "CreateOptions"
	case *apimeta.UpdateOptions:
		kind = "UpdateOptions"
	case *apimeta.PatchOptions:
		kind = "PatchOptions"
	case *apimeta.DeleteOptions:
		kind = "DeleteOptions"
	default:
		return doc.Value{}, nil
	}
	v, err := codec.FromGo(options)
	return v.With("apiVersion", doc.Of("meta.k8s.io/v1")).With("kind", doc.Of(kind)), err
}
