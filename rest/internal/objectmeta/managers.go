package objectmeta

import (
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

const (
	// MaxFieldManager bounds the name of a field manager, in bytes.
	MaxFieldManager = 128
	// maxSubresourceName bounds the name of a subresource in an entry of managedFields, in bytes.
	maxSubresourceName = 256
)

// ValidateFieldManager refuses a field manager whose name is too long or has characters that cannot be printed.
func ValidateFieldManager(path *status.Path, manager string) status.FieldErrors {
	if len(manager) > MaxFieldManager {
		return status.FieldErrors{status.TooLongField(path, manager, MaxFieldManager)}
	}
	var errs status.FieldErrors
	for i, r := range manager {
		if !strconv.IsPrint(r) {
			errs = append(errs, status.InvalidField(path, manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}

// ValidateManagedFields refuses entries whose manager or subresource has an invalid name. The form of an entry is checked
// where it is read.
func ValidateManagedFields(obj doc.Value) status.FieldErrors {
	path := at(ManagedFields)
	var errs status.FieldErrors
	for i, e := range Of(obj).Get(ManagedFields).Elements() {
		if len(errs) >= maxErrors {
			break
		}
		errs = append(errs, ValidateFieldManager(path.Index(i).Child("manager"), e.Get("manager").Text())...)
		if len(e.Get("subresource").Text()) > maxSubresourceName {
			errs = append(errs, status.TooLongField(path.Index(i).Child("subresource"), "", maxSubresourceName))
		}
	}
	return errs
}
