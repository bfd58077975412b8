package validation

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The limits of texts that drivers of storage write, in bytes.
const (
	longestMetadata = 256 << 10
	longestError    = 1 << 10
	longestNodeID   = 256
)

// driverName checks the name of a driver of storage.
func (r *report) driverName(p *field.Path, name string) {
	if !r.given(p, name) {
		return
	}
	r.is(len(name) <= 63, field.TooLong(p, "", 63))
	for _, message := range validation.IsDNS1123Subdomain(strings.ToLower(name)) {
		r.add(field.Invalid(p, name, message))
	}
}

// declaredDriver is driverName for a field whose rules Kubernetes declares.
func (r *report) declaredDriver(p *field.Path, name string) {
	if r.given(p, name) {
		r.obeys(p, name, validate.LongNameCaseless)
		r.is(utf8.RuneCountInString(name) <= 63, field.TooLongCharacters(p, "", 63))
	}
}

// csiVolume checks a volume of a driver of storage, and the secrets for its operations.
func (r *report) csiVolume(p *field.Path, s *corev1.CSIPersistentVolumeSource) {
	r.driverName(p.Child("driver"), s.Driver)
	r.given(p.Child("volumeHandle"), s.VolumeHandle)
	for _, secret := range []struct {
		name string
		ref  *corev1.SecretReference
	}{
		{"controllerPublishSecretRef", s.ControllerPublishSecretRef},
		{"controllerExpandSecretRef", s.ControllerExpandSecretRef},
		{"nodePublishSecretRef", s.NodePublishSecretRef}, {"nodeExpandSecretRef", s.NodeExpandSecretRef},
	} {
		if secret.ref != nil {
			r.named(p.Child(secret.name, "name"), secret.ref.Name, validation.IsDNS1123Subdomain)
			r.named(p.Child(secret.name, "namespace"), secret.ref.Namespace, validation.IsDNS1123Label)
		}
	}
}

func (r *report) csiDriver(obj *storagev1.CSIDriver) {
	p, s := field.NewPath("spec"), &obj.Spec
	for _, m := range []member{
		{"attachedRequired", s.AttachRequired != nil}, {"podInfoOnMount", s.PodInfoOnMount != nil},
		{"storageCapacity", s.StorageCapacity != nil}, {"seLinuxMount", s.SELinuxMount != nil},
	} {
		r.is(m.set, field.Required(p.Child(m.name), ""))
	}
	if policy := s.FSGroupPolicy; policy != nil {
		supported(r, p.Child("fsGroupPolicy"), *policy, storagev1.FileFSGroupPolicy, storagev1.NoneFSGroupPolicy,
			storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	}
	audiences := map[string]bool{}
	for i, t := range s.TokenRequests {
		p := p.Child("tokenRequests").Index(i)
		twice := audiences[t.Audience]
		r.distinct(p.Child("audience"), t.Audience, audiences)
		if t.ExpirationSeconds != nil && !twice {
			r.tokenLifetime(p.Child("expirationSeconds"), *t.ExpirationSeconds)
		}
	}
	for _, mode := range s.VolumeLifecycleModes {
		supported(r, p.Child("volumeLifecycleModes"), mode, storagev1.VolumeLifecyclePersistent,
			storagev1.VolumeLifecycleEphemeral)
	}
	if d := s.NodeAllocatableUpdatePeriodSeconds; d != nil {
		r.is(*d >= 10, field.Invalid(p.Child("nodeAllocatableUpdatePeriodSeconds"), *d,
			"must be greater than or equal to 10 seconds"))
	}
	secrets := s.ServiceAccountTokenInSecrets
	r.is(secrets == nil || len(s.TokenRequests) > 0,
		field.Invalid(p.Child("serviceAccountTokenInSecrets"), secrets, "serviceAccountTokenInSecrets is set but no "+
			"tokenRequests are specified"))
}

func (r *report) csiDriverChange(obj, old *storagev1.CSIDriver) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.frozen(p.Child("attachedRequired"), now.AttachRequired, was.AttachRequired)
	r.frozen(p.Child("volumeLifecycleModes"), now.VolumeLifecycleModes, was.VolumeLifecycleModes)
}

func (r *report) csiNode(obj *storagev1.CSINode) {
	names := map[string]bool{}
	for i, d := range obj.Spec.Drivers {
		p := field.NewPath("spec", "drivers").Index(i)
		r.driverName(p.Child("name"), d.Name)
		r.given(p.Child("nodeID"), d.NodeID)
		r.is(len(d.NodeID) <= longestNodeID, field.Invalid(p.Child("nodeID"), d.NodeID, "must be 256 characters or less"))
		if d.Allocatable != nil {
			optionalNumber(r, p.Child("allocatable", "count"), d.Allocatable.Count)
		}
		r.distinct(p.Child("name"), d.Name, names)
		keys := map[string]bool{}
		for _, key := range d.TopologyKeys {
			r.given(p, key)
			r.distinct(p, key, keys)
			r.follows(p, key, validation.IsQualifiedName)
		}
	}
}

func (r *report) capacity(obj *storagev1.CSIStorageCapacity) {
	r.selector(field.NewPath("nodeTopology"), obj.NodeTopology)
	r.follows(field.NewPath("storageClassName"), obj.StorageClassName, validation.IsDNS1123Subdomain)
	if obj.Capacity != nil {
		r.quantity(field.NewPath("capacity"), *obj.Capacity)
	}
}

func (r *report) capacityChange(obj, old *storagev1.CSIStorageCapacity) {
	r.frozen(field.NewPath("nodeTopology"), obj.NodeTopology, old.NodeTopology)
	r.frozen(field.NewPath("storageClassName"), obj.StorageClassName, old.StorageClassName)
}

func (r *report) attachment(obj *storagev1.VolumeAttachment) {
	p, s := field.NewPath("spec"), &obj.Spec
	if r.existing { // the declared rule that the spec does not change comes before those about its members
		r.driverName(p.Child("attacher"), s.Attacher)
	} else {
		r.declaredDriver(p.Child("attacher"), s.Attacher)
	}
	source := p.Child("source")
	const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	inline, name := s.Source.InlineVolumeSpec, s.Source.PersistentVolumeName
	switch {
	case inline == nil && name == nil:
		r.add(field.Required(source, one))
	case inline != nil && name != nil:
		r.add(field.Forbidden(source, one))
	case name != nil:
		r.is(*name != "", field.Required(source.Child("persistentVolumeName"), "must specify non empty persistentVolumeName"))
	default:
		r.inlineVolume(source.Child("inlineVolumeSpec"), inline)
	}
	r.follows(p.Child("nodeName"), s.NodeName, validation.IsDNS1123Subdomain)
	if name != nil {
		r.follows(source.Child("persistentVolumeName"), *name, validation.IsDNS1123Subdomain)
	}
}

func (r *report) attachmentChange(obj, old *storagev1.VolumeAttachment) {
	r.unchanged(field.NewPath("spec"), obj.Spec, old.Spec)
}

// inlineVolume checks a volume that is described where it is attached.
func (r *report) inlineVolume(p *field.Path, s *corev1.PersistentVolumeSpec) {
	const inline = "may not be specified in the context of inline volumes"
	r.absent(p, inline, member{"claimRef", s.ClaimRef != nil}, member{"capacity", len(s.Capacity) > 0},
		member{"nodeAffinity", s.NodeAffinity != nil}, member{"storageClassName", s.StorageClassName != ""})
	if s.CSI == nil {
		r.add(field.Required(p.Child("csi"), "has to be specified in the context of inline volumes"))
	}
	r.persistentSource(p, "", s)
	r.is(len(s.AccessModes) > 0, field.Required(p.Child("accessModes"), ""))
	r.accessModes(p.Child("accessModes"), s.AccessModes)
	r.is(s.PersistentVolumeReclaimPolicy == "" || s.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain,
		field.Forbidden(p.Child("persistentVolumeReclaimPolicy"), "may only be Retain in the context of inline volumes"))
	r.is(s.VolumeMode == nil || *s.VolumeMode == corev1.PersistentVolumeFilesystem,
		field.Forbidden(p.Child("volumeMode"), "may not specify volumeMode other than Filesystem in the context of inline "+
			"volumes"))
}

func (r *report) attachmentStatus(obj *storagev1.VolumeAttachment) {
	p, s := field.NewPath("status"), &obj.Status
	size := 0
	for key, value := range s.AttachmentMetadata {
		size += len(key) + len(value)
	}
	r.is(size <= longestMetadata, field.TooLong(p.Child("attachmentMetadata"), "", longestMetadata))
	for _, e := range []struct {
		name string
		err  *storagev1.VolumeError
	}{{"attachError", s.AttachError}, {"detachError", s.DetachError}} {
		if e.err == nil {
			continue
		}
		r.is(len(e.err.Message) <= longestError, field.TooLong(p.Child(e.name, "message"), "", longestMetadata))
		if code := e.err.ErrorCode; code != nil {
			r.is(*code >= 0, field.Invalid(p.Child(e.name, "errorCode"), *code,
				validation.InclusiveRangeError(0, math.MaxInt32)))
		}
	}
}

func (r *report) attributesClass(obj *storagev1.VolumeAttributesClass) {
	r.provisioner(field.NewPath("driverName"), obj.DriverName)
	r.parameters(field.NewPath("parameters"), obj.Parameters)
	r.is(len(obj.Parameters) > 0, field.Required(field.NewPath("parameters"), "must contain at least one key/value pair"))
}

func (r *report) attributesClassChange(obj, old *storagev1.VolumeAttributesClass) {
	driver, parameters := field.NewPath("driverName"), field.NewPath("parameters")
	r.is(obj.DriverName == old.DriverName, field.Forbidden(driver, "updates to driverName are forbidden."))
	r.is(same(obj.Parameters, old.Parameters), field.Forbidden(parameters, "updates to parameters are forbidden."))
}

func (r *report) provisioner(p *field.Path, name string) {
	if r.given(p, name) {
		r.follows(p, strings.ToLower(name), validation.IsQualifiedName)
	}
}

// parameters checks what a class tells the driver of its volumes.
func (r *report) parameters(p *field.Path, all map[string]string) {
	const most = 512
	if len(all) > most {
		r.add(field.TooLong(p, "", most))
		return
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r.is(key != "", field.Invalid(p, key, "field can not be empty."))
		size += len(key) + len(all[key])
	}
	r.is(size <= longestMetadata, field.TooLong(p, "", longestMetadata))
}
