package rest_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

var update = flag.Bool("update", false, "write the release of Kubernetes into the documentation")

// The documentation names the release of Kubernetes that the library follows.
func TestTheDocumentationNamesTheReleaseOfKubernetes(t *testing.T) {
	release := strings.TrimPrefix(rest.KubernetesVersion, "v")
	for _, c := range []struct{ page, sentence string }{
		{"../docs/protocol.md", `exactly as an API server of Kubernetes (\S+) does`},
		{"../docs/testing.md", `The API is that of Kubernetes (\S+) in both cases`},
		{"../docs/webhooks.md", `\nkube-apiserver (\S+)\. Some points deserve attention`},
		{"../k8s/kubeapi/README.md", `understand the flags of kube-apiserver (\S+)\. `},
		{"../k8s/kubeapi/README.md", "for example `(\\S+)-linux-amd64`"},
		{"../internal/conformance/README.md", `\nkube-apiserver v(\S+) \(unmodified`},
	} {
		page, err := os.ReadFile(c.page)
		require.NoError(t, err)
		at := regexp.MustCompile(c.sentence).FindSubmatchIndex(page)
		require.NotNil(t, at, "%s has no sentence %q", c.page, c.sentence)
		if *update {
			text := string(page[:at[2]]) + release + string(page[at[3]:])
			require.NoError(t, os.WriteFile(c.page, []byte(text), 0o644))
			continue
		}
		assert.Equal(t, release, string(page[at[2]:at[3]]), "%s: run go test ./rest -run Documentation -update", c.page)
	}
}
