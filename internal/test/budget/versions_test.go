package budget_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherVersions are the modules that need other versions of their dependencies than the rest of the repository, and
// why.
var otherVersions = map[string]string{
	"internal/test/e2e/kubectl-1.30": "builds an older kubectl",
	"internal/test/e2e/kubectl-1.33": "builds an older kubectl",
	"internal/test/peers/tilt":       "builds tilt-apiserver with the versions of its release",
	"internal/test/helm":             "helm requires newer versions of some modules, which nothing else needs",
	"internal/test/programs":         "the same helm",
	"k8s/kubeapi/internal/oracle":    "builds the registry of a release of Kubernetes, with the versions of that release",
}

var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([^\s()/]+\.[^\s()]+) (v[^\s]+)`)

// All modules of the repository require the same version of another module. A package that two modules compile against
// different versions, of its own or of what it imports, is compiled twice: this once was every third compilation of
// make test.
func TestModulesShareVersions(t *testing.T) {
	versions, first := map[string]string{}, map[string]string{}
	require.NoError(t, filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		dir, err := filepath.Rel("../../..", filepath.Dir(path))
		if err != nil || otherVersions[filepath.ToSlash(dir)] != "" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range requirement.FindAllStringSubmatch(string(text), -1) {
			module, version := match[1], match[2]
			if strings.HasPrefix(module, core) {
				continue
			}
			if versions[module] == "" {
				versions[module], first[module] = version, dir
			}
			assert.Equal(t, versions[module], version, "%s in %s and %s: go get the newer one in both, and go mod tidy", module,
				first[module], dir)
		}
		return err
	}))
	assert.NotEmpty(t, versions)
}
