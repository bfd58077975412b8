package docpatch

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// inconvertible returns the answer to a patch whose result does not fit the types of the kind. As upstream, it omits
// kind and name, and shows the patch.
func inconvertible(p StrategicMergePatch, result doc.Value, s *schema.Schema) error {
	text := s.Misfit(result)
	if text == "" {
		text = s.CheckTypes(nil, result).Error()
	}
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.NewPath("patch"), string(p.Text(nil)), text)})
}
