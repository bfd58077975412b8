package resource

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
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

func (res *Resource) CheckNamespace(obj doc.Value, namespace string) error {
	if n := objectmeta.Of(obj).Get(objectmeta.Namespace).Text(); res.Kind.Namespaced && n != "" && n != namespace {
		return status.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
