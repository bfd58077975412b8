package validation

import (
	"strings"

	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// migration checks the resource whose objects a StorageVersionMigration rewrites.
func (r *report) migration(obj *storagemigrationv1.StorageVersionMigration) {
	p, of := field.NewPath("spec", "resource"), obj.Spec.Resource
	if of.Resource == "" {
		r.add(field.Required(p.Child("resource"), "resource is required to be set"))
	} else if messages := validation.IsDNS1035Label(of.Resource); len(messages) > 0 {
		r.add(field.Invalid(p.Child("resource"), of.Resource, strings.Join(messages, ",")))
	}
	if messages := validation.IsDNS1123Subdomain(of.Group); of.Group != "" && len(messages) > 0 {
		r.add(field.Invalid(p.Child("group"), of.Group, strings.Join(messages, ",")))
	}
}

func (r *report) migrationChange(obj, old *storagemigrationv1.StorageVersionMigration) {
	r.frozen(field.NewPath("spec"), obj.Spec, old.Spec)
}

func (r *report) migrationStatus(obj *storagemigrationv1.StorageVersionMigration) {
	p, s := field.NewPath("status"), &obj.Status
	if s.ResourceVersion != "" {
		if _, err := resourceversion.CompareResourceVersion(s.ResourceVersion, s.ResourceVersion); err != nil {
			r.add(field.Invalid(p.Child("resourceVersion"), s.ResourceVersion, err.Error()))
		}
	}
	r.add(metavalidation.ValidateConditions(s.Conditions, p.Child("conditions"))...)
	succeeded, failed := migrationEnd(s)
	r.is(!succeeded || !failed, field.Invalid(p.Child("conditions"), s.Conditions,
		"Both success and failed conditions cannot be true at the same time"))
}

// migrationEnd reports whether a migration has succeeded and whether it has failed.
func migrationEnd(s *storagemigrationv1.StorageVersionMigrationStatus) (succeeded, failed bool) {
	return meta.IsStatusConditionTrue(s.Conditions, string(storagemigrationv1.MigrationSucceeded)),
		meta.IsStatusConditionTrue(s.Conditions, string(storagemigrationv1.MigrationFailed))
}

func (r *report) migrationStatusChange(obj, old *storagemigrationv1.StorageVersionMigration) {
	p, now, was := field.NewPath("status"), &obj.Status, &old.Status
	r.is(was.ResourceVersion == "" || was.ResourceVersion == now.ResourceVersion,
		field.Invalid(p.Child("resourceVersion"), now.ResourceVersion, "field is immutable"))
	succeeded, failed := migrationEnd(now)
	hadSucceeded, hadFailed := migrationEnd(was)
	r.is(succeeded || !hadSucceeded, field.Invalid(p.Child("conditions"), now.Conditions,
		"Success condition cannot be set to false once it is true"))
	r.is(failed || !hadFailed, field.Invalid(p.Child("conditions"), now.Conditions,
		"Failed condition cannot be set to false once it is true"))
}
