package rest

import (
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// checkKind compares the body's apiVersion and kind with those of the URL and fills in what the dialect lets a body
// leave out. A kind of the same version that is not the URL's is left in the object of a custom kind, where it is found
// when the object is validated.
func (q *request) checkKind(obj doc.Value, kind apimeta.GroupVersionKind, required bool, data []byte, o *resource.WriteOptions) (doc.Value, error) {
	body, err := resource.KindOf(obj, q.bodyAsJSON(obj, data))
	if err != nil {
		return doc.Value{}, resource.Unrecognized(kind.Kind, err, data)
	}
	if obj.IsNull() {
		obj = doc.MapOf() // what Go reads null as
	}
	if required {
		if err = resource.CheckCustomKind(obj, body, kind, data, o); err == nil && kind != q.res.GVK && body.Kind != kind.Kind {
			err = resource.WrongKind(kind, obj)
		}
	} else {
		err = q.checkBuiltinKind(body, kind, data)
		body = kind
	}
	if err != nil {
		return doc.Value{}, err
	}
	return obj.With("apiVersion", doc.Of(kind.GroupVersion().String())).With("kind", doc.Of(body.Kind)), nil
}

// bodyAsJSON returns the JSON of a body that has been read as obj.
func (q *request) bodyAsJSON(obj doc.Value, data []byte) func() []byte {
	if q.contentType() == mediaJSON {
		return func() []byte { return data }
	}
	return resource.JSONOf(obj)
}

// checkBuiltinKind refuses a body of another kind in the words of upstream, which looks the body's kind up among all
// that it knows before it sees that this is not the place for it.
func (q *request) checkBuiltinKind(body, want apimeta.GroupVersionKind, data []byte) error {
	if body.Kind == "" {
		body.Kind = want.Kind
	}
	if body.Version == "" && (body.Group == "" || body.Group == want.Group) {
		body.Group, body.Version = want.Group, want.Version
	}
	if body == want {
		return nil
	}
	if _, known := q.serving.Knows(body); known && body.Kind == want.Kind {
		return resource.OtherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	reason := q.res.OtherBuiltinKind(body, want)
	if body.Version == "" {
		reason = fmt.Sprintf("Object 'apiVersion' is missing in '%s'", resource.Shortened(data))
	}
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", body.Kind, body.Version, want.Kind, reason))
}
