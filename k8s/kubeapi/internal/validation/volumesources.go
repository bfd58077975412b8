package validation

import (
	"cmp"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// volumeType is one way to provide a volume.
type volumeType struct {
	name  string
	set   bool
	check func(p *field.Path)
}

// otherNames are the names of types of volumes in the paths of their faults. In Kubernetes' messages about a second
// type, the types have the names that stand here as keys.
var otherNames = map[string]string{
	"gcePersistentDisk": "persistentDisk", "cephFS": "cephfs", "downwarAPI": "downwardAPI",
}

// source checks the source of a volume, which may have one already. It reports whether the volume has one then.
func (r *report) source(p *field.Path, set bool, types ...volumeType) bool {
	for _, t := range types {
		switch {
		case t.set && set:
			r.add(field.Forbidden(p.Child(t.name), "may not specify more than 1 volume type"))
		case t.set:
			set = true
			t.check(p.Child(cmp.Or(otherNames[t.name], t.name)))
		}
	}
	return set
}

// text is a text of a volume that must not be empty.
type text struct{ name, value string }

func (r *report) needs(p *field.Path, texts ...text) {
	for _, t := range texts {
		r.given(p.Child(t.name), t.value)
	}
}

// partition checks the number of a partition. The message of Kubernetes does not mention 0, which it accepts.
func (r *report) partition(p *field.Path, n int32) {
	r.is(n >= 0 && n <= 255, field.Invalid(p, n, validation.InclusiveRangeError(1, 255)))
}

func (r *report) gcePersistentDisk(p *field.Path, s *corev1.GCEPersistentDiskVolumeSource) {
	r.given(p.Child("pdName"), s.PDName)
	r.partition(p.Child("partition"), s.Partition)
}

func (r *report) awsElasticBlockStore(p *field.Path, s *corev1.AWSElasticBlockStoreVolumeSource) {
	r.given(p.Child("volumeID"), s.VolumeID)
	r.partition(p.Child("partition"), s.Partition)
}

func (r *report) gitRepo(p *field.Path, s *corev1.GitRepoVolumeSource) {
	r.given(p.Child("repository"), s.Repository)
	r.relativePath(p.Child("directory"), s.Directory)
}

// initiatorForms are the forms of the names of the two ends of a connection over iSCSI, by their prefixes.
var initiatorForms = map[string]*regexp.Regexp{
	"iqn": regexp.MustCompile(`iqn\.\d{4}-\d{2}\.[[:alnum:].-]+:[^,;*&$|\s]+$`),
	"eui": regexp.MustCompile(`^eui.[[:alnum:]]{16}$`),
	"naa": regexp.MustCompile(`^naa.[[:alnum:]]{32}$`),
}

// initiator checks the name of one end of a connection over iSCSI.
func (r *report) initiator(p *field.Path, name, unknown string) {
	prefix := name[:min(3, len(name))]
	form := initiatorForms[prefix]
	r.is(form != nil, field.Invalid(p, name, unknown))
	r.is(form == nil || form.MatchString(name), field.Invalid(p, name, "must be valid format"))
}

const longInitiator = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if " +
	"iscsi.initiatorName is specified."

// iscsi checks a volume over iSCSI. unknown is the message for a name with an unknown prefix.
func (r *report) iscsi(p *field.Path, s *corev1.ISCSIVolumeSource, unknown string) {
	r.given(p.Child("targetPortal"), s.TargetPortal)
	if r.given(p.Child("iqn"), s.IQN) {
		r.initiator(p.Child("iqn"), s.IQN, unknown)
	}
	r.is(s.Lun >= 0 && s.Lun <= 255, field.Invalid(p.Child("lun"), s.Lun, validation.InclusiveRangeError(0, 255)))
	if s.DiscoveryCHAPAuth || s.SessionCHAPAuth {
		r.is(s.SecretRef != nil, field.Required(p.Child("secretRef"), ""))
	}
	if s.InitiatorName != nil {
		r.initiator(p.Child("initiatorname"), *s.InitiatorName, unknown)
	}
}

func (r *report) iscsiOfPod(volume, p *field.Path, name string, s *corev1.ISCSIVolumeSource) {
	r.iscsi(p, s, "must be valid format starting with iqn, eui, or naa")
	r.is(s.InitiatorName == nil || len(name+":"+s.TargetPortal) <= 64,
		field.Invalid(volume.Child("name"), name, longInitiator))
}

func (r *report) iscsiOfVolume(p *field.Path, volume string, s *corev1.ISCSIPersistentVolumeSource) {
	ofPod := &corev1.ISCSIVolumeSource{TargetPortal: s.TargetPortal, IQN: s.IQN, Lun: s.Lun,
		DiscoveryCHAPAuth: s.DiscoveryCHAPAuth, SessionCHAPAuth: s.SessionCHAPAuth, InitiatorName: s.InitiatorName}
	if s.SecretRef != nil {
		ofPod.SecretRef = &corev1.LocalObjectReference{}
		r.given(p.Child("secretRef", "name"), s.SecretRef.Name)
	}
	r.iscsi(p, ofPod, "must be valid format")
	r.is(s.InitiatorName == nil || len(volume+":"+s.TargetPortal) <= 64,
		field.Invalid(p.Child("targetportal"), s.TargetPortal, longInitiator))
}

func (r *report) fc(p *field.Path, s *corev1.FCVolumeSource) {
	names, ids := len(s.TargetWWNs) > 0, len(s.WWIDs) > 0
	at := p.Child("targetWWNs")
	r.is(names || ids, field.Required(at, "must specify either targetWWNs or wwids, but not both"))
	r.is(!names || !ids, field.Invalid(at, s.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously"))
	switch {
	case !names:
	case s.Lun == nil:
		r.add(field.Required(p.Child("lun"), "lun is required if targetWWNs is specified"))
	default:
		r.is(*s.Lun >= 0 && *s.Lun <= 255, field.Invalid(p.Child("lun"), s.Lun, validation.InclusiveRangeError(0, 255)))
	}
}

func (r *report) quobyte(p *field.Path, s *corev1.QuobyteVolumeSource) {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	at := p.Child("registry")
	switch {
	case s.Registry == "":
		r.add(field.Required(at, pairs))
	case len(s.Tenant) > 64:
		r.add(field.Required(p.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters"))
	default:
		for pair := range strings.SplitSeq(s.Registry, ",") {
			_, _, err := net.SplitHostPort(pair)
			r.is(err == nil, field.Invalid(at, s.Registry, pairs))
		}
	}
	r.given(p.Child("volume"), s.Volume)
}

func (r *report) glusterfsOfVolume(p *field.Path, s *corev1.GlusterfsPersistentVolumeSource) {
	r.needs(p, text{"endpoints", s.EndpointsName}, text{"path", s.Path})
	if s.EndpointsNamespace == nil {
		return
	}
	p = p.Child("endpointsNamespace")
	r.is(*s.EndpointsNamespace != "", field.Invalid(p, "", "if the endpointnamespace is set, it must be a valid "+
		"namespace name"))
	r.optional(p, *s.EndpointsNamespace, validation.IsDNS1123Label)
}

func (r *report) flocker(p *field.Path, s *corev1.FlockerVolumeSource) {
	r.is(s.DatasetName != "" || s.DatasetUUID != "",
		field.Required(p, "one of datasetName and datasetUUID is required"))
	r.is(s.DatasetName == "" || s.DatasetUUID == "",
		field.Invalid(p, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
	r.is(!strings.Contains(s.DatasetName, "/"),
		field.Invalid(p.Child("datasetName"), s.DatasetName, "must not contain '/'"))
}

// flex checks a volume of a driver outside of Kubernetes, whose options have names of their own.
func (r *report) flex(p *field.Path, driver string, options map[string]string) {
	r.given(p.Child("driver"), driver)
	for _, key := range slices.Sorted(maps.Keys(options)) {
		domain, _, _ := strings.Cut("."+strings.ToLower(key), "/")
		r.is(!strings.HasSuffix(domain, ".kubernetes.io") && !strings.HasSuffix(domain, ".k8s.io"),
			field.Invalid(p.Child("options").Key(key), key, "kubernetes.io and k8s.io namespaces are reserved"))
	}
}

func (r *report) azureDisk(p *field.Path, s *corev1.AzureDiskVolumeSource) {
	r.needs(p, text{"diskName", s.DiskName}, text{"diskURI", s.DataDiskURI})
	optionalOneOf(r, p.Child("cachingMode"), s.CachingMode, corev1.AzureDataDiskCachingNone,
		corev1.AzureDataDiskCachingReadOnly, corev1.AzureDataDiskCachingReadWrite)
	if s.Kind == nil {
		return
	}
	supported(r, p.Child("kind"), *s.Kind, corev1.AzureDedicatedBlobDisk, corev1.AzureManagedDisk,
		corev1.AzureSharedBlobDisk)
	prefix, form := "https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
	if *s.Kind == corev1.AzureManagedDisk {
		prefix = "/subscriptions/"
		form = prefix + "{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
	}
	r.is(strings.HasPrefix(s.DataDiskURI, prefix),
		field.NotSupported(p.Child("diskURI"), s.DataDiskURI, []string{form}))
}

// storageOS checks a volume of StorageOS, but for its secret.
func (r *report) storageOS(p *field.Path, name, namespace string) {
	r.named(p.Child("volumeName"), name, validation.IsDNS1123Label)
	r.optional(p.Child("volumeNamespace"), namespace, validation.IsDNS1123Label)
}

func (r *report) csiOfPod(p *field.Path, s *corev1.CSIVolumeSource) {
	r.driverName(p.Child("driver"), s.Driver)
	if ref := s.NodePublishSecretRef; ref != nil {
		r.given(p.Child("nodePublishSecretRef", "name"), ref.Name)
		r.optional(p.Child("name"), ref.Name, validation.IsDNS1123Subdomain)
	}
}

// secretOfVolume checks where the secret of a volume is, if it has one.
func (r *report) secretOfVolume(p *field.Path, ref *corev1.SecretReference) {
	if ref != nil {
		r.needs(p.Child("secretRef"), text{"name", ref.Name}, text{"namespace", ref.Namespace})
	}
}

// secretOfPod checks the secret of a volume of a Pod, if it has one.
func (r *report) secretOfPod(p *field.Path, ref *corev1.LocalObjectReference) {
	if ref != nil {
		r.given(p.Child("secretRef", "name"), ref.Name)
	}
}

// persistentSource checks where a volume with this name is.
func (r *report) persistentSource(p *field.Path, name string, spec *corev1.PersistentVolumeSpec) {
	s := &spec.PersistentVolumeSource
	set := r.source(p, false, // Kubernetes looks for them in this order
		volumeType{"hostPath", s.HostPath != nil, func(p *field.Path) { r.hostPath(p, s.HostPath) }},
		volumeType{"gcePersistentDisk", s.GCEPersistentDisk != nil, func(p *field.Path) {
			r.gcePersistentDisk(p, s.GCEPersistentDisk)
		}},
		volumeType{"awsElasticBlockStore", s.AWSElasticBlockStore != nil, func(p *field.Path) {
			r.awsElasticBlockStore(p, s.AWSElasticBlockStore)
		}},
		volumeType{"glusterfs", s.Glusterfs != nil, func(p *field.Path) { r.glusterfsOfVolume(p, s.Glusterfs) }},
		volumeType{"flocker", s.Flocker != nil, func(p *field.Path) { r.flocker(p, s.Flocker) }},
		volumeType{"nfs", s.NFS != nil, func(p *field.Path) { r.nfs(p, s.NFS) }},
		volumeType{"rbd", s.RBD != nil, func(p *field.Path) { r.rbd(p, s.RBD.CephMonitors, s.RBD.RBDImage) }},
		volumeType{"quobyte", s.Quobyte != nil, func(p *field.Path) { r.quobyte(p, s.Quobyte) }},
		volumeType{"cephFS", s.CephFS != nil, func(p *field.Path) { r.monitors(p, s.CephFS.Monitors) }},
		volumeType{"iscsi", s.ISCSI != nil, func(p *field.Path) { r.iscsiOfVolume(p, name, s.ISCSI) }},
		volumeType{"cinder", s.Cinder != nil, func(p *field.Path) {
			r.given(p.Child("volumeID"), s.Cinder.VolumeID)
			r.secretOfVolume(p, s.Cinder.SecretRef)
		}},
		volumeType{"fc", s.FC != nil, func(p *field.Path) { r.fc(p, s.FC) }},
	)
	if s.FlexVolume != nil {
		set = true
		r.flex(p.Child("flexVolume"), s.FlexVolume.Driver, s.FlexVolume.Options)
	}
	set = r.source(p, set,
		volumeType{"azureFile", s.AzureFile != nil, func(p *field.Path) {
			r.needs(p, text{"secretName", s.AzureFile.SecretName}, text{"shareName", s.AzureFile.ShareName})
			if namespace := s.AzureFile.SecretNamespace; namespace != nil {
				r.given(p.Child("secretNamespace"), *namespace)
			}
		}},
	)
	set = r.source(p, set, r.disks(s.VsphereVolume, s.PhotonPersistentDisk, s.PortworxVolume, s.AzureDisk)...)
	set = r.source(p, set,
		volumeType{"scaleIO", s.ScaleIO != nil, func(p *field.Path) {
			r.needs(p, text{"gateway", s.ScaleIO.Gateway}, text{"system", s.ScaleIO.System},
				text{"volumeName", s.ScaleIO.VolumeName})
		}},
		volumeType{"local", s.Local != nil, func(at *field.Path) {
			if r.given(at.Child("path"), s.Local.Path) {
				r.noBacksteps(at.Child("path"), s.Local.Path)
			}
			r.is(spec.NodeAffinity != nil, field.Required(p.Child("nodeAffinity"), "Local volume requires node affinity"))
		}},
		volumeType{"storageos", s.StorageOS != nil, func(p *field.Path) {
			r.storageOS(p, s.StorageOS.VolumeName, s.StorageOS.VolumeNamespace)
			if ref := s.StorageOS.SecretRef; ref != nil {
				r.needs(p.Child("secretRef"), text{"name", ref.Name}, text{"namespace", ref.Namespace})
			}
		}},
		volumeType{"csi", s.CSI != nil, func(p *field.Path) { r.csiVolume(p, s.CSI) }},
	)
	r.is(set, field.Required(p, "must specify a volume type"))
}

// disks are types of volumes that Pods and PersistentVolumes declare in the same way.
func (r *report) disks(vsphere *corev1.VsphereVirtualDiskVolumeSource, photon *corev1.PhotonPersistentDiskVolumeSource,
	portworx *corev1.PortworxVolumeSource, azure *corev1.AzureDiskVolumeSource) []volumeType {
	return []volumeType{
		{"vsphereVolume", vsphere != nil, func(p *field.Path) { r.given(p.Child("volumePath"), vsphere.VolumePath) }},
		{"photonPersistentDisk", photon != nil, func(p *field.Path) { r.given(p.Child("pdID"), photon.PdID) }},
		{"portworxVolume", portworx != nil, func(p *field.Path) { r.given(p.Child("volumeID"), portworx.VolumeID) }},
		{"azureDisk", azure != nil, func(p *field.Path) { r.azureDisk(p, azure) }},
	}
}

func (r *report) rbd(p *field.Path, monitors []string, image string) {
	r.monitors(p, monitors)
	r.given(p.Child("image"), image)
}

func (r *report) monitors(p *field.Path, monitors []string) {
	r.is(len(monitors) > 0, field.Required(p.Child("monitors"), ""))
}
