package objectmeta_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Whatever a client calls itself, its field manager is valid.
func TestManagerOfAUserAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"":                                   "",
		"kubectl/v1.37.0 (linux)":            "kubectl",
		"my\tagent\x00":                      "myagent",
		strings.Repeat("a", 200) + "/1":      strings.Repeat("a", 128),
		strings.Repeat("a", 127) + "\u00e9b": strings.Repeat("a", 127),
	} {
		got := objectmeta.ManagerOf(agent)
		assert.Equal(t, want, got, "%q", agent)
		assert.Empty(t, objectmeta.ValidateFieldManager(status.NewPath("fieldManager"), got), "%q", agent)
	}
}
