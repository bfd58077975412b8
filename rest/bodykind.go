package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// checkKind compares the body's apiVersion and kind with those of the URL and fills in what the dialect lets a body
// leave out. A kind of the same version that is not the URL's is left in the object of a custom kind, where it is found
// when the object is validated.
func (q *request) checkKind(obj doc.Value, kind apimeta.GroupVersionKind, required bool, data []byte, o *writeOptions) (doc.Value, error) {
	body, err := kindOf(obj, q.bodyAsJSON(obj, data))
	if err != nil {
		return doc.Value{}, unrecognized(kind.Kind, err, data)
	}
	if obj.IsNull() {
		obj = doc.MapOf() // what Go reads null as
	}
	if required {
		if err = checkCustomKind(obj, body, kind, data, o); err == nil && kind != q.res.gvk && body.Kind != kind.Kind {
			err = wrongKind(kind, obj)
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

// kindOf reads what an object says about its kind. What the object leaves out is empty; text returns its JSON. The names of the
// members may be in any case, and null counts as absent, as when Go decodes into a struct.
func kindOf(obj doc.Value, text func() []byte) (apimeta.GroupVersionKind, error) {
	apiVersion, kind := obj.Get("apiVersion"), obj.Get("kind")
	found := struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}{apiVersion.Text(), kind.Text()}
	if apiVersion.Kind() != doc.String || kind.Kind() != doc.String {
		raw := text()
		err := schema.DecodingError(raw, reflect.TypeOf(found))
		if err == nil {
			err = json.Unmarshal(raw, &found)
		}
		if err != nil {
			return apimeta.GroupVersionKind{}, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
		}
	}
	gv, err := apimeta.ParseGroupVersion(found.APIVersion)
	return gv.WithKind(found.Kind), err
}

// jsonOf returns the JSON of a document.
func jsonOf(v doc.Value) func() []byte {
	return func() []byte { return codec.AppendJSON(nil, v) }
}

// bodyAsJSON returns the JSON of a body that has been read as obj.
func (q *request) bodyAsJSON(obj doc.Value, data []byte) func() []byte {
	if q.contentType() == mediaJSON {
		return func() []byte { return data }
	}
	return jsonOf(obj)
}

// checkCustomKind refuses a body that does not say that it is of a kind of the group and version.
func checkCustomKind(obj doc.Value, body, want apimeta.GroupVersionKind, data []byte, o *writeOptions) error {
	switch version := want.GroupVersion().String(); {
	case obj.Get("kind").Text() == "":
		return unrecognized(want.Kind, fmt.Errorf("Object 'Kind' is missing in '%s'", shortened(data)), data)
	case body.GroupVersion() != want.GroupVersion():
		if refused := o.report(nil); refused != "" {
			return undecodable(want, obj, o, errors.New(refused))
		}
		return otherVersion(body.GroupVersion().String(), version)
	}
	return nil
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
	if _, known := q.serving.knows(body); known && body.Kind == want.Kind {
		return otherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	reason := q.res.otherBuiltinKind(body, want)
	if body.Version == "" {
		reason = fmt.Sprintf("Object 'apiVersion' is missing in '%s'", shortened(data))
	}
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", body.Kind, body.Version, want.Kind, reason))
}

// otherBuiltinKind says why an object of a kind that upstream may know is not one of another.
func (res *resource) otherBuiltinKind(body, want apimeta.GroupVersionKind) string {
	from, known := res.Served().knows(body)
	if !known {
		return unregistered(body)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", from, body.Kind, internalPackage(want.Group), want.Kind)
}

// unregistered says that nobody knows of a kind.
func unregistered(kind apimeta.GroupVersionKind) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind.Kind, kind.GroupVersion(), schemeName)
}

// schemeName is what upstream's registry of kinds calls itself.
const schemeName = "pkg/runtime/scheme.go:111"

// internalPackage is the Go package in which upstream keeps the types of a group.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// knows reports whether upstream's registry would have a kind of what is served, and the Go package in which its type is: that
// of a built-in kind, of its lists, or one that every version of every group has. Custom kinds are not in it.
func (s Set) knows(kind apimeta.GroupVersionKind) (pkg string, known bool) {
	if kind.Group == "" && kind.Version == "v1" && (kind.Kind == "List" || kind.Kind == "Status") {
		return "v1", true
	}
	for _, res := range s.Resources {
		switch {
		case !res.dialect.InScheme || res.gvk.GroupVersion() != kind.GroupVersion():
		case res.gvk.Kind == kind.Kind || !res.kind.Virtual && res.kind.ListKind == kind.Kind:
			return kind.Version, true
		case slices.Contains(kindsOfEveryVersion, kind.Kind):
			return "v1", true
		}
	}
	return "", false
}

// kindsOfEveryVersion are what requests and watches consist of beside objects.
var kindsOfEveryVersion = []string{"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}

func otherVersion(got, want string) error {
	return status.BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
}

// wrongKind is the answer to an object of another kind of the same group and version.
func wrongKind(want apimeta.GroupVersionKind, obj doc.Value) error {
	kind := obj.Get("kind").Text()
	return status.Invalid(apimeta.GroupKind{Group: want.Group, Kind: kind}, objectmeta.NameOf(obj), status.FieldErrors{
		status.InvalidField(status.Field("kind"), kind, "must be "+want.Kind)})
}

// otherKind is the answer to an object of a custom kind of which a patch has made one of another kind or version.
func (res *resource) otherKind(obj doc.Value, sameVersion, sameKind bool) error {
	gvk := gvkOf(obj)
	var errs status.FieldErrors
	if !sameKind {
		errs = append(errs, status.InvalidField(status.Field("kind"), gvk.Kind, "must be "+res.gvk.Kind))
	}
	if !sameVersion {
		errs = append(errs, status.InvalidField(status.Field("apiVersion"), gvk.GroupVersion().String(), "must be "+res.gvk.GroupVersion().String()))
	}
	return status.Invalid(gvk.GroupKind(), objectmeta.NameOf(obj), errs)
}

const shortenedLength = 1024

func shortened(data []byte) string {
	if len(data) > shortenedLength {
		return string(data[:shortenedLength]) + " ..."
	}
	return string(data)
}
