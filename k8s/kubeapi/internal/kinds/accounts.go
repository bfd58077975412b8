package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

const (
	defaultAccount = "default"
	mirrorPod      = corev1.MirrorPodAnnotationKey
	// tokenVolume begins the name of the volume with the token of the account, and tokenPath is where containers find it.
	tokenVolume = "kube-api-access-"
	tokenPath   = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenSeconds is how long a token in a Pod is valid.
	tokenSeconds = 3607
)

// runAsAccount gives a new Pod the ServiceAccount default if it names none, and a volume with a token of its account.
func runAsAccount(ctx context.Context, pod *corev1.Pod) error {
	if !isNew(pod) {
		return nil
	}
	if _, ok := pod.Annotations[mirrorPod]; ok { // it runs already, and has no account
		return checkMirrorPod(pod)
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = defaultAccount
	}
	account, err := accountOf(ctx, pod.Namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		return fmt.Errorf("error looking up service account %s/%s: %w", pod.Namespace, pod.Spec.ServiceAccountName, err)
	}
	automount := account.AutomountServiceAccountToken
	if own := pod.Spec.AutomountServiceAccountToken; own != nil {
		automount = own
	}
	if automount == nil || *automount {
		mountToken(&pod.Spec)
	}
	if len(pod.Spec.ImagePullSecrets) == 0 {
		pod.Spec.ImagePullSecrets = account.ImagePullSecrets
	}
	return limitSecrets(account, &pod.Spec)
}

// checkMirrorPod refuses a mirror Pod that gets secrets from the API.
func checkMirrorPod(pod *corev1.Pod) error {
	projectsToken := func(v corev1.Volume) bool {
		return projects(v, func(s corev1.VolumeProjection) bool { return s.ServiceAccountToken != nil })
	}
	switch {
	case pod.Spec.ServiceAccountName != "":
		return errors.New("a mirror pod may not reference service accounts")
	case usedBy(&pod.Spec) == "secrets":
		return errors.New("a mirror pod may not reference secrets")
	case slices.ContainsFunc(pod.Spec.Volumes, projectsToken):
		return errors.New("a mirror pod may not use ServiceAccountToken volume projections")
	}
	return nil
}

// accountOf returns a ServiceAccount. A controller creates the one named default soon after the namespace, so accountOf
// waits for it.
func accountOf(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error) {
	accounts, err := rest.ClientForHook[corev1.ServiceAccount](ctx)
	if err != nil {
		return nil, err
	}
	accounts = accounts.Namespace(namespace)
	wait := time.Second
	if name != defaultAccount {
		wait = 0
	}
	for end := time.Now().Add(wait); ; {
		a, err := accounts.Get(ctx, name)
		if !status.IsNotFound(err) {
			return a, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("serviceaccount %q not found", name)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// mountToken mounts the token, the certificate of the API and the namespace into all containers.
func mountToken(spec *corev1.PodSpec) {
	volume := ""
	for _, v := range spec.Volumes {
		if strings.HasPrefix(v.Name, tokenVolume) {
			volume = v.Name
			break
		}
	}
	found := volume != ""
	if !found {
		volume = tokenVolume + rand.String(5)
	}
	needed := false
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			if c := &containers[i]; !mountsToken(c) {
				c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: volume, ReadOnly: true, MountPath: tokenPath})
				needed = true
			}
		}
	}
	if needed && !found {
		spec.Volumes = append(spec.Volumes,
			corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{Projected: tokenSource()}})
	}
}

func mountsToken(c *corev1.Container) bool {
	for _, m := range c.VolumeMounts {
		if m.MountPath == tokenPath {
			return true
		}
	}
	return false
}

func tokenSource() *corev1.ProjectedVolumeSource {
	seconds, mode := int64(tokenSeconds), corev1.ProjectedVolumeSourceDefaultMode
	return &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}
}
