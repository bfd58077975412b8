package kinds

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/eventlimits"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/imagepolicy"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/limits"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/podsecurity"
	"github.com/decorum-go/decorum/rest/admission"
)

// plugin is an admission plugin of kube-apiserver.
type plugin struct {
	name string
	// rare plugins run only if a user of the server enables them.
	rare bool
	// pod completes a Pod. The plugins share one hook on Pods, which decodes each Pod once.
	pod func(ctx context.Context, pod *corev1.Pod) error
	// hooks are the other hooks of the plugin.
	hooks []admission.Hook
	// configure, unless nil, sets pod or hooks. text is the configuration of the plugin, or nil.
	configure func(p *plugin, text []byte) error
}

// hooked returns the function configure of a plugin whose hooks depend on its configuration.
func hooked(hooks func(text []byte) ([]admission.Hook, error)) func(*plugin, []byte) error {
	return func(p *plugin, text []byte) (err error) {
		p.hooks, err = hooks(text)
		return err
	}
}

// plugins returns the plugins in the order in which their hooks run. The functions on Pods run in this order too, but
// after all of the hooks, because the hook that they share comes last.
func plugins(o PluginOptions) []plugin {
	creates, updates := []admission.Operation{admission.Create}, []admission.Operation{admission.Update}
	both := []admission.Operation{admission.Create, admission.Update}
	const requests = "certificatesigningrequests.certificates.k8s.io"
	return []plugin{
		{name: "AlwaysAdmit", rare: true},
		{name: "NamespaceExists", rare: true}, // the API itself refuses objects in missing namespaces
		{name: "LimitPodHardAntiAffinityTopology", rare: true,
			hooks: []admission.Hook{{Name: "topologies-of-pods.kubeapi", Operations: both, Resources: []string{"pods"},
				Validate: restrictTopology}}},
		{name: "LimitRanger", hooks: limits.Ranges()},
		{name: "ServiceAccount", pod: runAsAccount,
			hooks: []admission.Hook{{Name: "secrets-of-ephemeral-containers.kubeapi", Operations: updates,
				Resources: []string{"pods/ephemeralcontainers"}, Validate: limitDebugging}}},
		{name: "NodeRestriction", rare: true, hooks: restrictNodes()},
		{name: "TaintNodesByCondition", hooks: []admission.Hook{completing("nodes.kubeapi", "nodes", creates, taintNode)}},
		{name: "AlwaysPullImages", rare: true,
			hooks: []admission.Hook{{Name: "pulls.kubeapi", Operations: both, Resources: []string{"pods"},
				SideEffects: admission.SideEffectsNone, Mutate: pullAlways}}},
		{name: imagepolicy.Name, rare: true, configure: hooked(imagepolicy.Hooks)},
		{name: podsecurity.Name, configure: hooked(podsecurity.Hooks)},
		{name: "PodNodeSelector", rare: true, configure: func(p *plugin, text []byte) error {
			selectors, err := nodeSelectorsIn(text)
			p.pod = selectors.apply
			return err
		}},
		{name: "Priority", pod: setPriority,
			hooks: []admission.Hook{{Name: "default-priorities.kubeapi", Operations: both,
				Resources: []string{"priorityclasses.scheduling.k8s.io"}, Validate: permitDefaultPriority}}},
		{name: "DefaultTolerationSeconds", pod: o.tolerateBriefly},
		{name: "PodTolerationRestriction", rare: true, configure: func(p *plugin, text []byte) error {
			cluster, err := tolerationsIn(text)
			p.pod = cluster.apply
			return err
		}},
		{name: eventlimits.Name, rare: true, configure: hooked(eventlimits.Hooks)},
		{name: "ExtendedResourceToleration", rare: true, pod: tolerateExtended},
		{name: "DefaultStorageClass",
			hooks: []admission.Hook{completing("classes-of-claims.kubeapi", "persistentvolumeclaims", creates,
				chooseStorageClass)}},
		{name: "StorageObjectInUseProtection", hooks: []admission.Hook{
			completing("protected-volumes.kubeapi", "persistentvolumes", creates,
				func(_ context.Context, v *corev1.PersistentVolume) error {
					protect(&v.ObjectMeta, "kubernetes.io/pv-protection")
					return nil
				}),
			completing("protected-claims.kubeapi", "persistentvolumeclaims", creates,
				func(_ context.Context, c *corev1.PersistentVolumeClaim) error {
					protect(&c.ObjectMeta, "kubernetes.io/pvc-protection")
					return nil
				}),
		}},
		{name: "PodGroupProtection"}, // concerns kinds that kube-apiserver does not serve by default
		{name: "PersistentVolumeClaimResize",
			hooks: []admission.Hook{{Name: "sizes-of-claims.kubeapi", Operations: updates,
				Resources: []string{"persistentvolumeclaims"}, Validate: permitExpansion}}},
		{name: "RuntimeClass", pod: useRuntimeClass},
		{name: "CertificateApproval",
			hooks: []admission.Hook{{Name: "approvals.kubeapi", Operations: updates, Resources: []string{requests + "/approval"},
				Validate: permitApproval}}},
		{name: "CertificateSigning",
			hooks: []admission.Hook{{Name: "signing.kubeapi", Operations: updates, Resources: []string{requests + "/status"},
				Validate: permitCertificate}}},
		{name: "ClusterTrustBundleAttest",
			hooks: []admission.Hook{{Name: "attestations.kubeapi",
				Operations: both, Resources: []string{"clustertrustbundles.certificates.k8s.io"},
				Validate: permitAttestation}}},
		{name: "CertificateSubjectRestriction",
			hooks: []admission.Hook{{Name: "subjects.kubeapi", Operations: creates, Resources: []string{requests},
				Validate: restrictSubject}}},
		{name: "DefaultIngressClass",
			hooks: []admission.Hook{completing("ingresses.kubeapi", "ingresses.networking.k8s.io", creates,
				chooseIngressClass)}},
		{name: "DenyServiceExternalIPs", rare: true,
			hooks: []admission.Hook{{Name: "external-ips.kubeapi", Operations: both, Resources: []string{"services"},
				Validate: denyExternalIPs}}},
		{name: "PodTopologyLabels", pod: labelWithTopology},
		{name: "NodeDeclaredFeatureValidator",
			hooks: []admission.Hook{{Name: "features-of-nodes.kubeapi", Operations: updates, Resources: []string{"pods/resize"},
				Validate: requireFeatures}}},
		{name: "PodResizeValidator",
			hooks: []admission.Hook{{Name: "resizes.kubeapi", Operations: updates, Resources: []string{"pods/resize"},
				Validate: permitResize}}},
	}
}

// Plugins returns the names of the plugins whose hooks [Admission] returns.
func Plugins() (names []string) {
	for _, p := range plugins(PluginOptions{}) {
		names = append(names, p.name)
	}
	return names
}

// PluginOptions are what a user of the server chooses about the plugins.
type PluginOptions struct {
	// On and Off are names of plugins that the user enables or disables, beside those that run by default.
	On, Off []string
	// Config has the configurations of plugins.
	Config *pluginconfig.File
	// NotReadySeconds and UnreachableSeconds are how long Pods stay on a node that is not ready or out of reach. Default:
	// five minutes.
	NotReadySeconds, UnreachableSeconds *int64
}

// runs reports whether a plugin runs.
func (o PluginOptions) runs(p plugin) bool {
	return !slices.Contains(o.Off, p.name) && (!p.rare || slices.Contains(o.On, p.name))
}

// Configure calls read with the configuration of a plugin. Its error names the plugin.
func (o PluginOptions) Configure(name string, read func(text []byte) error) error {
	if err := o.Config.Of(name, read); err != nil {
		return fmt.Errorf("couldn't init admission plugin %q: %w", name, err)
	}
	return nil
}

// Admission returns hooks that do what admission plugins of kube-apiserver do. The hooks run before webhooks and
// policies, which see their results. The plugin ResourceQuota runs after those: see [limits.Quotas]. Admission returns
// an error if a plugin that runs does not understand its configuration.
func Admission(o PluginOptions) (hooks []admission.Hook, err error) {
	var steps []func(context.Context, *corev1.Pod) error
	for _, p := range plugins(o) {
		if !o.runs(p) {
			continue
		}
		if p.configure != nil {
			if err := o.Configure(p.name, func(text []byte) error { return p.configure(&p, text) }); err != nil {
				return nil, err
			}
		}
		hooks = append(hooks, p.hooks...)
		if p.pod != nil {
			steps = append(steps, p.pod)
		}
	}
	if len(steps) == 0 {
		return hooks, nil
	}
	return append(hooks, completing("pods.kubeapi", "pods", []admission.Operation{admission.Create, admission.Update},
		func(ctx context.Context, pod *corev1.Pod) error {
			for _, step := range steps {
				if err := step(ctx, pod); err != nil {
					return err
				}
			}
			return nil
		})), nil
}

// isNew reports whether a Pod is being created.
func isNew(pod *corev1.Pod) bool { return pod.ResourceVersion == "" }
