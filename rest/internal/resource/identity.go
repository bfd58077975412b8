package resource

import (
	"fmt"

	"encoding/hex"
	"encoding/json"
	"errors"
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

// NameUndeterminable is the answer to an object without a name.
func NameUndeterminable(name string) error {
	return status.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
}

// CheckIdentity compares the name and namespace in a body with those of the URL.
func (res *Resource) CheckIdentity(obj doc.Value, namespace, name string) error {
	if err := res.CheckNamespace(obj, namespace); err != nil {
		return err
	}
	if n := objectmeta.NameOf(obj); n != "" && n != name {
		return status.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", n, name))
	}
	return nil
}

// CheckNamespace refuses a body that names another namespace than the request.
func (res *Resource) CheckNamespace(obj doc.Value, namespace string) error {
	if n := objectmeta.Of(obj).Get(objectmeta.Namespace).Text(); res.Kind.Namespaced && n != "" && n != namespace {
		return status.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// KindOf reads what an object says about its kind. What the object leaves out is empty; text returns its JSON. The names of the
// members may be in any case, and null counts as absent, as when Go decodes into a struct.
func KindOf(obj doc.Value, text func() []byte) (apimeta.GroupVersionKind, error) {
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

// JSONOf returns the JSON of a document.
func JSONOf(v doc.Value) func() []byte {
	return func() []byte { return codec.AppendJSON(nil, v) }
}

// Kind is what a body of the write is of.
func (w *Write) Kind() apimeta.GroupVersionKind {
	if w.throughOwnKind() {
		return w.Through.Kind
	}
	return w.res.GVK
}

// CheckKind compares the body's apiVersion and kind with those of what is written and fills in what the dialect lets a body
// leave out. A kind of the same version that is another one is left in the object of a custom kind, where it is found
// when the object is validated. data is the body, and text returns its JSON.
func (w *Write) CheckKind(obj doc.Value, data []byte, text func() []byte) (doc.Value, error) {
	want := w.Kind()
	body, err := KindOf(obj, text)
	if err != nil {
		return doc.Value{}, Unrecognized(want.Kind, err, data)
	}
	if obj.IsNull() {
		obj = doc.MapOf() // what Go reads null as
	}
	if w.res.Dialect.KindRequired && !(w.throughOwnKind() && w.Through.KindImplied) {
		if err = w.checkCustomKind(obj, body, data); err == nil && w.throughOwnKind() && body.Kind != want.Kind {
			err = WrongKind(want, obj)
		}
	} else {
		err = w.res.checkBuiltinKind(body, want, data)
		body = want
	}
	if err != nil {
		return doc.Value{}, err
	}
	return obj.With("apiVersion", doc.Of(want.GroupVersion().String())).With("kind", doc.Of(body.Kind)), nil
}

// checkCustomKind refuses a body that does not say that it is of a kind of the group and version.
func (w *Write) checkCustomKind(obj doc.Value, body apimeta.GroupVersionKind, data []byte) error {
	want := w.Kind()
	switch version := want.GroupVersion().String(); {
	case obj.Get("kind").Text() == "":
		return Unrecognized(want.Kind, fmt.Errorf("Object 'Kind' is missing in '%s'", shortened(data)), data)
	case body.GroupVersion() != want.GroupVersion():
		if refused := w.Report(nil); refused != "" {
			return Undecodable(want, errors.New(refused))
		}
		return otherVersion(body.GroupVersion().String(), version)
	}
	return nil
}

// checkBuiltinKind refuses a body of another kind in the words of upstream, which looks the body's kind up among all
// that it knows before it sees that this is not the place for it.
func (res *Resource) checkBuiltinKind(body, want apimeta.GroupVersionKind, data []byte) error {
	if body.Kind == "" {
		body.Kind = want.Kind
	}
	if body.Version == "" && (body.Group == "" || body.Group == want.Group) {
		body.Group, body.Version = want.Group, want.Version
	}
	if body == want {
		return nil
	}
	if _, known := res.Served().knows(body); known && body.Kind == want.Kind {
		return otherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	reason := res.otherBuiltinKind(body, want)
	if body.Version == "" {
		reason = fmt.Sprintf("Object 'apiVersion' is missing in '%s'", shortened(data))
	}
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", body.Kind, body.Version, want.Kind, reason))
}

// otherBuiltinKind says why an object of a kind that upstream may know is not one of another.
func (res *Resource) otherBuiltinKind(body, want apimeta.GroupVersionKind) string {
	from, known := res.Served().knows(body)
	if !known {
		return Unregistered(body)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", from, body.Kind, internalPackage(want.Group), want.Kind)
}

// Unregistered says that nobody knows of a kind.
func Unregistered(kind apimeta.GroupVersionKind) string {
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
		case !res.Dialect.InScheme || res.GVK.GroupVersion() != kind.GroupVersion():
		case res.GVK.Kind == kind.Kind || !res.Kind.Virtual && res.Kind.ListKind == kind.Kind:
			return kind.Version, true
		case slices.Contains(KindsOfEveryVersion, kind.Kind):
			return "v1", true
		}
	}
	return "", false
}

// KindsOfEveryVersion are what requests and watches consist of beside objects.
var KindsOfEveryVersion = []string{"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}

func otherVersion(got, want string) error {
	return status.BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
}

// WrongKind is the answer to an object of another kind of the same group and version.
func WrongKind(want apimeta.GroupVersionKind, obj doc.Value) error {
	kind := obj.Get("kind").Text()
	return status.Invalid(apimeta.GroupKind{Group: want.Group, Kind: kind}, objectmeta.NameOf(obj), status.FieldErrors{
		status.InvalidField(status.Field("kind"), kind, "must be "+want.Kind)})
}

// otherKind is the answer to an object of a custom kind of which a patch has made one of another kind or version.
func (res *Resource) otherKind(obj doc.Value, sameVersion, sameKind bool) error {
	gvk := gvkOf(obj)
	var errs status.FieldErrors
	if !sameKind {
		errs = append(errs, status.InvalidField(status.Field("kind"), gvk.Kind, "must be "+res.GVK.Kind))
	}
	if !sameVersion {
		errs = append(errs, status.InvalidField(status.Field("apiVersion"), gvk.GroupVersion().String(), "must be "+res.GVK.GroupVersion().String()))
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

// Unrecognized is the answer to a body whose kind cannot be told.
func Unrecognized(kind string, err error, data []byte) error {
	return status.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err, excerpt(data)))
}

const excerptLength = 30

// excerpt shows the beginning of a body: as it is where it looks like JSON, else in hexadecimal digits.
func excerpt(data []byte) string {
	if len(data) == 0 {
		return "<empty>"
	}
	head, tail := data, ""
	if len(data) > excerptLength {
		head, tail = data[:excerptLength], " ..."
	}
	if data[0] == '{' {
		return string(head) + tail
	}
	return hex.EncodeToString(head) + tail
}
