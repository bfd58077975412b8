package matching

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Describe returns a write as the request of an AdmissionReview of admission.k8s.io/v1, as far as expressions see it: without uid, object and
// oldObject. in is the version in which a webhook or a policy matches.
func (q *Request) Describe(in resource.Version, user User) (doc.Value, error) {
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
		member("operation", doc.Of(q.write.operation)), member("userInfo", user.describe()), member("dryRun", doc.OfBool(dryRun)), member("options", described),
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

// User is the user of a request, with the fields of a rest.User.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

func (u User) describe() doc.Value {
	var members []doc.Member
	for _, m := range []struct{ key, value string }{{"username", u.Name}, {"uid", u.UID}} {
		if m.value != "" {
			members = append(members, doc.Member{Key: m.key, Value: doc.Of(m.value)})
		}
	}
	if len(u.Groups) > 0 {
		members = append(members, doc.Member{Key: "groups", Value: texts(u.Groups)})
	}
	if len(u.Extra) > 0 {
		var extra []doc.Member
		for key, values := range u.Extra {
			extra = append(extra, doc.Member{Key: key, Value: texts(values)})
		}
		members = append(members, doc.Member{Key: "extra", Value: doc.MapOf(extra...)})
	}
	return doc.MapOf(members...)
}

func texts(list []string) doc.Value {
	values := make([]doc.Value, len(list))
	for i, text := range list {
		values[i] = doc.Of(text)
	}
	return doc.ListOf(values...)
}
