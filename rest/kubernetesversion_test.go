package rest_test

import (
	"flag"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

var update = flag.Bool("update", false, "write the release of Kubernetes into the documentation")

// The forms in which the repository names the release of Kubernetes, such as 1.37.2, 1.37, 0.37.2 and 0.37. The modules
// of Kubernetes have versions that begin with 0.
var (
	kubernetes      = strings.TrimPrefix(rest.KubernetesVersion, "v")
	kubernetesMinor = strings.TrimSuffix(kubernetes, path.Ext(kubernetes))
	modules         = "0" + strings.TrimPrefix(kubernetes, "1")
	modulesMinor    = "0" + strings.TrimPrefix(kubernetesMinor, "1")
)

// kubernetesMention is a place that names the release of Kubernetes. The group of the sentence matches the release.
type kubernetesMention struct{ page, sentence, want string }

// find returns the text of the page, and the position of the release in it.
func (m kubernetesMention) find(t *testing.T) (text string, start, end int) {
	t.Helper()
	page, err := os.ReadFile(m.page)
	require.NoError(t, err)
	at := regexp.MustCompile(m.sentence).FindSubmatchIndex(page)
	require.NotNil(t, at, "%s has no sentence %q", m.page, m.sentence)
	return string(page), at[2], at[3]
}

// The documentation names the release of Kubernetes that the library follows.
func TestTheDocumentationNamesTheReleaseOfKubernetes(t *testing.T) {
	for _, m := range []kubernetesMention{
		{"../CHANGELOG.md", `kube-apiserver (\S+) is the reference`, kubernetes},
		{"../README.md", "`k8s.io/client-go`, release (\\S+)\\. Use", modulesMinor},
		{"../docs/cel.md", `The language is that of Kubernetes (\S+): `, kubernetesMinor},
		{"../docs/protocol.md", `exactly as an API server of Kubernetes (\S+) does`, kubernetes},
		{"../docs/testing.md", `The API is that of Kubernetes (\S+) in both cases`, kubernetes},
		{"../docs/testing.md", `to release (\S+) if they are`, modulesMinor},
		{"../docs/webhooks.md", `\nkube-apiserver (\S+)\. Some points deserve attention`, kubernetes},
		{"../k8s/README.md", `The kinds are those of Kubernetes (\S+) \(`, kubernetesMinor},
		{"../k8s/README.md", "\\(`k8s.io/api` v(\\S+)\\)", modulesMinor},
		{"../k8s/kubeapi/README.md", `understand the flags of kube-apiserver (\S+)\. `, kubernetes},
		{"../k8s/kubeapi/README.md", "for example `(\\S+)-linux-amd64`", kubernetes},
		{"../k8s/kubeapi/internal/kinds/doc.go", `of the API groups of Kubernetes (\S+)\.\n`, kubernetesMinor},
		{"conformance/README.md", `\nkube-apiserver v(\S+) \(unmodified`, kubernetes},
	} {
		text, start, end := m.find(t)
		if *update {
			require.NoError(t, os.WriteFile(m.page, []byte(text[:start]+m.want+text[end:]), 0o644))
			continue
		}
		assert.Equal(t, m.want, text[start:end], "%s: run go test ./rest -run Documentation -update", m.page)
	}
}

// What module kubeapi takes from Kubernetes is of the release that the library follows: the types, and the tables of
// kube-apiserver. Somebody has to make these anew for a new release.
func TestTypesAndTablesAreOfTheReleaseOfKubernetes(t *testing.T) {
	for _, m := range []kubernetesMention{
		{"../k8s/go.mod", `k8s\.io/api v(\S+)\n`, modules},
		{"../k8s/kubeapi/go.mod", `k8s\.io/api v(\S+)\n`, modules},
		{"../k8s/kubeapi/internal/kinds/discovery_test.go", `what a server of Kubernetes (\S+) serves`, kubernetes},
		{"../k8s/kubeapi/internal/program/flags.txt", `# The flags of kube-apiserver (\S+) that`, kubernetesMinor},
		{"../k8s/kubeapi/internal/program/gates.txt", `# The feature gates of kube-apiserver (\S+) with`, kubernetesMinor},
		{"../k8s/kubeapi/internal/program/plugins.txt", `# The admission plugins of kube-apiserver (\S+), and`,
			kubernetesMinor},
	} {
		text, start, end := m.find(t)
		assert.Equal(t, m.want, text[start:end], m.page)
	}
}
