package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tofu is a folder with a configuration, and the OpenTofu that applies it.
type tofu struct {
	command
	program string
}

func newTofu(t *testing.T, configuration string, variables ...string) tofu {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	// OpenTofu looks for a provider in a folder by a name without its release.
	provider, err := os.ReadFile(build(t, openTofuProvider))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, "terraform-provider-kubectl"), provider, 0o700))
	settings := write(t, home, "tofurc", `provider_installation { dev_overrides { "gavinbunney/kubectl" = "`+home+`" } }`)
	write(t, dir, "main.tf", read(t, "testdata/"+configuration+"/main.tf"))
	write(t, dir, "definition.yaml", widgetDefinition(t))
	env := []string{"HOME=" + home, "TF_CLI_CONFIG_FILE=" + settings, "TF_IN_AUTOMATION=1"}
	for _, v := range variables {
		env = append(env, "TF_VAR_"+v)
	}
	return tofu{command{dir: dir, env: env}, build(t, openTofu)}
}

// apply applies the configuration, and returns the sentence that counts the changes.
func (c tofu) apply(t *testing.T, replicas string) string {
	t.Helper()
	return lastSentence(c.run(t, c.program, "apply", "-no-color", "-auto-approve", "-var", "replicas="+replicas))
}

// plan returns what OpenTofu would do.
func (c tofu) plan(t *testing.T, replicas string) string {
	t.Helper()
	return c.run(t, c.program, "plan", "-no-color", "-var", "replicas="+replicas)
}

func lastSentence(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// OpenTofu applies manifests with the provider gavinbunney/kubectl, finds what others have changed, and deletes the
// objects. The module proxy does not serve what hashicorp/kubernetes needs.
func TestOpenTofu(t *testing.T) {
	program, err := kubectl()
	require.NoError(t, err)
	t.Run("plain host", func(t *testing.T) {
		url := quickstart(t)
		c := newTofu(t, "tofu-host", "url="+url)
		assert.Equal(t, "Apply complete! Resources: 2 added, 0 changed, 0 destroyed.", c.apply(t, "2"))
		assert.Contains(t, c.plan(t, "2"), "No changes.")
		assert.Equal(t, "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.", c.apply(t, "3"))
		command{}.run(t, program, "--server", url, "--namespace", "shop", "patch", "db", "orders", "--type=merge", "-p", `{"spec":{"replicas":5}}`)
		assert.Contains(t, c.plan(t, "3"), "0 to add, 1 to change, 0 to destroy.")
		_, problems, err := c.try(t, c.program, "apply", "-no-color", "-auto-approve", "-var", "replicas=10")
		require.Error(t, err)
		assert.Contains(t, strings.Join(strings.Fields(problems), " "), "should be less than or equal to 9")
		assert.Equal(t, "Destroy complete! Resources: 2 destroyed.",
			lastSentence(c.run(t, c.program, "destroy", "-no-color", "-auto-approve", "-var", "replicas=3")))
	})
	t.Run("kubeapi", func(t *testing.T) {
		path := kubeapi(t)
		c := newTofu(t, "tofu-kubeapi", "kubeconfig="+path)
		assert.Equal(t, "Apply complete! Resources: 3 added, 0 changed, 0 destroyed.", c.apply(t, "2"))
		assert.Contains(t, c.plan(t, "2"), "No changes.")
		assert.Equal(t, "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.", c.apply(t, "3"))
		assert.Equal(t, "3", command{}.run(t, program, "--kubeconfig", path, "get", "deployment", "web", "-o", "jsonpath={.spec.replicas}"))
		assert.Equal(t, "Destroy complete! Resources: 3 destroyed.",
			lastSentence(c.run(t, c.program, "destroy", "-no-color", "-auto-approve", "-var", "replicas=3")))
	})
}
