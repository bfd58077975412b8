package program_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// write writes a file into a new folder, and returns its path.
func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// startAPIServer starts kube-apiserver with some flags, and returns a client that may do everything.
func startAPIServer(t *testing.T, flags ...string) *kubernetes.Clientset {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	r := start(t, append([]string{"/x/kube-apiserver", "--secure-port=" + port, "--authorization-mode=AlwaysAllow",
		"--token-auth-file=" + write(t, "tokens.csv", "secret,jane,1\n")}, flags...)...)
	t.Cleanup(func() {
		r.stop()
		assert.Equal(t, 0, <-r.code, r.stderr)
	})
	anonymous := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(anonymous.CloseIdleConnections)
	require.NoError(t, retry.OnError(retry.DefaultBackoff, func(error) bool { return len(r.code) == 0 }, func() error {
		answer, err := anonymous.Get("https://" + address + "/readyz")
		if err == nil {
			answer.Body.Close()
		}
		return err
	}), r.stderr)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://" + address, BearerToken: "secret", QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	require.NoError(t, err)
	return client
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
}

// TestFlagsSelectPlugins has a configuration in a file beside the AdmissionConfiguration.
func TestFlagsSelectPlugins(t *testing.T) {
	config := write(t, "admission.yaml", `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodNodeSelector
  path: selectors.yaml
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {warn: restricted}
`)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(config), "selectors.yaml"),
		[]byte("podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: disk=ssd}"), 0o600))
	client := startAPIServer(t, "--enable-admission-plugins=PodNodeSelector", "--disable-admission-plugins=ServiceAccount",
		"--admission-control-config-file="+config, "--default-unreachable-toleration-seconds=7",
		"--default-not-ready-toleration-seconds=-1")
	p, err := client.CoreV1().Pods("default").Create(t.Context(), pod("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"disk": "ssd"}, p.Spec.NodeSelector)
	seconds := map[string]int64{}
	for _, toleration := range p.Spec.Tolerations {
		seconds[toleration.Key] = *toleration.TolerationSeconds
	}
	assert.Equal(t, map[string]int64{corev1.TaintNodeUnreachable: 7, corev1.TaintNodeNotReady: -1}, seconds)
}

func TestAdmissionControlNamesAllPlugins(t *testing.T) {
	client := startAPIServer(t, "--admission-control=AlwaysAdmit")
	p, err := client.CoreV1().Pods("default").Create(t.Context(), pod("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Empty(t, p.Spec.Tolerations, "DefaultTolerationSeconds is off")
	assert.Empty(t, p.Spec.ServiceAccountName, "ServiceAccount is off")
}

func TestConfigurationErrorsNameFileAndField(t *testing.T) {
	const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"
	configured := func(plugin, configuration string) string {
		return head + "plugins:\n- name: " + plugin + "\n  configuration: " + configuration + "\n"
	}
	const (
		rates       = "apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration"
		tolerations = "apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration"
		security    = "apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration"
		quotas      = "apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration"
		webhooks    = "apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration"
		policies    = "apiVersion: apiserver.config.k8s.io/v1, kind: ValidatingAdmissionPolicyConfiguration"
	)
	for _, test := range []struct{ name, plugin, config, want string }{
		{"empty file", "", "", "Object 'Kind' is missing in"},
		{"invalid YAML", "", "{", "failed to read plugin config"},
		{"another kind", "", "{apiVersion: v1, kind: Pod}", `no kind "Pod" is registered for version "v1"`},
		{"another version", "", "{apiVersion: apiserver.config.k8s.io/v2, kind: AdmissionConfiguration}",
			`no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v2"`},
		{"an unknown field", "", head + "plugins: [{nme: PodSecurity}]",
			`strict decoding error: unknown field "plugins[0].nme"`},
		{"a repeated field", "", head + "kind: AdmissionConfiguration\n", `key "kind" already set`},
		{"a missing file", "PodNodeSelector", head + "plugins: [{name: PodNodeSelector, path: none.yaml}]",
			"couldn't open admission plugin configuration"},
		{"EventRateLimit without configuration", "EventRateLimit", head,
			`couldn't init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty`},
		{"EventRateLimit with faults", "EventRateLimit", configured("EventRateLimit",
			"{"+rates+", limits: [{type: Nobody, qps: 0, burst: 1}, {type: User, qps: 1, burst: -1, cacheSize: -1}]}"),
			`[limits[0].type: Unsupported value: "Nobody": supported values: "Server", "Namespace", "User", "SourceAndObject", ` +
				"limits[0].qps: Invalid value: 0: must be positive, limits[1].burst: Invalid value: -1: must be positive, " +
				"limits[1].cacheSize: Invalid value: -1: must not be negative]"},
		{"ImagePolicyWebhook without configuration", "ImagePolicyWebhook", head,
			`couldn't init admission plugin "ImagePolicyWebhook": no config specified`},
		{"ImagePolicyWebhook without a kubeconfig file", "ImagePolicyWebhook",
			configured("ImagePolicyWebhook", "{imagePolicy: {allowTTL: 5}}"), "imagePolicy.kubeConfigFile: required"},
		{"ImagePolicyWebhook with a long time", "ImagePolicyWebhook",
			configured("ImagePolicyWebhook", "{imagePolicy: {denyTTL: 1801}}"),
			"imagePolicy.denyTTL: valid value is between 1s and 30m0s, got 30m1s"},
		{"ImagePolicyWebhook with a time beyond 64 bits", "ImagePolicyWebhook",
			configured("ImagePolicyWebhook", "{imagePolicy: {allowTTL: 9223372036854775}}"),
			"imagePolicy.allowTTL: valid value is between 1s and 30m0s"},
		{"PodTolerationRestriction with faults", "PodTolerationRestriction",
			configured("PodTolerationRestriction", "{"+tolerations+", default: [{value: x}], whitelist: [{key: a, operator: X}]}"),
			"invalid config: [podtolerationrestriction.default[0].operator: Invalid value"},
		{"PodNodeSelector", "PodNodeSelector", configured("PodNodeSelector", "{podNodeSelectorPluginConfig: 1}"),
			`couldn't init admission plugin "PodNodeSelector"`},
		{"PodSecurity with an unknown field", "", configured("PodSecurity", "{"+security+", defaults: {enforced: x}}"),
			`strict decoding error: unknown field "defaults.enforced"`},
		{"PodSecurity with an unknown level", "", configured("PodSecurity", "{"+security+", defaults: {enforce: x}}"),
			"PodSecurity configuration error: enforce: must be one of privileged, baseline, restricted"},
		{"PodSecurity with a repeated namespace", "",
			configured("PodSecurity", "{"+security+", exemptions: {namespaces: [a, a]}}"),
			`PodSecurity invalid: exemptions.namespaces[1]: Duplicate value: "a"`},
		{"ResourceQuota without a resource", "", configured("ResourceQuota", "{"+quotas+", limitedResources: [{}]}"),
			"limitedResources[0].resource: Required value"},
		{"ResourceQuota with an unknown field", "", configured("ResourceQuota", "{"+quotas+", limited: []}"),
			`strict decoding error: unknown field "limited"`},
		{"webhooks with a relative path", "",
			configured("ValidatingAdmissionWebhook", "{"+webhooks+", kubeConfigFile: x}"),
			`kubeConfigFile: Invalid value: "x": must be an absolute file path`},
		{"webhooks without the file", "",
			configured("MutatingAdmissionWebhook", "{"+webhooks+", kubeConfigFile: /nonexistent}"),
			"kubeConfigFile: open /nonexistent: no such file or directory"},
		{"static policies", "", configured("ValidatingAdmissionPolicy", "{"+policies+", staticManifestsDir: /x}"),
			"staticManifestsDir: kubeapi does not implement it"},
		{"policies with a kubeconfig file", "", configured("ValidatingAdmissionPolicy", "{"+policies+", kubeConfigFile: /x}"),
			`strict decoding error: unknown field "kubeConfigFile"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, "admission.yaml", test.config)
			r := start(t, "/x/kube-apiserver", "--secure-port=0", "--enable-admission-plugins="+test.plugin,
				"--admission-control-config-file="+path)
			assert.Equal(t, 1, <-r.code)
			text := strings.TrimSpace(r.stderr.String())
			assert.Contains(t, text, test.want)
			assert.NotContains(t, text, "\n")
			if strings.Contains(test.config, "configuration:") {
				assert.Contains(t, text, path)
			}
		})
	}
}

func TestReadmeNamesEachPlugin(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(readme), "| plugins | on by default |")
	table, _, _ = strings.Cut(table, "\n\n")
	described := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			continue
		}
		for name := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), ", ") {
			assert.NotContains(t, described, name)
			described[name] = map[string]string{"yes": "on", "no": "off"}[cells[1]]
		}
	}
	plugins, err := os.ReadFile("plugins.txt")
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(plugins)) {
		if words := strings.Fields(line); len(words) == 2 {
			known[words[0]] = words[1]
		}
	}
	delete(described, "---")
	assert.Equal(t, known, described)
}
