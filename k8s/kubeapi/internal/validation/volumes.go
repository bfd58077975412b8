package validation

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// volumes checks the volumes of a Pod, and returns those without a fault by their names.
func (r *report) volumes(list *field.Path, volumes []corev1.Volume, isPod bool) map[string]*corev1.Volume {
	good, names := map[string]*corev1.Volume{}, map[string]bool{}
	for i := range volumes {
		v, p, before := &volumes[i], list.Index(i), len(r.errs)
		r.volumeSource(p, v, isPod)
		r.named(p.Child("name"), v.Name, validation.IsDNS1123Label)
		r.is(!names[v.Name], field.Duplicate(p.Child("name"), v.Name))
		if len(r.errs) == before {
			names[v.Name], good[v.Name] = true, v
		}
	}
	return good
}

// volumeSource checks where a volume of a Pod is.
func (r *report) volumeSource(p *field.Path, v *corev1.Volume, isPod bool) {
	s := &v.VolumeSource
	set := r.source(p, false, // Kubernetes looks for them in this order
		volumeType{"emptyDir", s.EmptyDir != nil, func(p *field.Path) { r.emptyDir(p, s.EmptyDir) }},
		volumeType{"hostPath", s.HostPath != nil, func(p *field.Path) { r.hostPath(p, s.HostPath) }},
		volumeType{"gitRepo", s.GitRepo != nil, func(p *field.Path) { r.gitRepo(p, s.GitRepo) }},
		volumeType{"gcePersistentDisk", s.GCEPersistentDisk != nil, func(p *field.Path) {
			r.gcePersistentDisk(p, s.GCEPersistentDisk)
		}},
		volumeType{"awsElasticBlockStore", s.AWSElasticBlockStore != nil, func(p *field.Path) {
			r.awsElasticBlockStore(p, s.AWSElasticBlockStore)
		}},
		volumeType{"secret", s.Secret != nil, func(p *field.Path) { r.secretVolume(p, s.Secret) }},
		volumeType{"nfs", s.NFS != nil, func(p *field.Path) { r.nfs(p, s.NFS) }},
		volumeType{"iscsi", s.ISCSI != nil, func(at *field.Path) { r.iscsiOfPod(p, at, v.Name, s.ISCSI) }},
		volumeType{"glusterfs", s.Glusterfs != nil, func(p *field.Path) {
			r.needs(p, text{"endpoints", s.Glusterfs.EndpointsName}, text{"path", s.Glusterfs.Path})
		}},
		volumeType{"flocker", s.Flocker != nil, func(p *field.Path) { r.flocker(p, s.Flocker) }},
		volumeType{"persistentVolumeClaim", s.PersistentVolumeClaim != nil, func(p *field.Path) {
			r.given(p.Child("claimName"), s.PersistentVolumeClaim.ClaimName)
		}},
		volumeType{"rbd", s.RBD != nil, func(p *field.Path) { r.rbd(p, s.RBD.CephMonitors, s.RBD.RBDImage) }},
		volumeType{"cinder", s.Cinder != nil, func(p *field.Path) {
			r.given(p.Child("volumeID"), s.Cinder.VolumeID)
			r.secretOfPod(p, s.Cinder.SecretRef)
		}},
		volumeType{"cephFS", s.CephFS != nil, func(p *field.Path) { r.monitors(p, s.CephFS.Monitors) }},
		volumeType{"quobyte", s.Quobyte != nil, func(p *field.Path) { r.quobyte(p, s.Quobyte) }},
		volumeType{"downwarAPI", s.DownwardAPI != nil, func(p *field.Path) { r.downwardAPI(p, s.DownwardAPI) }},
		volumeType{"fc", s.FC != nil, func(p *field.Path) { r.fc(p, s.FC) }},
		volumeType{"flexVolume", s.FlexVolume != nil, func(p *field.Path) {
			r.flex(p, s.FlexVolume.Driver, s.FlexVolume.Options)
		}},
		volumeType{"configMap", s.ConfigMap != nil, func(p *field.Path) { r.configMapVolume(p, s.ConfigMap) }},
		volumeType{"azureFile", s.AzureFile != nil, func(p *field.Path) {
			r.needs(p, text{"secretName", s.AzureFile.SecretName}, text{"shareName", s.AzureFile.ShareName})
		}},
	)
	set = r.source(p, set, r.disks(s.VsphereVolume, s.PhotonPersistentDisk, s.PortworxVolume, s.AzureDisk)...)
	set = r.source(p, set,
		volumeType{"storageos", s.StorageOS != nil, func(p *field.Path) {
			r.storageOS(p, s.StorageOS.VolumeName, s.StorageOS.VolumeNamespace)
			r.secretOfPod(p, s.StorageOS.SecretRef)
		}},
		volumeType{"projected", s.Projected != nil, func(p *field.Path) { r.projected(p, s.Projected) }},
		volumeType{"scaleIO", s.ScaleIO != nil, func(p *field.Path) {
			r.needs(p, text{"gateway", s.ScaleIO.Gateway}, text{"system", s.ScaleIO.System},
				text{"volumeName", s.ScaleIO.VolumeName})
		}},
		volumeType{"csi", s.CSI != nil, func(p *field.Path) { r.csiOfPod(p, s.CSI) }},
		volumeType{"ephemeral", s.Ephemeral != nil, func(p *field.Path) { r.ephemeral(p, s.Ephemeral) }},
		volumeType{"image", s.Image != nil, func(p *field.Path) {
			r.is(!isPod || s.Image.Reference != "", field.Required(p.Child("reference"), ""))
			r.pullPolicy(p.Child("pullPolicy"), s.Image.PullPolicy)
		}},
	)
	r.is(set, field.Required(p, "must specify a volume type"))
}

func (r *report) emptyDir(p *field.Path, s *corev1.EmptyDirVolumeSource) {
	r.is(s.SizeLimit == nil || s.SizeLimit.Sign() >= 0, field.Forbidden(p.Child("sizeLimit"),
		"SizeLimit field must be a valid resource quantity"))
}

func (r *report) secretVolume(p *field.Path, s *corev1.SecretVolumeSource) {
	r.given(p.Child("secretName"), s.SecretName)
	r.mode(p.Child("defaultMode"), s.DefaultMode)
	r.items(p.Child("items"), s.Items)
}

func (r *report) configMapVolume(p *field.Path, s *corev1.ConfigMapVolumeSource) {
	r.given(p.Child("name"), s.Name)
	r.mode(p.Child("defaultMode"), s.DefaultMode)
	r.items(p.Child("items"), s.Items)
}

func (r *report) downwardAPI(p *field.Path, s *corev1.DownwardAPIVolumeSource) {
	r.mode(p.Child("defaultMode"), s.DefaultMode)
	for _, f := range s.Items {
		r.downwardFile(p, f)
	}
}

func (r *report) hostPath(p *field.Path, s *corev1.HostPathVolumeSource) {
	if !r.given(p.Child("path"), s.Path) {
		return
	}
	r.noBacksteps(p.Child("path"), s.Path)
	if s.Type != nil {
		supported(r, p.Child("type"), *s.Type, corev1.HostPathUnset, corev1.HostPathBlockDev, corev1.HostPathCharDev,
			corev1.HostPathDirectory,
			corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate, corev1.HostPathSocket)
	}
}

func (r *report) nfs(p *field.Path, s *corev1.NFSVolumeSource) {
	r.given(p.Child("server"), s.Server)
	r.given(p.Child("path"), s.Path)
	r.is(path.IsAbs(s.Path), field.Invalid(p.Child("path"), s.Path, "must be an absolute path"))
}

func (r *report) ephemeral(p *field.Path, s *corev1.EphemeralVolumeSource) {
	if s.VolumeClaimTemplate == nil {
		r.add(field.Required(p.Child("volumeClaimTemplate"), ""))
		return
	}
	p = p.Child("volumeClaimTemplate")
	r.templateMeta(p.Child("metadata"), &s.VolumeClaimTemplate.ObjectMeta)
	r.claimSpec(p.Child("spec"), &s.VolumeClaimTemplate.Spec)
}

func (r *report) projected(p *field.Path, s *corev1.ProjectedVolumeSource) {
	r.mode(p.Child("defaultMode"), s.DefaultMode)
	paths := map[string]bool{}
	unique := func(file, shown string) {
		r.is(file == "" || !paths[file], field.Invalid(p, shown, "conflicting duplicate paths"))
		paths[file] = true
	}
	for i, source := range s.Sources {
		src := p.Child("sources").Index(i)
		r.projectedKinds(src, &source)
		if secret := source.Secret; secret != nil {
			r.given(src.Child("secret", "name"), secret.Name)
			r.items(src.Child("secret", "items"), secret.Items)
			for _, item := range secret.Items {
				unique(item.Path, secret.Name)
			}
		}
		if c := source.ConfigMap; c != nil {
			r.given(src.Child("configMap", "name"), c.Name)
			r.items(src.Child("configMap", "items"), c.Items)
			for _, item := range c.Items {
				unique(item.Path, c.Name)
			}
		}
		if d := source.DownwardAPI; d != nil {
			for _, f := range d.Items {
				r.downwardFile(src.Child("downwardAPI"), f)
				unique(f.Path, f.Path)
			}
		}
		if t := source.ServiceAccountToken; t != nil {
			r.tokenProjection(p, src.Child("serviceAccountToken", "expirationSeconds"), t)
		}
		if b := source.ClusterTrustBundle; b != nil {
			r.bundle(src.Child("clusterTrustBundle"), b)
			r.is(!paths[b.Path], field.Invalid(p, b.Path, "conflicting duplicate paths"))
			paths[b.Path] = true
		}
		if c := source.PodCertificate; c != nil {
			r.podCertificate(src.Child("podCertificate"), c)
			for _, file := range []string{c.CredentialBundlePath, c.KeyPath, c.CertificateChainPath} {
				unique(file, file)
			}
		}
	}
}

func (r *report) tokenProjection(volume, seconds *field.Path, t *corev1.ServiceAccountTokenProjection) {
	if t.ExpirationSeconds != nil {
		r.tokenLifetime(seconds, *t.ExpirationSeconds)
	}
	if r.given(volume.Child("path"), t.Path) {
		r.filePath(volume.Child("path"), t.Path)
	}
}

func (r *report) tokenLifetime(p *field.Path, seconds int64) {
	r.is(seconds >= 600, field.Invalid(p, seconds, "may not specify a duration less than 10 minutes"))
	r.is(seconds <= 1<<32, field.Invalid(p, seconds, "may not specify a duration larger than 2^32 seconds"))
}

func (r *report) downwardFile(p *field.Path, f corev1.DownwardAPIVolumeFile) {
	r.given(p.Child("path"), f.Path)
	r.filePath(p.Child("path"), f.Path)
	r.mode(p.Child("mode"), f.Mode)
	switch {
	case f.FieldRef != nil:
		r.podField(p.Child("fieldRef"), f.FieldRef, fieldsOfFiles())
		r.is(f.ResourceFieldRef == nil, field.Invalid(p, "resource", "fieldRef and resourceFieldRef can not be specified "+
			"simultaneously"))
	case f.ResourceFieldRef != nil:
		r.containerResource(p.Child("resourceFieldRef"), f.ResourceFieldRef, true)
	default:
		r.add(field.Required(p, "one of fieldRef and resourceFieldRef is required"))
	}
}

func (r *report) items(p *field.Path, items []corev1.KeyToPath) {
	for i, item := range items {
		p := p.Index(i)
		r.given(p.Child("key"), item.Key)
		r.given(p.Child("path"), item.Path)
		r.filePath(p.Child("path"), item.Path)
		r.mode(p.Child("mode"), item.Mode)
	}
}

func (r *report) mode(p *field.Path, mode *int32) {
	if mode != nil && (*mode < 0 || *mode > 0o777) {
		r.add(field.Invalid(p, *mode, "must be a number between 0 and 0777 (octal), both inclusive"))
	}
}

// filePath checks the path of a file in a volume.
func (r *report) filePath(p *field.Path, file string) {
	r.relativePath(p, file)
	r.is(!strings.HasPrefix(file, "..") || strings.HasPrefix(file, "../"),
		field.Invalid(p, file, "must not start with '..'"))
}

func (r *report) relativePath(p *field.Path, file string) {
	r.is(!path.IsAbs(file), field.Invalid(p, file, "must be a relative path"))
	r.noBacksteps(p, file)
}

func (r *report) noBacksteps(p *field.Path, file string) {
	r.is(!slices.Contains(strings.Split(file, "/"), ".."), field.Invalid(p, file, "must not contain '..'"))
}

func (r *report) claim(obj *corev1.PersistentVolumeClaim) {
	r.claimSpec(field.NewPath("spec"), &obj.Spec)
}

// claimSpec checks the specification of a PersistentVolumeClaim, or of a template of one.
func (r *report) claimSpec(p *field.Path, s *corev1.PersistentVolumeClaimSpec) {
	r.is(len(s.AccessModes) > 0, field.Required(p.Child("accessModes"), "at least 1 access mode is required"))
	r.accessModes(p.Child("accessModes"), s.AccessModes)
	if s.Selector != nil {
		r.selector(p.Child("selector"), s.Selector)
	}
	size := p.Child("resources").Key(string(corev1.ResourceStorage))
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; !ok {
		r.add(field.Required(size, ""))
	} else {
		r.is(q.Sign() > 0, field.Invalid(size, q.String(), "must be greater than zero"))
	}
	r.dataSources(p, s)
	if s.StorageClassName != nil {
		r.optional(p.Child("storageClassName"), *s.StorageClassName, validation.IsDNS1123Subdomain)
	}
	if s.VolumeMode != nil {
		supported(r, p.Child("volumeMode"), *s.VolumeMode, corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem)
	}
	if s.VolumeAttributesClassName != nil {
		r.optional(p.Child("volumeAttributesClassName"), *s.VolumeAttributesClassName, validation.IsDNS1123Subdomain)
	}
}

func (r *report) accessModes(p *field.Path, modes []corev1.PersistentVolumeAccessMode) {
	once, others := false, false
	for _, mode := range modes {
		before := len(r.errs)
		supported(r, p, mode, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod)
		if mode == corev1.ReadWriteOncePod {
			once = true
		} else if len(r.errs) == before {
			others = true
		}
	}
	r.is(!once || !others, field.Forbidden(p, "may not use ReadWriteOncePod with other access modes"))
}

func (r *report) persistentVolume(obj *corev1.PersistentVolume) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.is(len(s.AccessModes) > 0, field.Required(p.Child("accessModes"), ""))
	r.accessModes(p.Child("accessModes"), s.AccessModes)
	capacity := p.Child("capacity")
	r.is(len(s.Capacity) > 0, field.Required(capacity, ""))
	if _, ok := s.Capacity[corev1.ResourceStorage]; !ok || len(s.Capacity) > 1 {
		r.add(field.NotSupported(capacity, s.Capacity, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Capacity)) {
		q := s.Capacity[name]
		r.is(q.Value() >= 0, field.Invalid(capacity.Key(string(name)), q.Value(), "must be a valid resource quantity"))
		r.is(q.Sign() > 0, field.Invalid(capacity.Key(string(name)), q.String(), "must be greater than zero"))
	}
	supported(r, p.Child("persistentVolumeReclaimPolicy"), s.PersistentVolumeReclaimPolicy,
		corev1.PersistentVolumeReclaimDelete,
		corev1.PersistentVolumeReclaimRecycle, corev1.PersistentVolumeReclaimRetain)
	r.persistentSource(p, obj.Name, s)
	if s.HostPath != nil && path.Clean(s.HostPath.Path) == "/" {
		r.is(s.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRecycle,
			field.Forbidden(p.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'"))
	}
	if a := s.NodeAffinity; a != nil {
		if a.Required == nil {
			r.add(field.Required(p.Child("nodeAffinity", "required"), "must specify required node constraints"))
		} else {
			r.nodeSelector(p.Child("nodeAffinity", "required"), a.Required)
		}
	}
	if class := s.VolumeAttributesClassName; class != nil {
		r.is(*class != "", field.Required(p.Child("volumeAttributesClassName"), "an empty string is disallowed"))
		r.optional(p.Child("volumeAttributesClassName"), *class, validation.IsDNS1123Subdomain)
		r.is(s.CSI != nil, field.Required(p.Child("csi"), "has to be specified when using volumeAttributesClassName"))
	}
	r.optional(p.Child("storageClassName"), s.StorageClassName, validation.IsDNS1123Subdomain)
	if s.VolumeMode != nil {
		supported(r, p.Child("volumeMode"), *s.VolumeMode, corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem)
	}
}

// templateMeta checks the metadata of a template, which may have labels and annotations only.
func (r *report) templateMeta(p *field.Path, meta *metav1.ObjectMeta) {
	r.add(apimachinery.ValidateAnnotations(meta.Annotations, p.Child("annotations"))...)
	r.labels(p.Child("labels"), meta.Labels)
	r.absent(p, "cannot be set",
		member{"name", meta.Name != ""}, member{"generateName", meta.GenerateName != ""},
		member{"namespace", meta.Namespace != ""}, member{"selfLink", meta.SelfLink != ""},
		member{"uID", meta.UID != ""}, member{"resourceVersion", meta.ResourceVersion != ""},
		member{"generation", meta.Generation != 0}, member{"creationTimestamp", !meta.CreationTimestamp.IsZero()},
		member{"deletionTimestamp", meta.DeletionTimestamp != nil},
		member{"deletionGracePeriodSeconds", meta.DeletionGracePeriodSeconds != nil},
		member{"ownerReferences", meta.OwnerReferences != nil}, member{"finalizers", meta.Finalizers != nil},
		member{"managedFields", meta.ManagedFields != nil})
}

// dataSources checks from what the volume of a claim gets its first content. The older of the two fields names an
// object of the same namespace.
func (r *report) dataSources(p *field.Path, s *corev1.PersistentVolumeClaimSpec) {
	old, ref := s.DataSource, s.DataSourceRef
	if old != nil {
		r.dataSource(p.Child("dataSource"), old.APIGroup, old.Kind, old.Name)
	}
	if ref == nil {
		return
	}
	at := p.Child("dataSourceRef")
	r.dataSource(at, ref.APIGroup, ref.Kind, ref.Name)
	if ref.Namespace != nil && *ref.Namespace != "" {
		r.follows(at.Child("namespace"), *ref.Namespace, validation.IsDNS1123Label)
		r.is(old == nil, field.Invalid(p, p.Child("dataSource"), "may not be specified when dataSourceRef.namespace is "+
			"specified"))
		return
	}
	r.is(old == nil || reflect.DeepEqual(old.APIGroup, ref.APIGroup) && old.Kind == ref.Kind && old.Name == ref.Name,
		field.Invalid(p, p.Child("dataSource"), "must match dataSourceRef"))
}

func (r *report) dataSource(p *field.Path, group *string, kind, name string) {
	r.needs(p, text{"name", name}, text{"kind", kind})
	if group == nil || *group == "" {
		r.is(kind == "PersistentVolumeClaim",
			field.Invalid(p, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
		return
	}
	r.follows(p.Child("apiGroup"), *group, validation.IsDNS1123Subdomain)
}
