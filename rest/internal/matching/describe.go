package matching

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
)

// Objects are the members object and oldObject of the request of an AdmissionReview, which expressions do not see.
type Objects struct{ Object, Old doc.Value }

// Describe returns a write as the request of an AdmissionReview of admission.k8s.io/v1, without uid. in is the version
// in which a webhook or a policy matches.
func (q *Request) Describe(in admission.KindVersion, shown Objects) (doc.Value, error) {
	described, err := describeOptions(q.shownOptions())
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
	namespace := q.review.Namespace
	if q.review.IsNamespace() { // a namespace is in itself
		namespace = q.review.Name
	}
	// Sorted members make the fastest map.
	return doc.MapOf(
		member("dryRun", doc.OfBool(q.review.DryRun)), member("kind", describeKind(in.Kind)), text("name", q.review.Name),
		text("namespace", namespace),
		member("object", shown.Object), member("oldObject", shown.Old), member("operation", doc.Of(q.write.operation)),
		member("options", described),
		member("requestKind", describeKind(q.requested.Kind)),
		member("requestResource", describeResource(q.requested.Resource)),
		text("requestSubResource", q.write.subresource), member("resource", describeResource(in.Resource)),
		text("subResource", q.write.subresource),
		member("userInfo", describeUser(q.review.User)),
	), nil
}

func describeKind(k apimeta.GroupVersionKind) doc.Value {
	return doc.MapOf(doc.Member{Key: "group", Value: doc.Of(k.Group)}, doc.Member{Key: "kind", Value: doc.Of(k.Kind)},
		doc.Member{Key: "version", Value: doc.Of(k.Version)})
}

func describeResource(r apimeta.GroupVersionResource) doc.Value {
	return doc.MapOf(doc.Member{Key: "group", Value: doc.Of(r.Group)},
		doc.Member{Key: "resource", Value: doc.Of(r.Resource)}, doc.Member{Key: "version", Value: doc.Of(r.Version)})
}

// shownOptions returns the options of the write as webhooks and policies see them. As in kube-apiserver, a PATCH has
// those of a create or of an update.
func (q *Request) shownOptions() admission.Options {
	p := q.review.Options.Patch
	switch {
	case p == nil:
		return q.review.Options
	case q.review.Operation == admission.Create:
		return admission.Options{Create: &apimeta.CreateOptions{
			DryRun: p.DryRun, FieldManager: p.FieldManager, FieldValidation: p.FieldValidation}}
	default:
		return admission.Options{Update: &apimeta.UpdateOptions{
			DryRun: p.DryRun, FieldManager: p.FieldManager, FieldValidation: p.FieldValidation}}
	}
}

// describeOptions returns the options of a request with their kind. They are absent if the client connects.
func describeOptions(options admission.Options) (doc.Value, error) {
	var kind string
	var described doc.Value
	var err error
	switch {
	case options.Create != nil:
		kind = "CreateOptions"
		described, err = codec.FromGo(options.Create)
	case options.Update != nil:
		kind = "UpdateOptions"
		described, err = codec.FromGo(options.Update)
	case options.Delete != nil:
		kind = "DeleteOptions"
		described, err = codec.FromGo(options.Delete)
	default:
		return doc.Value{}, nil
	}
	return described.With("apiVersion", doc.Of("meta.k8s.io/v1")).With("kind", doc.Of(kind)), err
}

func describeUser(u access.User) doc.Value {
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
