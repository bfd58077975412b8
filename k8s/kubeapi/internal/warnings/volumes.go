package warnings

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// These constants describe the removal of volume plugins.
const (
	endedIn16 = "deprecated in v1.11, non-functional in v1.16+"
	endedIn22 = "deprecated in v1.16, non-functional in v1.22+"
	endedIn25 = "deprecated in v1.22, non-functional in v1.25+"
	endedIn26 = "deprecated in v1.25, non-functional in v1.26+"
	endedIn31 = "deprecated in v1.28, non-functional in v1.31+"
)

// ended adds a warning about a field that Kubernetes no longer supports.
func (l *list) ended(p *field.Path, isSet bool, text string) {
	if isSet {
		l.at(p, "%s", text)
	}
}

// volumes adds warnings about the volumes of a Pod.
func (l *list) volumes(p *field.Path, volumes []corev1.Volume) {
	for i, v := range volumes {
		p := p.Index(i)
		l.ended(p.Child("photonPersistentDisk"), v.PhotonPersistentDisk != nil, endedIn16)
		//lint:ignore SA1019 clients still send it
		l.ended(p.Child("gitRepo"), v.GitRepo != nil, "deprecated in v1.11, and disabled by default in v1.33+")
		l.ended(p.Child("scaleIO"), v.ScaleIO != nil, endedIn22)
		l.ended(p.Child("flocker"), v.Flocker != nil, endedIn25)
		l.ended(p.Child("storageOS"), v.StorageOS != nil, endedIn25)
		l.ended(p.Child("quobyte"), v.Quobyte != nil, endedIn25)
		l.ended(p.Child("glusterfs"), v.Glusterfs != nil, endedIn26)
		if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
			l.claim(p.Child("ephemeral", "volumeClaimTemplate", "spec"), &v.Ephemeral.VolumeClaimTemplate.Spec)
		}
		l.ended(p.Child("cephfs"), v.CephFS != nil, endedIn31)
		l.ended(p.Child("rbd"), v.RBD != nil, endedIn31)
	}
	for _, v := range volumes {
		l.overlaps(v)
	}
}

// placedFile is a file in a volume, and the source that it comes from if the volume has several.
type placedFile struct{ path, source string }

func (f placedFile) String() string {
	if f.source == "" {
		return fmt.Sprintf("%q", f.path)
	}
	return fmt.Sprintf("%q (%s)", f.path, f.source)
}

// overlaps adds warnings about files of a volume that have the same path, or whose path lies below another file.
func (l *list) overlaps(v corev1.Volume) {
	if s := v.ConfigMap; s != nil {
		l.overlapsIn(v.Name, fmt.Sprintf("ConfigMap %q", s.Name), filesOf(s.Items, ""))
	}
	if s := v.Secret; s != nil {
		l.overlapsIn(v.Name, fmt.Sprintf("Secret %q", s.SecretName), filesOf(s.Items, ""))
	}
	if s := v.DownwardAPI; s != nil {
		l.overlapsIn(v.Name, "DownwardAPI", downwardFiles(s.Items, ""))
	}
	if v.Projected == nil {
		return
	}
	var files []placedFile
	for _, s := range v.Projected.Sources {
		if s == (corev1.VolumeProjection{}) {
			l.add("volume %q (Projected) has no sources provided", v.Name)
		}
		files = append(files, projectedFiles(s)...)
	}
	l.overlapsIn(v.Name, "Projected", files)
}

func (l *list) overlapsIn(volume, what string, files []placedFile) {
	for i := range files {
		file := &files[i]
		file.path = strings.TrimRight(file.path, "/")
		for _, other := range files[:i] {
			if file.path == "" || other.path == "" {
				continue
			}
			one, another := file.path+"/", other.path+"/"
			if strings.HasPrefix(one, another) || strings.HasPrefix(another, one) {
				l.add("volume %q (%s): overlapping paths: %s with %s", volume, what, file, other)
			}
		}
	}
}

func filesOf(items []corev1.KeyToPath, source string) (files []placedFile) {
	for _, item := range items {
		files = append(files, placedFile{item.Path, source})
	}
	return files
}

func downwardFiles(items []corev1.DownwardAPIVolumeFile, source string) (files []placedFile) {
	for _, item := range items {
		files = append(files, placedFile{item.Path, source})
	}
	return files
}

// projectedFiles returns the files of one source of a projected volume.
func projectedFiles(s corev1.VolumeProjection) (files []placedFile) {
	switch {
	case s.ConfigMap != nil && s.ConfigMap.Items != nil:
		return filesOf(s.ConfigMap.Items, fmt.Sprintf("ConfigMap %q", s.ConfigMap.Name))
	case s.Secret != nil && s.Secret.Items != nil:
		return filesOf(s.Secret.Items, fmt.Sprintf("Secret %q", s.Secret.Name))
	case s.DownwardAPI != nil && s.DownwardAPI.Items != nil:
		return downwardFiles(s.DownwardAPI.Items, "DownwardAPI")
	case s.ServiceAccountToken != nil:
		return []placedFile{{s.ServiceAccountToken.Path, "ServiceAccountToken"}}
	case s.ClusterTrustBundle != nil:
		name := s.ClusterTrustBundle.Name
		if name == nil {
			name = s.ClusterTrustBundle.SignerName
		}
		return []placedFile{{s.ClusterTrustBundle.Path, fmt.Sprintf("ClusterTrustBundle %q", *name)}}
	case s.PodCertificate != nil:
		return []placedFile{
			{s.PodCertificate.CertificateChainPath, "PodCertificate chain"},
			{s.PodCertificate.KeyPath, "PodCertificate key"},
			{s.PodCertificate.CredentialBundlePath, "PodCertificate credential bundle"},
		}
	}
	return nil
}

const betaStorageClass = `deprecated since v1.8; use "storageClassName" attribute instead`

// volume adds warnings about a PersistentVolume.
func (l *list) volume(v *corev1.PersistentVolume) {
	for _, a := range []struct{ key, text string }{
		{corev1.BetaStorageClassAnnotation, betaStorageClass},
		{corev1.MountOptionAnnotation, `deprecated since v1.31; use "mountOptions" attribute instead`},
	} {
		if _, ok := v.Annotations[a.key]; ok {
			l.at(annotation(nil, a.key), "%s", a.text)
		}
	}
	spec := field.NewPath("spec")
	if v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		l.at(spec.Child("persistentVolumeReclaimPolicy"), "The Recycle reclaim policy is deprecated. "+
			"Instead, the recommended approach is to use dynamic provisioning.")
	}
	if v.Spec.NodeAffinity != nil && v.Spec.NodeAffinity.Required != nil {
		for i, term := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
			l.nodeTerm(spec.Child("nodeAffinity", "required", "nodeSelectorTerms").Index(i), term, false)
		}
	}
	l.ended(spec.Child("cephfs"), v.Spec.CephFS != nil, endedIn31)
	l.ended(spec.Child("photonPersistentDisk"), v.Spec.PhotonPersistentDisk != nil, endedIn16)
	l.ended(spec.Child("scaleIO"), v.Spec.ScaleIO != nil, endedIn22)
	l.ended(spec.Child("storageOS"), v.Spec.StorageOS != nil, endedIn25)
	l.ended(spec.Child("glusterfs"), v.Spec.Glusterfs != nil, endedIn26)
	l.ended(spec.Child("rbd"), v.Spec.RBD != nil, endedIn31)
}

// claim adds warnings about the spec of a claim.
func (l *list) claim(p *field.Path, s *corev1.PersistentVolumeClaimSpec) {
	storage := string(corev1.ResourceStorage)
	l.wholeByte(p.Child("resources", "requests").Key(storage), s.Resources.Requests[corev1.ResourceStorage])
	l.wholeByte(p.Child("resources", "limits").Key(storage), s.Resources.Limits[corev1.ResourceStorage])
}

// driver adds a warning if a driver gets tokens of service accounts in a field that it may log.
func (l *list) driver(d, old *storagev1.CSIDriver) {
	if len(d.Spec.TokenRequests) == 0 || d.Spec.ServiceAccountTokenInSecrets != nil ||
		old != nil && equality.Semantic.DeepEqual(d.Spec.TokenRequests, old.Spec.TokenRequests) {
		return
	}
	l.add("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible " +
		"logging of tokens in volume attributes")
}

func (l *list) capacity(c *storagev1.CSIStorageCapacity) {
	l.nodeSelector(field.NewPath("nodeTopology"), c.NodeTopology)
}

func (l *list) storageClass(c *storagev1.StorageClass) {
	for i, topology := range c.AllowedTopologies {
		for k, e := range topology.MatchLabelExpressions {
			l.formerLabel(field.NewPath("allowedTopologies").Index(i).Child("matchLabelExpressions").Index(k).Child("key"),
				e.Key)
		}
	}
}
